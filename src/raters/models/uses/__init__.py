"""What a fit is good for: information of raters, what to label next, reasons, checks, new data."""
