"""How a tie is decided: one row for each rule, for the votes of a consensus and the aggregates of kRR alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.base.probabilities import row_sums

Array = NDArray[Any]


@dataclass(frozen=True)
class Rule:
    """What a tie gives."""

    shares: Callable[[Array], Array]
    """(row, label), whether a label is among the tied ones, to the chance of each label to be the answer; a row of
    zeros has no answer."""
    drawn: bool = False
    """Whether one label is drawn by these chances: a figure that is an expectation takes the chances themselves."""
    several: bool = False
    """Whether all tied labels are kept, so that there is no single answer; kRR needs one."""


def equal(tied: Array) -> Array:
    """An equal share for each tied label.

    >>> equal(np.array([[True, True, False], [False, True, False]])).tolist()
    [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]
    """
    return np.asarray(tied / np.maximum(row_sums(tied.astype(float)), 1)[:, None])


def first(tied: Array) -> Array:
    """The first of the tied labels.

    >>> first(np.array([[False, True, True], [False, False, False]])).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    one = np.zeros(tied.shape)
    one[np.arange(len(tied)), tied.argmax(1)] = 1
    return np.asarray(one * tied.any(1, keepdims=True))


def last(tied: Array) -> Array:
    """The last of the tied labels.

    >>> last(np.array([[True, True, False]])).tolist()
    [[0.0, 1.0, 0.0]]
    """
    return first(tied[:, ::-1])[:, ::-1]


def alone(tied: Array) -> Array:
    """The label that is not tied, or none.

    >>> alone(np.array([[True, True], [False, True]])).tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    return np.asarray(tied * (tied.sum(1, keepdims=True) == 1), float)


TIES: Mapping[str, Rule] = {
    "random": Rule(equal, drawn=True),
    "first": Rule(first),
    "last": Rule(last),
    "abstain": Rule(alone),
    "split": Rule(equal, several=True),
}
ONE_ANSWER = tuple(name for name, rule in TIES.items() if not rule.several)
"""The rules that give one answer or none."""
