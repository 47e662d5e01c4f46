"""Scores and floors: the definitions, published functions' figures, and enumeration of the multinomial."""

import itertools
from math import comb, factorial, floor, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from soft_cases import FOUR, UNEQUAL

from raters.reliability.soft.scores import (
    SCORES,
    WHOLE,
    brier,
    entropy,
    expected,
    manhattan,
    split_half,
    wasserstein,
)


@pytest.mark.parametrize("case", [FOUR, UNEQUAL])
def test_scores_equal_those_of_the_shared_tasks_and_of_scipy(case):
    """LeWiDi's functions with POT, train-eval-hlv, scipy."""
    counts, q, figures, correlated, f1 = case
    n, q = np.array(counts, float), np.array(q)
    s = n / n.sum(1, keepdims=True)
    for name, value in figures.items():
        assert SCORES[name].each(s, q).mean() == pytest.approx(value, abs=1e-12)
    assert WHOLE["entropy_correlation"](s[:, None], q[:, None]) == pytest.approx(correlated, abs=1e-10)
    assert WHOLE["soft_f1"](s[:, None], q[:, None]) == pytest.approx(f1, abs=1e-12)


def test_macro_f1_omits_labels_that_neither_side_uses_and_a_constant_entropy_has_no_correlation():
    s = np.array([[[1.0, 0, 0]], [[0, 1, 0]]])
    assert WHOLE["soft_f1"](s, s) == 1
    assert np.isnan(WHOLE["entropy_correlation"](s, np.array([[[0.9, 0.1, 0]], [[0.8, 0.2, 0]]])))


def test_halves_are_split_as_by_enumeration():
    assert split_half(np.array([3, 2, 0, 0]), 2) == pytest.approx(0.8)
    assert split_half(np.array([3, 2, 0, 0]), 2, brier) == pytest.approx(0.6)
    assert split_half(np.array([2, 1, 0]), 1) == pytest.approx(4 / 3)
    labels = [0, 0, 0, 1, 2, 2, 1]
    every = []
    for one in itertools.combinations(range(7), 3):
        for two in itertools.combinations(sorted(set(range(7)) - set(one)), 3):
            shares = [np.bincount([labels[i] for i in half], minlength=3) / 3 for half in (one, two)]
            every.append(np.abs(shares[0] - shares[1]).sum())
    assert split_half(np.array([3, 2, 2]), 3) == pytest.approx(np.mean(every))


def multinomial(k, p):
    """All shares of k labels, with their probabilities."""
    for c in itertools.product(range(k + 1), repeat=len(p)):
        if sum(c) == k:
            ways = factorial(k) / prod(map(factorial, c))
            yield np.array(c) / k, ways * prod(x**n for x, n in zip(p, c, strict=True))


@pytest.mark.parametrize(("k", "p"), [(1, [0.5, 0.3, 0.2]), (5, [0.5, 0.3, 0.2]), (4, [0.15, 0.85]), (3, [1.0, 0.0])])
@pytest.mark.parametrize("name", SCORES)
def test_floors_are_those_of_the_multinomial(name, k, p):
    row, p = SCORES[name], np.array(p)
    every = [(s, w) for s, w in multinomial(k, p) if w]
    mean = sum(w * row.each(s, p) for s, w in every)
    assert expected(row, k, p) == pytest.approx(mean, abs=1e-12)
    if row.another is not None:
        twice = sum(w * v * row.each(s, t) for s, w in every for t, v in every)
        assert expected(row, k, p, other=True) == pytest.approx(twice, abs=1e-12)
    else:
        assert np.isinf(expected(row, k, p, other=True))


def test_floors_have_their_closed_forms():
    """b(K, x) = 2 (m + 1) C(K, m + 1) x^(m + 1) (1 - x)^(K - m) / K with m = floor(Kx)."""
    p, k = np.array([0.5, 0.3, 0.2]), 7
    b = sum(
        2 * (m + 1) * comb(k, m + 1) * x ** (m + 1) * (1 - x) ** (k - m) / k for x in p.tolist() for m in [floor(k * x)]
    )
    assert expected(SCORES["manhattan"], k, p) == pytest.approx(b)
    assert expected(SCORES["brier"], k, p) == pytest.approx((1 - (p**2).sum()) / k)
    assert expected(SCORES["cross_entropy"], k, p) == pytest.approx(entropy(p))


@given(st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any), min_size=1, max_size=6), st.data())
def test_soft_accuracy_is_micro_f1(counts, data):
    n = np.array(counts, float)
    raw = data.draw(st.lists(st.lists(st.floats(0.01, 1), min_size=3, max_size=3), min_size=len(n), max_size=len(n)))
    s, q = n / n.sum(1, keepdims=True), np.array(raw) / np.sum(raw, 1, keepdims=True)
    both, total = np.split(WHOLE["soft_f1"].terms(s[:, None], q[:, None]).sum(0), 2)
    assert 2 * both.sum() / total.sum() == pytest.approx(1 - manhattan(s, q).mean() / 2)
    steps = np.array([1.0, 1.0])
    assert wasserstein(s, q, steps) == pytest.approx(wasserstein(s[:, ::-1], q[:, ::-1]))
