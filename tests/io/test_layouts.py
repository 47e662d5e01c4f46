"""Wide tables, counts and contingency tables give the same long table."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sources import long, write

from raters.io.read import read

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
    assert "unnamed raters" in str(ann)


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
        "SELECT a, b, count(*) AS n FROM (SELECT item, max(CASE WHEN rater = 'first' THEN label END) AS a, max(CASE"
        " WHEN rater = 'second' THEN label END) AS b FROM annotations GROUP BY item) AS t GROUP BY a, b ORDER BY a, b"
    )
    assert pairs["n"].tolist() == [5, 1, 2, 4]
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (12, 2, 24)
    named = write(tmp_path, "x.csv", ",yes,no\nno,1,5\nyes,4,2\n")
    assert sorted(r[1:] for r in long(read(named, layout="contingency"))) == sorted(r[1:] for r in long(ann))
    assert read(named, layout="contingency").labels == ("yes", "no")
    frame = pd.DataFrame(table, index=["no", "yes"], columns=["no", "yes"])
    assert long(read(frame, layout="contingency", rater=["A", "B"]))[0][1] in ("A", "B")
