r"""Scores of a system's probabilities q against the shares s of an item's labels, and what K labels allow.

Every score is a sum over labels, so the floor of K labels (the expected score of the true distribution itself) and the
score of K other raters need only binomial distributions of one label's count: no multinomial is enumerated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

Array = NDArray[Any]
BITS = float(np.log(2))
CELLS = 4_000_000


def plogp(p: Array) -> Array:
    """-p log p, in nats; 0 at 0."""
    return np.asarray(-xlogy(p, p))


def entropy(p: Array) -> Array:
    """(...,): H(p) in nats, of distributions along the last axis."""
    return np.asarray(plogp(p).sum(-1))


def cross_entropy(s: Array, q: Array) -> Array:
    """-sum s log q in nats; infinite where q excludes a label that somebody gave.

    >>> cross_entropy(np.array([0.5, 0.5]), np.array([0.5, 0.5])).round(4).item()
    0.6931
    """
    return np.asarray(-xlogy(s, q).sum(-1))


def kl(s: Array, q: Array) -> Array:
    """The cross-entropy less the entropy of the shares."""
    return cross_entropy(s, q) - entropy(s)


def jensen_shannon(s: Array, q: Array) -> Array:
    """The Jensen-Shannon divergence in bits, 0 to 1 (not its root)."""
    return np.asarray((entropy((s + q) / 2) - (entropy(s) + entropy(q)) / 2) / BITS)


def manhattan(s: Array, q: Array) -> Array:
    """sum |s - q|, 0 to 2."""
    return np.asarray(np.abs(s - q).sum(-1))


def brier(s: Array, q: Array) -> Array:
    """sum (s - q)^2, 0 to 2."""
    return np.asarray(((s - q) ** 2).sum(-1))


def wasserstein(s: Array, q: Array, steps: Array | float = 1.0) -> Array:
    """sum of |S_c - Q_c| of cumulated shares, in steps of the scale; ``steps``: the steps between neighbours.

    >>> wasserstein(np.array([1.0, 0, 0]), np.array([0, 0, 1.0])).item()
    2.0
    """
    return np.asarray((np.abs(np.cumsum(s - q, -1)[..., :-1]) * steps).sum(-1))


def binomial(k: int, x: Array) -> Array:
    """(..., count): the probabilities of 0 to k labels of k if each is given with probability x."""
    n = np.arange(k + 1)
    ways = gammaln(k + 1) - gammaln(n + 1) - gammaln(k - n + 1)
    return np.asarray(np.exp(ways + xlogy(n, x[..., None]) + xlogy(k - n, 1 - x[..., None])))


def _shares(k: int) -> Array:
    return np.arange(k + 1) / k


def _apart(k: int, x: Array) -> Array:
    return np.asarray((binomial(k, x) * np.abs(_shares(k) - x[..., None])).sum(-1))


def _apart_twice(k: int, x: Array) -> Array:
    below = np.cumsum(binomial(k, x), -1)  # E |X - Y| = 2 sum F (1 - F)
    return np.asarray(2 * (below * (1 - below)).sum(-1) / k)


def _spread_of_entropy(k: int, x: Array) -> Array:
    return binomial(k, x) @ plogp(_shares(k))


def _js_floor(k: int, x: Array) -> Array:
    middle = (binomial(k, x) * plogp((_shares(k) + x[..., None]) / 2)).sum(-1)
    return np.asarray((middle - (_spread_of_entropy(k, x) + plogp(x)) / 2) / BITS)


Cell = Callable[[int, Array], Array]
"""The expected contribution of one label with probability x to a score against k labels."""


@dataclass(frozen=True)
class Score:
    """A score: per item, and its expected contribution of a label if q is the truth, or the shares of k others."""

    name: str
    title: str
    each: Callable[..., Array]
    floor: Cell
    another: Cell | None
    """None if it is infinite."""
    kind_to_confidence: bool = False
    """Whether overconfident systems gain by it while items have few labels."""
    cumulated: bool = False
    """Whether it needs ordered labels, and adds up over cumulated shares."""


SCORES: Mapping[str, Score] = {row.name: row for row in (
    Score("brier", "Brier score", brier, lambda k, x: x * (1 - x) / k, lambda k, x: 2 * x * (1 - x) / k),
    Score("cross_entropy", "cross-entropy (nats)", cross_entropy, lambda k, x: plogp(x), None),
    Score("kl", "KL divergence (nats)", kl, lambda k, x: plogp(x) - _spread_of_entropy(k, x), None),
    Score("jensen_shannon", "Jensen-Shannon divergence (bits)", jensen_shannon, _js_floor,
          lambda k, x: (_spread_of_entropy(2 * k, x) - _spread_of_entropy(k, x)) / BITS, True),
    Score("manhattan", "Manhattan distance", manhattan, _apart, _apart_twice, True),
    Score("wasserstein", "Wasserstein distance (steps)", wasserstein, _apart, _apart_twice, True, True),
)}  # fmt: skip
"""Every score that is a mean over items. Brier and cross-entropy are proper whatever the number of labels."""


def expected(score: Score, k: int, p: Array, steps: Array | float = 1.0, other: bool = False) -> Array:
    """(...,): the expected score of q = p against k labels, or (``other``) of the shares of k other raters.

    >>> expected(SCORES["brier"], 5, np.array([0.5, 0.3, 0.2])).round(4).item()
    0.124
    """
    cell = score.another if other else score.floor
    if cell is None:
        return np.full(p.shape[:-1], np.inf)
    x = np.cumsum(p, -1)[..., :-1] if score.cumulated else p
    points, place = np.unique(np.clip(x, 0, 1).round(12), return_inverse=True)
    size = max(1, CELLS // (k + 1))
    found = np.concatenate([cell(k, points[i : i + size]) for i in range(0, max(len(points), 1), size)])
    return np.asarray((found[place.reshape(x.shape)] * (steps if score.cumulated else 1.0)).sum(-1))


def split_half(counts: Array, h: int, score: Callable[[Array, Array], Array] = manhattan) -> float:
    """The mean score between two disjoint random halves of h labels of one item, exactly.

    For scores that add up over labels, such as Manhattan and Brier: the counts of one label in both halves are
    hypergeometric.

    >>> round(split_half(np.array([3, 2, 0, 0]), 2), 3)
    0.8
    """
    k, total = int(counts.sum()), 0.0
    if not 0 < 2 * h <= k:
        return float("nan")
    x, y = np.arange(h + 1)[:, None], np.arange(h + 1)[None]
    for n in counts.tolist():
        log = _choose(n, x) + _choose(k - n, h - x) - _choose(k, h)
        log = log + _choose(n - x, y) + _choose(k - n - h + x, h - y) - _choose(k - h, h)
        total += float((np.exp(log) * score((x / h)[..., None], (y / h)[..., None])).sum())
    return total


def _choose(n: Any, k: Any) -> Array:
    n, k = np.broadcast_arrays(np.asarray(n, float), np.asarray(k, float))
    inside = (k >= 0) & (k <= n)
    a, b = np.where(inside, n, 0), np.where(inside, k, 0)
    return np.where(inside, gammaln(a + 1) - gammaln(b + 1) - gammaln(a - b + 1), -np.inf)


@dataclass(frozen=True)
class Whole:
    """A score of the whole table, larger is better: a function of sums over items."""

    title: str
    terms: Callable[[Array, Array], Array]
    """(item, term), from (item, question, label) of both sides."""
    value: Callable[[Array], Array]
    """(replicate,), from the sums of the terms."""

    def __call__(self, s: Array, q: Array) -> float:
        return float(self.value(self.terms(s, q).sum(0)[None])[0])


def _minima_and_sums(s: Array, q: Array) -> Array:
    s, q = (x[:, 0] if x.shape[1] == 1 else x[..., 1] for x in (s, q))  # of sets, the probability of each label
    return np.concatenate([np.minimum(s, q), s + q], 1)


def _macro_f1(sums: Array) -> Array:
    """The mean over labels that either side uses of 2 sum min(s, q) / sum (s + q)."""
    both, total = np.split(sums, 2, -1)
    used = total.real > 0
    each = 2 * both / np.where(used, total, 1)
    return np.asarray((each * used).sum(-1) / used.sum(-1))


def _moments_of_entropy(s: Array, q: Array) -> Array:
    x, y = entropy(s).mean(1), entropy(q).mean(1)
    return np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y], -1)


def _pearson(sums: Array) -> Array:
    """The correlation from the sums of 1, x, y, x^2, y^2 and xy; nan if one side is constant."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    a, b = xx / n - (x / n) ** 2, yy / n - (y / n) ** 2
    flat = (a.real < 1e-14) | (b.real < 1e-14)
    with np.errstate(invalid="ignore"):
        return np.asarray((xy / n - x * y / n**2) / np.sqrt(np.where(flat, np.nan, a * b)))


WHOLE: Mapping[str, Whole] = {
    "soft_f1": Whole("macro soft F1", _minima_and_sums, _macro_f1),
    "entropy_correlation": Whole("correlation of entropies", _moments_of_entropy, _pearson),
}
