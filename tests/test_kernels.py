"""Features of values give what a full matrix of labels gives; moments give what patterns give; sparse what dense gives."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import raters
from raters import scales
from raters.agree.estimating import kernel_of
from raters.agree.request import request
from raters.coefficients import REGISTRY
from raters.errors import UsageError
from raters.inference import statistic
from raters.items import Items, lift, products
from raters.items.bag import _self_product
from raters.scales import agreement_kernel, distance_kernel

RNG = np.random.default_rng(0)
VALUES = {
    "around 50": np.unique(RNG.normal(50, 10, 300).round(3)),
    "with zero and one": np.linspace(0, 1, 251),
    "close together": np.unique(RNG.uniform(999, 1000, 300)),
    "very close together": 1e6 + np.arange(220) / 1e3,
    "many powers of ten": np.geomspace(1e-9, 1e9, 230),
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
        assert getattr(features, part) == pytest.approx(getattr(dense, part), rel=1e-8), part


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


def test_products_of_terms_by_group():
    counts = sparse.csr_array(RNG.integers(0, 3, (7, 4 * 5)) * (RNG.random((7, 20)) < 0.5).astype(float))
    kernel = distance_kernel("ratio", np.arange(1.0, 6), tuple(range(1, 6)), dense=0)
    items = Items(np.ones(7), counts, tuple(range(1, 6)), ("a", "b", "c", "nobody"))
    items = replace(items, counts=(counts @ sparse.diags_array([1.0] * 15 + [0.0] * 5)).tocsr())
    table, whole = products.by_group(items, kernel), products.features(items, kernel).toarray()
    blocks, both = products.Blocks((np.ones((7, 1)), table, counts)), np.c_[np.ones(7), whole, counts.toarray()]
    for made, exact in ((table, whole), (blocks, both)):
        assert made.shape == exact.shape
        rows, slope, few = RNG.random((3, 7)), RNG.random(exact.shape[1]), sparse.csr_array(np.eye(7)[[2, 0]])
        for weights in (rows, rows[0], few):
            assert np.allclose(weights @ made, weights @ exact, atol=1e-13)
        assert np.allclose(made @ slope, exact @ slope, atol=1e-13)
        assert np.allclose(products.dense(made[2:5]), exact[2:5], atol=1e-13)
        assert np.allclose(products.dense(made), exact, atol=1e-13)


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


@settings(max_examples=30)
@given(st.integers(1, 40), st.integers(1, 30), st.floats(0, 0.6), st.integers(0, 10**6))
def test_pair_sums_of_sparse_rows(n_rows, width, share, seed):
    """Few entries in a row: over its pairs; many: over the whole row. Both are s M s."""
    rng = np.random.default_rng(seed)
    dense = rng.integers(1, 4, (n_rows, width)) * (rng.random((n_rows, width)) < share)
    form = rng.normal(size=(width, width))
    k = scales.Kernel("own", 1.0, form + form.T)
    expected = np.einsum("ij,jk,ik->i", dense, k.form, dense)
    np.testing.assert_allclose(_self_product(sparse.csr_array(dense.astype(float)), k), expected, atol=1e-9)
    np.testing.assert_allclose(_self_product(sparse.csr_array(dense.astype(float)), k, chunk=7), expected, atol=1e-9)


def test_no_array_of_labels_by_labels_for_many_values(monkeypatch):
    """A thousand items of five values each, nearly all different: no scale builds a matrix over the labels."""
    for room in (scales.distances, scales.weights):
        monkeypatch.setattr(room, "gap", lambda x: pytest.fail(f"a table of {len(x)} x {len(x)} values"))
    x = np.random.default_rng(1).uniform(1, 9, (1000, 5))
    for scale in ("interval", "ratio", "circular", "ordinal"):
        data = raters.read(x, layout="wide", scale=scale)
        assert len(data.labels) > 4900
        assert 0 < abs(raters.agreement(data, interval="delta").value) < 0.1


def test_lifted_pairs_between_groups_leave_out_the_group_itself():
    counts = sparse.csr_array(np.array([[2.0, 0, 1, 1], [0, 1, 0, 1]]))
    items = Items(np.ones(2), counts, ("a", "b"), ("g", "h"))
    x = lift(items, distance_kernel("nominal", np.array([1.0, 2]), ("a", "b")), between_groups=True)
    np.testing.assert_allclose(x.pair, [2 * 0.5, 2])
    np.testing.assert_allclose(x.own, [1 + 0.5, 2])
    assert x.r.tolist() == [2, 2]


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
