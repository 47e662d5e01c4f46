"""Replicates of the data as weights: how often each pattern is drawn."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
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
    there are depends only on the data, so the same seed gives the same figures on any number of threads.
    """
    n = int(weight.sum())
    chunk = max(1, CELLS // max(len(weight), 1))
    sizes = [min(chunk, resamples - start) for start in range(0, resamples, chunk)]
    draw = _by_counts if len(weight) * 8 < n or len(weight) < 200 else _by_items
    tasks = zip(sizes, rng.spawn(len(sizes)), strict=True)
    if len(sizes) == 1 or WORKERS == 1:
        return (draw(weight, size, own) for size, own in tasks)
    return _ahead(lambda task: draw(weight, *task), tasks)


MOST_KEPT = 8_000_000
"""Weights that are kept while several coefficients of one table are estimated."""
_KEPT: ContextVar[dict[Any, tuple[Array, ...]] | None] = ContextVar("kept draws", default=None)


@contextmanager
def shared_draws() -> Iterator[None]:
    """Within this, coefficients of the same patterns use the same draws, which are the same numbers as each would draw
    again.
    """
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def kept_draws(question: Any, drawn: Callable[[], Iterator[Array]], size: int) -> Iterable[Array]:
    """The draws that a question stands for, kept for whoever asks it again within :func:`shared_draws`."""
    kept = _KEPT.get()
    if kept is None or size > MOST_KEPT:
        return drawn()
    if question not in kept:
        if size + sum(x.size for rows in kept.values() for x in rows) > MOST_KEPT:
            kept.clear()
        kept[question] = tuple(drawn())
    return kept[question]


POPULATION = 1e9
"""Number of items in a replicate that represents a population: so large that no small-sample term matters."""
STICKS = 12
"""Number of parts of the imaginary mass; the last takes the remainder, for A = 1 on average 1 in 2,000 of one item."""


def dirichlet_process(
    weight: Array, base: Array, mass: float, resamples: int, rng: np.random.Generator
) -> Iterator[Array]:
    """Posterior of the distribution of patterns: chunks of (replicate, pattern), each row a population.

    ``weight``: items that show each pattern; ``base``: the probability that an imaginary item shows it; there are
    ``mass`` imaginary items. The imaginary mass is broken into parts, each at a pattern drawn from ``base`` (Sethuraman
    1994, Stat. Sinica 4).
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
        at += np.arange(len(rows))[:, None] * len(base)
        np.add.at(rows.reshape(-1), at.ravel(), _sticks(len(rows), mass, rng).ravel())
    rows *= POPULATION / rows.sum(1, keepdims=True)
    return rows


def _sticks(size: int, mass: float, rng: np.random.Generator) -> Array:
    """(replicate, part): a gamma variable of this mass, broken into parts; the remainder goes to the last part."""
    left = np.ones((size, STICKS + 1))
    np.cumprod(rng.random((size, STICKS - 1)) ** (1 / mass), 1, out=left[:, 1:-1])  # 1 - Beta(1, mass)
    left[:, -1] = 0.0
    return np.asarray(-np.diff(left) * rng.standard_gamma(mass, (size, 1)))


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
