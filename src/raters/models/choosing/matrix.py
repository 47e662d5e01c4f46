"""One-coin and Dawid-Skene with ease and habits: labels that depend on the truth have a row for each truth."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from raters.models.choosing.cells import Cells
from raters.models.choosing.component import Known
from raters.models.choosing.latent import CENTRE, EASE, OF_ROWS, TINY, Latent, rate, spread_of
from raters.models.choosing.strength import strength

Array = NDArray[Any]
PSEUDO = 2.0
"""Labels in each row of the crowd's matrix before the data, for each label that there is."""


class Rows(Latent):
    """What the two share."""

    by_cell = ("informed", "by_habit")

    @abstractmethod
    def theta(self) -> Array:
        """(cell, truth): the probability of each label, without what its item adds."""

    @staticmethod
    @abstractmethod
    def theta_of(c: Cells, known: Known) -> Array:
        """(cell, truth): the same for other items."""

    def begin(self, q: Array, skill: Array) -> None:
        c = self.cells
        self.informed = 0.8 * q.take(c.item, 0) * c.weight[:, None]  # (cell, truth)
        self.by_habit = c.weight - over_truths(self.informed)

    def count_raters(self) -> None:
        c, k, before = self.cells, self.cells.n_labels, self.before.matrices
        self.total = np.stack([self.informed.take(at, 0).sum(0) for at in c.with_label], 1)  # (true, given)
        if before is not None:
            self.total = self.total + before.sum(0)
        self.right = (np.trace(self.total) + 1) / (self.total.sum() + 2)
        wrong = c.margin * (1 - np.eye(k))  # before the data, a wrong label has the shares of the others
        self.wrong = PSEUDO * k * wrong / np.maximum(wrong.sum(1, keepdims=True), TINY)

    def expect(self) -> None:
        c, theta, h = self.cells, self.theta(), self.habits_of_cells()
        mixed = [mixture(theta, h, e) for e in EASE]
        self.judge(likely(c, mixed))
        self.informed = np.zeros(theta.shape)
        for e, both, of_truth in zip(EASE, mixed, self.state, strict=True):
            share = np.divide(theta, both, out=both)  # of the label that is knowledge, but for e
            share *= np.ascontiguousarray(e * of_truth.T).take(c.item, 0)
            self.informed += share
        self.informed *= c.weight[:, None]
        self.by_habit = np.maximum(c.weight - over_truths(self.informed), 0)

    @classmethod
    def likely_of(cls, c: Cells, known: Known) -> list[Array]:
        theta, h = np.maximum(cls.theta_of(c, known), TINY), np.maximum(known["habit"][c.rater, c.label], TINY)
        return likely(c, [mixture(theta, h, e) for e in EASE])


def likely(c: Cells, mixed: list[Array]) -> list[Array]:
    return [(c.sums["item"] @ (c.weight[:, None] * np.log(both))).T for both in mixed]


def mixture(theta: Array, h: Array, e: float) -> Array:
    """(cell, truth): the probability of each label of an item of this ease, given its truth and the rater's habit."""
    made = e * theta
    made += ((1 - e) * h)[:, None]
    return made


def over_truths(x: Array) -> Array:
    """(cell,): the sum over truths."""
    return np.asarray(x @ np.ones(x.shape[1]))


class OneCoin(Rows):
    """A rater is right with a probability of their own, below chance allowed; errors are the crowd's."""

    name = "one_coin"
    of_rater: ClassVar[Mapping[str, str]] = {"right": "crowd_right", "habit": "crowd_habit"}

    def count_raters(self) -> None:
        super().count_raters()
        self.hit, self.miss = (self.cells.over_raters(x) for x in self.own())
        if self.before.matrices is not None:
            right = np.einsum("rkk->r", self.before.matrices)
            self.hit, self.miss = self.hit + right, self.miss + self.before.matrices.sum((1, 2)) - right
        self.errors = self.total * (1 - np.eye(len(self.total)))

    def own(self) -> tuple[Array, Array]:
        """(cell,): how much of a label is right, and wrong."""
        right = self.informed[np.arange(len(self.cells.label)), self.cells.label]
        return right, over_truths(self.informed) - right

    def learn(self) -> None:
        counts, mean = np.stack([self.hit, self.miss], 1), np.array([self.right, 1 - self.right])
        self.strength = strength(counts, mean, CENTRE, spread_of(self.cells, *self.own()))

    def theta(self) -> Array:
        c, k, (right, wrong) = self.cells, self.cells.n_labels, self.own()
        a = rate(self.hit[c.rater], self.miss[c.rater], right, wrong, self.strength, self.right)
        hits = np.bincount(c.place, right, c.n_items * k).reshape(c.n_items, k)
        size = np.maximum(self.errors.sum(1) - (c.sums["item"] @ self.informed - hits).take(c.item, 0), 0) + PSEUDO * k
        theta = self.errors.T.take(c.label, 0) - c.of_same_label(self.informed)
        np.maximum(theta, 0, out=theta)
        theta += self.wrong.T.take(c.label, 0)
        theta *= (1 - a)[:, None]
        theta /= size
        theta[np.arange(len(a)), c.label] = a
        return np.maximum(theta, TINY, out=theta)

    def rates(self) -> dict[str, Array]:
        wrong = (self.errors + self.wrong) / (self.errors + self.wrong).sum(1, keepdims=True)
        right = (self.hit + self.strength * self.right) / (self.hit + self.miss + self.strength)
        crowd = self.right * np.eye(len(wrong)) + (1 - self.right) * wrong
        return {"right": right, "crowd_right": np.array(self.right), "wrong": wrong, "crowd": crowd}

    @staticmethod
    def theta_of(c: Cells, known: Known) -> Array:
        a = np.clip(known["right"][c.rater], 1e-6, 1 - 1e-6)
        theta = (1 - a)[:, None] * known["wrong"].T.take(c.label, 0)
        theta[np.arange(len(a)), c.label] = a
        return np.asarray(theta)


class Matrix(Rows):
    """Each rater has a matrix, whose rows are drawn around the crowd's."""

    name = "dawid_skene"
    of_rater: ClassVar[Mapping[str, str]] = {"matrix": "crowd", "habit": "crowd_habit"}

    def begin(self, q: Array, skill: Array) -> None:
        super().begin(q, skill)
        self.strength = np.full(self.cells.n_labels, self.strength)

    def count_raters(self) -> None:
        super().count_raters()
        k, before = self.cells.n_labels, self.before.matrices
        self.codes = self.cells.sums["code"] @ self.informed  # (rater and given, true)
        if before is not None:
            self.codes = self.codes + before.swapaxes(1, 2).reshape(-1, k)
        self.first = PSEUDO * k * self.right * np.eye(k) + (1 - self.right) * self.wrong
        self.mean = (self.total + self.first) / (self.total + self.first).sum(1, keepdims=True)

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
        per = c.sums["rater"] @ own if self.before.matrices is None else self.codes.reshape(-1, k, k).sum(1)
        per = per.take(c.rater, 0)
        per -= own
        np.maximum(per, 0, out=per)
        per += self.strength
        np.maximum(got, TINY, out=got)
        return np.asarray(got / per)

    def rates(self) -> dict[str, Array]:
        shape = self.codes.reshape(-1, *self.mean.shape).swapaxes(1, 2) + self.strength[:, None] * self.mean
        return {"matrix": shape / shape.sum(2, keepdims=True), "crowd": self.mean}

    @staticmethod
    def theta_of(c: Cells, known: Known) -> Array:
        return np.asarray(known["matrix"][c.rater, :, c.label])
