"""What to do with a fit: what to label next, why a label was given, sheets to adjudicate."""
