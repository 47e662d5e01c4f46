r"""How raters use labels, and who uses them differently from the others.

Raters label different items, so shares alone do not compare them. If a rater uses labels as the others do, their label
of an item is equally likely to be any one of the item's labels. With :math:`n_{ik}` labels k among the :math:`n_i` of
item i, the counts of the labels that the rater gave have the mean and covariance

.. math:: \mu_k = \sum_i \frac{n_{ik}}{n_i}, \qquad
          V_{kl} = \sum_i \frac{n_{ik}}{n_i} \left(\delta_{kl} - \frac{n_{il}}{n_i}\right),

and :math:`Q = (O - \mu)^\top V^{-} (O - \mu)` measures how far the rater is from that. It is the generalised
Cochran-Mantel-Haenszel statistic with items as strata; for two raters and two labels it is McNemar's. Its reference
distribution comes from random permutations of the labels within items, or is chi-square for large counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from raters.annotations import Annotations
from raters.items import Items, fold

Array = NDArray[Any]
LEAST = 1.0
"""Labels with a smaller variance under the null are merged, because there are too few to compare."""
LARGE = 25.0
"""With variances of at least this size, the chi-square distribution identifies results that are far from
significant.
"""
STAGES = ((199, 0.1), (1999, 0.02))
"""The number of permutations; more are drawn only if p is at most this."""
WORK = 20_000_000
"""Largest number of random numbers for one rater; beyond that, the chi-square distribution is used."""
CHUNK = 300_000
FEW = 20
STREAM = 14
"""A random stream separate from every other use of the seed: numpy draws the same from [seed] and [seed, 0]."""
STEPWISE = 30
"""Up to this many raters, one who differs is set aside before the rest are compared again."""


@dataclass(frozen=True)
class LabelUse:
    """How often each rater gave each label, compared with the others on the same items."""

    raters: tuple[Any, ...]
    labels: tuple[Any, ...]
    """Labels in the order of the scale; if there are many, the most frequent ones, then OTHERS."""
    counts: Array
    """(rater, label): counts over all items."""
    shared: Array
    """(rater,): items that the rater labelled once and somebody else also labelled."""
    given: Array
    """(rater, label): shares of the rater's labels on shared items; nan if there are none."""
    expected: Array
    """(rater, label): shares of the labels of the others on the same items, with each item counted once."""
    p: Array
    """(rater,): p adjusted for the number of raters (Holm); nan if nothing is shared."""
    named: tuple[int, ...]
    """Raters who use labels differently, the most different first; with two raters, both."""


OTHERS = "(all other labels)"


@dataclass(frozen=True)
class _Labels:
    """Single labels of raters, one row each, and how many of each label their items have."""

    rater: Array
    label: Array
    row: Array
    totals: Array
    """(pattern, label)"""
    weight: Array
    """(pattern,): items"""

    @cached_property
    def kinds(self) -> tuple[Array, Array]:
        """The distinct rows of totals, and which of them each pattern has."""
        rows, which = np.unique(self.totals, axis=0, return_inverse=True)
        return rows, which.ravel()

    def without(self, rater: int) -> _Labels:
        """The same labels without this rater."""
        gone = self.rater == rater
        totals = self.totals.copy()
        np.subtract.at(totals, (self.row[gone], self.label[gone]), 1)
        kept = ~gone
        return _Labels(self.rater[kept], self.label[kept], self.row[kept], totals, self.weight)


def label_use(ann: Annotations, *, most_labels: int = 30, alpha: float = 0.025, seed: int = 0) -> LabelUse:
    """Compare each rater's label shares with those of the others on the same items. A rater is named if p, adjusted for
    the number of raters by Holm's method, is at most ``alpha``: if all raters use labels alike, somebody is named in at
    most that share of tables. With more than ``most_labels`` labels, the rarest are merged. An item that a rater
    labelled several times (``duplicates="keep"``) is not used to compare them.

    >>> from raters.io.read import read
    >>> rows = [(i, r, "a" if r == "bob" else "ab"[i % 2]) for i in range(60) for r in ("ann", "bob", "chi", "dev")]
    >>> use = label_use(read(rows, scale="nominal"))
    >>> [use.raters[i] for i in use.named], use.given[1].tolist(), use.expected[1].tolist()
    (['bob'], [1.0, 0.0], [0.5, 0.5])
    """
    items = _most_frequent(fold(ann, group="rater")[None], most_labels)
    k = len(items.labels)
    counts = np.asarray(items.weight @ items.counts).reshape(len(items.groups), k)
    labels = _single(items)
    shared, given, expected = _shares(labels, len(items.groups), k)
    p, named = _who(labels, np.flatnonzero(shared > 0), len(items.groups), alpha, seed)
    return LabelUse(items.groups, items.labels, counts, shared, given, expected, p, named)


