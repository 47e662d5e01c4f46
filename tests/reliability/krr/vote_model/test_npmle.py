"""The mixing distribution of greatest likelihood."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vote_models import points_for, table

from raters.reliability.krr.vote_model.mixture import Mixture, em_steps, likelihood_of, nearest, npmle, squared_em


@given(st.integers(0, 1000), st.integers(2, 4))
@settings(max_examples=15)
def test_em_never_decreases_and_newton_finds_the_maximum(seed, q):
    counts, weight = table(seed, q)
    points = points_for(counts, weight, seed)
    likelihood = likelihood_of(counts, points)
    mixing, seen = np.full((1, len(points)), 1 / len(points)), []
    for _ in range(30):
        mixing = em_steps(likelihood, weight[None], mixing, 1)
        seen.append(float(weight @ np.log(likelihood @ mixing[0])))
    assert (np.diff(seen) > -1e-9).all() and mixing.sum() == pytest.approx(1)
    best = npmle(likelihood, weight)
    assert best.min() >= 0 and best.sum() == pytest.approx(1)
    assert weight @ np.log(likelihood @ best) >= seen[-1] - 1e-9
    slope = (weight / (likelihood @ best)) @ likelihood
    assert slope.max() <= weight.sum() * (1 + 1e-6)  # no point would raise the likelihood: this is the maximum
    fast = squared_em(likelihood, weight[None], mixing, 20)[0]
    assert weight @ np.log(likelihood @ fast) >= seen[-1] - 1e-9


def test_the_fit_is_one_the_data_do_not_tell_from_the_maximum():
    counts, weight = table(5)
    m = Mixture(counts, weight, points_for(counts, weight, 0))
    assert -3 < m.log_likelihood(m.fitted[0]) <= 0
    assert m.log_likelihood(m.maximum) == pytest.approx(0, abs=1e-6)
    assert (m.fitted[0] > 1e-6).sum() > (m.maximum > 1e-6).sum()


def test_bootstrap_refits_have_the_spread_of_exact_ones():
    counts, weight = table(1, 2, 8, 500)
    m = Mixture(counts, weight, points_for(counts, weight, 0))
    rows = np.random.default_rng(1).multinomial(500, weight / 500, 60).astype(float)
    square = (m.support**2).sum(1)
    fast, exact = m.refit(rows, False) @ square, np.array([npmle(m.likelihood, w) @ square for w in rows])
    assert fast.std() == pytest.approx(exact.std(), rel=0.05) and fast == pytest.approx(exact, abs=0.003)


@given(st.integers(0, 1000))
@settings(max_examples=15)
def test_weights_from_any_few_points_are_as_near_as_those_from_all(seed):
    rng = np.random.default_rng(seed)
    rows, aim, few = rng.normal(size=(9, 300)), rng.normal(size=9) * 3, rng.choice(300, 4, replace=False)
    every, begun = (nearest(rows, aim, 1e4, 3000, among) for among in (None, few))
    assert begun.min() >= 0 and begun.sum() == pytest.approx(1)
    assert rows @ begun == pytest.approx(rows @ every, abs=1e-6)
    assert ((rows @ begun - aim) ** 2).sum() == pytest.approx(((rows @ every - aim) ** 2).sum(), rel=1e-9)
