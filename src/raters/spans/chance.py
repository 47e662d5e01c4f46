"""F1 by chance: one rater turned round the document, for measures that find matches by chance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.notes.note import Note
from raters.spans.pairs import MATCHES, Pairing, pieces_of
from raters.spans.sweeps import runs
from raters.spans.units import Spans

Array = NDArray[Any]
EVERY, DRAWN = 2_000, 200
"""Documents up to so many characters are turned by every whole pivot; longer ones by so many random pivots."""
MOST_UNITS = 3_000_000
"""Units of all turned documents; beyond that, fewer pivots are drawn for each."""
AT_ONCE = 400_000


@dataclass(frozen=True)
class Turned:
    """F1 pooled over pivots, and what has to be said about it."""

    value: float
    note: Note | None = None


def turned(found: Spans, name: str, threshold: float, seed: int = 0) -> Turned:
    """F1 of each pair if one of them is turned round the document, pooled over pairs, documents and pivots."""
    if not found.lengths_known:
        return Turned(np.nan, Note("no_chance"))
    pairing = Pairing(found)
    each = np.bincount(found.view, minlength=found.n_views)
    marked = (each[pairing.one] > 0) & (each[pairing.other] > 0)
    length = found.length[pairing.document]
    pivots = np.where(length <= EVERY, length, DRAWN) * marked
    total = float((pivots * (each[pairing.one] + each[pairing.other])).sum())
    note = None
    if total > MOST_UNITS:
        share = MOST_UNITS / total
        pivots = np.where(pivots > 0, np.maximum(np.floor(pivots * share), 1), 0).astype(np.int64)
        note = Note("fewer_pivots")
    alone = ~marked
    all_ = each[pairing.one] + each[pairing.other]
    every = np.where(length <= EVERY, length, DRAWN)
    both, there = 0.0, float((all_ * every)[alone].sum())  # nothing can match where one of them marked nothing
    rng = np.random.default_rng(seed)
    cost = np.cumsum(pivots * all_)
    block = (cost // AT_ONCE).astype(int)
    for b in np.unique(block[pivots > 0]).tolist():
        rows = np.flatnonzero((block == b) & (pivots > 0))
        row, pivot = runs(np.zeros(len(rows), np.int64), pivots[rows])
        row = rows[row]
        drawn = (pivots[row] < length[row]) | (length[row] > EVERY)
        pivot = np.where(drawn, rng.integers(0, np.maximum(length[row], 1)), pivot)
        matched = MATCHES[name](_turned(found, pairing, row, pivot), *_pairing_of(len(row)), threshold)
        weight = every[row] / pivots[row]
        both += float((matched.both * weight).sum())
        there += float((matched.all * weight).sum())
    return Turned(2 * both / there if there else np.nan, note)


def _pairing_of(n: int) -> tuple[Pairing]:
    """The pairing of n documents of two raters."""
    made = object.__new__(Pairing)
    made.m = np.full(n, 2)
    made.first_view, made.first_row = 2 * np.arange(n), np.arange(n)
    made.one, made.other, made.document = 2 * np.arange(n), 2 * np.arange(n) + 1, np.arange(n)
    made.pair, made.n_pairs, made.raters = np.zeros(n, int), 1, np.array([[0, 1]])
    return (made,)


def _turned(found: Spans, pairing: Pairing, row: Array, pivot: Array) -> Spans:
    """A document for each row and pivot: the units of the one as they are, those of the other turned by the pivot; a
    unit that passes the end has two parts.
    """
    order = np.argsort(found.view, kind="stable")
    first = np.searchsorted(found.view[order], np.arange(found.n_views))
    each = np.bincount(found.view, minlength=found.n_views)
    views = np.stack([pairing.one[row], pairing.other[row]], 1).ravel()
    view, at = runs(first[views], each[views])
    unit = order[at]
    shift = np.where(view % 2 == 1, pivot[view // 2], 0)
    length = found.length[found.view_document[views[view]]]
    parts = np.searchsorted(found.part_unit, unit), np.searchsorted(found.part_unit, unit, "right")
    new, part = runs(parts[0], parts[1] - parts[0])
    start, end = found.part_start[part] + shift[new], found.part_end[part] + shift[new]
    whole = length[new]
    over = start >= whole
    start, end = start - over * whole, end - over * whole
    passes = end > whole
    unit_of = np.concatenate([new, new[passes]])
    starts = np.concatenate([start, np.zeros(int(passes.sum()), np.int64)])
    ends = np.concatenate([np.minimum(end, whole), (end - whole)[passes]])
    sort = np.lexsort((starts, unit_of))
    n = len(row)
    made = pieces_of(found, view, found.label[unit], np.zeros(len(view), np.int64), length)
    return _with(made, found, row, pairing, n, unit_of[sort], starts[sort], ends[sort])


def _with(
    made: Spans, found: Spans, row: Array, pairing: Pairing, n: int, part_unit: Array, start: Array, end: Array
) -> Spans:
    return replace(
        made,
        documents=tuple("" for _ in range(n)),
        view_document=np.repeat(np.arange(n), 2),
        view_rater=np.tile([0, 1], n),
        length=found.length[pairing.document[row]],
        texts=(),
        part_unit=part_unit,
        part_start=start,
        part_end=end,
    )
