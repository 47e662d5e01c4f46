"""Choosing a model: held-out labels, tempering, and the checks that a chosen model must pass."""
