"""Saved folds: the patterns of a table in a file, which can be added and subtracted."""
