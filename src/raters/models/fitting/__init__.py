"""Fitting a model: the EM loop, its starts, and gold labels."""
