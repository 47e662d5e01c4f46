r"""Wawa, worker agreement with the aggregate: a vote weighted by how often each rater agrees with the plain vote.

.. math:: s_j = \frac{\#\{i: y_{ij} = v_i\}}{\#\{i: y_{ij}\}}, \qquad q_{ik} = \frac{\sum_{j: y_{ij} = k} s_j}{\sum_j s_j}

with :math:`v_i` the label that most raters gave, with ties to the first in label order; a gold label replaces the vote. Parameters:
``skill`` (rater,). One pass. A label that a rater repeats counts each time in the vote and once in the skill, as in crowd-kit
1.4.2, which gives these figures with pandas 2.2 (under pandas 3 its ties depend on the order of rows).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.families import voting
from raters.models.families.probabilities import Params, rows_to_one
from raters.models.families.spec import Vote
from raters.models.families.task import Task
from raters.models.votes import Votes

Array = NDArray[Any]
STRANGERS = "the weight of a vote is learned from the rater's own labels. Fit again, or use update()."
NOT_DRAWN = (
    "skills are shares of labels, not parameters with a posterior; use another model, or uncertainty='bootstrap'."
)


def skills(task: Task) -> Params:
    """How often each rater agrees with the plain vote.

    >>> votes = Votes.of_codes([0, 0, 0, 1, 1, 1], [0, 1, 2] * 2, [0, 0, 1, 1, 1, 1], labels=("no", "yes"))
    >>> skills(Task(votes))["skill"].tolist()
    [1.0, 1.0, 0.5]
    """
    return {"skill": agreement(task, task.votes.counts)}


def agreement(task: Task, totals: Array) -> Array:
    """(rater,): the share of a rater's labels that equal the winning label, with ties to the first label; a half without labels."""
    v = task.votes
    hit = v.given(first_winner(voting.with_gold(totals, task.gold)))
    seen = v.weighted(np.ones(len(hit)))
    right, total = (np.bincount(v.rater_of, x, v.n_raters) for x in (seen * hit, seen))
    return np.asarray(np.where(total > 0, right / np.where(total > 0, total, 1), 0.5))


def first_winner(totals: Array) -> Array:
    """(item, label): 1 for the first of the labels with the most weight."""
    one = np.zeros(totals.shape)
    one[np.arange(len(totals)), totals.argmax(1)] = 1
    return one


def weigh(params: Params, votes: Votes) -> Array:
    return np.asarray(params["skill"][votes.rater_of])


MODEL = voting.model(
    Vote(skills, weigh, rows_to_one, "weighted by agreement with the vote"),
    name="wawa",
    rank=1.0,
    title="Wawa",
    rater="a rate of agreement with the vote",
    reference="Ustalov, Pavlichenko & Tseitlin (2024), JOSS 9(96), 6227 (crowd-kit)",
    sampler=NOT_DRAWN,
    by_rater=("skill",),
    unknown_raters=STRANGERS,
    certainty="share of the weighted vote",
)
