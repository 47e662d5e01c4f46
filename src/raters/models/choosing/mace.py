"""MACE with ease: a rater knows the truth with a probability of their own, or follows their habit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.choosing.cells import Cells
from raters.models.choosing.component import CENTRE, EASE, TINY, Component, Judged, Known, judge, shared_rate, spread_of
from raters.models.choosing.strength import strength

Array = NDArray[Any]


class Mace(Component):
    """A rater knows the truth with a probability of their own, or follows their habit."""

    name = "mace"
    of_rater = ("trust", "habit")
    by_cell = ("hit", "miss", "by_habit")

    def begin(self, q: Array, skill: Array) -> Array:
        c = self.cells
        t = np.clip(skill, 0.05, 0.95)[c.rater]
        self.hit = c.weight * q[c.item, c.label] * t / (t + (1 - t) * c.margin[c.label])
        self.miss = self.by_habit = c.weight - self.hit
        return q.T

    def count_raters(self) -> None:
        c = self.cells
        self.knew, self.did_not = c.over_raters(self.hit), c.over_raters(self.miss)
        if self.before is not None:
            right = np.einsum("rkk->r", self.before)
            guessed = (self.before.sum((1, 2)) - right) / max(1 - 1 / c.n_labels, 0.5)
            self.knew = self.knew + np.maximum(self.before.sum((1, 2)) - guessed, 0)
            self.did_not = self.did_not + np.minimum(guessed, self.before.sum((1, 2)))
        self.trust = (self.knew.sum() + 1) / (self.knew.sum() + self.did_not.sum() + 2)

    def learn(self) -> None:
        counts, mean = np.stack([self.knew, self.did_not], 1), np.array([self.trust, 1 - self.trust])
        self.strength = strength(counts, mean, CENTRE, spread_of(self.cells, self.hit, self.miss))

    def expect(self) -> None:
        c = self.cells
        t = shared_rate(self.knew[c.rater], self.did_not[c.rater], self.hit, self.miss, self.strength, self.trust)
        h = self.habits_of_cells()
        self.judged = judge(c, self.likely(c, t, h), {"ease": self.ease, "prevalence": self.prevalence})
        state = self.judged.state
        self.hit, self.miss = np.zeros(len(t)), np.zeros(len(t))
        for e, of_truth in zip(EASE, state, strict=True):
            right, any_ = of_truth[c.label, c.item], of_truth.sum(0)[c.item]
            guess = (1 - e * t) * h
            self.hit += right * e * t / (e * t + guess)
            self.miss += e * (1 - t) * h * (right / (e * t + guess) + (any_ - right) / guess)
        self.hit, self.miss = self.hit * c.weight, self.miss * c.weight
        self.by_habit = c.weight - self.hit

    @staticmethod
    def likely(c: Cells, t: Array, h: Array) -> list[Array]:
        made = []
        for e in EASE:
            guess = (1 - e * t) * h
            base = np.bincount(c.item, c.weight * np.log(guess), c.n_items)
            more = np.bincount(c.place, c.weight * np.log1p(e * t / guess), c.n_items * c.n_labels)
            made.append(base + more.reshape(c.n_items, c.n_labels).T)
        return made

    def rates(self) -> dict[str, Array]:
        rate = (self.knew + self.strength * self.trust) / (self.knew + self.did_not + self.strength)
        return {"trust": rate, "crowd_trust": np.array(self.trust)}

    @classmethod
    def of_others(cls, c: Cells, known: Known) -> Judged:
        t = np.clip(known["trust"][c.rater], 1e-6, 1 - 1e-6)
        return judge(c, cls.likely(c, t, np.maximum(known["habit"][c.rater, c.label], TINY)), known)

    @staticmethod
    def crowd(known: Known) -> Array:
        """(true, given): how an average rater labels."""
        t, k = float(known["crowd_trust"]), len(known["prevalence"])
        return np.asarray(t * np.eye(k) + (1 - t) * known["crowd_habit"])
