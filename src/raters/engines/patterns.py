"""Folded items instead of rows: the content of a fold file. It answers only for patterns; SQL is refused with the
reason.
"""

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
REFUSED = (
    "a fold holds only how many items show each pattern of labels, but this question needs single annotations or the"
    " names of items. Use the original table."
)


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

    def text(self, value: str) -> str:
        return value


EXACT = 52
"""Bits of a word."""


@dataclass(frozen=True)
class Packing:
    """How counts of (group, label) cells are packed into words: each takes ``bits``, and a group fits into one word or
    is the only group.
    """

    groups: int
    labels: int
    bits: int

    @property
    def possible(self) -> bool:
        return self.bits <= EXACT and (self.groups == 1 or self.labels * self.bits <= EXACT)

    @property
    def per_word(self) -> int:
        """Groups per word; labels per word if there is only one group."""
        return EXACT // (self.bits if self.groups == 1 else self.bits * self.labels)

    @property
    def words(self) -> int:
        return -(-(self.labels if self.groups == 1 else self.groups) // self.per_word)

    def label_weights(self) -> dict[str, Array]:
        """For each word, (label,): what a label adds to it; with groups, one factor for all words."""
        place = np.arange(self.labels)
        if self.groups > 1:
            return {"p": np.exp2(self.bits * place)}
        return {f"p{w}": self._in_word(place, w, self.bits) for w in range(self.words)}

    def group_weights(self) -> dict[str, Array]:
        """For each word, (group,): the factor for labels of the group."""
        place = np.arange(self.groups)
        return {f"q{w}": self._in_word(place, w, self.bits * self.labels) for w in range(self.words)}

    def _in_word(self, place: Array, word: int, bits: int) -> Array:
        here = place // self.per_word == word
        return np.where(here, np.exp2(bits * (place % self.per_word)), 0.0)

    def sums(self, label: str = "", group: str = "") -> list[str]:
        """SQL of the words, from the tables that hold the weights."""
        if self.groups > 1:
            return [f"sum({group}q{w} * {label}p) AS w{w}" for w in range(self.words)]
        return [f"sum({label}p{w}) AS w{w}" for w in range(self.words)]

    def counts(self, words: Array) -> Array:
        """(pattern, group * label): the counts encoded by words (pattern, word)."""
        whole = words.astype(np.int64)
        cells = self.per_word * (1 if self.groups == 1 else self.labels)
        shift = self.bits * np.arange(cells)
        digits = (whole[:, :, None] >> shift) & ((1 << self.bits) - 1)
        return np.asarray(digits.reshape(len(whole), -1)[:, : self.groups * self.labels])


@dataclass(frozen=True)
class Patterns:
    """Patterns of labels and how many items show each, in the order in which SQL sorts them."""

    counts: Array
    """(pattern, label)."""
    items: Array
    """(pattern,)."""


def in_order(*columns: Array) -> Array:
    """The order in which SQL sorts rows by these columns, each an array of numbers or a table of them."""
    keys = [c for column in columns for c in (column.T if column.ndim == 2 else [column])]
    return np.lexsort(keys[::-1])
