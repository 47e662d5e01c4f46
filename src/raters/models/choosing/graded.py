"""Ordered labels: an item lies somewhere on a scale, and raters differ in where they draw the lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from raters.models.choosing.cells import Cells
from raters.models.choosing.component import Known
from raters.models.choosing.matrices import Matrices, over_truths

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
        belief = q @ (where / where.sum(0)).T
        self.informed = 0.8 * belief.take(c.item, 0) * c.weight[:, None]
        self.by_habit = c.weight - over_truths(self.informed)
        return np.asarray(belief.T)

    def shares(self, rows: Array, pull: float) -> Array:
        made = rows + pull * self.usual
        return np.asarray(made / made.sum())

    def each_label(self, x: Array, table: Array) -> Array:
        """(cell, ...): the rows of x times the part of a table, by label, that belongs to the label of the cell."""
        made = np.empty((len(x), table.shape[2]))
        for at, part in zip(self.cells.with_label, table, strict=True):
            made[at] = x.take(at, 0) @ part
        return made

    def count_raters(self) -> None:
        c = self.cells
        self.said = self.each_label(self.informed, np.log(self.table).transpose(2, 1, 0))  # (cell, kind)
        self.scores = c.sums["rater"] @ self.said
        if self.before is not None:
            near = self.table[
                :, np.searchsorted(PLACES, ndtri(np.clip(np.cumsum(c.margin) - c.margin / 2, 0.01, 0.99)))
            ]
            self.scores = self.scores + np.einsum("rkl,tkl->rt", self.before, np.log(near))
        each = shares_of(self.scores + np.log(self.kinds))
        labelled = c.over_raters(c.weight) > 0
        self.kinds = (each[labelled].sum(0) + 1 / len(self.kinds)) / (labelled.sum() + 1)

    def learn(self) -> None:
        """How alike raters are follows from how many there are of each kind."""

    def theta(self) -> Array:
        own = shares_of((self.scores + np.log(self.kinds)).take(self.cells.rater, 0) - self.said)
        return self.each_label(own, self.table.transpose(2, 0, 1))

    def rates(self) -> dict[str, Array]:
        crowd = np.einsum("t,tgl->gl", self.kinds, self.table)
        each = shares_of(self.scores + np.log(self.kinds))
        return {
            "kinds": each,
            "crowd_kinds": self.kinds,
            "table": self.table,
            "matrix": crowd,
            "named": crowd.argmax(1),
        }

    @staticmethod
    def cells_of(c: Cells, known: Known) -> Array:
        made = np.empty((len(c.label), len(PLACES)))
        for label, at in enumerate(c.with_label):
            made[at] = known["kinds"].take(c.rater[at], 0) @ known["table"][:, :, label]
        return made

    @staticmethod
    def crowd(known: Known) -> Array:
        return known["matrix"]


def shares_of(x: Array) -> Array:
    """Rows of log scores as shares, in place."""
    x -= x.max(1, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(1, keepdims=True)
    return x
