"""Reading: every kind of source gives the same long table."""

import gzip
import json
import warnings
from collections import namedtuple
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sources import CSV, ROWS, long, write

from raters.errors import RatersWarning, UsageError
from raters.io.read import read
from raters.io.sources.json import labels_by_name

TEXTS = {
    "x.csv": CSV,
    "x.csv.gz": CSV,
    "x.txt": CSV.replace(",", ";"),
    "x.tsv": CSV.replace(",", "\t"),
    "x.tsv.gz": CSV.replace(",", "\t"),
    "bom.csv": "\ufeff" + CSV,
    "crlf.csv": CSV.replace("\n", "\r\n"),
    "cr.csv": CSV.replace("\n", "\r"),
    "mixed ends.csv": CSV.replace("\n", "\r\n", 2),
    "no end.csv": CSV.rstrip("\n"),
    "blank lines.csv": CSV.replace("\n", "\n\n"),
    "quoted.csv": CSV.replace("ann", '"ann"').replace("item,", '"item",'),
    "pipe.csv": CSV.replace(",", "|"),
    "x.jsonl": "".join(json.dumps(dict(zip(("item", "rater", "label"), row, strict=True))) + "\n" for row in ROWS),
    "x.jsonl.gz": "".join(json.dumps(dict(zip(("item", "rater", "label"), row, strict=True))) + "\n" for row in ROWS),
    "x.ndjson": "".join(json.dumps({"label": v, "item": i, "rater": r}) + "\n\n" for i, r, v in ROWS),
    "array.json": json.dumps([{"label": v, "item": i, "rater": r} for i, r, v in ROWS]),
    "odd *?[1] 'name' \".csv": CSV,
}


@pytest.mark.parametrize("name", TEXTS)
def test_text_files(name: str, tmp_path: Path) -> None:
    ann = read(write(tmp_path, name, TEXTS[name]))
    assert long(ann) == ROWS
    assert ann.source == name and ann.scale == "nominal" and ann.labels == ("no", "yes")
    assert str(ann).startswith(f"{name}: 2 items, 2 raters, 4 annotations; 2 labels: no, yes; 2 labels per item")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "cp1252", "utf-8-sig"])
def test_encodings(encoding: str, tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", "item,rater,label\ncafé,ann,naïve\n", encoding)
    assert long(read(path, encoding=encoding)) == [("café", "ann", "naïve")]


@pytest.mark.parametrize("name", ["x.parquet", "odd *?[1].parquet", "x.parquet.gz"])
def test_parquet(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    pd.DataFrame(ROWS, columns=["item", "rater", "label"]).to_parquet(path)
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(path.read_bytes()))
    (tmp_path / "odd xx1.parquet").write_bytes(b"must not be read")
    assert long(read(path)) == ROWS


def test_format_and_separator_can_be_given(tmp_path: Path) -> None:
    assert long(read(write(tmp_path, "x.data", CSV), format="csv")) == ROWS
    assert long(read(str(write(tmp_path, "y.csv", CSV.replace(",", "#"))), delimiter="#")) == ROWS
    with pytest.raises(UsageError, match="use delimiter="):
        read(str(tmp_path / "y.csv"), sep="#")


Row = namedtuple("Row", "task worker answer")
FRAME = {"item": [r[0] for r in ROWS], "rater": [r[1] for r in ROWS], "label": [r[2] for r in ROWS]}


@pytest.mark.parametrize(
    "source",
    [
        ROWS,
        (row for row in ROWS),
        [list(row) for row in ROWS],
        [dict(zip(("label", "item", "rater"), (v, i, r), strict=True)) for i, r, v in ROWS],
        [Row(*row) for row in ROWS],
        FRAME,
        pd.DataFrame(FRAME),
        pd.DataFrame(FRAME, index=[3, 3, 1, 0]),
        pd.DataFrame(FRAME, dtype=object),
        pd.DataFrame(FRAME, dtype="category"),
        pd.DataFrame(FRAME, dtype="string"),
        pl.DataFrame(FRAME),
        pl.LazyFrame(FRAME),
        pa.table(FRAME),
        duckdb.from_arrow(pa.table(FRAME)),
    ],
    ids=lambda s: type(s).__module__ + "." + type(s).__name__,
)
def test_objects(source: Any) -> None:
    assert long(read(source)) == ROWS


def test_input_is_not_modified() -> None:
    frame = pd.DataFrame({"item": [1, 1], "rater": ["a", None], "label": [1, "x"], "topic": pd.Categorical(["u", "v"])})
    copy, types = frame.copy(deep=True), frame.dtypes.to_dict()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read(frame)
    pd.testing.assert_frame_equal(frame, copy)
    assert frame.dtypes.to_dict() == types


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ([1, 2], [1, 2]),
        ([1.5, 2.0], [1.5, 2.0]),
        (["1", "2"], ["1", "2"]),
        ([1, "a"], ["1", "a"]),
        ([True, False], ["true", "false"]),
        ([2**60, 2**60 + 1], [2**60, 2**60 + 1]),
        ([2**70, 2**70 + 1], [str(2**70), str(2**70 + 1)]),
    ],
)
def test_names_keep_their_type(values: list[Any], kept: list[Any]) -> None:
    rows = [(v, "r", "x") for v in values]
    assert [i for i, _, _ in long(read(rows))] == kept


def test_names_in_frames_keep_their_type() -> None:
    frame = pl.DataFrame(
        {"item": np.array([2**63, 2**63 + 1], dtype=np.uint64), "rater": [True, False], "label": ["a", "b"]}
    )
    assert long(read(frame)) == [(str(2**63), "true", "a"), (str(2**63 + 1), "false", "b")]