def _most_frequent(items: Items, most: int) -> Items:
    """The most frequent labels, in the order of the scale, and all others as one."""
    k = len(items.labels)
    if k <= most:
        return items
    n = np.asarray(items.weight @ items.counts).reshape(-1, k).sum(0)
    kept = np.sort(np.argsort(-n, kind="stable")[:most])
    new = np.full(k, most)
    new[kept] = np.arange(most)
    return items.relabelled(new, (*(items.labels[i] for i in kept), OTHERS))


def _single(items: Items) -> _Labels:
    k = len(items.labels)
    cells = items.counts.tocoo()
    rater, label = cells.col // k, cells.col % k
    cell = cells.row.astype(np.int64) * len(items.groups) + rater
    _, at, n = np.unique(cell, return_inverse=True, return_counts=True)
    once = (n[at] == 1) & (cells.data == 1)
    return _Labels(rater[once], label[once], cells.row[once], items.merged().counts.toarray(), items.weight)


def _shares(labels: _Labels, n_raters: int, k: int) -> tuple[Array, Array, Array]:
    """Shared items, and the label shares on them: of the rater, and of the others."""
    n = labels.totals.sum(1)
    at = n[labels.row] > 1
    rater, label, row = labels.rater[at], labels.label[at], labels.row[at]
    weight = labels.weight[row]
    given = np.bincount(rater * k + label, weight, n_raters * k).reshape(n_raters, k)
    each = weight / (n[row] - 1)
    mine = sparse.csr_array((each, (rater, row)), (n_raters, len(n)))
    own = np.bincount(rater * k + label, each, n_raters * k).reshape(n_raters, k)
    others = mine @ labels.totals - own
    shared = given.sum(1)
    with np.errstate(invalid="ignore"):
        return shared, given / shared[:, None], others / shared[:, None]


def _who(labels: _Labels, compared: Array, n_raters: int, alpha: float, seed: int) -> tuple[Array, tuple[int, ...]]:
    """Adjusted p of every rater, and who is named.

    A rater who differs makes the others differ as well. So with few raters, the one who differs most is set aside
    and the rest are compared again, as in Holm's sequence of tests.
    """
    p, floor = np.full(n_raters, np.nan), 0.0
    left, named = [int(r) for r in compared], list[int]()
    while left:
        tests = np.array([_test(labels, r, seed, len(left)) for r in left])  # (rater, (p, how far out))
        factor = (
            1 if len(left) == 2 else len(left)
        )  # with two raters, there is one test: each is compared with the other
        worst = int(np.lexsort((-tests[:, 1], tests[:, 0]))[0])
        if len(left) > STEPWISE or len(left) <= 2 or factor * tests[worst, 0] > alpha:
            adjusted = np.full(len(left), tests[0, 0]) if factor == 1 else _holm(tests[:, 0])
            p[left] = np.maximum(adjusted, floor)
            order = np.lexsort((-tests[:, 1], adjusted))
            return p, (*named, *(left[i] for i in order if p[left[i]] <= alpha))
        floor = p[left[worst]] = max(floor, factor * tests[worst, 0])
        named.append(left[worst])
        labels = labels.without(left.pop(worst))
    return p, tuple(named)


