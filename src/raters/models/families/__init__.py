"""What a model is: pure functions of labels and parameters, and closed forms."""
