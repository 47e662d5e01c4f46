"""What plain and weighted votes have in common: they give shares of the labels, not probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.families.probabilities import Params, expected_counts, rows_to_one, winners
from raters.models.families.spec import Model, Vote
from raters.models.families.task import Task

Array = NDArray[Any]


def model(vote: Vote, *, expect: Callable[[Task, Params], tuple[Array, float]] | None = None, **facts: Any) -> Model:
    """A model that weights and counts; raters' matrices cross-tabulate their labels with the winners."""
    result = expect or (lambda task, params: (weighted_vote(vote, task, params), float("nan")))

    def confusion(task: Task, params: Params) -> Array:
        return rows_to_one(expected_counts(task.votes, winners(result(task, params)[0])) + task.smoothing)

    no_odds = "it weights votes and does not model the probabilities of labels"
    return Model(method=vote, expect=result, cells=no_odds, confusion=confusion, **facts)


def weighted_vote(vote: Vote, task: Task, params: Params) -> Array:
    """(item, label): shares of the weights, 1 for a gold label."""
    v = task.votes
    return with_gold(vote.decide(v.summed(v.table.data * vote.weigh(params, v))), task.gold)


def with_gold(q: Array, gold: Array | None) -> Array:
    """(item, label): the same with 1 for gold labels."""
    if gold is None:
        return q
    at, made = np.flatnonzero(gold >= 0), q.copy()
    made[at] = 0
    made[at, gold[at]] = 1
    return made
