"""Aggregates that use the whole table: a consensus model is fitted to each half of the labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.agree.agreement_spec import Request
from raters.annotations import Annotations
from raters.errors import UsageError
from raters.inference.statistic import Statistic
from raters.items.folding import check_repeats
from raters.models.base.votes import Votes
from raters.models.families.registry import names
from raters.models.fitting.fit import fit
from raters.reliability.krr.aggregates import Aggregate
from raters.reliability.krr.resampling import collected, drawing_error

Array = NDArray[Any]
DRAWS = 10


def model_aggregate(name: str, ties: str) -> Aggregate | None:
    """The consensus model of this name as an aggregate; None if there is no such model."""
    if name not in names(numbers=False):
        return None
    return Aggregate(name, ties, table=lambda votes: fit(votes, model=name, restarts=0).codes)


def split_tables(
    req: Request, ann: Annotations, agg: Aggregate, k: int, draws: int | None, seed: int
) -> tuple[Statistic, dict[str, Any]]:
    """Draw two disjoint sets of k labels of each item, with their raters, fit the model to each half, and compute the coefficient between them."""
    if agg.table is None:
        raise UsageError(f"{agg.name} does not use the whole table.")
    check_repeats(ann, None, None)
    votes = Votes.of(ann)
    times = votes.table.data.astype(np.int64)
    item, rater, label = (np.repeat(x, times) for x in (votes.item_of, votes.rater_of, votes.label_of))
    size = np.bincount(item, minlength=votes.n_items)
    kept = size >= 2 * k
    n, rng = draws or DRAWS, np.random.default_rng(seed)
    units = np.flatnonzero(kept)
    place = np.arange(len(item)) - np.repeat(np.cumsum(size) - size, size)
    a, b = np.full((n, len(units)), -1), np.full((n, len(units)), -1)
    for d in range(n):
        order = np.lexsort((rng.random(len(item)), item))
        for half, low in ((a, 0), (b, k)):
            at = order[(place >= low) & (place < low + k) & kept[item]]
            half[d] = agg.table(_half(votes, units, item[at], rater[at], label[at]))
    weight, parts = np.ones(len(units)), [(np.arange(len(units)), a, b)]
    error = drawing_error(req, ann, agg, weight, parts)
    return collected(req, ann, agg, weight, parts), {"draws": n, "drawing_error": error}


def _half(votes: Votes, units: Array, item: Array, rater: Array, label: Array) -> Votes:
    """These labels of these items, by the raters who gave any of them."""
    who, rater = np.unique(rater, return_inverse=True)
    row = np.searchsorted(units, item)
    raters = [votes.raters[at] for at in who]
    return Votes.of_codes(row, rater, label, labels=votes.labels, items=units.tolist(), raters=raters)
