"""Items by raters, for statistics that compare whole columns: every rater rated every item once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import DataError, UsageError, listed
from raters.items.align import align
from raters.items.folding import check_repeats

Array = NDArray[Any]


@dataclass(frozen=True)
class Matrix:
    """Label codes of the items that all these raters labelled."""

    codes: Array
    """(item, rater)."""
    raters: tuple[Any, ...]
    labels: tuple[Any, ...]
    left_out: int
    """Items that some of these raters did not label."""

    @property
    def warnings(self) -> tuple[str, ...]:
        n = len(self.codes)
        if not self.left_out:
            return ()
        return (f"from the {n:,} of {n + self.left_out:,} items that all {len(self.raters):,} raters rated",)


def read_matrix(ann: Annotations, what: str, raters: Sequence[Any] | None = None, exactly: int | None = None) -> Matrix:
    """The complete part of a table, for all raters or the named ones."""
    if ann.repeats and ann.duplicates == "keep":
        raise DataError(f"{what} needs one label per rater and item; read the data with duplicates='first' or 'last'.")
    check_repeats(ann, None, None)
    _, (items,) = align([ann], group="rater")
    chosen = tuple(items.groups) if raters is None else tuple(raters)
    unknown = [r for r in chosen if r not in items.groups]
    if unknown:
        raise UsageError(f"no rater {listed(unknown)}; there are: {listed(items.groups)}.")
    if len(set(chosen)) < 2 or (exactly is not None and len(set(chosen)) != exactly):
        need = f"{exactly} raters" if exactly else "two or more raters"
        raise UsageError(
            f"{what} compares {need}, but there are {len(set(chosen))}: {listed(chosen)}. Name them with who=[...]."
        )
    if raters is not None:
        column = {name: j for j, name in enumerate(chosen)}
        items = items.regrouped(np.array([column.get(g, -1) for g in items.groups]), chosen)
    counts = items.counts
    counts.sort_indices()
    full = np.diff(counts.indptr) == len(chosen)
    codes = (counts[np.flatnonzero(full)].indices % items.width).reshape(-1, len(chosen))
    return Matrix(codes, chosen, items.labels, int((~full).sum()))
