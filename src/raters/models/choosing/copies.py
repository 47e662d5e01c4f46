r"""Copied labels count once, and who agrees with whom gives a second start.

The agreement of a pair beyond chance, :math:`A = (same/n - p) / (1 - p)`, is :math:`t_j t_{j'}` if raters err
independently. Skills t are fitted by weighted medians, so that fewer than half of a rater's partners may be copies; what
a pair agrees beyond that is copied, as far as its evidence goes. Two experts among guessers agree as copies do, but an
ordinary fit of rank one explains them: all evidence counts only as far as copies explain the pairs better than that. Experts beside raters who fail
together look like copies, too: so copying is believed only if those who copied nothing agree as independent raters do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from raters.models.choosing.cells import Cells

Array = NDArray[Any]
LEAST_SHARED = 20
"""Items that a pair must share before copying is looked for."""
MOST_WORK = 20_000_000
"""Most pairs of labels that are compared; beyond, skills come from the votes and copies are not looked for."""
NAMED = 0.5
"""The share of copied labels at which a pair is named."""


@dataclass(frozen=True)
class Pairs:
    """Pairs of raters with shared items."""

    a: Array
    b: Array
    shared: Array
    same: Array
    chance: Array
    """How often the two would agree by chance, by their own shares."""
    size: int

    @classmethod
    def of(cls, c: Cells) -> Pairs | None:
        """None if there are none, or too many to compare."""
        if int((np.bincount(c.item, minlength=1).astype(np.int64) ** 2).sum()) > MOST_WORK or c.n_raters < 3:
            return None
        one = np.ones(len(c.item))
        who = sparse.csr_array((one, (c.item, c.rater)), (c.n_items, c.n_raters))
        who.data[:] = 1
        alike = sparse.csr_array((one, (c.kinds, c.rater)), (int(c.kinds.max(initial=-1)) + 1, c.n_raters))
        both = sparse.triu(sparse.csr_array(who.T @ who), 1).tocoo()
        a, b = both.coords
        if not len(a):
            return None
        same = np.asarray(sparse.csr_array(alike.T @ alike)[a, b]).ravel()
        own = c.over_codes(c.weight) + c.margin
        own /= own.sum(1, keepdims=True)
        return cls(a, b, both.data, same, (own[a] * own[b]).sum(1), c.n_raters)

    def enough(self) -> Pairs:
        """Those that share enough items."""
        at = self.shared >= LEAST_SHARED
        return replace(self, **{n: getattr(self, n)[at] for n in ("a", "b", "shared", "same", "chance")})

    @property
    def excess(self) -> Array:
        return np.asarray((self.same / self.shared - self.chance) / np.maximum(1 - self.chance, 0.05))

    def by_rater(self, x: Array, y: Array) -> Array:
        """(rater,): sums of x over the pairs in which a rater comes first, and of y over those in which second."""
        return np.bincount(self.a, x, self.size) + np.bincount(self.b, y, self.size)

    def agree(self, t: Array) -> Array:
        """(pair,): how often they agree if they err independently with these skills."""
        fit = np.clip(t[self.a] * t[self.b], -1, 1)
        return np.asarray(np.clip(self.chance + (1 - self.chance) * fit, 0.02, 0.98))


def skills(pairs: Pairs, labels: Array) -> Array:
    """(rater,): t of the least squares fit of rank one, pulled to the mean by one shared item."""
    w, x = pairs.shared, pairs.excess
    common = max(float((w * x).sum() / w.sum()), 0.01) ** 0.5
    size = pairs.by_rater(w, w)
    t = (pairs.by_rater(w * x, w * x) / common + common) / (size + 1)
    for _ in range(30):
        top = pairs.by_rater(w * x * t[pairs.b], w * x * t[pairs.a])
        under = pairs.by_rater(w * t[pairs.b] ** 2, w * t[pairs.a] ** 2)
        t = np.clip(0.5 * t + 0.5 * (top + np.average(t, weights=size + 1e-9)) / (under + 1), -0.99, 0.99)
    return np.asarray(t if (t * labels).sum() >= 0 else -t)


def median_skills(pairs: Pairs) -> Array:
    """(rater,): t by weighted medians of what each partner says."""
    i, o = np.concatenate([pairs.a, pairs.b]), np.concatenate([pairs.b, pairs.a])
    excess, shared = np.tile(pairs.excess, 2), np.tile(pairs.shared, 2)
    t = np.full(pairs.size, max(float(np.median(pairs.excess)), 0.01) ** 0.5)
    start, end = (np.searchsorted(np.sort(i), np.arange(pairs.size), side) for side in ("left", "right"))
    for _ in range(20):
        other = np.where(np.abs(t[o]) < 0.05, np.where(t[o] < 0, -0.05, 0.05), t[o])
        said = excess / other
        order = np.lexsort((said, i))
        upto = np.concatenate([[0], np.cumsum((shared * np.abs(other))[order])])
        half = (upto[start] + upto[end]) / 2
        at = np.minimum(np.searchsorted(upto[1:], half * (1 - 1e-12)), len(i) - 1)
        t = 0.5 * t + 0.5 * np.where(end > start, np.clip(said[order][at], -0.99, 0.99), t)
    return np.asarray(t)


@dataclass(frozen=True)
class Copied:
    """The weight of each cell, and the pairs with copied labels."""

    weight: Array
    pairs: tuple[tuple[int, int, float, int], ...] = ()
    """Two raters, the share of labels that one copied, and the items that they share."""


def copied(c: Cells, pairs: Pairs | None) -> Copied:
    """What each label counts for, when labels that may be copied count once."""
    none = Copied(np.ones(len(c.item)))
    found = None if pairs is None else pairs.enough()
    if found is None or len(found.a) < 3:
        return none
    n, same = found.shared, found.same
    agree = found.agree(median_skills(found))
    z = (same - n * agree) / np.sqrt(n * agree * (1 - agree))
    odds = np.where(z > 0, z**2 / 2 - 2 * np.log(len(n)) - np.log(n) / 2, -50)
    share = np.clip((same / n - agree) / (1 - agree), 0, 1) * expit(odds)
    plain = found.agree(skills(found, c.over_raters(c.weight)))
    with_copies = np.clip(agree + (1 - agree) * share, 0.02, 0.999)
    gain = log_likely(same, n, with_copies) - log_likely(same, n, plain) - (share > 0.01).sum() * np.log(len(n) + 1)
    share = share * expit(gain) * expit(-errors_shared(found, z, share))
    at = share > 0.005
    if not at.any():
        return none
    a, b = found.a[at], found.b[at]
    copy = share[at] / (share[at] + (1 - share[at]) * agree[at])  # of a pair that gave the same label
    shape = (c.n_raters, c.n_raters)
    both = sparse.csr_array((np.tile(copy, 2), (np.concatenate([a, b]), np.concatenate([b, a]))), shape)
    kinds = sparse.csr_array((np.ones(len(c.item)), (c.kinds, c.rater)), (int(c.kinds[-1]) + 1, c.n_raters))
    more = np.asarray(sparse.csr_array(kinds @ both)[c.kinds, c.rater]).ravel()
    named = np.flatnonzero(share >= NAMED)
    named = named[np.argsort(-share[named], kind="stable")]
    listed = tuple((int(found.a[x]), int(found.b[x]), float(share[x]), int(n[x])) for x in named)
    return Copied(1 / (1 + more), listed)


def errors_shared(pairs: Pairs, z: Array, share: Array) -> float:
    """Log odds that raters who copied nothing share errors, by the mean z of their pairs; there is one independent z for
    each rater at most.
    """
    claimed = share >= NAMED
    named = np.zeros(pairs.size, bool)
    named[pairs.a[claimed]] = named[pairs.b[claimed]] = True
    rest, n = z[~named[pairs.a] & ~named[pairs.b]], int((~named).sum())
    return n * max(float(rest.mean()), 0.0) ** 2 / 2 - float(np.log(n)) if len(rest) > 2 else -50.0


def log_likely(same: Array, n: Array, p: Array) -> float:
    return float((same * np.log(p) + (n - same) * np.log1p(-p)).sum())


def by_gold(c: Cells) -> Array:
    """(rater,): skills by gold labels alone, with two labels at random before them."""
    at = c.gold[c.item] >= 0
    hits = np.bincount(c.rater[at], c.weight[at] * (c.label[at] == c.gold[c.item[at]]), c.n_raters)
    right = (hits + 2 / c.n_labels) / (np.bincount(c.rater[at], c.weight[at], c.n_raters) + 2)
    return np.asarray((right - 1 / c.n_labels) / (1 - 1 / c.n_labels))


def weighted_votes(c: Cells, skill: Array) -> Array:
    """(item, label): beliefs if each rater knows with the probability ``skill``, or answers at random."""
    k = c.n_labels
    x = np.clip(skill, -0.9 / max(k - 1, 1), 0.97)
    right = x + (1 - x) / k
    odds = np.log(right / ((1 - right) / max(k - 1, 1)))
    scores = np.bincount(c.place, (c.weight * odds[c.rater]), c.n_items * k).reshape(c.n_items, k) + np.log(c.margin)
    made = np.exp(scores - scores.max(1, keepdims=True))
    return np.asarray(made / made.sum(1, keepdims=True))
