r"""Which raters disagree with the others more than chance explains, allowing for the choice of the worst?

Somebody always agrees least. If raters are exchangeable, the labels of an item could equally well have been permuted
among the raters who gave them. With :math:`d_{ig}` the mean disagreement of rater g with the other labels of item i,

.. math:: z_g = \frac{\sum_i (d_{ig} - \bar d_i)}{\sqrt{\sum_i s_i^2}},

where the mean :math:`\bar d_i` and the variance :math:`s_i^2` are over the raters of the item. A rater's p is the share
of permutations within items in which the *largest* z of all raters is at least as large: this adjusts for the choice
(Westfall and Young 1993). If permutations would be slow, Bernstein's inequality bounds p, multiplied by the number of
raters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from raters.items import Items, cell_shares
from raters.scales import Kernel

Array = NDArray[Any]
STAGES = ((199, 0.2), (1999, 1.0))
"""The number of permutations; more are drawn only if the smallest p is at most this."""
WORK = 40_000_000
"""Largest number of random numbers; beyond that, p is bounded."""
CHUNK = 2_000_000
STREAM = 141
"""A random stream separate from every other use of the seed."""
CELLS = 4_000_000
MOST_EACH = 256
"""Cells of an item up to which the place of one fits into the lowest bits of a random number."""


@dataclass(frozen=True)
class Standing:
    """How far each rater's disagreement with the others exceeds that of exchangeable raters."""

    raters: tuple[Any, ...]
    z: Array
    """(rater,): nan if a rater shares no item on which labels differ."""
    p: Array
    """(rater,): adjusted for the choice among all raters; nan in the same case."""
    draws: int = 0
    """Random shuffles behind p; 0 if it is computed."""

    def named(self, alpha: float = 0.05) -> tuple[int, ...]:
        """Raters who stand out, the most extreme first. If all raters are alike, anyone at all is named in at most a
        share alpha of tables.
        """
        at = np.flatnonzero(self.p <= alpha)
        return tuple(int(i) for i in at[np.argsort(-self.z[at], kind="stable")])


@dataclass(frozen=True)
class _Deviations:
    """One row for each (pattern, rater) for items on which raters can differ."""

    row: Array
    rater: Array
    value: Array
    """How far the rater's disagreement lies above the mean of the item's raters."""
    weight: Array
    """(pattern,): items."""
    n_raters: int

    def sums(self) -> Array:
        return np.bincount(self.rater, self.value * self.weight[self.row], self.n_raters)

    def variance(self) -> Array:
        """(rater,): the variance of the sum when the item's raters are permuted."""
        n = np.bincount(self.row, minlength=len(self.weight))
        each = np.bincount(self.row, self.value**2, len(self.weight)) / np.maximum(n, 1)
        return np.bincount(self.rater, (each * self.weight)[self.row], self.n_raters)


def standing_out(items: Items, kernel: Kernel, seed: int = 0) -> Standing:
    """The test on items folded by rater. ``kernel``: how labels are compared (for ordinal alpha, with its ranks fixed).

    With two raters, each is equally far from the other, so nobody can stand out.
    """
    n = len(items.groups)
    nothing = Standing(items.groups, np.full(n, np.nan), np.full(n, np.nan))
    if n < 3:
        return nothing
    found = _deviations(items, kernel)
    variance = found.variance()
    compared = variance > 1e-12 * max(float(np.max(variance, initial=0.0)), 1e-300)
    if not compared.any():
        return nothing
    scale = np.where(compared, np.sqrt(np.where(compared, variance, 1.0)), np.nan)
    z = found.sums() / scale
    return Standing(items.groups, z, *_permuted(found, scale, z, seed))


def _deviations(items: Items, kernel: Kernel) -> _Deviations:
    """Each rater's mean disagreement with the other raters of an item, minus its mean over the item's raters."""
    shares, row = cell_shares(items, kernel)
    rater = items.per_group.indices
    n = np.bincount(row, minlength=len(items.weight))
    d = _with_others(shares, row, kernel) / np.maximum(n - 1, 1)[row]
    if kernel.perfect:
        d = kernel.perfect - d
    deviation = d - (np.bincount(row, d, len(n)) / np.maximum(n, 1))[row]
    differs = np.bincount(row, np.abs(deviation), len(n)) > 1e-9 * kernel.unit
    at = (differs & (n > 1))[row]
    return _Deviations(row[at], rater[at], deviation[at], items.weight, len(items.groups))


