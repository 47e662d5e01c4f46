"""Doubt that more labels can remove: on items that divide people they hardly can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import counted as number_of
from raters.models.choosing.hard_items import alpha, if_easy
from raters.models.choosing.held_out import counted
from raters.models.choosing.power import as_used, checked
from raters.models.choosing.settled_vote import Variety, next_vote, variety
from raters.models.families.spec import Vote
from raters.models.fitted_model import FittedModel

Array = NDArray[Any]
HARD = 0.5
"""An item is probably hard from this probability on."""


@dataclass(frozen=True)
class Doubt:
    """What one more label of each item may tell."""

    q: Array
    """(item, label): the posterior if raters label the item by its truth."""
    ease: Array
    """(item,): how probable it is that they do; 1 where the fit does not allow for hard items, 0 for a vote."""
    vote: Array
    """(item,): bits that one more vote tells of the winner of a very large vote, times how probable it is that only that counts."""

    @staticmethod
    def of(c: FittedModel) -> Doubt:
        """The doubt of a fit.

        >>> import raters
        >>> Doubt.of(raters.consensus(raters.examples.demo(), "dawid_skene")).ease.min()
        np.float64(1.0)
        """
        n = len(c.posterior)
        if c.decided is not None and isinstance(c.definition.method, Vote):
            votes = counted(c)
            bits = next_vote(votes, variety(votes))
            if bits is not None:
                return Doubt(c.posterior, np.zeros(n), bits)
        if c.hard is None:
            return Doubt(c.posterior, np.ones(n), np.zeros(n))
        q, w = if_easy(c, c.hard)
        shape = alpha(c.votes, c.hard.strength)
        own = next_vote(c.votes.counts, Variety(shape[None], np.ones(1), c.votes.counts.sum(0), n))
        return Doubt(q, w[:, 0], np.zeros(n) if own is None else w[:, 2] * own)


def as_published(c: FittedModel) -> str:
    """That nothing checked how settled the items are, in a sentence; empty if held-out labels did."""
    if checked(c) or not c.definition.likelihood:
        return ""
    return f"Settled here means the probability under {c.model} {as_used(c)}, which held-out labels have not checked; tempering='held_out' or model='auto' does."


def hard_ones(c: FittedModel, settled: float) -> str:
    """How many items that are not settled are probably hard, in a sentence; empty if the fit does not allow for hard items, or assumes them."""
    if c.hard is None or c.hard.assumed:
        return ""
    open_ = (c.votes.per_item > 0) & ~(c.certainty >= settled)
    n, of = int((open_ & (Doubt.of(c).ease < 1 - HARD)).sum()), int(open_.sum())
    return (
        f"{n:,} of {number_of(of, 'item')} not settled {'is' if n == 1 else 'are'} probably hard (raters divide on them or label them by habit), so that more labels "
        "from raters like these would hardly settle them: such items are asked for less"
    )
