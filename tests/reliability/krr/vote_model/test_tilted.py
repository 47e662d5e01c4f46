"""The fit that has the moments of the data, and the extremes that the data allow."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special
from vote_models import calibrated

from raters.reliability.krr.vote_model.tilted import tilted


@given(st.integers(0, 1000))
@settings(max_examples=5)
def test_the_fit_has_the_moments_of_the_data(seed):
    m = calibrated(seed)
    mixing, scaled = m.fitted[0], m.moments.scaled(m.weight)  # in units of their errors, from their means
    assert mixing.min() >= 0 and mixing.sum() == pytest.approx(1)
    off, away = mixing @ scaled.of_points, m.base[0] @ scaled.of_points
    assert np.abs(off).max() < 0.5 and off @ off <= away @ away


def test_tilting_by_newton_and_by_a_general_search():
    rng = np.random.default_rng(2)
    points, base = rng.normal(size=(40, 3)), rng.dirichlet(np.ones(40))
    means, errors = np.array([[0.3, -0.2, 0.1]]), np.diag([1.0, 0.5, 0.2])
    mixing, tilt = tilted(base, points, means, errors, np.zeros((1, 3)))

    def entropy(log):
        p = np.exp(log - special.logsumexp(log))
        off = p @ points - means[0]
        return p @ np.log(p / base) + off @ np.linalg.solve(errors, off) / 2

    found = optimize.minimize(entropy, np.log(base), options={"gtol": 1e-9})
    assert entropy(np.log(mixing[0])) == pytest.approx(found.fun, abs=1e-8)
    assert mixing[0] == pytest.approx(base * np.exp(points @ tilt[0]) / (base @ np.exp(points @ tilt[0])))
    same, none = tilted(base, points, base[None] @ points, errors, np.zeros((1, 3)))
    assert same[0] == pytest.approx(base) and none == pytest.approx(np.zeros((1, 3)))


def test_extremes_lie_inside_the_confidence_set_and_beyond_all_others():
    m = calibrated(3)
    slope = (m.support**3).sum(1)
    scaled = m.moments.scaled(m.weight)
    inverse = np.linalg.pinv(scaled.covariance(m.weight), rcond=1e-9, hermitian=True)
    limit = m._least + 2 * np.log(20)

    def distance(mixing):
        off = mixing @ scaled.of_points
        return np.einsum("ij,jk,ik->i", off, inverse, off)

    ends = np.stack([m.extreme(sign * slope, 0.95) for sign in (-1, 1)])
    assert ends.min() >= 0 and ends.sum(1) == pytest.approx([1, 1])
    assert (distance(ends) <= limit * (1 + 1e-6)).all() and (distance(ends) > 0.8 * limit).all()
    rows = np.random.default_rng(0).multinomial(300, m.weight / 300, 200).astype(float)
    others = m.refit(rows, True)
    inside = distance(others) <= limit
    assert inside.any()
    assert ends[0] @ slope <= (others[inside] @ slope).min() and ends[1] @ slope >= (others[inside] @ slope).max()
    exact = optimize.minimize(  # by a general search on the points that the least squares chose
        lambda x: -(x @ slope[used]),
        ends[1][used := np.flatnonzero(ends[1])],
        method="SLSQP",
        bounds=[(0, 1)] * len(used),
        constraints=[
            {"type": "eq", "fun": lambda x: x.sum() - 1},
            {"type": "ineq", "fun": lambda x: limit - distance(_spread(x, used, len(slope)))[0]},
        ],
    )
    assert ends[1] @ slope == pytest.approx(-exact.fun, abs=0.01)


def _spread(x, used, points):
    whole = np.zeros((1, points))
    whole[0, used] = x
    return whole
