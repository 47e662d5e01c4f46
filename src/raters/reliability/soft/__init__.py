"""Soft labels: shares of labels, and systems that predict them."""
