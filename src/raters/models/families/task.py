"""The data that a model is fitted to, and the options of the fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.families.probabilities import Params, log
from raters.models.votes import Votes

Array = NDArray[Any]


@dataclass(frozen=True)
class Settings:
    """The options of a fit that another fit needs."""

    smoothing: float = 0.01
    uniform: bool = False
    ties: str = "split"
    seed: int = 0
    priors: Mapping[Any, Array] = field(default_factory=dict)
    """Rater -> (true label, given label): counts from elsewhere; ``PREVALENCE`` -> (label,): items of each label."""
    held_out: bool = False
    """Whether a model that the user named was adjusted to held-out labels."""
    alike: float = 1.0
    """For numbers: the labels by which the variance of a rater is pulled to the common one."""
    weighted: bool = False
    """Whether the user gave the weight of a label, so that held-out labels have no say in it."""


PREVALENCE = "prevalence"
"""The key of counts of labels among the priors; a matrix under this key belongs to a rater of this name."""


@dataclass(frozen=True)
class Beside:
    """Several fits side by side, whose items and raters are separate rows of one table: one step for all takes hardly longer than for one."""

    of_item: Array
    """(item,): its fit."""
    of_rater: Array
    """(rater,): its fit."""
    n: int
    """How many fits there are."""


@dataclass(frozen=True)
class Task:
    """The votes, and what else a model needs to know."""

    votes: Votes
    gold: Array | None = None
    """(item,): codes of gold labels, -1 for none; if the truth is a number, values, with nan for none."""
    smoothing: float = 0.01
    """Added to every count in the M step."""
    prior: Array | None = None
    """(rater, true label, given label): counts from elsewhere."""
    uniform: bool = False
    """Whether prevalence is fixed to be equal over labels."""
    ties: str = "split"
    """How a vote breaks ties."""
    seed: int = 0
    prior_items: Array | None = None
    """(label,): items of each label from elsewhere."""
    alike: float = 1.0
    """For numbers: the labels by which the variance of a rater is pulled to the common one."""
    beside: Beside | None = None
    """If the votes are those of several fits; sums over items or raters are then (fit,), and what a whole fit has in common has a row for each."""

    @classmethod
    def of(cls, votes: Votes, gold: Array | None, settings: Settings) -> Task:
        s = settings
        return cls(votes, gold, s.smoothing, prior_counts(votes, s), s.uniform, s.ties, s.seed, prior_items(s), s.alike)

    def prevalence(self, q: Array) -> Array:
        """(label,): shares of the labels among items that have one from raters or from gold."""
        v, k = self.votes, self.votes.n_labels
        if self.uniform:
            return np.full(k if self.beside is None else (self.beside.n, k), 1 / k)
        seen = q
        if not v.all_labelled:
            known = v.per_item > 0 if self.gold is None else (v.per_item > 0) | (self.gold >= 0)
            seen = q * known[:, None]
        total = self.over_items(v.weighted_items(seen)) + self.prevalence_counts
        return np.asarray(total / total.sum(-1, keepdims=True))

    def prevalence_penalty(self, params: Params) -> Any:
        """The log density of the prior of the prevalence, up to a constant."""
        before = self.prevalence_counts
        if self.uniform or not before.any():
            return 0.0
        return (before * log(params["prevalence"])).sum(-1)

    def over_items(self, x: Array) -> Any:
        """Sums over the items of a fit; with a row for each fit if there are several."""
        return x.sum(0) if self.beside is None else _by_fit(x, self.beside.of_item, self.beside.n)

    def over_raters(self, x: Array) -> Any:
        """The same over raters."""
        return x.sum(0) if self.beside is None else _by_fit(x, self.beside.of_rater, self.beside.n)

    def at_items(self, x: Any) -> Any:
        """What a fit has in common, for each of its items if there are several fits."""
        return x if self.beside is None else x[self.beside.of_item]

    def at_raters(self, x: Any) -> Any:
        """The same for raters."""
        return x if self.beside is None else x[self.beside.of_rater]

    @property
    def prevalence_counts(self) -> Array:
        """(label,): what is added to the item count of each label: smoothing, and items from elsewhere."""
        before = np.full(self.votes.n_labels, float(self.smoothing))
        return before if self.prior_items is None else before + self.prior_items


def _by_fit(x: Array, fit: Array, n: int) -> Array:
    if x.ndim == 1:
        return np.bincount(fit, x, n)
    return np.stack([np.bincount(fit, column, n) for column in x.T], -1)


def prior_counts(votes: Votes, settings: Settings) -> Array | None:
    """(rater, true label, given label): counts from elsewhere for the raters of these votes."""
    if not settings.priors:
        return None
    k = votes.n_labels
    counts = np.zeros((votes.n_raters, k, k))
    for at, rater in enumerate(votes.raters):
        if rater in settings.priors and settings.priors[rater].ndim == 2:
            counts[at] = settings.priors[rater]
    return counts if counts.any() else None


def prior_items(settings: Settings) -> Array | None:
    """(label,): items of each label from elsewhere."""
    found = settings.priors.get(PREVALENCE)
    return found if found is not None and found.ndim == 1 else None
