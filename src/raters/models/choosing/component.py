r"""What the components that know raters share: items that are not easy, habits, and counts without an item's own labels.

An item has a truth k and an ease e. A label depends on the truth with probability e, else on the rater's habit h:

.. math:: p(y_{ij} \mid k, e) = e\, \theta_j(k, y) + (1 - e)\, h_j(y)

Fitted by collapsed variational Bayes of order zero: what an item is judged by is counted without its own labels, both
for the rater and for the crowd, so that no label vouches for itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from raters.models.choosing.cells import Cells
from raters.models.choosing.strength import strength

Array = NDArray[Any]
EASE = np.array([1.0, 0.6, 0.3])
"""How far labels of an item may depend on its truth: entirely, for the most part, hardly."""
EASY = np.array([0.8, 0.1, 0.1])
"""Shares of these items at the start."""
CENTRE, OF_ROWS = 12.0, 6.0
"""How alike raters are before the data, as a number of labels: in a rate or a habit, and in a row of a matrix."""
LOW, WARM, EVERY = 1.0, 10, 3
"""Raters are taken to be this alike for so many steps, so that good ones can separate; then s is learned anew every so
many."""
PULL = 0.5
"""Items that have the shares of the labels given, for each item of the table, in the prevalence of a component."""
PSEUDO = 2.0
"""Labels in each row of the crowd's matrix before the data, for each label that there is."""
Known = Mapping[str, Array]
TINY = 1e-12


@dataclass(frozen=True)
class Judged:
    """What a component says of each item."""

    state: Array
    """(ease, truth, item): probabilities."""
    log: Array
    """(item,): log probability of the labels."""

    @property
    def truth(self) -> Array:
        """(item, truth)"""
        return np.asarray(self.state.sum(0).T)


def judge(cells: Cells, likely: list[Array], known: Known) -> Judged:
    """``likely``: for each ease the log probability of an item's labels for each truth, (truth, item).

    Where truths are places on a scale, ``named`` is the label of each.
    """
    scores = np.array(likely, float, order="C")
    scores += np.log(np.maximum(known["ease"], TINY))[:, None, None]
    scores += np.log(np.maximum(known["prevalence"], TINY))[:, None]
    at = np.flatnonzero(cells.gold >= 0)
    if len(at):
        named = known.get("named", np.arange(scores.shape[1]))
        other = named[:, None] != cells.gold[at]
        other[:, other.all(0)] = False  # no place has this label
        scores[:, :, at] = np.where(other, -np.inf, scores[:, :, at])
    flat = scores.reshape(-1, scores.shape[2])
    top = flat.max(0)
    np.exp(np.subtract(flat, top, out=flat), out=flat)
    size = flat.sum(0)
    flat /= size
    return Judged(scores, top + np.log(size))


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
    """A model of raters, fitted to cells from a start: (item, label) beliefs and (rater,) skills."""

    name = ""
    of_rater: ClassVar[tuple[str, ...]] = ()
    """What :meth:`known` has for each rater."""
    by_cell: ClassVar[tuple[str, ...]] = ()
    by_habit: Array
    strength: Any

    @abstractmethod
    def begin(self, q: Array, skill: Array) -> Array:
        """How the labels of the start are shared between knowledge and habit; (truth, item) beliefs."""

    @abstractmethod
    def expect(self) -> None:
        """Judge each item by the others' counts, and share its labels between knowledge and habit."""

    @abstractmethod
    def count_raters(self) -> None:
        """What raters and the crowd show, from the present beliefs."""

    @abstractmethod
    def learn(self) -> None:
        """How alike raters are."""

    @abstractmethod
    def rates(self) -> dict[str, Array]:
        """What :meth:`known` has beside habits."""

    @classmethod
    @abstractmethod
    def of_others(cls, c: Cells, known: Known) -> Judged:
        """What is to be said of other items."""

    @staticmethod
    @abstractmethod
    def crowd(known: Known) -> Array:
        """(truth, given): how an average rater labels."""

    def __init__(self, cells: Cells, belief: Array, skill: Array, before: Before | None = None):
        said = Before() if before is None else before
        self.cells, self.before, self.items_before, self.uniform = cells, said.matrices, said.items, said.uniform
        self.steps, self.learning = 0, True
        self.active = np.bincount(cells.item, minlength=cells.n_items) > 0
        self.habit_strength, self.strength = LOW, LOW
        q = belief.copy()
        at = np.flatnonzero(cells.gold >= 0)
        q[at] = np.eye(cells.n_labels)[cells.gold[at]]
        self.judged = Judged(EASY[:, None, None] * self.begin(q, skill), np.zeros(cells.n_items))
        self.count()
        self.ease = EASY

    @classmethod
    def like(cls, other: Component, cells: Cells, belief: Array) -> Self:
        """The same component for more cells, with the strengths that another has learned."""
        said = Before(other.before, other.items_before, other.uniform)
        made = cls(cells, belief, np.full(cells.n_raters, 0.5), said)
        made.strength, made.habit_strength, made.ease = other.strength, other.habit_strength, other.ease
        return made

    def count(self) -> None:
        """Counts of the crowd and of raters from the present beliefs."""
        c, items = self.cells, self.judged.state @ self.active.astype(float)  # (ease, truth)
        self.prevalence = self.shares(items.sum(0), PULL * self.active.sum())
        eased = items.sum(1)
        self.ease = (eased + 1) / (eased.sum() + len(EASE))
        self.habits = c.over_codes(self.by_habit)
        total = self.habits.sum(0)
        self.habit = (total + IMAGINED_HABIT * c.margin) / (total.sum() + IMAGINED_HABIT)
        self.count_raters()
        if self.learning and self.steps >= WARM and self.steps % EVERY == 0:
            self.habit_strength = strength(self.habits, self.habit, CENTRE)
            self.learn()

    def shares(self, rows: Array, pull: float) -> Array:
        """(truth,): the prevalence, from the items of each truth."""
        k = self.cells.n_labels
        if self.uniform:
            return np.full(k, 1 / k)
        made = rows + self.items_before + pull * self.cells.margin
        return np.asarray(made / made.sum())

    def habits_of_cells(self) -> Array:
        """(cell,): the probability of a label by habit, without the cell's own count."""
        c = self.cells
        own = self.by_habit
        got = np.maximum(self.habits[c.rater, c.label] - own, 0) + self.habit_strength * self.habit[c.label]
        return np.asarray(
            np.maximum(got, TINY)
            / (np.maximum((self.habits @ np.ones(c.n_labels))[c.rater] - own, 0) + self.habit_strength)
        )

    def run(self, steps: int, learning: bool = True) -> Self:
        self.learning = learning
        for _ in range(steps):
            self.step()
        return self

    def step(self) -> None:
        self.expect()
        self.steps += 1
        self.count()

    def without(self, items: Array) -> Self:
        """The same beliefs about the other items, with counts from them alone."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        at = ~items[self.cells.item]
        made.cells = self.cells.rows(~items)
        made.active = self.active & ~items
        for name in self.by_cell:
            setattr(made, name, getattr(self, name)[at])
        made.learning = False
        made.count()
        return made

    def known(self) -> dict[str, Array]:
        """What is known about raters and the crowd, as arrays: enough to judge other items."""
        habit = self.habits + self.habit_strength * self.habit
        return {
            "prevalence": self.prevalence,
            "ease": self.ease,
            "habit": habit / habit.sum(1, keepdims=True),
            "crowd_habit": self.habit,
            **self.rates(),
        }


IMAGINED_HABIT = 2.0
"""Labels with the shares of the labels given, in the crowd's habit."""


