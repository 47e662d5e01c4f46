"""A dataset under study: the basis of its k-rater reliability, read and fitted once for all k."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from raters.agree.agreement_spec import Request
from raters.agree.estimating import folded, kernel_of, statistic
from raters.annotations import Annotations
from raters.coefficients.base import Parts
from raters.errors import DataError, UsageError, listed
from raters.inference.statistic import Linear, Statistic, value_alone
from raters.items import Items, fold
from raters.items.align import align, unified
from raters.items.folding import check_repeats
from raters.items.products import label_unit
from raters.notes.note import Note
from raters.reliability.krr.aggregates import Aggregate
from raters.reliability.krr.resampling import Bags, Draw, Drawn, bags, read_items
from raters.reliability.krr.vote_model.model import MOST_LABELS, VoteModel, fit_votes
from raters.reliability.variance.components import (
    Matrix,
    of_means,
    one_way,
    one_way_terms,
    read_matrix,
    two_way,
    two_way_terms,
)
from raters.scales.scale import Scale

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
    notes: tuple[Note, ...]

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
        if not len(shared):
            _refuse_apart(anns, names, there)
        parts = [part.where(shared) for part in parts]
        for (x, left), (y, right) in combinations(zip(anns, parts, strict=True), 2):
            _check_labels(x, y, left, right)
        crossed = named and all(_crossed(part) for part in parts)
        if draw == "columns" and not crossed:
            raise UsageError("draw='columns' needs every rater on every shared item, in every table; use draw='items'.")
        some = len(shared) < len(names)
        counts = {"n": len(shared), "of": len(names)}
        told = (
            Note("items_of_both", counts) if len(anns) == 2 else Note("items_of_all", {**counts, "tables": len(anns)})
        )
        said = (told,) if some else ()
        return cls(unified(list(anns))[0], tuple(parts), crossed and draw != "items", said)

    @property
    def n_pairs(self) -> int:
        return len(self.parts) * (len(self.parts) - 1) // 2

    def pairs(self, k: int, further: Sequence[str]) -> tuple[Bags, Draw]:
        """Units for k ratings from each of two replications, and how to draw them; with more than two replications,
        each pair in turn.
        """
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

        return (
            Bags(kept[0].weight, np.zeros((len(kept[0].weight), 1), np.int64), np.full(len(kept[0].weight), 2)),
            drawn,
        )


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
    if x.scale.amounts:
        return
    mine, theirs = (np.unique(part.merged().counts.indices) for part in (left, right))
    if not len(np.intersect1d(mine, theirs)):
        a, b = ([left.labels[i] for i in some] for some in (mine, theirs))
        raise DataError(
            f"{x.source} and {y.source} have no label in common ({listed(a)}; {listed(b)}): spell labels the same way"
            " in both."
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


BINS = 30
"""Bins of numbers for the vote model, if there are too many different ones."""


@dataclass(frozen=True)
class Study:
    """Annotations, and how they are to be aggregated and compared."""

    ann: Annotations
    req: Request
    agg: Aggregate
    form: str
    coefficient_given: bool
    against: tuple[Annotations, ...] | None
    draw: str | None
    draws: int | None
    seed: int
    ratings: int | None = None
    """Random ratings of each item that the table was reduced to, if it was."""

    @cached_property
    def items(self) -> Items:
        """Every item's labels, with equal patterns merged."""
        return read_items(self.ann)

    @cached_property
    def n(self) -> int:
        """Labels per item: the median over items."""
        per, weight = self.items.per_item, self.items.weight
        order = np.argsort(per)
        return int(per[order][np.searchsorted(np.cumsum(weight[order]), weight.sum() / 2)])

    @property
    def most(self) -> int:
        """The most labels that an item has."""
        return int(self.items.per_item.max(initial=0))

    @cached_property
    def compared(self) -> Annotations:
        """The scale on which aggregates are compared: means of ordinal numbers lie between the labels."""
        return replace(self.ann, scale=Scale.interval) if self.agg.averages and self.ann.scale.ranks else self.ann

    @cached_property
    def votes(self) -> VoteModel:
        ann, items = (self.compared, self.items) if not self.binned else _binned(self.compared, self.items)
        return fit_votes(self.req, ann, self.agg, items, self.n, self.seed)

    @property
    def binned(self) -> bool:
        """Whether the vote model groups numbers into bins: for medians of more different numbers than it can handle."""
        many = len(self.ann.labels) > MOST_LABELS
        return many and self.agg.name == "median" and self.agg.numbers is not None and self.agg.own is None

    @cached_property
    def replications(self) -> Replications:
        if self.against is None:
            raise UsageError("method='empirical' compares two replications: pass the second as against=.")
        return Replications.of((self.ann, *self.against), self.draw)

    @cached_property
    def single(self) -> Statistic:
        """The intraclass correlation of single ratings, as a function of item weights."""
        check_repeats(self.ann, None, None)
        if self.form == "ICC(1)":
            items = fold(self.ann, moments=True)[None]
            n, total, squares = items.counts.toarray().T
            return Linear(items.weight, one_way_terms(n, total, squares), lambda s: value_alone(one_way(s).single()))
        values = (self.ann.keys.astype(float) / label_unit(self.ann))[self.matrix.codes]
        forms = {
            "ICC(C,1)": lambda s: value_alone(two_way(s).consistency()),
            "ICC(A,1)": lambda s: value_alone(two_way(s).agreement()),
        }
        if self.form not in forms:
            raise UsageError(f"form={self.form!r} is not one of 'ICC(1)', {', '.join(map(repr, forms))}.")
        return Linear(np.ones(len(values)), two_way_terms(values - values.mean()), forms[self.form])

    @cached_property
    def matrix(self) -> Matrix:
        """The items that every rater rated, for the two-way forms."""
        return read_matrix(self.ann, self.form)

    @cached_property
    def agreement(self) -> Statistic:
        """The coefficient of single labels, as a function of item weights."""
        bag = folded(self.req, self.ann)[None]
        return statistic(self.req, bag, kernel_of(self.req, self.ann), len(self.ann.labels))


