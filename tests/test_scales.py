"""Distances and weights: features of values give what a full matrix of labels gives."""

import numpy as np
import pytest

import raters
from raters import scales
from raters.agree.agreement_spec import request
from raters.agree.estimating import kernel_of
from raters.errors import UsageError
from raters.scales import agreement_kernel, distance_kernel

RNG = np.random.default_rng(0)
VALUES = {
    "around 50": np.unique(RNG.normal(50, 10, 300).round(3)),
    "with zero and one": np.linspace(0, 1, 251),
    "close together": np.unique(RNG.uniform(999, 1000, 300)),
    "very close together": 1e6 + np.arange(220) / 1e3,
    "many orders of magnitude": np.geomspace(1e-9, 1e9, 230),
    "negative too": np.unique(RNG.normal(0, 1, 260)),
    "0 to 359": np.arange(360.0),
}


def full(kernel):
    """(label, label): the kernel of every two labels."""
    return kernel.features @ kernel.form @ kernel.features.T


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("scale", ["interval", "ratio", "circular"])
def test_distances_from_features_are_those_of_the_matrix(name, scale):
    x = VALUES[name]
    if scale == "ratio" and x.min() < 0:
        return  # refused when it is read
    features, dense = (distance_kernel(scale, x, tuple(x), dense=d) for d in (0, 5000))
    assert features.features is not None and dense.features is None
    exact, typical = dense.form, dense.form.mean()
    # against the typical distance, not against 1: values close together must keep their digits
    assert np.abs(full(features) - exact).max() <= 1e-10 * max(typical, 1e-3 if scale == "circular" else 0)
    assert features.total == pytest.approx(dense.total, rel=1e-10)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("weights", ["quadratic", "ratio", "circular"])
@pytest.mark.parametrize("period", [None, 7.0])
def test_weights_from_features_are_those_of_the_matrix(name, weights, period, monkeypatch):
    x = VALUES[name]
    if period is not None and x.max() > 1e8:
        return  # of a hundred million turns not even sine has the digits
    if weights == "ratio" and x.min() < 0:
        with pytest.raises(UsageError, match="0 or more"):
            agreement_kernel(weights, x, tuple(x))
        return
    features = agreement_kernel(weights, x, tuple(x), period)
    monkeypatch.setattr(scales.weights, "DENSE", 5000)
    dense = agreement_kernel(weights, x, tuple(x), period)
    assert features.features is not None and dense.features is None
    np.testing.assert_allclose(full(features), dense.form, atol=1e-9)
    assert features.total == pytest.approx(dense.total, rel=1e-10)


def test_ratio_zeros_agree_with_zeros_and_differ_fully_from_all_else():
    k = distance_kernel("ratio", np.array([0.0, 1, 2, 50]), (0, 1, 2, 50), dense=0)
    np.testing.assert_allclose(full(k)[0], [0, 1, 1, 1], atol=1e-13)


def test_what_is_not_agreement_or_not_a_distance_is_refused():
    like = raters.examples.four_raters()
    for given_, why in (
        ({"weights": [[1, 2], [2, 1]]}, "shape"),
        ({"weights": np.full((5, 5), 2.0) - np.eye(5)}, "above 1"),
        ({"weights": np.ones((5, 5)) - np.eye(5)}, "1 on the diagonal"),
        ({"weights": np.eye(5) + np.triu(np.full((5, 5), 0.1), 1)}, "symmetric"),
        ({"distance": np.eye(5)}, "0 between equal labels"),
        ({"distance": "far"}, "unknown distance"),
        ({"weights": "far"}, "unknown weights"),
        ({"weights": "linear", "distance": "interval"}, "not both"),
    ):
        with pytest.raises(UsageError, match=why):
            raters.agreement(like, "fleiss", **given_)
    for name in ("percent", "gwet"):
        with pytest.raises(UsageError, match="takes weights="):
            raters.agreement(like, name, distance="interval")


def test_values_or_positions():
    """On 0, 1 and 10 the step to 10 is nine times the other, unless positions are asked for."""
    rows = [[0, 0], [1, 1], [10, 10], [0, 1], [1, 1], [0, 0]]
    data = raters.read(rows, layout="wide", scale="ordinal")
    by_value, by_position = (
        raters.agreement(data, "cohen", weights="linear", weights_by=by, interval=None) for by in ("value", "position")
    )
    req = request("cohen", weights="linear")
    assert kernel_of(req, data).form[0].tolist() == [1, 0.9, 0]
    assert kernel_of(request("cohen", weights="linear", weights_by="position"), data).form[0].tolist() == [1, 0.5, 0]
    text = raters.read([["abc"[[0, 1, 10].index(v)] for v in row] for row in rows], layout="wide", scale="nominal")
    assert by_position.value == raters.agreement(text, "cohen", weights="linear", interval=None).value != by_value.value
