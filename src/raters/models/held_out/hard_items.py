r"""Hard items: a share of the items on which labels do not depend on the truth, estimated from held-out labels.

A model of raters assumes that all items are equally easy. If some are not, mixed votes are read as weak evidence
instead of as a sign that the item is hard, and labels that are settled to .6 to .95 turn more often than stated. So a
share :math:`h` of the items is labelled by habit, whatever the truth, a share :math:`o` by a distribution of its own
(items that divide or mislead raters), and the rest as the model says:

.. math:: p(z_i = k \mid y) = (1 - w_i - v_i)\, q_{ik} + w_i / K + v_i\, b_{ik}, \qquad
   (1 - w_i - v_i) : w_i : v_i = (1 - h - o) \sum_k \pi_k \prod_j \theta_j(k, y_{ij}) : h \prod_j m_j(y_{ij}) : o\, D_i

with :math:`q` the model's posterior, :math:`m_j` how often rater j gives each label, :math:`D_i` the probability of the
labels under
:math:`p_i \sim \mathrm{Dirichlet}(s\,m)`, and :math:`b_{ik}` the chance that k would win a very large vote on such an
item. The shares and s are those under which held-out labels are most probable. They take the place of a power on the
likelihood if they gain more than two nats in all over the best power: the best of so many shares gains one or two by
chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.base.fit import FittedModel, HardItems
from raters.models.base.probabilities import LEAST, log, normalised, row_sums, rows_to_one
from raters.models.base.settled_vote import chance_to_win, log_chance
from raters.models.base.votes import Votes
from raters.models.families.spec import Model, had, of_items
from raters.models.held_out.folds import LEAST as LEAST_CHANCE
from raters.notes.note import Note

Array = NDArray[Any]
SHARES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
STRENGTHS = (1.0, 2.0)
GAIN = 2.0
"""Total nats that held-out labels must gain."""
TRIED = tuple(
    HardItems(habit, own, s)
    for s in STRENGTHS
    for habit in SHARES
    for own in SHARES
    if habit + own > 0 and (own > 0 or s == STRENGTHS[0])
)


def applies(row: Model) -> bool:
    """Whether a model gives the probability of each single label, given a true label."""
    return row.likelihood and row.foretell is None and not row.numbers


def evidence(c: FittedModel) -> Array:
    """(item, label): log probability of the item's labels, given each true label."""
    total = np.zeros((c.votes.n_items, c.votes.n_labels))
    for at, part in c.votes.parts():
        params = of_items(c.params, at, c.definition.by_item)
        logs = np.maximum(had(c.definition.cells)(params, part), LEAST) * part.table.data[:, None]
        some = np.flatnonzero(np.diff(part.table.indptr))
        made = np.zeros((part.n_items, part.n_labels))
        if len(some):
            made[some] = np.add.reduceat(logs, part.table.indptr[some])
        total[at] = made
    return total


def easy(total: Array, prevalence: Array) -> Array:
    """(item,): log probability of the labels of an item that is not hard."""
    scores = np.maximum(log(prevalence), LEAST) + total
    top = scores.max(1)
    return np.asarray(top + np.log(np.exp(scores - top[:, None]).sum(1)))


def habits(votes: Votes, n: int) -> Array:
    """(rater, label): how often each rater gives each label; raters without votes here are like the crowd."""
    margin = rows_to_one(votes.per_rater.sum(0) + 0.5)
    own = rows_to_one(votes.per_rater + margin)
    return np.concatenate([own, np.tile(margin, (n - len(own), 1))]) if n > len(own) else own


def alpha(votes: Votes, strength: float) -> Array:
    """(label,): the Dirichlet parameters of the label shares of items that divide or mislead raters."""
    return np.asarray(strength * rows_to_one(votes.counts.sum(0) + 0.5))


def by_habit(votes: Votes, habit: Array) -> Array:
    """(item,): log probability of the labels of an item that is labelled by habit."""
    logs = np.log(habit[votes.rater_of, votes.label_of])
    return np.bincount(votes.item_of, votes.table.data * logs, votes.n_items)


def kinds(hard: HardItems, logs: Array) -> Array:
    """(..., 3): how probable it is that an item is easy, labelled by habit, or by shares of its own, from the log
    probabilities of its labels.
    """
    scores = logs + np.maximum(log(_weights(hard)), LEAST)
    made = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(made / made.sum(-1, keepdims=True))


