"""The model of votes: a mixing distribution over items, for any number of labels."""
