"""How many labels and items to collect."""
