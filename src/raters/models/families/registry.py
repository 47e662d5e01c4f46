"""Every model by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.models.families import dawid_skene, glad, hierarchical, mace, one_coin
from raters.models.families.spec import Family, Labelled, Task
from raters.models.votes import Votes

if TYPE_CHECKING:
    from raters.models.result import Consensus, Settings

Array = NDArray[Any]
MEMORY = 2**30
"""Bytes that a confusion matrix for every rater may take."""


DISCRETE: Mapping[str, Family] = {
    "dawid_skene": dawid_skene.FAMILY,
    "one_coin": one_coin.FAMILY,
    "hierarchical": hierarchical.FAMILY,
    "mace": mace.FAMILY,
    "glad": glad.FAMILY,
}
MODELS = ("majority", *DISCRETE, "gaussian")
BAYES = ("dawid_skene", "hierarchical", "item_difficulty")
"""Models of the extra ``[bayes]``."""


def make(name: str, votes: Votes, gold: Array | None, settings: Settings) -> Labelled:
    """A model of these votes."""
    family = DISCRETE[name]
    if family.dense:
        needs(votes, name)
    return Labelled(family, Task(votes, gold, settings.smoothing, prior_counts(votes, settings), settings.uniform))


def model_of(c: Consensus) -> Labelled | None:
    """The model behind a consensus; None for a vote."""
    return None if c.model not in DISCRETE else make(c.model, c.votes, c.gold, c.settings)


def prior_counts(votes: Votes, settings: Settings) -> Array | None:
    """(rater, true label, given label): counts from elsewhere for the raters of these votes."""
    if not settings.priors:
        return None
    k = votes.n_labels
    counts = np.zeros((votes.n_raters, k, k))
    for at, rater in enumerate(votes.raters):
        if rater in settings.priors:
            counts[at] = settings.priors[rater]
    return counts if counts.any() else None


def needs(votes: Votes, what: str, hint: str = "Use model='one_coin', which needs one number for each rater.") -> None:
    """Refuse a matrix for every rater that would not fit in memory."""
    if size := too_large(votes):
        raise UsageError(f"{what} would take {size}. {hint}")


def too_large(votes: Votes) -> str:
    """How large a matrix for every rater would be, where that is over the limit."""
    size = votes.n_raters * votes.n_labels**2 * 8
    if size <= MEMORY:
        return ""
    shape = f"{votes.n_raters:,} raters x {votes.n_labels:,} x {votes.n_labels:,} labels"
    return f"{size / 2**30:.1f} GiB: {shape} (the limit is {MEMORY / 2**30:.3g} GiB)"
