"""Simulated projects of spans whose documents differ in how hard they are."""

from __future__ import annotations

import numpy as np

from raters.spans.units import Spans, Unit, spans


def design(documents: int, errors: tuple[float, float, float], rng: np.random.Generator, raters_: int = 3) -> Spans:
    """Documents of about 12 units; each rater moves bounds, misses units and relabels, more in hard documents."""
    units = []
    for d in range(documents):
        hard = rng.gamma(3, 1 / 3)
        n = int(rng.integers(6, 19))
        start = np.sort(rng.choice(np.arange(0, 900, 30), n, replace=False))
        size, label = rng.integers(4, 20, n), rng.integers(0, 3, n)
        for r in range(raters_):
            move, miss, name = (np.minimum(0.9, x * hard) for x in errors)
            for s, w, c in zip(start.tolist(), size.tolist(), label.tolist(), strict=True):
                if rng.random() < miss:
                    continue
                end = s + w + (int(rng.integers(1, 6)) if rng.random() < move else 0)
                units.append(
                    Unit(f"d{d:03d}", f"r{r}", s, end, "ABC"[int(rng.integers(3)) if rng.random() < name else c])
                )
    views = [(f"d{d:03d}", f"r{r}") for d in range(documents) for r in range(raters_)]
    return spans(units, views, lengths={f"d{d:03d}": 1000 for d in range(documents)})
