"""Marchal, Scholman, Yung & Demberg (2022), Establishing Annotation Quality in Multi-label Annotations, COLING."""

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import raters
from raters import simulate
from raters.errors import DataError, UsageError
from raters.io import read
from raters.reliability.sets.measures import multilabel
from raters.reliability.sets.statistics import statistics
from raters.reliability.sets.terms import Options, Sets, two_coders
from raters.sets import LabelSet

NAMES = [
    "soft_match",
    "augmented",
    "boot_match",
    "boot_precision",
    "boot_recall",
    "boot_f1",
    "alpha_masi",
    "alpha_jaccard",
]
KAPPAS = NAMES[:6]
TABLE_1 = [("A", "AB"), ("AB", "BC"), ("AB", "AB")]


def table(pairs: list[tuple[Any, Any]], names: tuple[str, str] = ("c1", "c2"), **options: Any) -> raters.Annotations:
    rows = [
        (i, who, list(s)) for i, row in enumerate(pairs) for who, s in zip(names, row, strict=True) if s is not None
    ]
    return read(rows, scale="sets", **options)


def drawn(n: int = 60, seed: int = 0, **options: Any) -> raters.Annotations:
    return simulate.multilabel(
        n, 5, **{"double": (0.2, 0.5), "intersection": 0.8, "seed": seed, **options}
    ).annotations()


# ---- the paper's figures


def test_table_1() -> None:
    each = [multilabel(table([row]), interval=None) for row in TABLE_1]
    turned = [multilabel(table([row]), coders=["c2", "c1"], interval=None) for row in TABLE_1]
    assert [t["boot_match"].observed for t in each] == [1, 1, 1] == [t["soft_match"].observed for t in each]
    assert [t["augmented"].observed for t in each] == [0.5, 0.25, 0.5]
    assert [round(t["boot_f1"].observed, 2) for t in each] == [0.67, 0.5, 1]
    # the paper's table lists precision and recall of c2 against c1
    assert [t["boot_precision"].observed for t in turned] == [0.5, 0.5, 1]
    assert [t["boot_recall"].observed for t in turned] == [1, 0.5, 1]
    assert multilabel(table(TABLE_1), interval=None)["augmented"].expected == pytest.approx(0.39, abs=0.005)


def measures(sets: simulate.SimulatedSets) -> dict[str, np.ndarray]:
    """Observed, expected and adjusted, without the detour of a table."""
    q = len(sets.prevalence)
    labels = [LabelSet(c) for m in (1, 2) for c in combinations(range(q), m)]
    at = {frozenset(s): i for i, s in enumerate(labels)}
    x, y = (np.array([at[frozenset(row[row >= 0].tolist())] for row in t]) for t in (sets.first, sets.second))
    found, _ = statistics(two_coders(np.ones(len(x)), x, y, Sets(labels, range(q)), Options()), Options())
    parts = {name: s.parts(s.weight[None]) for name, s in found.items()}
    return {name: np.array([p.observed[0], p.expected[0], p.value[0]]) for name, p in parts.items()}


def over_datasets(n: int = 60, **options: Any) -> dict[str, np.ndarray]:
    found = [measures(simulate.multilabel(100, seed=s, **options)) for s in range(n)]
    return {name: np.mean([f[name] for f in found], 0) for name in found[0]}


@pytest.mark.parametrize(("share", "adjusted"), [(0.6, 0.50), (0.75, 0.69), (0.9, 0.87)])
def test_no_doubles(share: float, adjusted: float) -> None:
    found = over_datasets(double=0, intersection=share)
    for name in KAPPAS:
        assert found[name] == pytest.approx([share, 0.205, adjusted], abs=0.007)


def test_all_doubles() -> None:
    five = over_datasets(double=1, intersection=0.75)
    assert five["boot_match"] == pytest.approx([0.75, 0.70, 0.17], abs=0.008)
    assert five["soft_match"][1] == pytest.approx(0.205, abs=0.003)
    ten = over_datasets(n_labels=10, double=1, intersection=0.75)
    assert ten["boot_match"] == pytest.approx([0.75, 0.38, 0.60], abs=0.008)
    assert over_datasets(n_labels=10, double=0, intersection=0.75)["boot_match"][1] == pytest.approx(0.11, abs=0.006)
    assert over_datasets(double=1, intersection=0.9)["boot_match"][2] == pytest.approx(0.67, abs=0.01)


def test_a_quarter_doubles() -> None:
    found = over_datasets(double=0.25, intersection=0.9)
    assert found["augmented"] == pytest.approx([0.69, 0.205, 0.61], abs=0.01)


