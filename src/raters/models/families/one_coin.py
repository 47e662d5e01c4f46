r"""One-coin: every rater is right with one probability, whatever the truth, and errs evenly.

.. math:: p(y_{ij} \mid z_i) = a_j \text{ if } y_{ij} = z_i, \text{ else } (1 - a_j) / (K - 1)

Parameters: ``prevalence`` (label,) and ``accuracy`` (rater,), with ``smoothing`` added to right and wrong. Prevalence
is equal over labels unless the user asks for it to be learned: a learned prevalence can drift to one label (bluebirds:
58 % right instead of 72 %).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from raters.models.base.probabilities import LEAST, Params, log, normalised
from raters.models.base.votes import Votes
from raters.models.families.spec import EM, Model, Rng, Sampler, Steps, Task, of_items, right

Array = NDArray[Any]
Logs = Callable[[Params, Votes], tuple[Array, Array]]
"""(cell,): the log probabilities of a hit and of a miss."""


def model(logs: Logs, *, by_item: tuple[str, ...] = (), **facts: Any) -> Model:
    """A model whose E step and cells follow from the two log probabilities; prevalence is equal unless learned."""

    def expect(task: Task, params: Params) -> tuple[Array, Any]:
        return posterior(task, params, logs, by_item)

    def cells(params: Params, votes: Votes) -> Array:
        hit, miss = logs(params, votes)
        table = np.repeat(miss[:, None], votes.n_labels, 1)
        table[np.arange(len(hit)), votes.label_of] = hit
        return table

    return Model(expect=expect, cells=cells, uniform=True, by_item=by_item, **facts)


def posterior(task: Task, params: Params, logs: Logs, by_item: tuple[str, ...] = ()) -> tuple[Array, Any]:
    """(item, label) posteriors and the log-likelihood."""
    v = task.votes
    scores = np.empty((v.n_items, v.n_labels))
    base = log(params["prevalence"])
    for at, part in v.parts():
        hit, miss = (np.maximum(x, LEAST) for x in logs(of_items(params, at, by_item), part))
        n = part.table.data
        scores[at] = part.summed(n * (hit - miss))
        scores[at] += part.item_sums(n * miss)[:, None] + base
    return normalised(scores, task.gold, v.weight)


def hits(votes: Votes, q: Array) -> Array:
    """(rater, label): how often each label was given and is right, in expectation."""
    total = np.zeros(votes.n_raters * votes.n_labels)
    for at, part in votes.parts():
        total += np.bincount(part.table.indices, part.weighted(part.table.data) * part.given(q[at]), len(total))
    return total.reshape(votes.n_raters, votes.n_labels)


def share(right: Array, wrong: Array) -> Array:
    """right / (right + wrong); a half if both are 0."""
    total = right + wrong
    if (total > 0).all():
        return np.asarray(right / total)
    return np.asarray(np.where(total > 0, right / np.where(total > 0, total, 1), 0.5))


def logs(params: Params, votes: Votes) -> tuple[Array, Array]:
    a = params["accuracy"]
    return log(a).take(votes.rater_of), log((1 - a) / max(votes.n_labels - 1, 1)).take(votes.rater_of)


def maximise(task: Task, expected: Array, params: Params | None) -> Params:
    right = hits(task.votes, expected).sum(1)
    wrong = np.maximum(task.votes.per_rater.sum(1) - right, 0)
    before = earlier(task)
    return {
        "prevalence": task.prevalence(expected),
        "accuracy": share(right + before[0], wrong + before[1]),
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
    return (xlogy(hits, a) + xlogy(wrong, 1 - a)).sum(0) + task.prevalence_penalty(params)


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


MODEL = model(
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
