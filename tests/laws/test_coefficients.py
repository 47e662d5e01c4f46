"""Laws over the registry: what may not change a figure, and which figures are the same."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from tables import ask, bag, kernel

import raters
from raters.agree.agreement_spec import request
from raters.agree.estimating import estimate
from raters.coefficients import REGISTRY
from raters.scales import WEIGHTS


@st.composite
def tables(draw, complete=False, n_raters=None, min_items=3):
    """(labels, rows of (item, rater, label)); at least two raters, at least one item labelled by both."""
    labels = draw(st.lists(st.sampled_from([0, 1, 2, 4, 7]), min_size=2, max_size=4, unique=True).map(sorted))
    r = n_raters or draw(st.integers(2, 4))
    mark = st.sampled_from(labels if complete else [*labels, *labels, None])
    matrix = draw(st.lists(st.lists(mark, min_size=r, max_size=r), min_size=min_items, max_size=8))
    assume(all(any(row[j] is not None for row in matrix) for j in range(r)))
    assume(any(sum(v is not None for v in row) >= 2 for row in matrix))
    rows = [(f"i{i}", f"r{j}", v) for i, row in enumerate(matrix) for j, v in enumerate(row) if v is not None]
    return labels, rows


def takes(name, rows, weights=None):
    """Whether a coefficient is for so many raters, and for these weights."""
    row = REGISTRY[name]
    fits = not row.by_band or weights is None or WEIGHTS[weights].by_band
    return fits and row.exactly in (None, len({r for _, r, _ in rows}))


def figures(labels, rows, weights, scale="nominal", **options):
    """name -> (value, observed, expected, delta's standard error), for all coefficients."""
    found = {}
    for name in REGISTRY:
        if takes(name, rows, weights):
            e = ask(rows, labels, name, scale, weights=weights, interval="delta", **options)
            found[name] = (e.value, e.observed, e.expected, error(e))
    return found


def error(e):
    """The standard error; one of rounding is none, and which tables have it depends on how the sums are rounded."""
    return np.nan if e.se < 1e-9 else e.se


def assert_same(one, other, tolerance=1e-12):
    assert one.keys() == other.keys()
    for name, values in one.items():
        # a standard error is a root: its square is what rounding moves by 1e-12
        assert values[:3] == pytest.approx(other[name][:3], abs=tolerance, rel=tolerance, nan_ok=True), name
        assert values[3] ** 2 == pytest.approx(other[name][3] ** 2, abs=tolerance, rel=1e-9, nan_ok=True), name


@settings(max_examples=40)
@given(tables(), st.sampled_from([None, *WEIGHTS]), st.sampled_from(["nominal", "ordinal"]), st.randoms())
def test_order_of_rows_and_names_of_items_and_raters_change_nothing(table, weights, scale, random):
    labels, rows = table
    items, people = (sorted({row[k] for row in rows}) for k in (0, 1))
    moved_items, moved_people = random.sample(items, len(items)), random.sample(people, len(people))
    other = [(moved_items[items.index(i)], moved_people[people.index(r)], v) for i, r, v in rows]
    random.shuffle(other)
    assert_same(figures(labels, rows, weights, scale), figures(labels, other, weights, scale))


@settings(max_examples=30)
@given(tables(), st.randoms())
def test_renaming_labels_changes_nothing(table, random):
    labels, rows = table
    new = random.sample(labels, len(labels))
    other = [(i, r, new[labels.index(v)]) for i, r, v in rows]
    assert_same(figures(labels, rows, None), figures(labels, other, None))


@settings(max_examples=30)
@given(tables(), st.sampled_from(["linear", "quadratic", "radical", "ordinal", "circular", "bipolar"]), st.data())
def test_turning_the_scale_around_changes_nothing(table, weights, data):
    labels, rows = table
    ends = labels[0] + labels[-1]
    turned = sorted(ends - v for v in labels)
    other = [(i, r, ends - v) for i, r, v in rows]
    scale = data.draw(st.sampled_from(["ordinal", "interval", "circular"]))
    assert_same(figures(labels, rows, weights), figures(turned, other, weights))
    assert_same(figures(labels, rows, None, scale), figures(turned, other, None, scale))


@settings(max_examples=30)
@given(tables(), st.sampled_from([1e-3, 3.0, 1e4]), st.sampled_from([-50.0, 0.0, 1e3]))
def test_units_and_origin_of_an_interval_scale(table, unit, origin):
    labels, rows = table
    move = {v: origin + unit * v for v in labels}
    other = [(i, r, move[v]) for i, r, v in rows]
    for name in ("krippendorff", "iota", "fleiss", "conger"):
        options = {} if REGISTRY[name].by_scale else {"weights": "quadratic"}
        a = ask(rows, labels, name, "interval", interval="delta", **options)
        b = ask(other, list(move.values()), name, "interval", interval="delta", **options)
        assert a.value == pytest.approx(b.value, abs=1e-9, nan_ok=True)
        assert error(a) == pytest.approx(error(b), abs=1e-7, nan_ok=True)
    a, b = (ask(t, lab, "krippendorff", "ratio") for t, lab in ((rows, labels), scaled(labels, rows, unit)))
    assert a.value == pytest.approx(b.value, abs=1e-9, nan_ok=True)


def scaled(labels, rows, unit):
    return [(i, r, unit * v) for i, r, v in rows], [unit * v for v in labels]


@settings(max_examples=30)
@given(tables(), st.sampled_from([None, "linear"]))
def test_any_growing_map_of_the_labels_leaves_ordinal_alpha(table, weights):
    labels, rows = table
    other = [(i, r, 2.0**v) for i, r, v in rows]
    a, b = (ask(t, lab, "krippendorff", "ordinal") for t, lab in ((rows, labels), (other, [2.0**v for v in labels])))
    assert a.value == pytest.approx(b.value, abs=1e-12, nan_ok=True)


@settings(max_examples=30)
@given(tables(), st.sampled_from([None, *WEIGHTS]), st.lists(st.integers(1, 5), min_size=8, max_size=8))
def test_splitting_a_pattern_changes_nothing(table, weights, times):
    """How many items show a pattern, or as many patterns with one item each."""
    labels, rows = table
    for name, row in REGISTRY.items():
        if not takes(name, rows, weights):
            continue
        items = bag(rows, labels, row.between_groups)
        n = np.array(times[: len(items.weight)])
        whole = replace(items, weight=n.astype(float))
        split = replace(
            items, weight=np.ones(n.sum()), counts=sparse.csr_array(items.counts[np.repeat(np.arange(len(n)), n)])
        )
        k, req = kernel(name, labels, weights=weights), request(name, weights=weights, interval="delta")
        one, other = estimate(req, whole, k), estimate(req, split, k)
        assert (one.value, one.observed, one.expected) == pytest.approx(
            (other.value, other.observed, other.expected), abs=1e-12, nan_ok=True
        )
        assert error(one) ** 2 == pytest.approx(error(other) ** 2, abs=1e-12, rel=1e-9, nan_ok=True)
        assert one.n_items == other.n_items == n.sum()


@settings(max_examples=30)
@given(
    st.lists(st.sampled_from([0, 1, 4]), min_size=2, max_size=8), st.integers(2, 4), st.sampled_from([None, *WEIGHTS])
)
def test_perfect_agreement_is_one(truth, n_raters, weights):
    rows = [(f"i{i}", f"r{j}", v) for i, v in enumerate(truth) for j in range(n_raters)]
    for name, (value, observed, *_) in figures([0, 1, 4], rows, weights).items():
        assert observed == pytest.approx(1)
        if len(set(truth)) > 1 or REGISTRY[name].one_label is not None:
            assert value == pytest.approx(1, abs=1e-12), name
        else:
            assert math.isnan(value), name


@settings(max_examples=40)
@given(tables(), st.sampled_from([None, *WEIGHTS]), st.sampled_from(["nominal", "ordinal", "interval", "ratio"]))
def test_no_value_is_above_one_and_limits_surround_it(table, weights, scale):
    labels, rows = table
    for name in REGISTRY:
        if not takes(name, rows, weights):
            continue
        for interval in ("delta", "jackknife"):
            e = ask(rows, labels, name, scale, weights=weights, interval=interval)
            assert math.isnan(e.value) or e.value <= 1 + 1e-12
            assert math.isnan(e.low) or e.low <= e.value <= e.high + 1e-12
            assert e.warnings or not (math.isnan(e.value) or math.isnan(e.low))


@settings(max_examples=30)
@given(tables(complete=True), st.sampled_from([None, *WEIGHTS]))
def test_hubert_is_conger_is_nominal_iota_on_complete_data(table, weights):
    labels, rows = table
    hubert, conger, iota = (
        ask(rows, labels, n, weights=weights, interval="delta") for n in ("hubert", "conger", "iota")
    )
    for e in (hubert, iota):
        assert (e.value, e.observed, e.expected, error(e)) == pytest.approx(
            (conger.value, conger.observed, conger.expected, error(conger)), abs=1e-9, nan_ok=True
        )


@settings(max_examples=30)
@given(tables(n_raters=2), st.sampled_from([None, *WEIGHTS]))
def test_two_raters(table, weights):
    """Scott is Fleiss; Cohen is Conger, also with missing labels; on shared items all pair averages are Cohen's."""
    found = figures(*table, weights)
    assert found["scott"] == pytest.approx(found["fleiss"], abs=1e-12, nan_ok=True)
    assert found["cohen"] == pytest.approx(found["conger"], abs=1e-9, nan_ok=True)
    labels, rows = table
    both = {i for i, r, _ in rows if r == "r0"} & {i for i, r, _ in rows if r == "r1"}
    found = figures(labels, [row for row in rows if row[0] in both], weights)
    for name in ("light", "hubert"):
        assert found[name] == pytest.approx(found["cohen"], abs=1e-9, nan_ok=True)


@settings(max_examples=30)
@given(tables(complete=True), st.sampled_from([None, *WEIGHTS]))
def test_alpha_is_fleiss_on_pairable_data_but_for_the_finite_sample(table, weights):
    """1 - alpha = (1 - kappa) (n - 1) / n where every item has the same number of labels."""
    labels, rows = table
    alpha, fleiss = (ask(rows, labels, n, weights=weights or "identity") for n in ("krippendorff", "fleiss"))
    n = len(rows)
    assert 1 - alpha.value == pytest.approx((1 - fleiss.value) * (n - 1) / n, abs=1e-12, nan_ok=True)
    assert alpha.observed == pytest.approx(fleiss.observed, abs=1e-12)


@settings(max_examples=3)
@given(tables(), st.randoms())
def test_the_whole_road_does_not_mind_the_order_of_rows(table, random):
    labels, rows = table
    other = random.sample(rows, len(rows))
    one, two = (raters.read(t, scale="ordinal", labels=labels) for t in (rows, other))
    for name in ("krippendorff", "conger"):
        a, b = (raters.agreement(ann, name, seed=3, resamples=100) for ann in (one, two))
        assert a.to_dict() == b.to_dict()  # to the last bit: patterns come in one order
