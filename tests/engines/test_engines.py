"""One table, every engine: the same answers from the same SQL, and nothing left behind."""

import gc
import os
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from raters.engines.base import plain_array, with_views
from raters.engines.duckdb import DuckDBEngine
from raters.io.read import read

HOSTILE = [
    "plain",
    "O'Brien",
    'say "hi"',
    "x; DROP TABLE source; --",
    "<script>alert(1)</script>",
    "back\\slash \\' \\n",
    "tick`s ``",
    "{brace} %s $1 ? :x",
    "日本語 🎉 é",
    "two\nlines\ttab",
    " spaces ",
    "NULL",
    "nan",
    "a.b.c",
    "A.B.C",
]


def table() -> dict[str, list[Any]]:
    """Ten items, three raters, hostile names wherever a name can be."""
    rng = np.random.default_rng(5)
    rows = [(i, j) for i in range(10) for j in range(3) if rng.random() < 0.9]
    return {
        'it\'em "x"; --': [i for i, _ in rows],
        "wor`ker\\": [HOSTILE[j + 1] for _, j in rows],
        "la<b>el?": [HOSTILE[(i + int(rng.random() < 0.4)) % len(HOSTILE)] for i, _ in rows],
        "to.pic 日本": [HOSTILE[-1 - i % 3] for i, _ in rows],
        "row": [float(i) for i, _ in rows],
    }


NAMES = dict(zip(("item", "rater", "label"), table(), strict=False))
FRAMES = {
    "columns": lambda d: d,
    "rows": lambda d: [dict(zip(d, values, strict=True)) for values in zip(*d.values(), strict=True)],
    "pandas": pd.DataFrame,
    "pandas objects": lambda d: pd.DataFrame(d).astype(object),
    "pandas categories": lambda d: pd.DataFrame(d).astype({NAMES["label"]: "category"}),
    "polars": pl.DataFrame,
    "polars lazy": lambda d: pl.DataFrame(d).lazy(),
    "polars categories": lambda d: pl.DataFrame(d).with_columns(pl.col(NAMES["label"]).cast(pl.Categorical)),
    "pyarrow": pa.table,
    "duckdb": lambda d: duckdb.connect().from_arrow(pa.table(d)),
}
QUERIES = (
    "SELECT count(*) AS n, min(row) AS low FROM annotations",
    "SELECT label, count(*) AS n FROM annotations GROUP BY label ORDER BY label",
    "SELECT item, array_sort(array_agg(label)) AS labels FROM annotations GROUP BY item ORDER BY item",
    "SELECT rater, count(*) FILTER (WHERE label > rater) AS n FROM annotations GROUP BY rater ORDER BY rater",
    "WITH a AS (SELECT item, min_by(label, row) AS first FROM annotations GROUP BY item) SELECT * FROM a ORDER BY item",
)


def same(x: dict[str, Any], y: dict[str, Any]) -> bool:
    return list(x) == list(y) and all([_list(v) for v in x[k]] == [_list(v) for v in y[k]] for k in x)


def _list(value: Any) -> Any:
    return list(value) if isinstance(value, np.ndarray) else value


@pytest.fixture(scope="module")
def expected() -> list[dict[str, Any]]:
    ann = read(table(), **NAMES)
    return [ann.engine.query(q) for q in QUERIES[1:]]