def test_lower_entropy_raises_chance() -> None:
    """Section 5.2: more so for soft-match than for augmented, where labels are doubled."""
    even, uneven = (over_datasets(20, double=0.5, intersection=0.75, entropy=h) for h in (np.log2(5), 1.5))
    assert all(uneven[name][1] > even[name][1] + 0.05 for name in KAPPAS)
    assert uneven["soft_match"][1] > uneven["augmented"][1] + 0.02


@pytest.mark.shared
def test_dkpro_set_annotations(oracles_dir: Path) -> None:
    """DKPro counts two empty sets as equal, and as sharing nothing."""
    data = json.loads((oracles_dir / "classic_tables.json").read_text())["dkpro_set_annotations"]["data"]
    found = multilabel(table(data), empty="nothing", interval=None)
    assert found.baseline is not None
    assert found.baseline.observed == pytest.approx(0.333, abs=5e-4)
    assert found["boot_match"].observed == pytest.approx(0.667, abs=5e-4)
    assert found["boot_f1"].observed == pytest.approx(0.5, abs=5e-4)
    ours = multilabel(table(data), interval=None)
    assert ours["boot_match"].observed == pytest.approx(7 / 9) and ours["boot_f1"].observed == pytest.approx(5.5 / 9)


# ---- laws


def single(seed: int, n_raters: int = 2, missing: float = 0.0) -> list[tuple[int, str, str]]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 40)
    return [(i, f"r{j}", "ABC"[truth[i] if rng.random() < 0.7 else rng.integers(0, 3)])
            for i in range(40) for j in range(n_raters) if rng.random() >= missing]  # fmt: skip


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_single_labels_give_cohen_and_scott(missing: float) -> None:
    rows = single(1, missing=missing)
    plain, found = (
        read(rows, scale="nominal"),
        multilabel(read([(i, r, [k]) for i, r, k in rows], scale="sets"), interval="delta"),
    )
    cohen = raters.agreement(plain, "cohen", interval="delta")
    for name in KAPPAS:
        for part in ("value", "observed", "expected", "se"):
            assert getattr(found[name], part) == pytest.approx(getattr(cohen, part), rel=1e-9), (name, part)
    assert found.baseline is not None and found.baseline.value == pytest.approx(cohen.value)
    if not missing:
        for e in found.pooled:
            assert e.value == pytest.approx(raters.agreement(plain, "scott", interval=None).value)


def test_single_labels_of_more_coders_give_light_and_fleiss() -> None:
    rows = single(2, n_raters=4)
    plain, found = (
        read(rows, scale="nominal"),
        multilabel(read([(i, r, [k]) for i, r, k in rows], scale="sets"), interval="delta"),
    )
    light = raters.agreement(plain, "light", interval="delta")
    for name in KAPPAS:
        assert (found[name].value, found[name].se) == (pytest.approx(light.value), pytest.approx(light.se, rel=1e-9))
    for e in found.pooled:
        assert e.value == pytest.approx(raters.agreement(plain, "fleiss", interval=None).value)
    alpha = raters.agreement(plain, interval=None).value
    assert found["alpha_masi"].value == pytest.approx(alpha) == found["alpha_jaccard"].value


SETS = st.lists(st.tuples(*[st.frozensets(st.sampled_from("ABCD"))] * 2), min_size=3, max_size=12)


@settings(max_examples=8)
@given(SETS)
def test_turning_coders_around(pairs: list[tuple[frozenset[str], frozenset[str]]]) -> None:
    ann = table(pairs, labels=list("ABCD"))
    one, two = (multilabel(ann, coders=c, interval=None) for c in (["c1", "c2"], ["c2", "c1"]))
    turn = {"boot_precision": "boot_recall", "boot_recall": "boot_precision"}
    for e in one:
        other = two[turn.get(e.name, e.name)]
        assert (e.value, e.observed, e.expected) == pytest.approx(
            (other.value, other.observed, other.expected), nan_ok=True
        )
        assert e.observed <= 1 + 1e-12 or e.parts == "disagreement"
    # renaming labels changes nothing
    renamed = table([tuple({"A": "z", "B": "y", "C": "x", "D": "w"}[k] for k in s) for s in row] for row in pairs)
    for e, other in zip(one, multilabel(renamed, interval=None), strict=True):
        assert e.value == pytest.approx(other.value, nan_ok=True, abs=1e-12)


def test_equal_sets_agree_fully() -> None:
    found = multilabel(table([("A", "A"), ("AB", "AB"), ("", ""), ("C", "C")]), interval=None)
    assert all(e.value == pytest.approx(1) for e in found if e.name != "augmented")
    assert found["augmented"].observed == pytest.approx(3.5 / 4)  # the paper: it always penalises double labels


