r"""Dawid-Skene: every rater has a confusion matrix.

.. math:: z_i \sim \pi, \qquad y_{ij} \mid z_i = k \sim \theta_{jk\cdot}

with Dirichlet smoothing: :math:`1 + s` for every row of :math:`\theta` and for :math:`\pi`, so that the M step
adds ``s`` to every count. E step: ``S @ log θ + log π``; M step: ``Sᵀ @ q``.

Dawid & Skene (1979), Applied Statistics 28, 20-28; Passonneau & Carpenter (2014), TACL 2, 311-326.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from raters.models.em import Params, log, normalised
from raters.models.votes import Votes

Array = NDArray[Any]


@dataclass(frozen=True)
class DawidSkene:
    """Parameters: ``prevalence`` (label,) and ``confusion`` (rater, true label, given label)."""

    votes: Votes
    gold: Array | None = None
    smoothing: float = 0.01
    prior: Array | None = None
    """(rater, true label, given label): counts from elsewhere."""
    uniform: bool = False
    """Whether prevalence is held equal over labels."""

    def expect(self, params: Params) -> tuple[Array, float]:
        table = log(params["confusion"]).swapaxes(1, 2).reshape(-1, self.votes.n_labels)  # (rater * given, true)
        scores = self.votes.table @ table
        scores += log(params["prevalence"])
        return normalised(scores, self.gold, self.votes.weight)

    def maximise(self, expected: Array, params: Params | None = None) -> Params:
        counts = (
            expected_counts(self.votes, expected) + self.smoothing
        )  # (rater, true, given), given outermost in memory
        if self.prior is not None:
            counts += self.prior
        return {
            "prevalence": prevalence(self.votes, expected, self.smoothing, self.uniform, self.gold),
            "confusion": rows_to_one(counts),
        }

    def penalty(self, params: Params) -> float:
        total = 0.0
        if self.smoothing:
            total += self.smoothing * float(log(params["confusion"]).sum())
            total += 0.0 if self.uniform else self.smoothing * float(log(params["prevalence"]).sum())
        if self.prior is not None:
            total += float(xlogy(self.prior, params["confusion"]).sum())
        return total

    def cells(self, params: Params, votes: Votes) -> Array:
        """(cell, true label): the log probability of each label that was given."""
        return np.asarray(log(params["confusion"])[votes.rater_of, :, votes.label_of])

    def confusion(self, params: Params) -> Array:
        return params["confusion"]

    def sample(self, counts: Array, params: Params, rng: np.random.Generator) -> Array:
        """One draw of all confusion matrices given (rater, true, given) counts."""
        shape = counts + 1 + self.smoothing + (0 if self.prior is None else self.prior)
        return rows_to_one(rng.standard_gamma(shape))


def expected_counts(votes: Votes, q: Array) -> Array:
    """(rater, true label, given label): how often each label was given for each truth, in expectation."""
    k = votes.n_labels
    return np.asarray(votes.table.T @ votes.weighted_items(q)).reshape(votes.n_raters, k, k).swapaxes(1, 2)


def prevalence(votes: Votes, q: Array, smoothing: float, uniform: bool, gold: Array | None) -> Array:
    """(label,): shares of the labels among items that have one, of raters or of gold."""
    k = votes.n_labels
    if uniform:
        return np.full(k, 1 / k)
    seen = q
    if not votes.all_labelled:
        known = votes.per_item > 0 if gold is None else (votes.per_item > 0) | (gold >= 0)
        seen = q * known[:, None]
    total = votes.weighted_items(seen).sum(0) + smoothing
    return np.asarray(total / total.sum())


def rows_to_one(counts: Array) -> Array:
    """Counts as shares over the last axis; equal shares where there is nothing to go by.

    >>> rows_to_one(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    total = counts.sum(-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(total > 0, counts / total, 1 / counts.shape[-1]))
