"""EM by SQL is EM in memory."""

import gc
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import raters
from raters.engines.spark import partitions, with_names
from raters.models.families.spec import Settings
from raters.models.fitting.on_engine import MODELS, _Problem, fit_on_engine

FEW = {"max_iter": 6, "tolerance": 0.0}


def table(**more: Any) -> raters.Annotations:
    drawn = raters.simulate.labels(80, 6, 3, accuracy=[0.9, 0.8, 0.7, 0.6, 0.5, 0.3], missing=0.3, seed=4)
    return raters.read(drawn.columns(["no", "maybe", "yes"]), scale="nominal", **more)


@pytest.mark.parametrize("model", ["dawid_skene", "one_coin"])
@pytest.mark.parametrize("prevalence", ["learned", "uniform"])
def test_every_step_has_the_likelihood_of_the_fit_in_memory(model: str, prevalence: str, tmp_path: Path) -> None:
    ann = table()
    there = fit_on_engine(ann, model, prevalence=prevalence, **FEW)
    here = raters.consensus(ann, model, start="votes", prevalence=prevalence, **FEW)
    np.testing.assert_allclose(there.log_likelihoods, here.log_likelihoods, rtol=1e-9)
    np.testing.assert_allclose(there.objectives, here.trace, rtol=1e-9)
    np.testing.assert_allclose(there.confusion, here.confusion, atol=1e-9)
    assert there.raters == here.raters
    rows = duckdb.read_parquet(str(there.write(tmp_path / "labels.parquet"))).fetchall()
    assert {item: label for item, label, _ in rows} == here.labels
    np.testing.assert_allclose([sure for _, _, sure in rows], [here.certainty[here.items.index(i)] for i, _, _ in rows])


def statement(ann: raters.Annotations, monkeypatch: pytest.MonkeyPatch) -> str:
    """The SQL of an iteration."""
    asked: list[str] = []
    kind = type(ann.engine)
    real = kind.query

    def query(self: Any, sql: str, **tables: Any) -> Any:
        asked.append(sql)
        return real(self, sql, **tables)

    monkeypatch.setattr(kind, "query", query)
    fit_on_engine(ann, max_iter=2, tolerance=0.0)
    assert asked[-1].startswith("SELECT cell") and len([sql for sql in asked if " logs " in sql]) == 2
    return asked[-1]


def test_an_iteration_is_one_join_and_two_group_bys(monkeypatch: pytest.MonkeyPatch) -> None:
    sql = statement(table(), monkeypatch)
    assert (sql.count("JOIN"), sql.count("GROUP BY")) == (1, 2)


def test_repeats_progress_and_the_end() -> None:
    columns = table().to_columns()
    twice = {name: [*values, values[0]] for name, values in columns.items()}
    ann = raters.read(twice, scale="nominal", duplicates="first")
    steps: list[int] = []
    found = fit_on_engine(ann, "one_coin", tolerance=1e-6, progress=lambda name, n, at: steps.append(n))
    assert found.converged and steps == list(range(1, len(found.objectives) + 1))
    assert found.log_likelihoods[:3] == pytest.approx(fit_on_engine(table(), "one_coin", max_iter=3).log_likelihoods)


def test_what_is_not_fitted_by_sql() -> None:
    with pytest.raises(raters.UsageError, match="not fitted by SQL; use one of 'dawid_skene', 'one_coin'"):
        fit_on_engine(table(), "glad")
    counts = raters.read([[2, 1], [0, 3]], layout="counts", scale="nominal")
    with pytest.raises(raters.UsageError, match="does not say who gave which label"):
        fit_on_engine(counts)
    sets = raters.read([("a", 1, ["x"]), ("a", 2, ["x", "y"])], scale="sets")
    with pytest.raises(raters.UsageError, match="label by label, in memory"):
        fit_on_engine(sets)
    with pytest.raises(raters.DataError, match="no item has labels from two raters"):
        fit_on_engine(raters.read([("a", 1, "yes"), ("b", 1, "no"), ("c", 2, "no")], scale="nominal"))


def test_a_table_beyond_memory_is_refused_with_what_to_do() -> None:
    huge = replace(table(), n_annotations=10**13, n_items=10**12)
    with pytest.raises(raters.UsageError, match=r"takes about 700,?000.0 GB of memory.*memory=.*fit_on_engine"):
        raters.consensus(huge, "dawid_skene")


