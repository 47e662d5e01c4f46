"""Model definitions: pure functions of labels and parameters, and closed forms."""
