"""Every coefficient, with every weight and scale, against loops over pairs (brute.py): missing labels, repeats,
groups.
"""

import math

import brute
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tables import ask, bag, kernel

import raters
from raters.agree.agreement_spec import request
from raters.agree.estimating import estimate
from raters.coefficients import REGISTRY
from raters.scales import WEIGHTS

LOOPS = {name: row for name, row in REGISTRY.items() if name in brute.COEFFICIENTS}
"""Those whose loops are in brute.py; a coefficient that came later has its own beside the figures of its paper."""

VALUES = (0, 1, 2, 3, 5, 8, 13)
SCALES = ("nominal", "ordinal", "interval", "ratio", "circular")


@st.composite
def annotations(draw, repeats=False, max_raters=4):
    """(labels, rows): up to 7 items and 4 raters, labels that are numbers, any of them missing or given twice."""
    labels = draw(st.lists(st.sampled_from(VALUES), min_size=2, max_size=5, unique=True).map(sorted))
    raters_ = draw(st.integers(2, max_raters))
    cell = st.lists(st.sampled_from(labels), max_size=2 if repeats else 1)
    cells = draw(st.lists(st.lists(cell, min_size=raters_, max_size=raters_), min_size=2, max_size=7))
    rows = [
        (f"i{i}", f"r{r}", label) for i, item in enumerate(cells) for r, given_ in enumerate(item) for label in given_
    ]
    assume(len({r for _, r, _ in rows}) == raters_)
    return labels, rows


def compared(coefficient, labels, scale, weights, period):
    """How the definition compares labels, and what equal labels get: as METHODS and the papers say."""
    if weights is not None or not REGISTRY[coefficient].by_scale:
        return brute.weight(weights or "identity", labels, period), 1.0
    if scale == "nominal":
        return brute.weight("identity", labels), 1.0
    if scale == "ordinal":  # iota has no ordinal distance of its own
        return (None, 0.0) if coefficient == "krippendorff" else (brute.delta("interval", labels), 0.0)
    return brute.delta(scale, labels, period), 0.0


def agree(e, expected):
    """Observed, expected and value; where nothing can be compared, only that it is undefined and says why."""
    if math.isnan(e.observed):
        assert e.warnings and math.isnan(expected[2])
        return
    assert (e.observed, e.expected, e.value) == pytest.approx(expected, abs=1e-10, rel=1e-10, nan_ok=True)
    assert e.warnings or not math.isnan(e.value)


@settings(max_examples=40)
@given(annotations(), st.sampled_from([None, 14.0, 20.0]))
def test_all_coefficients_weights_and_scales(table, period):
    check_all(*table, period)


@settings(max_examples=25)
@given(annotations(repeats=True))
def test_with_repeats(table):
    check_all(*table, None)


def check_all(labels, rows, period):
    n_raters = len(brute.raters_of(rows))
    bags = {grouped: bag(rows, labels, grouped) for grouped in (False, True)}
    for name, row in LOOPS.items():
        if row.exactly not in (None, n_raters):
            continue
        scales = [(s, None) for s in (SCALES if row.by_scale else SCALES[:1])]
        for scale, weights in (*scales, *((SCALES[-1], w) for w in WEIGHTS)):
            turn = period if scale == "circular" else None
            k, perfect = compared(name, labels, scale, weights, turn)
            e = estimate(
                request(name, weights=weights, interval=None),
                bags[row.between_groups],
                kernel(name, labels, scale, turn, weights=weights),
            )
            agree(e, brute.COEFFICIENTS[name](rows, labels, k, perfect))


@settings(max_examples=25)
@given(annotations(repeats=True), st.sampled_from([None, "linear", "ratio"]))
def test_pooled_margins(table, weights):
    labels, rows = table
    k = brute.weight(weights or "identity", labels)
    for name in ("fleiss", "gwet"):
        e = ask(rows, labels, name, weights=weights, margins="pooled")
        agree(e, brute.COEFFICIENTS[name](rows, labels, k, pooled=True))


@settings(max_examples=25)
@given(annotations(repeats=True), st.data())
def test_own_weights_and_distances(table, data):
    labels, rows = table
    grade = st.floats(0, 1).map(lambda x: round(x, 3))
    own = {}
    for i, a in enumerate(labels):
        for b in labels[i:]:
            own[a, b] = own[b, a] = 0.0 if a == b else data.draw(grade)
    matrix = [[own[a, b] for b in labels] for a in labels]
    for name, row in LOOPS.items():
        if row.exactly not in (None, len(brute.raters_of(rows))):
            continue
        weights = {pair: 1 - d for pair, d in own.items()}
        e = ask(rows, labels, name, weights=lambda a, b, w=weights: w[a, b])
        agree(e, brute.COEFFICIENTS[name](rows, labels, weights, 1.0))
        if row.takes_distance:
            e = ask(rows, labels, name, distance=matrix)
            agree(e, brute.COEFFICIENTS[name](rows, labels, own, 0.0))


@settings(max_examples=25)
@given(annotations(repeats=True, max_raters=3), st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_between_groups(table, scale):
    """A group counts as one rater whose label is drawn from those it gave: the mean over all draws."""
    labels, rows = table
    shared = [list(item.values()) for item in brute.cells(rows).values() if len(item) >= 2]
    assume(shared)
    if scale == "ordinal":
        n = {v: sum(cell.count(v) / len(cell) for item in shared for cell in item) for v in labels}
        rank = {v: sum(n[u] for u in labels if u < v) + n[v] / 2 for v in labels}
        k, perfect = {(a, b): (rank[a] - rank[b]) ** 2 for a in labels for b in labels}, 0.0
    else:
        k, perfect = compared("krippendorff", labels, scale, None, None)
    items, req = bag(rows, labels, True), request("krippendorff", interval=None)
    agree(estimate(req, items, kernel("krippendorff", labels, scale)), brute.between_groups(rows, labels, k, perfect))


@settings(max_examples=6)
@given(annotations(repeats=True), st.sampled_from(SCALES), st.sampled_from([None, *WEIGHTS]))
def test_the_whole_road(table, scale, weights):
    """The same from rows, through the engine and the fold."""
    labels, rows = table
    ann = raters.read(rows, scale=scale, labels=labels, duplicates="keep")
    for name, row in LOOPS.items():
        if row.exactly not in (None, ann.n_raters):
            continue
        k, perfect = compared(name, labels, scale, weights, None)
        agree(
            raters.agreement(ann, name, weights=weights, interval=None),
            brute.COEFFICIENTS[name](rows, labels, k, perfect),
        )


@settings(max_examples=4)
@given(annotations(repeats=True), st.sampled_from(["first", "last"]))
def test_one_label_of_a_rater_where_asked(table, which):
    labels, rows = table
    once = {}
    for item, rater, label in rows:
        if which == "last" or (item, rater) not in once:
            once[item, rater] = label
    kept = [(item, rater, label) for (item, rater), label in once.items()]
    ann = raters.read(rows, scale="nominal", labels=labels, duplicates=which)
    for name in ("krippendorff", "conger"):
        agree(
            raters.agreement(ann, name, interval=None),
            brute.COEFFICIENTS[name](kept, labels, brute.weight("identity", labels)),
        )
