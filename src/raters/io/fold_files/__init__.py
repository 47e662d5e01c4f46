"""Saved folds: read, checked, added up."""
