"""What every predictive model of an item's labels can do, and what it says of an item."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from raters.models.choosing.cells import Cells

Array = NDArray[Any]
Known = Mapping[str, Array]


@dataclass(frozen=True)
class Judged:
    """What a predictive model says of each item."""

    log: Array
    """(item,): log probability of the item's labels, gold among them."""
    truth: Array
    """(item, label): the probability that the label is true."""
    wins: Array
    """(item, label): the probability that the label would win a very large vote of such raters."""
    ease: Array
    """(item,): how far its labels depend on its truth."""


@dataclass(frozen=True)
class Before:
    """What is known before the data."""

    matrices: Array | None = None
    """(rater, true label, given label): counts."""
    items: Any = 0.0
    """(label,): items of each label."""
    uniform: bool = False
    """Whether all labels are equally frequent."""


class Component(ABC):
    """A model of raters, fitted to cells from a start."""

    name: ClassVar[str]
    of_rater: ClassVar[Mapping[str, str]]
    """What :meth:`known` has for each rater, and what stands for it where a rater is unknown (empty: the mean)."""

    most_starts: ClassVar[int] = 3

    @abstractmethod
    def __init__(self, cells: Cells, belief: Array, skill: Array, before: Before) -> None:
        """``belief``: (item, label); ``skill``: (rater,)."""

    @abstractmethod
    def step(self) -> float:
        """One step of the fit; the log probability of the labels."""

    @abstractmethod
    def without(self, items: Array, steps: int) -> Known:
        """What would be known without the items that are true in ``items``, after so many steps."""

    @abstractmethod
    def for_all(self, cells: Cells) -> Self:
        """The same model for more items of the same raters, with the strengths that it has learned, before its first step."""

    @abstractmethod
    def known(self) -> Known:
        """What is known about raters and the crowd: enough to judge other items."""

    @abstractmethod
    def judged(self) -> Judged:
        """What is to be said of its own items."""

    @classmethod
    @abstractmethod
    def of_others(cls, c: Cells, known: Known) -> Judged:
        """What is to be said of other items."""


def share(x: Array) -> Array:
    """Shares of the total."""
    return np.asarray(x / x.sum())
