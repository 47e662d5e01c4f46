"""Undefined is nan with the reason, never a guess: the conventions for data from which nothing can be told."""

import json
import math
from functools import cache

import pytest

import raters
from raters.coefficients import REGISTRY, pairwise
from raters.notes.note import Note
from raters.scales import WEIGHTS

SCALES = ("nominal", "ordinal", "interval", "ratio", "circular")
METHODS = ("bootstrap", "bca", "delta", "jackknife", None)


@cache
def _read(table, scale, options):
    return raters.read([list(row) for row in table], layout="wide", scale=scale, **{k: list(v) for k, v in options})


def read(table, scale="nominal", **options):
    """Items by raters, read once."""
    return _read(tuple(map(tuple, table)), scale, tuple((k, tuple(v)) for k, v in options.items()))


@cache
def long(*rows, duplicates="error"):
    return raters.read(list(rows), scale="nominal", duplicates=duplicates)


def undefined(e, why):
    assert math.isnan(e.value) and math.isnan(e.low) and math.isnan(e.high) and math.isnan(e.se), e
    assert any(why in w for w in e.warnings), e.warnings
    row = json.loads(json.dumps(e.to_dict(), allow_nan=False))
    assert row["value"] is None and row["low"] is None and row["warnings"]


@pytest.mark.parametrize("name", REGISTRY)
@pytest.mark.parametrize("method", METHODS)
def test_one_label_in_all_the_data(name, method):
    e = raters.agreement(read([["yes", "yes"]] * 5), name, interval=method)
    assert e.observed == 1
    if REGISTRY[name].one_label == 1:
        assert e.value == 1
    else:
        undefined(e, "every label is 'yes'")


def test_percent_of_one_label_is_one():
    e = raters.agreement(read([["yes", "yes"]] * 5), "percent", interval="bootstrap")
    assert e.value == 1 and math.isnan(e.low) and "the figure is the same whatever is resampled" in str(e.undefined)


@pytest.mark.parametrize("name", REGISTRY)
def test_one_label_of_two_declared(name):
    e = raters.agreement(read([["yes", "yes"]] * 5, labels=["no", "yes"]), name, interval="delta")
    if REGISTRY[name].one_label is not None:
        assert e.value == 1 and math.isnan(e.low) and "no interval" in str(e.undefined)  # 1 to 1 is no interval
    else:
        undefined(e, "every label is 'yes'")


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("weights", [None, *WEIGHTS])
def test_one_number_on_every_scale(scale, weights):
    for name in ("krippendorff", "iota", "conger", "light"):
        undefined(raters.agreement(read([[3, 3, 3]] * 4, scale), name, weights=weights), "every label is 3")


@pytest.mark.parametrize("scale", ["interval", "ratio", "ordinal", "circular"])
def test_one_number_among_the_pairable_of_many(scale):
    """Forty different numbers, but the items with two labels have one and the same."""
    table = [[7.5, 7.5], [7.5, 7.5], *([i + 0.5, None] for i in range(40))]
    undefined(raters.agreement(read(table, scale), interval="delta"), "chance alone gives full agreement")


@pytest.mark.parametrize("name", REGISTRY)
def test_one_item_has_a_value_and_no_interval(name):
    e = raters.agreement(read([["a", "b"]]), name)
    assert math.isnan(e.low) and math.isnan(e.se)
    if name in ("cohen", "conger", "light", "hubert", "iota"):  # each rater has one label, and they differ
        assert e.value == 0
    elif name in ("scott", "fleiss"):
        assert e.value == -1
    elif name == "krippendorff":
        assert e.value == 0
    assert (Note("single_item") if math.isfinite(e.value) else REGISTRY[name].undefined) in e.notes


@pytest.mark.parametrize("name", REGISTRY)
def test_one_rater(name):
    e = raters.agreement(long(("i", "ann", 1), ("j", "ann", 2)), name)
    undefined(e, "only one" if REGISTRY[name].between_groups else "compared")


@pytest.mark.parametrize("name", REGISTRY)
def test_one_rater_who_repeats_is_compared_only_where_raters_do_not_matter(name):
    rows = [("i", "ann", 1), ("i", "ann", 2), ("j", "ann", 1), ("j", "ann", 1)]
    e = raters.agreement(long(*rows, duplicates="keep"), name, interval=None)
    if REGISTRY[name].between_groups:
        undefined(e, "only one")
    else:
        assert e.observed == 0.5


@pytest.mark.parametrize("name", REGISTRY)
def test_no_item_rated_twice(name):
    e = raters.agreement(long(("i", "ann", 1), ("j", "ben", 2)), name)
    undefined(e, "nothing can be compared")


def test_raters_who_share_no_item_but_repeat_themselves():
    rows = [("i", "ann", 1), ("i", "ann", 2), ("j", "ben", 2), ("j", "ben", 2)]
    ann = raters.read(rows, scale="nominal", duplicates="keep")
    undefined(raters.agreement(ann, "conger"), "two different raters (or groups)")
    for e in raters.per_item(ann, "conger"):
        undefined(e, "only one rater (or group)")


