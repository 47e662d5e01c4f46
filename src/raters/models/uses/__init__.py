"""Uses of a fit: information in raters' labels, what to label next, reasons, checks, new data."""
