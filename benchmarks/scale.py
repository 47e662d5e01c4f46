"""What reading and agreement cost beside the bare fold in SQL; the figures are in docs/scale.md.

    python benchmarks/scale.py [--annotations 5000000] [--text] [--memory 500MB] [--report]

Each measurement is a process of its own, after imports: processor seconds and the peak of resident memory. Five labels, five
annotations an item, 1,000 raters, in a Parquet file made here and removed.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import duckdb

LABELS = ("very bad", "bad", "neither", "good", "very good")


def make(path: Path, n: int, text: bool) -> None:
    """Annotations of which two thirds are the item's own label."""
    item = "'item' || (i // 5)" if text else "i // 5"
    listed = ", ".join(f"'{label}'" for label in LABELS)
    own = "CASE WHEN hash(i) % 100 < 65 THEN hash(i // 5 + 7) % 5 ELSE hash(i + 3) % 5 END"
    duckdb.connect().execute(
        f"COPY (SELECT {item} AS item, 'rater' || CAST((hash(i // 5) % 1000 + (i % 5) * 197) % 1000 AS INTEGER) AS rater, "
        f"[{listed}][1 + CAST({own} AS INTEGER)] AS label FROM range({n}) AS t(i)) TO '{path}' (FORMAT parquet)"
    )


def bare(path: str, memory: str | None) -> str:
    """The fold as one would type it."""
    connection = duckdb.connect()
    if memory:
        connection.execute(f"SET memory_limit = '{memory}'")
    counts = ", ".join(f"count(*) FILTER (WHERE label = '{label}') AS c{i}" for i, label in enumerate(LABELS))
    inner = f"SELECT item, {counts} FROM '{path}' GROUP BY item"
    got = connection.execute(f"SELECT c0, c1, c2, c3, c4, count(*) AS n FROM ({inner}) GROUP BY ALL").fetchall()
    return f"{len(got)} patterns"


def alpha(path: str, memory: str | None) -> str:
    """Read, and alpha with 10,000 replicates."""
    import raters

    ann = raters.read(path, memory=memory)
    e = raters.agreement(ann, interval="bootstrap", resamples=10_000)
    return f"alpha {e.value:.6f} ({e.low:.6f} to {e.high:.6f})"


def report(path: str, memory: str | None) -> str:
    """Read, and the whole report as text."""
    import raters

    return f"{len(raters.report(raters.read(path, memory=memory)).text()):,} characters"


WORK = {"bare": bare, "alpha": alpha, "report": report}


def measured(what: str, path: str, memory: str | None) -> None:
    """Do it here, after imports and a table of four rows, and say what it took."""
    warnings.simplefilter("ignore")
    if what != "bare":
        import raters

        tiny = [(i, j, "ab"[i % 2]) for i in range(2) for j in range(2)]
        (raters.report if what == "report" else raters.agreement)(tiny)
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    said = WORK[what](path, memory)
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak, wall = after.ru_maxrss / 1024, time.perf_counter() - start
    sys.stdout.write(f"{what:8}{cpu:8.2f} CPU s{wall:8.2f} s{peak:8.0f} MiB  {said}\n")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--annotations", type=int, default=5_000_000)
    arguments.add_argument("--text", action="store_true", help="items are text")
    arguments.add_argument("--memory", help="limit of the database")
    arguments.add_argument("--report", action="store_true", help="the report too")
    arguments.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.one:
        measured(given.one[0], given.one[1], given.memory)
        return
    with tempfile.TemporaryDirectory(prefix="raters-scale-") as folder:
        path = Path(folder, "annotations.parquet")
        make(path, given.annotations, given.text)
        for what in ("bare", "alpha", *(["report"] if given.report else [])):
            limit = ["--memory", given.memory] if given.memory else []
            subprocess.run([sys.executable, __file__, "--one", what, str(path), *limit], check=True)


if __name__ == "__main__":
    main()
