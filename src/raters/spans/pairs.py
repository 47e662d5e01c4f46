"""F1 of two raters, by document and pair: matched units against all units."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.errors import UsageError
from raters.spans.matching import largest, numbered
from raters.spans.sweeps import cover, overlapping, runs, together
from raters.spans.units import Spans

Array = NDArray[Any]
TOKEN = re.compile(r"\S+")
IOU = 0.5
"""Units match by ``iou`` if they share at least this part of the characters of both."""


class Pairing:
    """All pairs of raters of each document, a row each."""

    def __init__(self, found: Spans) -> None:
        m = found.views_each
        self.first_view = np.cumsum(m) - m
        self.first_row = np.cumsum(m * (m - 1) // 2) - m * (m - 1) // 2
        self.m = m
        at = np.arange(found.n_views)
        self.one, self.other = runs(at + 1, (self.first_view + m)[found.view_document] - at - 1)
        self.document = found.view_document[self.one]
        raters = found.view_rater[self.one], found.view_rater[self.other]
        self.pair, self.n_pairs = numbered(raters[0] * max(found.n_raters, 1) + raters[1])
        self.raters = np.zeros((self.n_pairs, 2), int)
        self.raters[self.pair] = np.stack(raters, 1)

    def row(self, document: Array, one: Array, other: Array) -> Array:
        """The row of two views of a document, in either order."""
        first, m = self.first_view[document], self.m[document]
        a, b = np.minimum(one, other) - first, np.maximum(one, other) - first
        return np.asarray(self.first_row[document] + a * m - a * (a + 1) // 2 + b - a - 1)


@dataclass(frozen=True)
class Matched:
    """A row for each document and pair of raters: what matches, and what both marked."""

    pairing: Pairing
    n_documents: int
    both: Array
    """(row,): matched units, tokens or characters."""
    all: Array
    """(row,): what the one marked plus what the other marked."""

    @property
    def document(self) -> Array:
        return np.asarray(self.pairing.document)

    def only(self, pairs: Array) -> Matched:
        """Other pairs count nothing."""
        kept = pairs[self.pairing.pair]
        return Matched(self.pairing, self.n_documents, self.both * kept, self.all * kept)

    def by_pair(self) -> tuple[sparse.csr_array, sparse.csr_array]:
        """(document, pair) tables of what matches and of what there is."""
        shape = self.n_documents, self.pairing.n_pairs
        where = self.document, self.pairing.pair
        return sparse.csr_array((self.both, where), shape), sparse.csr_array((self.all, where), shape)


def _matched(found: Spans, pairing: Pairing, one: Array, other: Array, amount: Array, each: Array) -> Matched:
    """From matched units ``one`` and ``other`` (views), the amount of each match, and what each view has."""
    document = found.view_document[one]
    rows = len(pairing.one)
    both = np.bincount(pairing.row(document, one, other), amount, rows) if len(one) else np.zeros(rows)
    return Matched(pairing, found.n_documents, both, each[pairing.one] + each[pairing.other])


def _counts(found: Spans, view: Array, weight: Array | None = None) -> Array:
    return np.bincount(view, weight, found.n_views).astype(float)


def exact(found: Spans, pairing: Pairing, threshold: float = IOU) -> Matched:
    """The same parts and label."""
    one, other = together(found.bounds * max(len(found.labels), 1) + found.label)
    a, b = found.view[one], found.view[other]
    return _matched(found, pairing, a, b, np.ones(len(a)), _counts(found, found.view))


def boundaries(found: Spans, pairing: Pairing, threshold: float = IOU) -> Matched:
    """The same parts, whatever the label; equal parts of one rater count once."""
    key = np.unique(found.bounds * max(found.n_views, 1) + found.view)
    bounds, view = key // max(found.n_views, 1), key % max(found.n_views, 1)
    one, other = together(bounds)
    return _matched(found, pairing, view[one], view[other], np.ones(len(one)), _counts(found, view))


def overlap(found: Spans, pairing: Pairing, threshold: float = IOU) -> Matched:
    """The same label and a shared character, one to one, as many as possible."""
    return _largest(found, pairing, 0.0)


def iou(found: Spans, pairing: Pairing, threshold: float = IOU) -> Matched:
    """The same label, and characters shared to at least the threshold, one to one, as many as possible."""
    return _largest(found, pairing, threshold)


def _largest(found: Spans, pairing: Pairing, threshold: float) -> Matched:
    edges = overlapping(found)
    alike = found.label[edges.one] == found.label[edges.other]
    alike &= reaches(edges.shared, found.size[edges.one], found.size[edges.other], threshold)
    edges = edges.where(alike)
    a, b = found.view[edges.one], found.view[edges.other]
    row = pairing.row(found.view_document[a], a, b) if len(a) else a
    n = max(found.n_units, 1)
    chosen = largest(row * n + edges.one, row * n + edges.other) if len(a) else np.zeros(0, bool)
    return _matched(found, pairing, a[chosen], b[chosen], np.ones(int(chosen.sum())), _counts(found, found.view))


def reaches(shared: Array, size: Array, other: Array, threshold: float) -> Array:
    """Whether shared / (size + other - shared) >= threshold, so that equality is exact for halves."""
    return np.asarray(shared >= threshold * (size + other - shared) - 1e-12)


def character(found: Spans, pairing: Pairing, threshold: float = IOU) -> Matched:
    """Characters by label; a character that one rater labels twice alike counts once."""
    q = max(len(found.labels), 1)
    made = cover(found, found.view * q + found.label)
    pieces = pieces_of(found, made.group // q, made.group % q, made.start, made.end)
    edges = overlapping(pieces)
    alike = edges.where(pieces.label[edges.one] == pieces.label[edges.other])
    a, b = pieces.view[alike.one], pieces.view[alike.other]
    return _matched(found, pairing, a, b, alike.shared, _counts(found, pieces.view, pieces.size))


def pieces_of(found: Spans, view: Array, label: Array, start: Array, end: Array) -> Spans:
    """Pieces as units of their own."""
    n = np.arange(len(view))
    return replace(
        found, view=view, label=label, bounds=n, start=start, end=end, part_unit=n, part_start=start, part_end=end
    )


def token(found: Spans, pairing: Pairing, threshold: float = IOU) -> Matched:
    r"""Tokens (``\S+``) that units touch; a token counts for a label as often as units of that label touch it."""
    missing = [d for d, t in zip(found.documents, found.texts, strict=True) if t is None]
    shared = found.views_each >= 2
    if any(t is None and s for t, s in zip(found.texts, shared.tolist(), strict=True)):
        raise UsageError(
            f"{found.source}: 'token' needs the texts of documents, and {missing[0]!r} has none. Use 'character' or"
            " 'overlap'."
        )
    places = [
        (m.start() + b, m.end() + b)
        for t, b in zip(found.texts, found.base.tolist(), strict=True)
        for m in TOKEN.finditer(t or "")
    ]
    start, end = np.array(places, np.int64).reshape(-1, 2).T
    base = found.base[found.document[found.part_unit]]
    first = np.searchsorted(end, base + found.part_start, "right")
    last = np.searchsorted(start, base + found.part_end, "left")
    part, touched = runs(first, np.maximum(last - first, 0))
    n = max(len(places), 1)
    once = np.unique(found.part_unit[part] * n + touched)
    unit, touched = once // n, once % n
    q, v = max(len(found.labels), 1), max(found.n_views, 1)
    key, times = np.unique((touched * q + found.label[unit]) * v + found.view[unit], return_counts=True)
    one, other = together(key // v)
    view = key % v
    amount = np.minimum(times[one], times[other])
    return _matched(found, pairing, view[one], view[other], amount, _counts(found, view, times))


MATCHES: dict[str, Callable[[Spans, Pairing, float], Matched]] = {
    f.__name__: f for f in (exact, overlap, boundaries, iou, token, character)
}
"""How units of two raters match, by name."""
