"""What labels look like: their scale and order, cleaning, spelling, numbers."""
