"""Folds that are kept: the patterns of a table in a file, added up and taken apart again."""
