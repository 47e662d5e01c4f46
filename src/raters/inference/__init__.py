"""Uncertainty of a pure function of weighted items: weights, influence, intervals."""
