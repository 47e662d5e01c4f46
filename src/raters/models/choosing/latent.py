r"""What the components that know raters share: items that are not easy, habits, and counts without an item's own labels.

An item has a truth k and an ease e. A label depends on the truth with probability e, else on the rater's habit h:

.. math:: p(y_{ij} \mid k, e) = e\, \theta_j(k, y) + (1 - e)\, h_j(y)

Fitted by collapsed variational Bayes of order zero: what an item is judged by is counted without its own labels, both
for the rater and for the crowd, so that no label vouches for itself.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from raters.models.choosing.cells import Cells
from raters.models.choosing.component import Before, Component, Judged, Known, share
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
IMAGINED_HABIT = 2.0
"""Labels with the shares of the labels given, in the crowd's habit."""
TINY = 1e-12


class Latent(Component):
    """A model in which an item has a truth and an ease."""

    by_cell: ClassVar[tuple[str, ...]]
    """What it has for each cell, first axis."""
    by_habit: Array
    """(cell,): how many of its labels are given by habit, in expectation."""
    strength: Any = LOW
    habit_strength = LOW
    learning = True

    @abstractmethod
    def begin(self, q: Array, skill: Array) -> None:
        """How the labels of the start are shared between knowledge and habit."""

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
        """What :meth:`known` has beside habits; ``crowd``: (true, given), how an average rater labels."""

    @classmethod
    @abstractmethod
    def likely_of(cls, c: Cells, known: Known) -> list[Array]:
        """For each ease, (truth, item): the log probability of the labels of other items."""

    def __init__(self, cells: Cells, belief: Array, skill: Array, before: Before) -> None:
        self.cells, self.before, self.steps = cells, before, 0
        self.active = cells.active
        q = belief.copy()
        at = np.flatnonzero(cells.gold >= 0)
        q[at] = np.eye(cells.n_labels)[cells.gold[at]]
        self.state: Array = EASY[:, None, None] * q.T  # (ease, truth, item)
        self.log: Array = np.zeros(cells.n_items)
        self.begin(q, skill)
        self.count()

    def for_all(self, cells: Cells) -> Self:
        made = type(self)(cells, self.of_others(cells, self.known()).truth, np.full(cells.n_raters, 0.5), self.before)
        for name in ("strength", "habit_strength", "ease"):
            setattr(made, name, getattr(self, name))
        made.learning = False
        return made

    def count(self) -> None:
        """Counts of the crowd and of raters from the present beliefs."""
        c, items = self.cells, self.state @ self.active.astype(float)  # (ease, truth)
        rows = items.sum(0) + self.before.items + PULL * self.active.sum() * c.margin
        self.prevalence = np.full(c.n_labels, 1 / c.n_labels) if self.before.uniform else share(rows)
        self.ease = share(items.sum(1) + 1)
        self.habits = c.over_codes(self.by_habit)
        self.habit = share(self.habits.sum(0) + IMAGINED_HABIT * c.margin)
        self.count_raters()
        if self.learning and self.steps >= WARM and self.steps % EVERY == 0:
            self.habit_strength = strength(self.habits, self.habit, CENTRE)
            self.learn()

    def habits_of_cells(self) -> Array:
        """(cell,): the probability of a label by habit, without the cell's own count."""
        c, own = self.cells, self.by_habit
        got = np.maximum(self.habits[c.rater, c.label] - own, 0) + self.habit_strength * self.habit[c.label]
        of = np.maximum((self.habits @ np.ones(c.n_labels))[c.rater] - own, 0) + self.habit_strength
        return np.asarray(np.maximum(got, TINY) / of)

    def step(self) -> float:
        self.expect()
        self.steps += 1
        self.count()
        return float(self.log.sum())

    def judge(self, likely: list[Array]) -> None:
        self.state, self.log = state_of(self.cells, likely, {"ease": self.ease, "prevalence": self.prevalence})

    def without(self, items: Array, steps: int) -> Known:
        made = copy.copy(self)
        at = ~items[self.cells.item]
        made.cells, made.active, made.learning = self.cells.rows(~items), self.active & ~items, False
        for name in self.by_cell:
            setattr(made, name, getattr(self, name)[at])
        made.count()
        for _ in range(steps):
            made.step()
        return made.known()

    def known(self) -> dict[str, Array]:
        habit = self.habits + self.habit_strength * self.habit
        return {
            "prevalence": self.prevalence,
            "ease": self.ease,
            "habit": habit / habit.sum(1, keepdims=True),
            "crowd_habit": self.habit,
            **self.rates(),
        }

    def judged(self) -> Judged:
        return judged(self.state, self.log, self.known())

    @classmethod
    def of_others(cls, c: Cells, known: Known) -> Judged:
        return judged(*state_of(c, cls.likely_of(c, known), known), known)


def state_of(c: Cells, likely: list[Array], known: Known) -> tuple[Array, Array]:
    """(ease, truth, item) probabilities, and (item,) log evidence.

    ``likely``: for each ease the log probability of an item's labels for each truth, (truth, item).
    """
    scores = np.array(likely, float, order="C")
    scores += np.log(np.maximum(known["ease"], TINY))[:, None, None]
    scores += np.log(np.maximum(known["prevalence"], TINY))[:, None]
    at = np.flatnonzero(c.gold >= 0)
    scores[:, :, at] += np.where(np.arange(c.n_labels)[:, None] == c.gold[at], 0.0, -np.inf)
    flat = scores.reshape(-1, scores.shape[2])
    top = flat.max(0)
    np.exp(np.subtract(flat, top, out=flat), out=flat)
    size = flat.sum(0)
    flat /= size
    return scores, top + np.log(size)


def judged(state: Array, log: Array, known: Known) -> Judged:
    """Which label would win a very large vote follows from truth and ease."""
    crowd, habit = known["crowd"], known["crowd_habit"]
    wins = np.zeros((len(log), len(habit)))
    for e, of_truth in zip(EASE, state, strict=True):
        wins += of_truth.T @ np.eye(len(habit))[(e * crowd + (1 - e) * habit).argmax(1)]
    return Judged(log, state.sum(0).T, wins, EASE @ state.sum(1))


def rate(hit: Array, miss: Array, own_hit: Any, own_miss: Any, s: float, mean: float) -> Array:
    """A rate without what the cell itself adds, with s labels at the mean before it."""
    got = np.maximum(hit - own_hit, 0) + s * mean
    return np.asarray(np.clip(got / (np.maximum(hit + miss - own_hit - own_miss, 0) + s), 1e-6, 1 - 1e-6))


def spread_of(c: Cells, *parts: Array) -> tuple[Array, Array]:
    """The variance of raters' counts of each part, and the log probability that they are zero."""
    p = [np.clip(x / np.maximum(c.weight, TINY), 0, 1 - 1e-9) for x in parts]
    variance = [c.over_raters(c.weight * x * (1 - x)) for x in p]
    return np.stack(variance, 1), np.stack([c.over_raters(c.weight * np.log1p(-x)) for x in p], 1)
