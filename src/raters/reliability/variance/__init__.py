"""Variance components: ICC, concordance, limits of agreement."""
