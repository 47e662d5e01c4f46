r"""What one-coin, MACE and GLAD share: a label's probability depends only on whether it is the truth.

.. math:: \log p(y \mid z = k) = m + [y = k]\,(h - m)

``hit`` :math:`h` and ``miss`` :math:`m` are one number for each cell, so both steps cost O(N), not O(N K). They are computed
for a few items at a time, so that no second array as long as the table is kept in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.families.probabilities import LEAST, Params, log, normalised
from raters.models.families.spec import Model, of_items
from raters.models.families.task import Task
from raters.models.votes import Votes

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

    return Model(expect=expect, cells=cells, uniform=True, by_item=by_item, side_by_side=True, **facts)


def posterior(task: Task, params: Params, logs: Logs, by_item: tuple[str, ...] = ()) -> tuple[Array, Any]:
    """(item, label) posteriors and the log-likelihood."""
    v = task.votes
    scores = np.empty((v.n_items, v.n_labels))
    base = log(params["prevalence"])
    each = None if task.beside is None else np.empty(v.n_items)
    for at, part in v.parts():
        hit, miss = (np.maximum(x, LEAST) for x in logs(of_items(params, at, by_item), part))
        n = part.table.data
        scores[at] = part.summed(n * (hit - miss))
        scores[at] += part.item_sums(n * miss)[:, None] + (
            base if task.beside is None else base[task.beside.of_item[at]]
        )
    q, total = normalised(scores, task.gold, v.weight, each)
    return q, total if each is None else task.over_items(each)


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
