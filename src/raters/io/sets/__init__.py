"""Label sets: cells that hold several labels, one column for each label, and how both are read."""
