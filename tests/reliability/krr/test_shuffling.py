"""Labels drawn without replacement, and counted: the quick ways give what the plain ones do."""

import numpy as np
import pytest

from raters.items.bag import _distinct
from raters.reliability.krr.aggregates import Aggregate, answers, label_counts, local_counts, majority, median
from raters.reliability.krr.aggregates import distinct as distinct_codes
from raters.reliability.krr.resampling import Bags


def test_every_order_of_labels_is_as_likely():
    bag = Bags(np.ones(2), np.array([[0, 1, 2, 0], [3, 4, 0, 0]]), np.array([4, 2]))
    drawn = bag.without(4, 20_000, np.random.default_rng(0))
    assert (np.sort(drawn[:, 0], 1) == [0, 0, 1, 2]).all() and (np.sort(drawn[:, 1, :2], 1) == [3, 4]).all()
    assert np.abs((drawn[:, 0, 0] == 0).mean() - 0.5) < 0.012 and np.abs((drawn[:, 1, 0] == 4).mean() - 0.5) < 0.012
    pairs = np.unique(bag.without(2, 20_000, np.random.default_rng(1))[:, 0], axis=0, return_counts=True)[1] / 20_000
    assert pairs == pytest.approx([1 / 6] * 3 + [1 / 6, 1 / 12, 1 / 6, 1 / 12], abs=0.012)


@pytest.mark.parametrize("rule", [majority, median])
def test_counting_label_by_label_changes_no_answer(rule):
    codes = np.random.default_rng(2).integers(0, 5, (500, 6))
    agg = Aggregate("x", "random", shares=rule)
    here, counts = local_counts(codes)
    at = rule(counts, "first").argmax(1)
    first = Aggregate("x", "first", shares=rule)
    assert (answers(first, codes, np.arange(5), np.random.default_rng(3)) == here[np.arange(500), at]).all()
    assert (label_counts(codes, 5) == [np.bincount(row, minlength=5) for row in codes]).all()
    assert set(answers(agg, codes[:1], np.arange(5), np.random.default_rng(4))) <= set(codes[0])


def test_rows_and_codes_that_differ_in_their_order():
    rows = np.random.default_rng(5).integers(0, 3, (200, 4)).astype(float)
    for found in (rows, np.hstack([rows] * 12) * 30):  # as one number a row, and where that does not fit
        expected, place = np.unique(found, axis=0, return_inverse=True)
        got, which = _distinct(found)
        assert (got == expected).all() and (which == place.ravel()).all()
    codes = np.array([7, 3, 7, 0])
    for n in (8, 1_000_000):
        there, place = distinct_codes(codes, n)
        assert there.tolist() == [0, 3, 7] and place.tolist() == [2, 1, 2, 0]
