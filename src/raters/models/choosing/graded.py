"""Ordered labels: an item lies somewhere on a scale, and raters differ in where they draw the lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, softmax

from raters.models.choosing.cells import Cells
from raters.models.choosing.component import Known
from raters.models.choosing.matrices import Matrices

Array = NDArray[Any]
PLACES = np.linspace(-2.6, 2.6, 27)
"""Where an item may lie on an ordered scale, in standard deviations of the items."""
SHIFTS = np.linspace(-1.2, 1.2, 7)
NOISE = np.array([0.1, 0.25, 0.5, 1.0, 2.0])
"""Kinds of raters: how far their thresholds lie from the crowd's, and how exactly they see where an item lies."""


class Graded(Matrices):
    """For ordered labels: an item lies somewhere on the scale, and raters differ in where they draw the lines."""

    name = "graded"
    of_rater = ("kinds", "habit")

    def begin(self, q: Array, skill: Array) -> Array:
        c = self.cells
        cuts = ndtri(np.clip(np.cumsum(c.margin)[:-1], 1e-3, 1 - 1e-3))
        ends = (cuts + SHIFTS[:, None, None])[..., None, :] - PLACES[:, None]  # (shift, 1, place, cut)
        upto = ndtr(ends / NOISE[:, None, None]).reshape(len(SHIFTS) * len(NOISE), len(PLACES), -1)
        edge = np.zeros((*upto.shape[:2], 1))
        self.table = np.maximum(
            np.diff(np.concatenate([edge, upto, edge + 1], 2), axis=2), 1e-6
        )  # (kind, place, label)
        self.usual = np.exp(-(PLACES**2) / 2) / np.exp(-(PLACES**2) / 2).sum()
        self.kinds = np.full(len(self.table), 1 / len(self.table))
        where = self.usual[:, None] * self.table[len(self.table) // 2]  # (place, label)
        belief = (q @ (where / where.sum(0)).T).T
        self.informed = 0.8 * belief[:, c.item] * c.weight
        self.by_habit = c.weight - self.informed.sum(0)
        return np.asarray(belief)

    def shares(self, rows: Array, pull: float) -> Array:
        made = rows + pull * self.usual
        return np.asarray(made / made.sum())

    def each_label(self, x: Array, table: Array) -> Array:
        """(cell, ...): the rows of x times the part of a table, by label, that belongs to the label of the cell."""
        made = np.empty((len(x), table.shape[2]))
        for label in range(self.cells.n_labels):
            at = self.cells.label == label
            made[at] = x[at] @ table[label]
        return made

    def count_raters(self) -> None:
        c = self.cells
        self.said = self.each_label(self.informed.T, np.log(self.table).transpose(2, 1, 0))  # (cell, kind)
        self.scores = np.stack([c.over_raters(x) for x in self.said.T], 1)
        if self.before is not None:
            near = self.table[
                :, np.searchsorted(PLACES, ndtri(np.clip(np.cumsum(c.margin) - c.margin / 2, 0.01, 0.99)))
            ]
            self.scores = self.scores + np.einsum("rkl,tkl->rt", self.before, np.log(near))
        each = softmax(self.scores + np.log(self.kinds), 1)
        labelled = c.over_raters(c.weight) > 0
        self.kinds = (each[labelled].sum(0) + 1 / len(self.kinds)) / (labelled.sum() + 1)

    def learn(self) -> None:
        """How alike raters are follows from how many there are of each kind."""

    def theta(self) -> Array:
        own = softmax(self.scores[self.cells.rater] - self.said + np.log(self.kinds), 1)
        return np.asarray(self.each_label(own, self.table.transpose(2, 0, 1)).T)

    def rates(self) -> dict[str, Array]:
        crowd = np.einsum("t,tgl->gl", self.kinds, self.table)
        each = softmax(self.scores + np.log(self.kinds), 1)
        return {
            "kinds": each,
            "crowd_kinds": self.kinds,
            "table": self.table,
            "matrix": crowd,
            "named": crowd.argmax(1),
        }

    @staticmethod
    def cells_of(c: Cells, known: Known) -> Array:
        made = np.empty((len(PLACES), len(c.label)))
        for label in range(c.n_labels):
            at = c.label == label
            made[:, at] = (known["kinds"][c.rater[at]] @ known["table"][:, :, label]).T
        return made

    @staticmethod
    def crowd(known: Known) -> Array:
        return known["matrix"]
