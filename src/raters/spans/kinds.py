"""Kinds of disagreement: for two raters in a document, each unit is in one kind, whatever the order and ties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.spans.matching import best, numbered
from raters.spans.pairs import Pairing
from raters.spans.sweeps import linked, overlapping, runs
from raters.spans.units import Spans

Array = NDArray[Any]
KINDS = ("exact", "label", "bounds", "both", "cut", "alone")
WORDS = {
    "exact": "the same",
    "label": "another label",
    "bounds": "other bounds",
    "both": "both",
    "cut": "cut differently",
    "alone": "only one rater",
}
"""The kinds in words: of matched units the first four; of units without a match, ``cut`` overlaps some unit of the
other rater, and ``alone`` none."""


@dataclass(frozen=True)
class Kinds:
    """Each case: a pair of units, or a unit without a match (``other`` is -1), and its kind."""

    pairing: Pairing
    kind: Array
    """(case,): a position in ``KINDS``."""
    row: Array
    """(case,): the row of its document and pair of raters."""
    one: Array
    other: Array

    def counts(self) -> dict[str, int]:
        """How many cases are of each kind."""
        return dict(zip(KINDS, np.bincount(self.kind, minlength=len(KINDS)).tolist(), strict=True))

    def by(self, what: Array, size: int) -> Array:
        """(what, kind): the cases of each value."""
        return np.bincount(what * len(KINDS) + self.kind, minlength=size * len(KINDS)).reshape(size, len(KINDS))


def kinds(found: Spans) -> Kinds:
    """All cases of all pairs of raters."""
    pairing = Pairing(found)
    n = max(found.n_units, 1)
    edges = overlapping(found)
    if not len(edges.one):
        none = np.zeros(0, int)
        return _with_rest(found, pairing, none, none, none, none, np.zeros((2, 0), int))
    row = pairing.row(found.document[edges.one], found.view[edges.one], found.view[edges.other])
    same = found.bounds[edges.one] == found.bounds[edges.other], found.label[edges.one] == found.label[edges.other]
    equal = same[0] & same[1]
    gone = [np.unique(row[equal] * n + x[equal]) for x in (edges.one, edges.other)]
    left, right = row * n + edges.one, row * n + edges.other
    open_ = np.flatnonzero(~(np.isin(left, gone[0]) | np.isin(right, gone[1])))
    kind = np.where(same[0], 1, np.where(same[1], 2, 3))
    (a, size), (b, more) = numbered(left[open_]), numbered(right[open_])
    component = linked(size + more, a, size + b)
    units = np.bincount(component)[component[a]].astype(float) if len(open_) else np.zeros(0)
    gain = np.choose(kind[open_] - 1, [(units + 1) ** 2, units + 1, np.ones(len(units))])
    chosen = open_[best(left[open_], right[open_], gain)]
    pairs = np.concatenate([np.flatnonzero(equal), chosen])
    return _with_rest(
        found,
        pairing,
        np.where(equal[pairs], 0, kind[pairs]),
        row[pairs],
        edges.one[pairs],
        edges.other[pairs],
        np.stack([np.concatenate([row, row]), np.concatenate([edges.one, edges.other])]),
    )


def _with_rest(
    found: Spans, pairing: Pairing, kind: Array, row: Array, one: Array, other: Array, touched: Array
) -> Kinds:
    """The matched units, and every unit of either rater that is in no match."""
    n = max(found.n_units, 1)
    view = np.concatenate([pairing.one, pairing.other])
    rows = np.tile(np.arange(len(pairing.one)), 2)
    order = np.argsort(found.view, kind="stable")
    first = np.searchsorted(found.view[order], np.arange(found.n_views))
    each = np.bincount(found.view, minlength=found.n_views)
    at, place = runs(first[view], each[view])
    all_ = rows[at] * n + order[place]
    rest = np.setdiff1d(all_, np.concatenate([row * n + one, row * n + other]), assume_unique=False)
    meets = np.isin(rest, touched[0] * n + touched[1])
    return Kinds(
        pairing,
        np.concatenate([kind, np.where(meets, 4, 5)]),
        np.concatenate([row, rest // n]),
        np.concatenate([one, rest % n]),
        np.concatenate([other, np.full(len(rest), -1)]),
    )
