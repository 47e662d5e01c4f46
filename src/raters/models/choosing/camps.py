r"""Two camps whose members make the same errors: a model of raters then follows one of them, and held-out labels cannot show that it is the wrong one.

Models assume that raters err independently given the truth. For each pair of raters, the agreement beyond what their matrices allow,
as a z value, gives a matrix over raters. If its largest eigenvalue stands out, and the raters who carry it are about half of the crowd and agree *less* than expected with the rest,
there are two camps: the model treats one camp's view as the truth, so the others' errors are correlated. It follows the more
unanimous camp, which may be the better one or the one whose members follow the same cue. The items on which both camps agree distinguish the two cases: those who
know more are right more often there as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.choosing.pair_agreement import pair_sums
from raters.models.fitted_model import FittedModel
from raters.models.votes import Votes

Array = NDArray[Any]
FEWEST, MOST_RATERS = 4, 300
OF_CHANCE = 2.0
"""The largest eigenvalue of a matrix of independent z values, in units of the square root of its size."""
OF_THE_NEXT = 1.5
"""How many times the second it must be."""
SMALLEST, LARGEST = 0.4, 0.75
"""The range for the share of labels from the camp that the model does not follow. A smaller camp is outvoted in any case."""
APART = -0.2
"""Mean z value of pairs from different camps."""
MATTERS = 0.02
"""How much more often the members of that camp agree than expected."""
BETTER = 1.7
"""A camp that errs this many times less often on items on which both agree is believed."""


@dataclass(frozen=True)
class Camps:
    """Two groups of raters; neither is shown to know more."""

    followed: Array
    """(rater,): those whose view the model treats as the truth."""
    errors: tuple[float, float]
    """How often a label of those followed, and of the others, is wrong on items on which the rest of both camps agree."""


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
    a, b, shared, excess, spread = a[some], b[some], shared[some], (agreed - expected)[some], spread[some]
    z = np.zeros((n, n))
    z[a, b] = excess / np.sqrt(spread)
    values, vectors = np.linalg.eigh(z + z.T)
    if values[-1] < max(OF_CHANCE * np.sqrt(n), OF_THE_NEXT * values[-2]):
        return None
    others = _heavier(vectors[:, -1])
    given = c.votes.per_rater.sum(1)
    within, across = others[a] & others[b], others[a] != others[b]
    if not (SMALLEST <= given[others].sum() / given.sum() <= LARGEST and within.any() and across.any()):
        return None
    if z[a, b][across].mean() > APART or excess[within].sum() < MATTERS * shared[within].sum():
        return None
    errors = _wrong(c.votes, ~others), _wrong(c.votes, others)
    return Camps(~others, errors) if errors[1] < BETTER * errors[0] else None


def _heavier(vector: Array) -> Array:
    """(rater,): those on the side of an eigenvector that has most of its weight."""
    side = vector if (vector[vector > 0] ** 2).sum() >= 0.5 else -vector
    return np.asarray(side > 0.5 / np.sqrt(len(side)))


def _wrong(votes: Votes, camp: Array) -> float:
    """How often a label of a camp is wrong on items on which its other members and the other camp have the same majority; nan without any."""
    mine = camp[votes.rater_of]
    own, other = (votes.kept(np.where(x, votes.table.data, 0)).counts[votes.item_of[mine]] for x in (mine, ~mine))
    cells, label = np.arange(len(own)), votes.label_of[mine]
    own[cells, label] -= votes.table.data[mine]
    top = own.argmax(1)
    known = _clear(own) & _clear(other) & (top == other.argmax(1))
    return float(np.mean(label[known] != top[known])) if known.any() else np.nan


def _clear(counts: Array) -> Array:
    """(row,): whether one label has the most votes."""
    return np.asarray((counts == counts.max(1, keepdims=True)).sum(1) == 1)


def sentence(found: Camps) -> str:
    """Why the model is not used."""
    n, all_ = int(found.followed.sum()), len(found.followed)
    return (
        f"raters form two camps whose members make the same errors: it follows {n:,} of {all_:,} raters against the other {all_ - n:,}, although on items on "
        f"which the camps agree both make about as many errors ({found.errors[0]:.0%} and {found.errors[1]:.0%} of the labels), so the labels "
        "cannot show which camp is right"
    )
