"""Dawid-Skene from a Parquet file to labels, reading and encoding included: raters and crowd-kit; the figures are in
docs/scale.md.

    python benchmarks/scale_models.py [--labels 10000000] [--peer-labels 1000000] [--rounds 20] [--trend 1000000 2000000
    4000000]

2,000 raters, 5 labels, 5 labels an item, names as text. Each is a process of its own, after imports and a fit of 1,000
labels: processor seconds and the peak of resident memory. Both run the same number of iterations; crowd-kit on fewer
labels, since it is linear in them and takes long. ``--trend`` shows how both grow, each with a limit of time.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from environments import python_of


def make(path: Path, n: int) -> None:
    """Raters who are right 40 to 95 times in 100."""
    import duckdb

    skill = "40 + hash(rater + 11) % 56"
    label = f"CASE WHEN hash(i) % 100 < {skill} THEN hash(i // 5 + 7) % 5 ELSE hash(i + 3) % 5 END"
    rows = f"SELECT i, CAST((hash(i // 5) % 2000 + (i % 5) * 397) % 2000 AS INTEGER) AS rater FROM range({n}) AS t(i)"
    duckdb.connect().execute(
        f"COPY (SELECT 'item' || (i // 5) AS task, 'rater' || rater AS worker, 'label' || ({label}) AS label FROM"
        f" ({rows})) TO '{path}' (FORMAT parquet)"
    )


def ours(path: str, rounds: int) -> Any:
    import raters

    ann = raters.read(path, item="task", rater="worker", scale="nominal")
    return raters.consensus(ann, "dawid_skene", start="votes", tolerance=0.0, max_iter=rounds).labels


def by_sql(path: str, rounds: int) -> Any:
    import raters
    from raters.models.fitting.on_engine import fit_on_engine

    ann = raters.read(path, item="task", rater="worker", scale="nominal", memory="500MB")
    fit = fit_on_engine(ann, tolerance=0.0, max_iter=rounds)
    return fit.write(Path(path).with_suffix(".labels.parquet"))


def theirs(path: str, rounds: int) -> Any:
    import pandas
    from crowdkit.aggregation import DawidSkene

    return DawidSkene(n_iter=rounds, tol=-1e300).fit_predict(pandas.read_parquet(path))


WORK = {"raters": ours, "raters by SQL": by_sql, "crowd-kit": theirs}


def measured(program: str, path: str, small: str, rounds: int) -> None:
    WORK[program](small, 2)
    before = resource.getrusage(resource.RUSAGE_SELF)
    WORK[program](path, rounds)
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    sys.stdout.write(
        f"{program:14}{cpu:9.1f} CPU s{after.ru_maxrss / 1024:9.0f} MiB  {Path(path).name}, {rounds} iterations\n"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--labels", type=int, default=10_000_000)
    arguments.add_argument("--peer-labels", type=int, default=1_000_000)
    arguments.add_argument("--rounds", type=int, default=20)
    arguments.add_argument("--trend", type=int, nargs="+", help="so many labels each for raters and crowd-kit instead")
    arguments.add_argument("--limit", type=float, help="seconds for one program")
    arguments.add_argument("--only", help="one of the programs")
    arguments.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.one:
        measured(*given.one, given.rounds)
        return
    with tempfile.TemporaryDirectory(prefix="raters-scale-") as folder:
        small = Path(folder, "small.parquet")
        make(small, 1000)
        sizes = [("raters", given.labels), ("raters by SQL", given.peer_labels), ("crowd-kit", given.peer_labels)]
        if given.trend:
            sizes = [(program, n) for n in given.trend for program in ("raters", "crowd-kit")]
        for program, n in sizes:
            if given.only not in (None, program):
                continue
            path = Path(folder, f"{n} labels.parquet")
            if not path.exists():
                make(path, n)
            python = python_of("crowd-kit") if program == "crowd-kit" else sys.executable
            asked = ["--one", program, str(path), str(small), "--rounds", str(given.rounds)]
            try:
                subprocess.run([python, __file__, *asked], check=True, timeout=given.limit)
            except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
                sys.stdout.write(f"{program:14} no result on {n:,} labels: {error}\n")


if __name__ == "__main__":
    main()
