r"""One-coin: every rater is right with one probability, whatever the truth, and errs evenly.

.. math:: p(y_{ij} \mid z_i) = a_j \text{ if } y_{ij} = z_i, \text{ else } (1 - a_j) / (K - 1)

Parameters: ``prevalence`` (label,) and ``accuracy`` (rater,), with ``smoothing`` added to right and wrong. Prevalence is equal
over labels unless the user asks for it to be learned: a learned prevalence can drift to one label (bluebirds: 58 % right instead of 72 %).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from raters.models.families import matching
from raters.models.families.drawing import Rng, Sampler, Steps, right
from raters.models.families.probabilities import Params, log
from raters.models.families.spec import EM
from raters.models.families.task import Task
from raters.models.votes import Votes

Array = NDArray[Any]


def logs(params: Params, votes: Votes) -> tuple[Array, Array]:
    a = params["accuracy"]
    return log(a).take(votes.rater_of), log((1 - a) / max(votes.n_labels - 1, 1)).take(votes.rater_of)


def maximise(task: Task, expected: Array, params: Params | None) -> Params:
    hits = matching.hits(task.votes, expected).sum(1)
    wrong = np.maximum(task.votes.per_rater.sum(1) - hits, 0)
    before = earlier(task)
    return {
        "prevalence": task.prevalence(expected),
        "accuracy": matching.share(hits + before[0], wrong + before[1]),
    }


def earlier(task: Task) -> tuple[Array, Array]:
    """(rater,): right and wrong labels from earlier data."""
    s = np.full(task.votes.n_raters, task.smoothing)
    if task.prior is None:
        return s, s
    hits = np.einsum("rkk->r", task.prior)
    return s + hits, s + task.prior.sum((1, 2)) - hits


def penalty(task: Task, params: Params) -> Any:
    hits, wrong = earlier(task)
    a = params["accuracy"]
    return task.over_raters(xlogy(hits, a) + xlogy(wrong, 1 - a)) + task.prevalence_penalty(params)


def confusion(task: Task, params: Params) -> Array:
    a, k = params["accuracy"][:, None, None], task.votes.n_labels
    return np.where(np.eye(k, dtype=bool), a if k > 1 else 1.0, (1 - a) / max(k - 1, 1))


def redraw(task: Task, truth: Array, params: Params, rng: Rng, steps: Steps) -> dict[str, Array]:
    """Accuracies are Beta."""
    v, before = task.votes, earlier(task)
    hits = np.bincount(v.rater_of, v.table.data * right(task, truth), v.n_raters)
    return {"accuracy": rng.beta(1 + hits + before[0], 1 + v.per_rater.sum(1) - hits + before[1])}


def matrices(task: Task, truth: Array, params: Params, rng: Rng) -> Array:
    return confusion(task, params)


MODEL = matching.model(
    logs,
    name="one_coin",
    rank=2.0,
    title="One-coin",
    rater="right with one probability",
    reference="Ghosh, Kale & McAfee (2011), EC, 167-176",
    method=EM(maximise, penalty),
    confusion=confusion,
    sampler=Sampler(redraw, exchanges=lambda n_labels: n_labels == 2, matrices=matrices),
    takes_priors=True,
    by_rater=("accuracy",),
    least_labels=5,
)
