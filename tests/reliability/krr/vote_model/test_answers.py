"""What k labels answer: by enumeration, by draws and by brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vote_models import MAJORITY

from raters.reliability.krr.aggregates import Aggregate, as_good_as, majority, median
from raters.reliability.krr.vote_model.simplex import answer_shares, chances, lattice, middle_shares


@given(st.integers(2, 4), st.integers(1, 6), st.integers(0, 1000))
@settings(max_examples=30)
def test_votes_by_enumeration_and_by_brute_force(q, k, seed):
    p = np.random.default_rng(seed).dirichlet(np.ones(q), 3)
    both, one = answer_shares(p, k, MAJORITY, np.random.default_rng(0))
    draws = np.stack(np.meshgrid(*[np.arange(q)] * k, indexing="ij"), -1).reshape(-1, k)
    counts = np.stack([(draws == c).sum(1) for c in range(q)], 1)
    expected = p[:, draws].prod(-1) @ majority(counts, "random")
    assert one == pytest.approx(expected)
    assert both.sum((1, 2)) == pytest.approx(np.ones(3)) and both.sum(2) == pytest.approx(one)


def test_votes_by_draws_agree_with_enumeration(monkeypatch):
    p = np.random.default_rng(0).dirichlet(np.ones(3), 200)
    exact, _ = answer_shares(p, 9, MAJORITY, np.random.default_rng(1))
    monkeypatch.setattr("raters.reliability.krr.vote_model.simplex.MOST_CELLS", 0)
    drawn, _ = answer_shares(p, 9, MAJORITY, np.random.default_rng(1))
    assert drawn.mean(0) == pytest.approx(exact.mean(0), abs=0.004)


@given(
    st.integers(2, 5), st.integers(1, 9), st.sampled_from(["random", "first", "last", "abstain"]), st.integers(0, 1000)
)
@settings(max_examples=40)
def test_medians_by_formula_and_by_enumeration(q, k, ties, seed):
    rng = np.random.default_rng(seed)
    p = np.vstack([rng.dirichlet(np.full(q, 0.4), 3), np.eye(q)[:1]])
    both, one = answer_shares(p, k, Aggregate("median", ties, shares=median), rng)
    counts = lattice(q, k)
    assert one == pytest.approx(chances(counts, p).T @ median(counts, ties), abs=1e-12)
    assert both == pytest.approx(one[:, :, None] * one[:, None, :], abs=1e-12)
    values = np.sort(rng.normal(size=q))
    given, pairs = middle_shares(p, k, values)
    of_numbers = chances(counts, p).T @ (median(counts, "random") @ values[:, None])
    assert pairs.sum(2) @ given == pytest.approx(of_numbers[:, 0], abs=1e-12)


def test_medians_of_very_many_labels_are_computed():
    p = np.random.default_rng(0).dirichlet(np.ones(7), 20)
    for k in (100_000, 100_001):
        one = answer_shares(p, k, Aggregate("median", "random", shares=median), np.random.default_rng(0))[1]
        assert one.sum(1) == pytest.approx(np.ones(20)) and one.max() > 0.99


@given(st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=1, max_size=6))
def test_median_shares(rows):
    counts = np.array(rows)
    shares = median(counts, "random")
    for c, s in zip(counts, shares, strict=True):
        labels = np.repeat(np.arange(4), c)
        if len(labels):
            assert s @ np.arange(4) == pytest.approx(np.median(labels)) or np.median(labels) % 1
            assert s.sum() == pytest.approx(1)


@given(st.integers(0, 1000), st.integers(2, 4), st.integers(1, 4))
@settings(max_examples=20)
def test_a_tie_broken_at_random_adds_nothing(seed, q, half):
    p = np.random.default_rng(seed).dirichlet(np.ones(q), 4)
    k = 2 * half
    same = as_good_as(MAJORITY, k, q)
    one, other = (answer_shares(p, j, MAJORITY, np.random.default_rng(0))[1] for j in (k, k - 1))
    assert (same == k - 1) == np.allclose(one, other)
