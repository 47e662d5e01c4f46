"""Tables of terms that are never built in full: only products and a few rows at a time are needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.annotations import Annotations
from raters.items.bag import Items, features
from raters.scales import Kernel

Array = NDArray[Any]
CHUNK = 4_000_000
FEW, MANY = 0.5, 10_000
"""If less than this share of so many columns occurs, only those that do are summed."""


def by_group(items: Items, kernel: Kernel) -> Any:
    """(pattern, group * feature): the features of a group's labels, summed."""
    if items.moments is not None or kernel.features is None or len(items.groups) == 1:
        table = features(items, kernel)
        often = sparse.issparse(table) and table.shape[1] > MANY and table.nnz < FEW * table.shape[1]
        return Occupied.of(table, items.width) if often else table
    return Featured(items, kernel)


@dataclass(frozen=True)
class Place:
    """Which columns of a (group * feature) table occur."""

    at: Array
    groups: int
    width: int

    @cached_property
    def group(self) -> Array:
        return np.asarray(self.at // self.width)

    @cached_property
    def by_feature(self) -> sparse.csr_array:
        """(column, feature)"""
        rows = np.arange(len(self.at) + 1)
        return sparse.csr_array((np.ones(len(self.at)), self.at % self.width, rows), (len(self.at), self.width))

    def whole(self, x: Array) -> Array:
        """(..., column) with all columns."""
        made = np.zeros((*x.shape[:-1], self.groups * self.width), x.dtype)
        made[..., self.at] = x
        return made


@dataclass(frozen=True, eq=False)
class Occupied:
    """(pattern, column): those columns of a sparse table of groups and features that occur, as where thousands of
    raters use a few of hundreds of labels each."""

    table: sparse.csr_array
    place: Place
    ndim = 2
    __array_ufunc__ = None

    @classmethod
    def of(cls, table: sparse.csr_array, width: int) -> Occupied:
        found, which = np.unique(table.indices, return_inverse=True)
        cells = sparse.csr_array((table.data, which.ravel(), table.indptr), (table.shape[0], len(found)))
        return cls(cells, Place(found, table.shape[1] // width, width))

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.table.shape[0]), int(self.table.shape[1])

    def __rmatmul__(self, weights: Any) -> Array:
        return dense(weights @ self.table)

    def __matmul__(self, slope: Array) -> Array:
        return np.asarray(self.table @ slope)

    def __getitem__(self, rows: slice) -> Any:
        return self.table[rows]

    def toarray(self) -> Array:
        return np.asarray(self.table.toarray())


@dataclass(frozen=True, eq=False)
class Featured:
    """(pattern, group * feature): the features of a group's labels, summed; products go through the labels.

    With many features, as on the ratio scale, the table has far more cells than there are annotations.
    """

    items: Items
    kernel: Kernel
    __array_ufunc__ = None  # so that ``weights @ self`` comes here
    ndim = 2

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.items.weight), len(self.items.groups) * self._features.shape[1]

    @property
    def _features(self) -> Array:
        """(label, feature)."""
        if self.kernel.features is None:
            raise TypeError("labels that are their own features are counted, not summed")
        return self.kernel.features

    @cached_property
    def _cells(self) -> tuple[sparse.csr_array, Array, Array]:
        """(pattern, cell): counts of the (group, label) cells that occur; the group and the label of each."""
        c = self.items.counts
        found, which = np.unique(c.indices, return_inverse=True)
        cells = sparse.csr_array((c.data, which.ravel(), c.indptr), (c.shape[0], len(found)))
        return cells, found // self.items.width, found % self.items.width

    def __rmatmul__(self, weights: Any) -> Array:
        """(..., pattern) @ self."""
        if sparse.issparse(weights):  # few patterns in each row: rows of the same kind
            counts = sparse.csr_array(weights @ self.items.counts)
            return dense(features(replace(self.items, weight=np.ones(counts.shape[0]), counts=counts), self.kernel))
        cells, group, label = self._cells
        n_groups = len(self.items.groups)
        rows = np.atleast_2d(weights)
        start = np.searchsorted(group, np.arange(n_groups))
        step = max(1, CHUNK // max(len(label), 1))
        parts = []
        for i in range(0, len(rows), step):
            by_cell = np.asarray(rows[i : i + step] @ cells)  # (replicate, cell)
            ends = np.append((np.arange(len(by_cell))[:, None] * len(label) + start).ravel(), by_cell.size)
            shape = (len(by_cell) * n_groups, self.items.width)
            table = sparse.csr_array((by_cell.ravel(), np.tile(label, len(by_cell)), ends), shape)
            parts.append((table @ self._features).reshape(len(by_cell), -1))
        return np.concatenate(parts).reshape(*weights.shape[:-1], self.shape[1])

    def __matmul__(self, slope: Array) -> Array:
        """self @ (group * feature,)."""
        cells, group, label = self._cells
        by_group = slope.reshape(len(self.items.groups), -1)
        value = np.empty(len(label))
        for at in _steps(len(label), by_group.shape[1]):
            value[at] = (self._features[label[at]] * by_group[group[at]]).sum(-1)
        return np.asarray(cells @ value)

    def __getitem__(self, rows: slice) -> Any:
        return features(self.items.where(np.arange(len(self.items.weight))[rows]), self.kernel)

    def toarray(self) -> Array:
        return np.asarray(features(self.items, self.kernel).toarray())


@dataclass(frozen=True, eq=False)
class Blocks:
    """(pattern, sum): blocks side by side, kept separate if one combined array would be large."""

    blocks: tuple[Any, ...]
    __array_ufunc__ = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.blocks[0].shape[0], sum(b.shape[1] for b in self.blocks)

    def __rmatmul__(self, weights: Any) -> Array:
        return np.concatenate([dense(weights @ b) for b in self.blocks], -1)

    def __matmul__(self, slope: Array) -> Array:
        ends = np.cumsum([b.shape[1] for b in self.blocks])[:-1]
        parts = zip(self.blocks, np.split(slope, ends), strict=True)
        return np.asarray(sum(np.asarray(b @ part) for b, part in parts))

    def __getitem__(self, rows: slice) -> Array:
        return np.concatenate([dense(b[rows]) for b in self.blocks], 1)

    def toarray(self) -> Array:
        return self[:]


def dense(table: Any) -> Array:
    """A table as an array, whatever its type."""
    return np.asarray(table.toarray() if hasattr(table, "toarray") else table)


def _steps(n: int, width: int) -> Iterator[slice]:
    step = max(1, CHUNK // max(width, 1))
    return (slice(i, i + step) for i in range(0, n, step))


ORDINARY = 100
"""Labels between 2^-100 and 2^100 are left unchanged."""


def label_unit(ann: Annotations) -> float:
    """1, or the power of two nearest to the largest label if squares of labels might overflow or vanish.

    Dividing by it is exact, and no coefficient changes with the unit.
    """
    if not ann.numeric or not len(ann.keys):
        return 1.0
    exponent = int(np.frexp(np.abs(ann.keys.astype(float)).max())[1])
    return 1.0 if abs(exponent) <= ORDINARY else float(np.ldexp(1.0, exponent))


def in_units(ann: Annotations, label: str) -> str:
    """SQL for a label in this unit."""
    unit = label_unit(ann)
    return label if unit == 1 else f"({label} / CAST('{unit!r}' AS DOUBLE))"