def shared_rate(hit: Array, miss: Array, own_hit: Any, own_miss: Any, s: float, mean: float) -> Array:
    """(cell,): a rater's rate, without what the cell itself adds."""
    got = np.maximum(hit - own_hit, 0) + s * mean
    return np.asarray(np.clip(got / (np.maximum(hit + miss - own_hit - own_miss, 0) + s), 1e-6, 1 - 1e-6))


def spread_of(cells: Cells, *parts: Array) -> tuple[Array, Array]:
    """The variance of raters' counts of each part, and the log probability that they are zero."""
    p = [np.clip(x / np.maximum(cells.weight, TINY), 0, 1 - 1e-9) for x in parts]
    variance = [cells.over_raters(cells.weight * x * (1 - x)) for x in p]
    none = [cells.over_raters(cells.weight * np.log1p(-x)) for x in p]
    return np.stack(variance, 1), np.stack(none, 1)


def named(judged: Judged, known: Known) -> Array:
    """(item, label): which label is true, where truths are places on a scale the label that most raters give there."""
    return judged.truth if "named" not in known else by_name(judged.truth, known["named"], known["crowd_habit"])


def by_name(truth: Array, names: Array, labels: Array) -> Array:
    made = np.zeros((len(truth), len(labels)))
    for at, name in enumerate(names):
        made[:, name] += truth[:, at]
    return made


def large(component: type[Component], judged: Judged, known: Known) -> Array:
    """(item, label): which label would win a very large vote of such raters, given truth and ease."""
    crowd, habit = component.crowd(known), known["crowd_habit"]
    made = np.zeros((judged.state.shape[2], len(habit)))
    for e, of_truth in zip(EASE, judged.state, strict=True):
        made += by_name(of_truth.T, (e * crowd + (1 - e) * habit).argmax(1), habit)
    return made
