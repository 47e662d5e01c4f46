"""Readers: from files, dataframes, rows and matrices to :class:`~raters.annotations.Annotations`."""
