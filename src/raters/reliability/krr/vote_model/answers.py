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


def answer_shares(support: Array, k: int, agg: Aggregate, rng: np.random.Generator) -> tuple[Array, Array]:
    """(point, label, label): the probability that two replications answer (c, d), and (point, label) that one does.

    Exact by enumeration of all counts of k labels, up to some millions of cells; beyond, from draws, without their bias.
    """
    points, q = support.shape
    if agg.shares is None:
        raise UsageError(f"{agg.name} does not give labels.")
    if comb(k + q - 1, q - 1) * points <= MOST_CELLS:
        counts = lattice(q, k)
        one = chances(counts, support).T @ agg.shares(counts, agg.ties)
        return one[:, :, None] * one[:, None, :], one
    drawn = rng.multinomial(k, support / support.sum(1, keepdims=True), (DRAWS, points))
    got = agg.shares(drawn.reshape(-1, q), agg.ties).reshape(DRAWS, points, q)
    one = got.mean(0)
    own = np.einsum("dpc,dpe->pce", got, got) / DRAWS
    return (DRAWS * one[:, :, None] * one[:, None, :] - own) / (DRAWS - 1), one


def drawn_numbers(support: Array, k: int, agg: Aggregate, values: Array, rng: np.random.Generator) -> Array:
    """(draw, point): the mean or median of k ratings. Counts are drawn and not ratings, so that any k costs the same."""
    shares, step = support / support.sum(1, keepdims=True), max(1, MOST_CELLS // support.size)
    found = []
    for i in range(0, DRAWS, step):
        counts = rng.multinomial(k, shares, (min(step, DRAWS - i), len(support))).reshape(-1, support.shape[1])
        # two ratings in the middle, half each: their mean
        part = median(counts, "random") if agg.name == "median" else counts / k
        found.append((part @ values).reshape(-1, len(support)))
    return np.concatenate(found)
