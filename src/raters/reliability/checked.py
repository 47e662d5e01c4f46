"""What the labels of an item check: moments of its label distribution that have unbiased estimates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.items import Items
from raters.reliability.aggregates import Aggregate
from raters.reliability.calibrated import Moments
from raters.reliability.resampling import answered_pairs, once, split
from raters.reliability.shares import answer_shares

Array = NDArray[Any]
MOST_K = 5
FREQUENT = 3
DRAWS = 100
ORDERED = ("ordinal", "interval", "ratio")


def checkable(n: int) -> list[int]:
    """A few k from 2 to n/2, odd ones, evenly on a scale of logarithms; the reliability between them hardly bends.

    >>> checkable(10), checkable(123), checkable(5)
    ([3, 5], [3, 7, 15, 29, 61], [])
    """
    odd = np.arange(3, n // 2 + 1, 2)
    if len(odd) <= MOST_K:
        return [int(k) for k in odd]
    at = np.searchsorted(odd, np.geomspace(3, odd[-1], MOST_K) - 1e-6)
    return sorted({int(odd[i]) for i in at})


def moments(ann: Annotations, agg: Aggregate, items: Items, support: Array, n: int, seed: int) -> Moments:
    """How often each label comes up, and how often two labels agree (and how far apart they are); the same of two votes of k.

    Also how often frequent labels are the vote of all n.
    """
    counts = items.counts.toarray()
    values = np.asarray(ann.keys, float) if ann.numeric else np.arange(counts.shape[1], dtype=float)
    ordered = ann.scale in ORDERED
    total = counts.sum(1, keepdims=True)
    shares = counts / np.where(total > 0, total, np.nan)
    found = [(shares[:, :-1], support[:, :-1]),
             (_single(counts, values, ordered), _points(support[:, :, None] * support[:, None, :], values, ordered))]  # fmt: skip
    if agg.shares is not None:
        frequent = np.argsort(-(items.weight @ np.nan_to_num(shares)), kind="stable")[
            : min(FREQUENT, counts.shape[1] - 1)
        ]
        rng = np.random.default_rng(seed)
        for k in checkable(n):
            both, _ = answer_shares(support, k, agg, rng)
            found.append((_votes(ann, agg, items, k, seed, values, ordered), _points(both, values, ordered)))
        _, one = answer_shares(support, n, agg, rng)
        found.append((_whole(ann, agg, items, n, seed, frequent), one[:, frequent]))
    return Moments(*(np.column_stack([pair[i] for pair in found]) for i in (0, 1)))


def _points(both: Array, values: Array, ordered: bool) -> Array:
    """(point, 1 or 2): how often two replications agree, and their mean squared distance."""
    agree = np.trace(both, axis1=1, axis2=2)
    if not ordered:
        return np.asarray(agree[:, None])
    return np.stack([agree, both.reshape(len(both), -1) @ ((values[:, None] - values) ** 2).ravel()], 1)


def _single(counts: Array, values: Array, ordered: bool) -> Array:
    """The same of two labels of a pattern, over all pairs of them."""
    n = counts.sum(1)
    pairs = np.where(n > 1, n * (n - 1), np.nan)
    agree = (counts * (counts - 1)).sum(1) / pairs
    if not ordered:
        return np.asarray(agree[:, None])
    return np.stack([agree, 2 * (n * (counts @ values**2) - (counts @ values) ** 2) / pairs], 1)


def _votes(ann: Annotations, agg: Aggregate, items: Items, k: int, seed: int, values: Array, ordered: bool) -> Array:
    """The same of two votes of k, by disjoint draws from each pattern."""
    b, drawn = split(items, k)
    found = np.full((len(items.weight), 2 if ordered else 1), np.nan)
    at = np.flatnonzero(items.per_item >= 2 * k)
    for units, one, other in answered_pairs(ann, agg, b, drawn, DRAWS, seed)[0]:
        valid = (one >= 0) & (other >= 0)
        found[at[units], 0] = ((one == other) & valid).mean(0)
        if ordered:
            found[at[units], 1] = (valid * (values[one] - values[other]) ** 2).mean(0)
    return found


def _whole(ann: Annotations, agg: Aggregate, items: Items, k: int, seed: int, frequent: Array) -> Array:
    """How often each frequent label is the answer of k labels of a pattern: of all that it has, or of draws from more."""
    found = np.full((len(items.weight), len(frequent)), np.nan)
    at = np.flatnonzero(items.per_item > k)
    if len(at):
        for units, one, _ in answered_pairs(ann, agg, *once(items.where(at), k), DRAWS, seed)[0]:
            found[at[units]] = np.stack([(one == label).mean(0) for label in frequent], 1)
    if agg.shares is not None:
        just = np.flatnonzero(items.per_item == k)
        found[just] = agg.shares(items.counts[just].toarray(), agg.ties)[:, frequent]
    return found