def _with_others(shares: sparse.csr_array, row: Array, kernel: Kernel) -> Array:
    """(cell,): the kernel of a rater's label with that of every other rater of the item, summed; whole items at a
    time.
    """
    found = np.zeros(len(row))
    starts = np.append(np.flatnonzero(np.diff(row, prepend=-1)), len(row))
    first, step = 0, max(1, CELLS // max(shares.shape[1], 1))
    while first < len(row):
        last = int(
            max(
                starts[np.searchsorted(starts, first + step, "right") - 1],
                starts[np.searchsorted(starts, first, "right")],
            )
        )
        own = shares[first:last].toarray()
        _, at = np.unique(row[first:last], return_inverse=True)
        whole = sparse.csr_array((np.ones(len(at)), (at, np.arange(len(at))))) @ own
        found[first:last] = kernel.product(own, whole[at] - own)
        first = last
    return found


def _permuted(found: _Deviations, scale: Array, z: Array, seed: int) -> tuple[Array, int]:
    """p, and the number of shuffles that it rests on."""
    times = found.weight[found.row].astype(np.int64)
    cells = int(times.sum())
    if cells * STAGES[0][0] > WORK:
        return _bounded(found, scale, z), 0
    item, rater, value = _unfolded(found, times)
    rng = np.random.default_rng([seed, STREAM])
    beyond, drawn = np.zeros(len(z)), 0
    for wanted, enough in STAGES:
        if cells * wanted > WORK:
            break
        while drawn < wanted:
            n = min(wanted - drawn, max(1, CHUNK // cells))
            place = shuffled(item, rng.random((n, cells)))
            at = (np.arange(n)[:, None] * len(z) + rater).ravel()
            sums = np.bincount(at, value[place].ravel(), n * len(z)).reshape(n, -1)
            largest = np.nanmax(sums / scale, axis=1)
            beyond += (largest[:, None] >= z - 1e-9).sum(0)
            drawn += n
        if np.nanmin((beyond + 1) / (drawn + 1) + 0 * z) > enough:
            break
    return np.where(np.isfinite(z), (beyond + 1) / (drawn + 1), np.nan), drawn


def shuffled(item: Array, u: Array) -> Array:
    """(draw, cell): which cell comes to each place when the cells of every item, which lie side by side, are put in the
    order of ``u``.

    Where all items have as many cells, each item's are sorted alone, by numbers that carry their place in the lowest
    bits.

    >>> shuffled(np.array([0, 0, 1, 1]), np.array([[0.7, 0.2, 0.1, 0.9]])).tolist()
    [[1, 0, 2, 3]]
    """
    size = np.diff(np.flatnonzero(np.diff(item, prepend=-1, append=-1)))
    each = int(size[0]) if len(size) else 0
    if not len(size) or each > MOST_EACH or (size != each).any():
        return np.argsort(item + u, axis=1)  # items stay in their order
    low = np.uint64((1 << (each - 1).bit_length()) - 1)
    key = u.view(np.uint64).reshape(len(u), -1, each)  # numbers above 0 are ordered as their bits are
    key = (key & ~low) | np.arange(each, dtype=np.uint64)
    key.sort(-1)
    return np.asarray((key & low).view(np.int64) + np.arange(0, len(item), each)[:, None]).reshape(u.shape)


def _unfolded(found: _Deviations, times: Array) -> tuple[Array, Array, Array]:
    """Expand to one cell for each item and rater, item by item."""
    start = np.concatenate([[0], np.cumsum(found.weight.astype(np.int64))])[:-1]
    which = np.repeat(np.arange(len(times)), times)
    nth = np.arange(len(which)) - np.repeat(np.cumsum(times) - times, times)
    item = start[found.row[which]] + nth
    order = np.argsort(item, kind="stable")
    return item[order], found.rater[which][order], found.value[which][order]


def _bounded(found: _Deviations, scale: Array, z: Array) -> Array:
    """Bernstein's bound on the tail of a sum of bounded numbers, one for each item, multiplied by the number of
    raters.
    """
    most = np.zeros(len(found.weight))
    np.maximum.at(most, found.row, found.value)
    largest = np.zeros(len(z))
    np.maximum.at(largest, found.rater, most[found.row])
    t = np.maximum(z, 0)
    bound = np.exp(-(t**2) / (2 + 2 / 3 * largest / scale * t))
    return np.where(np.isfinite(z), np.minimum(bound * np.isfinite(z).sum(), 1.0), np.nan)


MOST_CELLS = 40_000_000
FEWEST = 5
"""The fewest items on which two labels must co-occur; with fewer, the standard error is not reliable."""


@dataclass(frozen=True)
class Confusion:
    """Pairs of labels that co-occur in an item, the most frequent first."""

    a: Array
    b: Array
    z: Array
    """(pair,): t in units of its standard error; -inf if the two co-occur on too few items."""
    p: Array
    """(pair,): p-values, multiplied by the number of all pairs of labels."""


def confused_labels(items: Items, most: int = 50) -> Confusion:
    """The test on items without groups, for the pairs that co-occur most often; p allows for all pairs."""
    k = len(items.labels)
    pairs_of_all = k * (k - 1) / 2
    at = np.flatnonzero(items.per_item >= 2)
    none = Confusion(np.zeros(0, int), np.zeros(0, int), np.zeros(0), np.zeros(0))
    if not len(at) or len(at) * k > MOST_CELLS:
        return none
    counts, weight, r = items.counts[at].toarray(), items.weight[at], items.per_item[at]
    share = counts / (r - 1)[:, None]
    a, b = np.triu_indices(k, 1)
    met = (share * weight[:, None]).T @ counts
    order = np.argsort(-met[a, b], kind="stable")[:most]
    a, b = a[order], b[order]
    kept = met[a, b] > 0
    a, b = a[kept], b[kept]
    n, items_n = float(weight @ r), float(weight.sum())
    if not len(a) or items_n < 3:
        return none
    margin = weight @ counts  # (label,)
    own = (share * (r[:, None] - counts)).sum(1)  # (pattern,): disagreeing pairs
    apart, chance = float(weight @ own), n**2 - float(margin @ margin)
    z = np.empty(len(a))
    for i, (one, two) in enumerate(zip(a, b, strict=True)):
        both = 2 * share[:, one] * counts[:, two]
        o, e = float(weight @ both), 2 * margin[one] * margin[two]
        t = o / e - apart / chance
        # derivatives of both ratios with respect to the weight of an item
        slope_e = 2 * (counts[:, one] * margin[two] + counts[:, two] * margin[one])
        slope_chance = 2 * (n * r - counts @ margin)
        influence = both / e - o / e**2 * slope_e - own / chance + apart / chance**2 * slope_chance + t * r / n
        se = float(np.sqrt(items_n / (items_n - 1) * (weight @ influence**2)))
        enough = float(weight[both > 0].sum()) >= FEWEST
        z[i] = t / se if se > 0 and enough else -np.inf
    return Confusion(a, b, z, np.minimum(special.stdtr(items_n - 1, -z) * pairs_of_all, 1.0))
