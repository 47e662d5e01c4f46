"""What labels can be compared with: gold labels, and other raters."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import DataError, UsageError, brief, listed
from raters.models.base.votes import Votes
from raters.notes.note import Note

Array = NDArray[Any]


def gold_codes(gold: Mapping[Any, Any] | None, votes: Votes) -> Array:
    """(item,): the code of an item's gold label, -1 if there is none; an unknown label is an error."""
    codes = np.full(votes.n_items, -1)
    if not gold:
        return codes
    _check(gold, "'yes'")
    label = {name: k for k, name in enumerate(votes.labels)}
    spelled = {str(name): k for name, k in label.items()}

    def code(value: Any) -> int | None:
        """By the label itself; or by its spelling, as gold from a file is text where labels are numbers."""
        exact = label.get(value) if isinstance(value, Hashable) else None
        return spelled.get(str(value).strip()) if exact is None else exact

    odd = [(item, value) for item, value in gold.items() if code(value) is None]
    if odd:
        raise DataError(
            f"gold label {odd[0][1]!r} of item {odd[0][0]!r} is not one of the labels {listed(votes.labels)} "
            f"({len(odd)} in all). Correct it, or name all labels: raters.read(..., labels=[...])."
        )
    for at, value in _found(gold, votes):
        codes[at] = code(value)
    return codes


def gold_values(gold: Mapping[Any, Any], votes: Votes) -> Array:
    """(item,): the known number of an item, or nan if there is none."""
    _check(gold, "3.5")
    values = np.full(votes.n_items, np.nan)
    for at, value in _found(gold, votes):
        if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
            raise DataError(f"gold value {brief(value)} of item {brief(votes.items[at])} is not a number.")
        values[at] = float(value)
    return values


def doubts(gold: Mapping[Any, Any], votes: Votes, labels: Array | None) -> list[Note]:
    """Notes on gold labels; ``labels``: (item,) codes of the model's labels, None if there are none to check.

    One wrong gold label can switch labels throughout, because nothing else ties the model's classes to their names.
    """
    said: list[Note] = []
    known = np.array([item in gold for item in votes.items])
    if lost := len(gold) - int(known.sum()):
        said.append(Note("gold_items_unknown", {"n": lost, "gold": len(gold)}))
    if labels is None:
        return said
    top = votes.counts == votes.counts.max(1, keepdims=True)
    clear = (top.sum(1) == 1) & ~known
    n, other = int(clear.sum()), int((labels != top.argmax(1))[clear].sum())
    if other and other * 3 >= n:
        said.append(Note("gold_contradicts_votes", {"n": other, "items": n}))
    return said


def _check(gold: Any, example: str) -> None:
    if not isinstance(gold, Mapping):
        raise UsageError(
            f"gold={type(gold).__name__}: pass a mapping from item to label, such as gold={{'q1': {example}}}."
        )


def _found(gold: Mapping[Any, Any], votes: Votes) -> list[tuple[int, Any]]:
    """Rows of the gold items that are in the table, and their labels."""
    at = {name: i for i, name in enumerate(votes.items)}
    found = [(at[item], value) for item, value in gold.items() if item in at]
    if not found:
        first = next(iter(gold))
        raise DataError(
            f"no gold item is among the items (first: {first!r}; items are like {votes.items[0]!r}). Use the same"
            " names."
        )
    return found


def covered(votes: Votes, gold: Array) -> Array:
    """(rater,): whether the rater labelled an item with a gold label."""
    return np.asarray(np.bincount(votes.rater_of, (gold >= 0)[votes.item_of], votes.n_raters) > 0)


def compared(votes: Votes) -> Array:
    """(rater,): whether any item of the rater has a label from another rater."""
    found = np.zeros(votes.n_raters, bool)
    for _, part in votes.parts():
        rater, item = part.rater_of, part.item_of
        first = np.ones(len(rater), bool)  # cells of one rater on one item are adjacent
        first[1:] = (rater[1:] != rater[:-1]) | (item[1:] != item[:-1])
        several = np.bincount(item[first], minlength=part.n_items) > 1
        found[rater[several[item]]] = True
    return found
