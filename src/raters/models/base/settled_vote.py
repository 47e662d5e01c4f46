r"""How settled a vote is: the probability that a label would win if very many more such raters voted.

The shares of the labels that a very large crowd would give an item are taken to vary over items as

.. math:: p_i \sim \mathrm{Dirichlet}(\alpha), \qquad n_i \mid p_i \sim \mathrm{Multinomial}(p_i)

with :math:`\alpha = s\,m`, :math:`m` the margin of the labels, so that an item's shares are
:math:`\mathrm{Dirichlet}(\alpha + n_i)` given its votes. Three votes out of three are not certainty: :math:`s` says how
often such items turn. It is averaged over, not maximised: where nearly all votes agree, or items hardly differ, the
likelihood has no interior maximum, and the largest :math:`s` (or smallest) would call everything settled. A priori,
:math:`K / (s + K)` is uniform. For two labels the probability is a Beta tail; for more, with
independent Gamma variables of shapes :math:`a = \alpha + n_i`, it is
:math:`\int f(x; a_k) \prod_{l \ne k} F(x; a_l)\, dx`, by Gauss-Legendre nodes in the quantiles of the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, gammainc, gammaincinv, gammaln

from raters.models.base.probabilities import bits, rows_to_one

Array = NDArray[Any]
NODES = 48
STRENGTHS = np.geomspace(0.02, 2000, 61)
"""Values of s, times half the number of labels, over which it is averaged ..."""
PLACES = (np.arange(9) + 0.5) / 9
"""... at these quantiles of its posterior given the votes."""
FEW_LABELS = 12
"""Up to this many labels, each is integrated separately; with more, those without a vote share the remaining
probability.
"""
FEW_ITEMS = 20
"""Below so many items the margin of an item is that of the others: its own votes would count twice."""
MOST_NODES = 50_000_000
"""Most integrands that are evaluated to see what one more vote would change."""
LEAST = -700.0
FINE = 64.0
"""Weighted votes are rounded to this fraction of a label, so that items with the same votes are computed once."""


@dataclass(frozen=True)
class Variety:
    """How the shares of labels vary over items, as estimated from votes."""

    alpha: Array
    """(node, label): Dirichlet distributions."""
    weight: Array
    """(node,): how probable each is; sums to 1."""
    counts: Array
    """(label,): the votes that they come from."""
    items: int
    """How many items had votes."""

    def without(self, row: Array) -> Array:
        """(node, label): the distributions of an item that is one of these, its own votes left out of the margin: they
        must not count twice.
        """
        margin = shares_of_labels(np.maximum(self.counts - row, 0), self.items - 1)
        return np.asarray(self.alpha.sum(1, keepdims=True) * margin)


def variety(counts: Array) -> Variety:
    """The Dirichlet distributions that these (item, label) votes may come from.

    >>> found = variety(np.array([[3.0, 0.0], [0.0, 3.0], [3.0, 0.0], [2.0, 1.0]]))
    >>> bool((found.alpha > 0).all() and found.weight.sum().round(9) == 1)
    True
    """
    k = counts.shape[1]
    items = int((counts.sum(1) > 0).sum())
    margin = shares_of_labels(counts.sum(0), items)
    rows, times = np.unique(np.round(counts * FINE), axis=0, return_counts=True)
    rows = rows / FINE
    n = rows.sum(1)
    several = n > 1  # one vote says nothing about how far raters agree on an item
    rows, times, n = rows[several], times[several], n[several]
    s = STRENGTHS * k / 2
    logs = np.array([times @ log_chance(rows, n, x * margin) for x in s]) + np.log(s) - 2 * np.log(s + k)
    upto = np.cumsum(np.exp(logs - logs.max()))
    at, often = np.unique(np.searchsorted(upto / upto[-1], PLACES), return_counts=True)
    return Variety(s[at, None] * margin, often / len(PLACES), counts.sum(0), items)


def shares_of_labels(votes: Array, items: int) -> Array:
    """(label,): how often each label is given, from the votes of so many items and two imaginary ones on which all
    labels are alike.
    """
    return np.asarray((votes / max(votes.sum(), 1e-300) * items + 2 / len(votes)) / (items + 2))


def log_chance(rows: Array, n: Array, alpha: Array) -> Array:
    """(row,): log probability of votes in their order, shares integrated out; labels without a vote add nothing."""
    total = alpha.sum()
    given = np.where(rows > 0, gammaln(rows + alpha) - gammaln(alpha), 0).sum(1)
    return np.asarray(gammaln(total) - gammaln(n + total) + given)


def chance_to_win(shapes: Array, unvoted: Array | None = None) -> Array:
    """(item, label): how probable it is that each label has the largest share, for Dirichlet rows.

    ``unvoted``: (label,), the shape of a label without a vote, which separates the unvoted labels from the others if
    there are very many.

    >>> chance_to_win(np.array([[1.0, 1.0], [4.0, 1.0]])).round(4).tolist()
    [[0.5, 0.5], [0.9375, 0.0625]]
    """
    a = np.asarray(shapes, dtype=float)
    if a.shape[1] == 1:
        return np.ones_like(a)
    if a.shape[1] == 2:
        first = 1 - betainc(a[:, 0], a[:, 1], 0.5)
        return np.stack([first, 1 - first], -1)
    if a.shape[1] > FEW_LABELS:
        return _of_many(a, a.min(0) if unvoted is None else unvoted)
    made = np.empty_like(a)
    few, at = zip(*(np.unique(column, return_inverse=True) for column in a.T), strict=True)
    for k in range(a.shape[1]):
        nodes, weight = _nodes(few[k][:, None])  # many items have as many votes for a label ...
        below = np.ones((len(a), NODES))
        for other in range(a.shape[1]):
            if other != k:
                pair, which = np.unique(
                    at[k] * len(few[other]) + at[other], return_inverse=True
                )  # ... and for two labels
                own, its = np.divmod(pair, len(few[other]))
                below *= gammainc(few[other][its][:, None], nodes[own])[which]
        made[:, k] = below @ weight
    return np.asarray(made / made.sum(1, keepdims=True))


def _nodes(shape: Array) -> tuple[Array, Array]:
    """(item, node): where a Gamma variable is evaluated, and the weights of the nodes."""
    at, weight = _legendre()
    return gammaincinv(shape, (at + 1) / 2), weight / 2


@cache
def _legendre() -> tuple[Array, Array]:
    """Gauss and Legendre's nodes and weights from -1 to 1: finding them takes longer than many an integral."""
    return np.polynomial.legendre.leggauss(NODES)


