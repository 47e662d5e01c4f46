"""What each item adds to the sums behind the multi-label measures, for two raters or for a crowd."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.errors import UsageError
from raters.items import Items
from raters.items.bag import within_rows
from raters.scales.sets import membership, shared

Array = NDArray[Any]
BASELINE = "one_label"


@dataclass(frozen=True)
class Options:
    """How sets are compared, and how chance is computed."""

    chance: str = "exact"
    simulations: int = 1000
    both_empty: float = 1.0
    weights: tuple[float, ...] | None = None
    replicates: int = 1
    seed: int = 0


class Sets:
    """The distinct sets of a table as arrays."""

    def __init__(self, labels: Sequence[Any], members: Sequence[Any], weights: Sequence[float] | None = None) -> None:
        self.members = tuple(members)
        self.has = membership(labels, members)
        self.size = np.fromiter(map(len, labels), np.int64, len(labels))
        self.shares = _shares(labels, members, weights)
        # a set in a different order is the same set
        kinds: dict[frozenset[Any], int] = {}
        self.kind = np.array([kinds.setdefault(frozenset(s), len(kinds)) for s in labels], np.int64)
        self.n_kinds = len(kinds)

    def observed(self, a: Array, b: Array, both_empty: float) -> dict[str, Array]:
        r"""Each measure on each pair of sets.

        .. math:: \mathrm{match} = [a \cap b \ne \emptyset], \quad \mathrm{augmented} = \sum_{k \in a \cap b} w_{ak} w_{bk},
            \quad P = \frac{|a \cap b|}{|a|}, \quad R = \frac{|a \cap b|}{|b|}, \quad F_1 = \frac{2 |a \cap b|}{|a| + |b|}

        If one of the two is empty: 0; if both are: ``both_empty``.
        """
        both, m, n = shared(self.has, a, b), self.size[a], self.size[b]
        empty = np.where((m == 0) & (n == 0), both_empty, 0.0)
        match = (both > 0) + empty
        return {
            "soft_match": match,
            "augmented": np.asarray(self.shares[a].multiply(self.shares[b])[:, :-1].sum(1)).ravel() + empty,
            BASELINE: (self.kind[a] == self.kind[b]).astype(float),
            "boot_match": match,
            "boot_precision": both / np.maximum(m, 1) + empty,
            "boot_recall": both / np.maximum(n, 1) + empty,
            "boot_f1": 2 * both / np.maximum(m + n, 1) + empty,
        }

    def reduced(self, a: Array, b: Array) -> sparse.csr_array:
        """(pair, label or none): set a[i] reduced to what it shares with b[i], spread evenly; unchanged if they share nothing."""
        both = shared(self.has, a, b)
        common = self.has[a].multiply(self.has[b]).tocsr()
        scaled = sparse.diags_array(np.where(both > 0, 1 / np.maximum(both, 1), 0.0)) @ common
        own = sparse.diags_array((both == 0).astype(float)) @ self.shares[a]
        wide = sparse.hstack([scaled, sparse.csr_array((len(a), 1))], format="csr")
        return sparse.csr_array(wide + own)

    def sizes(self, largest: int) -> sparse.csr_array:
        """(set, size): 1 at the size of the set."""
        n = len(self.size)
        return sparse.coo_array((np.ones(n), (np.arange(n), self.size)), (n, largest + 1)).tocsr()

    def kinds(self) -> sparse.csr_array:
        n = len(self.size)
        return sparse.coo_array((np.ones(n), (np.arange(n), self.kind)), (n, self.n_kinds)).tocsr()


def _shares(labels: Sequence[Any], members: Sequence[Any], weights: Sequence[float] | None) -> sparse.csr_array:
    """(set, label or none): the weights of the labels of a set, which sum to 1; the empty set has a column of its own."""
    given = np.asarray(weights if weights is not None else [1.0], float)
    place = {label: k for k, label in enumerate(members)}
    data, columns, start = [], [], [0]
    for s in labels:
        w = given[np.minimum(np.arange(len(s)), len(given) - 1)] if len(s) else np.ones(1)
        data.append(w / w.sum())
        columns.append([place[x] for x in s] or [len(members)])
        start.append(start[-1] + len(data[-1]))
    flat, at = np.concatenate(data), np.concatenate(columns)
    return sparse.csr_array((flat, at, np.array(start)), (len(labels), len(members) + 1))


@dataclass(frozen=True)
class Terms:
    """What each pattern adds to the sums behind the measures."""

    weight: Array
    both: Array
    """(pattern,): 1 if two raters labelled the item."""
    observed: Mapping[str, Array]
    margins: Mapping[str, tuple[sparse.csr_array, ...]]
    """For each rater (or for all together, in the pooled form): (pattern, ...) shares of the distributions that are drawn from."""


def codes(items: Items) -> Array:
    """(pattern, rater): which set each rater gave, -1 if none; one set for each rater and item."""
    c = items.counts.tocoo()
    if np.any(c.data > 1) or np.any(items.per_group.data > 1):
        raise UsageError(
            "a rater gave an item several sets, but multilabel needs one. Read the data with duplicates='first' or 'last', or "
            "multi='rows' if each row is one label of a set."
        )
    which = np.full((c.shape[0], len(items.groups)), -1, np.int64)
    which[c.row, c.col // items.width] = c.col % items.width
    return which


def two_raters(weight: Array, x: Array, y: Array, sets: Sets, options: Options) -> Terms:
    """The terms of two raters: x and y are the sets they gave, -1 if none."""
    at = np.flatnonzero((x >= 0) & (y >= 0))
    n, largest = len(weight), int(sets.size.max(initial=0))
    both = np.zeros(n)
    both[at] = 1
    observed = {}
    for name, values in sets.observed(x[at], y[at], options.both_empty).items():
        observed[name] = np.zeros(n)
        observed[name][at] = values
    margins: dict[str, tuple[sparse.csr_array, ...]] = {}
    for name, table in _tables(sets, largest).items():
        margins[name] = tuple(_rows(table, who) for who in (x, y))
    margins["soft_match"] = tuple(
        _rows(sets.shares, np.where(both > 0, -1, me)) + _spread(sets.reduced(me[at], you[at]), at, n)
        for me, you in ((x, y), (y, x))
    )
    return Terms(weight, both, observed, margins)


def crowd(items: Items, sets: Sets, options: Options) -> Terms:
    """The terms of interchangeable raters: each pair of an item, and one distribution for all.

    Items with one set count for the distribution but not for the observed agreement, as for Fleiss' kappa.
    """
    c = items.counts
    which = c.indices % items.width
    a, b = within_rows(c.indptr)
    rows = np.repeat(np.arange(c.shape[0]), np.diff(c.indptr))
    r = np.diff(c.indptr).astype(float)
    both = (r >= 2).astype(float)
    first, second = np.concatenate([which[a], which[b]]), np.concatenate([which[b], which[a]])
    row = np.tile(rows[a], 2)
    mean = 1 / np.maximum(r * (r - 1), 1)
    observed = {
        name: np.bincount(row, values, len(r)) * mean
        for name, values in sets.observed(first, second, options.both_empty).items()
    }
    share = sparse.coo_array((1 / r[rows], (rows, which)), (len(r), len(sets.size))).tocsr()
    margins = {n: (share @ t,) for n, t in _tables(sets, int(sets.size.max(initial=0))).items()}
    pairs = sparse.coo_array((mean[row], (row, np.arange(len(row)))), (len(r), len(row))).tocsr()
    alone = sparse.diags_array(1 - both) @ share @ sets.shares
    margins["soft_match"] = (sparse.csr_array(pairs @ sets.reduced(first, second) + alone),)
    return Terms(items.weight, both, observed, margins)


def _tables(sets: Sets, largest: int) -> dict[str, sparse.csr_array]:
    return {"augmented": sets.shares, BASELINE: sets.kinds(), "sizes": sets.sizes(largest), "labels": sets.has}


def _rows(table: sparse.csr_array, at: Array) -> sparse.csr_array:
    """The rows ``at`` of a table; empty if it is -1."""
    here = sparse.diags_array((at >= 0).astype(float))
    return sparse.csr_array(here @ table[np.maximum(at, 0)])


def _spread(rows: sparse.csr_array, at: Array, n: int) -> sparse.csr_array:
    place = sparse.coo_array((np.ones(len(at)), (at, np.arange(len(at)))), (n, len(at))).tocsr()
    return sparse.csr_array(place @ rows)
