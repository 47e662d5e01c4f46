"""Which model to believe: labels held out, tempering, what the chosen model must not do."""
