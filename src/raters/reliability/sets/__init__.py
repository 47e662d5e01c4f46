"""Agreement when an item may have several labels."""
