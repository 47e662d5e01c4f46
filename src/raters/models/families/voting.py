"""The vote: the label that most raters gave. Ties are broken by a named rule, never silently."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.base.probabilities import Params, expected_counts, rows_to_one, winners
from raters.models.base.ties import TIES
from raters.models.base.votes import Votes
from raters.models.families.spec import Model, Task, Vote
from raters.notes.note import Note

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


def expect(task: Task, params: Params) -> tuple[Array, float]:
    """1 for the winner of each item.

        Ties by a rule of ``TIES``; a label is drawn with the seed, and an item without an answer keeps equal shares.

    >>> from raters.models.base.votes import Votes
        >>> votes = Votes.of_codes([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1], labels=("no", "yes"))
        >>> expect(Task(votes, ties="split"), {})[0].tolist()
        [[1.0, 0.0], [0.5, 0.5]]
    """
    q = winners(task.votes.counts)
    p = TIES[task.ties].shares(q > 0)
    q = np.where(p.any(1, keepdims=True), p, q)
    return with_gold(drawn(q, task.seed) if TIES[task.ties].drawn else q, task.gold), float("nan")


def drawn(q: Array, seed: int) -> Array:
    """One of the tied labels, drawn with the seed."""
    one = np.zeros_like(q)
    one[np.arange(len(q)), np.where(q > 0, np.random.default_rng(seed).random(q.shape), -1).argmax(1)] = 1
    return one


def tied(task: Task) -> tuple[Note, ...]:
    """How many votes are tied, and what is done with them; nothing if none is."""
    n = int(task.votes.tied.sum())
    return (Note(f"tied_{task.ties}", {"n": n, "items": task.votes.n_items}),) if n else ()


def undecided(task: Task, posterior: Array) -> Array:
    return np.asarray(~TIES[task.ties].shares(posterior > 1e-9).any(1))


def shares(task: Task, posterior: Array) -> Array:
    """Shares of the votes; gold items are certain."""
    return with_gold(task.votes.shares(), task.gold)


MODEL = model(
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
    """(rater,): the share of a rater's labels that equal the winning label, with ties to the first label; a half
    without labels.
    """
    v = task.votes
    hit = v.given(first_winner(with_gold(totals, task.gold)))
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


WAWA = model(
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


ROUNDS, HALVED_EVERY, ABOVE_CHANCE = 100, 20, 1e-5


def skills_from_zero(task: Task) -> Params:
    """How often each rater agrees with the weighted vote that these skills give.

    >>> from raters.models.base.votes import Votes
        >>> votes = Votes.of_codes([0, 0, 0, 1, 1, 1], [0, 1, 2] * 2, [0, 0, 1, 1, 1, 1], labels=("no", "yes"))
        >>> skills_from_zero(Task(votes))["skill"].tolist()
        [1.0, 1.0, 0.5]
    """
    v = task.votes
    used = int((v.per_rater.sum(0) > 0).sum())
    skill, rate = np.full(v.n_raters, 1 / max(used, 1) + ABOVE_CHANCE), 1.0
    for turn in range(1, ROUNDS + 1):
        rate = rate / 2 if turn % HALVED_EVERY == 0 else rate
        totals = v.summed(v.table.data * skill[v.rater_of])
        skill = skill + rate * (agreement(task, totals) - skill)
    return {"skill": skill}


ZERO_BASED_SKILL = model(
    Vote(skills_from_zero, weigh, rows_to_one, f"{ROUNDS} rounds of weighted votes"),
    name="zero_based_skill",
    rank=1.5,
    title="Zero-based skill",
    rater="a rate of agreement with the weighted vote",
    reference="Ustalov, Pavlichenko & Tseitlin (2024), JOSS 9(96), 6227 (crowd-kit)",
    sampler=NOT_DRAWN,
    by_rater=("skill",),
    unknown_raters=STRANGERS,
    certainty="share of the weighted vote",
)
