r"""Tempering: a label counts for less than one if held-out labels call for it.

A posterior assumes that raters err independently given the truth. If items are hard for all, or raters make the same
errors, it is overconfident. So the likelihood of an item's labels is raised to a power,

.. math:: p_\eta(z_i = k \mid y) \propto \pi_k \Big( \prod_{j} \theta_j(k, y_{ij}) \Big)^{\eta}

and :math:`\eta \le 1` is the one that makes held-out labels most probable. Items that are hard for all are
allowed for as well (:mod:`raters.models.held_out.hard_items`). A vote has no likelihood: its posterior is the chance to
win a very large vote (:mod:`raters.models.base.settled_vote`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.base.fit import FittedModel, HardItems
from raters.models.base.probabilities import log, normalised
from raters.models.base.settled_vote import FEW_ITEMS, Variety, settled, variety
from raters.models.base.ties import TIES
from raters.models.base.votes import Votes
from raters.models.families.spec import Task, Vote
from raters.models.families.voting import with_gold
from raters.models.held_out.folds import counted
from raters.models.held_out.hard_items import with_hard_items
from raters.notes.note import Note

Array = NDArray[Any]
POWERS = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)


def softened(q: Array, prevalence: Array, power: float) -> Array:
    """(item, label): a posterior with the likelihood raised to ``power``, from the posterior alone.

    >>> softened(np.array([[0.9, 0.1]]), np.array([0.5, 0.5]), 0.5).round(2).tolist()
    [[0.75, 0.25]]
    """
    if power == 1:
        return q
    scores = power * np.maximum(log(q), -700.0) + (1 - power) * np.maximum(log(prevalence), -700.0)
    return normalised(scores)[0]


def weakened(votes: Votes, power: float) -> Votes:
    """The votes with every label weighted by ``power``."""
    return votes if power == 1 else votes.kept(votes.table.data * power)


def calibrated(
    c: FittedModel,
    power: float = 1.0,
    known: Variety | None = None,
    hard: HardItems | None = None,
    of: Votes | None = None,
) -> FittedModel:
    """The fit with posteriors that say how settled a label is: tempered, or, for a vote, the chance to win a large one.

    ``known``: how votes vary over items, if estimated from other items; ``of``: the votes from which habits are
    estimated.
    """
    if c.numeric:
        return c
    row = c.definition
    if isinstance(row.method, Vote):
        votes = counted(c)
        q = with_gold(settled(votes, known), c.gold)
        return replace(c, posterior=q, decided=with_ties(c, votes, q), notes=about_ties(c))
    if power == 1 and hard is None:
        return c
    if power < 1:
        q, _ = row.expect(Task.of(weakened(c.votes, power), c.gold, c.settings), c.params)
        c = replace(c, posterior=q, power=power)
    return c if hard is None else replace(c, posterior=with_hard_items(c, hard, of), hard=hard)


def no_surer_than_votes(c: FittedModel, known: Variety | None = None) -> FittedModel:
    """Below 20 items, labels as settled as the votes alone would have them, at most: held-out labels of so few items
    cannot show that raters are better.

    If all of them agree, they favour a model that considers its raters perfect. Labels stay as they are. ``known``:
    from other votes.
    """
    items = int((c.votes.per_item > 0).sum()) if known is None else known.items
    if items >= FEW_ITEMS or c.votes.n_labels < 2:
        return c
    n, top = np.arange(len(c.posterior)), c.posterior.argmax(1)
    most = np.maximum(settled(c.votes.counts, known).max(1), 0.5 + 1e-9)  # the label stays the most probable one
    sure = c.posterior.max(1)
    rest = c.posterior + 1e-9
    rest[n, top] = 0
    q = rest / rest.sum(1, keepdims=True) * (1 - most)[:, None]
    q[n, top] = most
    return replace(c, posterior=with_gold(np.where((sure > most)[:, None], q, c.posterior), c.gold))


def with_ties(c: FittedModel, votes: Array, q: Array) -> Array:
    """(item,): codes of the labels; of tied labels, the more probable one, since the first in order has no better
    claim.
    """
    codes = c.codes.copy()
    if not TIES[c.settings.ties].several:
        return codes
    top = votes == votes.max(1, keepdims=True, initial=0)
    tied = (top.sum(1) > 1) & (codes >= 0)
    if c.gold is not None:
        tied &= c.gold < 0
    codes[tied] = np.where(top, q, -1.0)[tied].argmax(1)
    return codes


def about_ties(c: FittedModel) -> tuple[Note, ...]:
    """The fit's notes, of which the one about ties says what :func:`with_ties` does."""
    return tuple(Note("tied_probable", n.facts) if n.code == "tied_split" else n for n in c.notes)


def like(old: FittedModel, new: FittedModel) -> FittedModel:
    """A fit to other votes, with labels weighted as in the old fit."""
    if old.decided is not None:
        return calibrated(new, known=variety(counted(old)))
    if isinstance(new.definition.method, Vote):
        return new
    found = calibrated(new, old.power, hard=old.hard, of=old.votes)
    if not old.settings.held_out:
        return found
    return no_surer_than_votes(found, None if _same_items(old, new) else variety(old.votes.counts))


def _same_items(old: FittedModel, new: FittedModel) -> bool:
    """Whether the new fit includes the items of the old one."""
    return set(old.items) <= set(new.items)
