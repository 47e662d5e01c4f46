"""k-rater reliability: how reliable the aggregate of k labels is."""
