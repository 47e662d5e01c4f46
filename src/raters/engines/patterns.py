"""Folded items instead of rows: the content of a fold file. It answers only for patterns; SQL is refused with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.annotations import Columns, Engine
from raters.errors import UsageError

Array = NDArray[Any]
REFUSED = "a fold holds only how many items show each pattern of labels, but this question needs single annotations or the names of items. Use the original table."


@dataclass(frozen=True, eq=False)
class PatternEngine:
    """Patterns of labels and how many items of each part (each file that was added up) show each."""

    keys: Array
    """(label,): the labels as an engine would hold them."""
    patterns: sparse.csr_array
    """(pattern, group * label): label counts."""
    items: Array
    """(part, pattern): how many items show it."""
    parts: tuple[str, ...]
    group: str | None
    """The column whose values are the groups."""
    groups: tuple[Any, ...]

    @property
    def name(self) -> str:
        return "fold"

    @property
    def room(self) -> int:
        return 0

    @property
    def counts(self) -> Array:
        """(label,): how often each occurs."""
        every = np.asarray(self.items.sum(0) @ self.patterns)
        return np.asarray(every.reshape(len(self.groups), -1).sum(0).astype(np.int64))

    def query(self, sql: str, **tables: Mapping[str, Array]) -> Columns:
        raise UsageError(REFUSED)

    def derive(self, sql: str, **tables: Mapping[str, Array]) -> Engine:
        raise UsageError(REFUSED)

    def quote(self, name: str) -> str:
        return name
