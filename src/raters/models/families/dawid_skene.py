r"""Dawid-Skene: every rater has a confusion matrix.

.. math:: z_i \sim \pi, \qquad y_{ij} \mid z_i = k \sim \theta_{jk\cdot}

with Dirichlet smoothing: :math:`1 + s` for every row of :math:`\theta` and for :math:`\pi`, so that the M step
adds ``s`` to every count. Parameters: ``prevalence`` (label,), ``confusion`` (rater, true label, given label). E step:
``S @ log θ + log π``; M step: ``Sᵀ @ q``.

Dawid & Skene (1979), Applied Statistics 28, 20-28; Passonneau & Carpenter (2014), TACL 2, 311-326.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from raters.models.base.probabilities import Params, expected_counts, log, normalised, rows_to_one
from raters.models.base.votes import Votes
from raters.models.families.spec import EM, Model, Rng, Sampler, Steps, Task, counts

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


def penalty(task: Task, params: Params) -> Any:
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


def redraw(task: Task, truth: Array, params: Params, rng: Rng, steps: Steps) -> dict[str, Array]:
    """Rows of the matrices are Dirichlet."""
    return {"confusion": rows_to_one(rng.standard_gamma(counts(task, truth) + 1 + task.smoothing))}


MODEL = Model(
    name="dawid_skene",
    rank=7.0,
    title="Dawid-Skene",
    rater="a confusion matrix",
    reference="Dawid & Skene (1979), Applied Statistics 28, 20-28",
    method=EM(maximise, penalty),
    expect=expect,
    cells=cells,
    confusion=confusion,
    sampler=Sampler(redraw, exchanges=lambda n_labels: True),
    dense=True,
    takes_priors=True,
    by_rater=("confusion",),
    bootstrap_holds=85,
    least_labels=5,
    overconfident=True,
)
