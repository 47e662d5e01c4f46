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
        self.informed = 0.8 * q.take(c.item, 0) * c.weight[:, None]
        self.by_habit = c.weight - over_truths(self.informed)
        return q.T

    @abstractmethod
    def theta(self) -> Array:
        """(cell, truth): the probability of each label, without what its item adds."""

    @staticmethod
    @abstractmethod
    def cells_of(c: Cells, known: Known) -> Array:
        """(cell, truth): the same for other items."""

    def expect(self) -> None:
        c, theta, h = self.cells, self.theta(), self.habits_of_cells()
        mixed = [mixture(theta, h, e) for e in EASE]
        self.judged = judge(c, self.likely(c, mixed), {"ease": self.ease, "prevalence": self.prevalence})
        self.informed = np.zeros(theta.shape)
        for e, both, of_truth in zip(EASE, mixed, self.judged.state, strict=True):
            share = np.divide(theta, both, out=both)  # of the label that is knowledge, but for e
            share *= np.ascontiguousarray(e * of_truth.T).take(c.item, 0)
            self.informed += share
        self.informed *= c.weight[:, None]
        self.by_habit = np.maximum(c.weight - over_truths(self.informed), 0)

    @staticmethod
    def likely(c: Cells, mixed: list[Array]) -> list[Array]:
        return [(c.sums["item"] @ (c.weight[:, None] * np.log(both))).T for both in mixed]

    def count_crowd(self) -> None:
        """The crowd's labels by truth, and what a wrong label is before the data: by the shares of the others."""
        c, k = self.cells, self.cells.n_labels
        self.total = np.stack([self.informed.take(at, 0).sum(0) for at in c.with_label], 1)
        if self.before is not None:
            self.total = self.total + self.before.sum(0)
        self.right = (np.trace(self.total) + 1) / (self.total.sum() + 2)
        wrong = c.margin * (1 - np.eye(k))
        self.wrong = wrong / np.maximum(wrong.sum(1, keepdims=True), TINY)

    @classmethod
    def of_others(cls, c: Cells, known: Known) -> Judged:
        theta, h = np.maximum(cls.cells_of(c, known), TINY), np.maximum(known["habit"][c.rater, c.label], TINY)
        return judge(c, cls.likely(c, [mixture(theta, h, e) for e in EASE]), known)


def mixture(theta: Array, h: Array, e: float) -> Array:
    """(cell, truth): the probability of each label of an item of this ease, given its truth and the rater's habit."""
    made = e * theta
    made += ((1 - e) * h)[:, None]
    return made


def over_truths(x: Array) -> Array:
    """(cell,): the sum over truths."""
    return np.asarray(x @ np.ones(x.shape[1]))


class OneCoin(Matrices):
    """A rater is right with a probability of their own, below chance allowed; errors are the crowd's."""

    name = "one_coin"
    of_rater = ("right", "habit")

    def count_raters(self) -> None:
        self.count_crowd()
        c = self.cells
        own = self.informed[np.arange(len(c.label)), c.label]
        self.hit, self.miss = c.over_raters(own), c.over_raters(over_truths(self.informed) - own)
        if self.before is not None:
            right = np.einsum("rkk->r", self.before)
            self.hit, self.miss = self.hit + right, self.miss + self.before.sum((1, 2)) - right
        self.errors = self.total * (1 - np.eye(c.n_labels))

    def learn(self) -> None:
        own = self.informed[np.arange(len(self.cells.label)), self.cells.label]
        counts, mean = np.stack([self.hit, self.miss], 1), np.array([self.right, 1 - self.right])
        self.strength = strength(counts, mean, CENTRE, spread_of(self.cells, own, over_truths(self.informed) - own))

    def theta(self) -> Array:
        c, at, k = self.cells, np.arange(len(self.cells.label)), self.cells.n_labels
        own = self.informed[at, c.label]
        rest = over_truths(self.informed) - own
        a = shared_rate(self.hit[c.rater], self.miss[c.rater], own, rest, self.strength, self.right)
        by_item = c.sums["item"] @ self.informed
        hits = np.bincount(c.place, own, c.n_items * k).reshape(c.n_items, k)
        size = np.maximum(self.errors.sum(1) - (by_item - hits).take(c.item, 0), 0) + PSEUDO * k
        wrong = self.errors.T.take(c.label, 0) - c.of_same_label(self.informed)
        theta = np.maximum(wrong, 0, out=wrong)
        theta += (PSEUDO * k * self.wrong.T).take(c.label, 0)
        theta *= (1 - a)[:, None]
        theta /= size
        theta[at, c.label] = a
        return np.maximum(theta, TINY, out=theta)

    def rates(self) -> dict[str, Array]:
        wrong = self.errors + PSEUDO * self.cells.n_labels * self.wrong
        rate = (self.hit + self.strength * self.right) / (self.hit + self.miss + self.strength)
        return {"right": rate, "crowd_right": np.array(self.right), "wrong": wrong / wrong.sum(1, keepdims=True)}

    @staticmethod
    def cells_of(c: Cells, known: Known) -> Array:
        a = np.clip(known["right"][c.rater], 1e-6, 1 - 1e-6)
        theta = (1 - a)[:, None] * known["wrong"].T.take(c.label, 0)
        theta[np.arange(len(a)), c.label] = a
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
        self.codes = c.sums["code"] @ self.informed  # (rater and given, true)
        if self.before is not None:
            self.codes = self.codes + self.before.swapaxes(1, 2).reshape(-1, k)
        self.first = PSEUDO * k * (self.right * np.eye(k) + (1 - self.right) * self.wrong)
        self.mean = (self.total + self.first) / (self.total + self.first).sum(1, keepdims=True)
        if np.ndim(self.strength) == 0:
            self.strength = np.full(k, self.strength)

    def learn(self) -> None:
        rows = np.ascontiguousarray(self.codes.T).reshape(len(self.mean), -1, len(self.mean))  # (true, rater, given)
        some = [x[over_truths(x) > 0] for x in rows]
        self.strength = np.array(
            [strength(x, m, OF_ROWS) if len(x) else OF_ROWS for x, m in zip(some, self.mean, strict=True)]
        )

    def theta(self) -> Array:
        c, own, k = self.cells, self.informed, self.cells.n_labels
        size = np.maximum(self.total.sum(1) - (c.sums["item"] @ own).take(c.item, 0), 0) + self.first.sum(1)
        mean = np.maximum(self.total.T.take(c.label, 0) - c.of_same_label(own), 0) + self.first.T.take(c.label, 0)
        mean *= self.strength
        mean /= size
        got = self.codes.take(c.by_rater, 0) - own
        np.maximum(got, 0, out=got)
        got += mean
        per = (c.sums["rater"] @ own if self.before is None else self.codes.reshape(-1, k, k).sum(1)).take(c.rater, 0)
        per -= own
        np.maximum(per, 0, out=per)
        per += self.strength
        np.maximum(got, TINY, out=got)
        return np.asarray(got / per)

    def rates(self) -> dict[str, Array]:
        shape = self.codes.reshape(-1, *self.mean.shape).swapaxes(1, 2) + self.strength[:, None] * self.mean
        return {"matrix": shape / shape.sum(2, keepdims=True), "crowd_matrix": self.mean}

    @staticmethod
    def cells_of(c: Cells, known: Known) -> Array:
        return np.asarray(known["matrix"][c.rater, :, c.label])

    @staticmethod
    def crowd(known: Known) -> Array:
        return known["crowd_matrix"]