def of_kinds(c: FittedModel, hard: HardItems, known: Votes | None = None) -> tuple[Array, Array]:
    """(item, label): log probability of the item's labels; (item, 3): how probable each kind of item is; ``known``:
    votes from which habits are known.
    """
    of, total = c.votes if known is None else known, evidence(c)
    logs = (
        easy(total, c.prevalence),
        by_habit(c.votes, habits(of, c.votes.n_raters)),
        log_chance(c.votes.counts, c.votes.per_item, alpha(of, hard.strength)),
    )
    return total, kinds(hard, np.stack(logs, -1))


def if_easy(c: FittedModel, hard: HardItems) -> tuple[Array, Array]:
    """(item, label): the posterior of each item if it is not hard; (item, 3): how probable each kind of item is."""
    total, w = of_kinds(c, hard)
    return normalised(np.maximum(log(c.prevalence), LEAST) + c.power * total, c.gold)[0], w


def with_hard_items(c: FittedModel, hard: HardItems, known: Votes | None = None) -> Array:
    """(item, label): the posterior, hard items allowed for; ``known``: votes from which habits are known."""
    _, w = of_kinds(c, hard, known)
    made = w[:, :1] * c.posterior + w[:, 1:2] / c.votes.n_labels
    if hard.own:
        made += w[:, 2:] * _winning(c.votes.counts, alpha(c.votes if known is None else known, hard.strength))
    return np.asarray(made if c.gold is None else np.where((c.gold >= 0)[:, None], c.posterior, made))


def _winning(counts: Array, shape: Array) -> Array:
    rows, which = np.unique(counts, axis=0, return_inverse=True)
    return chance_to_win(rows + shape, shape)[which.ravel()]


def foretold_with(
    c: FittedModel, held: Votes, given: Array, tried: Sequence[HardItems] = TRIED, q: Array | None = None
) -> Iterator[tuple[list[HardItems], Array]]:
    """Shares of hard items, and (cell, shares): how probable each held-out label is with them; ``q``: the posterior if
    an item is easy.
    """
    train = c.votes
    at, habit = held.item_of, habits(train, train.n_raters)
    plain = row_sums((c.posterior if q is None else q).take(at, 0) * given)
    if_easy, if_habit = easy(evidence(c), c.prevalence), by_habit(train, habit)
    for strength in sorted({hard.strength for hard in tried}):
        shape = alpha(train, strength)
        logs = np.stack([if_easy, if_habit, log_chance(train.counts, train.per_item, shape)], -1)
        own = held.given((train.counts + shape) / (train.per_item[:, None] + strength))
        chance = np.stack([plain, habit[held.rater_of, held.label_of], own], -1)
        for some in _alike([hard for hard in tried if hard.strength == strength]):
            yield some, np.maximum(_mixed(some, logs, at, chance), LEAST_CHANCE)


def _alike(tried: Sequence[HardItems]) -> list[list[HardItems]]:
    """Those together that leave out the same kinds of items."""
    found: dict[tuple[bool, ...], list[HardItems]] = {}
    for hard in tried:
        found.setdefault(tuple((_weights(hard) > 0).tolist()), []).append(hard)
    return list(found.values())


def _weights(hard: HardItems) -> Array:
    """(kind,): shares of items that are easy, labelled by habit, and by shares of their own."""
    return np.array([1 - hard.habit - hard.own, hard.habit, hard.own])


def _mixed(some: list[HardItems], logs: Array, at: Array, chance: Array) -> Array:
    """(cell, shares): the probability of each held-out label over the kinds of its item, as :func:`kinds` weighs them,
    for many shares at once.

    ``logs``: (item, kind); ``at``: (cell,) items; ``chance``: (cell, kind). Kinds that have no share are left out.
    """
    shares = np.stack([_weights(hard) for hard in some], -1)  # (kind, shares)
    has = np.flatnonzero(shares[:, 0] > 0)
    kept = logs[:, has]
    size = np.exp(kept - kept.max(1, keepdims=True))  # (item, kind)
    mine = size.take(at, 0)
    return np.asarray((mine * chance[:, has]) @ shares[has] / (mine @ shares[has]))


def note(hard: HardItems) -> Note:
    """Which hard items held-out labels ask for."""
    kinds = "of_both_kinds" if hard.habit and hard.own else "habit" if hard.habit else "own"
    return Note(f"hard_items_{kinds}", {"habit": hard.habit, "own": hard.own})
