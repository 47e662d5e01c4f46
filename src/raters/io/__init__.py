"""Readers: from files, dataframes, rows and matrices to :class:`~raters.annotations.Annotations`."""

from raters.io.read import read

__all__ = ["read"]
