"""Multi-label measures as statistics: functions of sums over items, with chance recomputed whenever the sums change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.coefficients.base import Parts, safe_divide
from raters.errors import UsageError
from raters.inference.statistic import DENSE, Linear
from raters.items import Items
from raters.items.bag import within_rows
from raters.reliability.sets.chance import MEASURES, MOST_STEPS, Drawing, Enumeration, Reweighted, simulate, steps
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
            \quad P = \frac{|a \cap b|}{|a|}, \quad R = \frac{|a \cap b|}{|b|}, \quad F_1 = \frac{2 |a \cap b|}{|a| +
            |b|}

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
        """(pair, label or none): set a[i] reduced to what it shares with b[i], spread evenly; unchanged if they share
        nothing.
        """
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
    """(set, label or none): the weights of the labels of a set, which sum to 1; the empty set has a column of its
    own.
    """
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
    """For each rater (or for all together, in the pooled form): (pattern, ...) shares of the distributions that are
    drawn from.
    """


def codes(items: Items) -> Array:
    """(pattern, rater): which set each rater gave, -1 if none; one set for each rater and item."""
    c = items.counts.tocoo()
    if np.any(c.data > 1) or np.any(items.per_group.data > 1):
        raise UsageError(
            "a rater gave an item several sets, but multilabel needs one. Read the data with duplicates='first' or"
            " 'last', or multi='rows' if each row is one label of a set."
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


MOST_REPLICATED = 50_000_000
"""Up to this many steps over all replicates, chance is enumerated in each replicate; beyond that, drawn pairs are
reweighted.
"""
MOST_PAIRS = 10_000_000
KEPT = 5000
KAPPAS = ("soft_match", "augmented", BASELINE)


def kappa(terms: Terms, name: str, both_empty: float) -> Linear:
    r"""Observed agreement relative to :math:`\sum_k P(k|a) P(k|b)`: soft-match, augmented kappa, and kappa with each
    set as one label.
    """
    sides = [_used(m) for m in _aligned(terms.margins[name])]
    width = sides[0].shape[1]
    scale = np.ones(width)
    if name != BASELINE:
        scale[-1] = both_empty

    def function(flat: Array) -> Parts:
        with np.errstate(invalid="ignore", divide="ignore"):
            a = flat[..., 2 : 2 + width]
            b = flat[..., 2 + width :] if len(sides) > 1 else a
            chance = (safe_divide(a, a.sum(-1)[..., None]) * safe_divide(b, b.sum(-1)[..., None]) * scale).sum(-1)
            return Parts(safe_divide(flat[..., 1], flat[..., 0]), chance, 1.0)

    return Linear(terms.weight, _beside([terms.both, terms.observed[name]], sides), function)


def _aligned(sides: tuple[sparse.csr_array, ...]) -> tuple[sparse.csr_array, ...]:
    """The same columns for all sides: those that any side uses, and the last."""
    total = np.sum([np.asarray(s.sum(0)).ravel() for s in sides], axis=0)
    keep = np.flatnonzero(total > 0)
    keep = np.append(keep[keep < len(total) - 1], len(total) - 1)
    return tuple(sparse.csr_array(s[:, keep]) for s in sides)


def _used(side: sparse.csr_array) -> sparse.csr_array:
    side.eliminate_zeros()
    return side


def _beside(numbers: Sequence[Array], tables: Sequence[sparse.csr_array]) -> Any:
    whole = sparse.hstack([sparse.csr_array(np.stack(numbers, -1)), *tables], format="csr")
    return whole.toarray() if whole.shape[0] * whole.shape[1] <= DENSE else whole


Expected = Callable[[Drawing, Drawing, float], dict[str, Array]]


def _shifted(every: Enumeration, by: Mapping[str, float]) -> Expected:
    def expected(a: Drawing, b: Drawing, both_empty: float) -> dict[str, Array]:
        return {m: v + by[m] for m, v in every.expected(a, b, both_empty).items()}

    return expected


class Boot:
    """Match, precision, recall and F1 relative to the chance of raters who draw sets from the same distributions."""

    def __init__(self, terms: Terms, options: Options) -> None:
        self.options, self.n_sides = options, len(terms.margins["labels"])
        given = np.sum([np.asarray(s.sum(0)).ravel() for s in terms.margins["labels"]], axis=0)
        self.used = np.flatnonzero(given > 0)
        self.largest = int(max(np.flatnonzero(np.asarray(s.sum(0)).ravel())[-1] for s in terms.margins["sizes"]))
        sides = []
        for sizes, labels in zip(terms.margins["sizes"], terms.margins["labels"], strict=True):
            sides += [sizes[:, : self.largest + 1], labels[:, self.used]]
        self.terms = _beside([terms.both, *(terms.observed[m] for m in MEASURES)], sides)
        self.weight = terms.weight
        self.se: Mapping[str, float] = dict.fromkeys(MEASURES, 0.0)
        self.n_drawn = 0
        self._last: tuple[Array, dict[str, Array]] | None = None
        self.expected: Expected
        self._settle()

    @cached_property
    def cost(self) -> int:
        return steps(len(self.used), self.largest)

    @property
    def exact(self) -> bool:
        return self.options.chance == "exact" and self.cost <= MOST_STEPS

    def _settle(self) -> None:
        """Enumerate if that is cheap, in every replicate or only at the point; otherwise simulate."""
        o = self.options
        flat = np.asarray(self.weight @ self.terms)[None, :]
        every = Enumeration(len(self.used), self.largest) if self.cost <= MOST_STEPS else None
        cheap = self.cost * o.replicates <= MOST_REPLICATED
        if every is not None and self.exact and cheap:
            self.expected = every.expected
            return
        x, y = self.drawings(flat)
        point = None if every is None else every.expected(x, y, o.both_empty)
        n = KEPT if self.exact else int(min(max(flat[0, 0], 1) * o.simulations, MOST_PAIRS))
        drawn = simulate(x[0], y[0], n, KEPT, o.both_empty, np.random.default_rng(o.seed))
        if not self.exact:
            self.se, self.n_drawn = drawn.se, n
        if every is not None and point is not None and cheap:
            # simulated on request: away from the point, chance changes as in the enumeration
            shift = {m: drawn.mean[m] - float(point[m][0]) for m in MEASURES}
            self.expected = _shifted(every, shift)
            return
        mean = {m: float(point[m][0]) for m in MEASURES} if self.exact and point is not None else drawn.mean
        self.expected = Reweighted(x[0], y[0], drawn, mean, o.both_empty).expected

    def drawings(self, flat: Array) -> tuple[Drawing, Drawing]:
        """The distributions from which each side draws, from the sums."""
        found, at, size, labels = [], 1 + len(MEASURES), self.largest + 1, len(self.used)
        for _ in range(self.n_sides):
            s, k = flat[..., at : at + size], flat[..., at + size : at + size + labels]
            found.append(Drawing(safe_divide(s, s.sum(-1)[..., None]), _shares_of(k)))
            at += size + labels
        return found[0], found[-1]

    def all(self, flat: Array) -> dict[str, Array]:
        """Chance of the four measures at these sums, computed once for all four."""
        last = self._last
        if last is not None and last[0].shape == flat.shape and np.array_equal(last[0], flat, equal_nan=True):
            return last[1]
        rows = flat.reshape(-1, flat.shape[-1])
        with np.errstate(invalid="ignore", divide="ignore"):
            a, b = self.drawings(rows)
            found = self.expected(a, b, self.options.both_empty)
        shaped = {m: v.reshape(flat.shape[:-1]) for m, v in found.items()}
        self._last = flat, shaped
        return shaped

    def measure(self, name: str) -> Linear:
        place = 1 + MEASURES.index(name)

        def function(flat: Array) -> Parts:
            with np.errstate(invalid="ignore", divide="ignore"):
                return Parts(safe_divide(flat[..., place], flat[..., 0]), self.all(flat)[name], 1.0)

        return Linear(self.weight, self.terms, function)


def _shares_of(counts: Array) -> Array:
    """Shares of labels; a rater who gave none draws none."""
    total = counts.sum(-1)[..., None]
    none = total.real == 0
    return np.asarray(np.where(none, 0, counts / np.where(none, 1, total)))


def statistics(terms: Terms, options: Options) -> tuple[dict[str, Linear], Boot]:
    """Every measure as a statistic, and the object that computes chance."""
    boot = Boot(terms, options)
    found = {name: kappa(terms, name, options.both_empty) for name in KAPPAS}
    return found | {name: boot.measure(name) for name in MEASURES}, boot
