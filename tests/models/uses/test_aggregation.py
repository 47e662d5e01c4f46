"""A model as a function from labels to one label an item."""

import numpy as np
from small_crowds import coin, crowd

from raters import models
from raters.models import consensus


def test_aggregate_of_a_table_of_codes() -> None:
    votes, _ = crowd(np.stack([coin(0.9, 3)] * 5), 150, share=0.9)
    codes = np.full((150, 5), -1)
    codes[votes.item_of, votes.rater_of] = votes.label_of
    found = models.aggregate(codes, 3)
    assert np.array_equal(found, consensus(votes, "dawid_skene", start="votes").codes)
    assert np.array_equal(models.aggregate(codes, 3, "majority", ties="first"), consensus(votes, "majority").codes)


def test_a_model_as_a_function_of_a_table_of_labels() -> None:
    votes, truth = crowd(np.stack([coin(0.9, 3)] * 5), 150)
    table = np.array(["x", "y", "z"], dtype=object)[votes.label_of.reshape(150, 5)]
    found = models.aggregator("one_coin")(table)
    assert np.mean(found == np.array(["x", "y", "z"], dtype=object)[truth]) > 0.95
