r"""MACE: a rater either knows the truth, or labels by a habit of their own.

.. math:: p(y_{ij} \mid z_i) = t_j [y_{ij} = z_i] + (1 - t_j)\, \xi_j(y_{ij})

``trust`` (rater,) :math:`t_j` has a Beta and ``habit`` (rater, label) :math:`\xi_j` a Dirichlet prior; ``prevalence``
is equal over labels. Whether a label came from knowledge is hidden too, so the M step splits the expected hits between
knowledge and habit.

Hovy, Berg-Kirkpatrick, Vaswani & Hovy (2013), NAACL, 1120-1130.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.base.probabilities import Params, log, rows_to_one
from raters.models.base.votes import Votes
from raters.models.families import one_coin
from raters.models.families.spec import EM, Rng, Sampler, Steps, Task, right

Array = NDArray[Any]


def logs(params: Params, votes: Votes) -> tuple[Array, Array]:
    guess = (1 - params["trust"])[:, None] * params["habit"]  # (rater, label)
    hit = guess + params["trust"][:, None]
    return log(hit).ravel().take(votes.table.indices), log(guess).ravel().take(votes.table.indices)


def maximise(task: Task, expected: Array, params: Params | None) -> Params:
    v, s = task.votes, task.smoothing
    given = v.per_rater  # (rater, label)
    if params is None:
        params = {"trust": np.full(v.n_raters, 0.5), "habit": np.full(given.shape, 1 / v.n_labels)}
    trust = params["trust"][:, None]
    given_if_right = trust + (1 - trust) * params["habit"]
    knowing = trust / np.where(given_if_right > 0, given_if_right, 1)
    known = one_coin.hits(v, expected) * knowing  # hits that came from knowledge
    guessed = np.maximum(given - known, 0)
    return {
        "prevalence": task.prevalence(expected),
        "trust": one_coin.share(known.sum(1) + s, guessed.sum(1) + s),
        "habit": rows_to_one(guessed + s),
    }


def penalty(task: Task, params: Params) -> Any:
    if not task.smoothing:
        return 0.0
    t = params["trust"]
    total = (log(t * (1 - t)) + log(params["habit"]).sum(1)).sum(0)
    return task.smoothing * total + task.prevalence_penalty(params)


def confusion(task: Task, params: Params) -> Array:
    t = params["trust"][:, None, None]
    return np.asarray(t * np.eye(task.votes.n_labels) + (1 - t) * params["habit"][:, None, :])


def redraw(task: Task, truth: Array, params: Params, rng: Rng, steps: Steps) -> dict[str, Array]:
    """Which hits came from knowledge is drawn first; then trust is Beta and habit Dirichlet."""
    v, s = task.votes, task.smoothing
    given = v.per_rater
    hits = np.bincount(v.table.indices, v.table.data * right(task, truth), given.size).reshape(given.shape)
    trust = params["trust"][:, None]
    sure = trust + (1 - trust) * params["habit"]
    known = rng.binomial(hits.astype(np.int64), np.where(sure > 0, trust / np.where(sure > 0, sure, 1), 0.5))
    guessed = given - known
    return {
        "trust": rng.beta(1 + s + known.sum(1), 1 + s + guessed.sum(1)),
        "habit": rows_to_one(rng.standard_gamma(guessed + 1 + s)),
    }


def matrices(task: Task, truth: Array, params: Params, rng: Rng) -> Array:
    return confusion(task, params)


MODEL = one_coin.model(
    logs,
    name="mace",
    rank=4.0,
    title="MACE",
    rater="knows, or labels by habit",
    reference="Hovy, Berg-Kirkpatrick, Vaswani & Hovy (2013), NAACL, 1120-1130",
    method=EM(maximise, penalty),
    confusion=confusion,
    sampler=Sampler(redraw, sweeps=2, matrices=matrices),
    by_rater=("trust", "habit"),
    least_labels=5,
)
