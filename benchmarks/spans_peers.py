"""The same projects by bratiaa and pygamma-agreement, each in an environment of its own, and by raters: value and CPU time.

Last, a made project of short and long units: pygamma's `fast` looks at a window of units at a time, in which a long
unit that begins later is missing, and its alignment is then not the best.

python benchmarks/spans_peers.py PROJECT_OF_BRAT TABLE_OF_PYGAMMA BRATIAA_PYTHON PYGAMMA_PYTHON
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import raters
from raters.spans import gamma as gammas

BRATIAA = """
import sys, time, bratiaa
start = time.process_time()
mean, sd = bratiaa.compute_f1_agreement(sys.argv[1]).mean_sd_total()
sys.stdout.write(f"bratiaa: exact F1 {mean:.7f}, {time.process_time() - start:.2f} CPU s\\n")
"""
PYGAMMA = """
import logging, sys, time, pygamma_agreement as pa
logging.disable(logging.WARNING)
units = pa.Continuum.from_csv(sys.argv[1])
cost = pa.CombinedCategoricalDissimilarity(alpha=1, beta=1)
units.get_best_alignment(cost)  # compiles
for fast in (False, True):
    start = time.process_time()
    made = units.compute_gamma(cost, n_samples=30, fast=fast)
    name = "pygamma, fast" if fast else "pygamma"
    spent = time.process_time() - start
    sys.stdout.write(f"{name}: gamma {made.gamma:.4f}, disorder {made.observed_disorder:.7f}, {spent:.2f} CPU s\\n")
"""


def short_and_long(path: Path, seed: int = 0, raters: int = 4, units: int = 13) -> Path:
    """Units of 1 to 90 places, of two labels, anywhere in a text: nobody agrees, and what overlaps is long."""
    rng = np.random.default_rng(seed)
    with path.open("w", newline="") as file:
        for rater in "abcdefgh"[:raters]:
            starts = rng.integers(0, units * 12, units)
            ends = starts + 1 + (rng.choice([2, 5, 40, 90], units) * rng.random(units)).astype(int)
            csv.writer(file).writerows(zip([rater] * units, rng.choice(["x", "y"], units), starts, ends, strict=True))
    return path


def by_raters(table: str) -> None:
    found = raters.read(table)
    start = time.process_time()
    made = gammas.gamma(found)
    disorder = made.disorder.sum() / made.mean_units.sum()
    spent = time.process_time() - start
    print(f"raters: gamma {made.value:.4f} ({made.draws} draws), disorder {disorder:.7f}, {spent:.2f} CPU s")  # noqa: T201


def main(brat: str, table: str, bratiaa: str, pygamma: str) -> None:
    start = time.process_time()
    value = raters.agreement(raters.read(brat), "exact", pooled=False, interval=None).value
    print(f"raters: exact F1 {value:.7f}, {time.process_time() - start:.2f} CPU s")  # noqa: T201
    subprocess.run([bratiaa, "-c", BRATIAA, brat], check=False)
    with tempfile.TemporaryDirectory() as folder:
        for units in (table, str(short_and_long(Path(folder, "short-and-long.csv")))):
            by_raters(units)
            sys.stdout.flush()
            subprocess.run([pygamma, "-c", PYGAMMA, units], check=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
