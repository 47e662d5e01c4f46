"""Pairs of aggregates of one unit as a statistic: any coefficient between two replications of the aggregate.

A *unit* is an item's pattern of labels, or a point of the simplex. A unit contributes to the coefficient the mean
over its pairs, so the statistic is a function of unit weights like any other, and all intervals apply.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.agreement_spec import Request
from raters.agree.estimating import kernel_of, squared, statistic
from raters.annotations import Annotations
from raters.coefficients.base import Parts
from raters.inference.statistic import Linear, MidRanks, Statistic
from raters.items import Items, dense
from raters.scales import interval_kernel

Array = NDArray[Any]


@dataclass(frozen=True)
class Through:
    """A statistic of pairs, expressed as one of units: the weight of a pair is the weight of the units that show it."""

    weight: Array
    shares: sparse.csr_array
    """(unit, pair): how often a unit shows each pair."""
    pairs: MidRanks

    def parts(self, weights: Array) -> Parts:
        return self.pairs.parts(np.asarray(weights @ self.shares))

    def influence(self) -> Array:
        at = replace(self.pairs, weight=np.asarray(self.weight @ self.shares))
        return np.asarray(self.shares @ at.influence())

    def left_out(self) -> Array:
        total = np.asarray(self.weight @ self.shares)
        step = max(1, 4_000_000 // max(len(total), 1))
        n = len(self.weight)
        rows = (self.shares[i : i + step].toarray() for i in range(0, n, step))
        return np.concatenate([self.pairs.parts(total - r).value for r in rows])


def of_labels(req: Request, ann: Annotations, weight: Array, shares: sparse.csr_array, pairs: Array) -> Statistic:
    """Units that show pairs of labels. ``shares``: (unit, pair); ``pairs``: (pair, 2) label codes."""
    inner = of_pairs(req, ann, pairs)
    if isinstance(inner, Linear):
        return Linear(weight, dense(shares @ inner.terms), inner.function)
    return Through(weight, shares, inner)  # type: ignore[arg-type]


def of_pairs(req: Request, ann: Annotations, pairs: Array) -> Statistic:
    """The same for pairs that have a weight each."""
    n, q = len(pairs), len(ann.labels)
    rows = np.repeat(np.arange(n), 2)
    if req.coefficient.compares == "groups":
        columns, groups = (pairs + np.array([0, q])).ravel(), tuple[Any, ...]((0, 1))
    else:
        columns, groups = pairs.ravel(), (None,)
    counts = sparse.coo_array((np.ones(2 * n), (rows, columns)), (n, len(groups) * q)).tocsr()
    items = Items(np.ones(n), counts, ann.labels, groups, n_raters=2)
    return statistic(req, items, kernel_of(req, ann), q)


def of_values(req: Request, ann: Annotations, weight: Array, a: Array, b: Array) -> Statistic:
    """Units that show pairs of numbers. ``a``, ``b``: (draw, unit), the two replications."""
    draws, units = a.shape
    if squared(req, ann):
        return _by_moments(req, weight, a, b)
    of_numbers, one, other = as_labels(ann, a, b)
    q = len(of_numbers.labels)
    pair, which = distinct((one * q + other).ravel(), q * q)
    unit = np.tile(np.arange(units), draws)
    shares = sparse.coo_array((np.full(len(unit), 1 / draws), (unit, which)), (units, len(pair))).tocsr()
    return of_labels(req, of_numbers, weight, shares, np.stack([pair // q, pair % q], -1))


def as_labels(ann: Annotations, a: Array, b: Array) -> tuple[Annotations, Array, Array]:
    """Two replications that are numbers as codes of labels, and the table with these labels."""
    values, codes = np.unique(np.stack([a, b], -1).ravel(), return_inverse=True)
    one, other = codes.reshape(*a.shape, 2).astype(np.int64).transpose(2, 0, 1)
    return replace(ann, labels=tuple(values.tolist()), keys=values, numeric=True), one, other


def distinct(codes: Array, n: int) -> tuple[Array, Array]:
    """The codes that occur, in order, and the position of each; found by counting if there are few codes below ``n``.

    >>> [x.tolist() for x in distinct(np.array([7, 2, 7]), 9)]
    [[2, 7], [1, 0, 1]]
    """
    if n > max(len(codes), 10_000):
        there, place = np.unique(codes, return_inverse=True)
        return there, place.ravel()
    there = np.flatnonzero(np.bincount(codes, minlength=n))
    place = np.zeros(n, np.int64)
    place[there] = np.arange(len(there))
    return there, place[codes]


def _by_moments(req: Request, weight: Array, a: Array, b: Array) -> Linear:
    """Squared differences: sums of 1, x, x^2 of each pair, averaged over draws; a chunk of draws at a time."""
    center, spread = float((a.mean() + b.mean()) / 2), float((a.var() + b.var()) / 2)
    kernel = interval_kernel(center, spread)
    grouped = req.coefficient.compares == "groups"
    total: Any = 0.0
    stat = None
    step = max(1, 1_000_000 // a.shape[1])
    for i in range(0, len(a), step):
        x, y = (v[i : i + step].ravel() - center for v in (a, b))
        one = np.ones_like(x)
        each = [one, x, x**2, one, y, y**2] if grouped else [2 * one, x + y, x**2 + y**2]
        items = Items(one, sparse.csr_array(np.stack(each, -1)), (), (0, 1) if grouped else (None,),
                      moments=(center, spread, 1.0), n_raters=2)  # fmt: skip
        stat = statistic(req, items, kernel, 0)
        total = total + dense(stat.terms).reshape(-1, a.shape[1], stat.terms.shape[1]).sum(0)  # type: ignore[attr-defined]
    return Linear(weight, total / len(a), stat.function)  # type: ignore[union-attr]
