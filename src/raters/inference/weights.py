"""Replicates of the data as weights: how often each pattern is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
CELLS = 4_000_000
"""Weights held at once: (replicate, pattern)."""


def multinomial(weight: Array, resamples: int, rng: np.random.Generator) -> Iterator[Array]:
    """Bootstrap over items: chunks of (replicate, pattern), each row as many items as there are.

    Few patterns are drawn by their counts; many, item by item. Which of the two depends on the data alone, so the
    same seed gives the same figures everywhere.
    """
    n, share = int(weight.sum()), weight / weight.sum()
    chunk = max(1, CELLS // max(len(weight), 1))
    by_counts = len(weight) * 8 < n or len(weight) < 200
    cumulative = np.cumsum(weight)
    for start in range(0, resamples, chunk):
        size = min(chunk, resamples - start)
        if by_counts:
            yield rng.multinomial(n, share, size).astype(float)
        else:
            drawn = rng.integers(0, n, (size, n), dtype=np.int64)
            if len(weight) < n:
                drawn = np.searchsorted(cumulative, drawn, "right")
            drawn += np.arange(size)[:, None] * len(weight)
            yield np.bincount(drawn.ravel(), minlength=size * len(weight)).reshape(size, -1).astype(float)
