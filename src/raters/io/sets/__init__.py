"""Label sets: cells that hold several labels, or one column for each label."""
