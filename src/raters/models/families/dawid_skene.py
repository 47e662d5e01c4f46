r"""Dawid-Skene: every rater has a confusion matrix.

.. math:: z_i \sim \pi, \qquad y_{ij} \mid z_i = k \sim \theta_{jk\cdot}

with Dirichlet smoothing: :math:`1 + s` for every row of :math:`\theta` and for :math:`\pi`, so that the M step
adds ``s`` to every count. Parameters: ``prevalence`` (label,), ``confusion`` (rater, true label, given label). E step: ``S @ log θ + log π``; M step: ``Sᵀ @ q``.

Dawid & Skene (1979), Applied Statistics 28, 20-28; Passonneau & Carpenter (2014), TACL 2, 311-326.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, xlogy

from raters.models.entropy import tails
from raters.models.families.spec import Family, Task
from raters.models.fitting.em import Params, log, normalised
from raters.models.votes import Votes

Array = NDArray[Any]


def expect(task: Task, params: Params) -> tuple[Array, float]:
    return by_matrices(task, params, log(params["confusion"]))


def by_matrices(task: Task, params: Params, logs: Array) -> tuple[Array, float]:
    """The E step of any model with (rater, true label, given label) log probabilities."""
    scores = task.votes.table @ logs.swapaxes(1, 2).reshape(-1, task.votes.n_labels)  # (rater * given, true)
    scores += log(params["prevalence"])
    return normalised(scores, task.gold, task.votes.weight)


def maximise(task: Task, expected: Array, params: Params | None) -> Params:
    counts = expected_counts(task.votes, expected) + task.smoothing  # (rater, true, given), given outermost in memory
    if task.prior is not None:
        counts += task.prior
    return {"prevalence": task.prevalence(expected), "confusion": rows_to_one(counts)}


def penalty(task: Task, params: Params) -> float:
    total = task.prevalence_penalty(params)
    if task.smoothing:
        total += task.smoothing * float(log(params["confusion"]).sum())
    if task.prior is not None:
        total += float(xlogy(task.prior, params["confusion"]).sum())
    return total


def cells(params: Params, votes: Votes) -> Array:
    return np.asarray(log(params["confusion"])[votes.rater_of, :, votes.label_of])


def confusion(task: Task, params: Params) -> Array:
    return params["confusion"]


def expected_counts(votes: Votes, q: Array) -> Array:
    """(rater, true label, given label): how often each label was given for each truth, in expectation."""
    k = votes.n_labels
    return np.asarray(votes.columns @ votes.weighted_items(q)).reshape(votes.n_raters, k, k).swapaxes(1, 2)


def rows_to_one(counts: Array) -> Array:
    """Counts as shares over the last axis; equal shares where there is nothing to go by.

    >>> rows_to_one(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    total = counts.sum(-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(total > 0, counts / total, 1 / counts.shape[-1]))


def limits(shape: Array, level: float) -> tuple[Array, Array]:
    """Limits of each share whose row is Dirichlet(shape): equal tails of its Beta margin."""
    if shape.shape[-1] == 1:
        return np.ones_like(shape), np.ones_like(shape)
    rest, (low, high) = shape.sum(-1, keepdims=True) - shape, tails(level)
    return np.asarray(betaincinv(shape, rest, low)), np.asarray(betaincinv(shape, rest, high))


FAMILY = Family(expect, maximise, penalty, cells, confusion, dense=True, takes_priors=True)
