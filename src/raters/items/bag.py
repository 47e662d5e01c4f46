"""Unique item patterns, the number of items that show each, and their lifting to the features of a kernel.

A *pattern* is the bag of (group, label) pairs of one item. The group is who is compared with whom: nobody
in particular (Fleiss, alpha, AC1), the rater (Cohen, Conger), a pool, a round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.scales import Kernel

Array = NDArray[Any]

WIDE = 48
"""Up to this many (group, label) columns the fold counts in columns; with more, in sorted lists."""


@dataclass(frozen=True)
class Items:
    """Unique patterns of labels and how many items show each: the basis of every coefficient."""

    weight: Array
    """(pattern,): how many items show it."""
    counts: sparse.csr_array
    """(pattern, group * feature): label counts, or sums of 1, x, x^2 (moments), in each group."""
    labels: tuple[Any, ...]
    groups: tuple[Any, ...] = (None,)
    moments: tuple[float, float, float] | None = None
    """For folds to moments: the center that was subtracted, the variance and the span of the values."""
    n_raters: int = 0
    """Distinct raters behind these items."""
    cluster: Array | None = None
    """(pattern,): the cluster of its items, if whole clusters are the unit of sampling."""

    @property
    def width(self) -> int:
        """Columns of one group: labels, or 3 moments."""
        return int(self.counts.shape[1]) // len(self.groups)

    @cached_property
    def per_group(self) -> sparse.csr_array:
        """(pattern, group): how many labels each group gave."""
        if self.moments is not None:
            return self.counts[:, :: self.width].tocsr()
        c = self.counts
        n = sparse.csr_array((c.data, c.indices // self.width, c.indptr), (c.shape[0], len(self.groups))).copy()
        n.sum_duplicates()
        return n

    @cached_property
    def per_item(self) -> Array:
        """(pattern,): how many labels an item has."""
        return np.asarray(self.per_group.sum(1)).ravel()

    @cached_property
    def once(self) -> bool:
        """Whether no group gave an item more than one label."""
        return bool(self.per_group.data.max(initial=0) <= 1)

    @property
    def n_items(self) -> int:
        return int(self.weight.sum())

    @property
    def n_annotations(self) -> int:
        return int(self.weight @ self.per_item)

    def merged(self) -> Items:
        """The same items without groups."""
        if len(self.groups) == 1:
            return self
        return replace(self, counts=collapse(self.counts, self.width), groups=(None,))

    def one_against_rest(self, label: int) -> Items:
        """Two labels: this one, and any other."""
        return self.relabelled((np.arange(self.width) != label).astype(int), (self.labels[label], "other"))

    def relabelled(self, label_of: Array, names: Sequence[Any]) -> Items:
        """Other labels: ``label_of[k]`` is the new label of label k."""
        c = self.counts
        columns = c.indices // self.width * len(names) + label_of[c.indices % self.width]
        folded = sparse.csr_array((c.data, columns, c.indptr), (c.shape[0], len(names) * len(self.groups))).copy()
        folded.sum_duplicates()
        return replace(self, counts=folded, labels=tuple(names))

    def regrouped(self, group_of: Array, names: Sequence[Any]) -> Items:
        """Other groups: ``group_of[g]`` is the new group of group g; those below 0 are dropped, with their labels."""
        c = self.counts.tocoo()
        new = group_of[c.col // self.width]
        at = new >= 0
        columns = new[at] * self.width + c.col[at] % self.width
        shape = (c.shape[0], len(names) * self.width)
        counts = sparse.coo_array((c.data[at], (c.row[at], columns)), shape).tocsr()
        return replace(self, counts=counts, groups=tuple(names)).labelled()

    def where(self, at: Array) -> Items:
        """The items of these patterns only."""
        cluster = None if self.cluster is None else self.cluster[at]
        return replace(self, weight=self.weight[at], counts=self.counts[at], cluster=cluster)

    def compressed(self, most: int = WIDE) -> Items:
        """The items with equal patterns merged, up to ``most`` columns of counts."""
        if self.moments is not None or self.cluster is not None or self.counts.shape[1] > most:
            return self
        rows, which = _distinct(self.counts.toarray())
        return replace(self, weight=np.bincount(which, self.weight), counts=sparse.csr_array(rows))

    def labelled(self) -> Items:
        """The items without patterns that have no label."""
        at = np.flatnonzero(np.diff(self.counts.indptr) > 0)
        return self if len(at) == self.counts.shape[0] else self.where(at)


def _distinct(rows: Array) -> tuple[Array, Array]:
    """The distinct rows of counts in order, and which of them each row is; rows are encoded as one number if that fits.

    >>> [x.tolist() for x in _distinct(np.array([[1.0, 2.0], [0.0, 3.0], [1.0, 2.0]]))]
    [[[0.0, 3.0], [1.0, 2.0]], [1, 0, 1]]
    """
    base = int(rows.max(initial=0)) + 1
    if base ** rows.shape[1] >= 2**62:
        different, which = np.unique(rows, axis=0, return_inverse=True)
        return different, which.ravel()
    place = np.array([base**i for i in range(rows.shape[1] - 1, -1, -1)], np.int64)
    _, first, which = np.unique(rows.astype(np.int64) @ place, return_index=True, return_inverse=True)
    return rows[first], which.ravel()


@dataclass(frozen=True)
class Lifted:
    """What the coefficients need to know about each pattern, in the features of a kernel."""

    items: Items
    kernel: Kernel
    r: Array
    """(pattern,): labels per item, or groups per item if groups are compared."""
    sums: Any
    """(pattern, feature): features summed over the item's labels (over groups: of shares)."""
    pair: Array
    """(pattern,): the kernel summed over ordered pairs of different labels (or groups)."""
    own: Array
    """(pattern,): the kernel of each label with itself, or of each group with itself, summed."""


