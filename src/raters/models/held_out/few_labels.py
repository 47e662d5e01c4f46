r"""Few labels for each item: what they cannot show is assumed.

If :math:`p` is the share of raters who would give an item one of two labels, n labels of each item show the first n
moments of :math:`p` over items. With three labels, the chance that a further label agrees with a majority of two to one
depends on the fourth. A model of raters whose items are all equally hard has two values of
:math:`p`, the distribution with these three moments and the smallest fourth one: of all that the labels allow, it
states the highest chance. So up to three labels, held-out labels cannot find the share of items that divide raters.
Tables with more labels, of which three (or two) of each item are kept, show which share makes hidden votes hold.
"""

from __future__ import annotations

import numpy as np

from raters.models.base.fit import FittedModel, HardItems
from raters.models.base.votes import Votes
from raters.models.held_out.hard_items import alpha
from raters.notes.note import Note

ASSUMED = {2: 0.7, 3: 0.5}
"""Labels of a typical item: the share of items that are taken to divide raters."""
MOST = 0.95
"""The largest share of hard items of all kinds."""


def typical(votes: Votes) -> float:
    """The median number of labels of items with two labels or more; nan if there are none."""
    n = votes.per_item[votes.per_item > 1]
    return float(np.median(n)) if len(n) else np.nan


def assumed(votes: Votes) -> float | None:
    """The share of items that are assumed to divide raters because items have so few labels; None if held-out labels
    can estimate it.

    No more than would explain all disagreement: where raters agree on everything, nothing divides them.

    >>> assumed(Votes.of_codes(np.repeat([0, 1], 3), np.tile([0, 1, 2], 2), np.array([0, 0, 1, 1, 1, 1]), labels=(0, 1)))
    0.5
    """
    n = typical(votes)
    share = next((share for most, share in ASSUMED.items() if n <= most), None)
    differ = 1 - votes.pair_agreement  # 0 with a single label, of which no two can differ
    return None if share is None else round(min(share, differ and differ / divided(votes)), 2)


def divided(votes: Votes) -> float:
    """The share of pairs of labels that differ, as expected on items that divide raters."""
    shape = alpha(votes, HardItems(0.0, 1.0).strength)
    total = float(shape.sum())
    return float(total / (total + 1) * (1 - ((shape / total) ** 2).sum()))


def with_assumed(votes: Votes, hard: HardItems | None) -> HardItems | None:
    """The hard items as estimated, or with the share that is assumed if it is larger."""
    share = assumed(votes)
    habit, own = (0.0, 0.0) if hard is None else (hard.habit, hard.own)
    if not share or own >= (least := round(min(share, MOST - habit), 2)):
        return hard
    return HardItems(habit, least, assumed=True)


def few_each(votes: Votes) -> int:
    """How many labels most items have at most, if these are few."""
    return min(most for most in ASSUMED if typical(votes) <= most)


def note(c: FittedModel) -> tuple[Note, ...]:
    """What held-out labels cannot check if items have few labels, and what was assumed instead."""
    n = typical(c.votes)
    if not c.definition.likelihood or not n <= max(ASSUMED):
        return ()
    most = {"most": few_each(c.votes)}
    if c.hard is None or not c.hard.assumed:
        return (Note("divided_items_unchecked", most),)
    return (Note("divided_items_assumed", {**most, "own": c.hard.own}),)
