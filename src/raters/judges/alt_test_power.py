"""Power of the alternative-annotator test: how often would the model pass with as many items, or with more?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.estimate import Told
from raters.items.align import distinct
from raters.judges.alt_test import LEAST, PASSES, duels, summed, winning_rate
from raters.judges.people_and_judges import Sides

Array = NDArray[Any]
GOAL = 0.8
STEP = 1.25
MOST = 200
"""The search ends at this many times the present number of items."""
RESAMPLES = 1000
CELLS = 40_000_000
UPPER = 0.8


@dataclass(frozen=True)
class Power(Told):
    """How likely the model is to pass with a given number of items, if the observed gap is the true one."""

    also = ("never", "sentence")

    judge: str
    epsilon: float
    n_items: int
    power: float
    """The power with the present items."""
    needed: float
    """Items for a power of .8; infinite if no number is enough with the observed gap."""
    cautious: float
    """The same with every person's gap at its upper 80 % limit."""

    @property
    def never(self) -> bool:
        return math.isinf(self.needed)

    @property
    def sentence(self) -> str:
        """How many items would give enough power."""
        head = (
            f"With {self.n_items:,} items a judge like this passes the test in {self.power:.0%} of studies (its power)"
        )
        if self.never:
            return (
                f"{head}; with the observed gap, no number of items would let {self.judge} pass at epsilon"
                f" {self.epsilon:g}."
            )
        if self.power >= GOAL:
            return f"{head}."
        worst = "no number would" if math.isinf(self.cautious) else f"about {self.cautious:,.0f}"
        return (
            f"{head}; about {self.needed:,.0f} items would raise it to 80 % if the true gap is the observed one"
            f" ({worst} if it is at its upper 80 % limit)."
        )


def power(
    s: Sides,
    judge: int,
    epsilon: float,
    *,
    similarity: Any = None,
    q: float = 0.05,
    least: int = LEAST,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Power:
    """Power with the present items, and the items for a power of .8, by resampling whole items with all their
    labels.
    """
    table, sums = patterns_of(s, judge, similarity)
    n = table.n
    limits = np.full(len(sums), epsilon)
    now = passes(table, n, limits, q, least, resamples, seed)
    needed = _search(table, sums, limits, now, q, least, resamples, seed)
    with np.errstate(invalid="ignore", divide="ignore"):
        count, mean = sums[:, 0], sums[:, 1] / sums[:, 0]
        se = np.sqrt(np.maximum(sums[:, 2] / count - mean**2, 0) / np.maximum(count - 1, 1))
    shifted = epsilon - np.where(count > 1, special.stdtrit(np.maximum(count - 1, 1), UPPER) * se, 0)
    then = passes(table, n, shifted, q, least, resamples, seed)
    cautious = _search(table, sums, shifted, then, q, least, resamples, seed)
    return Power(s.judges[judge], epsilon, n, now, needed, cautious)


@dataclass(frozen=True, eq=False)
class Patterns:
    """Items with the same outcome, merged."""

    terms: Array
    share: Array
    n: int


def patterns_of(s: Sides, judge: int, similarity: Any) -> tuple[Patterns, Array]:
    wins = duels(s, judge, similarity)
    people = np.flatnonzero(summed(wins)[:, 0] > 0)
    columns = (4 * people[:, None] + np.arange(4)).ravel()
    rows = np.flatnonzero((s.given >= 0).any(1) & (s.said[:, judge] >= 0))
    table = wins[rows][:, columns]
    coded = table.copy()
    coded.data = np.where(coded.data < 0, 2.0, coded.data)  # rows are distinguished by whole numbers
    first, kind = distinct(coded)  # equal items are merged: few patterns, drawn by their counts
    patterns = table[first].toarray()
    return Patterns(patterns, np.bincount(kind) / len(rows), len(rows)), summed(wins)[people]


def passes(table: Patterns, items: int, epsilon: Array, q: float, least: int, resamples: int, seed: int) -> float:
    """Share of resamples in which the winning rate is one half or more."""
    rng = np.random.default_rng([seed, items])
    n, found, done = len(table.terms), 0.0, 0
    resamples = max(100, min(resamples, CELLS // max(n, 1)))
    while done < resamples:
        size = min(resamples - done, max(1, 2_000_000 // max(n, 1)))
        weights = rng.multinomial(items, table.share, size)
        sums = (weights @ table.terms).reshape(size, -1, 4)
        found += float((np.nan_to_num(winning_rate(sums, epsilon, q, least)) >= PASSES).sum())
        done += size
    return found / resamples


def _search(
    table: Patterns,
    sums: Array,
    epsilon: Array,
    value: float,
    q: float,
    least: int,
    resamples: int,
    seed: int,
) -> float:
    """The first number of items, in steps from the present one with its power ``value``, with enough power; infinite if most people's gap is not below epsilon."""
    with np.errstate(invalid="ignore", divide="ignore"):
        below = (sums[:, 1] / sums[:, 0] < epsilon).mean()
    if below < PASSES:
        return math.inf
    items = table.n
    up = value < GOAL
    while up and value < GOAL and items < MOST * table.n:
        items = math.ceil(items * STEP)
        value = passes(table, items, epsilon, q, least, resamples, seed)
    while not up and items > least:
        fewer = int(items / STEP)
        value = passes(table, fewer, epsilon, q, least, resamples, seed)
        if value < GOAL:
            return float(items)
        items = fewer
    return float(items) if value >= GOAL else math.inf
