r"""Two camps whose members make the same errors: a model of raters then follows one of them, and held-out labels cannot
show that it is the wrong one.

Models assume that raters err independently given the truth. For each pair of raters, the agreement beyond what their
matrices allow, as a z value, gives a matrix over raters. If its largest eigenvalue stands out, and the raters who carry
it are about half of the crowd and agree *less* than expected with the rest, there are two camps: the model treats one
camp's view as the truth, so the others' errors are correlated. It follows the more unanimous camp, which may be the
better one or the one whose members follow the same cue. The items on which both camps agree distinguish the two cases:
those who know more are right more often there as well. If the raters whom the model follows are right *less* often
there, it is enough that the others agree with one another much more than with them, and that the model overrules
majorities for them:
two groups that draw the line in different places (what is offensive, what is spam) look like this, and no label shows
which line is the right one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.base.fit import FittedModel
from raters.models.base.votes import Votes
from raters.models.rater_quality.pair_agreement import pair_sums

Array = NDArray[Any]
FEWEST, MOST_RATERS = 4, 300
OF_CHANCE = 2.0
"""The largest eigenvalue of a matrix of independent z values, in units of the square root of its size."""
OF_THE_NEXT = 1.5
"""How many times the second it must be."""
SMALLEST, LARGEST = 0.4, 0.75
"""The range for the share of labels from the camp that the model does not follow. A smaller camp is outvoted in any
case.
"""
APART = -0.2
"""Mean z value of pairs from different camps."""
MATTERS, OF_DISAGREEMENT = 0.02, 0.1
"""How much more often the members of that camp agree than expected, or what share of the disagreement that is expected
of them is missing.
"""
BETTER, WORSE = 1.7, 0.8
"""A camp that errs this many times less often on items on which both agree is believed; one for which the others' rate
is at most this many times its own errs more.
"""
OF_WITHIN, OVERRULED, SIDES = 0.5, 0.02, 2 / 3
"""If those followed err more: the mean z value of pairs from different camps is at most this share of that within the
other camp, and the model overrules at least this share of the majorities, in at least this share of the cases because
it sides with them."""


@dataclass(frozen=True)
class Camps:
    """Two groups of raters; neither is shown to know more."""

    followed: Array
    """(rater,): those whose view the model treats as the truth."""
    errors: tuple[float, float]
    """How often a label of those followed, and of the others, is wrong on items on which the rest of both camps
    agree.
    """


def camps(c: FittedModel) -> Camps | None:
    """The camps, if there are two about as large and neither is shown to know more; ``c`` has a matrix for each rater.

    >>> import raters
    >>> camps(raters.consensus(raters.examples.demo(), "dawid_skene")) is None
    True
    """
    n = c.votes.n_raters
    if not FEWEST <= n <= MOST_RATERS or c.gold is not None:
        return None
    a, b, shared, agreed, expected, spread = pair_sums(c)
    some = spread > 0
    a, b, shared, expected, spread = (x[some] for x in (a, b, shared, expected, spread))
    excess = agreed[some] - expected
    z = np.zeros((n, n))
    z[a, b] = excess / np.sqrt(spread)
    values, vectors = np.linalg.eigh(z + z.T)
    if values[-1] < max(OF_CHANCE * np.sqrt(n), OF_THE_NEXT * values[-2]):
        return None
    others = _heavier(vectors[:, -1])
    given = c.votes.per_rater.sum(1)
    share = given[others].sum() / given.sum()
    within, across = others[a] & others[b], others[a] != others[b]
    if not (share >= SMALLEST and within.any() and across.any() and follows(c, ~others)):
        return None
    if excess[within].sum() < min(MATTERS * shared[within].sum(), OF_DISAGREEMENT * (shared - expected)[within].sum()):
        return None
    errors = _wrong(c.votes, ~others), _wrong(c.votes, others)
    near, far = (float(z[a, b][x].mean()) for x in (within, across))
    unclear = share <= LARGEST and far <= APART and errors[1] < BETTER * errors[0]
    worse = far <= OF_WITHIN * near and errors[1] <= WORSE * errors[0] and overrules(c, ~others)
    return Camps(~others, errors) if unclear or worse else None


def follows(c: FittedModel, camp: Array) -> bool:
    """Whether the model sides with this camp on most items on which the majorities of the two differ: raters who agree
    more than expected because they know the hard items are followed themselves.
    """
    own, other = (_of(c.votes, x).counts for x in (camp, ~camp))
    apart = _clear(own) & _clear(other) & (own.argmax(1) != other.argmax(1))
    return bool(2 * (c.codes == own.argmax(1))[apart].sum() > apart.sum())


def overrules(c: FittedModel, camp: Array) -> bool:
    """Whether the model overrules many majorities, mostly for a label that more of this camp than of the other gave."""
    clear = _clear(c.votes.counts)
    at = np.flatnonzero(clear & (c.votes.counts.argmax(1) != c.codes))
    own, other = (_of(c.votes, x).shares()[at, c.codes[at]] for x in (camp, ~camp))
    return len(at) >= OVERRULED * clear.sum() and int((own > other).sum()) >= SIDES * len(at)


def _of(votes: Votes, camp: Array) -> Votes:
    """The votes of a camp."""
    return votes.kept(np.where(camp[votes.rater_of], votes.table.data, 0))


def _heavier(vector: Array) -> Array:
    """(rater,): those on the side of an eigenvector that has most of its weight, with at least half the weight that is
    typical there.
    """
    side = vector if (vector[vector > 0] ** 2).sum() >= 0.5 else -vector
    there = side[side > 0]
    return np.asarray(side > 0.5 * (there**3).sum() / (there**2).sum())


def _wrong(votes: Votes, camp: Array) -> float:
    """How often a label of a camp is wrong on items on which its other members and the other camp have the same
    majority; nan without any.
    """
    mine = camp[votes.rater_of]
    own, other = (_of(votes, x).counts[votes.item_of[mine]] for x in (camp, ~camp))
    cells, label = np.arange(len(own)), votes.label_of[mine]
    own[cells, label] -= votes.table.data[mine]
    top = own.argmax(1)
    known = _clear(own) & _clear(other) & (top == other.argmax(1))
    return float(np.mean(label[known] != top[known])) if known.any() else np.nan


def _clear(counts: Array) -> Array:
    """(row,): whether one label has the most votes."""
    return np.asarray((counts == counts.max(1, keepdims=True)).sum(1) == 1)
