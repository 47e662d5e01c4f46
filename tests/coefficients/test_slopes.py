"""Slopes in closed form are those that complex steps find; ordinal weights are not ordinal ranks."""

import numpy as np
import pytest
from tables import bag, kernel

import raters
from raters.coefficients import REGISTRY
from raters.inference import statistic
from raters.items import lift

ROWS = [
    (f"i{i}", f"r{j}", v)
    for i, row in enumerate([(1, 1, 2), (2, 5, 5), (5, 5), (1, 2), (2, 2, 2), (1, 5)])
    for j, v in enumerate(row)
]


@pytest.mark.parametrize("name", [name for name, row in REGISTRY.items() if row.slope is not None])
@pytest.mark.parametrize("options", [{"weights": "identity"}, {"weights": "linear"}, {"distance": "interval"}])
@pytest.mark.parametrize("grouped", [False, True])
def test_the_closed_form_is_the_derivative(name, options, grouped, monkeypatch):
    grouped = grouped or REGISTRY[name].between_groups
    x = lift(bag(ROWS, [1, 2, 5], grouped), kernel(name, [1, 2, 5], **options), between_groups=grouped)
    stat = statistic.linear(REGISTRY[name], x, 3)
    steps = stat.influence()
    monkeypatch.setattr(statistic, "MANY_SUMS", 0)
    np.testing.assert_allclose(stat.influence(), steps, rtol=1e-12, atol=1e-15)
    assert np.abs(steps).max() > 0.01


def test_ordinal_weights_are_weights_wherever_raters_are_drawn():
    table = raters.read(
        [[1, 1, 2, 1], [2, 3, 3, 3], [1, 2, 1, 1], [3, 3, 3, 2], [2, 2, 1, 2]], layout="wide", scale="ordinal"
    )
    matrix = [[1, 2 / 3, 0], [2 / 3, 1, 2 / 3], [0, 2 / 3, 1]]
    for name in ("krippendorff", "fleiss", "gwet"):
        one, other = (raters.agreement(table, name, weights=w, sample="raters") for w in ("ordinal", matrix))
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=1e-12)


def test_ordinal_weights_are_weights_between_pools():
    rows = [
        {"item": i, "rater": f"{p}{j}", "label": v, "pool": p}
        for i, both in enumerate(
            [((1, 1), (2, 2)), ((3, 2), (3, 3)), ((1, 2), (1, 1)), ((3, 3), (2, 3)), ((2, 1), (2, 2))]
        )
        for p, labels in zip("xy", both, strict=True)
        for j, v in enumerate(labels)
    ]
    ann = raters.read(rows, scale="ordinal")
    matrix = [[1, 2 / 3, 0], [2 / 3, 1, 2 / 3], [0, 2 / 3, 1]]
    one, other = (raters.xrr(ann, pool="pool", weights=w, interval=None) for w in ("ordinal", matrix))
    assert one.kappa_x.value == pytest.approx(other.kappa_x.value, abs=1e-12)
    assert one.irr_x.value == pytest.approx(other.irr_x.value, abs=1e-12)
