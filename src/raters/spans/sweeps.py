"""Sweeps over units laid end to end: what overlaps, what is covered, how long; each linear in what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.spans.units import Spans

Array = NDArray[Any]


def runs(first: Array, counts: Array) -> tuple[Array, Array]:
    """For each row i the numbers ``first[i]``, ``first[i] + 1``, ... (``counts[i]`` of them), with i beside.

    >>> [x.tolist() for x in runs(np.array([5, 0]), np.array([2, 1]))]
    [[0, 0, 1], [5, 6, 0]]
    """
    row = np.repeat(np.arange(len(counts)), counts)
    return row, np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts) + first[row]


def together(key: Array) -> tuple[Array, Array]:
    """All pairs of rows with the same key, the earlier row first.

    >>> [x.tolist() for x in together(np.array([7, 3, 7]))]
    [[0], [2]]
    """
    order = np.argsort(key, kind="stable")
    sorted_key = key[order]
    last = np.searchsorted(sorted_key, sorted_key, "right")
    at = np.arange(len(key))
    one, other = runs(at + 1, last - at - 1)
    return order[one], order[other]


@dataclass(frozen=True)
class Edges:
    """Pairs of units of two raters in one document that share characters; the first has the earlier view."""

    one: Array
    other: Array
    shared: Array
    """Characters."""

    def where(self, kept: Array) -> Edges:
        return Edges(self.one[kept], self.other[kept], self.shared[kept])


def overlapping(found: Spans, within: bool = False) -> Edges:
    """Units of different raters that share characters; ``within``: of one rater instead."""
    base = found.base[found.document[found.part_unit]]
    start, end = base + found.part_start, base + found.part_end
    order = np.argsort(start, kind="stable")
    start, end, unit = start[order], end[order], found.part_unit[order]
    at = np.arange(len(start))
    one, other = runs(at + 1, np.searchsorted(start, end, "left") - at - 1)
    kept = (found.view[unit[one]] == found.view[unit[other]]) == within
    kept &= unit[one] != unit[other]
    one, other = one[kept], other[kept]
    shared = np.minimum(end[one], end[other]) - start[other]
    a, b = unit[one], unit[other]
    swap = found.view[a] > found.view[b]
    a, b = np.where(swap, b, a), np.where(swap, a, b)
    key, place = np.unique(a * max(found.n_units, 1) + b, return_inverse=True)
    total = np.bincount(place, shared, len(key)).astype(np.int64)
    return Edges(key // max(found.n_units, 1), key % max(found.n_units, 1), total)


@dataclass(frozen=True)
class Cover:
    """What the units of each group cover together: disjoint pieces in order."""

    group: Array  # (piece,)
    start: Array
    end: Array
    stretch: Array
    """The overlapping parts that each piece belongs to, numbered; parts that only touch are two stretches."""


def cover(found: Spans, group: Array) -> Cover:
    """The characters that the units of each group cover; ``group``: (unit,), each within one view."""
    of = group[found.part_unit]
    order = np.lexsort((found.part_start, of))
    of, start, end = of[order], found.part_start[order], found.part_end[order]
    first = np.concatenate([[True], of[1:] != of[:-1]]) if len(of) else np.zeros(0, bool)
    number = np.cumsum(first) - 1
    step = int(end.max()) + 1 if len(end) else 1
    furthest = np.maximum.accumulate(end + number * step) - number * step if len(end) else end
    before = np.where(first, 0, np.concatenate([[0], furthest[:-1]])) if len(end) else end
    begin = np.where(first, start, np.maximum(start, before))
    stretch = np.cumsum(first | (start >= before)) - 1
    kept = begin < end
    return Cover(of[kept], begin[kept], end[kept], stretch[kept])


def meeting(key: Array, start: Array, end: Array, size: int) -> Array:
    """(key,): the integral of n (n - 1), where n is the number of pieces of this key at a character."""
    n, width, of = levels(key, start, end)
    return np.bincount(of, n * (n - 1) * width, size) if len(n) else np.zeros(size)


def levels(key: Array, start: Array, end: Array) -> tuple[Array, Array, Array]:
    """Stretches between ends of pieces: how many pieces of the key are there, how long it is, and the key."""
    keys = np.concatenate([key, key])
    place = np.concatenate([start, end])
    step = np.concatenate([np.ones(len(start), np.int64), -np.ones(len(end), np.int64)])
    order = np.lexsort((place, keys))
    keys, place = keys[order], place[order]
    n = np.cumsum(step[order])[:-1]
    return n, np.where(keys[1:] == keys[:-1], np.diff(place), 0), keys[:-1]


class Integral:
    """The integral of the number of pieces up to any place, all documents laid end to end."""

    def __init__(self, start: Array, end: Array) -> None:
        place = np.concatenate([start, end])
        order = np.argsort(place, kind="stable")
        self.place = place[order]
        step = np.concatenate([np.ones(len(start), np.int64), -np.ones(len(end), np.int64)])[order]
        self.n = np.cumsum(step)
        widths = np.diff(self.place, prepend=self.place[:1])
        self.total = np.cumsum(widths * np.concatenate([[0], self.n[:-1]]) if len(place) else widths)

    def to(self, place: Array) -> Array:
        if not len(self.place):
            return np.zeros(len(place), np.int64)
        at = np.searchsorted(self.place, place, "right") - 1
        inside = self.total[at] + self.n[at] * (place - self.place[at])
        return np.where(at < 0, 0, inside)


def linked(n: int, one: Array, other: Array) -> Array:
    """(node,): the connected component of each node."""
    from scipy.sparse.csgraph import connected_components  # slow to import

    graph = sparse.coo_array((np.ones(len(one), bool), (one, other)), (n, n))
    return np.asarray(connected_components(graph, directed=False)[1])
