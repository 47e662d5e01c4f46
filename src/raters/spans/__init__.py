"""Agreement where raters also choose what to label: units of text, and who saw which document."""
