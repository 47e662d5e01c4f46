r"""Evidence against a rater: an upper limit on their skill.

A rater of skill :math:`\lambda` gives the truth with that probability, and otherwise a label by a habit of their own, :math:`m_j`:

.. math:: L(\lambda) = \prod_i \big[\lambda\, q_{i,-j}(y_{ij}) + (1 - \lambda)\, m_j(y_{ij})\big]

with :math:`q_{i,-j}` the posterior of the item from the *other* labels alone, tempered until it predicts best, so that doubt about the truth
does not count as a lack of skill; and the same with a posterior in which all other labels count equally. "No information found" is reported if both hold: the labels carry no more information than a blind rater's
(:mod:`raters.models.choosing.blind_raters`), and the upper 95 % limit of the skill (by the likelihood ratio) lies below seven
tenths of the crowd's, or below .5, which for two equally common labels means 75 % right. If the limit is above that, the labels are too few to tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.choosing.blind_raters import counted_cells, without_own
from raters.models.choosing.tempering import POWERS, softened
from raters.models.families.probabilities import log, normalised, rows_to_one
from raters.models.fitted_model import FittedModel

Array = NDArray[Any]
SHARE, LOWEST, HIGHEST = 0.7, 0.1, 0.5
"""The least skill that counts: this share of the crowd's skill, between two limits; of the informed raters' skill, if there are any ..."""
FEW = 3
"""... so many, ..."""
RATHER_LESS = 0.5
"""... and the others together have less than this share of their skill."""
GRID = np.linspace(0, 1, 41)
ONE_SIDED = 2.706
"""Drop in twice the log-likelihood that a 95 % one-sided limit allows."""
ENOUGH = 6.18
"""Mean drop in twice the log-likelihood at which the limit is exceeded in 80 of 100 cases: (1.645 + .842) squared."""
NEVER = 1e-6
ROOM = 1.5
"""With the plain votes, which are less informative, a limit may be this many times higher."""
USUAL = 0.9
"""Assumed probability that a label is right when all count equally, before tempering."""


@dataclass(frozen=True)
class Skill:
    """What each rater's labels say about their skill."""

    value: Array
    """(rater,): the most likely skill."""
    high: Array
    """(rater,): its upper 95 % limit."""
    needed: Array
    """(rater,): labels needed to distinguish a blind rater from one of the least skill, in 80 of 100 cases."""
    least: float
    """The skill below which a rater counts as uninformed, if the evidence is good."""

    low_for_sure: Array
    """(rater,): whether there is evidence against the rater, by the model and by the plain votes of the others."""


def skill(c: FittedModel, informed: Array | None = None, room: float = ONE_SIDED) -> Skill:
    """The skill of every rater with its upper limit; ``informed``: (rater,), whose labels carry information.

    >>> import raters
    >>> found = skill(raters.consensus(raters.examples.demo(), "dawid_skene"))
    >>> bool((found.high >= found.value).all())
    True
    """
    votes = c.votes
    q = (
        np.concatenate([without_own(c, part, at) for at, part in votes.parts()])
        if len(votes.table.data)
        else np.zeros((0, 1))
    )
    plain = _likelihoods(c, by_votes_of_others(c))[1]
    if informed is not None and apart(plain, informed):
        return _skill(c, q, informed, room)
    everyone = np.ones(votes.n_raters, bool)
    found = _skill(c, q, everyone, room)
    top = plain.max(1)
    return replace(found, low_for_sure=found.low_for_sure & (_upper(plain, top, room) < ROOM * _least(plain, everyone)))


def apart(plain: Array, informed: Array) -> bool:
    """Whether raters without evidence of skill, taken together, have little skill compared with the others, by the plain votes.

    If not, the informed raters are only the lucky ones of a weak crowd, and the others are no worse.
    """
    if informed.sum() < FEW:
        return False
    if informed.all():
        return True
    known, rest = plain[informed].sum(0), plain[~informed].sum(0)
    return bool(_upper(rest[None], rest[None].max(1))[0] < RATHER_LESS * GRID[known.argmax()])