@pytest.mark.spark
def test_on_spark(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = table().to_columns()
    frame = spark.createDataFrame(list(zip(*rows.values(), strict=True)), "item BIGINT, rater BIGINT, label STRING")
    here = raters.consensus(table(), "dawid_skene", start="votes", max_iter=2, tolerance=0.0)
    there = fit_on_engine(raters.read(frame, scale="nominal"), max_iter=2, tolerance=0.0)
    np.testing.assert_allclose(there.log_likelihoods, here.log_likelihoods, rtol=1e-9)
    labels = there.assigned.query("SELECT item, label FROM annotations")
    assert dict(zip(labels["item"].tolist(), labels["label"].tolist(), strict=True)) == {
        item: here.label_names.index(label) for item, label in here.labels.items()
    }
    kept = spark.sparkContext._jsc.getPersistentRDDs
    assert not kept().isEmpty(), "the encoded table is kept while the fit is used"
    del there
    gc.collect()
    assert kept().isEmpty(), "and released with it"


@pytest.mark.spark
def test_spark_sends_the_raters_to_the_annotations_and_moves_no_annotation_for_an_item(spark: Any) -> None:
    frame = spark.createDataFrame(
        [(i, j, "ab"[(i + j) % 2]) for i in range(20) for j in range(3)], "item INT, rater INT, label STRING"
    )
    engine = _Problem(MODELS["dawid_skene"], raters.read(frame, scale="nominal"), Settings(0.01, False))
    params = engine.maximise(engine.start(), None)
    with engine.engine._views(engine._logs(params)) as views:  # type: ignore[attr-defined]
        plan = str(spark.sql(with_names(engine._posterior(params), views))._jdf.queryExecution().executedPlan())
    assert "BroadcastHashJoin" in plan and "BuildRight" in plan and "Cartesian" not in plan
    assert "InMemoryRelation" in plan and "Exchange hashpartitioning" not in plan.split("InMemoryRelation")[0]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    fit = fit_on_engine(table(), "one_coin", max_iter=2)
    where = tmp_path / "labels.parquet"
    where.write_text("precious")
    with pytest.raises(raters.UsageError, match="exists already"):
        fit.write(where)
    assert where.read_text() == "precious"
    fit.write(where, force=True)
    assert len(duckdb.read_parquet(str(where)).fetchall()) == fit.settled(0.0)[0] == fit.settled(0.0)[1]
    assert [p.name for p in tmp_path.iterdir()] == ["labels.parquet"]


def test_a_relation_of_the_users_own_database_is_written_too(tmp_path: Path) -> None:
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE t AS SELECT i // 3 AS item, i % 3 AS rater, (i // 6) % 2 AS label FROM range(60) AS r(i)"
    )
    fit = fit_on_engine(raters.read(connection.sql("SELECT * FROM t"), scale="nominal"), "one_coin", max_iter=3)
    rows = duckdb.read_parquet(str(fit.write(tmp_path / "x.parquet"))).fetchall()
    assert {item: label for item, label, _ in rows} == {i: str((i * 3 // 6) % 2) for i in range(20)}


def test_accuracy_is_that_of_the_fit_in_memory() -> None:
    fit = fit_on_engine(table(), "dawid_skene", **FEW)
    here = raters.consensus(table(), "dawid_skene", start="votes", **FEW)
    by_hand = [float(np.diag(m) @ here.prevalence) for m in here.confusion]
    np.testing.assert_allclose(fit.accuracy, by_hand, atol=1e-9)


@pytest.mark.spark
def test_spark_has_few_tasks_for_a_small_table(spark: Any) -> None:
    usual = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "200")
    try:
        ann = raters.read(spark.createDataFrame(table().to_frame()), scale="nominal")
        problem = _Problem(MODELS["one_coin"], ann, Settings(0.01, False))
        assert problem.engine._frame.rdd.getNumPartitions() == 2  # type: ignore[attr-defined]
        assert spark.conf.get("spark.sql.shuffle.partitions") == "200"
        assert [partitions(spark, n) for n in (1, 200_000, 250_000, 10**9)] == [2, 2, 3, 200]
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", usual)
