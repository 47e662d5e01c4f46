"""Percent agreement is the share of pairs with the same label, on every scale, unless weights are asked for."""

from itertools import combinations

import numpy as np
import pytest

import raters

RATINGS = np.random.default_rng(1).normal(50, 10, (40, 1)).round() + np.random.default_rng(2).integers(-2, 3, (40, 3))


def read(scale="interval"):
    return raters.read(RATINGS, layout="wide", scale=scale)


def by_hand():
    return np.mean([np.mean([a == b for a, b in combinations(row, 2)]) for row in RATINGS])


@pytest.mark.parametrize("scale", ["interval", "ratio", "nominal"])
def test_percent_in_the_table_is_unweighted_on_every_scale(scale):
    e = raters.agreement_table(read(scale), interval=None)["percent"]
    assert e.value == pytest.approx(by_hand(), abs=1e-12)
    assert e.title == "Percent agreement" and e.weights == "identity"


def test_percent_with_weights_is_called_weighted():
    for e in (
        raters.agreement(read(), "percent", weights="quadratic", interval=None),
        raters.agreement_table(read(), weights="quadratic", interval=None)["percent"],
    ):
        span = RATINGS.max() - RATINGS.min()
        near = [np.mean([1 - ((a - b) / span) ** 2 for a, b in combinations(row, 2)]) for row in RATINGS]
        assert e.value == pytest.approx(np.mean(near), abs=1e-12)
        assert e.title == "Weighted percent agreement"


def test_the_other_coefficients_keep_the_weights_of_the_scale():
    table = raters.agreement_table(read(), interval=None)
    assert {e.name: e.weights for e in table}["fleiss"] == "quadratic"
