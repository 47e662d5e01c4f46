"""Replicates of the data as weights: how often each pattern is drawn."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
CELLS = 500_000
"""Weights drawn at once: (replicate, pattern)."""
WORKERS = min(4, os.cpu_count() or 1)


def multinomial(weight: Array, resamples: int, rng: np.random.Generator) -> Iterator[Array]:
    """Bootstrap over items: chunks of (replicate, pattern), each row as many items as there are.

    Few patterns are drawn by their counts; many, item by item. Each chunk has a generator of its own, and which chunks
    there are depends on the data alone, so the same seed gives the same figures on any number of threads.
    """
    n = int(weight.sum())
    chunk = max(1, CELLS // max(len(weight), 1))
    sizes = [min(chunk, resamples - start) for start in range(0, resamples, chunk)]
    draw = _by_counts if len(weight) * 8 < n or len(weight) < 200 else _by_items
    tasks = zip(sizes, rng.spawn(len(sizes)), strict=True)
    if len(sizes) == 1 or WORKERS == 1:
        return (draw(weight, size, own) for size, own in tasks)
    return _ahead(lambda task: draw(weight, *task), tasks)


def _by_counts(weight: Array, size: int, rng: np.random.Generator) -> Array:
    return rng.multinomial(int(weight.sum()), weight / weight.sum(), size).astype(float)


def _by_items(weight: Array, size: int, rng: np.random.Generator) -> Array:
    n = int(weight.sum())
    drawn = rng.integers(0, n, (size, n), dtype=np.int64)
    if len(weight) < n:
        drawn = np.searchsorted(np.cumsum(weight), drawn, "right")
    drawn += np.arange(size)[:, None] * len(weight)
    return np.bincount(drawn.ravel(), minlength=size * len(weight)).reshape(size, -1).astype(float)


def _ahead(draw: Callable[[Any], Array], tasks: Iterator[Any]) -> Iterator[Array]:
    """In their order, a few drawn ahead by threads while the caller works on the last."""
    with ThreadPoolExecutor(WORKERS) as pool:
        waiting: deque[Future[Array]] = deque()
        for task in tasks:
            waiting.append(pool.submit(draw, task))
            if len(waiting) > WORKERS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