@dataclass(frozen=True)
class Prophecy:
    """A statistic transformed by Spearman-Brown: the reliability of means of k, given that of single ratings."""

    of: Statistic
    k: float

    @property
    def weight(self) -> Array:
        return self.of.weight

    def parts(self, weights: Array) -> Parts:
        return value_alone(of_means(self.of.parts(weights).value, self.k))

    def influence(self) -> Array:
        r = float(self.of.parts(self.weight[None]).value[0])
        return np.asarray((self.k / (1 + (self.k - 1) * r) ** 2 if r > 0 else 1.0) * self.of.influence())

    def left_out(self) -> Array:
        return np.asarray(of_means(self.of.left_out(), self.k))


def _binned(ann: Annotations, items: Items) -> tuple[Annotations, Items]:
    """Numbers in bins with about equally many labels each; each bin is represented by its mean."""
    merged = items.merged()
    count = np.asarray(merged.weight @ merged.counts).ravel()
    values = ann.keys.astype(float)
    order = np.argsort(values, kind="stable")
    place = np.empty(len(values), np.int64)
    middle = np.cumsum(count[order]) - count[order] / 2
    place[order] = np.minimum((middle / count.sum() * BINS).astype(np.int64), BINS - 1)
    used, place = np.unique(place, return_inverse=True)
    total = np.bincount(place, count, len(used))
    means = np.bincount(place, count * values, len(used)) / total
    binned = replace(ann, labels=tuple(means.tolist()), keys=means)
    return binned, items.relabelled(place, binned.labels)


def unknowable(study: Study) -> Note | None:
    """Why labels like these say nothing about the reliability of any number of them; None if they do."""
    if study.items.weight.sum() < 2:
        return Note("only_one_item")
    if study.most < 2:
        return Note("no_agreement_within")
    if len(np.unique(study.items.merged().counts.indices)) < 2:
        return Note("labels_all_equal")
    return None


def reachable(study: Study, k: int, least: int, method: str) -> tuple[Note, ...]:
    """The note about items with fewer labels than a draw needs; an error if none has enough."""
    weight, per = study.items.weight, study.items.per_item
    enough, n = float(weight[per >= least].sum()), float(weight.sum())
    if enough == n:
        return ()
    if enough < 2:
        most = study.most * k // least
        up_to = f"{method} allows k up to {most}{_further(study)}" if most else "no item has two labels"
        raise DataError(
            f"k={k} by {method} needs {least} labels on an item, but the most here is {study.most}: {up_to}."
        )
    return (Note("items_of_enough", {"n": round(enough), "of": round(n), "least": least}),)


def any_k(study: Study) -> list[str]:
    """The methods that take any k, and that take these labels and this aggregate."""
    if study.agg.table is not None or study.agg.own is not None:
        return []
    found = ["'icc'", "'spearman_brown'"] if study.agg.averages else []
    return [*found, "'model'"] if len(study.ann.labels) <= MOST_LABELS or study.binned else found


def _further(study: Study) -> str:
    if study.agg.table is not None or study.agg.own is not None:
        few = len(study.ann.labels) <= MOST_LABELS
        return "; for a larger k, use method='model' with aggregate='majority'" if few else ""
    found = any_k(study)
    return f"; for a larger k, use method={' or '.join(found)}" if found else ""
