"""Agreement where an item may have several labels."""
