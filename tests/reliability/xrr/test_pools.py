"""Pools: several of them, per label, by a column, whether they differ at all, and what can be wrong with them."""

from typing import Any

import numpy as np
import pytest
from pools import pooled

import raters
from raters.items.align import align, beside, distinct, packed, unified
from raters.reliability.xrr.result import triangulate


def table(**options: Any) -> raters.Annotations:
    return raters.read(pooled(**options), scale="nominal")


def one_label(columns: dict[str, Any], label: str) -> raters.Annotations:
    two = [k if k == label else "other" for k in columns["label"]]
    return raters.read({**columns, "label": two}, scale="nominal", labels=[label, "other"])


def test_per_label_is_the_table_of_two_labels() -> None:
    columns = pooled()
    for irr in ("krippendorff", "cohen"):
        found = raters.xrr(
            raters.read(columns, scale="nominal"), pool="pool", per_label=True, irr=irr, interval="delta"
        )
        assert found.slices == ("u", "v", "w") and len(found) == 9
        for label in "uvw":
            alone = raters.xrr(one_label(columns, label), pool="pool", irr=irr, interval="delta")
            for want in alone:
                got = found.pair(*want.pools, slice=label)
                for name in ("kappa_x", "irr_x", "irr_y", "normalized", "rho", "alpha_x", "gwet_x"):
                    a, b = getattr(want, name), getattr(got, name)
                    assert (a.value, a.se) == pytest.approx((b.value, b.se), abs=1e-12), (irr, label, name)
    with pytest.raises(raters.UsageError, match="do not apply"):
        raters.xrr(table(), pool="pool", per_label=True, weights="linear")


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
    both = raters.xrr(*sides, by="half", per_label=True, interval=None)
    assert both.slices[:2] == ("even / u", "even / v")
    assert set(both.to_columns()) >= {"slice", "pool_x", "kappa_x", "normalized_low", "n_shared"}


def test_the_matrix_finds_the_odd_pool_out() -> None:
    found = raters.xrr(table(n=300), pool="pool", resamples=300)
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
    found = raters.xrr(*(raters.read(t) for t in (rows, other, middle)), interval=None)
    lost = found.pair("pool 1", "pool 2")
    assert np.isnan(float(lost.kappa_x)) and lost.kappa_x.warnings == ("pool 1 and pool 2 share no item",)
    assert "undefined" in lost.sentence
    assert np.isfinite(float(found.pair("pool 1", "pool 3").kappa_x))


def rows_of(who: str, items: str = "1234", labels: str = "nnyy", more: str = "nyyy") -> list[tuple[str, str, str]]:
    pairs = zip(items, labels, more, strict=True)
    return [row for i, a, b in pairs for row in ((f"q{i}", f"{who}1", a), (f"q{i}", f"{who}2", b))]


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
    assert "no root" in result.normalized.warnings[0]
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
        ({"names": ["only"]}, "give 2 different names"),
        ({"permutations": -1}, "not a number of shuffles"),
        ({"interval": "magic"}, "unknown interval"),
    ):
        with pytest.raises(raters.UsageError, match=match):
            raters.xrr(x, y, **options)
    with pytest.raises(raters.UsageError, match="two or more tables"):
        raters.xrr(x)
    with pytest.raises(raters.UsageError, match="no column 'city'"):
        raters.xrr(x, pool="city")
    with pytest.raises(raters.UsageError, match="compares two raters, and x has 3"):
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


# ---- whether pools differ at all


