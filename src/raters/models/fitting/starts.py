"""Where the loop starts: the expected truth before anything is known about the raters.

The likelihood has several modes, so several starts are tried and the best objective is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.families import dawid_skene, one_coin
from raters.models.families.probabilities import normalised, winners
from raters.models.families.spec import Problem
from raters.models.families.task import Task
from raters.models.fitting.gold import covered
from raters.models.votes import Votes

Array = NDArray[Any]
MOST = 2**24
"""Largest number of confusion-matrix cells for which gold labels start full matrices."""
BEST = ("votes", "majority", "diagonal")
"""The fixed starts that ``best`` tries, in addition to random ones."""


def by_votes(votes: Votes, rng: np.random.Generator) -> Array:
    """Shares of the votes."""
    return votes.shares()


def by_majority(votes: Votes, rng: np.random.Generator) -> Array:
    """The label with the most votes; ties are split."""
    return winners(votes.counts)


def by_diagonal(votes: Votes, rng: np.random.Generator) -> Array:
    """Posteriors if every rater were right with weight .7 and gave each other label with weight .3/K."""
    k = votes.n_labels
    return normalised(votes.counts * (np.log(0.7) - np.log(0.3 / k)))[0]


def by_random(votes: Votes, rng: np.random.Generator) -> Array:
    """A draw from Dirichlet(1 + votes) for every item."""
    draw = rng.standard_gamma(1 + votes.counts)
    return np.asarray(draw / draw.sum(1, keepdims=True))


MAKE: Mapping[str, Callable[[Votes, np.random.Generator], Array]] = {
    "votes": by_votes,
    "majority": by_majority,
    "diagonal": by_diagonal,
    "random": by_random,
    "paper": by_diagonal,
}
STARTS = ("best", *MAKE)


def shaken(best: Array, other: Array, rng: np.random.Generator) -> Array:
    """(item, label): the best end so far, with a random quarter to three quarters of the items taken from another start."""
    return _mixed(best, other, rng.random(len(best)) < rng.uniform(0.25, 0.75))


def nudged(best: Array, other: Array, rng: np.random.Generator) -> Array:
    """The same for a twentieth to a quarter of the items."""
    return _mixed(best, other, rng.random(len(best)) < rng.uniform(0.05, 0.25))


def recast(best: Array, other: Array, rng: np.random.Generator) -> Array:
    """The same for all items of one label and a tenth of the others: a label may stand for a different kind of item."""
    label = rng.integers(best.shape[1])
    return _mixed(best, other, (best.argmax(1) == label) | (rng.random(len(best)) < 0.1))


def _mixed(best: Array, other: Array, part: Array) -> Array:
    return np.asarray(np.where(part[:, None], other, best))


SHAKES: Mapping[str, Callable[[Array, Array, np.random.Generator], Array]] = {
    "shaken": shaken,
    "nudged": nudged,
    "recast": recast,
}
"""Starts near the best end so far, used in turn. On add-v and date-n of Passonneau and Carpenter these end higher than five hundred random ones."""


def begin(name: str, votes: Votes, gold: Array | None, rng: np.random.Generator) -> Array:
    """(item, label): the expected truth at the start; gold labels initialise the matrices of their raters."""
    if gold is None:
        return MAKE[name](votes, rng)
    at = np.flatnonzero(gold >= 0)
    known = np.zeros((votes.n_items, votes.n_labels))
    known[at, gold[at]] = 1
    small = votes.n_raters * votes.n_labels**2 <= MOST
    first = Problem((dawid_skene if small else one_coin).MODEL, Task(votes, gold, smoothing=1.0, uniform=True))
    informed, _ = first.expect(first.maximise(known))
    reached = np.bincount(votes.item_of, covered(votes, gold)[votes.rater_of], votes.n_items) > 0
    if name == "random":
        hint = informed * votes.per_item[:, None]
        draw = rng.standard_gamma(1 + np.where(reached[:, None], hint, votes.counts))
        informed = other = draw / draw.sum(1, keepdims=True)
    else:
        other = MAKE[name](votes, rng)
    q = np.where(reached[:, None], informed, other)
    q[at] = known[at]
    return np.asarray(q)