@pytest.mark.parametrize("nothing", [None, float("nan"), np.nan, pd.NA, pd.NaT, "", "  "])
def test_missing_labels_are_dropped_and_counted(nothing: Any) -> None:
    rows = [*ROWS, ("q3", "ann", nothing), (nothing, "ann", "no"), ("q3", nothing, "no")]
    ann = read(rows)
    assert ann.dropped == {"missing item": 1, "missing label": 1, "missing rater": 1}
    assert long(ann) == ROWS
    assert "dropped: 1 row (missing label)" in str(ann)
    frame = pd.DataFrame(rows, columns=["item", "rater", "label"], dtype=object)
    assert long(read(frame)) == ROWS


def test_words_for_missing_are_labels_unless_listed() -> None:
    rows = [("q", "a", "nan"), ("q", "b", "NA"), ("q", "c", "None")]
    assert read(rows).labels == ("NA", "None", "nan")
    ann = read(rows, missing=["nan", "NA"])
    assert ann.labels == ("None",) and ann.dropped == {"label in missing=": 2}


@pytest.mark.parametrize("missing", [[-1], ["-1"], [-1.0], ["-1.0"], "-1"])
@pytest.mark.parametrize("kind", [int, float, str])
def test_missing_numbers(missing: Any, kind: type, tmp_path: Path) -> None:
    rows = [("q", "a", kind(-1)), ("q", "b", kind(2)), ("q", "c", kind(3))]
    ann = read(rows, missing=missing, scale="nominal")
    if kind is str and missing not in (["-1"], [-1], [-1.0], "-1"):
        assert len(ann.labels) == 3
    else:
        assert [float(v) for v in ann.labels] == [2, 3]
    text = "item,rater,label\n" + "".join(f"{i},{r},{v}\n" for i, r, v in rows)
    assert read(write(tmp_path, "x.csv", text), missing=missing, scale="nominal").labels == (2, 3)


@pytest.mark.parametrize(
    ("labels", "kept"),
    [
        (pd.array([1, None, 2], dtype="Int64"), (1, 2)),
        (pd.array([True, None, False], dtype="boolean"), (False, True)),
        (np.array([0.5, 1, np.nan], dtype="float16"), (0.5, 1.0)),
        (np.array([1, 2, 2], dtype="uint64"), (1, 2)),
        (pd.Categorical([3, 1, None]), (1, 3)),
        (pd.Series([np.int64(1), np.float64(2.5), None], dtype=object), (1, 2.5)),
        (pd.Series([Decimal("1.5"), None, 2], dtype=object), (1.5, 2)),
        (pd.to_datetime(["2020-01-01", "2020-01-02", None]), ("2020-01-01 00:00:00", "2020-01-02 00:00:00")),
        (pl.Series([1, 2, None], dtype=pl.Int128), (1, 2)),
        (pl.Series(["x", "y", "x"], dtype=pl.Enum(["y", "x"])), ("x", "y")),
        (pl.Series([date(2020, 1, 1), None, None]), ("2020-01-01",)),
        (pl.Series([1.0, 2.0, float("nan")]), (1, 2)),
        (pl.Series([1, "x", None], dtype=pl.Object), ("1", "x")),
        (pa.array(["x", "y", "x"]).dictionary_encode(), ("x", "y")),
        (pa.array(["x", "y", None], pa.large_string()), ("x", "y")),
    ],
    ids=lambda v: str(getattr(v, "dtype", getattr(v, "type", ""))).replace(" ", "")[:20],
)
def test_types_of_columns(labels: Any, kept: tuple[Any, ...]) -> None:
    columns = {"item": [1, 1, 2], "rater": ["a", "b", "a"], "label": labels, "tags": [["x"], [], ["x", "y"]]}
    kind = type(labels).__module__.partition(".")[0]
    frame = (
        pl.DataFrame(columns) if kind == "polars" else pa.table(columns) if kind == "pyarrow" else pd.DataFrame(columns)
    )
    assert read(frame, scale="nominal").labels == kept


def test_a_million_rows_of_distinct_values_take_seconds() -> None:
    n = 1_000_000
    frame = pl.DataFrame(
        {"item": np.arange(n) // 5, "rater": np.arange(n) % 5, "label": np.random.default_rng(0).random(n)}
    )
    with pytest.warns(RatersWarning, match="interval"):
        ann = read(frame)
    assert len(ann.labels) == n and ann.per_item == (5, 5.0, 5)


def test_labels_by_rater_and_item_in_one_object(tmp_path):
    """rater -> item -> label, as benchmarks of judges keep it: the names of raters are no labels."""
    people = {who: {f"q{i}": ("no", "yes")[(i + (who == "bob")) % 2] for i in range(30)} for who in ("ann", "bob")}
    file = tmp_path / "people.json"
    file.write_text(json.dumps(people), encoding="utf-8")
    ann = read(file)
    assert (ann.n_items, ann.n_raters, ann.n_annotations, ann.labels) == (30, 2, 60, ("no", "yes"))
    assert any("{rater: {item: label}}" in note for note in ann.warnings)
    one = tmp_path / "judge.json"
    one.write_text(json.dumps({"gpt": people["ann"]}), encoding="utf-8")
    assert (read(one).n_items, read(one).n_raters) == (30, 1)
    record = {f"q{i}": {"score": i, "name": f"n{i}"} for i in range(30)}
    assert labels_by_name(record) is None and labels_by_name({"meta": 1, **people}) is None
