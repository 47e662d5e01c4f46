"""Pools: several of them, per label, by a column, and what can be wrong with them."""

import json
from typing import Any

import numpy as np
import pytest
from coded_sets import drawn
from pools import pooled, rows_of

import raters
from raters.errors import UsageError
from raters.io.read import read


def table(**options: Any) -> raters.Annotations:
    return raters.read(pooled(**options), scale="nominal")


def one_label(columns: dict[str, Any], label: str) -> raters.Annotations:
    two = [k if k == label else "other" for k in columns["label"]]
    return raters.read({**columns, "label": two}, scale="nominal", labels=[label, "other"])


def test_per_label_is_the_table_of_two_labels() -> None:
    columns = pooled()
    for irr in ("krippendorff", "cohen"):
        found = raters.xrr_table(
            raters.read(columns, scale="nominal"), pool="pool", per_label=True, irr=irr, interval="delta"
        )
        assert found.slices == ("u", "v", "w") and len(found) == 9
        for label in "uvw":
            alone = raters.xrr_table(one_label(columns, label), pool="pool", irr=irr, interval="delta")
            for want in alone:
                got = found.pair(*want.pools, slice=label)
                for name in ("kappa_x", "irr_x", "irr_y", "normalized", "rho", "alpha_x", "gwet_x"):
                    a, b = getattr(want, name), getattr(got, name)
                    assert (a.value, a.se) == pytest.approx((b.value, b.se), abs=1e-12), (irr, label, name)
    with pytest.raises(raters.UsageError, match="do not apply"):
        raters.xrr_table(table(), pool="pool", per_label=True, weights="linear")


def test_by_a_column_is_the_slices() -> None:
    columns = pooled(pools="ab")
    found = raters.xrr(raters.read(columns, scale="nominal"), pool="pool", by="half", interval=None)
    assert found.slices == ("even", "odd")
    for half in found.slices:
        at = [i for i, h in enumerate(columns["half"]) if h == half]
        part = raters.read({k: [v[i] for i in at] for k, v in columns.items()}, scale="nominal")
        assert float(found.pair("a", "b", slice=half)) == pytest.approx(
            float(raters.xrr(part, pool="pool", interval=None)), abs=1e-12
        )
    sides = [
        raters.read(
            {k: [v[i] for i, q in enumerate(columns["pool"]) if q == p] for k, v in columns.items()}, scale="nominal"
        )
        for p in "ab"
    ]
    two = raters.xrr(*sides, by="half", interval=None)
    assert [float(r) for r in two] == pytest.approx([float(r) for r in found], abs=1e-12)
    both = raters.xrr_table(*sides, by="half", per_label=True, interval=None)
    assert both.slices[:2] == ("even / u", "even / v")
    assert set(both.to_columns()) >= {"slice", "pool_x", "kappa_x", "normalized_low", "n_shared"}


def test_the_matrix_finds_the_odd_pool_out() -> None:
    found = raters.xrr_table(table(n=300), pool="pool", resamples=300)
    raw, normal = found.matrix(), found.matrix("normalized")
    assert raw.value[0, 1] > raw.value[0, 2] + 0.1
    assert normal.value[0, 1] == pytest.approx(1, abs=0.15) and normal.high[0, 2] < 0.9
    assert "a" in str(raw)
    with pytest.raises(raters.UsageError, match="matrix takes one of"):
        found.matrix("irr_x")
    with pytest.raises(raters.UsageError, match="no row of 'a' and 'z'"):
        found.pair("a", "z")


def test_pools_with_other_pools_items_only() -> None:
    """Of three pools two may share nothing: their row is undefined, with the reason."""
    rows = [("q1", "a1", "n"), ("q1", "a2", "y"), ("q2", "a1", "y"), ("q2", "a2", "y")]
    other = [(i.replace("q", "r"), r.replace("a", "b"), k) for i, r, k in rows]
    middle = [(i, r.replace("a", "c").replace("b", "c"), k) for i, r, k in [*rows, *other]]
    found = raters.xrr_table(*(raters.read(t) for t in (rows, other, middle)), interval=None)
    lost = found.pair("pool 1", "pool 2")
    assert np.isnan(float(lost.kappa_x)) and lost.kappa_x.warnings == ("pool 1 and pool 2 share no item",)
    assert "undefined" in lost.sentence
    assert np.isfinite(float(found.pair("pool 1", "pool 3").kappa_x))


