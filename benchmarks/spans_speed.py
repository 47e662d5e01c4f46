"""Speed and memory on spans: 100,000 units in 1,000 documents by 3 raters, and twice as many."""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

import raters
from raters.spans.kinds import kinds
from raters.spans.units import Spans, Unit, spans


def made(documents: int, per: int = 33, raters_: int = 3, seed: int = 0) -> Spans:
    """Documents of 33 units a rater, each moved, cut or relabelled now and then."""
    rng = np.random.default_rng(seed)
    units = []
    for d in range(documents):
        start = np.sort(rng.choice(np.arange(0, 4000, 30), per, replace=False))
        size, label = rng.integers(3, 25, per), rng.integers(0, 4, per)
        for r in range(raters_):
            moved = start + rng.integers(0, 2, per) * (rng.random(per) < 0.3)
            names = np.where(rng.random(per) < 0.1, rng.integers(0, 4, per), label)
            kept = rng.random(per) > 0.05
            rows = zip(moved[kept].tolist(), size[kept].tolist(), names[kept].tolist(), strict=True)
            units += [Unit(f"d{d}", f"r{r}", s, s + n, "ABCD"[c]) for s, n, c in rows]
    views = [(f"d{d}", f"r{r}") for d in range(documents) for r in range(raters_)]
    return spans(units, views, lengths={f"d{d}": 4100 for d in range(documents)})


def main() -> None:
    for documents in (500, 1000, 2000):
        found = made(documents)
        start = time.process_time()
        for name in ("exact", "overlap", "boundaries", "iou", "character"):
            raters.agreement(found, name)
        f1 = time.process_time() - start
        start = time.process_time()
        counts = kinds(found).counts()
        of_kinds = time.process_time() - start
        start = time.process_time()
        for name in ("u", "u_boundary", "cu"):
            raters.agreement(found, name)
        u = time.process_time() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        sys.stdout.write(
            f"{found.n_units:,} units: F1 {f1:.1f} s, kinds {of_kinds:.1f} s, u {u:.1f} s CPU; {memory:.0f} MB; {counts}"
            "\n"
        )


if __name__ == "__main__":
    main()
