"""How a model is fitted: the EM loop, its starts, gold labels."""
