"""Components of variance, and the reliability of means of k ratings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raters.reliability.variance.components import (
    one_way,
    one_way_terms,
    ratings_needed,
    spearman_brown,
    two_way,
    two_way_terms,
)


@given(st.integers(2, 12), st.integers(2, 5), st.integers(0, 10_000))
def test_sums_and_analysis_of_variance_agree(n, k, seed):
    x = np.random.default_rng(seed).normal(size=(n, k)) + np.arange(n)[:, None]
    mean = x.mean()
    two = two_way(two_way_terms(x - mean).sum(0))
    one = one_way(one_way_terms(np.full(n, k), (x - mean).sum(1), ((x - mean) ** 2).sum(1)).sum(0))
    rows, columns = k * ((x.mean(1) - mean) ** 2).sum(), n * ((x.mean(0) - mean) ** 2).sum()
    error = ((x - x.mean(1)[:, None] - x.mean(0) + mean) ** 2).sum()
    assert [two.rows, two.columns, two.error] == pytest.approx([rows, columns, error])
    assert [one.between, one.within] == pytest.approx([rows, columns + error])
    variance = two.squares[0] + (two.squares[1] - two.squares[2]) / n  # of a mean; there is no reliability without any
    expected = (two.squares[0] - two.squares[2]) / variance if variance > 0 else np.nan
    assert spearman_brown(two.agreement(), k) == pytest.approx(expected, nan_ok=True)


@given(st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=6), min_size=3, max_size=8))
def test_one_way_with_unequal_numbers(rows):
    """ICC(1) by components of variance, each item's sum of squares written out."""
    n = np.array([len(r) for r in rows])
    x = np.concatenate(rows).astype(float)
    within = sum(((np.array(r) - np.mean(r)) ** 2).sum() for r in rows) / (n.sum() - len(rows))
    between = sum(len(r) * (np.mean(r) - x.mean()) ** 2 for r in rows) / (len(rows) - 1)
    k0 = (n.sum() - (n**2).sum() / n.sum()) / (len(rows) - 1)
    sums = [(len(r), sum(np.array(r) - x.mean()), sum((np.array(r) - x.mean()) ** 2)) for r in rows]
    m = one_way(one_way_terms(*np.array(sums, float).T).sum(0))
    if between + (k0 - 1) * within > 1e-9:
        assert m.single() == pytest.approx((between - within) / (between + (k0 - 1) * within), abs=1e-9)


def test_spearman_brown_and_back():
    assert ratings_needed(0.3, float(spearman_brown(0.3, 7))) == pytest.approx(7)
    assert ratings_needed(0.0, 0.8) == np.inf
