"""What reading and agreement cost beside the bare fold in SQL; the figures are in docs/scale.md.

    python benchmarks/scale.py [--annotations 5000000] [--text] [--memory 500MB] [--report] [--csv] [--reports 200]
    [--spark]

Each measurement is a process of its own, after imports: processor seconds and the peak of resident memory. Five labels,
five annotations an item, 1,000 raters, in a Parquet file made here and removed.
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

COLUMNS = "{'item': 'VARCHAR', 'rater': 'VARCHAR', 'label': 'VARCHAR'}, header=true"
LABELS = ("very bad", "bad", "neither", "good", "very good")


def make(path: Path, n: int, text: bool, raters: int = 1000) -> None:
    """Annotations of which two thirds are the item's own label."""
    item = "'item' || (i // 5)" if text else "i // 5"
    listed = ", ".join(f"'{label}'" for label in LABELS)
    own = "CASE WHEN hash(i) % 100 < 65 THEN hash(i // 5 + 7) % 5 ELSE hash(i + 3) % 5 END"
    duckdb.connect().execute(
        f"COPY (SELECT {item} AS item, 'rater' || CAST((hash(i // 5) % {raters} + (i % 5) * 197) % {raters} AS INTEGER)"
        f" AS rater, [{listed}][1 + CAST({own} AS INTEGER)] AS label FROM range({n}) AS t(i)) TO '{path}' (FORMAT"
        " parquet)"
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


def bare_csv(path: str, memory: str | None) -> str:
    """The fold as one would type it, of a text file."""
    counts = ", ".join(f"count(*) FILTER (WHERE label = '{label}') AS c{i}" for i, label in enumerate(LABELS))
    got = duckdb.connect().execute(f"SELECT item, {counts} FROM read_csv('{path}') GROUP BY item").fetchnumpy()
    return f"{len(got['item']):,} items"


def hand_csv(path: str, memory: str | None) -> str:
    """What reading has to find out, typed by hand for this file: its rows as text in a table, labels, raters, items,
    patterns, repeats.
    """
    run = duckdb.connect().execute
    run(
        f"CREATE TEMP TABLE t AS SELECT * FROM read_csv('{path}', all_varchar=true, auto_detect=false,"
        f" columns={COLUMNS})"
    )
    labels = run("SELECT label, count(*), min(rowid) FROM t GROUP BY label").fetchall()
    raters = run("SELECT DISTINCT rater FROM t").fetchnumpy()["rater"]
    digit = " ".join(f"WHEN '{label}' THEN {256.0**i}" for i, (label, *_) in enumerate(sorted(labels)))
    masks = ", ".join(f"bit_count(bit_or(1::UBIGINT << ((hash(rater) >> {8 * i}) & 63)))" for i in range(3))
    by_item = (
        f"SELECT item, count(*) AS n, sum(CASE label {digit} END) AS w, greatest({masks}) AS k FROM t GROUP BY item"
    )
    got = run(f"SELECT w, count(*), array_agg(item) FILTER (k < n) FROM ({by_item}) GROUP BY w").fetchall()
    run("CREATE TEMP TABLE doubtful AS SELECT unnest(?) AS item", [[item for row in got for item in row[2] or ()]])
    found = run("SELECT count(*) - count(DISTINCT (item, rater)) FROM t JOIN doubtful USING (item)").fetchall()
    return f"{sum(row[1] for row in got):,} items, {len(raters):,} raters, {found[0][0]} repeats"


def read_csv(path: str, memory: str | None) -> str:
    """Read a text file: columns and scale found, labels, items and raters counted, items folded."""
    import raters

    return f"{raters.read(path, memory=memory).n_items:,} items"


def reports(path: str, memory: str | None) -> str:
    """Many reports on a small table in one process: open files and resident memory after the first tenth, and at the
    end.
    """
    import gc

    import raters

    def state() -> str:
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return f"{len(list(Path('/proc/self/fd').iterdir()))} files, {pages * resource.getpagesize() / 2**20:.0f} MiB"

    said = []
    for i in range(REPORTS):
        raters.report(path, resamples=50).text()
        if i + 1 in (REPORTS // 10, REPORTS):
            said.append(f"after {i + 1}: {state()}")
    return "; ".join(said)


REPORTS = 200
WORK = {
    "bare": bare,
    "alpha": alpha,
    "report": report,
    "bare csv": bare_csv,
    "bare by hand": hand_csv,
    "csv": read_csv,
    "reports": reports,
}


def measured(what: str, path: str, memory: str | None) -> None:
    """Do it here, after imports and a table of four rows, and say what it took."""
    warnings.simplefilter("ignore")
    if what.startswith("bare"):
        duckdb.connect().execute("SELECT 1").fetchnumpy()  # which imports numpy
    else:
        import raters

        tiny = [(i, j, "ab"[i % 2]) for i in range(2) for j in range(2)]
        (raters.report if what.startswith("report") else raters.agreement)(tiny)
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    said = WORK[what](path, memory)
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak, wall = after.ru_maxrss / 1024, time.perf_counter() - start
    sys.stdout.write(f"{what:13}{cpu:7.2f} CPU s{wall:8.2f} s{peak:8.0f} MiB  {said}\n")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--annotations", type=int, default=5_000_000)
    arguments.add_argument("--text", action="store_true", help="items are text")
    arguments.add_argument("--memory", help="limit of the database")
    arguments.add_argument("--report", action="store_true", help="the report too")
    arguments.add_argument("--csv", action="store_true", help="reading a text file of as many rows instead")
    arguments.add_argument("--reports", type=int, help="so many reports on 300 annotations in one process instead")
    arguments.add_argument("--spark", action="store_true", help="Spark, beside the same fold typed by hand, instead")
    arguments.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.one:
        global REPORTS
        REPORTS = given.reports or REPORTS
        measured(given.one[0], given.one[1], given.memory)
        return
    with tempfile.TemporaryDirectory(prefix="raters-scale-") as folder:
        path = Path(folder, "annotations.parquet")
        make(path, 300, False, 7) if given.reports else make(path, given.annotations, given.text)
        if given.spark:
            from scale_spark import compare

            compare(path, LABELS)
            return
        what = ["bare", "alpha", *(["report"] if given.report else [])]
        if given.csv:
            duckdb.sql(f"COPY (SELECT * FROM '{path}') TO '{path.with_suffix('.csv')}' (HEADER)")
            path, what = path.with_suffix(".csv"), ["bare csv", "bare by hand", "csv"]
        more = ["--memory", given.memory] if given.memory else []
        if given.reports:
            what, more = ["reports"], ["--reports", str(given.reports)]
        for one in what:
            subprocess.run([sys.executable, __file__, "--one", one, str(path), *more], check=True)


if __name__ == "__main__":
    main()
