"""Agreement estimates: overall, in slices, compared, explained, and in conventional bands."""
