r"""One imaginary item: what a small study cannot exclude, as one more pattern among the weighted items.

Items are draws from an unknown distribution F over patterns of labels. F has a Dirichlet-process prior of mass A = 1,
so its posterior, given the items, is a Dirichlet process again, and a replicate is again only a row of weights: a gamma
variable for each observed pattern, with as many degrees as items show it, and the mass of one imaginary item, spread
over patterns that it might have shown. The imaginary item has as many labels as a randomly drawn observed item, and

- if labels are only equal or different, they are independent draws from p ~ Dirichlet(1/K, ..., 1/K) over the K labels
  in use; two labels of two kinds come from Dirichlet(1.5, 1.5): with 1/2, a study of 100 items without a disagreement
  would exclude values under which a fifth of all studies show none, and with 1 the least coverage is .84 (with 1.5 it
  is .86);
- along a scale of K points they are independent draws from Binomial(K - 1, theta), theta ~ Beta(1/2, 1/2): people who
  differ choose neighbouring points; and with probability 1 / (K - 1) as above. With two labels both are the same.

Ferguson (1973), Ann. Stat. 1, 209-230; Rubin (1981), Ann. Stat. 9, 130-134 (the same without an imaginary item).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from raters.errors import UsageError
from raters.inference.limits import Interval, IntervalSpec, by_percentile, student
from raters.inference.statistic import Statistic
from raters.inference.weights import dirichlet_process, kept_draws
from raters.items import Items
from raters.notes.note import Note

Array = NDArray[Any]
MASS = 1.0
"""Number of imaginary items."""
MOST_PATTERNS = 300
"""Up to this many patterns of the imaginary item are listed; beyond that, they are drawn."""
TWO_BY_TWO = 1.5
"""Two labels of two kinds are draws from p ~ Dirichlet(1.5, 1.5): they differ in 3 of 8 imaginary items."""
OTHER = "any other label"


@dataclass(frozen=True)
class Posterior:
    """A statistic of observed and imaginary patterns, and the probability that the imaginary item shows each."""

    stat: Statistic
    """Its weights are the numbers of items that show each pattern: 0 for patterns that are only imaginary."""
    base: Array
    """(pattern,): the probability that the imaginary item shows it; it sums to 1."""
    mass: float = MASS
    along: bool = False
    """Whether labels are points along a scale."""

    def draws(self, resamples: int, seed: int) -> Array:
        """(replicate,): the statistic for draws of the population, given the items and one more."""
        return drawn_values(self.stat, self.base, self.mass, resamples, seed)

    def without(self, own: Statistic, resamples: int, seed: int) -> Array:
        """The same for the items alone; ``own`` is the statistic without imaginary patterns, which is narrower."""
        if not np.array_equal(own.weight, self.stat.weight[: len(own.weight)]):
            own = self.stat
        return drawn_values(own, np.zeros(len(own.weight)), 0.0, resamples, seed)


def drawn_values(stat: Statistic, base: Array, mass: float, resamples: int, seed: int) -> Array:
    """(replicate,): the statistic for draws of the population, given the items and the mass of an imaginary one."""

    def drawn() -> Iterator[Array]:
        return dirichlet_process(stat.weight, base, mass, resamples, np.random.default_rng(seed))

    question = (stat.weight.tobytes(), base.tobytes(), mass, resamples, seed)
    rows = kept_draws(question, drawn, resamples * len(stat.weight))
    return np.concatenate([stat.parts(w).value for w in rows])


def imagine(items: Items, along: bool, seed: int = 0) -> tuple[Items, Array]:
    """These items and the patterns of an imaginary one, which no item shows yet; and the probability of each pattern.

    ``along``: the labels are points along a scale, in their order.

    >>> x = Items(np.array([9.0, 6.0]), sparse.csr_array([[2.0, 0.0], [0.0, 2.0]]), ("no", "yes"))
    >>> wide, base = imagine(x, along=False)
    >>> wide.weight.tolist(), wide.counts.toarray()[2:].tolist(), base.round(3).tolist()
    ([9.0, 6.0, 0.0, 0.0, 0.0], [[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]], [0.0, 0.0, 0.312, 0.375, 0.312])
    """
    items, used = _in_use(items)
    found = None if items.moments is not None else _listed(items, len(used), along)
    cells, share = found if found is not None else _drawn(items, len(used), along, np.random.default_rng(seed))
    counts = _counts(items, cells, used, len(share))
    none = np.zeros(len(share))
    wide = replace(
        items, weight=np.append(items.weight, none), counts=sparse.vstack([items.counts, counts]).tocsr(), cluster=None
    )
    return wide, np.append(np.zeros(len(items.weight)), share)


def _in_use(items: Items) -> tuple[Items, Array]:
    """The labels that were used, at least two: declared ones that nobody used do not count, unless only one was."""
    if items.moments is not None:
        return items, np.arange(len(items.labels))
    if len(items.labels) < 2:
        items = items.relabelled(np.zeros(1, int), (*items.labels, OTHER))
    shown = items.counts[items.weight > 0]
    used = np.unique(shown.indices % items.width)
    if len(used) < 2:
        used = np.unique(np.append(used, next(k for k in range(items.width) if k not in used)))
    return items, used


Cells = tuple[Array, Array, Array, Array]
"""For imaginary labels: the pattern, the group, the index among the labels in use, and the count."""


def _listed(items: Items, k: int, along: bool) -> tuple[Cells, Array] | None:
    """Every pattern and its probability, if there are few."""
    if len(items.groups) == 1:
        r, size = np.unique(items.per_item.astype(int), return_inverse=True)
        if sum(comb(int(n) + k - 1, k - 1) for n in r) > MOST_PATTERNS:
            return None
        shapes = [(_bags(int(n), k), np.zeros(k, int), True) for n in r]
    else:
        if not items.once or len(items.groups) > 8:
            return None
        present, size = np.unique(items.per_group.toarray() > 0, axis=0, return_inverse=True)
        if sum(k ** int(row.sum()) for row in present) > MOST_PATTERNS:
            return None
        shapes = [(_choices(int(row.sum()), k), np.flatnonzero(row), False) for row in present]
    weight = np.bincount(size.ravel(), items.weight) / items.weight.sum()
    every, share, start = [], [], 0
    for (table, groups, pooled), w in zip(shapes, weight, strict=True):
        bags = table if pooled else _tally(table, k)
        log = _log_share(bags, along) + (_orders(bags) if pooled else 0.0)
        rows, columns = np.nonzero(table) if pooled else np.indices(table.shape).reshape(2, -1)
        label, many = (columns, table[rows, columns]) if pooled else (table[rows, columns], np.ones(len(rows)))
        every.append((rows + start, groups[columns], label, many))
        share.append(w * np.exp(log))
        start += len(table)
    joined = tuple(np.concatenate(column) for column in zip(*every, strict=True))
    total = np.concatenate(share)
    return joined, total / total.sum()  # type: ignore[return-value]


def _bags(r: int, k: int) -> Array:
    """(bag, label): every way to give r labels of k kinds."""
    bars = np.array(list(combinations(range(r + k - 1), k - 1)), int).reshape(-1, k - 1)
    ends = np.full((len(bars), 1), -1), np.full((len(bars), 1), r + k - 1)
    return np.asarray(np.diff(np.hstack([ends[0], bars, ends[1]]), axis=1) - 1)


def _choices(r: int, k: int) -> Array:
    """(choice, rater): every way in which r raters choose one of k labels."""
    return np.array(list(product(range(k), repeat=r)), int)


def _tally(choices: Array, k: int) -> Array:
    return np.asarray((choices[:, :, None] == np.arange(k)).sum(1))


def _orders(bags: Array) -> Array:
    """(bag,): the logarithm of how many sequences have these counts."""
    return np.asarray(special.gammaln(bags.sum(1) + 1) - special.gammaln(bags + 1).sum(1))


def _log_share(bags: Array, along: bool) -> Array:
    """(bag,): the logarithm of the probability of one sequence of labels with these counts."""
    k, r = bags.shape[1], bags.sum(1)
    a = np.where(_few(k, r), TWO_BY_TWO, 1 / k)[:, None]
    apart = (special.gammaln(bags + a) - special.gammaln(a)).sum(1) + (
        special.gammaln(k * a) - special.gammaln(k * a + r[:, None])
    )[:, 0]
    if not along or k == 2:
        return np.asarray(apart)
    point = np.arange(k)
    ways = special.gammaln(k) - special.gammaln(point + 1) - special.gammaln(k - point)
    at = bags @ point
    near = bags @ ways + special.betaln(0.5 + at, 0.5 + r * (k - 1) - at) - special.betaln(0.5, 0.5)
    far = 1 / (k - 1)
    return np.asarray(np.logaddexp(np.log(far) + apart, np.log1p(-far) + near))


def _drawn(items: Items, k: int, along: bool, rng: np.random.Generator) -> tuple[Cells, Array]:
    """Patterns drawn from the same distribution, with equal probability."""
    at = rng.choice(len(items.weight), MOST_PATTERNS, p=items.weight / items.weight.sum())
    shape = items.per_group[at]
    many = shape.data.astype(int)
    row = np.repeat(np.repeat(np.arange(len(at)), np.diff(shape.indptr)), many)
    group = np.repeat(shape.indices, many)
    r = np.bincount(row, minlength=len(at))
    labels = _urn(r, k, rng)
    if along and k > 2:
        near = rng.random(len(at)) > 1 / (k - 1)
        theta = rng.beta(0.5, 0.5, (len(at), 1))
        labels = np.where(near[:, None], rng.binomial(k - 1, theta, labels.shape), labels)
    place = np.arange(len(row)) - np.repeat(np.cumsum(r) - r, r)
    return (row, group, labels[row, place], np.ones(len(row))), np.full(len(at), 1 / len(at))


def _urn(r: Array, k: int, rng: np.random.Generator) -> Array:
    """(item, label): draws from p ~ Dirichlet(a, ..., a), p left out: a label is new, or that of an earlier one."""
    labels = rng.integers(0, k, (len(r), int(r.max())))
    total = np.where(_few(k, r), 2 * TWO_BY_TWO, 1.0)
    for t in range(1, labels.shape[1]):
        again = rng.random(len(r)) > total / (total + t)
        labels[again, t] = labels[again, rng.integers(0, t, int(again.sum()))]
    return labels


def _few(k: int, r: Array) -> Array:
    """Whether an item has two labels of two kinds, and p is therefore from Dirichlet(1.5, 1.5)."""
    return np.asarray((r == 2) & (k == 2))


def _counts(items: Items, cells: Cells, used: Array, n: int) -> sparse.csr_array:
    row, group, label, many = cells
    if items.moments is None:
        shape = (n, items.counts.shape[1])
        return sparse.coo_array((many.astype(float), (row, group * items.width + used[label])), shape).tocsr()
    x = np.array(items.labels, float)[used[label]] - items.moments[0]
    data = np.concatenate([many, many * x, many * x**2])
    columns = np.concatenate([group * 3 + i for i in range(3)])
    return sparse.coo_array((data, (np.tile(row, 3), columns)), (n, items.counts.shape[1])).tocsr()


def posterior(items: Items, along: bool, seed: int, statistic: Callable[[Items], Statistic]) -> Posterior:
    """The posterior of a statistic that is made from items."""
    wide, base = imagine(items, along, seed)
    return Posterior(statistic(wide), base, MASS, along)


@dataclass(frozen=True)
class Numbers:
    """Many distinct numbers, for which an imaginary item does not help and reliability is an intraclass correlation."""

    labels: float
    """Labels per item."""
    otherwise: Posterior | None = None
    """The interval for items that agree completely, for which the jackknife is not informative."""
    said: tuple[Note, ...] = ()
    """Notes on the interval, such as that the values are skewed."""


Small = Posterior | Numbers
"""What the interval of a small study needs in addition to the statistic."""


def by_imaginary(stat: Statistic, value: float, spec: IntervalSpec, small: Small | None) -> Interval:
    """Percentiles of the posterior with one imaginary item.

    Along a scale the imaginary item, whose labels differ more than those of raters who nearly agree, would keep the
    upper limit too low: there it is the larger of the limits with and without the imaginary item.
    """
    draws: Array | None = getattr(stat, "draws", None)
    rests = small.otherwise if isinstance(small, Numbers) else small
    if draws is None and rests is None:
        raise UsageError("an imaginary item is not defined for this figure; use interval='bootstrap' or 'auto'.")
    if draws is None and rests is not None:
        draws = rests.draws(spec.resamples, spec.seed)
    found = replace(by_percentile(np.asarray(draws), spec), method="imaginary")
    if rests is None or not rests.along or getattr(stat, "draws", None) is not None:
        return found
    without = by_percentile(rests.without(stat, spec.resamples, spec.seed), spec)
    return replace(found, high=max(found.high, min(without.high, spec.highest))) if np.isfinite(without.high) else found


def by_stabilised(stat: Statistic, value: float, spec: IntervalSpec, small: Small | None) -> Interval:
    """Leave out one item at a time on the scale log((1 + (m - 1) a) / (1 - a)), where the variance of an intraclass
    correlation of m ratings hardly depends on it; t with n - 1 df, and further on the side to which items are skewed.
    """
    if not isinstance(small, Numbers):
        raise UsageError("interval='stabilised' applies to numbers; use interval='auto'.")
    m, n = small.labels, float(stat.weight.sum())
    left = stat.left_out()
    if small.otherwise is not None and not (value < 1 and np.isfinite(left).all() and (left < 1).all()):
        return by_imaginary(stat, value, spec, small)
    floor = -1 / (m - 1)
    if not (floor < value < 1 and np.isfinite(left).all() and (left > floor).all() and (left < 1).all()):
        found = by_jackknife(stat, value, spec)
        return replace(found, notes=(*found.notes, *small.said))
    z, each = (np.log((1 + (m - 1) * x) / (1 - x)) for x in (value, left))
    gap = np.average(each, weights=stat.weight) - each
    se = float(np.sqrt((n - 1) / n * (stat.weight @ gap**2)))
    t = float(special.stdtrit(n - 1, (1 + spec.level) / 2))
    further = _skewness(gap, stat.weight) * (1 + 2 * t**2) / (6 * np.sqrt(n))
    # (e^z - 1) / (e^z + m - 1), so written that a far limit is 1 and not overflow
    ends = z - (t + max(0.0, -further)) * se, z + (t + max(0.0, further)) * se
    low, high = ((1 - np.exp(-y)) / (1 + (m - 1) * np.exp(-y)) for y in ends)
    slope = (1 + (m - 1) * value) * (1 - value) / m
    return Interval(float(low), float(high), se * slope, "stabilised", small.said)


def _skewness(gap: Array, weight: Array) -> float:
    """The skewness of what single items add; 0 if they all add the same. Its part in the error of a mean divided by its
    standard error (Hall 1992, The Bootstrap and Edgeworth Expansion, 2.6) moves the limit on that side outwards; none
    is moved inwards.
    """
    n, most = float(weight.sum()), float(np.abs(gap).max(initial=0.0))
    if n < 3 or not 0 < most < np.inf:
        return 0.0
    x = gap / most
    return float(weight @ x**3 / n / (weight @ x**2 / n) ** 1.5 * np.sqrt(n * (n - 1)) / (n - 2))


SKEWED = 1.25
"""The skewness of item means above which intervals of numbers carry a warning; on few items, where chance reaches it,
2.4 standard errors.
"""


def skewed_values(mean: Array, weight: Array, normal: bool = False) -> tuple[Note, ...]:
    """The note if item means have a long tail on one side, such as times, prices and counts; ``normal``: for an interval
    that assumes normal ones.
    """
    if not np.isfinite(mean).all() or weight.sum() < 3:
        return ()
    skew = _skewness(mean - np.average(mean, weights=weight), weight)
    if abs(skew) < max(SKEWED, 2.4 * np.sqrt(6 / weight.sum())):
        return ()
    return (Note("skewed_for_f" if normal else "skewed", {"skewness": skew}),)


def by_jackknife(stat: Statistic, value: float, spec: IntervalSpec, small: Small | None = None) -> Interval:
    """Leave out one item at a time; t with n - 1 df."""
    left, n = stat.left_out(), stat.weight.sum()
    if not np.isfinite(left).all():
        return Interval(np.nan, np.nan, np.nan, "jackknife", (Note("one_item_matters"),))
    gap = left - np.average(left, weights=stat.weight)
    return student(value, float(np.sqrt((n - 1) / n * (stat.weight @ gap**2))), n, spec, "jackknife")
