"""Spark: reading and alpha beside the same fold typed by hand, in one session; run by ``scale.py --spark``.

Both are run in turn until Spark's code is compiled; the figures are the least of the last rounds: processor seconds of
Spark's own process (and of Python, for ours), which other work on the machine disturbs less than elapsed time.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROUNDS, WARM = 6, 3
QUERIES = "the SQL of raters, typed by hand"
"""What Spark takes for the queries themselves; the rest is Python, and views made and dropped."""


def session() -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.sql.shuffle.partitions", "8")
    for name in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(name, "false")
    made = (
        builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    )
    made.sparkContext.setLogLevel("ERROR")
    return made


def processor(process: int) -> float:
    """Processor seconds of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def compare(path: Path, labels: tuple[str, ...]) -> None:
    """Print what each takes, and the ratio of the least of each."""
    import raters
    from raters.engines.spark import SparkEngine

    warnings.simplefilter("ignore")
    spark = session()
    frame = spark.read.parquet(str(path))
    frame.createOrReplaceTempView("annotations")
    machine = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
    counts = ", ".join(f"count(*) FILTER (WHERE label = '{label}') AS c{i}" for i, label in enumerate(labels))
    columns = ", ".join(f"c{i}" for i in range(len(labels)))
    fold = (
        f"SELECT {columns}, count(*) AS n FROM (SELECT item, {counts} FROM annotations GROUP BY item) GROUP BY"
        f" {columns}"
    )
    whole = (
        "SELECT label, count(*) FROM annotations GROUP BY label",
        "SELECT rater, count(*) FROM annotations GROUP BY rater",
        fold,
    )

    def typed(*queries: str) -> str:
        return ", ".join(f"{spark.sql(sql).toArrow().num_rows:,} rows" for sql in queries)

    spent: list[float] = []
    real = SparkEngine.query

    def query(self: Any, sql: str, **tables: Any) -> Any:
        before = processor(machine)
        got = real(self, sql, **tables)
        spent.append(processor(machine) - before)
        return got

    SparkEngine.query = query  # type: ignore[method-assign]

    def alpha() -> str:
        spent.clear()
        e = raters.agreement(raters.read(frame), interval="bootstrap", resamples=10_000)
        return f"alpha {e.value:.6f} ({e.low:.6f} to {e.high:.6f})"

    work: dict[str, Callable[[], str]] = {
        "the fold typed by hand": lambda: typed(fold),
        "labels, raters and the fold typed by hand": lambda: typed(*whole),
        "raters": alpha,
    }
    least: dict[str, float] = {}
    for i in range(ROUNDS):
        for name, do in work.items():
            before, start = processor(machine) + time.process_time(), time.perf_counter()
            said = do()
            cpu, wall = processor(machine) + time.process_time() - before, time.perf_counter() - start
            if i >= WARM:
                least[name] = min(cpu, least.get(name, cpu))
                if name == "raters":
                    least[QUERIES] = min(sum(spent), least.get(QUERIES, cpu))
            sys.stdout.write(f"round {i + 1}  {name:42}{cpu:8.2f} CPU s{wall:8.2f} s  {said}\n")
            sys.stdout.flush()
    for name, cpu in least.items():
        sys.stdout.write(f"{name:42}{cpu:8.2f} CPU s, raters {least['raters'] / cpu:.2f} times\n")
    spark.stop()