def lenient(seed: int, shift: float = 0.0, n: int = 40, each: int = 6) -> dict[str, Any]:
    """Raters differ in leniency; pools only by ``shift``."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n)
    rows = []
    for p in "ab":
        for j in range(each):
            bias = rng.normal() + (shift if p == "b" else 0)
            rows += [(i, f"{p}{j}", int(v), p) for i, v in enumerate(z + bias + rng.normal(size=n) > 0)]
    return dict(zip(("item", "rater", "label", "pool"), map(list, zip(*rows, strict=True)), strict=True))


def ps(shift: float, seeds: range) -> np.ndarray:
    found = []
    for seed in seeds:
        ann = raters.read(lenient(seed, shift), scale="nominal")
        found.append(raters.xrr(ann, pool="pool", interval=None, permutations=199, seed=seed).test.p)
    return np.array(found)


def test_whole_raters_keep_the_level_and_see_a_difference() -> None:
    """Under the null p is spread evenly although raters differ in leniency; a shift of the pool is found."""
    null = ps(0.0, range(20))
    assert 0.3 < null.mean() < 0.7 and (null <= 0.1).mean() < 0.3
    assert (ps(3.0, range(30, 35)) < 0.05).mean() > 0.8


def test_the_statistic_by_hand_and_all_arrangements() -> None:
    """Mean disagreement of pairs, every annotation alike, and p as the share of all 20 arrangements."""
    from itertools import combinations

    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, (12, 6))
    rows = [(i, f"r{j}", int(labels[i, j]), "ab"[j // 3]) for i in range(12) for j in range(6)]
    ann = raters.read(
        dict(zip(("item", "rater", "label", "pool"), map(list, zip(*rows, strict=True)), strict=True)), scale="nominal"
    )
    test = raters.xrr(ann, pool="pool", interval=None, permutations=50).test

    def by_hand(first: tuple[int, ...]) -> tuple[float, float]:
        apart: dict[bool, list[float]] = {True: [], False: []}
        for i in range(12):
            for r, s in combinations(range(6), 2):
                apart[(r in first) == (s in first)].append(float(labels[i, r] != labels[i, s]))
        return float(np.mean(apart[False])), float(np.mean(apart[True]))

    between, within = by_hand((0, 1, 2))
    assert (test.between, test.within) == pytest.approx((between, within), abs=1e-12)
    every = [b - w for b, w in map(by_hand, combinations(range(6), 3))]
    assert test.exact and test.permutations == 20
    assert test.p == pytest.approx(np.mean([v >= between - within - 1e-12 for v in every]))
    assert "cannot be below 0.1" in test.warnings[0]


def test_raters_who_never_recur_are_shuffled_within_items() -> None:
    columns = pooled(n=150, pools="ac", each=3)
    columns["rater"] = list(range(len(columns["rater"])))
    apart = raters.xrr(raters.read(columns, scale="nominal"), pool="pool", interval=None, permutations=99).test
    assert apart.permuted == "labels within items" and apart.p == pytest.approx(0.01)
    columns = pooled(n=150, pools="ab", each=3)
    columns["rater"] = list(range(len(columns["rater"])))
    same = raters.xrr(raters.read(columns, scale="nominal"), pool="pool", interval=None, permutations=99).test
    assert same.p > 0.05


@pytest.mark.parametrize("scale", ["interval", "ordinal", "ratio"])
def test_the_test_measures_by_the_scale(scale: str) -> None:
    columns = lenient(2)
    columns["label"] = [5 * k for k in columns["label"]]  # two values: all distances are one distance, scaled
    by_scale = raters.xrr(raters.read(columns, scale=scale), pool="pool", interval=None, permutations=99).test
    plain = raters.xrr(raters.read(columns, scale="nominal"), pool="pool", interval=None, permutations=99).test
    assert by_scale.p == plain.p
    unit = by_scale.between / plain.between
    assert by_scale.within == pytest.approx(unit * plain.within)


def test_ordinal_ranks_count_items_and_not_patterns() -> None:
    """Twenty items that look alike weigh twenty times in the mid-ranks, whether or not they were folded to one."""
    columns = pooled(n=60, pools="ab", labels="1234")
    columns["label"] = [int(k) for k in columns["label"]]
    folded = raters.xrr(raters.read(columns, scale="ordinal"), pool="pool", interval=None, permutations=9).test
    apart = [
        raters.read({k: [v for v, p in zip(c, columns["pool"], strict=True) if p == pool] for k, c in columns.items()},
                    scale="ordinal", labels=[1, 2, 3, 4])
        for pool in "ab"
    ]  # fmt: skip
    aligned = raters.xrr(*apart, interval=None, permutations=9).test
    assert (folded.between, folded.within, folded.p) == pytest.approx((aligned.between, aligned.within, aligned.p))


def test_no_names_no_test() -> None:
    x, y = (
        raters.read([[2, 1], [1, 2], [0, 3]], layout="counts", scale="nominal", labels=["n", "y"]) for _ in range(2)
    )
    result = raters.xrr(x, y, interval=None, permutations=10)
    assert np.isnan(result.test.p) and "no names" in str(result.test)


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


# ---- reading


def test_the_sentence_triangulates() -> None:
    def told(kappa: float, irr_x: float, irr_y: float, reach: float = 0.02, trusted: str | None = None) -> str:
        from dataclasses import replace

        base = raters.xrr(
            raters.read(rows_of("a")), raters.read(rows_of("b")), names=("crowd", "experts"), interval=None
        )
        gap = kappa - (irr_x + irr_y) / 2

        def e(value: float) -> raters.Estimate:
            return replace(base.kappa_x, value=value, low=value - reach, high=value + reach)

        return triangulate(
            replace(base, kappa_x=e(kappa), irr_x=e(irr_x), irr_y=e(irr_y), difference=e(gap), trusted=trusted,
                    normalized=e(kappa / np.sqrt(irr_x * irr_y)))
        )  # fmt: skip

    # the paper's four examples: sadness, contentment, awe, love
    assert "about as much as within" in told(0.4709, 0.5147, 0.5175, 0.05)
    assert "hardly with each other" in told(-0.0344, 0.4494, 0.6363)
    assert "look at the task" in told(0.0817, 0.1208, 0.1170)
    assert "good replication" in told(0.6042, 0.597, 0.66, 0.05)
    assert "less than within" in told(0.40, 0.55, 0.60)
    assert "collusion" in told(0.5, 0.9, 0.55, trusted="experts")
    assert "vague guidelines" in told(0.5, 0.4, 0.9, trusted="experts")


def test_a_result_is_plain_and_frozen() -> None:
    import json

    result = raters.xrr(raters.read(rows_of("a")), raters.read(rows_of("b")), resamples=50)
    assert len(json.dumps(result.to_dict(), allow_nan=False)) > 500
    assert result.to_dict()["pools"] == ["x", "y"] and "kappa_x" in str(result) and "<table>" in result._repr_html_()
    with pytest.raises(AttributeError):
        result.kappa_x = None  # type: ignore[misc, assignment]


# ---- alignment


def test_items_align_by_name_over_kinds_of_names() -> None:
    x = raters.read([(1, "a", "n"), (2, "a", "y"), (2, "b", "y")])
    y = raters.read([("2", "c", "n"), ("z", "c", "y")])
    names, (left, right) = align([x, y])
    assert names == ["1", "2", "z"]
    assert left.per_item.tolist() == [1, 2, 0] and right.per_item.tolist() == [0, 1, 1]
    assert left.labels == right.labels == ("n", "y")
    whole = beside([left, right], "xy")
    assert whole.groups == (("x", None), ("y", None)) and whole.counts.shape == (3, 4)


def test_equal_rows_become_one_however_wide() -> None:
    rng = np.random.default_rng(4)
    from scipy import sparse

    dense = rng.integers(0, 2, (200, 7)) * rng.integers(1, 3, (200, 7))
    wide = np.zeros((200, 90))
    wide[:, rng.permutation(90)[:7]] = dense
    first, which = distinct(sparse.csr_array(wide))
    assert (wide[first][which] == wide).all() and len(first) == len(np.unique(wide, axis=0))
    _, (items,) = align([raters.read(rows_of("a", labels="nnnn", more="yyyy"))])
    assert packed(items).weight.tolist() == [4]


def test_labels_in_one_order() -> None:
    low = raters.read(rows_of("a"), scale="ordinal", labels=["y", "n"])
    high = raters.read(rows_of("b"), scale="ordinal", labels=["n", "y"])
    with pytest.raises(raters.UsageError, match="order their labels differently"):
        unified([low, high])
    more = raters.read(rows_of("b"), scale="ordinal", labels=["y", "so-so", "n"])
    assert unified([low, more])[0].labels == ("y", "so-so", "n")
    guessed = raters.read([("q1", "b1", 1), ("q1", "b2", 2)], scale="nominal")
    told = raters.read([("q1", "b1", 3.5), ("q1", "b2", 2)], scale="interval")
    with pytest.raises(raters.UsageError, match="different scales"):
        unified([guessed, told])