def test_no_shared_item_shows_three_of_each() -> None:
    x, y = raters.read(rows_of("a")), raters.read([(f"Q-{i}", r, k) for i, r, k in rows_of("b")])
    with pytest.raises(
        raters.DataError, match=r"no item of .* is in .*: the first has 'q1', 'q2', 'q3', .* second 'Q-q1'"
    ):
        raters.xrr(x, y)


def test_other_labels_and_scales() -> None:
    x = raters.read(rows_of("a"))
    with pytest.raises(raters.DataError, match="share no label: 'n', 'y' against 'N', 'Y'"):
        raters.xrr(x, raters.read([(i, r, k.upper()) for i, r, k in rows_of("b")]))
    with pytest.raises(raters.DataError, match="are text"):
        raters.xrr(x, raters.read([(i, r, "ny".index(k)) for i, r, k in rows_of("b")]))
    wide = raters.read([*rows_of("b"), ("q1", "b3", "maybe")])
    result = raters.xrr(x, wide, interval=None)
    assert result.warnings == ("x does not use the label 'maybe'",)
    numbers = [(i, r, "ny".index(k)) for i, r, k in rows_of("b")]
    with pytest.raises(raters.UsageError, match="different scales"):
        raters.xrr(raters.read(numbers, scale="ordinal"), raters.read(numbers, scale="interval"))


def test_the_same_rater_in_both_pools() -> None:
    x, y = raters.read(rows_of("a")), raters.read(rows_of("a", labels="nyyn"))
    with pytest.warns(raters.RatersWarning, match="2 raters in more than one pool"):
        result = raters.xrr(x, y, interval=None)
    assert "not independent" in result.warnings[0] and result.warnings[0] in result.kappa_x.warnings
    columns = {
        k: v * 2 for k, v in zip(("item", "rater", "label"), map(list, zip(*rows_of("a"), strict=True)), strict=True)
    }
    ann = raters.read({**columns, "pool": ["one"] * 8 + ["two"] * 8}, duplicates="keep")
    with pytest.warns(raters.RatersWarning, match="more than one pool"):
        raters.xrr(ann, pool="pool", interval=None)


def test_numbered_columns_are_no_names() -> None:
    x, y = (raters.read([[0, 1], [1, 1], [0, 0]], layout="wide", scale="nominal") for _ in range(2))
    assert np.isfinite(float(raters.xrr(x, y, interval=None)))  # no warning: warnings are errors here


def test_negative_irr_has_no_root() -> None:
    x = raters.read(rows_of("a", labels="nyny", more="ynyn"))
    result = raters.xrr(x, raters.read(rows_of("b")), interval=None)
    assert float(result.irr_x) < 0 and np.isnan(float(result.normalized))
    assert "does not exist" in result.normalized.warnings[0]
    assert np.isfinite(float(result.difference)) and np.isfinite(float(result.normalized_by_y))


def test_one_label_everywhere_is_undefined_with_the_reason() -> None:
    x, y = (raters.read(rows_of(who, labels="nnnn", more="nnnn")) for who in "ab")
    result = raters.xrr(x, y)
    assert np.isnan(float(result.kappa_x)) and "every label is 'n'" in result.kappa_x.warnings[0]


