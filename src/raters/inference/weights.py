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
"""Number of weights drawn at once: (replicate, pattern)."""
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


POPULATION = 1e9
"""Number of items in a replicate that represents a population: so large that no small-sample term matters."""
STICKS = 24
"""Number of parts of the imaginary mass; for A = 1, they contain all but 1 in 16 million of it."""


def dirichlet_process(
    weight: Array, base: Array, mass: float, resamples: int, rng: np.random.Generator
) -> Iterator[Array]:
    """Posterior of the distribution of patterns: chunks of (replicate, pattern), each row a population.

    ``weight``: items that show each pattern; ``base``: the probability that an imaginary item shows it; there are ``mass`` imaginary items.
    The imaginary mass is broken into parts, each at a pattern drawn from ``base`` (Sethuraman 1994, Stat. Sinica 4).
    """
    chunk = max(1, CELLS // max(len(weight), 1))
    sizes = [min(chunk, resamples - start) for start in range(0, resamples, chunk)]
    shown = np.flatnonzero(weight)

    def draw(task: tuple[int, np.random.Generator]) -> Array:
        size, own = task
        rows = np.zeros((size, len(weight)))
        rows[:, shown] = own.standard_gamma(weight[shown], (size, len(shown)))
        return with_imaginary(rows, base, mass, own)

    tasks = zip(sizes, rng.spawn(len(sizes)), strict=True)
    return map(draw, tasks) if len(sizes) == 1 or WORKERS == 1 else _ahead(draw, tasks)


def with_imaginary(items: Array, base: Array, mass: float, rng: np.random.Generator) -> Array:
    """(replicate, pattern): weights of items, the first patterns, and of an imaginary one; each row a population."""
    rows = np.zeros((len(items), len(base)))
    rows[:, : items.shape[1]] = items
    if mass > 0:
        every = np.cumsum(base)
        at = np.minimum(np.searchsorted(every, rng.random((len(rows), STICKS)) * every[-1], "right"), len(base) - 1)
        np.add.at(rows, (np.arange(len(rows))[:, None], at), _sticks(len(rows), mass, rng))
    rows *= POPULATION / rows.sum(1, keepdims=True)
    return rows


def _sticks(size: int, mass: float, rng: np.random.Generator) -> Array:
    """(replicate, part): a gamma variable of this mass, broken into parts; the remainder goes to the last part."""
    cut = rng.beta(1.0, mass, (size, STICKS))
    cut[:, -1] = 1.0
    left = np.cumprod(np.hstack([np.ones((size, 1)), 1 - cut[:, :-1]]), 1)
    return np.asarray(cut * left * rng.standard_gamma(mass, (size, 1)))


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
    """In order, with a few drawn ahead by threads while the caller works on the last one."""
    with ThreadPoolExecutor(WORKERS) as pool:
        waiting: deque[Future[Array]] = deque()
        for task in tasks:
            waiting.append(pool.submit(draw, task))
            if len(waiting) > WORKERS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
