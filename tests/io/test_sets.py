"""Sets of labels come in as lists, JSON, one-hot columns, several rows, or with a separator; the reader says which."""

import itertools
import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import raters
from raters.errors import DataError, RatersWarning, UsageError
from raters.io.read import read

ROWS = [
    ("q1", "ann", ["b", "a"]),
    ("q1", "bob", ["a"]),
    ("q2", "ann", []),
    ("q2", "bob", None),
    ("q3", "ann", ["c"]),
    ("q3", "bob", ["c", "a"]),
]
SETS = {
    ("q1", "ann"): {"a", "b"},
    ("q1", "bob"): {"a"},
    ("q2", "ann"): set(),
    ("q3", "ann"): {"c"},
    ("q3", "bob"): {"a", "c"},
}


def found(ann: raters.Annotations) -> dict[tuple[Any, Any], set[Any]]:
    """Item, rater -> set, as the engine has it."""
    got = ann.engine.query("SELECT item, rater, label FROM annotations")
    names = dict(zip(ann.keys.tolist(), ann.labels, strict=True))
    return {(i, r): set(names[k]) for i, r, k in zip(got["item"], got["rater"], got["label"], strict=True)}


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def sources(folder: Path) -> dict[str, tuple[Any, dict[str, Any], str]]:
    columns = ["item", "rater", "label"]
    some = [r for r in ROWS if r[2] is not None]
    as_json = "".join(f'{i},{r},"{json.dumps(s).replace(chr(34), chr(34) * 2)}"\n' for i, r, s in some) + "q2,bob,\n"
    as_python = "".join(f'{i},{r},"{s}"\n' for i, r, s in some) + "q2,bob,\n"
    as_text = "".join(f"{i},{r},{'; '.join(s) or ';'}\n" for i, r, s in some) + "q2,bob,\n"
    as_rows = "".join(f"{i},{r},{k}\n" for i, r, s in some for k in s) + "q2,bob,\n"
    hot = "".join(f"{i},{r}," + ",".join(str(int(k in s)) for k in "abc") + "\n" for i, r, s in some) + "q2,bob,,,\n"
    table = pd.DataFrame(ROWS, columns=columns)
    return {
        "rows": (ROWS, {}, "a list column"),
        "sets": ([(i, r, None if s is None else frozenset(s)) for i, r, s in ROWS], {}, "a list column"),
        "arrays": ([(i, r, None if s is None else np.array(s, object)) for i, r, s in ROWS], {}, "a list column"),
        "pandas": (table, {}, "a list column"),
        "polars": (pl.DataFrame(ROWS, schema=columns, orient="row"), {}, "a list column"),
        "json lines": (
            write(folder, "x.jsonl", "".join(json.dumps(dict(zip(columns, r, strict=True))) + "\n" for r in ROWS)),
            {},
            "a list column",
        ),
        "json text": (write(folder, "json.csv", "item,rater,label\n" + as_json), {}, "lists written as text"),
        "python text": (write(folder, "python.csv", "item,rater,label\n" + as_python), {}, "lists written as text"),
        "separator": (write(folder, "sep.csv", "item,rater,label\n" + as_text), {"sep": ";"}, "text separated by ';'"),
        "one-hot": (write(folder, "hot.csv", "item,rater,label_a,label_b,label_c\n" + hot), {}, "one-hot columns"),
        "other one-hot": (
            write(folder, "hot2.csv", "item,rater,t_a,t_b,t_c\n" + hot),
            {"label": "t_*"},
            "one-hot columns",
        ),
        "several rows": (write(folder, "rows.csv", "item,rater,label\n" + as_rows), {"multi": "rows"}, "several rows"),
    }


