"""Coefficients on many different numbers: moments give what patterns give, features what a matrix of labels gives."""

import numpy as np
import pytest

import raters
from raters import scales
from raters.coefficients import REGISTRY
from raters.inference import statistic
from raters.items import products
from raters.scales import distance_kernel


def numbers(n_items=120, n_raters=4, digits=2, missing=0.2, seed=0):
    rng = np.random.default_rng(seed)
    x = (rng.normal(20, 5, n_items)[:, None] + rng.normal(0, 2, (n_items, n_raters))).round(digits)
    return [[None if rng.random() < missing else float(v) for v in row] for row in x]


@pytest.fixture(scope="module")
def ann():
    return raters.read(numbers(200, digits=1), layout="wide", scale="interval")


@pytest.mark.parametrize("coefficient", ["krippendorff", "iota"])
def test_moments_give_what_patterns_give(ann, coefficient):
    """A fold to 1, x, x^2 against the same data as patterns of labels with the squared differences as a matrix."""
    assert len(ann.labels) > 200
    moments = raters.agreement(ann, coefficient, interval="delta")
    patterns = raters.agreement(ann, coefficient, distance=lambda a, b: (a - b) ** 2, interval="delta")
    assert patterns.weights == "own" and moments.weights == "interval"
    for part in ("value", "observed", "expected", "se", "low", "high"):
        assert getattr(moments, part) == pytest.approx(getattr(patterns, part), rel=1e-9), part


def test_alpha_of_33_to_200_values_by_moments():
    ann = raters.read(numbers(digits=0, n_items=60), layout="wide", scale="interval")
    ann100 = raters.read(numbers(digits=1, n_items=60), layout="wide", scale="interval")
    assert len(ann.labels) < 33 and 33 <= len(ann100.labels) <= 200
    for data in (ann, ann100):
        one, other = (
            raters.agreement(data, **o, interval="delta") for o in ({}, {"distance": lambda a, b: (a - b) ** 2})
        )
        assert (one.value, one.se) == pytest.approx((other.value, other.se), rel=1e-9)


def test_a_far_origin_does_not_cost_digits(ann):
    far = raters.read(
        [[None if v is None else v + 1e6 for v in row] for row in numbers(200, digits=1)],
        layout="wide",
        scale="interval",
    )
    one, other = (raters.agreement(a, interval="delta") for a in (ann, far))
    assert (one.value, one.se) == pytest.approx((other.value, other.se), abs=1e-7)


@pytest.mark.parametrize(
    "coefficient", ["krippendorff", "fleiss", "conger", "gwet", "brennan_prediger", "percent", "hubert"]
)
@pytest.mark.parametrize("scale", ["interval", "ratio", "circular"])
def test_every_coefficient_on_many_values_is_that_of_the_matrix(ann, coefficient, scale, monkeypatch):
    data = raters.read(ann, scale=scale)
    options = {} if coefficient == "krippendorff" else {"weights": {"interval": "quadratic"}.get(scale, scale)}
    features = raters.agreement(data, coefficient, interval="delta", **options)
    monkeypatch.setattr(scales.weights, "DENSE", 5000)
    if coefficient == "krippendorff":
        exact = distance_kernel(scale, np.array(data.labels), data.labels, dense=5000).form
        options = {"distance": exact}
    dense = raters.agreement(data, coefficient, interval="delta", **options)
    for part in ("value", "observed", "expected", "se"):
        assert getattr(features, part) == pytest.approx(getattr(dense, part), rel=1e-8, nan_ok=part == "se"), part


@pytest.mark.parametrize("interval", ["delta", "bootstrap", "jackknife"])
@pytest.mark.parametrize("coefficient", [name for name, row in REGISTRY.items() if row.exactly is None])
def test_terms_that_are_never_built_whole_give_the_same(ann, coefficient, interval, monkeypatch):
    data = raters.read(ann, scale="ratio")
    options = {} if REGISTRY[coefficient].by_scale else {"weights": "ratio"}
    one = raters.agreement(data, coefficient, interval=interval, resamples=20, **options)
    monkeypatch.setattr(statistic, "DENSE", 0)
    monkeypatch.setattr(products, "CHUNK", 500)
    other = raters.agreement(data, coefficient, interval=interval, resamples=20, **options)
    for part in ("value", "observed", "expected", "se", "low", "high"):
        assert getattr(other, part) == pytest.approx(getattr(one, part), rel=1e-10), part


@pytest.mark.parametrize("margins", ["items", "pooled"])
def test_ac_counts_labels_whatever_the_features(ann, margins, monkeypatch):
    features = raters.agreement(ann, "gwet", weights="quadratic", margins=margins, interval=None)
    monkeypatch.setattr(scales.weights, "DENSE", 5000)
    dense = raters.agreement(ann, "gwet", weights="quadratic", margins=margins, interval=None)
    assert features.value == pytest.approx(dense.value, abs=1e-10)


def test_ordinal_alpha_of_many_values_is_interval_alpha_of_their_mid_ranks(ann):
    e = raters.agreement(raters.read(ann, scale="ordinal"), interval=None)
    matrix = numbers(200, digits=1)
    kept = [[v for v in row if v is not None] for row in matrix]
    pairable = np.sort([v for row in kept if len(row) >= 2 for v in row])
    rank = {v: (np.searchsorted(pairable, v) + np.searchsorted(pairable, v, "right")) / 2 for v in pairable}
    ranks = [[None if v is None or v not in rank else float(rank[v]) for v in row] for row in matrix]
    other = raters.agreement(raters.read(ranks, layout="wide", scale="interval"), interval=None)
    assert (e.value, e.observed, e.expected) == pytest.approx((other.value, other.observed, other.expected), rel=1e-9)


def test_no_array_of_labels_by_labels_for_many_values(monkeypatch):
    """A thousand items of five values each, nearly all different: no scale builds a matrix over the labels."""
    for room in (scales.distances, scales.weights):
        monkeypatch.setattr(room, "gap", lambda x: pytest.fail(f"a table of {len(x)} x {len(x)} values"))
    x = np.random.default_rng(1).uniform(1, 9, (1000, 5))
    for scale in ("interval", "ratio", "circular", "ordinal"):
        data = raters.read(x, layout="wide", scale=scale)
        assert len(data.labels) > 4900
        assert 0 < abs(raters.agreement(data, interval="delta").value) < 0.1
