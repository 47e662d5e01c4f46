"""Readers: from files, dataframes, rows and matrices to :class:`~raters.annotations.Annotations`."""

from raters.io.reading import read

__all__ = ["read"]
