"""The restricted likelihood: equal to the one by the whole covariance matrix, and as quick for many items as for
few.
"""

import math

import numpy as np
import pytest

from raters.reliability.variance import reml


def ratings(items: int, raters: int, seed: int = 1):
    """Items with one to all of the raters."""
    rng = np.random.default_rng(seed)
    chosen = rng.random((items, raters)) < rng.uniform(0.3, 1, (items, 1))
    chosen[np.arange(items), np.arange(items) % raters] = True
    item, rater = np.nonzero(chosen)
    return item, rater, rng.normal(size=items)[item] + rng.normal(size=raters)[rater] + rng.normal(size=len(item))


def by_definition(item, rater, y, items: float, raters: float) -> float:
    """-2 log restricted likelihood, the noise profiled out (Harville 1977)."""
    y = (y - y.mean()) / y.std()
    v = np.eye(len(y)) + items**2 * (item[:, None] == item) + raters**2 * (rater[:, None] == rater)
    inverse, one = np.linalg.inv(v), np.ones(len(y))
    whole = one @ inverse @ one
    rest = y @ inverse @ y - (one @ inverse @ y) ** 2 / whole
    df = len(y) - 1
    return np.linalg.slogdet(v)[1] + math.log(whole) + df * (1 + math.log(2 * math.pi * rest / df))


@pytest.mark.parametrize("shape", [(30, 5), (6, 25)])
@pytest.mark.parametrize("dense", [0, reml.DENSE])
def test_the_criterion_is_the_one_of_the_whole_covariance_matrix(shape, dense, monkeypatch):
    monkeypatch.setattr(reml, "DENSE", dense)
    rows = ratings(*shape)
    cells = reml.Cells.of(*rows)
    for ratios in ((1.0, 0.5), (0.2, 2.0), (0.0, 0.7), (1.3, 0.0)):
        assert cells.criterion(*ratios) == pytest.approx(by_definition(*rows, *ratios), abs=1e-8)


def test_a_value_of_the_criterion_does_not_depend_on_the_number_of_items():
    few, many = (reml.Cells.of(*ratings(n, 4))._sides for n in (40, 20_000))
    assert [x.shape for x in (*few.products, few.crossed)] == [x.shape for x in (*many.products, many.crossed)]