NAMES = ["rows", "sets", "arrays", "pandas", "polars", "json lines", "json text", "python text", "separator", "one-hot",
         "other one-hot", "several rows"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_form_says_the_same(name: str, tmp_path: Path) -> None:
    source, options, said = sources(tmp_path)[name]
    ann = read(source, scale="sets", **options)
    wanted = dict(SETS)
    if name == "several rows":  # a set without rows cannot be told from a missing one
        del wanted["q2", "ann"]
    assert found(ann) == wanted
    assert ann.members == ("a", "b", "c") and ann.scale == "sets"
    assert any(said in note for note in ann.warnings)
    assert said in str(ann)
    assert ann.dropped == {"missing label": 1}


def test_empty_is_not_missing() -> None:
    ann = read(ROWS, scale="sets")
    assert () in ann.labels and ann.n_annotations == 5 and ann.dropped == {"missing label": 1}


def test_sets_are_in_label_order_by_size() -> None:
    ann = read(ROWS, scale="sets", labels=["c", "b", "a", "never"])
    assert ann.members == ("c", "b", "a", "never")
    assert ann.labels == ((), ("c",), ("a",), ("c", "a"), ("b", "a"))
    again = read(read(ROWS, scale="sets"), labels=["c", "b", "a", "never"])
    assert (again.labels, again.members) == (ann.labels, ann.members) and again.keys.tolist() == ann.keys.tolist()


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    assert read([("1", "a", [10, 9]), ("1", "b", [9.0])], scale="sets").labels == ((9,), (9, 10))
    path = write(tmp_path, "x.csv", "item,rater,label\n1,a,10;9\n1,b,9\n")
    assert read(path, scale="sets", sep=";").members == (9, 10)
    assert read([("1", "a", ["10", "9"]), ("1", "b", ["9"])], scale="sets").members == ("10", "9")


def test_order_is_kept_where_asked(tmp_path: Path) -> None:
    rows = [("1", "x", ["b", "a"]), ("1", "y", ["a", "b"])]
    assert read(rows, scale="sets").labels == (("a", "b"),)
    ann = read(rows, scale="sets", ordered=True)
    assert ann.labels == (("a", "b"), ("b", "a"))
    assert raters.agreement(ann, distance="masi", interval=None).observed == 0  # the same set
    text = "item,rater,label\n1,x,b\n1,x,a\n1,y,a\n1,y,b\n"
    assert read(write(tmp_path, "x.csv", text), multi="rows", ordered=True).labels == (("a", "b"), ("b", "a"))


def test_wide_and_duckdb_and_other_columns() -> None:
    wide = read([[["a"], ["b", "a"]], [[], None]], layout="wide", scale="sets")
    assert wide.labels == ((), ("a",), ("a", "b")) and wide.n_annotations == 3
    relation = duckdb.sql(
        "SELECT * FROM (VALUES (1, 'x', ['p', 'q'], 'u'), (1, 'y', ['q'], 'u')) AS t(item, rater, label, topic)"
    )
    ann = read(relation, scale="sets")
    assert ann.labels == (("q",), ("p", "q")) and ann.extras == ("topic",)
    assert [e.name for e in raters.agreement(ann, by="topic", interval=None)] == ["u"]


def test_rows_keep_the_other_columns() -> None:
    rows = [{"item": 1, "rater": "x", "label": k, "topic": "u"} for k in "ab"] + [
        {"item": 1, "rater": "y", "label": "a", "topic": "u"}
    ]
    ann = read(rows, multi="rows")
    assert ann.scale == "sets" and ann.extras == ("topic",) and ann.labels == (("a",), ("a", "b"))


def test_labels_that_mean_missing() -> None:
    ann = read(
        [("1", "a", ["x", "NA"]), ("1", "b", ["NA"]), ("2", "a", ["x"]), ("2", "b", [])], scale="sets", missing=["NA"]
    )
    assert found(ann) == {("1", "a"): {"x"}, ("2", "a"): {"x"}, ("2", "b"): set()}
    assert ann.dropped == {"label in missing=": 1}


@pytest.mark.spark
def test_spark_reads_the_same(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame(list(ROWS), "item string, rater string, label array<string>")
    ann = read(frame, scale="sets")
    assert found(ann) == SETS and ann.engine.name == "spark"
    here = read(ROWS, scale="sets")
    assert raters.agreement(ann, interval=None).value == raters.agreement(here, interval=None).value
    text = spark.createDataFrame(
        [(i, r, k) for i, r, s in ROWS for k in s or []], "item string, rater string, label string"
    )
    assert found(read(text, multi="rows")) == {k: v for k, v in SETS.items() if v}


HOSTILE = ["O'Brien", 'say "hi"', "back\\slash", "日本語", "a;b", "[x]", "two\nlines", " pad ", "1", ""]


def test_hostile_labels_survive_lists() -> None:
    rows = [(i, who, [a, b]) for i, (a, b) in enumerate(itertools.pairwise(HOSTILE)) for who in "xy"]
    ann = read(rows, scale="sets")
    assert set(ann.members) == {label.strip() for label in HOSTILE}  # spaces around a label do not count
    assert raters.agreement(ann, interval=None).value == 1


BAD = {
    "off the list": (
        ROWS,
        {"labels": ["a", "b"]},
        DataError,
        "label 'c' is not on the scale .* first: item 'q3', rater 'ann'",
    ),
    "separator in a label": (
        ROWS,
        {"sep": ";", "labels": ["a", "b;c"]},
        UsageError,
        "'b;c' contains the separator ';'",
    ),
    "separator and off the list": (
        [("1", "a", "x;y"), ("1", "b", "x")],
        {"sep": ";", "labels": ["x"]},
        DataError,
        "Is ';' part of a label",
    ),
    "blank separator": (ROWS, {"sep": " "}, UsageError, "cannot separate"),
    "list in a list": ([("1", "a", [["x"]])], {}, DataError, "spans and relations are not supported"),
    "nothing in a set": (
        [("1", "a", ["x", None])],
        {},
        DataError,
        "a missing label inside a set .*item '1', rater 'a'",
    ),
    "a dict": ([("1", "a", {"x": 1})], {}, DataError, "not a set of labels|inside a list"),
    "counts": ([[1, 2]], {"layout": "counts"}, UsageError, "one label per cell"),
    "multi and sep": (ROWS, {"multi": "rows", "sep": ";"}, UsageError, "omit sep="),
    "multi": (ROWS, {"multi": "columns"}, UsageError, "multi='rows'"),
    "multi on nominal": (ROWS, {"multi": "rows", "scale": "nominal"}, UsageError, "scale='sets'"),
    "period": (ROWS, {"period": 3}, UsageError, "circular"),
    "twice": (ROWS, {"labels": ["a", "a"]}, UsageError, "twice"),
    "no such columns": ([("1", "a", "x")], {"label": "topic_*"}, UsageError, "no column starts with 'topic_'"),
    "nothing": ([("1", "a", None)], {}, DataError, "no annotations"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    source, options, kind, message = BAD[name]
    with pytest.raises(kind, match=message) as caught:
        read(source, **{"scale": "sets", **options})
    assert "\n" not in str(caught.value)


def test_bad_marks_and_lists_in_files(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"row 2, column 'label_y' is '2'"):
        read(write(tmp_path, "a.csv", "item,rater,label_x,label_y\n1,a,1,0\n1,b,1,2\n"), scale="sets")
    with pytest.raises(DataError, match="no commas between labels"):
        read(write(tmp_path, "b.csv", "item,rater,label\n1,a,['x' 'y']\n1,b,['x']\n"), scale="sets")
    with pytest.raises(DataError, match="neither JSON nor a Python list"):
        read(write(tmp_path, "c.csv", "item,rater,label\n1,a,[x]\n1,b,['x']\n"), scale="sets")


def test_a_separator_that_was_forgotten_or_never_occurs(tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", "item,rater,label\n1,a,x;y\n1,b,x\n")
    with pytest.warns(RatersWarning, match=r"'x;y' look like several labels; pass sep=';'") as caught:
        read(path, scale="sets")
    assert caught[0].filename == __file__
    assert any("occurs in no cell" in n for n in read(path, scale="sets", sep="|").warnings)


def test_scales_do_not_turn_into_each_other() -> None:
    with pytest.raises(UsageError, match="cannot be converted into each other"):
        read(read(ROWS, scale="sets"), scale="nominal")
    with pytest.raises(UsageError, match="cannot be converted into each other"):
        read(read([("1", "a", "x")], scale="nominal"), scale="sets")
    with pytest.raises(DataError, match="scale='sets'"):
        read(ROWS)


def test_a_label_twice_in_a_set_counts_once() -> None:
    ann = read([("1", "a", ["x", "x"]), ("1", "b", ["x"])], scale="sets")
    assert ann.labels == (("x",),) and any("counts once" in n for n in ann.warnings)


def test_several_rows_are_repeats_unless_said() -> None:
    ann = read([("1", "a", "x"), ("1", "a", "y"), ("1", "b", "x")], scale="sets")
    assert any("multi='rows'" in n for n in ann.warnings)
    with pytest.raises(DataError, match="repeat an item and rater"):
        raters.multilabel(ann)


def test_thousands_of_labels() -> None:
    rng = np.random.default_rng(0)
    rows = [(i, who, [int(k) for k in rng.integers(0, 4000, 2)]) for i in range(2000) for who in "xy"]
    ann = read(rows, scale="sets", labels=range(4000))
    assert len(ann.members) == 4000 and ann.n_annotations == 4000
