"""Aggregates of k labels of an item: mean, median, majority, or a user's function.

An aggregate that gives labels is a function from counts, ``(row, label)``, to the share with which each label is the
answer, so a tie of two broken at random is exactly half an answer each. An aggregate that gives numbers is a function
of the ratings themselves, ``(row, rating)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.agreement_spec import Request
from raters.agree.estimating import kernel_of, squared, statistic
from raters.annotations import Annotations
from raters.coefficients.base import Parts
from raters.errors import UsageError
from raters.inference.statistic import Linear, MidRanks, Statistic
from raters.items import Items, dense
from raters.models.base.ties import ONE_ANSWER, TIES
from raters.models.base.votes import Votes
from raters.scales import interval_kernel

Array = NDArray[Any]
FEW_CODES = 24
"""Largest number of labels that are counted one at a time."""


@dataclass(frozen=True)
class Aggregate:
    """How k labels become one."""

    name: str
    ties: str
    shares: Callable[[Array, str], Array] | None = None
    """(row, label) counts to (row, label) shares, with labels in their order."""
    numbers: Callable[[Array], Array] | None = None
    """(row, rating) numbers to one number per row; if there are also ``shares``, the result is a label for odd k and
    may lie between labels for even k.
    """
    own: Callable[[Array], Array] | None = None
    """A user's function of (row, rating) labels, to one label per row."""
    table: Callable[[Votes], Array] | None = None
    """A consensus model: the votes of a whole table to the code of each item's label, -1 if it has none."""

    @property
    def averages(self) -> bool:
        """Whether it is the mean, whose reliability for any k follows from that of single labels."""
        return self.numbers is NUMERIC["mean"]

    @property
    def in_the_middle(self) -> bool:
        """Whether it is the median of labels, whose distribution for any k is a formula."""
        return self.shares is median

    @property
    def described(self) -> str:
        """``majority (ties random)``, ``mean``."""
        return f"{self.name} (ties {self.ties})" if self.shares is not None and self.numbers is None else self.name


def as_good_as(agg: Aggregate, k: int, labels: int) -> int:
    """The least number of labels whose aggregate has the same distribution: a tie broken at random adds nothing.

    >>> vote = Aggregate("majority", "random", shares=majority)
    >>> as_good_as(vote, 2, 5), as_good_as(vote, 8, 2), as_good_as(vote, 8, 3)
    (1, 7, 8)
    """
    alike = agg.name == "majority" and TIES[agg.ties].drawn and (k == 2 or (labels == 2 and k % 2 == 0))
    return k - 1 if alike else k


def majority(counts: Array, ties: str) -> Array:
    """The most frequent label; ``ties``: an equal share for each tied label, the first, the last, or no answer.

    >>> majority(np.array([[2, 2, 1], [0, 3, 2]]), "random").tolist()
    [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]
    """
    tied = (counts == _most(counts)[:, None]) & (counts > 0)
    return TIES[ties].shares(tied)


def _most(counts: Array) -> Array:
    """(row,): the largest count; over few labels in turn, since numpy's own takes ten times as long along a short
    axis.
    """
    if counts.shape[1] > FEW_CODES:
        return np.asarray(counts.max(1))
    most = counts[:, 0].copy()
    for column in counts.T[1:]:
        np.maximum(most, column, out=most)
    return most


def median(counts: Array, ties: str) -> Array:
    """The middle label; if two are in the middle, ``ties`` decides.

    >>> median(np.array([[1, 1, 1], [2, 0, 2]]), "first").tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    """
    below, n = np.cumsum(counts, 1), counts.sum(1, keepdims=True)
    middle = np.zeros(counts.shape, bool)
    for at in (2 * below >= n, 2 * below > n):
        middle[np.arange(len(counts)), at.argmax(1)] = True
    return TIES[ties].shares(middle & (n > 0))


NAMED: Mapping[str, Callable[[Array, str], Array]] = {"majority": majority, "median": median}
NUMERIC: Mapping[str, Callable[[Array], Array]] = {
    "mean": lambda x: np.asarray(x.mean(1)),
    "median": lambda x: np.asarray(np.median(x, 1)),
}