def by_votes_of_others(c: FittedModel) -> Array:
    """(cell, label): the posterior of each cell's item if all its other labels counted equally.

    In a weak crowd a model may follow a few raters, and honest ones then seem to know nothing.
    """
    votes = c.votes
    weight = counted_cells(c, votes)
    n = votes.summed(weight)[votes.item_of]
    n[np.arange(len(n)), votes.label_of] -= weight
    gold = None if c.gold is None else c.gold[votes.item_of]
    return normalised(n * np.log(USUAL * max(votes.n_labels - 1, 1) / (1 - USUAL)) + log(c.prevalence), gold)[0]


def _skill(c: FittedModel, q: Array, who: Array, room: float) -> Skill:
    """From the posteriors of the cells without their own rater; ``who``: (rater,), the raters whose skill defines the crowd's."""
    best, total = _likelihoods(c, q)
    least, high = _least(total, who), _upper(total, total.max(1), room)
    habit = rows_to_one(c.votes.per_rater + 0.5)
    needed = _needed(best, habit, c.votes.rater_of, c.votes.table.data, least)
    return Skill(GRID[total.argmax(1)], high, needed, least, high < least)


def _likelihoods(c: FittedModel, q: Array) -> tuple[Array, Array]:
    """(cell, label): the posteriors tempered until they predict best; (rater, skill): the log-likelihood of each rater's labels."""
    votes, habit = c.votes, rows_to_one(c.votes.per_rater + 0.5)
    own = habit[votes.rater_of, votes.label_of]  # (cell,)
    n, cells = votes.table.data, np.arange(len(own))
    best = max(_softer(c, q), key=lambda s: _highest(s[cells, votes.label_of], own, n))
    right = best[cells, votes.label_of]
    logs = (_logs(right, own, g) * n for g in GRID)  # (cell,) at each skill
    return best, np.stack([np.bincount(votes.rater_of, x, votes.n_raters) for x in logs], -1)


def _least(total: Array, who: Array) -> float:
    return float(np.clip(SHARE * GRID[total[who].sum(0).argmax()], LOWEST, HIGHEST))


def _upper(total: Array, top: Array, room: float = ONE_SIDED) -> Array:
    """(rater,): the upper 95 % limit of the skill."""
    inside = 2 * (top[:, None] - total) <= room
    return _finer(total, top, np.where(inside, GRID, 0).max(1), room)


def _softer(c: FittedModel, q: Array) -> Iterator[Array]:
    return (softened(q, c.prevalence, p) for p in POWERS)


def _highest(right: Array, own: Array, n: Array) -> float:
    """The largest log-likelihood over the grid of skills, found in a few steps: it is concave in the skill."""
    known: dict[int, float] = {}

    def at(g: int) -> float:
        if g not in known:
            known[g] = float(
                (n * _logs(right, own, GRID[g])).sum()
            )  # a product of long vectors would wake threads, to no gain
        return known[g]

    low, high = 0, len(GRID) - 2  # at the last, an impossible label costs no more than NEVER
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if at(middle) >= at(middle + 1) else (middle + 1, high)
    return max(at(low), at(len(GRID) - 1))


def _logs(right: Array, own: Array, skill: float) -> Array:
    """(cell,): the log-likelihood of each label if all raters had this skill."""
    return log(np.maximum(skill * right + (1 - skill) * own, NEVER))


def _finer(total: Array, top: Array, high: Array, room: float) -> Array:
    """The limit between two points of the grid, by a straight line."""
    at = np.rint(high * (len(GRID) - 1)).astype(int)
    after = np.minimum(at + 1, len(GRID) - 1)
    rows = np.arange(len(total))
    a, b = (2 * (top - total[rows, x]) - room for x in (at, after))
    part = np.where(b > a, -a / np.where(b > a, b - a, 1), 0)
    return np.asarray(np.clip(high + part * (GRID[1] - GRID[0]) * (after > at), 0, 1))


def _needed(q: Array, habit: Array, rater_of: Array, n: Array, least: float) -> Array:
    """(rater,): how many labels suffice as evidence against a blind rater, if all items are like theirs."""
    m = habit[rater_of]  # (cell, label)
    lost = (m * (log(m) - log(least * q + (1 - least) * m))).sum(1)
    each = np.bincount(rater_of, n * lost, len(habit)) / np.maximum(np.bincount(rater_of, n, len(habit)), 1)
    return np.asarray(ENOUGH / np.maximum(2 * each, 1e-4))