def test_bootstrap_is_that_of_items() -> None:
    """Delta and jackknife against each other, and the bootstrap against samples of items made by hand."""
    ann = drawn(80)
    delta, jackknife, boot = (multilabel(ann, interval=i) for i in ("delta", "jackknife", "bootstrap"))
    for a, b, c in zip(delta, jackknife, boot, strict=True):
        assert a.se == pytest.approx(b.se, rel=0.05)
        assert a.se == pytest.approx(c.se, rel=0.12)
        assert c.low < c.value < c.high
    rng, data = np.random.default_rng(0), simulate.multilabel(80, 5, double=(0.2, 0.5), intersection=0.8, seed=0)
    values = []
    for _ in range(200):
        at = rng.integers(0, 80, 80)
        values.append(measures(replace(data, first=data.first[at], second=data.second[at]))["boot_match"][2])
    assert boot["boot_match"].se == pytest.approx(np.std(values), rel=0.2)


def test_jackknife_leaves_out_items() -> None:
    pairs = [("A", "AB"), ("B", "B"), ("C", "BC"), ("AC", "A"), ("B", "C"), ("A", "A")]
    whole = multilabel(table(pairs), interval="jackknife")
    without = [multilabel(table(pairs[:i] + pairs[i + 1 :]), interval=None) for i in range(6)]
    for name in ("soft_match", "augmented", "boot_match", "boot_f1"):
        left = np.array([found[name].value for found in without])
        assert whole[name].se == pytest.approx(np.sqrt(5 / 6 * ((left - left.mean()) ** 2).sum()), rel=1e-9)


# ---- chance


def test_simulated_agrees_with_exact() -> None:
    ann = drawn(100)
    exact, simulated = (
        multilabel(ann, interval=None),
        multilabel(ann, chance="simulated", simulations=2000, interval=None),
    )
    assert (exact.chance, simulated.chance) == ("exact", "simulated")
    for name in NAMES[2:6]:
        e, s = exact[name], simulated[name]
        assert e.details["chance_se"] == 0 and 0 < s.details["chance_se"] < 0.002
        assert abs(e.expected - s.expected) < 4.5 * s.details["chance_se"]
        assert any("chance was simulated on 200,000 pairs" in w for w in s.warnings)
    wide = multilabel(ann, chance="simulated")["boot_match"]
    assert wide.high - wide.low == pytest.approx(
        multilabel(ann)["boot_match"].high - multilabel(ann)["boot_match"].low, rel=0.05
    )


def test_too_many_sets_are_simulated_with_intervals() -> None:
    rng = np.random.default_rng(0)
    pairs = [(set(rng.integers(0, 40, 6).tolist()), set(rng.integers(0, 40, 6).tolist()) | {i % 40}) for i in range(60)]
    found = multilabel(table(pairs), resamples=300)
    assert found.chance == "simulated" and "exact chance would take" in " ".join(found["boot_f1"].warnings)
    assert found["boot_f1"].low < found["boot_f1"].value < found["boot_f1"].high
    assert found["boot_f1"].se == pytest.approx(multilabel(table(pairs), interval="delta")["boot_f1"].se, rel=0.35)


# ---- more than the numbers


def test_names_and_shape() -> None:
    found = multilabel(drawn(), interval=None)
    assert [e.name for e in found] == NAMES and found.form == "two"
    assert found["boot_precision"].details["of"] == "c1" and found["boot_precision"].details["against"] == "c2"
    assert "of c1 against c2" in str(found) and "c1 against c2" in found._repr_html_()
    assert {e.details["chance"] for e in found} == {"exact", "margins"}
    json.dumps(found.beside(), allow_nan=False)
    assert raters.multilabel is multilabel


def test_coders_and_final_labels() -> None:
    ann = table([("A", "AB"), ("AB", "BC"), ("AB", "AB"), ("C", "A")])
    found = multilabel(ann, interval=None)
    first, second = found.coders
    assert first.sizes == {0: 0, 1: 0.5, 2: 0.5} and first.labels == {
        "A": 0.5,
        "B": pytest.approx(1 / 3),
        "C": pytest.approx(1 / 6),
    }
    assert second.mean_size == 1.75 and second.several == 0.75
    assert first.entropy == pytest.approx(1.4591, abs=1e-4)
    assert raters.final_labels(ann) == {0: ("A",), 1: ("B",), 2: ("A", "B"), 3: ()}
    assert found.final is not None
    assert (found.final.one, found.final.several, found.final.none) == (2, 1, 1)
    assert found.final.labels == {"A": 0.5, "B": 0.5} and "not that of the true labels" in found.final.warning