def test_declared_labels_count_for_brennan_prediger_and_ac1_only():
    table = [["a", "a"], ["a", "b"], ["b", "b"], ["b", "b"]]
    seen, declared = read(table), read(table, labels=["a", "b", "c", "d"])
    for name in REGISTRY:
        one, other = (raters.agreement(ann, name, interval=None) for ann in (seen, declared))
        if REGISTRY[name].counts_labels:
            assert other.value > one.value
        else:
            assert other.value == pytest.approx(one.value, abs=1e-15)
    bp = raters.agreement(declared, "brennan_prediger", interval=None)
    assert (bp.observed, bp.expected) == (0.75, 0.25)
    ac1 = raters.agreement(declared, "gwet", interval=None)
    assert ac1.expected == pytest.approx(2 * (3 / 8) * (5 / 8) / 3, abs=1e-15)


def test_items_rated_once_count_in_margins_but_not_for_alpha():
    table = [["a", "a"], ["b", "b"], ["a", "b"], ["b", "a"]]
    more = [*table, ["a", None], ["a", None]]
    for name in REGISTRY:
        one, other = (raters.agreement(read(t), name, interval=None) for t in (table, more))
        assert one.observed == other.observed
        same = name in ("krippendorff", "percent", "brennan_prediger", "light", "hubert")
        # conger, cohen and iota: the first rater's margin moves away from one half, which the second's meets halfway
        if name in ("fleiss", "scott", "gwet"):
            assert one.expected != other.expected
        if same:
            assert one.value == other.value
        assert other.n_items == 6 and other.n_annotations == 10


def test_a_rare_label_leaves_replicates_undefined_and_says_so():
    table = [["a", "a"]] * 30 + [["a", "b"], ["b", "b"], ["b", "a"]]
    e = raters.agreement(read(table), "cohen", interval="bootstrap", seed=1)
    assert any("left the coefficient undefined" in w for w in e.warnings) and e.low < e.value < e.high
    rarer = raters.agreement(read([["a", "a"]] * 30 + [["b", "b"]]), "cohen", interval="bootstrap", seed=1)
    assert rarer.value == 1 and math.isnan(rarer.low)
    assert any("no interval: the coefficient is undefined in" in w for w in rarer.warnings)
    one_more = raters.agreement(read([["a", "a"]] * 30 + [["b", "b"]]), "cohen", seed=1)
    assert one_more.high == 1 and 0.1 < one_more.low < 0.8 and "one study in 8" in one_more.warnings[0]
    jack = raters.agreement(read([["a", "a"]] * 30 + [["b", "b"]]), "cohen", interval="jackknife")
    assert math.isnan(jack.low) and "leaving out one item" in jack.warnings[0]


def test_a_slice_without_anything_to_compare_does_not_stop_the_others():
    rows = [
        {"item": i, "rater": r, "label": v, "topic": t}
        for i, r, v, t in (
            (1, "x", "a", "p"),
            (1, "y", "a", "p"),
            (2, "x", "b", "p"),
            (2, "y", "a", "p"),
            (3, "x", "a", "q"),
            (4, "y", "b", "q"),
        )
    ]
    ann = raters.read(rows, scale="nominal")
    for name in REGISTRY:
        p, q = raters.agreement(ann, name, by="topic")
        assert not math.isnan(p.observed)
        undefined(q, "nothing can be compared")


def test_light_says_which_pairs_it_leaves_out():
    """Two raters give one and the same label throughout: they have no kappa, the other two pairs have 0."""
    e = raters.agreement(read([["a", "a", "a"], ["a", "a", "b"], ["a", "a", "b"]]), "light", interval=None)
    assert e.value == 0 and "excluded from the mean" in e.warnings[0] and ": 1;" in e.warnings[0]


@pytest.mark.parametrize("limit", ["MOST_TERMS", "MOST_COLUMNS"])
def test_too_many_pairs_of_raters_leave_light_undefined_and_the_table_whole(limit, monkeypatch):
    monkeypatch.setattr(pairwise, limit, 5)
    table = raters.agreement_table(read([["a", "a", "b"], ["a", "b", "b"], ["b", "b", "b"]]), interval=None)
    for name in ("light", "hubert"):
        undefined(table[name], "too many for light and hubert")
    assert table["conger"].value == pytest.approx(table["iota"].value)


def test_light_of_raters_who_hardly_meet_says_so():
    """Each pair of a large crowd shares an item or two, so that its kappa is nearly arbitrary."""
    rows = [
        (i, f"r{(7 * i + 13 * j * (i % 5 + 1)) % 40}", "ab"[(i + (j == 2 and i % 3 == 0)) % 2])
        for i in range(60)
        for j in range(3)
    ]
    ann = raters.read(rows, duplicates="first")
    for name in ("light", "hubert"):
        assert any("pairs of raters share at most" in w for w in raters.agreement(ann, name, interval=None).warnings)
    for name in ("conger", "krippendorff"):
        assert not any("pairs of raters share" in w for w in raters.agreement(ann, name, interval=None).warnings)
    full = raters.read([(i, r, "ab"[(i + (r == "z")) % 2]) for i in range(6) for r in "xyz"])
    assert not any("pairs of raters share" in w for w in raters.agreement(full, "light", interval=None).warnings)
