"""Every model by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.models.dawid_skene import DawidSkene
from raters.models.em import Model, Params
from raters.models.glad import Glad
from raters.models.hierarchical import Hierarchical
from raters.models.mace import Mace
from raters.models.one_coin import OneCoin
from raters.models.votes import Votes

if TYPE_CHECKING:
    from raters.models.result import Consensus, Settings

Array = NDArray[Any]
MEMORY = 2**30
"""Bytes that a confusion matrix for every rater may take."""


class Labelled(Model, Protocol):
    """A model of labels, as against numbers."""

    def cells(self, params: Params, votes: Votes) -> Array:
        """(cell, true label): the log probability of each label that was given."""
        ...

    def confusion(self, params: Params) -> Array:
        """(rater, true label, given label)"""
        ...


DISCRETE: Mapping[str, Callable[..., Labelled]] = {
    "dawid_skene": DawidSkene,
    "one_coin": OneCoin,
    "hierarchical": Hierarchical,
    "mace": Mace,
    "glad": Glad,
}
MODELS = ("majority", *DISCRETE, "gaussian")
DENSE = ("dawid_skene", "hierarchical")
"""Models whose parameters are a full matrix for every rater."""
UNIFORM = ("one_coin", "mace", "glad")
"""Models that hold prevalence equal over labels unless it is to be learned."""
TAKES_PRIORS = ("dawid_skene", "hierarchical", "one_coin")


def make(name: str, votes: Votes, gold: Array | None, settings: Settings) -> Labelled:
    """A model of these votes."""
    if name in DENSE:
        needs(votes, name)
    return DISCRETE[name](votes, gold, settings.smoothing, prior_counts(votes, settings), settings.uniform)


def model_of(c: Consensus) -> Any:
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


def needs(votes: Votes, what: str, limit: int | None = None) -> None:
    """Refuse a matrix for every rater that would not fit in memory."""
    limit = MEMORY if limit is None else limit
    size = votes.n_raters * votes.n_labels**2 * 8
    if size > limit:
        raise UsageError(
            f"{what} would take {size / 2**30:.1f} GiB: {votes.n_raters:,} raters x {votes.n_labels:,} x {votes.n_labels:,} labels "
            f"(the limit is {limit / 2**30:.3g} GiB). Use model='one_coin', which needs one number for each rater."
        )
