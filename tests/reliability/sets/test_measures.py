"""The measures on sets of labels: two raters, more raters, pooled, by a column, undefined and refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from coded_sets import KAPPAS, NAMES, TABLE_1, drawn, table

import raters
from raters.errors import DataError, UsageError
from raters.io.read import read
from raters.reliability.sets.multilabel import multilabel


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
    first, second = found.profiles
    assert first.sizes == {0: 0, 1: 0.5, 2: 0.5} and first.labels == {
        "A": 0.5,
        "B": pytest.approx(1 / 3),
        "C": pytest.approx(1 / 6),
    }
    assert second.mean_size == 1.75 and second.several == 0.75
    assert first.entropy == pytest.approx(1.4591, abs=1e-4)
    assert raters.sets.final_labels(ann) == {0: ("A",), 1: ("B",), 2: ("A", "B"), 3: ()}
    assert found.final is not None
    assert (found.final.one, found.final.several, found.final.none) == (2, 1, 1)
    assert found.final.labels == {"A": 0.5, "B": 0.5} and "not that of the true labels" in found.final.warning


def test_primary_and_secondary_labels() -> None:
    """Augmented kappa with weights 2:1: item AB v. BA shares 2/3 1/3 + 1/3 2/3."""
    rows = [("1", "x", ["A", "B"]), ("1", "y", ["B", "A"]), ("2", "x", ["A"]), ("2", "y", ["A", "C"])]
    found = multilabel(read(rows, scale="sets", ordered=True), order_weights=[2, 1], interval=None)
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


def three_raters() -> list[tuple[int, str, list[str]]]:
    """Sets of A, B and C by three raters, each of whom leaves out some of 30 items."""
    rng = np.random.default_rng(0)
    return [
        (i, f"r{j}", [k for k in "ABC" if rng.random() < 0.5])
        for i in range(30)
        for j in range(3)
        if rng.random() < 0.9
    ]


def test_more_raters() -> None:
    rows = three_raters()
    ann = read(rows, scale="sets")
    found = multilabel(ann, interval="delta")
    assert found.form == "pairs" and len(found.pairs) == 3 * 6
    for name in KAPPAS:
        own = [e for e in found.pairs if e.coefficient == name]
        for part in ("value", "observed", "expected"):
            assert getattr(found[name], part) == pytest.approx(np.mean([getattr(e, part) for e in own]))
    names, matrix = found.matrix("boot_precision")
    assert names == ("r0", "r1", "r2") and np.isnan(np.diag(matrix)).all()
    pair = multilabel(of_both(rows, "r0", "r1"), who=["r1", "r0"], interval=None)
    assert matrix[1, 0] == pytest.approx(pair["boot_precision"].value)
    crowd = multilabel(ann, pooled=True, interval=None)
    assert crowd.form == "pooled" and [e.value for e in crowd][:6] == pytest.approx([e.value for e in found.pooled])


def of_both(rows: list[tuple[int, str, list[str]]], *who: str) -> raters.Annotations:
    """The sets of these raters, on the items that all of them coded."""
    shared = set.intersection(*({i for i, r, _ in rows if r == name} for name in who))
    return read([row for row in rows if row[0] in shared and row[1] in who], scale="sets", labels=list("ABC"))


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
        assert (e.coefficient, e.value, e.se) == (
            other.name,
            pytest.approx(other.value),
            pytest.approx(other.se, nan_ok=True),
        )


def test_undefined_has_a_reason() -> None:
    same = multilabel(table([("A", "A"), ("A", "A")]))
    assert all(np.isnan(e.value) and e.warnings for e in same)
    apart = multilabel(table([("A", None), (None, "B")]))
    assert all(np.isnan(e.value) and e.warnings for e in apart)
    only_empty = multilabel(table([("", ""), ("", "")], labels=list("AB")), interval=None)
    assert all(np.isnan(e.value) for e in only_empty)


BAD = {
    "one rater": ({}, [("A", None), ("B", None)], DataError, "only one rater"),
    "no such rater": ({"who": ["c1", "zoe"]}, TABLE_1, UsageError, "zoe"),
    "a rater twice": ({"who": ["c1", "c1"]}, TABLE_1, UsageError, "different raters"),
    "chance": ({"chance": "approximate"}, TABLE_1, UsageError, "chance='approximate'"),
    "masi": ({"masi": "masi_1999"}, TABLE_1, UsageError, "masi_2004"),
    "weights": ({"order_weights": [0, 1]}, TABLE_1, UsageError, "positive numbers"),
    "empty": ({"empty": "maybe"}, TABLE_1, UsageError, "'nothing'"),
    "simulations": ({"simulations": 0}, TABLE_1, UsageError, "1 or more"),
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


def test_the_pooled_form_is_fleiss_on_single_labels_with_items_rated_once() -> None:
    """Items with one label count for the margins, as for Fleiss' kappa."""
    rows = [
        ("1", "a", "x"),
        ("1", "b", "y"),
        ("2", "a", "x"),
        ("2", "b", "x"),
        ("3", "c", "y"),
        ("4", "b", "y"),
        ("5", "a", "z"),
    ]
    rows += [("6", "a", "y"), ("6", "b", "y"), ("6", "c", "x")]
    single = raters.agreement(read(rows, scale="nominal"), "fleiss", interval="delta")
    found = multilabel(read([(i, r, [k]) for i, r, k in rows], scale="sets"), pooled=True, interval="delta")
    for name in ("soft_match", "augmented", "boot_match", "boot_f1"):
        e = found[name]
        assert (e.value, e.observed, e.expected) == pytest.approx(
            (single.value, single.observed, single.expected), abs=1e-12
        )
        assert e.se == pytest.approx(single.se, abs=1e-6), name


def test_zero_has_no_sign() -> None:
    from raters.estimate import shown

    assert (shown(-0.0), shown(-4e-5), shown(-6e-5)) == ("0.0000", "0.0000", "-0.0001")


def test_alpha_of_sets_has_the_limits_that_agreement_gives():
    """One fold, so that the same seed draws the same items."""
    rng = np.random.default_rng(8)
    rows = [
        (i, r, {"x"} if rng.random() < 0.6 else {"x", "y"} if rng.random() < 0.5 else {"y", "z"})
        for i in range(40)
        for r in "abcd"
        if rng.random() < 0.9
    ]
    ann = raters.read(rows, scale="sets")
    one, other = (
        raters.agreement(ann, resamples=200, seed=5),
        raters.multilabel(ann, resamples=200, seed=5)["alpha_masi"],
    )
    assert (one.value, one.low, one.high) == (other.value, other.low, other.high)