def _holm(p: Array) -> Array:
    """Adjusted p by Holm's method.

    >>> _holm(np.array([0.01, 0.04, 0.02])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(stepped, 1)
    return adjusted


def _test(labels: _Labels, rater: int, seed: int, n_tests: int) -> tuple[float, float]:
    """p of one rater, and the statistic as a chi-square log p, which distinguishes raters with the smallest p that
    permutations can show.
    """
    at = labels.rater == rater
    kinds, kind_of = labels.kinds
    weight = labels.weight[labels.row[at]]
    given = np.bincount(labels.label[at], weight, kinds.shape[1])
    found, which = np.unique(kind_of[labels.row[at]], return_inverse=True)
    chance = kinds[found] / kinds[found].sum(1, keepdims=True)  # (kind of item, label)
    items = np.bincount(which, weight, len(found))
    fixed = chance.max(1) == 1  # where all labels of an item are the same, nothing can differ
    given = given - items[fixed] @ chance[fixed]
    chance, items = chance[~fixed], items[~fixed]
    mean = items @ chance
    cov = np.diag(mean) - chance.T @ (items[:, None] * chance)
    join = _joined(np.diag(cov))
    cov = join.T @ cov @ join
    values, vectors = np.linalg.eigh(cov)
    varies = values > 1e-9  # counts sum to the number of items, so one direction never varies
    df = int(varies.sum())
    if not df:
        return 1.0, 0.0
    root = join @ (vectors[:, varies] / np.sqrt(values[varies]))  # (label, direction): each of variance 1
    q = float((((given - mean) @ root) ** 2).sum())
    tail = float(special.chdtrc(df, q))
    far = -float(np.log(max(tail, np.finfo(float).tiny)))
    if np.diag(cov).min() >= LARGE and tail > 0.1 / n_tests:
        return tail, far
    rng = np.random.default_rng([seed, STREAM, rater])
    return _permuted(q, items.astype(np.int64), chance, root, rng, n_tests) or tail, far


def _joined(variance: Array) -> Array:
    """(label, kept label): labels that hardly vary are merged."""
    small = variance < LEAST
    where = np.where(small, (~small).sum(), np.cumsum(~small) - 1)
    return np.eye(int(where.max(initial=-1)) + 1)[where]


def _permuted(
    q: float, items: Array, chance: Array, root: Array, rng: np.random.Generator, n_tests: int
) -> float | None:
    """The share of permutations within items that are at least as extreme; None if they would take too long."""
    beyond = drawn = 0
    mean = items @ chance
    last = max(STAGES[-1][0], 40 * n_tests - 1)
    for wanted, above in (*STAGES, (last, 1.0)):
        if wanted * chance.size > WORK:
            break
        while drawn < wanted:
            n = min(wanted - drawn, max(1, CHUNK // chance.size))
            beyond += int(np.sum((((drawn_labels(items, chance, n, rng) - mean) @ root) ** 2).sum(1) >= q * (1 - 1e-9)))
            drawn += n
        if (beyond + 1) / (drawn + 1) > above:
            break
    return (beyond + 1) / (drawn + 1) if drawn >= STAGES[0][0] else None


def drawn_labels(items: Array, chance: Array, n: int, rng: np.random.Generator) -> Array:
    """(draw, label): how often each label is drawn from the items of every kind, by its share in them.

    Kinds with few items (most kinds, if items have many labels) take one uniform number for each item; numpy's
    multinomial takes a binomial number for every label, as long as many uniform ones.
    """
    many = items > FEW
    made = rng.multinomial(items[many], chance[many], (n, int(many.sum()))).sum(1)
    each = np.repeat(chance[~many], items[~many], axis=0)
    u = rng.random((len(each), n))
    below = np.cumsum(each, 1)[:, :-1].T  # (label but the last, item)
    above = [(u >= edge[:, None]).sum(0, dtype=np.int32) for edge in below]
    bounds = np.stack([np.full(n, len(each)), *above, np.zeros(n, np.int64)], 1)
    made += bounds[:, :-1] - bounds[:, 1:]
    return np.asarray(made)


def largest_difference(use: LabelUse, rater: int) -> int:
    """The label whose share differs most from that of the others."""
    return int(np.argmax(np.abs(use.given[rater] - use.expected[rater])))


def differing(use: LabelUse) -> Sequence[tuple[Any, Any, float, float]]:
    """For each rater who was named: rater, label, share given, share of the others on the same items."""
    found = []
    for r in use.named:
        k = largest_difference(use, r)
        found.append((use.raters[r], use.labels[k], float(use.given[r, k]), float(use.expected[r, k])))
    return found
