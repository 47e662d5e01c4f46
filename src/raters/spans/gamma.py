r"""Gamma: disorder of the best alignment against that of shuffled units.

.. math:: \gamma = 1 - \frac{\sum_d o_d}{\sum_d \bar x_d E_d}

with :math:`o_d` the least total cost of document d, :math:`\bar x_d` its mean number of units a rater, and :math:`E_d`
the mean disorder of random draws. Mathet, Widlocher and Metivier (2015), Comput. Linguist. 41, 437-479.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.notes.note import Note
from raters.spans.alignment import Continuum, Cost, TooManyColumns, least
from raters.spans.sweeps import runs
from raters.spans.units import Spans

Array = NDArray[Any]
CLOSE_ENOUGH = 0.002
"""Draws are added until the Monte Carlo error is below this."""
LEAST_DRAWS, MOST_DRAWS = 30, 1_000
UNITS = 20_000
"""Units of the continua that are aligned at once."""
TRIES = 100


@dataclass(frozen=True)
class Gamma:
    """The disorder of each document, observed and by chance."""

    disorder: Array
    """(document,): the least total cost."""
    mean_units: Array
    """(document,): units per rater."""
    chance: Array
    """(document,): the mean disorder of draws."""
    se: float
    """The Monte Carlo error of gamma."""
    draws: int
    alpha: float
    beta: float
    notes: tuple[Note, ...] = ()
    too_many: bool = False
    """Whether there are more alignments than can be sought, so that there is no figure."""

    @property
    def value(self) -> float:
        return float(1 - self.disorder.sum() / (self.mean_units @ self.chance))


@dataclass(frozen=True)
class Documents:
    """Units of documents of the same number of raters; places are the raters of the document in order."""

    document: Array
    """(document,): which ones."""
    m: int
    units: Continuum
    length: Array
    """(document,): characters, from ``first``."""
    first: Array


def by_raters(found: Spans) -> list[Documents]:
    """The documents that two or more raters saw and anybody marked, by their number of raters."""
    each = np.bincount(found.document, minlength=found.n_documents)
    first_view = np.cumsum(found.views_each) - found.views_each
    made = []
    low, high = np.full(found.n_documents, np.iinfo(np.int64).max), np.zeros(found.n_documents, np.int64)
    np.minimum.at(low, found.document, found.start)
    np.maximum.at(high, found.document, found.end)
    for m in np.unique(found.views_each[(each > 0) & (found.views_each >= 2)]).tolist():
        chosen = np.flatnonzero((each > 0) & (found.views_each == m))
        at = np.full(found.n_documents, -1)
        at[chosen] = np.arange(len(chosen))
        mine = np.flatnonzero(at[found.document] >= 0)
        place = (found.view - first_view[found.document])[mine]
        units = Continuum(
            at[found.document[mine]], place, found.start[mine], found.end[mine], found.label[mine], m, len(chosen)
        )
        known = found.length[chosen] >= 0
        length = np.where(known, found.length[chosen], high[chosen] - low[chosen])
        made.append(Documents(chosen, m, units.ordered(), length, np.where(known, 0, low[chosen])))
    return made


def drawn(docs: Documents, document: Array, rater: Array, pivot: Array) -> Continuum:
    """A continuum for each row: every place takes the units of a rater (row, place) of the document, moved by a pivot.
    A unit whose start passes the end goes round; one that only hangs over the end stays.
    """
    n, m = rater.shape
    key = docs.units.at * m + docs.units.place
    wanted = (document[:, None] * m + rater).ravel()
    first, last = np.searchsorted(key, wanted, "left"), np.searchsorted(key, wanted, "right")
    slot, unit = runs(first, last - first)
    row = slot // m
    length, begin = docs.length[document[row]], docs.first[document[row]]
    start = docs.units.start[unit] - begin + pivot.ravel()[slot]
    end = docs.units.end[unit] - begin + pivot.ravel()[slot]
    over = (start > length) * length
    return Continuum(row, slot % m, start - over, end - over, docs.units.label[unit], m, n)


def random_draws(docs: Documents, document: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Raters and pivots for a draw of each of these documents (by position); draws without a unit are drawn again."""
    n, m = len(document), docs.m
    each = np.bincount(docs.units.at * m + docs.units.place, minlength=len(docs.document) * m)
    rater = rng.integers(0, m, (n, m))
    for _ in range(TRIES):
        empty = each[document[:, None] * m + rater].sum(1) == 0
        if not empty.any():
            break
        rater[empty] = rng.integers(0, m, (int(empty.sum()), m))
    size = np.bincount(docs.units.at, docs.units.end - docs.units.start) / np.bincount(docs.units.at)
    apart, length = (size / 2)[document], np.maximum(docs.length[document], 1)
    pivot = rng.integers(0, length[:, None], (n, m))
    for place in range(1, m):
        for _ in range(TRIES):
            near = (np.abs(pivot[:, :place] - pivot[:, [place]]) < apart[:, None]).any(1)
            if not near.any():
                break
            pivot[near, place] = rng.integers(0, length[near])
    return rater, pivot


