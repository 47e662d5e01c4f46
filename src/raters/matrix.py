"""A matrix of numbers in memory: counted in numpy. SQL, where it is asked for, runs on a database made then."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Columns, Engine

Array = NDArray[Any]
WHOLE = 1 << 16
"""Whole numbers within a span of this many are counted by their place; others are sorted."""


class MatrixEngine:
    """Labels as raters by items. ``sql`` makes the engine that answers queries, from ``values``, when one comes."""

    def __init__(self, across: Array, sql: Callable[[Array], Engine]) -> None:
        """``across``: (rater, item), nan where there is no label; it is copied."""
        x = np.empty(across.shape)
        np.add(across, 0.0, out=x)  # minus zero is zero
        self._make, self._x = sql, x
        self._codes: Array | None = None
        self.missing: Array = np.isnan(x)
        self.keys: Array = np.empty(0)
        self.counts: Array = np.empty(0, np.int64)
        low, high = float(np.fmin.reduce(x, axis=None)), float(np.fmax.reduce(x, axis=None))
        if not (high - low < WHOLE and self._by_place(low, int(high - low) + 1)) and not np.isnan(low):
            self.keys, self.counts = np.unique(x[~self.missing], return_counts=True)

    def _by_place(self, low: float, span: int) -> bool:
        """Count whole numbers without sorting them; False where there are others."""
        with np.errstate(invalid="ignore"):
            place = (self._x - low).astype(np.intp)
        if not ((place + low == self._x) | self.missing).all():
            return False
        place[self.missing] = span
        found = np.bincount(place.ravel(), minlength=span + 1)[:span]
        at = np.flatnonzero(found)
        self.keys, self.counts = at + low, found[at]
        dense = np.full(span + 1, len(at))
        dense[at] = np.arange(len(at))
        self._codes = dense[place] if len(at) < span else place
        return True

    @property
    def values(self) -> Array:
        """(rater, item): the labels, nan where there is none."""
        return self._x

    @cached_property
    def codes(self) -> Array:
        """(rater, item): the place of each label among ``keys``; their number where there is none."""
        if self._codes is not None:
            return self._codes
        return np.where(self.missing, len(self.keys), np.searchsorted(self.keys, self._x))

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
        return self._make(self._x)

    @property
    def name(self) -> str:
        return self._sql.name

    def query(self, sql: str, **tables: Mapping[str, Array]) -> Columns:
        return self._sql.query(sql, **tables)

    def derive(self, sql: str) -> Engine:
        return self._sql.derive(sql)

    def quote(self, name: str) -> str:
        return self._sql.quote(name)