def test_options_that_do_not_fit() -> None:
    x, y = raters.read(rows_of("a")), raters.read(rows_of("b"))
    for options, match in (
        ({"irr": "fleiss"}, "irr='fleiss' is not one of"),
        ({"irr_items": "some"}, "irr_items='some'"),
        ({"trusted": "z"}, "trusted='z' is not a pool"),
        ({"names": ["only"]}, "pass 2 different names"),
        ({"permutations": -1}, "not a whole number of 0 or more"),
        ({"interval": "magic"}, "unknown interval"),
    ):
        with pytest.raises(raters.UsageError, match=match):
            raters.xrr(x, y, **options)
    with pytest.raises(raters.UsageError, match="two or more tables"):
        raters.xrr(x)
    with pytest.raises(raters.UsageError, match="no column 'city'"):
        raters.xrr(x, pool="city")
    with pytest.raises(raters.UsageError, match="compares two raters, but x has 3"):
        raters.xrr(raters.read([*rows_of("a"), ("q1", "a3", "n")]), y, irr="cohen")
    one = raters.read({"item": [1, 1], "rater": ["a", "b"], "label": ["n", "y"], "pool": ["p", "p"]})
    with pytest.raises(raters.DataError, match="one pool"):
        raters.xrr(one, pool="pool")


def test_rows_without_a_pool_are_left_out() -> None:
    columns = pooled(n=40, pools="ab")
    whole = raters.xrr(raters.read(columns, scale="nominal"), pool="pool", interval=None)
    more = {
        k: [*v, None if k == "pool" else {"item": 1, "rater": "nobody", "label": "u", "half": "odd"}[k]]
        for k, v in columns.items()
    }
    found = raters.xrr(raters.read(more, scale="nominal"), pool="pool", interval=None)
    assert float(found.kappa_x) == float(whole.kappa_x)
    assert "without a pool" in found.warnings[0]


@pytest.mark.spark
def test_the_same_figures_on_spark(spark: Any) -> None:
    columns = pooled(n=30, pools="ab")
    here = raters.read(columns, scale="nominal")
    there = raters.read(
        spark.createDataFrame(list(zip(*columns.values(), strict=True)), list(columns)), scale="nominal"
    )
    for irr in ("krippendorff", "iota"):
        a, b = (raters.xrr(ann, pool="pool", irr=irr, resamples=100) for ann in (here, there))
        want, got = ([v for e in r.estimates for v in (e.value, e.low, e.high)] for r in (a, b))
        assert got == pytest.approx(want, abs=1e-12, nan_ok=True)


def test_every_method_of_intervals_gives_one() -> None:
    x, y = (
        raters.read(rows_of("a", "12345678", "nnyynyny", "nyyynyny")),
        raters.read(rows_of("b", "12345678", "nnyynyyy", "nyynnyny")),
    )
    for how in ("bootstrap", "bca", "delta", "jackknife"):
        result = raters.xrr(x, y, interval=how, resamples=200)
        assert result.kappa_x.interval == how and result.kappa_x.low < result.kappa_x.value < result.kappa_x.high
    # a ratio is not cut off at 1
    assert raters.xrr(x, y, interval="delta").normalized.high > 1


def test_xrr_takes_a_set_distance_and_refuses_the_rest() -> None:
    x, y = drawn(40, seed=1), drawn(40, seed=1, double=(0.3, 0.4))
    with pytest.warns(raters.RatersWarning, match="more than one pool"):
        found = raters.xrr(x, y, interval=None)
    assert np.isfinite(found.kappa_x.value) and np.isnan(found.rho.value) and np.isnan(found.gwet_x.value)
    with pytest.raises(UsageError, match="these are sets"):
        raters.xrr_table(x, y, per_label=True)
    with pytest.raises(UsageError, match="different scales"):
        raters.xrr(x, read([("1", "p", "x"), ("1", "q", "y")]))


def test_a_test_with_a_note_goes_into_json():
    rows = [(i, r, "ab"[(i + (r == "x1")) % 2]) for i in range(12) for r in ("x1", "x2", "y1", "y2")]
    one, other = (raters.read([row for row in rows if row[1][0] == pool], scale="nominal") for pool in "xy")
    told = json.loads(json.dumps(raters.xrr(one, other, permutations=50, interval=None).to_dict()))
    assert [n["code"] for n in told["test"]["notes"]] == ["lowest_p"]
