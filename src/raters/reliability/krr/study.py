"""A dataset under study: the basis of its k-rater reliability, read and fitted once for all k."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.agree.agreement_spec import Request
from raters.agree.estimating import folded, kernel_of, statistic
from raters.annotations import Annotations
from raters.coefficients.base import Parts
from raters.errors import DataError, UsageError
from raters.inference.statistic import Linear, Statistic, value_alone
from raters.items import Items, fold
from raters.items.folding import check_repeats
from raters.items.products import label_unit
from raters.reliability.krr.aggregates import Aggregate
from raters.reliability.krr.replications import Replications
from raters.reliability.krr.resampling import read_items
from raters.reliability.krr.vote_model.model import MOST_LABELS, VoteModel, fit_votes
from raters.reliability.variance.components import one_way, one_way_terms, spearman_brown, two_way, two_way_terms
from raters.reliability.variance.crossed import Matrix, read_matrix

Array = NDArray[Any]
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
        return (
            replace(self.ann, scale="interval") if self.agg.name == "mean" and self.ann.scale == "ordinal" else self.ann
        )

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
            raise UsageError("method='empirical' compares two replications: pass the second as against= (--against).")
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
        forms = {"ICC(C,1)": lambda s: value_alone(two_way(s).consistency()), "ICC(A,1)": lambda s: value_alone(two_way(s).agreement())}  # fmt: skip
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
        return value_alone(spearman_brown(self.of.parts(weights).value, self.k))

    def influence(self) -> Array:
        r = float(self.of.parts(self.weight[None]).value[0])
        return np.asarray(self.k / (1 + (self.k - 1) * r) ** 2 * self.of.influence())

    def left_out(self) -> Array:
        return np.asarray(spearman_brown(self.of.left_out(), self.k))


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


def unknowable(study: Study) -> str | None:
    """Why labels like these say nothing about the reliability of any number of them; None if they do."""
    if study.items.weight.sum() < 2:
        return "a single item does not show how far items differ"
    if study.most < 2:
        return "no item has two labels, so agreement within items is unknown"
    if len(np.unique(study.items.merged().counts.indices)) < 2:
        return "every label is the same: the aggregates do not vary, so their reliability is undefined"
    return None


def reachable(study: Study, k: int, least: int, method: str) -> tuple[str, ...]:
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
    return (f"from the {enough:,.0f} of {n:,.0f} items that have at least {least} labels; the others may differ",)


def any_k(study: Study) -> list[str]:
    """The methods that take any k, and that take these labels and this aggregate."""
    if study.agg.table is not None or study.agg.own is not None:
        return []
    found = ["'icc'", "'spearman_brown'"] if study.agg.name == "mean" else []
    return [*found, "'model'"] if len(study.ann.labels) <= MOST_LABELS or study.binned else found


def _further(study: Study) -> str:
    if study.agg.table is not None or study.agg.own is not None:
        few = len(study.ann.labels) <= MOST_LABELS
        return "; for a larger k, use method='model' with aggregate='majority'" if few else ""
    found = any_k(study)
    return f"; for a larger k, use method={' or '.join(found)}" if found else ""
