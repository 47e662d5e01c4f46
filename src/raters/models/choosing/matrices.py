"""One-coin and Dawid-Skene with ease and habits: labels that depend on the truth have a row for each truth."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.choosing.cells import Cells
from raters.models.choosing.component import (
    CENTRE,
    EASE,
    OF_ROWS,
    PSEUDO,
    TINY,
    Component,
    Judged,
    Known,
    judge,
    shared_rate,
    spread_of,
)
from raters.models.choosing.strength import strength

Array = NDArray[Any]


class Matrices(Component):
    """What one-coin and Dawid-Skene share: labels that depend on the truth have a row for each truth."""

    by_cell = ("informed", "by_habit")

    def begin(self, q: Array, skill: Array) -> Array:
        c = self.cells
        self.informed = 0.8 * q.T[:, c.item] * c.weight
        self.by_habit = c.weight - self.informed.sum(0)
        return q.T

    @abstractmethod
    def theta(self) -> Array:
        """(truth, cell): the probability of each label, without what its item adds."""

    @staticmethod
    @abstractmethod
    def cells_of(c: Cells, known: Known) -> Array:
        """(truth, cell): the same for other items."""

    def expect(self) -> None:
        c, theta, h = self.cells, self.theta(), self.habits_of_cells()
        self.judged = judge(c, self.likely(c, theta, h), {"ease": self.ease, "prevalence": self.prevalence})
        self.informed = np.zeros(theta.shape)
        for e, of_truth in zip(EASE, self.judged.state, strict=True):
            self.informed += of_truth[:, c.item] * (e * theta / (e * theta + (1 - e) * h))
        self.informed *= c.weight
        self.by_habit = np.maximum(c.weight - self.informed.sum(0), 0)

    @staticmethod
    def likely(c: Cells, theta: Array, h: Array) -> list[Array]:
        return [c.over_items(c.weight * np.log(e * theta + (1 - e) * h)) for e in EASE]

    def count_crowd(self) -> None:
        """The crowd's labels by truth, and what a wrong label is before the data: by the shares of the others."""
        c, k = self.cells, self.cells.n_labels
        self.total = np.stack([np.bincount(c.label, x, k) for x in self.informed])
        if self.before is not None:
            self.total = self.total + self.before.sum(0)
        self.right = (np.trace(self.total) + 1) / (self.total.sum() + 2)
        wrong = c.margin * (1 - np.eye(k))
        self.wrong = wrong / np.maximum(wrong.sum(1, keepdims=True), TINY)

    @classmethod
    def of_others(cls, c: Cells, known: Known) -> Judged:
        theta = np.maximum(cls.cells_of(c, known), TINY)
        return judge(c, cls.likely(c, theta, np.maximum(known["habit"][c.rater, c.label], TINY)), known)


class OneCoin(Matrices):
    """A rater is right with a probability of their own, below chance allowed; errors are the crowd's."""

    name = "one_coin"
    of_rater = ("right", "habit")

    def count_raters(self) -> None:
        self.count_crowd()
        c = self.cells
        own = self.informed[c.label, np.arange(len(c.label))]
        self.hit, self.miss = c.over_raters(own), c.over_raters(self.informed.sum(0) - own)
        if self.before is not None:
            right = np.einsum("rkk->r", self.before)
            self.hit, self.miss = self.hit + right, self.miss + self.before.sum((1, 2)) - right
        self.errors = self.total * (1 - np.eye(c.n_labels))

    def learn(self) -> None:
        own = self.informed[self.cells.label, np.arange(len(self.cells.label))]
        counts, mean = np.stack([self.hit, self.miss], 1), np.array([self.right, 1 - self.right])
        self.strength = strength(counts, mean, CENTRE, spread_of(self.cells, own, self.informed.sum(0) - own))

    def theta(self) -> Array:
        c, at, k = self.cells, np.arange(len(self.cells.label)), self.cells.n_labels
        own = self.informed[c.label, at]
        a = shared_rate(
            self.hit[c.rater], self.miss[c.rater], own, self.informed.sum(0) - own, self.strength, self.right
        )
        by_item = c.over_items(self.informed)
        hits = np.bincount(c.place, own, c.n_items * k).reshape(c.n_items, k).T
        size = np.maximum(self.errors.sum(1)[:, None] - (by_item - hits)[:, c.item], 0) + PSEUDO * k
        wrong = (
            np.maximum(self.errors[:, c.label] - c.of_same_label(self.informed), 0)
            + PSEUDO * k * self.wrong[:, c.label]
        )
        theta = (1 - a) * wrong / size
        theta[c.label, at] = a
        return np.asarray(np.maximum(theta, TINY))

    def rates(self) -> dict[str, Array]:
        wrong = self.errors + PSEUDO * self.cells.n_labels * self.wrong
        rate = (self.hit + self.strength * self.right) / (self.hit + self.miss + self.strength)
        return {"right": rate, "crowd_right": np.array(self.right), "wrong": wrong / wrong.sum(1, keepdims=True)}

    @staticmethod
    def cells_of(c: Cells, known: Known) -> Array:
        a = np.clip(known["right"][c.rater], 1e-6, 1 - 1e-6)
        theta = (1 - a) * known["wrong"][:, c.label]
        theta[c.label, np.arange(len(a))] = a
        return np.asarray(theta)

    @staticmethod
    def crowd(known: Known) -> Array:
        a = float(known["crowd_right"])
        return np.asarray(a * np.eye(len(known["prevalence"])) + (1 - a) * known["wrong"])


class DawidSkene(Matrices):
    """Each rater has a matrix, whose rows are drawn around the crowd's."""

    name = "dawid_skene"
    of_rater = ("matrix", "habit")

    def count_raters(self) -> None:
        self.count_crowd()
        c, k = self.cells, self.cells.n_labels
        self.rows = np.stack([c.over_codes(x) for x in self.informed])  # (true, rater, given)
        if self.before is not None:
            self.rows = self.rows + self.before.swapaxes(0, 1)
        self.first = PSEUDO * k * (self.right * np.eye(k) + (1 - self.right) * self.wrong)
        self.mean = (self.total + self.first) / (self.total + self.first).sum(1, keepdims=True)
        if np.ndim(self.strength) == 0:
            self.strength = np.full(k, self.strength)

    def learn(self) -> None:
        some = [x[x.sum(1) > 0] for x in self.rows]
        self.strength = np.array(
            [strength(x, m, OF_ROWS) if len(x) else OF_ROWS for x, m in zip(some, self.mean, strict=True)]
        )

    def theta(self) -> Array:
        c, own = self.cells, self.informed
        size = np.maximum(self.total.sum(1)[:, None] - c.over_items(own)[:, c.item], 0) + self.first.sum(1)[:, None]
        mean = (np.maximum(self.total[:, c.label] - c.of_same_label(own), 0) + self.first[:, c.label]) / size
        got = np.maximum(self.rows[:, c.rater, c.label] - own, 0) + self.strength[:, None] * mean
        return np.asarray(
            np.maximum(got, TINY) / (np.maximum(self.rows.sum(2)[:, c.rater] - own, 0) + self.strength[:, None])
        )

    def rates(self) -> dict[str, Array]:
        shape = self.rows + (self.strength[:, None] * self.mean)[:, None]
        return {"matrix": (shape / shape.sum(2, keepdims=True)).swapaxes(0, 1), "crowd_matrix": self.mean}

    @staticmethod
    def cells_of(c: Cells, known: Known) -> Array:
        return np.asarray(known["matrix"][c.rater, :, c.label].T)

    @staticmethod
    def crowd(known: Known) -> Array:
        return known["crowd_matrix"]
