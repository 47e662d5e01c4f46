"""The vote: the label that most raters gave. Ties are broken by a named rule, never silently."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.families import voting
from raters.models.families.probabilities import Params, winners
from raters.models.families.spec import Vote
from raters.models.families.task import Task
from raters.models.votes import Votes

Array = NDArray[Any]
TIES = ("first", "random", "abstain", "split")
HANDLED = {
    "first": "the first of the tied labels in their order was taken",
    "random": "one of the tied labels was drawn at random",
    "abstain": "these items have no label",
    "split": "the tied labels share the probability equally, and the first of them is given",
}
PROBABLE = "the more probable of the tied labels is given"
"""What is done with the ties of a vote whose posterior is the chance to win a large one."""


def expect(task: Task, params: Params) -> tuple[Array, float]:
    """1 for the winner of each item.

    Ties: ``first`` in label order; ``random``, by the seed; ``abstain``: no label; ``split``: the posterior is shared out
    among the tied labels, and ``.labels`` names the first of them.

    >>> from raters.models.votes import Votes
    >>> votes = Votes.of_codes([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1], labels=("no", "yes"))
    >>> expect(Task(votes, ties="split"), {})[0].tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    q = winners(task.votes.counts)
    if task.ties in ("first", "random"):
        q = chosen(q, task)
    return voting.with_gold(q, task.gold), float("nan")


def chosen(q: Array, task: Task) -> Array:
    """One of the tied labels: the first, or a random one drawn with the seed."""
    one = np.zeros_like(q)
    if task.ties == "first":
        at = q.argmax(1)
    else:
        at = np.where(q > 0, np.random.default_rng(task.seed).random(q.shape), -1).argmax(1)
    one[np.arange(len(q)), at] = 1
    return one


def tied(task: Task) -> tuple[str, ...]:
    return of_ties(task.votes, HANDLED[task.ties])


def of_ties(votes: Votes, how: str) -> tuple[str, ...]:
    """How many votes are tied, and what is done with them; nothing if none is."""
    n = int(votes.tied.sum())
    return (f"{n:,} of {votes.n_items:,} votes are tied; {how}",) if n else ()


def undecided(task: Task, posterior: Array) -> Array:
    if task.ties != "abstain":
        return np.zeros(len(posterior), bool)
    return np.asarray(posterior.max(1) < 1 - 1e-9)


def shares(task: Task, posterior: Array) -> Array:
    """Shares of the votes; gold items are certain."""
    return voting.with_gold(task.votes.shares(), task.gold)


MODEL = voting.model(
    Vote(lambda task: {}, lambda params, votes: np.ones(len(votes.table.data)), winners, "counted", tied),
    expect=expect,
    name="majority",
    rank=0.0,
    title="Majority",
    rater="one vote",
    reference="",
    sampler="a vote has no parameters to sample; use another model, or uncertainty='bootstrap'.",
    shares=shares,
    undecided=undecided,
    certainty="share of the vote",
)
