"""A matrix of numbers in memory: counted in numpy. SQL runs on a database that is created when needed."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Columns, Engine

Array = NDArray[Any]
WHOLE = 1 << 16
"""Whole numbers within a span of this size are counted by position; others are sorted."""
BLOCK = 1 << 17
"""Cells processed together: few enough to stay in the processor's cache."""


class MatrixEngine:
    """Labels as raters by items. ``sql`` creates the engine that answers queries from ``values``, when the first query
    comes.
    """

    keys: Array
    """(key,): the distinct labels in order."""
    counts: Array
    """(key,): how often each occurs."""
    missing: Array
    """(rater, item): whether the label is missing."""

    def __init__(self, across: Array, sql: Callable[[Array], Engine]) -> None:
        """``across``: (rater, item), nan if there is no label. The array is not kept."""
        self._make = sql
        low, high = float(np.fmin.reduce(across, axis=None)), float(np.fmax.reduce(across, axis=None))
        if not (high - low < WHOLE and self._by_place(across, low, int(high - low) + 1)):
            self.values = across + np.float64(0)  # minus zero is zero
            self.missing = np.isnan(self.values)
            self.keys, self.counts = np.unique(self.values[~self.missing], return_counts=True)

    def __getstate__(self) -> dict[str, Any]:
        """Without the database, which is created again when needed."""
        return {name: value for name, value in vars(self).items() if name != "_sql"}

    def _by_place(self, across: Array, low: float, span: int) -> bool:
        """Count whole numbers without sorting them; False if there are other numbers."""
        codes, missing = np.empty(across.shape, np.int32), np.empty(across.shape, bool)
        found = np.zeros(span + 1, np.int64)
        step = max(1, BLOCK // len(across))
        for start in range(0, across.shape[1], step):
            at = slice(start, start + step)
            x = across[:, at]
            gone = np.isnan(x)
            place = np.where(gone, span, x - low).astype(np.intp)
            if not ((place + low == x) | gone).all():
                return False
            codes[:, at], missing[:, at] = place, gone
            found += np.bincount(place.ravel(), minlength=span + 1)
        used = np.flatnonzero(found[:span])
        dense = np.full(span + 1, len(used), np.int32)
        dense[used] = np.arange(len(used))
        self.codes = dense[codes] if len(used) < span else codes
        self.keys, self.counts, self.missing = used + low, found[used], missing
        return True

    @cached_property
    def values(self) -> Array:
        """(rater, item): the labels, nan if there is none."""
        return np.asarray(np.append(self.keys, np.nan)[self.codes])

    @cached_property
    def codes(self) -> Array:
        """(rater, item): the index of each label in ``keys``; the number of keys if there is no label."""
        return np.where(self.missing, len(self.keys), np.searchsorted(self.keys, self.values))

    @cached_property
    def per_item(self) -> Array:
        """(item,): how many labels each has."""
        return np.asarray(len(self.missing) - self.missing.sum(0))

    @cached_property
    def raters(self) -> Array:
        """The raters, from 0, who gave a label."""
        return np.flatnonzero(~self.missing.all(1))

    @cached_property
    def _sql(self) -> Engine:
        return self._make(self.values)

    @property
    def name(self) -> str:
        return self._sql.name

    @property
    def room(self) -> int:
        return self._sql.room

    def query(self, sql: str, **tables: Mapping[str, Array]) -> Columns:
        return self._sql.query(sql, **tables)

    def derive(self, sql: str, **tables: Mapping[str, Array]) -> Engine:
        return self._sql.derive(sql, **tables)

    def quote(self, name: str) -> str:
        return self._sql.quote(name)

    def text(self, value: str) -> str:
        return self._sql.text(value)
