"""The alignment of least disorder: units of different raters are put together so that the total cost is least.

A unitary alignment has at most one unit of each rater; its cost is the mean over pairs of raters of the dissimilarity of
their units, 1 where one has none. The least total is found exactly: for two raters by assignment, for more as a linear
program over all alignments worth considering, which is solved again in whole numbers where it is fractional.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.spans.matching import best
from raters.spans.sweeps import linked, runs

Array = NDArray[Any]
MOST_COLUMNS = 1_000_000
"""Alignments of one program; beyond that the least disorder is not sought."""
ROWS = 1_500
"""Units of a linear program that is solved at once."""
CLOSE, FRACTION, START = 1e-9, 1e-6, 0.05
"""Equal; a share that is neither 0 nor 1; the gap to a whole solution that is tried first."""


class TooManyColumns(Exception):
    """More alignments than a program can have."""


@dataclass(frozen=True)
class Continuum:
    """Units of several continua, each of ``m`` raters (places)."""

    at: Array  # (unit,): the continuum
    place: Array
    start: Array
    end: Array
    label: Array
    m: int
    n: int

    def ordered(self) -> Continuum:
        """By continuum and place."""
        order = np.lexsort((self.end, self.start, self.place, self.at))
        return self.only(order, self.at[order], self.n)

    def only(self, units: Array, at: Array, n: int) -> Continuum:
        """These units, as those of other continua."""
        return Continuum(at, self.place[units], self.start[units], self.end[units], self.label[units], self.m, n)


@dataclass(frozen=True)
class Cost:
    """The dissimilarity of two units: squared difference of bounds by their lengths, and of labels."""

    alpha: float = 1.0
    beta: float = 1.0

    def of(self, c: Continuum, x: Array, y: Array) -> Array:
        """For units x and y."""
        apart = np.abs(c.start[x] - c.start[y]) + np.abs(c.end[x] - c.end[y])
        lengths = c.end[x] - c.start[x] + c.end[y] - c.start[y]
        return np.asarray(self.alpha * (apart / lengths) ** 2 + self.beta * (c.label[x] != c.label[y]))

    def within(self, c: Continuum, most: float) -> tuple[Array, Array, Array]:
        """Units of one continuum and different places whose dissimilarity is below ``most``, the lower place first.

        Midpoints are at most half the sum of differences apart, so that units, each stretched about its midpoint,
        overlap.
        """
        reach = np.sqrt(most / self.alpha) / 2
        half = (c.end - c.start) * reach
        middle = (c.start + c.end) / 2.0
        low, high = middle - half, middle + half
        width = float(high.max(initial=0) - low.min(initial=0)) + 1
        low, high = low + c.at * width, high + c.at * width
        order = np.argsort(low, kind="stable")
        low, high = low[order], high[order]
        here = np.arange(len(low))
        one, other = runs(here + 1, np.maximum(np.searchsorted(low, high, "left") - here - 1, 0))
        x, y = order[one], order[other]
        kept = c.place[x] != c.place[y]
        x, y = x[kept], y[kept]
        x, y = np.where(c.place[x] < c.place[y], x, y), np.where(c.place[x] < c.place[y], y, x)
        d = self.of(c, x, y)
        kept = (d < most) & (c.at[x] == c.at[y])
        return x[kept], y[kept], d[kept]


def least(c: Continuum, cost: Cost) -> Array:
    """(continuum,): the least total cost."""
    c = c.ordered()
    alone = np.bincount(c.at, minlength=c.n).astype(float)
    if c.m == 2:
        x, y, d = cost.within(c, 2.0)
        chosen = best(x, y, 2 - d)
        return alone - np.bincount(c.at[x[chosen]], (2 - d)[chosen], c.n)
    pairs = c.m * (c.m - 1) // 2
    x, y, d = cost.within(c, 1.0 + pairs)
    component = linked(len(c.at), x, y)
    units = np.bincount(component)
    two = units[component[x]] == 2
    saved = np.bincount(c.at[x[two]], 1 + (1 - d[two]) / pairs, c.n)
    many = np.flatnonzero(units > 2)
    return alone - saved - _programs(c, cost, pairs, component, many)


def _programs(c: Continuum, cost: Cost, pairs: int, component: Array, many: Array) -> Array:
    """(continuum,): what putting together the units of larger components saves."""
    saved = np.zeros(c.n)
    if not len(many):
        return saved
    inside = np.flatnonzero(np.isin(component, many))
    order = inside[np.argsort(component[inside], kind="stable")]
    starts = np.flatnonzero(np.concatenate([[True], np.diff(component[order]) != 0]))
    block = starts // ROWS
    cuts = [int(starts[np.searchsorted(block, b)]) for b in np.unique(block)] + [len(order)]
    for low, high in pairwise(cuts):
        part = np.sort(order[low:high])
        own = c.only(part, component[part], 0)
        members, saving = columns(own, cost, pairs)
        chosen = _solve(members, saving, len(part))
        np.add.at(saved, c.at[part[members[chosen].max(1)]], saving[chosen])
    return saved


def columns(c: Continuum, cost: Cost, pairs: int) -> tuple[Array, Array]:
    """The alignments of two units or more that are worth considering: the unit of each place (-1 for none), and what
    each saves beside its units alone.

    One from which a unit could be taken without loss is left out: the dissimilarities of each of its k units must sum
    to less than C + k - 1.
    """
    near = _Near(c, cost, pairs + c.m - 1.0)
    members, sums = np.full((0, c.m), -1), np.zeros((0, c.m))
    for place in range(c.m):
        here = np.flatnonzero(c.place == place)
        new, total = near.extended(members, sums, place)
        limit = pairs + (new >= 0).sum(1) + (c.m - place - 1) - 1
        kept = (total < limit[:, None] - CLOSE).all(1)
        single = np.full((len(here), c.m), -1)
        single[:, place] = here
        members = np.concatenate([members, new[kept], single])
        sums = np.concatenate([sums, total[kept], np.zeros((len(here), c.m))])
        if len(members) > 2 * MOST_COLUMNS:
            raise TooManyColumns
    k = (members >= 0).sum(1)
    kept = (k > 1) & (sums < (pairs + k - 1)[:, None] - CLOSE).all(1)
    members, sums, k = members[kept], sums[kept], k[kept]
    if len(members) > MOST_COLUMNS:
        raise TooManyColumns
    return members, k - 1 + (k * (k - 1) / 2 - sums.sum(1) / 2) / pairs


class _Near:
    """The units of later places near each unit, ordered by place."""

    def __init__(self, c: Continuum, cost: Cost, most: float) -> None:
        self.c, self.cost = c, cost
        x, y, _ = cost.within(c, most)
        order = np.lexsort((y, c.place[y], x))
        self.key, self.unit = x[order] * c.m + c.place[y[order]], y[order]

    def extended(self, members: Array, sums: Array, place: int) -> tuple[Array, Array]:
        """Every alignment of earlier places with one more unit, and the dissimilarities of each unit to the others."""
        if not len(members):
            return members, sums
        last = members[np.arange(len(members)), members.shape[1] - 1 - np.argmax(members[:, ::-1] >= 0, 1)]
        first, end = (np.searchsorted(self.key, last * self.c.m + place, side) for side in ("left", "right"))
        if int((end - first).sum()) > 4 * MOST_COLUMNS:
            raise TooManyColumns
        row, at = runs(first, end - first)
        unit, new, total = self.unit[at], members[row], sums[row]
        for p in range(place):
            there = np.flatnonzero(new[:, p] >= 0)
            d = self.cost.of(self.c, new[there, p], unit[there])
            total[there, p] += d
            total[there, place] += d
        new[:, place] = unit
        return new, total


def _solve(members: Array, saving: Array, n: int) -> Array:
    """(alignment,): whether it is chosen: the greatest total saving in which no unit occurs twice."""
    from scipy import optimize  # slow to import

    row, place = np.nonzero(members >= 0)
    use = sparse.csc_array((np.ones(len(row)), (members[row, place], row)), (n, len(members)))
    found = optimize.linprog(-saving, A_ub=use, b_ub=np.ones(n), method="highs-ds")
    share = found.x
    if (np.minimum(share, 1 - share) > FRACTION).any():
        share = _whole(use, saving, saving + use.T @ found.ineqlin.marginals, -found.fun)
    return np.asarray(share > 0.5)


def _whole(use: sparse.csc_array, saving: Array, reduced: Array, bound: float) -> Array:
    """The program in whole numbers. An optimum uses no alignment whose reduced saving is below the gap between the
    fractional optimum and a whole solution, so few alignments are enough; if the gap is larger, those within it.
    """
    from scipy import optimize

    gap = START
    while True:
        columns = np.flatnonzero(reduced >= -gap - CLOSE)
        limits = optimize.LinearConstraint(use[:, columns], ub=np.ones(use.shape[0]))
        exact = {"mip_rel_gap": 0.0}
        found = optimize.milp(
            -saving[columns],
            integrality=np.ones(len(columns)),
            bounds=optimize.Bounds(0, 1),
            constraints=limits,
            options=exact,
        )
        share = np.zeros(len(saving))
        share[columns] = np.round(found.x)
        missing = bound - float(saving @ share)
        if missing <= gap:
            return share
        gap = missing
