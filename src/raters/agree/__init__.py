"""From what was asked to an estimate: overall, in slices, compared, explained, in bands."""
