"""Folds that are kept: what is added up is what the whole table says, and a file is checked, whoever wrote it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import raters
from raters import Fold
from raters.agree.comparing import heterogeneity

LABELS = ("no", "maybe", "yes")


def rows(first: int, last: int, seed: int = 0, labels: Any = LABELS, noise: float = 0.3) -> list[tuple[str, str, Any]]:
    rng = np.random.default_rng([seed, first])
    return [
        (f"q{i}", f"r{j}", labels[(i + int(rng.random() < noise)) % len(labels)])
        for i in range(first, last)
        for j in rng.choice(5, rng.integers(1, 5), replace=False)
    ]


def test_a_fold_has_the_labels_per_item_of_its_table() -> None:
    """Also the fewest, which was 0 whatever the table had."""
    few, many = [("a", "r1", "no"), ("a", "r2", "no")], [("b", f"r{j}", "yes") for j in range(4)]
    whole = Fold.of(raters.read(few + many, scale="nominal"))
    assert raters.read(whole).per_item == raters.read(few + many, scale="nominal").per_item == (2, 3.0, 4)


@pytest.mark.parametrize("group", [None, "rater"])
@pytest.mark.parametrize("labels", [LABELS, (1, 2, 4), (True, False), tuple(range(60))])
def test_folds_add_up_to_the_fold_of_the_whole(group: str | None, labels: Any, tmp_path: Path) -> None:
    x, y = rows(0, 90, labels=labels), rows(90, 140, labels=labels)
    a, b, whole = (Fold.of(raters.read(part, scale="nominal"), group=group) for part in (x, y, x + y))
    assert a + b == whole and b + a == whole and sum([a, b]) == whole and Fold.sum([a, b]) == whole
    assert a != b
    again = Fold.load(whole.save(tmp_path / "whole.fold"))
    assert again == whole and again.keys.dtype == whole.keys.dtype and again.sample == whole.sample


@pytest.mark.parametrize("coefficient", ["krippendorff", "fleiss", "gwet", "percent", "conger"])
def test_figures_of_a_fold_are_those_of_the_table_to_the_last_bit(coefficient: str) -> None:
    x, y = rows(0, 90), rows(90, 140)
    week = Fold.of(x, group="rater") + Fold.of(y, group="rater")
    for options in ({}, {"interval": "bootstrap", "resamples": 200, "seed": 4}, {"interval": "delta"}):
        kept, read = (raters.agreement(source, coefficient, **options) for source in (week, x + y))
        assert (kept.value, kept.low, kept.high, kept.se) == (read.value, read.low, read.high, read.se)
        assert (kept.n_items, kept.n_annotations, kept.n_raters) == (read.n_items, read.n_annotations, read.n_raters)


def test_other_answers_that_need_no_names() -> None:
    x = rows(0, 90)
    plain, named = Fold.of(x), Fold.of(x, group="rater")
    assert [(e.value, e.low) for e in raters.per_label(plain)] == [(e.value, e.low) for e in raters.per_label(x)]
    assert raters.per_rater(named).to_dict() == raters.per_rater(x).to_dict()
    assert raters.per_pair(named).to_dict() == raters.per_pair(x).to_dict()
    assert float(raters.krr(plain, k=2)) == float(raters.krr(x, k=2))
    kept, read = (raters.compare(s, coefficient="fleiss", other_coefficient="gwet") for s in (plain, x))
    assert kept.difference.low == read.difference.low and (kept.p, kept.n_shared) == (read.p, read.n_shared)


def test_many_numbers_by_moments() -> None:
    rng = np.random.default_rng(1)
    x = [(i, j, round(i % 17 + rng.normal(), 2)) for i in range(120) for j in range(3)]
    week = Fold.of(raters.read(x[:180], scale="interval")) + Fold.of(raters.read(x[180:], scale="interval"))
    for name in ("value", "low", "high", "observed", "expected"):
        kept, read = (
            getattr(raters.agreement(raters.read(s, scale="interval"), interval="delta"), name) for s in (week, x)
        )
        assert kept == pytest.approx(read, rel=1e-12)
    kept, read = (raters.icc(raters.read(s, scale="interval")) for s in (week, x))
    assert kept[0].value == pytest.approx(read[0].value, rel=1e-12) and kept[0].low == pytest.approx(
        read[0].low, rel=1e-9
    )


def test_a_scale_that_was_assumed_is_assumed_anew() -> None:
    with pytest.warns(raters.RatersWarning, match="read as an ordinal scale"):
        a, b = Fold.of(rows(0, 40, labels=(0, 1))), Fold.of(rows(40, 80, labels=(0, 1, 2)))
    assert a.scale == "nominal" and (a + b).scale == "ordinal" and (a + b).labels == (0, 1, 2)
    declared = Fold.of(raters.read(rows(0, 40, labels=("no", "yes")), labels=["no", "maybe", "yes"], scale="ordinal"))
    assert declared.labels == ("no", "maybe", "yes")


def test_what_does_not_add_up() -> None:
    a = Fold.of(rows(0, 40))
    with pytest.raises(raters.UsageError, match="differ in their labels"):
        a + Fold.of(rows(40, 60, labels=(0, 1)))
    with pytest.raises(raters.UsageError, match="differ in their groups by"):
        a + Fold.of(rows(40, 60), group="rater")
    orders = (["no", "maybe", "yes"], ["maybe", "no", "yes"])
    with pytest.raises(raters.UsageError, match="order their labels differently"):
        Fold.sum(Fold.of(raters.read(rows(0, 40), scale="ordinal", labels=order)) for order in orders)
    with pytest.raises(raters.UsageError, match="no folds"):
        Fold.sum([])


def test_items_in_two_folds_are_seen() -> None:
    a, b = Fold.of(rows(0, 100)), Fold.of(rows(80, 120, seed=1))
    with pytest.warns(raters.RatersWarning, match=r"items are in more than one fold \(about 14% of them"):
        both = a + b
    assert any("more than one fold" in note for note in raters.read(both).warnings)


def test_a_sample_of_many_items_still_sees_those_that_are_shared() -> None:
    many = [(i, 0, "no") for i in range(20_000)]
    a, b, apart = Fold.of(many), Fold.of(many[:2000]), Fold.of([(-i - 1, 0, "no") for i in range(2000)])
    assert a.sample is not None and 300 < len(a.sample.items) < 2048
    with pytest.warns(raters.RatersWarning, match="more than one fold"):
        a + b
    assert (a + apart).n_items == 22_000


def test_items_by_position_may_be_shared_and_it_is_said() -> None:
    matrix = np.array([[1.0, 2], [2, 2], [1, 1]])
    a = Fold.of(raters.read(matrix, layout="wide", scale="nominal"))
    with pytest.warns(raters.RatersWarning, match="known only by position"):
        a + a


def test_what_a_fold_does_not_know_is_said() -> None:
    fold = Fold.of(rows(0, 40))
    with pytest.raises(raters.UsageError, match="fold the table with group='rater'"):
        raters.per_rater(fold, "conger")
    for ask in (raters.per_item, raters.consensus, raters.report):
        with pytest.raises(raters.UsageError, match="needs single annotations or the names of items"):
            ask(fold)
    with pytest.raises(raters.UsageError, match="no column 'topic'"):
        raters.agreement(fold, by="topic")
    with pytest.raises(raters.UsageError, match="fixed when a table is folded"):
        raters.read(fold, item="doc")


def test_repeats_are_settled_before_folding() -> None:
    x = [*rows(0, 40), ("q0", "r9", "no"), ("q0", "r9", "yes")]
    with pytest.raises(raters.DataError, match="repeat an item and rater"):
        Fold.of(x)
    fold = Fold.of(raters.read(x, duplicates="first"))
    assert fold.n_annotations == len(x) - 1 and sum(fold.dropped.values()) == 1
    assert "repeated labels by the same rater for the same item" in str(raters.read(fold))


def test_sets_of_labels() -> None:
    x = [(f"q{i}", f"r{j}", ["a", "b"][: 1 + (i + j) % 2]) for i in range(20) for j in range(3)]
    a, b = Fold.of(raters.read(x[:30], scale="sets")), Fold.of(raters.read(x[30:], scale="sets"))
    kept, read = (raters.agreement(s, distance="masi", interval="delta") for s in (a + b, raters.read(x, scale="sets")))
    assert kept.value == pytest.approx(read.value, rel=1e-12) and kept.high == pytest.approx(read.high, rel=1e-9)


def test_windows_that_are_alike_are_told_apart_in_one_of_twenty() -> None:
    table = [(*row, int(row[0][1:]) // 60) for row in rows(0, 60 * 400)]
    ann = raters.read([{"item": i, "rater": r, "label": v, "window": w} for i, r, v, w in table])
    each = list(raters.agreement(ann, by="window", interval="delta"))
    found = [heterogeneity(each[i : i + 4])[2] < 0.05 for i in range(0, 400, 4)]
    assert 0 < sum(found) <= 12  # of 100; 5 expected
    far = [Fold.of(rows(0, 60)), Fold.of(rows(60, 120, noise=0.9))]
    assert heterogeneity(raters.agreement(far, by="fold", interval="delta"))[2] < 0.001


def test_drift_between_two_folds_is_not_paired() -> None:
    a, b = Fold.of(rows(0, 60)), Fold.of(rows(60, 120))
    result = raters.compare(a, b)
    assert not result.paired and result.n_shared == 0
    read = raters.compare(rows(0, 60), rows(60, 120))
    assert result.difference.value == read.difference.value and result.difference.n_items == 120
    assert raters.compare([a, b], between="fold").difference.value == read.difference.value


BROKEN = (
    ("format", "other", "not a fold"),
    ("version", 3, "of version 3"),
    ("version", "1", '"version" must be of type int'),
    ("kind", "words", '"kind" must be one of'),
    ("labels", ["no", "no", "yes"], "each label"),
    ("labels", ["no", 1], "a list of str"),
    ("scale", "odd", '"scale" must be one of'),
    ("groups", ["a"], r"\[null\]"),
    ("patterns", [[1, [3]]], "codes from 0 to 2"),
    ("patterns", [[0, [1]]], "at least 1"),
    ("patterns", [[True, [1]]], "whole numbers"),
    ("patterns", [[1 << 60, [1]]], "whole numbers"),
    ("patterns", [[1, []]], "rows of"),
    ("sample", {"level": 0, "items": {"<b>": 1}}, "hexadecimal"),
    ("sample", {"level": -1, "items": {}}, "level"),
    ("dropped", {"x": -1}, "whole numbers"),
)


@pytest.mark.parametrize(("field", "value", "message"), BROKEN)
def test_a_broken_file_is_an_error_that_says_what_is_wrong(
    field: str, value: Any, message: str, tmp_path: Path
) -> None:
    path = Fold.of(rows(0, 40)).save(tmp_path / "x.fold")
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**content, field: value}), encoding="utf-8")
    with pytest.raises(raters.DataError, match=message):
        raters.read(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000, '{"format": "raters-fold", "version": NaN}'])
def test_no_json(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.fold"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(raters.DataError):
        raters.read(path)


@pytest.mark.spark
def test_the_fold_of_a_spark_frame_is_the_same(spark: Any) -> None:
    x = rows(0, 60)
    frame = spark.createDataFrame(x, "item STRING, rater STRING, label STRING")
    ours, theirs = Fold.of(x, group="rater"), Fold.of(frame, group="rater")
    assert ours == theirs and ours.sample == theirs.sample
