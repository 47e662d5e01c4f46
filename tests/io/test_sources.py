"""Reading: every kind of source and layout gives the same long table."""

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

from raters import examples, simulate
from raters.annotations import Annotations
from raters.errors import DataError, RatersWarning, UsageError
from raters.io import read

ROWS = [("q1", "ann", "no"), ("q1", "bob", "yes"), ("q2", "ann", "no"), ("q2", "bob", "no")]
CSV = "item,rater,label\n" + "".join(f"{i},{r},{v}\n" for i, r, v in ROWS)


def long(ann: Annotations) -> list[tuple[Any, ...]]:
    """The annotations in the order of the source."""
    found = ann.engine.query("SELECT item, rater, label FROM annotations ORDER BY row, item, rater")
    return list(zip(*(found[c].tolist() for c in ("item", "rater", "label")), strict=True))


def write(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    data = text.encode(encoding)
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


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
    assert long(read(str(write(tmp_path, "y.csv", CSV.replace(",", "#"))), sep="#")) == ROWS


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


WIDE = [[1, 1, None], [2, 3, 2], [None, None, 3]]
CELLS = [(1, 1, 1.0), (1, 2, 1.0), (2, 1, 2.0), (2, 2, 3.0), (2, 3, 2.0), (3, 3, 3.0)]


@pytest.mark.parametrize(
    "matrix", [WIDE, tuple(map(tuple, WIDE)), np.array(WIDE, dtype=float), np.array(WIDE, dtype=object)], ids=type
)
def test_wide_matrix(matrix: Any) -> None:
    ann = read(matrix, layout="wide", scale="ordinal")
    assert long(ann) == CELLS and ann.labels == (1, 2, 3) and ann.dropped == {"missing label": 3}
    turned = np.array(matrix, dtype=object).T if isinstance(matrix, np.ndarray) else list(zip(*matrix, strict=True))
    assert long(read(turned, layout="wide", raters="rows", scale="ordinal")) == CELLS


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


def test_wide_text_matrix() -> None:
    assert read(np.array([["a", "b"], ["b", "b"]]), layout="wide").labels == ("a", "b")
    assert read([["a", None], ["b", "b"]], layout="wide").n_annotations == 3


@pytest.mark.parametrize(
    "make",
    [pd.DataFrame, pl.DataFrame, pa.table, lambda d: duckdb.from_arrow(pa.table(d)), dict],
    ids=["pandas", "polars", "pyarrow", "duckdb", "dict"],
)
def test_wide_frames(make: Any) -> None:
    other = "an'n" if "lambda" in str(make) else "ann"  # DuckDB itself takes no names that differ in case only
    frame = make({"doc": ["x", "y"], "Ann": [1, 2], other: [None, 2], "topic": [7, 8]})
    ann = read(frame, layout="wide", scale="nominal", rater=["Ann", other])
    assert sorted(long(ann)) == [("x", "Ann", 1.0), ("y", "Ann", 2.0), ("y", other, 2.0)]
    assert ann.columns == {"item": "doc"} and ann.extras == ("topic",)
    assert read(make({"Ann": [1, 2], "Bob": [1, 1]}), layout="wide", scale="nominal").columns == {}
    turned = read(
        make({"rater": ["a", "b"], "q1": [1, 2], "q2": [2, 2]}), layout="wide", raters="rows", scale="nominal"
    )
    assert sorted(long(turned)) == [("q1", "a", 1.0), ("q1", "b", 2.0), ("q2", "a", 2.0), ("q2", "b", 2.0)]


def test_wide_csv(tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", "item,A,a\nq1,1,\nq2,3,4\n")
    assert long(read(path, layout="wide", scale="ordinal")) == [("q1", "A", 1.0), ("q2", "A", 3.0), ("q2", "a", 4.0)]
    assert long(read(write(tmp_path, "y.csv", "A,B\nx,y\ny,y\n"), layout="wide"))[0] == (1, "A", "x")


def test_a_pandas_index_names_the_items_of_a_wide_table() -> None:
    frame = pd.DataFrame({"A": ["x", "y"], "B": ["x", "x"]}, index=pd.Index(["q1", "q2"], name="item"))
    assert long(read(frame, layout="wide"))[0] == ("q1", "A", "x")


@pytest.mark.parametrize(
    "make",
    [pd.DataFrame, pl.DataFrame, dict, lambda d: duckdb.from_arrow(pa.table(d))],
    ids=["pandas", "polars", "dict", "duckdb"],
)
def test_counts(make: Any) -> None:
    ann = read(
        make({"item": ["p", "q"], "yes": [2, 0], "no": [1, None], "never": [0, 0]}), layout="counts", item="item"
    )
    assert long(ann) == [("p", None, "yes"), ("p", None, "yes"), ("p", None, "no")]
    assert ann.labels == ("yes", "no", "never") and ann.declared
    assert ann.n_raters == 0 and ann.repeats == 0 and ann.n_items == 1
    assert "raters without names" in str(ann)


def test_counts_of_numbers_and_matrices(tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", "item,1,2,3\na,2,0,1\nb,,3,0\n")
    ann = read(path, layout="counts", scale="ordinal")
    assert ann.numeric and ann.labels == (1, 2, 3) and ann.per_item == (3, 3.0, 3)
    assert read([[1, 2], [3, 0]], layout="counts", labels=["no", "yes"]).labels == ("no", "yes")
    plain = read(np.array([[1, 2], [3, 0]]), layout="counts")
    assert plain.scale == "nominal" and "position" in plain.scale_reason


def test_contingency(tmp_path: Path) -> None:
    table = [[5, 1], [2, 4]]
    ann = read(table, layout="contingency", labels=["no", "yes"])
    pairs = ann.engine.query(
        "SELECT a, b, count(*) AS n FROM (SELECT item, max(CASE WHEN rater = 'first' THEN label END) AS a, "
        "max(CASE WHEN rater = 'second' THEN label END) AS b FROM annotations GROUP BY item) AS t GROUP BY a, b ORDER BY a, b"
    )
    assert pairs["n"].tolist() == [5, 1, 2, 4]
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (12, 2, 24)
    named = write(tmp_path, "x.csv", ",yes,no\nno,1,5\nyes,4,2\n")
    assert sorted(r[1:] for r in long(read(named, layout="contingency"))) == sorted(r[1:] for r in long(ann))
    assert read(named, layout="contingency").labels == ("yes", "no")
    frame = pd.DataFrame(table, index=["no", "yes"], columns=["no", "yes"])
    assert long(read(frame, layout="contingency", rater=["A", "B"]))[0][1] in ("A", "B")


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        (["item", "rater", "label"], ["item", "rater", "label"]),
        (["Item ID", "WORKER-ID", "Answer"], ["Item ID", "WORKER-ID", "Answer"]),
        (
            ["!amt_annotation_ids", "!amt_worker_ids", "orig_id", "response", "gold"],
            ["orig_id", "!amt_worker_ids", "response"],
        ),
        (["id", "text", "annotator", "label"], ["id", "annotator", "label"]),
        (["task", "id", "worker", "user", "rating", "value"], ["task", "worker", "rating"]),
        (["units", "coders", "codes"], ["units", "coders", "codes"]),
        (["question", "judge", "class"], ["question", "judge", "class"]),
    ],
)
def test_columns_are_found(columns: list[str], found: list[str]) -> None:
    ann = read({name: ["a", "b"] for name in columns})
    assert list(ann.columns.values()) == found
    assert ann.extras == tuple(c for c in columns if c not in found)


def test_columns_that_clash_are_moved_aside() -> None:
    ann = read(
        {"doc": [1], "who": ["a"], "grade": ["x"], "item": [2], "Label": [3], "row": [4]},
        item="doc",
        rater="who",
        label="grade",
    )
    assert ann.extras == ("item_", "Label_", "row_")
    assert len(ann.notes) == 3 and ann.engine.query('SELECT "Label_" AS x FROM annotations')["x"].tolist() == [3]


def test_repeats_are_counted() -> None:
    ann = read([*ROWS, ("q2", "bob", "yes"), ("q1", "ann", "no")], duplicates="last")
    assert ann.repeats == 2 and ann.first_repeat == ("q1", "ann") and ann.duplicates == "last"
    assert "repeats: 2 annotations" in str(ann) and "item 'q1', rater 'ann'" in str(ann)


def test_annotations_come_back_declared_anew() -> None:
    ann = read([("a", "x", 1), ("a", "y", 2)], scale="nominal")
    assert read(ann) is ann
    again = read(ann, scale="ordinal", labels=[3, 2, 1], duplicates="first")
    assert (again.scale, again.labels, again.duplicates, again.declared) == ("ordinal", (3, 2, 1), "first", True)
    assert ann.scale == "nominal"
    with pytest.raises(DataError, match="label 2 is not on the scale"):
        read(ann, labels=[1, 3])
    with pytest.raises(UsageError, match="read the source again"):
        read(ann, item="x")


def test_summary_is_ready_for_json() -> None:
    found = json.loads(json.dumps(examples.four_raters().summary()))
    assert found["n_items"] == 12 and found["labels"] == [1, 2, 3, 4, 5] and found["per_item"]["max"] == 4


def test_examples() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sizes = {
            name: (ann.n_items, ann.n_raters, ann.n_annotations)
            for name in ("four_raters", "fleiss_1971", "hayes_krippendorff_2007", "abstractors", "demo")
            for ann in [getattr(examples, name)()]
        }
    assert sizes == {
        "four_raters": (12, 4, 41),
        "fleiss_1971": (30, 6, 180),
        "hayes_krippendorff_2007": (40, 5, 159),
        "abstractors": (100, 2, 200),
        "demo": (200, 5, 951),
    }
    assert long(examples.demo()) == long(examples.demo())


def test_simulated_labels_have_the_truth_they_were_drawn_from() -> None:
    drawn = simulate.labels(5000, 3, 4, accuracy=[1, 0.7, 0.25], prevalence=[0.7, 0.1, 0.1, 0.1], missing=0.1, seed=3)
    right = drawn.label == drawn.truth[drawn.item - 1]
    assert np.allclose([right[drawn.rater == r].mean() for r in (1, 2, 3)], [1, 0.7, 0.25], atol=0.02)
    assert len(drawn.label) == pytest.approx(13500, rel=0.02)
    assert drawn.annotations().labels == (0, 1, 2, 3)
    assert np.array_equal(
        drawn.label,
        simulate.labels(
            5000, 3, 4, accuracy=[1, 0.7, 0.25], prevalence=[0.7, 0.1, 0.1, 0.1], missing=0.1, seed=3
        ).label,
    )


@pytest.mark.slow
def test_a_million_rows_of_distinct_values_take_seconds() -> None:
    n = 1_000_000
    frame = pl.DataFrame(
        {"item": np.arange(n) // 5, "rater": np.arange(n) % 5, "label": np.random.default_rng(0).random(n)}
    )
    with pytest.warns(RatersWarning, match="interval"):
        ann = read(frame)
    assert len(ann.labels) == n and ann.per_item == (5, 5.0, 5)