def test_primary_and_secondary_labels() -> None:
    """Augmented kappa with weights 2:1: item AB v. BA shares 2/3 1/3 + 1/3 2/3."""
    rows = [("1", "x", ["A", "B"]), ("1", "y", ["B", "A"]), ("2", "x", ["A"]), ("2", "y", ["A", "C"])]
    found = multilabel(read(rows, scale="sets", ordered=True), weights=[2, 1], interval=None)
    assert found["augmented"].observed == pytest.approx((4 / 9 + 2 / 3) / 2)
    x, y = np.array([5 / 3, 1 / 3, 0]) / 2, np.array([1, 2 / 3, 1 / 3]) / 2
    assert found["augmented"].expected == pytest.approx(x @ y)
    assert found.baseline is not None and found.baseline.observed == 0.5  # order does not make another set
    plain = multilabel(read(rows, scale="sets"), interval=None)
    for name in NAMES:
        if name != "augmented":
            assert found[name].value == pytest.approx(plain[name].value, nan_ok=True)


def test_soft_match_reduces_to_what_is_shared() -> None:
    """By hand: A; B; A or B evenly; C against A."""
    found = multilabel(table([("A", "AB"), ("AB", "BC"), ("AB", "AB"), ("C", "A")]), interval=None)
    x, y = np.array([1.5, 1.5, 1]) / 4, np.array([2.5, 1.5, 0]) / 4
    assert found["soft_match"].expected == pytest.approx(x @ y) and found["soft_match"].observed == 0.75


def test_many_labels_of_one_coder_are_warned_of() -> None:
    pairs = [("A", "ABCDE"), ("B", "ABCDE"), ("C", "ABCDE"), ("D", "ABCDE"), ("E", "ABCDE")]
    found = multilabel(table(pairs), interval=None)
    assert any("c2 gives 5.00 labels per annotation, c1 1.00" in w for w in found["soft_match"].warnings)
    assert any("inflates" in w for w in found["boot_match"].warnings)
    assert (
        np.isnan(found["boot_match"].value)
        and "undefined" in found["boot_match"].warnings[-1] + found["boot_match"].warnings[0]
    )
    assert found["boot_f1"].expected < 1 and found["soft_match"].value == 1  # the paper's extreme case
    assert len(found.guidance) >= 4 and "boot_match" in found.guidance[0]


def test_more_coders() -> None:
    rng = np.random.default_rng(0)
    rows = [
        (i, f"r{j}", [k for k in "ABC" if rng.random() < 0.5])
        for i in range(30)
        for j in range(3)
        if rng.random() < 0.9
    ]
    ann = read(rows, scale="sets")
    found = multilabel(ann, interval="delta")
    assert found.form == "pairs" and len(found.pairs) == 3 * 6
    for name in KAPPAS:
        own = [e for e in found.pairs if e.coefficient == name]
        for part in ("value", "observed", "expected"):
            assert getattr(found[name], part) == pytest.approx(np.mean([getattr(e, part) for e in own]))
    names, matrix = found.matrix("boot_precision")
    assert names == ("r0", "r1", "r2") and np.isnan(np.diag(matrix)).all()
    both = {i for i, r, _ in rows if r == "r0"} & {i for i, r, _ in rows if r == "r1"}
    alone = read([row for row in rows if row[0] in both and row[1] in ("r0", "r1")], scale="sets", labels=list("ABC"))
    pair = multilabel(alone, coders=["r1", "r0"], interval=None)
    assert matrix[1, 0] == pytest.approx(pair["boot_precision"].value)
    crowd = multilabel(ann, pooled=True, interval=None)
    assert crowd.form == "pooled" and [e.value for e in crowd][:6] == pytest.approx([e.value for e in found.pooled])


def test_pooled_chance_by_hand() -> None:
    """Augmented kappa of a crowd: mean over pairs of an item, one distribution for all."""
    found = multilabel(table([("A", "AB"), ("AB", "BC"), ("C", "C")]), pooled=True, interval=None)
    p = np.array([1 + 0.5 + 0.5, 0.5 + 0.5 + 0.5, 0.5 + 1 + 1]) / 6
    assert found["augmented"].expected == pytest.approx(p @ p)
    assert found["augmented"].observed == pytest.approx((0.5 + 0.25 + 1) / 3)