def lift(items: Items, kernel: Kernel, *, between_groups: bool = False) -> Lifted:
    """Feature sums and pair sums of every pattern.

    Without groups, every label is compared with every other label of the item. ``between_groups``: each group counts as
    one rater whose label is drawn from the labels it gave, and only different groups are compared.
    """
    if between_groups and len(items.groups) > 1 and not items.once:
        own = shares_by_group(items, kernel)
        r = np.diff(items.per_group.indptr).astype(float)
        width = own.shape[1] // len(items.groups)
        total = collapse(own, width)
        within = _within(own, width, kernel)
        return Lifted(items, kernel, r, total, _self_product(total, kernel) - within, within)
    merged = items.merged()
    sums = features(merged, kernel)
    own = kernel.perfect * merged.per_item
    pair = _self_product(sums, kernel) - own
    # one label of each group: comparing groups is comparing labels
    return Lifted(items if between_groups else merged, kernel, merged.per_item, sums, pair, own)


def features(items: Items, kernel: Kernel) -> Any:
    """(pattern, group * feature): the features of a group's labels, summed."""
    if items.moments is not None or kernel.features is None:
        return items.counts
    if len(items.groups) == 1:
        return items.counts @ kernel.features
    c, f = items.counts, kernel.features.shape[1]
    data = kernel.features[c.indices % items.width]
    data *= c.data[:, None]
    columns = (c.indices[:, None] // items.width * f + np.arange(f, dtype=c.indices.dtype)).ravel()
    start = c.indptr.astype(np.int64) * f
    s = sparse.csr_array((data.ravel(), columns, start), (c.shape[0], len(items.groups) * f))
    s.sum_duplicates()
    return s


def shares_by_group(items: Items, kernel: Kernel) -> sparse.csr_array:
    """(pattern, group * feature): the mean features of a group's labels on an item."""
    s = sparse.csr_array(features(items, kernel))
    s.sort_indices()
    if items.once:
        return s
    width = s.shape[1] // len(items.groups)
    rows = np.repeat(np.arange(s.shape[0]), np.diff(s.indptr))
    n = np.asarray(items.per_group[rows, s.indices // width]).ravel()
    return sparse.csr_array((s.data / n, s.indices, s.indptr), s.shape)


def cooccurrence(items: Items) -> Array:
    """(label, label): how often two labels co-occur on an item, with items weighted as in alpha: 1 / (labels - 1).

    >>> cooccurrence(Items(np.ones(2), sparse.csr_array([[2.0, 1.0], [0.0, 1.0]]), ("no", "yes"))).tolist()
    [[1.0, 1.0], [1.0, 0.0]]
    """
    bag = items.merged()
    per = bag.weight * (bag.per_item > 1) / np.maximum(bag.per_item - 1, 1)
    return np.asarray((bag.counts.T @ sparse.diags_array(per) @ bag.counts).toarray() - np.diag(per @ bag.counts))


def cell_shares(items: Items, kernel: Kernel) -> tuple[sparse.csr_array, Array]:
    """(cell, feature): mean features of each (pattern, group) that has a label; and the pattern of each cell."""
    shares, present = shares_by_group(items, kernel).tocoo(), items.per_group
    width = shares.shape[1] // present.shape[1]
    row = np.repeat(np.arange(present.shape[0]), np.diff(present.indptr))
    keys = row * present.shape[1] + present.indices
    cell = np.searchsorted(keys, shares.row.astype(np.int64) * present.shape[1] + shares.col // width)
    return sparse.coo_array((shares.data, (cell, shares.col % width)), (len(keys), width)).tocsr(), row


def collapse(s: sparse.csr_array, width: int) -> sparse.csr_array:
    """(pattern, group * feature) summed over groups."""
    total = sparse.csr_array((s.data, s.indices % width, s.indptr), (s.shape[0], width)).copy()
    total.sum_duplicates()
    return total


def _within(s: sparse.csr_array, width: int, kernel: Kernel) -> Array:
    """(pattern,): the kernel of each group with itself, summed over groups."""
    group = s.indices // width
    rows = np.repeat(np.arange(s.shape[0]), np.diff(s.indptr))
    start = np.flatnonzero(np.diff(rows, prepend=-1) | np.diff(group, prepend=-1))
    per = sparse.csr_array((s.data, s.indices % width, np.concatenate([start, [len(s.data)]])), (len(start), width))
    return np.bincount(rows[start], _self_product(per, kernel), s.shape[0])


def within_rows(start: Array) -> tuple[Array, Array]:
    """All pairs (a, b), a < b, of positions in the same row of a CSR matrix with this ``indptr``."""
    size = np.diff(start)
    end = np.repeat(start[1:], size)
    first = np.arange(start[0], start[-1])
    later = end - first - 1
    a = np.repeat(first, later)
    offset = np.arange(len(a)) - np.repeat(np.cumsum(later) - later, later)
    return a, a + 1 + offset


def _self_product(s: Any, kernel: Kernel, chunk: int = 1 << 22) -> Array:
    """(row,): each row's bilinear form with itself, in chunks of rows so that memory stays small."""
    if not sparse.issparse(s):
        return kernel.product(s, s)
    if kernel.form is None:
        squared = s.copy()
        squared.data **= 2
        return np.asarray(squared.sum(1)).ravel()
    size = np.diff(s.indptr)
    few = int((size.astype(np.int64) ** 2).sum()) < s.shape[0] * s.shape[1]
    step = max(1, chunk // (max(int(size.max(initial=0)), 1) ** 2 if few else s.shape[1]))
    chunks = ((i, min(i + step, s.shape[0])) for i in range(0, s.shape[0], step))
    parts = [(_by_pairs if few else _by_rows)(s, kernel, start, stop) for start, stop in chunks]
    return np.concatenate(parts) if parts else np.zeros(0)


def _by_rows(s: sparse.csr_array, kernel: Kernel, start: int, stop: int) -> Array:
    block = s[start:stop].toarray()
    return kernel.product(block, block)


def _by_pairs(s: sparse.csr_array, kernel: Kernel, start: int, stop: int) -> Array:
    """(row,): the same over the pairs of entries of each row, for rows with few entries."""
    form = np.eye(s.shape[1]) if kernel.form is None else kernel.form
    a, b = within_rows(s.indptr[start : stop + 1])
    rows = np.repeat(np.arange(stop - start), np.diff(s.indptr[start : stop + 1]))
    at = slice(s.indptr[start], s.indptr[stop])
    own = np.bincount(rows, s.data[at] ** 2 * form[s.indices[at], s.indices[at]], stop - start)
    both = s.data[a] * s.data[b] * form[s.indices[a], s.indices[b]]
    return np.asarray(own + 2 * np.bincount(rows[a - s.indptr[start]], both, stop - start))
