"""Spark: how many jobs a command takes, and views that live as long as the frames that a Connect session makes of
them.
"""

import gc
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import raters
from raters.cli import cli
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


def test_files_by_the_command_line(spark: Any, tmp_path: Path) -> None:
    rows = [f"q{i},r{j},{'yes' if (i * 3 + j) % 4 else 'no'}" for i in range(12) for j in range(3)]
    path = tmp_path / "day 1.csv"
    path.write_text("\n".join(["item,rater,label", *rows]))
    given = ["agree", str(path), "--format", "json", "--coefficient", "krippendorff", "--interval", "delta"]
    there, here = (CliRunner().invoke(cli, [*given, *more]) for more in (["--engine", "spark"], []))
    assert (there.exit_code, here.exit_code) == (0, 0), there.output
    both = [json.loads(done.output) for done in (there, here)]
    figures = [next(e for e in made["estimates"]) for made in both]
    assert [figures[0][x] for x in ("value", "low", "high")] == pytest.approx(
        [figures[1][x] for x in ("value", "low", "high")], abs=1e-12
    )
    assert spark.sparkContext._jsc.getPersistentRDDs().isEmpty(), "the rows that were kept are released"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--master", "local[2]"], "--master applies to --engine spark"),
        (["--engine", "spark", "--sheet", "one"], "--engine spark does not take '--sheet'"),
        (["--engine", "spark"], "reads Parquet, CSV or JSON lines"),
    ],
)
def test_what_spark_does_not_take(given: list[str], said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_text("x")
    done = CliRunner().invoke(cli, ["agree", str(path), *given])
    assert done.exit_code != 0
    assert said in done.output + str(done.exception)


def test_a_frame_that_spark_keeps_is_read_from_there_and_stays_kept(spark: Any) -> None:
    frame = spark.createDataFrame(ROWS, "item STRING, rater STRING, label STRING").persist()
    made = raters.read(frame).engine
    with made._views({}) as views:  # type: ignore[attr-defined]
        sql = engine.with_names("SELECT label, count(*) FROM annotations GROUP BY label", views)
        assert "InMemoryRelation" in str(spark.sql(sql)._jdf.queryExecution().executedPlan())
    assert frame.storageLevel.useMemory
    frame.unpersist()
