"""MACE with ease: a rater knows the truth with a probability of their own, or follows their habit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from raters.models.choosing.cells import Cells
from raters.models.choosing.component import Known
from raters.models.choosing.latent import CENTRE, EASE, TINY, Latent, rate, spread_of
from raters.models.choosing.strength import strength

Array = NDArray[Any]


class Mace(Latent):
    """A rater knows the truth with a probability of their own, or follows their habit."""

    name = "mace"
    of_rater: ClassVar[Mapping[str, str]] = {"trust": "crowd_trust", "habit": "crowd_habit"}
    by_cell = ("hit", "miss", "by_habit")

    def begin(self, q: Array, skill: Array) -> None:
        c = self.cells
        t = np.clip(skill, 0.05, 0.95)[c.rater]
        self.hit = c.weight * q[c.item, c.label] * t / (t + (1 - t) * c.margin[c.label])
        self.miss = self.by_habit = c.weight - self.hit

    def count_raters(self) -> None:
        c, before = self.cells, self.before.matrices
        self.knew, self.did_not = c.over_raters(self.hit), c.over_raters(self.miss)
        if before is not None:
            given = before.sum((1, 2))
            guessed = np.minimum((given - np.einsum("rkk->r", before)) / max(1 - 1 / c.n_labels, 0.5), given)
            self.knew, self.did_not = self.knew + given - guessed, self.did_not + guessed
        self.trust = (self.knew.sum() + 1) / (self.knew.sum() + self.did_not.sum() + 2)

    def learn(self) -> None:
        counts, mean = np.stack([self.knew, self.did_not], 1), np.array([self.trust, 1 - self.trust])
        self.strength = strength(counts, mean, CENTRE, spread_of(self.cells, self.hit, self.miss))

    def expect(self) -> None:
        c = self.cells
        t = rate(self.knew[c.rater], self.did_not[c.rater], self.hit, self.miss, self.strength, self.trust)
        h = self.habits_of_cells()
        self.judge(likely(c, t, h))
        self.hit, self.miss = np.zeros(len(t)), np.zeros(len(t))
        for e, of_truth in zip(EASE, self.state, strict=True):
            right, any_ = of_truth[c.label, c.item], of_truth.sum(0)[c.item]
            guess = (1 - e * t) * h
            self.hit += right * e * t / (e * t + guess)
            self.miss += e * (1 - t) * h * (right / (e * t + guess) + (any_ - right) / guess)
        self.hit, self.miss = self.hit * c.weight, self.miss * c.weight
        self.by_habit = c.weight - self.hit

    def rates(self) -> dict[str, Array]:
        trust = (self.knew + self.strength * self.trust) / (self.knew + self.did_not + self.strength)
        crowd = self.trust * np.eye(self.cells.n_labels) + (1 - self.trust) * self.habit
        return {"trust": trust, "crowd_trust": np.array(self.trust), "crowd": crowd}

    @classmethod
    def likely_of(cls, c: Cells, known: Known) -> list[Array]:
        t = np.clip(known["trust"][c.rater], 1e-6, 1 - 1e-6)
        return likely(c, t, np.maximum(known["habit"][c.rater, c.label], TINY))


def likely(c: Cells, t: Array, h: Array) -> list[Array]:
    """For each ease, (truth, item): a label that is not the truth is guessed, whatever the truth."""
    made = []
    for e in EASE:
        guess = (1 - e * t) * h
        base = np.bincount(c.item, c.weight * np.log(guess), c.n_items)
        more = np.bincount(c.place, c.weight * np.log1p(e * t / guess), c.n_items * c.n_labels)
        made.append(base + more.reshape(c.n_items, c.n_labels).T)
    return made