def disorders(c: Continuum, cost: Cost, told: Callable[[float], None] | None = None) -> tuple[Array, Array]:
    """(continuum,): the least total cost, and units per rater; in pieces of a limited size. ``told``: the share that is
    done.
    """
    c = c.ordered()
    counts = np.bincount(c.at, minlength=c.n)
    block = np.cumsum(counts) // UNITS
    cuts = np.flatnonzero(np.concatenate([[True], np.diff(block) > 0, [True]]))
    unit = np.searchsorted(c.at, cuts)
    total = np.zeros(c.n)
    for low, high, at, to in zip(cuts[:-1], cuts[1:], unit[:-1], unit[1:], strict=True):
        part = np.arange(at, to)
        total[low:high] = least(c.only(part, c.at[part] - low, int(high - low)), cost)
        if told is not None:
            told(float(high / c.n))
    return total, counts / c.m


def gamma(
    found: Spans,
    cost: Cost | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Gamma:
    """Gamma of units by the raters of each document, with the error of its random draws."""
    cost = cost or Cost()
    rng = np.random.default_rng(seed)
    o, mean = np.zeros(found.n_documents), np.zeros(found.n_documents)
    sets = by_raters(found)
    notes = () if found.lengths_known else (Note("gamma_by_offsets"),)
    try:
        for docs in sets:
            o[docs.document], mean[docs.document] = disorders(docs.units, cost)
        moments = np.zeros((2, found.n_documents))  # sums of disorders of draws, and of their squares
        done, wanted = 0, LEAST_DRAWS
        while True:
            for docs in sets:
                _add(docs, wanted - done, moments, cost, rng, partial(_say, progress, done, wanted))
            done = wanted
            chance, variance = _chance(moments, done)
            total = float(mean @ chance)
            se = float(o.sum() / total**2 * np.sqrt(mean**2 @ variance / done)) if total else 0.0
            if se < CLOSE_ENOUGH or done >= MOST_DRAWS:
                break
            wanted = int(min(MOST_DRAWS, max(done + LEAST_DRAWS, np.ceil(done * (se / CLOSE_ENOUGH) ** 2 * 1.05))))
    except TooManyColumns:
        nothing = np.zeros(found.n_documents)
        return Gamma(o, mean, nothing, np.nan, 0, cost.alpha, cost.beta, too_many=True)
    return Gamma(o, mean, chance, se, done, cost.alpha, cost.beta, notes=notes)


def _chance(moments: Array, n: int) -> tuple[Array, Array]:
    """The mean and the variance of the disorders of n draws of each document."""
    mean = moments[0] / n
    return mean, np.maximum(moments[1] / n - mean**2, 0) * n / max(n - 1, 1)


def _say(progress: Callable[[int, int], None] | None, done: int, wanted: int, share: float) -> None:
    if progress is not None:
        progress(done + int(share * (wanted - done)), wanted)


def _add(
    docs: Documents,
    more: int,
    moments: Array,
    cost: Cost,
    rng: np.random.Generator,
    told: Callable[[float], None] | None = None,
) -> None:
    """More draws of each document."""
    document = np.repeat(np.arange(len(docs.document)), more)
    rater, pivot = random_draws(docs, document, rng)
    total, units = disorders(drawn(docs, document, rater, pivot), cost, told)
    value = total / units
    n = len(docs.document)
    moments[0, docs.document] += np.bincount(document, value, n)
    moments[1, docs.document] += np.bincount(document, value**2, n)


def typed(found: Spans, draws: Sequence[Sequence[tuple[str, int]]], cost: Cost) -> tuple[float, list[float]]:
    """Gamma of one document on given draws, each a rater and a pivot for every place: to check it by hand."""
    (docs,) = by_raters(found)
    names = [found.raters[r] for r in found.view_rater[found.view_document == docs.document[0]].tolist()]
    rater = np.array([[names.index(who) for who, _ in draw] for draw in draws])
    pivot = np.array([[by for _, by in draw] for draw in draws])
    total, units = disorders(drawn(docs, np.zeros(len(draws), int), rater, pivot), cost)
    observed, mean = disorders(docs.units, cost)
    each = total / units
    return float(1 - observed[0] / (mean[0] * each.mean())), each.tolist()