def check(ann: Any, expected: list[dict[str, Any]]) -> None:
    assert ann.n_items == 10 and ann.n_raters == 3 and ann.n_annotations == len(table()["row"])
    assert set(ann.labels) <= {label.strip() for label in HOSTILE} and list(ann.labels) == sorted(ann.labels)
    assert ann.extras == ("to.pic 日本", "row_")
    assert all(same(ann.engine.query(q), e) for q, e in zip(QUERIES[1:4], expected[:3], strict=True))
    topic = ann.engine.quote("to.pic 日本")
    by_topic = ann.engine.query(f"SELECT {topic} AS t, max(row_) AS top FROM annotations GROUP BY {topic} ORDER BY t")
    assert by_topic["t"].tolist() == sorted(HOSTILE[-3:])
    assert by_topic["top"].max() == 9
    small = {
        "key": np.array([label.strip() for label in HOSTILE], dtype=object),
        "place": np.arange(len(HOSTILE)),
        "x": np.linspace(0, 1, len(HOSTILE)),
    }
    joined = ann.engine.query(
        "SELECT key, place, x, count(*) AS n FROM annotations JOIN k ON key = label GROUP BY 1, 2, 3", k=small
    )
    assert int(joined["n"].sum()) == ann.n_annotations
    assert all(
        HOSTILE[at].strip() == key and x == small["x"][at]
        for key, at, x in zip(joined["key"], joined["place"], joined["x"], strict=True)
    )
    assert "<script>" not in ann._repr_html_()


@pytest.mark.parametrize("kind", FRAMES)
def test_the_same_table_from_every_frame(kind: str, expected: list[dict[str, Any]]) -> None:
    check(read(FRAMES[kind](table()), **NAMES), expected)


@pytest.mark.spark
def test_spark_runs_the_same_sql(spark: Any, expected: list[dict[str, Any]]) -> None:
    frame = spark.createDataFrame(list(zip(*table().values(), strict=True)), list(table()))
    before = {t.name for t in spark.catalog.listTables()}
    ann = read(frame, **NAMES)
    assert ann.engine.name == "spark" and ann.source == "Spark frame"
    check(ann, expected)
    assert same(ann.engine.query(QUERIES[4]), expected[3])
    assert {t.name for t in spark.catalog.listTables()} == before


@pytest.mark.spark
def test_spark_layouts_and_numbers(spark: Any) -> None:
    wide = spark.createDataFrame([("a", 1.0, 2.0), ("b", None, 3.0), ("c", float("nan"), 3.0)], ["item", "x'y", "X'Y"])
    ann = read(wide, layout="wide", scale="interval", missing=[3])
    ours = read(
        pd.DataFrame({"item": ["a", "b", "c"], "x'y": [1, None, None], "X'Y": [2, 3, 3]}),
        layout="wide",
        scale="interval",
        missing=[3],
    )
    rows = "SELECT row, item, rater, label FROM annotations ORDER BY item, rater DESC"
    assert ann.dropped == ours.dropped == {"missing label": 2, "label in missing=": 2}
    for name in ("item", "rater", "label"):
        assert ann.engine.query(rows)[name].tolist() == ours.engine.query(rows)[name].tolist()
    counts = spark.createDataFrame([("a", 3, 0), ("b", None, 2)], "item STRING, no INT, yes INT")
    assert read(counts, layout="counts").per_item == (2, 2.5, 3)
    bools = spark.createDataFrame([("a", "r", True), ("a", "s", False)], ["item", "rater", "label"])
    assert read(bools).labels == (False, True)


def test_a_users_database_is_left_as_it_was() -> None:
    con = duckdb.connect()
    con.execute("CREATE TABLE annotations AS SELECT 'theirs' AS item, 'r' AS rater, 'x' AS label")
    con.execute(
        "CREATE TABLE mine AS SELECT range % 10 AS item, range // 10 AS rater, 'l' || range % 3 AS label FROM range(50)"
    )
    before = con.execute(
        "SELECT * FROM duckdb_tables() UNION ALL BY NAME SELECT * FROM duckdb_views() WHERE NOT internal"
    ).fetchall()
    ann = read(con.table("mine"), labels=["l0", "l1", "l2", "l'3"])
    answer = ann.engine.query("SELECT count(*) AS n FROM annotations JOIN k ON label = key", k={"key": ann.keys})
    assert answer["n"].tolist() == [50]
    assert ann.engine.query("SELECT count(*) AS n FROM k", k={"key": np.array([], dtype=object)})["n"].tolist() == [0]
    after = con.execute(
        "SELECT * FROM duckdb_tables() UNION ALL BY NAME SELECT * FROM duckdb_views() WHERE NOT internal"
    ).fetchall()
    assert before == after