def aggregate_of(ann: Annotations, asked: str | Callable[[Array], Array] | None, ties: str) -> Aggregate:
    """The requested aggregate, or the scale's default; an error if the scale does not allow it."""
    if ties not in ONE_ANSWER:
        raise UsageError(f"ties={ties!r} is not one of {', '.join(map(repr, ONE_ANSWER))}.")
    if callable(asked):
        return Aggregate(getattr(asked, "__name__", "own"), ties, own=asked)
    if ann.scale.of_sets and asked is None:
        raise UsageError(
            "kRR of label sets needs an explicit aggregate: aggregate='majority' takes the set that most raters gave."
        )
    name = asked or ann.scale.aggregate
    fits = ["majority"]
    if ann.scale.ordered:
        fits = ["median", "majority"]
        if ann.numeric:
            fits = ["mean", *fits]
    if name not in fits:
        known = {"mean", "median", "majority"}
        why = f"the {name} of {ann.scale} labels has no meaning" if name in known else f"unknown aggregate {name!r}"
        hint = " (or scale='interval', if the labels are amounts)" if ann.numeric and ann.scale.equality else ""
        raise UsageError(f"{why}. For {ann.source}, choose {' or '.join(fits)}{hint}.")
    if name == "mean" or (name == "median" and ann.numeric):
        between = NAMED["median"] if ann.scale.ranks and name == "median" else None
        return Aggregate(name, ties, shares=between, numbers=NUMERIC[name])
    return Aggregate(name, ties, shares=NAMED[name])


def label_counts(codes: Array, n: int) -> Array:
    """(row, label): how often each of n labels occurs in a row of codes.

    >>> label_counts(np.array([[1, 2, 1]]), 3).tolist()
    [[0, 2, 1]]
    """
    across = np.ascontiguousarray(codes.T.astype(np.uint8))  # (place, row): sums run along rows, not within them
    return np.stack([(across == label).sum(0, dtype=np.int32) for label in range(n)], 1)


def local_counts(codes: Array) -> tuple[Array, Array]:
    """Rows of label codes as counts of the labels that occur in the row: (row, place) labels in order, and counts.

    >>> [x.tolist() for x in local_counts(np.array([[7, 2, 7]]))]
    [[[2, 7, 0]], [[1, 2, 0]]]
    """
    codes = np.sort(codes, 1)
    rows, k = codes.shape
    new = np.ones(codes.shape, bool)
    new[:, 1:] = codes[:, 1:] != codes[:, :-1]
    place = np.cumsum(new, 1) - 1 + np.arange(rows)[:, None] * k
    counts = np.bincount(place.ravel(), minlength=rows * k).reshape(rows, k)
    labels = np.zeros(rows * k, codes.dtype)
    labels[place[new]] = codes[new]
    return labels.reshape(rows, k), counts


def picked(shares: Array, rng: np.random.Generator) -> Array:
    """(row,): a position drawn by its share; -1 if there is no answer."""
    u, total, at = rng.random(len(shares)), np.zeros(len(shares)), np.zeros(len(shares), np.int64)
    for share in shares.T:  # the first place at which the shares so far exceed u
        total += share
        at += total <= u
    at[at == shares.shape[1]] = 0
    return np.where(total > 0, at, -1)


def answers(agg: Aggregate, codes: Array, labels: Array, rng: np.random.Generator) -> Array:
    """(row,): the aggregate of each row of label codes: a number, or a label code (-1: no answer).

    ``labels``: numbers if the aggregate takes numbers, otherwise the labels themselves.
    """
    if agg.numbers is not None:
        return agg.numbers(labels[codes])
    if agg.own is not None:
        found = np.asarray(agg.own(labels[codes]))
        if found.shape != (len(codes),):
            raise UsageError(
                f"the aggregate must map an array (row, k) to one answer per row; for {len(codes):,} rows it returned"
                f" shape {found.shape}."
            )
        return found
    if agg.shares is None:
        raise UsageError(f"aggregate {agg.name!r} is not defined.")
    if codes.shape[1] == 1:
        return np.asarray(codes[:, 0])
    if (n := int(codes.max(initial=0)) + 1) <= FEW_CODES:
        return picked(agg.shares(label_counts(codes, n), agg.ties), rng)
    here, counts = local_counts(codes)
    at = picked(agg.shares(counts, agg.ties), rng)
    return np.where(at < 0, -1, here[np.arange(len(here)), at])


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
    if req.coefficient.between_groups:
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
    grouped = req.coefficient.between_groups
    total: Any = 0.0
    stat = None
    step = max(1, 1_000_000 // a.shape[1])
    for i in range(0, len(a), step):
        x, y = (v[i : i + step].ravel() - center for v in (a, b))
        one = np.ones_like(x)
        each = [one, x, x**2, one, y, y**2] if grouped else [2 * one, x + y, x**2 + y**2]
        items = Items(
            one,
            sparse.csr_array(np.stack(each, -1)),
            (),
            (0, 1) if grouped else (None,),
            moments=(center, spread, 1.0),
            n_raters=2,
        )
        stat = statistic(req, items, kernel, 0)
        total = total + dense(stat.terms).reshape(-1, a.shape[1], stat.terms.shape[1]).sum(0)  # type: ignore[attr-defined]
    return Linear(weight, total / len(a), stat.function)  # type: ignore[union-attr]
