"""Datasets that label the same items, for the empirical k-rater reliability."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import DataError, UsageError, listed
from raters.items import Items
from raters.items.align import align, unified
from raters.items.folding import check_repeats
from raters.reliability.krr.resampling import Bags, Draw, Drawn, bags

Array = NDArray[Any]
DRAWS = ("columns", "items")
Take = Callable[[int, np.random.Generator], Array]
"""How many draws -> (draw * unit, rating) of label codes."""


@dataclass(frozen=True)
class Replications:
    """The shared items of two datasets or more, row by row."""

    ann: Annotations
    """The first dataset, with the labels of all datasets."""
    parts: tuple[Items, ...]
    by_column: bool
    """Whether to draw whole columns (raters) instead of ratings item by item."""
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, anns: Sequence[Annotations], draw: str | None) -> Replications:
        """Align the datasets; columns are drawn if all raters are crossed, or on request."""
        if draw not in (None, *DRAWS):
            raise UsageError(f"draw={draw!r} is not one of {', '.join(map(repr, DRAWS))}.")
        for ann in anns:
            check_repeats(ann, None, None)
        named = all(ann.n_raters for ann in anns)
        names, parts = align(list(anns), group="rater" if named else None)
        there = np.stack([part.per_item > 0 for part in parts])
        shared = np.flatnonzero(there.all(0))
        every = "both" if len(anns) == 2 else f"all {len(anns)}"
        if not len(shared):
            _refuse_apart(anns, names, there)
        parts = [part.where(shared) for part in parts]
        for (x, left), (y, right) in combinations(zip(anns, parts, strict=True), 2):
            _check_labels(x, y, left, right)
        crossed = named and all(_crossed(part) for part in parts)
        if draw == "columns" and not crossed:
            raise UsageError(f"draw='columns' needs every rater on every shared item, in {every}; use draw='items'.")
        some = len(shared) < len(names)
        said = (f"on the {len(shared):,} of {len(names):,} items that {every} labelled",) if some else ()
        return cls(unified(list(anns))[0], tuple(parts), crossed and draw != "items", said)

    @property
    def n_pairs(self) -> int:
        return len(self.parts) * (len(self.parts) - 1) // 2

    def pairs(self, k: int, further: Sequence[str]) -> tuple[Bags, Draw]:
        """Units for k ratings from each of two replications, and how to draw them; with more than two replications, each pair in turn."""
        enough = np.min([part.per_item for part in self.parts], 0)
        if enough.max() < k:
            more = f"; for a larger k, omit against= and use method={' or '.join(further)}" if further else ""
            raise DataError(
                f"k={k} needs {k} labels on an item from each replication, but the most is {int(enough.max())}: "
                f"empirical allows k up to {int(enough.max())}{more}."
            )
        kept = [part.where(np.flatnonzero(enough >= k)) for part in self.parts]
        take = [(_by_column if self.by_column else _by_item)(part, k) for part in kept]
        both = list(combinations(take, 2))

        def drawn(_: Bags) -> Drawn:
            def pair(draws: int, rng: np.random.Generator) -> tuple[Array, Array]:
                if len(both) == 1:
                    return take[0](draws, rng), take[1](draws, rng)
                times = np.bincount(rng.permutation(max(draws, len(both)))[:draws] % len(both), minlength=len(both))
                made = [(x(n, rng), y(n, rng)) for (x, y), n in zip(both, times.tolist(), strict=True) if n]
                return np.concatenate([x for x, _ in made]), np.concatenate([y for _, y in made])

            return pair

        return Bags(
            kept[0].weight, np.zeros((len(kept[0].weight), 1), np.int64), np.full(len(kept[0].weight), 2)
        ), drawn


def _by_item(part: Items, k: int) -> Take:
    """k ratings of each item, drawn separately for each item."""
    bag = bags(part, 1)
    return lambda draws, rng: bag.without(k, draws, rng).reshape(-1, k)


def _by_column(part: Items, k: int) -> Take:
    """The ratings of k raters, the same for every item."""
    matrix = _matrix(part)

    def take(draws: int, rng: np.random.Generator) -> Array:
        columns = np.argsort(rng.random((draws, matrix.shape[1])), 1)[:, :k]
        return np.asarray(np.moveaxis(matrix[:, columns], 0, 1).reshape(-1, k))

    return take


def _refuse_apart(anns: Sequence[Annotations], names: Sequence[Any], there: Array) -> NoReturn:
    """No item is in all datasets: name two datasets that share none, with an item of each."""
    for (i, x), (j, y) in combinations(enumerate(anns), 2):
        if not (there[i] & there[j]).any():
            a, b = (names[int(np.flatnonzero(part)[0])] for part in (there[i], there[j]))
            raise DataError(
                f"{x.source} and {y.source} have no item in common (first: {listed([a])} and {listed([b])}): "
                "a replication must label the same items."
            )
    raise DataError(f"no item is labelled in all {len(anns)} replications; compare two at a time.")


def _check_labels(x: Annotations, y: Annotations, left: Items, right: Items) -> None:
    """Check that both datasets spell labels in the same way: if they share none, no votes can agree."""
    if x.scale in ("interval", "ratio"):
        return
    mine, theirs = (np.unique(part.merged().counts.indices) for part in (left, right))
    if not len(np.intersect1d(mine, theirs)):
        a, b = ([left.labels[i] for i in some] for some in (mine, theirs))
        raise DataError(
            f"{x.source} and {y.source} have no label in common ({listed(a)}; {listed(b)}): spell labels the same way in both."
        )


def _crossed(items: Items) -> bool:
    """Whether every rater labelled every item once."""
    used = np.asarray(items.per_group.sum(0)).ravel() > 0
    return bool((items.per_group.nnz == used.sum() * len(items.weight)) and items.counts.nnz == items.per_group.nnz)


def _matrix(items: Items) -> Array:
    """(item, rater): label codes of crossed items."""
    counts = items.counts
    counts.sort_indices()
    return np.asarray(counts.indices % items.width).reshape(len(items.weight), -1)
