"""Two datasets that label the same items, for the empirical k-rater reliability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import DataError, UsageError, listed
from raters.items import Items
from raters.items.align import align, unified
from raters.items.repeats import check_repeats
from raters.reliability.krr.resampling import Bags, Draw, Drawn, bags

Array = NDArray[Any]
DRAWS = ("columns", "items")


@dataclass(frozen=True)
class Replications:
    """The shared items of two datasets, row by row."""

    ann: Annotations
    """The first, on the labels of both."""
    left: Items
    right: Items
    by_column: bool
    """Draw whole columns (raters) and not ratings item by item."""
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, x: Annotations, y: Annotations, draw: str | None) -> Replications:
        """Align two datasets; columns are drawn where both are crossed, or where asked for."""
        if draw not in (None, *DRAWS):
            raise UsageError(f"draw={draw!r} is not one of {', '.join(map(repr, DRAWS))}.")
        for ann in (x, y):
            check_repeats(ann, None, None)
        named = bool(x.n_raters and y.n_raters)
        names, (left, right) = align([x, y], group="rater" if named else None)
        shared = np.flatnonzero((left.per_item > 0) & (right.per_item > 0))
        if not len(shared):
            a, b = (names[int(np.flatnonzero(part.per_item)[0])] for part in (left, right))
            raise DataError(
                f"{x.source} and {y.source} have no item in common (first: {listed([a])} and {listed([b])}): "
                "a replication labels the same items."
            )
        left, right = left.where(shared), right.where(shared)
        _check_labels(x, y, left, right)
        crossed = named and all(_crossed(part) for part in (left, right))
        if draw == "columns" and not crossed:
            raise UsageError("draw='columns' needs every rater on every shared item, in both; use draw='items'.")
        said = (f"on the {len(shared):,} of {len(names):,} items that both label",) if len(shared) < len(names) else ()
        by_column = crossed and draw != "items"
        return cls(unified([x, y])[0], left, right, by_column, said)

    def pairs(self, k: int) -> tuple[Bags, Draw]:
        """Units for k ratings from each side, and how to draw them."""
        enough = np.minimum(self.left.per_item, self.right.per_item)
        if enough.max() < k:
            raise DataError(
                f"k={k} needs {k} labels on an item from each replication, and the most is {int(enough.max())}: "
                f"empirical goes up to k={int(enough.max())}; 'icc', 'spearman_brown' and 'model' go further."
            )
        at = np.flatnonzero(enough >= k)
        left, right = self.left.where(at), self.right.where(at)
        if self.by_column:
            return self._columns(left, right, k)
        x, y = bags(left, 1), bags(right, 1)

        def drawn(_: Bags) -> Drawn:
            def pair(draws: int, rng: np.random.Generator) -> tuple[Array, Array]:
                return x.without(k, draws, rng).reshape(-1, k), y.without(k, draws, rng).reshape(-1, k)

            return pair

        return Bags(left.weight, x.codes, np.full(len(at), 2)), drawn

    def _columns(self, left: Items, right: Items, k: int) -> tuple[Bags, Draw]:
        x, y = (_matrix(part) for part in (left, right))

        def some(matrix: Array, draws: int, rng: np.random.Generator) -> Array:
            columns = np.argsort(rng.random((draws, matrix.shape[1])), 1)[:, :k]
            return np.moveaxis(matrix[:, columns], 0, 1).reshape(-1, k)

        def drawn(_: Bags) -> Drawn:
            return lambda draws, rng: (some(x, draws, rng), some(y, draws, rng))

        return Bags(left.weight, x, np.full(len(x), 2)), drawn


def _check_labels(x: Annotations, y: Annotations, left: Items, right: Items) -> None:
    """Labels that are names must be written alike: where none is used by both, no vote can ever agree."""
    if x.scale in ("interval", "ratio"):
        return
    mine, theirs = (np.unique(part.merged().counts.indices) for part in (left, right))
    if not len(np.intersect1d(mine, theirs)):
        a, b = ([left.labels[i] for i in some] for some in (mine, theirs))
        raise DataError(
            f"{x.source} and {y.source} have no label in common ({listed(a)}; {listed(b)}): write labels the same way in both."
        )


def _crossed(items: Items) -> bool:
    """Every rater that is here labelled every item once."""
    used = np.asarray(items.per_group.sum(0)).ravel() > 0
    return bool((items.per_group.nnz == used.sum() * len(items.weight)) and items.counts.nnz == items.per_group.nnz)


def _matrix(items: Items) -> Array:
    """(item, rater): label codes of crossed items."""
    counts = items.counts
    counts.sort_indices()
    return np.asarray(counts.indices % items.width).reshape(len(items.weight), -1)
