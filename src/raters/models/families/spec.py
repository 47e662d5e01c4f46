"""A model of labels: pure functions of the labels at hand and of the parameters, and the two bound together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.fitting.em import Params, log
from raters.models.votes import Votes

Array = NDArray[Any]


@dataclass(frozen=True)
class Task:
    """What a model is fitted to, and what was asked of it."""

    votes: Votes
    gold: Array | None = None
    """(item,): codes of gold labels, -1 for none."""
    smoothing: float = 0.01
    """Added to every count in the M step."""
    prior: Array | None = None
    """(rater, true label, given label): counts from elsewhere."""
    uniform: bool = False
    """Whether prevalence is held equal over labels."""

    def prevalence(self, q: Array) -> Array:
        """(label,): shares of the labels among items that have one, of raters or of gold."""
        v, k = self.votes, self.votes.n_labels
        if self.uniform:
            return np.full(k, 1 / k)
        seen = q
        if not v.all_labelled:
            known = v.per_item > 0 if self.gold is None else (v.per_item > 0) | (self.gold >= 0)
            seen = q * known[:, None]
        total = v.weighted_items(seen).sum(0) + self.smoothing
        return np.asarray(total / total.sum())

    def prevalence_penalty(self, params: Params) -> float:
        """The log density of the prior of the prevalence, up to a constant."""
        if self.uniform or not self.smoothing:
            return 0.0
        return self.smoothing * float(log(params["prevalence"]).sum())


@dataclass(frozen=True)
class Family:
    """One kind of model, as pure functions. ``Params`` are the model's own, by name."""

    expect: Callable[[Task, Params], tuple[Array, float]]
    """E step: (item, label) posteriors and the log-likelihood of the labels."""
    maximise: Callable[[Task, Array, Params | None], Params]
    """M step: parameters that raise the expected log-likelihood and the penalty together."""
    penalty: Callable[[Task, Params], float]
    """The log density of the prior, up to a constant."""
    cells: Callable[[Params, Votes], Array]
    """(cell, true label): what each label that was given adds to the log posterior of its item."""
    confusion: Callable[[Task, Params], Array]
    """(rater, true label, given label)"""
    uniform: bool = False
    """Whether prevalence is held equal over labels unless it is to be learned."""
    dense: bool = False
    """Whether the parameters are a full matrix for every rater."""
    takes_priors: bool = False
    """Whether counts from elsewhere can be used."""


@dataclass(frozen=True)
class Labelled:
    """A family and its task: what the loop runs."""

    family: Family
    task: Task

    def expect(self, params: Params) -> tuple[Array, float]:
        return self.family.expect(self.task, params)

    def maximise(self, expected: Array, params: Params | None = None) -> Params:
        return self.family.maximise(self.task, expected, params)

    def penalty(self, params: Params) -> float:
        return self.family.penalty(self.task, params)

    def cells(self, params: Params, votes: Votes) -> Array:
        return self.family.cells(params, votes)

    def confusion(self, params: Params) -> Array:
        return self.family.confusion(self.task, params)


def of_items(params: Params, at: Any) -> Params:
    """The parameters for these items alone; only GLAD has one for each item."""
    return params if "ease" not in params else {**params, "ease": params["ease"][at]}
