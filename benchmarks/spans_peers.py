"""The same projects by bratiaa and pygamma-agreement, each in an environment of its own, and by raters: value and CPU time.

python benchmarks/spans_peers.py PROJECT_OF_BRAT TABLE_OF_PYGAMMA BRATIAA_PYTHON PYGAMMA_PYTHON
"""

from __future__ import annotations

import subprocess
import sys
import time

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


def main(brat: str, table: str, bratiaa: str, pygamma: str) -> None:
    start = time.process_time()
    value = raters.agreement(raters.read(brat), "exact", pooled=False, interval=None).value
    print(f"raters: exact F1 {value:.7f}, {time.process_time() - start:.2f} CPU s")  # noqa: T201
    found = raters.read(table)
    start = time.process_time()
    made = gammas.gamma(found)
    disorder = made.disorder.sum() / made.mean_units.sum()
    spent = time.process_time() - start
    print(f"raters: gamma {made.value:.4f} ({made.draws} draws), disorder {disorder:.7f}, {spent:.2f} CPU s")  # noqa: T201
    for python, code, path in ((bratiaa, BRATIAA, brat), (pygamma, PYGAMMA, table)):
        subprocess.run([python, "-c", code, path], check=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
