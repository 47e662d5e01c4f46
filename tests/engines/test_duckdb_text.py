"""Numbers of rows are left out of a view only where nothing can miss them; part of a table is copied inside the
database.
"""

from pathlib import Path

import duckdb
import numpy as np
import pytest

import raters
from raters.engines.duckdb import DuckDBEngine, needs_rows, unnumbered
from raters.items.subsets import part_of
from raters.reporting.cards import hardest_cards
from raters.reporting.context import Context


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    path = tmp_path / "labels.parquet"
    duckdb.sql(
        "SELECT 'i' || (n // 4) AS item, 'r' || (n % 4) AS rater, ['a', 'b'][1 + CAST(hash(n) % 2 AS INTEGER)] AS label"
        " FROM range(4000) AS t(n)"
    ).write_parquet(str(path))
    return path


@pytest.mark.parametrize(
    "view",
    [
        "SELECT * FROM (SELECT row_number() OVER () AS row, * FROM source) AS s ORDER BY row",
        "SELECT DISTINCT row, item FROM (SELECT row_number() OVER () AS row, * FROM source) AS s",
        "SELECT row, item FROM (SELECT row_number() OVER () AS row, * FROM source) AS s UNION SELECT 1, 2",
        'SELECT row, a AS "row" FROM (SELECT row_number() OVER () AS row, * FROM source) AS s',
    ],
)
def test_a_view_that_uses_its_rows_keeps_them(view: str) -> None:
    assert unnumbered(view) == view


def test_a_query_that_may_use_rows() -> None:
    assert needs_rows("SELECT min(label, row) FROM annotations") and needs_rows("SELECT a.* FROM annotations AS a")
    assert not needs_rows("SELECT item, count(*) AS rows FROM annotations GROUP BY item")


def test_a_filter_reaches_the_file(parquet: Path) -> None:
    engine = raters.read(parquet).engine
    assert isinstance(engine, DuckDBEngine) and engine._connection is not None
    sql = "SELECT label FROM annotations WHERE md5(item) < '1'"
    plans = [
        str(engine._connection.execute(f"EXPLAIN WITH annotations AS ({view}) {sql}").fetchall())
        for view in (engine._view, engine._views(sql)["annotations"])
    ]
    assert ["FILTER" in plan.upper().replace("FILTERS", "") for plan in plans] == [True, False]


def test_a_part_copied_in_the_database_is_the_part_that_python_fetches(
    parquet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = part_of(raters.read(parquet), 800)
    monkeypatch.setattr(DuckDBEngine, "copied", lambda self, sql: None)
    fetched = part_of(raters.read(parquet), 800)
    assert copied.summary() == fetched.summary() and 600 < copied.n_annotations < 1000
    rows = [
        a.engine.query("SELECT item, rater, label FROM annotations ORDER BY item, rater") for a in (copied, fetched)
    ]
    assert all(np.array_equal(rows[0][name], rows[1][name]) for name in ("item", "rater", "label"))


def test_the_first_of_repeated_labels_is_the_first_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "twice.parquet"
    duckdb.sql(
        "SELECT n // 6 AS item, n % 3 AS rater, ['x', 'y'][1 + CAST((n // 3) % 2 AS INTEGER)] AS label FROM range(600)"
        " AS t(n)"
    ).write_parquet(str(path))
    ann = raters.read(path, duplicates="first")
    assert ann.repeats == 300 and raters.agreement(ann, "percent", interval=None).value == 1
    assert raters.agreement(part_of(ann, 300), "percent", interval=None).value == 1


def test_items_that_are_numbers_are_looked_up_by_value(tmp_path: Path) -> None:
    path = tmp_path / "numbers.parquet"
    duckdb.sql(
        "SELECT n // 4 AS item, 'r' || (n % 4) AS rater, ['a', 'b'][1 + CAST(hash(n) % 2 AS INTEGER)] AS label, 'text '"
        " || (n // 4) AS text FROM range(80) AS t(n)"
    ).write_parquet(str(path))
    hardest = [3, np.int64(17)]
    ann = raters.read(path)
    by_value = hardest_cards(Context(ann), hardest)
    by_name = hardest_cards(Context(ann), [str(x) for x in hardest])
    assert by_value is not None and by_name is not None
    assert [(c.item, c.text, c.votes) for c in by_value.cards] == [(c.item, c.text, c.votes) for c in by_name.cards]
    assert [(card.item, card.text, sum(v.n for v in card.votes)) for card in by_value.cards] == [
        ("3", "text 3", 4),
        ("17", "text 17", 4),
    ]
