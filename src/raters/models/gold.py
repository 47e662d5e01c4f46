"""What labels can be held against: gold labels, and other raters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import DataError, UsageError, listed
from raters.models.votes import Votes

Array = NDArray[Any]


def gold_codes(gold: Mapping[Any, Any] | None, votes: Votes) -> Array:
    """(item,): the code of an item's gold label, -1 where there is none; a label that does not exist is an error."""
    codes = np.full(votes.n_items, -1)
    if not gold:
        return codes
    if not isinstance(gold, Mapping):
        raise UsageError(
            f"gold={type(gold).__name__}: give a mapping from item to label, such as gold={{'q1': 'yes'}}."
        )
    label = {name: k for k, name in enumerate(votes.labels)}
    at = {name: i for i, name in enumerate(votes.items)}
    odd = [(item, value) for item, value in gold.items() if value not in label]
    if odd:
        raise DataError(
            f"gold label {odd[0][1]!r} of item {odd[0][0]!r} is not one of the labels {listed(votes.labels)} "
            f"({len(odd)} such). Put it right, or pass labels= when reading."
        )
    lost = [item for item in gold if item not in at]
    if len(lost) == len(gold):
        raise DataError(
            f"no gold item is among the items (first: {lost[0]!r}; items are like {votes.items[0]!r}). Use the same names."
        )
    for item, value in gold.items():
        if item in at:
            codes[at[item]] = label[value]
    return codes


def covered(votes: Votes, gold: Array) -> Array:
    """(rater,): whether the rater labelled an item with a gold label."""
    return np.asarray(np.bincount(votes.rater_of, (gold >= 0)[votes.item_of], votes.n_raters) > 0)


def compared(votes: Votes) -> Array:
    """(rater,): whether any item of the rater has a label of another one."""
    found = np.zeros(votes.n_raters, bool)
    for _, part in votes.parts():
        rater, item = part.rater_of, part.item_of
        first = np.ones(len(rater), bool)  # cells of one rater on one item lie side by side
        first[1:] = (rater[1:] != rater[:-1]) | (item[1:] != item[:-1])
        several = np.bincount(item[first], minlength=part.n_items) > 1
        found[rater[several[item]]] = True
    return found
