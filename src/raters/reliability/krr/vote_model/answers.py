"""How often an aggregate of k labels gives each answer, and how often two replications of it give each pair."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.reliability.krr.aggregates import Aggregate, median
from raters.reliability.krr.vote_model.simplex import chances, lattice

Array = NDArray[Any]
MOST_CELLS = 4_000_000
DRAWS = 400


def enumerable(support: Array, k: int) -> bool:
    """Whether the possible counts of k labels are few enough to enumerate."""
    points, q = support.shape
    return bool(comb(k + q - 1, q - 1) * points <= MOST_CELLS)


def middles_enumerable(support: Array, k: int) -> bool:
    """The same if two labels may be in the middle, which gives more answers than labels."""
    points, q = support.shape
    return enumerable(support, k) and bool(points * (q * (q + 1) // 2) ** 2 <= MOST_CELLS)


def middle_shares(support: Array, k: int, values: Array) -> tuple[Array, Array]:
    """The medians that k numbers may have, and (point, median, median): how often two replications give each pair."""
    counts = lattice(support.shape[1], k)
    given, which = np.unique(median(counts, "random") @ values, return_inverse=True)
    answer = np.zeros((len(counts), len(given)))
    answer[np.arange(len(counts)), which.ravel()] = 1
    one = chances(counts, support).T @ answer
    return given, one[:, :, None] * one[:, None, :]


def answer_shares(
    support: Array, k: int, agg: Aggregate, rng: np.random.Generator, draws: int = DRAWS
) -> tuple[Array, Array]:
    """(point, label, label): the probability that two replications answer (c, d), and (point, label) that one does.

    Exact by enumeration of all counts of k labels, up to some millions of cells; beyond that, from draws, corrected for their bias.
    """
    points, q = support.shape
    if agg.shares is None:
        raise UsageError(f"{agg.name} does not give labels.")
    if enumerable(support, k):
        counts = lattice(q, k)
        one = chances(counts, support).T @ agg.shares(counts, agg.ties)
        return one[:, :, None] * one[:, None, :], one
    drawn = rng.multinomial(k, support / support.sum(1, keepdims=True), (draws, points))
    got = agg.shares(drawn.reshape(-1, q), agg.ties).reshape(draws, points, q)
    one = got.mean(0)
    own = np.einsum("dpc,dpe->pce", got, got) / draws
    return (draws * one[:, :, None] * one[:, None, :] - own) / (draws - 1), one


def drawn_numbers(
    support: Array, k: int, agg: Aggregate, values: Array, rng: np.random.Generator, draws: int = DRAWS
) -> Array:
    """(draw, point): the mean or median of k ratings. Counts are drawn instead of ratings, so any k costs the same."""
    shares, step = support / support.sum(1, keepdims=True), max(1, MOST_CELLS // support.size)
    found = []
    for i in range(0, draws, step):
        counts = rng.multinomial(k, shares, (min(step, draws - i), len(support))).reshape(-1, support.shape[1])
        # two ratings in the middle: their mean
        part = median(counts, "random") if agg.name == "median" else counts / k
        found.append((part @ values).reshape(-1, len(support)))
    return np.concatenate(found)
