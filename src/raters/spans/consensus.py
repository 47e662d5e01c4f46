"""The consensus of spans: units that more than half of the raters marked exactly are settled; the rest is a list to
adjudicate. Bounds are never invented.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.estimate import Result, jsonable, text_table
from raters.notes.note import Note
from raters.spans.matching import numbered
from raters.spans.sweeps import linked, overlapping
from raters.spans.units import Parts, Spans, label_name

Array = NDArray[Any]
STATUS = ("settled", "bounds", "label", "minority", "one rater")
WORDS = {
    "settled": "settled",
    "bounds": "with disputed bounds",
    "label": "with a disputed label",
    "minority": "marked by half of the raters or fewer",
    "one rater": "in documents that one rater saw",
}
SHOWN = 12
MODELS = ("majority", "auto")
"""What ``model`` may be: units are settled by votes alone."""


@dataclass(frozen=True)
class Row:
    """A unit that somebody marked, and what the raters of its document say of it."""

    document: str
    start: int
    end: int
    label: str | None
    support: int
    """Raters who marked it or, if it is not settled, something that overlaps it."""
    seen: int
    status: str
    parts: Parts = ()


@dataclass(frozen=True, repr=False)
class SpanConsensus(Result):
    """Settled units, and those to adjudicate."""

    rows: tuple[Row, ...]
    found: Spans
    notes: tuple[Note, ...] = ()

    @property
    def settled(self) -> tuple[Row, ...]:
        """The units that are labels."""
        return tuple(r for r in self.rows if r.status == "settled")

    @property
    def adjudicate(self) -> tuple[Row, ...]:
        """The units to look at."""
        return tuple(r for r in self.rows if r.status != "settled")

    @property
    def counts(self) -> dict[str, int]:
        """How many rows have each status."""
        found = Counter(r.status for r in self.rows)
        return {s: found[s] for s in STATUS if found[s]}

    @property
    def sentence(self) -> str:
        """How many units are settled, and what the others are."""
        rest = "; ".join(f"{n:,} {WORDS[s]}" for s, n in self.counts.items() if s != "settled")
        return f"{len(self.settled):,} units are settled{f'; to adjudicate: {rest}' if rest else ''}."

    def to_columns(self) -> dict[str, list[Any]]:
        names = ("document", "start", "end", "label", "support", "seen", "status")
        more = ("parts",) if any(r.parts for r in self.rows) else ()
        return {n: [getattr(r, n) for r in self.rows] for n in (*names, *more)}

    def to_dict(self) -> dict[str, Any]:
        return {"schema": 1, "counts": self.counts, "units": [jsonable(vars(r)) for r in self.rows]}

    def __str__(self) -> str:
        columns = self.to_columns() | {"label": [label_name(r.label) for r in self.rows]}
        rows = [[str(x) for x in row] for row in zip(*columns.values(), strict=True)]
        more = [f"... ({len(rows):,} rows in all)"] if len(rows) > SHOWN else []
        return "\n".join([self.sentence, *text_table(list(columns), rows[:SHOWN]), *more])


def consensus_of_spans(found: Spans, model: str = "majority") -> SpanConsensus:
    """The settled units of each document, and what is left to adjudicate."""
    if model not in MODELS:
        raise UsageError(
            f"model={model!r}: characters of a unit are not independent items, so models of labels would be"
            " overconfident on spans; omit model=."
        )
    m = found.views_each[found.document]
    key, n = numbered(found.bounds, found.label) if found.n_units else (found.bounds, 0)
    support = np.bincount(key, minlength=n)
    settled = (2 * support[key] > m) & (m >= 2)
    rest = ~settled & (m >= 2) & ~_versions(found, key, settled)
    rows = [_row(found, u, int(support[key[u]]), "settled") for u in _first(key, settled)]
    rows += [_row(found, int(u), 1, "one rater") for u in np.flatnonzero(m < 2)]
    rows += _groups(found, rest)
    rows.sort(key=lambda r: (r.document, r.start, r.end, r.label or ""))
    return SpanConsensus(tuple(rows), found)


def _row(found: Spans, unit: int, support: int, status: str) -> Row:
    parts = found.parts_of(unit)
    return Row(
        found.documents[int(found.document[unit])],
        int(found.start[unit]),
        int(found.end[unit]),
        found.labels[int(found.label[unit])],
        support,
        int(found.views_each[found.document[unit]]),
        status,
        parts if len(parts) > 1 else (),
    )


def _first(key: Array, chosen: Array) -> list[int]:
    """One unit of each key."""
    at = np.flatnonzero(chosen)
    return [int(u) for u in at[np.unique(key[at], return_index=True)[1]]]


def _versions(found: Spans, key: Array, settled: Array) -> Array:
    """(unit,): whether it is its rater's version of a settled unit of the same label, which that rater did not mark."""
    edges = overlapping(found)
    one, other = np.concatenate([edges.one, edges.other]), np.concatenate([edges.other, edges.one])
    kept = settled[other] & (found.label[one] == found.label[other])
    one, other = one[kept], other[kept]
    size = int(key.max(initial=0)) + 1
    marked = np.isin(found.view[one] * size + key[other], found.view * size + key)
    versions = np.zeros(found.n_units, bool)
    versions[one[~marked]] = True
    return versions


def _groups(found: Spans, rest: Array) -> list[Row]:
    """One row for each group of overlapping units that are left."""
    units = np.flatnonzero(rest)
    if not len(units):
        return []
    left = found.keeping(rest)
    across, inside = overlapping(left), overlapping(left, within=True)
    group = linked(left.n_units, np.concatenate([across.one, inside.one]), np.concatenate([across.other, inside.other]))
    n = int(group.max()) + 1
    m = np.zeros(n, int)
    m[group] = left.views_each[left.document]
    support = np.bincount(np.unique(group * left.n_views + left.view) // left.n_views, minlength=n)
    q = len(left.labels)
    given = np.unique((group * q + left.label) * left.n_views + left.view) // left.n_views
    by_label = np.bincount(given, minlength=n * q).reshape(n, q)
    winner = np.where(2 * by_label.max(1) > m, by_label.argmax(1), -1)
    status = np.where(2 * support <= m, 3, np.where(winner >= 0, 1, 2))
    allowed = (status[group] != 1) | (left.label == winner[group])
    worth = _summed_best(left, across.one, across.other, across.shared)
    named = np.array([-1 if x is None else i for i, x in enumerate(left.labels)])[left.label]
    order = np.lexsort((named, left.end, left.start, -np.round(worth, 12), ~allowed, group))
    first = order[np.unique(group[order], return_index=True)[1]]
    return [
        _row(left, int(u), int(support[g]), STATUS[int(status[g])]) for g, u in zip(group[first], first, strict=True)
    ]


def _summed_best(found: Spans, one: Array, other: Array, shared: Array) -> Array:
    """(unit,): over the other raters, the largest share of characters in common with one of their units."""
    iou = shared / (found.size[one] + found.size[other] - shared)
    unit, view = np.concatenate([one, other]), found.view[np.concatenate([other, one])]
    if not len(unit):
        return np.zeros(found.n_units)
    key, at = np.unique(unit * found.n_views + view, return_inverse=True)
    most = np.zeros(len(key))
    np.maximum.at(most, at, np.concatenate([iou, iou]))
    return np.bincount(key // found.n_views, most, found.n_units)
