"""The vote: the label that most raters gave. Ties are settled by a named rule, never silently."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.fitting.starts import winners
from raters.models.result import Consensus, Settings
from raters.models.votes import Votes

Array = NDArray[Any]
TIES = ("first", "random", "abstain", "split")


def majority(votes: Votes, gold: Array | None = None, settings: Settings | None = None) -> Consensus:
    """The vote as a consensus: ``posterior`` is 1 for the winner, ``certainty`` the winner's share of the votes.

    Ties: ``first`` in label order; ``random``, by the seed; ``abstain``: no label; ``split``: the posterior is shared out
    among the tied labels, and ``.labels`` names the first of them.

    >>> votes = Votes.of_codes([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1], labels=("no", "yes"))
    >>> majority(votes, settings=Settings(ties="split")).posterior.tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    settings = settings or Settings()
    q = winners(votes.counts)
    if settings.ties in ("first", "random"):
        q = chosen(q, settings)
    if gold is not None:
        at = np.flatnonzero(gold >= 0)
        q[at] = 0
        q[at, gold[at]] = 1
    tied = int(((votes.counts == votes.counts.max(1, keepdims=True, initial=0)).sum(1)[votes.per_item > 0] > 1).sum())
    said = (f"{tied:,} of {votes.n_items:,} votes are tied (ties={settings.ties!r})",) if tied else ()
    return Consensus("majority", votes, q, {}, reason="counted", gold=gold, settings=settings, warnings=said)


def chosen(q: Array, settings: Settings) -> Array:
    """One of the tied labels: the first, or any by the seed."""
    one = np.zeros_like(q)
    if settings.ties == "first":
        at = q.argmax(1)
    else:
        at = np.where(q > 0, np.random.default_rng(settings.seed).random(q.shape), -1).argmax(1)
    one[np.arange(len(q)), at] = 1
    return one