def _of_many(a: Array, none: Array) -> Array:
    """The same for very many labels: an item has votes for few of them, and only those are worth an integral each."""
    top = float(a.max())
    span = np.linspace(np.log(1e-6), np.log(top + 12 * np.sqrt(top) + 40), int(np.clip(4e6 / len(none), 200, 2000)))
    with np.errstate(divide="ignore"):
        below = sum(
            np.maximum(np.log(gammainc(one, np.exp(span))), LEAST) for one in none
        )  # the chance that no unvoted label exceeds x
    made = np.empty_like(a)
    for i, row in enumerate(a):
        voted = np.flatnonzero(row > none + 0.5 / FINE)
        x, weight = _nodes(row[voted][:, None])  # (label, node)
        with np.errstate(divide="ignore"):
            own = np.maximum(np.log(gammainc(none[voted][:, None, None], x)), LEAST).sum(0)
        inside = gammainc(row[voted][:, None, None], x)  # (label, compared label, node)
        inside[np.arange(len(voted)), np.arange(len(voted))] = 1
        chance = (inside.prod(0) * np.exp(np.minimum(np.interp(np.log(x), span, below) - own, 0))) @ weight
        unvoted = none.copy()
        unvoted[voted] = 0
        made[i] = max(1 - float(chance.sum()), 0.0) * unvoted / max(float(unvoted.sum()), 1e-300)
        made[i, voted] = chance
    return np.asarray(made / made.sum(1, keepdims=True))


def settled(counts: Array, known: Variety | None = None) -> Array:
    """(item, label): how probable it is that each label would win a very large vote; ``known``: from other votes.

    >>> q = settled(np.array([[3.0, 0.0], [0.0, 3.0], [2.0, 1.0], [1.0, 2.0]]))
    >>> bool(0.5 < q[2, 0] < q[0, 0] < 1)
    True
    """
    over = variety(counts) if known is None else known
    rows, which = np.unique(np.round(counts * FINE), axis=0, return_inverse=True)
    rows = rows / FINE
    alpha: Any = over.alpha
    if known is None and over.items < FEW_ITEMS and rows.shape[1] <= FEW_LABELS:
        alpha = np.stack([over.without(row) for row in rows], 1)  # (node, row, label)
    made = sum(w * chance_to_win(rows + a, a) for w, a in zip(over.weight, alpha, strict=True))
    return np.asarray(np.asarray(made)[which.ravel()])


def next_vote(counts: Array, over: Variety) -> Array | None:
    """(item,): bits by which one more vote is expected to settle which label wins a very large vote; None if there are
    too many labels or items.

    On an item with many votes that are nearly even, one more changes little; on one with few it changes much.

    >>> over = variety(np.array([[3.0, 0.0], [0.0, 3.0], [2.0, 1.0], [1.0, 2.0]]))
    >>> even = next_vote(np.array([[1.0, 1.0], [6.0, 6.0]]), over)
    >>> bool(even[0] > 3 * even[1])
    True
    """
    rows, which = np.unique(np.round(counts * FINE), axis=0, return_inverse=True)
    rows, k = rows / FINE, counts.shape[1]
    if k > FEW_LABELS or len(over.weight) * len(rows) * k**2 * (1 if k == 2 else NODES) > MOST_NODES:
        return None
    now, later = (
        np.zeros(rows.shape),
        np.zeros((k, *rows.shape)),
    )  # (row, label), (next label, row, label): times its chance
    for w, a in zip(over.weight, over.alpha, strict=True):
        now += w * chance_to_win(rows + a)
        p = rows_to_one(rows + a)
        for label in range(k):
            later[label] += w * p[:, [label]] * chance_to_win(rows + a + np.eye(k)[label])
    chance = later.sum(-1)
    left = sum(c * bits(rows_to_one(b)) for c, b in zip(chance, later, strict=True))
    return np.asarray(np.maximum(bits(now) - left, 0)[which.ravel()])
