"""Spark: how many jobs a command takes, and views that live as long as the frames that a Connect session makes of them."""

import gc
from typing import Any

import pytest

import raters
from raters.engines import spark as engine

pytestmark = pytest.mark.spark
ROWS = [(f"q{i}", f"r{(i + j) % 5}", "abc"[(i + j * j) % 3]) for i in range(30) for j in range(3)]


def jobs(spark: Any, name: str, work: Any) -> int:
    """How many jobs Spark runs for some work."""
    spark.sparkContext.setJobGroup(name, name)
    work()
    return len(spark.sparkContext.statusTracker().getJobIdsForGroup(name))


def test_jobs_of_reading_and_agreement(spark: Any) -> None:
    frame = spark.createDataFrame(ROWS, "item STRING, rater STRING, label STRING")
    asked: list[str] = []
    real = engine.SparkEngine.query

    def query(self: Any, sql: str, **tables: Any) -> Any:
        asked.append(sql)
        return real(self, sql, **tables)

    engine.SparkEngine.query = query  # type: ignore[method-assign]
    try:
        n = jobs(spark, "read and alpha", lambda: raters.agreement(frame))
    finally:
        engine.SparkEngine.query = real  # type: ignore[method-assign]
    whole = [sql for sql in asked if not sql.endswith("LIMIT 20")]  # the first rows are looked at, too
    assert len(whole) == 3  # the labels, the raters, the items with their patterns
    assert n <= 16  # Spark runs several jobs for one query of several stages


def test_a_connect_session_finds_its_views_and_loses_them(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "is_remote", lambda frame: True)
    before = {t.name for t in spark.catalog.listTables()}
    ann = raters.read(spark.createDataFrame(ROWS, "item STRING, rater STRING, label STRING"))
    held = {t.name for t in spark.catalog.listTables()} - before
    assert held and all(name.startswith("raters_") for name in held)
    ours = raters.agreement(ROWS)
    theirs = raters.agreement(ann)
    assert (ours.value, ours.low, ours.high) == (theirs.value, theirs.low, theirs.high)
    del ann
    gc.collect()
    assert {t.name for t in spark.catalog.listTables()} == before
