"""k-rater reliability with 10,000 bootstrap replicates on 100,000 items of 5 labels: time and peak memory.

python benchmarks/krr.py
"""

from __future__ import annotations

import resource
import time

import numpy as np

import raters

ITEMS, LABELS, RESAMPLES = 100_000, 5, 10_000


def tables() -> dict[str, raters.Annotations]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, ITEMS)[:, None]
    votes = np.where(rng.random((ITEMS, LABELS)) < 0.7, truth, rng.integers(0, 3, (ITEMS, LABELS)))
    ratings = np.round(rng.normal(size=(ITEMS, 1)) + rng.normal(size=(ITEMS, LABELS)), 2)
    eight = rng.integers(0, 8, ITEMS)[:, None]
    many = np.where(rng.random((ITEMS, LABELS)) < 0.6, eight, rng.integers(0, 8, (ITEMS, LABELS)))
    return {
        "8 labels": raters.read(many, layout="wide", scale="nominal"),
        "3 labels": raters.read(votes, layout="wide", scale="nominal"),
        "numbers": raters.read(ratings, layout="wide", scale="interval"),
    }


def main() -> None:
    runs = (
        ("3 labels", 2, "split"),
        ("3 labels", 2, "model"),
        ("3 labels", 9, "model"),
        ("8 labels", 2, "model"),
        ("8 labels", 9, "model"),
        ("numbers", 5, "icc"),
        ("numbers", 2, "split"),
    )
    data = tables()
    lines = ["| data | k | method | value | interval | by | seconds | peak MB |", "|---|---|---|---|---|---|---|---|"]
    for name, k, method in runs:
        start = time.perf_counter()
        e = raters.krr(data[name], k, method=method, resamples=RESAMPLES)
        spent = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        lines.append(
            f"| {name} | {k} | {method} | {e.value:.4f} | {e.low:.4f} to {e.high:.4f} | {e.interval} | {spent:.1f} |"
            f" {peak:,} |"
        )
    rng = np.random.default_rng(1)
    ratings = rng.normal(size=(1_000_000, 1)) + rng.normal(size=(1_000_000, LABELS))
    long = {
        "item": np.repeat(np.arange(len(ratings)), LABELS),
        "rater": np.tile(np.arange(LABELS), len(ratings)),
        "label": ratings.ravel(),
    }
    for name, ann in (
        ("a long table", raters.read(long, scale="interval")),
        ("a matrix", raters.read(ratings, layout="wide", scale="interval")),
    ):
        start = time.perf_counter()
        raters.icc(ann)
        lines.append(f"\nThe six ICCs of 1,000,000 x {LABELS} from {name}: {time.perf_counter() - start:.2f} s.")
    print("\n".join(lines))  # noqa: T201


if __name__ == "__main__":
    main()
