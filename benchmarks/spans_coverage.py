"""How often the 95 % intervals over documents cover the value of a large set of documents, in simulated designs.

python benchmarks/spans_coverage.py [SETS]
"""

from __future__ import annotations

import sys

import numpy as np
from spans_designs import design

import raters
from raters.spans.measures import MEASURES, Asked, estimate

DESIGNS = {
    "low": (0.5, 0.3, 0.3),
    "middle": (0.2, 0.15, 0.1),
    "high": (0.03, 0.03, 0.02),
    "near 1": (0.008, 0.006, 0.004),
}
"""How often a rater moves a bound, misses a unit, and gives another label."""
NAMES = ("exact", "overlap", "u", "cu")
LARGE = 400


def main(sets: int) -> None:
    rng = np.random.default_rng(0)
    for title, errors in DESIGNS.items():
        large = design(LARGE, errors, rng)
        truth = {n: raters.agreement(large, n, interval=None).value for n in NAMES}
        for d in (7, 15, 30, 100):
            hits = dict.fromkeys(NAMES, 0)
            known = dict.fromkeys(NAMES, 0)
            for _ in range(sets if d < 100 else max(sets // 2, 20)):
                part = large.of_documents(rng.choice(LARGE, d, replace=False).tolist())
                for n in NAMES:
                    e = estimate(part, n, Asked(chance=False))
                    if np.isfinite(e.low):
                        known[n] += 1
                        hits[n] += e.low <= truth[n] <= e.high
            rates = ", ".join(f"{MEASURES[n].title} {truth[n]:.2f}: {hits[n] / max(known[n], 1):.3f}" for n in NAMES)
            sys.stdout.write(f"{title}, {d} documents: {rates}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
