"""The figures of single items: estimates that are created on access."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from raters.estimate import Estimate, name_of
from raters.items import Items

Array = NDArray[Any]


@dataclass(frozen=True)
class ItemRows(Sequence[Estimate]):
    """Estimates of items, created on access because there may be millions."""

    overall: Estimate
    names: Sequence[Any]
    value: Array
    observed: Array
    items: Items
    """The labels of each item, in the order of ``names``."""
    r: Array

    def __len__(self) -> int:
        return len(self.value)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: int) -> Estimate: ...
        @overload
        def __getitem__(self, key: slice) -> Sequence[Estimate]: ...

    def __getitem__(self, key: int | slice) -> Estimate | Sequence[Estimate]:
        if isinstance(key, slice):
            return [self[i] for i in range(len(self))[key]]
        why = self._why(key)
        return replace(self.overall, name=name_of(self.names[key]), value=float(self.value[key]), observed=float(self.observed[key]),
                       n_items=1, n_annotations=int(self.items.per_item[key]), n_raters=0, warnings=why)  # fmt: skip

    def _why(self, key: int) -> tuple[str, ...]:
        if self.r[key] >= 2:
            return () if np.isfinite(self.value[key]) else self.overall.warnings
        what = "has one label" if self.items.per_item[key] < 2 else "was labelled by only one rater (or group)"
        return (f"the item {what}, so nothing can be compared",)

    def __iter__(self) -> Iterator[Estimate]:
        return (self[i] for i in range(len(self)))