def test_a_relation_stays_lazy() -> None:
    con = duckdb.connect()
    con.execute(
        "CREATE TABLE t AS SELECT range % 10 AS item, range // 10 AS rater, 'l' || range % 3 AS label FROM range(50)"
    )
    ann = read(con.table("t"))
    con.execute("DELETE FROM t WHERE item = 0")
    assert ann.engine.query("SELECT count(*) AS n FROM annotations")["n"][0] == 45


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_any_number_of_threads(threads: int) -> None:
    con = duckdb.connect(config={"threads": threads})
    con.execute(
        "CREATE TABLE t AS SELECT range // 5 AS item, range % 7 AS rater, (range * 7919) % 13 + 0.5 AS label FROM"
        " range(300000)"
    )
    ann = read(con.table("t"), scale="interval", duplicates="first")
    first = ann.engine.query("SELECT item, min_by(label, row) AS x FROM annotations GROUP BY item ORDER BY item")["x"]
    assert np.array_equal(first, (np.arange(0, 300000, 5) * 7919) % 13 + 0.5)


def some(i: int) -> dict[str, Any]:
    return {"item": np.arange(60) // 3, "rater": np.arange(60) % 3, "label": np.arange(60) % (i + 2)}


def test_tables_do_not_see_each_other(tmp_path: Any) -> None:
    """All of ours share one database: read, kept and asked at once, from several threads."""

    def path(i: int) -> str:
        name = tmp_path / f"{i}.csv"
        pl.DataFrame(some(i)).write_csv(name)
        return str(name)

    paths = [path(i) for i in range(8)]

    def asked(ann: Any) -> tuple[int, int]:
        small = {"key": ann.keys, "code": np.arange(len(ann.keys))}
        n = ann.engine.query("SELECT count(*) AS n, max(code) AS top FROM annotations JOIN k ON label = key", k=small)
        return int(n["n"][0]), int(n["top"][0]) + 1

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda source: read(source, scale="nominal"), [*paths, *map(some, range(8))]))
        for _ in range(3):
            assert list(pool.map(asked, found)) == [(60, i + 2) for i in range(8)] * 2
        assert list(pool.map(asked, [found[3]] * 8)) == [(60, 5)] * 8


def test_nothing_stays_of_a_table_that_is_no_longer_used() -> None:
    frame = pa.table(some(3))  # scanned where it is; arrays are copied
    held, sql = weakref.ref(frame), "SELECT count(*) AS n FROM annotations"
    ann = read(frame, scale="nominal")
    del frame
    assert int(ann.engine.query(sql)["n"][0]) == 60 and held() is not None
    del ann
    gc.collect()
    assert held() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_reads_too() -> None:
    script = (
        "import os, raters\n"
        "rows = [(i, r, 'x') for i in range(9) for r in 'ab']\n"
        "raters.read(rows)\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    os._exit(raters.read(rows).n_items)\n"
        "raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) - 9)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


def test_missing_values_in_answers() -> None:
    engine = DuckDBEngine.from_columns({"c0": np.array([1, 2])})
    answer = engine.query(
        "SELECT NULL::BIGINT AS i, NULL::VARCHAR AS s, 1.5 AS f, [1, 2] AS l FROM annotations ORDER BY row"
    )
    assert np.isnan(answer["i"]).all() and answer["s"].tolist() == [None, None]
    assert answer["l"][0].tolist() == [1, 2]
    assert plain_array(np.ma.masked_array([True, False], [False, True])).tolist() == [True, None]


def test_views_go_in_front() -> None:
    assert with_views("  with b as (select 1) select 2", {"a": "x"}).startswith("WITH a AS (x), b as")
    assert with_views("SELECT 1", {}) == "SELECT 1"
