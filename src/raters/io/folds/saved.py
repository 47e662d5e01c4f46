"""The content of a fold, and the table that it represents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.annotations import Annotations
from raters.engines.patterns import PatternEngine
from raters.io.folds.item_sample import ItemSample

Array = NDArray[Any]
PART = "fold"
"""The column that distinguishes the folds of a table."""


@dataclass(frozen=True, eq=False)
class SavedFold:
    """Patterns of labels and the number of items that show each, with the meaning of the labels."""

    kind: str
    """``text``, ``number``, ``bool`` or ``sets``."""
    scale: str
    scale_reason: str
    labels: tuple[Any, ...]
    keys: Array
    """(label,): the labels as an engine holds them: numbers, or text."""
    declared: bool
    period: float | None
    members: tuple[Any, ...]
    group: str | None
    groups: tuple[Any, ...]
    patterns: sparse.csr_array
    """(pattern, group * label): label counts; no pattern occurs twice."""
    items: Array
    """(pattern,): how many items show it."""
    sample: ItemSample | None = None
    dropped: Mapping[str, int] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def n_items(self) -> int:
        return int(self.items.sum())

    @property
    def n_annotations(self) -> int:
        return int(self.items @ np.asarray(self.patterns.sum(1)).ravel())

    @property
    def source(self) -> str:
        """Its name in messages."""
        first = self.sources[0] if self.sources else "fold"
        return first if len(self.sources) < 2 else f"{first} and {len(self.sources) - 1} more"

    def table(self, items: Array | None = None, parts: Sequence[str] = ()) -> Annotations:
        """The annotations that the fold represents. ``items``: (part, pattern), if several folds are kept apart."""
        by_part = self.items[None] if items is None else items
        named = tuple(parts) or (self.source,)
        engine = PatternEngine(self.keys, self.patterns, by_part, named, self.group, self.groups)
        size = np.asarray(self.patterns.sum(1)).ravel()[self.items > 0]
        n, own = self.n_items, ("item", "rater", None)
        extras = [*([] if self.group in own else [str(self.group)]), *([PART] if len(named) > 1 else [])]
        return Annotations(
            engine=engine, scale=self.scale, labels=self.labels, keys=self.keys, numeric=self.kind in ("number", "bool"),
            scale_reason=self.scale_reason, declared=self.declared, period=self.period, n_items=n,
            n_raters=len(self.groups) if self.group == "rater" else 0, n_annotations=self.n_annotations,
            dropped=dict(self.dropped), repeats=0, first_repeat=None, duplicates="error",
            per_item=(int(size.min()) if len(size) else 0, self.n_annotations / max(n, 1), int(size.max(initial=0))),
            columns={}, extras=tuple(extras), source=self.source, notes=self.notes, layout="fold", members=self.members,
        )  # fmt: skip


F = TypeVar("F", bound=SavedFold)


def codes(table: sparse.csr_array) -> list[tuple[int, ...]]:
    """The columns of each row in order, each as often as it is counted."""
    times = table.data.astype(np.int64)
    rows = zip(table.indptr[:-1], table.indptr[1:], strict=True)
    return [tuple(np.repeat(table.indices[a:b], times[a:b]).tolist()) for a, b in rows]


def in_order(fold: F) -> F:
    """The same patterns in one order, whatever the fold was made from."""
    fold.patterns.sort_indices()
    found = codes(fold.patterns)
    order = sorted(range(len(found)), key=found.__getitem__)
    return replace(fold, patterns=fold.patterns[order], items=fold.items[order])
