"""The vote model: a mixing distribution over items, for any number of labels."""