def test_by_column() -> None:
    rows = [
        {"item": i, "rater": r, "label": s, "topic": "xy"[i % 2]}
        for i, row in enumerate([*TABLE_1, *TABLE_1[::-1]] * 3)
        for r, s in zip(("c1", "c2"), map(list, row), strict=True)
    ]
    found = multilabel(read(rows, scale="sets"), by="topic", interval="delta")
    assert len(found) == 16 and {e.name for e in found} == {"x", "y"} and found[0].by == "topic"
    alone = multilabel(read([r for r in rows if r["topic"] == "y"], scale="sets", labels=list("ABC")), interval="delta")
    for e, other in zip(found[8:], alone, strict=True):
        assert (e.coefficient, e.value, e.se) == (other.name, pytest.approx(other.value), pytest.approx(other.se))


def test_undefined_has_a_reason() -> None:
    same = multilabel(table([("A", "A"), ("A", "A")]))
    assert all(np.isnan(e.value) and e.warnings for e in same)
    apart = multilabel(table([("A", None), (None, "B")]))
    assert all(np.isnan(e.value) and e.warnings for e in apart)
    only_empty = multilabel(table([("", ""), ("", "")], labels=list("AB")), interval=None)
    assert all(np.isnan(e.value) for e in only_empty)


BAD = {
    "one coder": ({}, [("A", None), ("B", None)], DataError, "one coder only"),
    "no such coder": ({"coders": ["c1", "zoe"]}, TABLE_1, UsageError, "zoe"),
    "a coder twice": ({"coders": ["c1", "c1"]}, TABLE_1, UsageError, "different raters"),
    "chance": ({"chance": "approximate"}, TABLE_1, UsageError, "chance='approximate'"),
    "masi": ({"masi": "masi_1999"}, TABLE_1, UsageError, "masi_2004"),
    "weights": ({"weights": [0, 1]}, TABLE_1, UsageError, "positive numbers"),
    "empty": ({"empty": "maybe"}, TABLE_1, UsageError, "'nothing'"),
    "simulations": ({"simulations": 0}, TABLE_1, UsageError, "too few"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_calls(name: str) -> None:
    options, pairs, kind, message = BAD[name]
    with pytest.raises(kind, match=message):
        multilabel(table(pairs), **options)


def test_single_labels_are_refused() -> None:
    with pytest.raises(UsageError, match="scale='sets'"):
        multilabel(read([("1", "a", "x")], scale="nominal"))
    kept = read([("1", "a", ["x"]), ("1", "a", ["y"]), ("1", "b", ["x"])], scale="sets", duplicates="keep")
    with pytest.raises(UsageError, match="several sets"):
        multilabel(kept)


def test_thousands_of_labels() -> None:
    rng = np.random.default_rng(0)
    ann = table([({int(k)}, {int(k), int(rng.integers(0, 3500))}) for k in rng.integers(0, 3500, 800)])
    found = multilabel(ann, interval=None)
    assert found["boot_match"].observed == 1 and found["boot_match"].expected < 0.01


def test_simulated_datasets_are_as_asked() -> None:
    data = simulate.multilabel(400, 6, double=(0.0, 1.0), intersection=0.7, entropy=1.8, seed=3)
    assert (data.first[:, 1] < 0).all() and (data.second[:, 1] >= 0).all()
    shared = (data.first[:, :1] == data.second).any(1)
    np.testing.assert_array_equal(shared, data.intersecting)
    assert shared.sum() == 280 and data.entropy == pytest.approx(1.8)
    assert (data.second[:, 0] != data.second[:, 1]).all()
    same = simulate.multilabel(400, 6, double=(0.0, 1.0), intersection=0.7, entropy=1.8, seed=3)
    np.testing.assert_array_equal(same.second, data.second)
    for bad in ({"n_labels": 3, "double": 1.0}, {"entropy": 9.0}, {"intersection": 1.2}, {"prevalence": [1.0]}):
        with pytest.raises(UsageError):
            simulate.multilabel(**{"n_items": 10, **bad})


# ---- elsewhere


def test_xrr_takes_a_set_distance_and_refuses_the_rest() -> None:
    x, y = drawn(40, seed=1), drawn(40, seed=1, double=(0.3, 0.4))
    with pytest.warns(raters.RatersWarning, match="more than one pool"):
        found = raters.xrr(x, y, interval=None)
    assert np.isfinite(found.kappa_x.value) and np.isnan(found.rho.value) and np.isnan(found.gwet_x.value)
    with pytest.raises(UsageError, match="these are sets"):
        raters.xrr(x, y, per_label=True)
    with pytest.raises(UsageError, match="different scales"):
        raters.xrr(x, read([("1", "p", "x"), ("1", "q", "y")]))


def test_krr_needs_a_stated_aggregate() -> None:
    from raters.reliability.krr.curve import krr

    with pytest.raises(UsageError, match="stated aggregate"):
        krr(drawn(), k=1)
