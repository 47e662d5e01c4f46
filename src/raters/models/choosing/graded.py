"""Ordered labels, of which two always are: an item lies somewhere on a line, and raters differ in where they cut it and in how exactly they see.

The fit is that of :mod:`raters.models.families.ordinal`. A label is true where the place lies between the thresholds of
the crowd; it wins a very large vote where it is given most often.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from raters.models.choosing.cells import Cells
from raters.models.choosing.component import Before, Component, Judged, Known
from raters.models.families import ordinal
from raters.models.families.spec import Task

Array = NDArray[Any]


class Graded(Component):
    """An item has a place on a line."""

    name = "ordinal"
    of_rater: ClassVar[Mapping[str, str]] = {"shift": "", "scale": "", "precision": ""}

    most_starts = 1  # all of them end in the same place

    def __init__(self, cells: Cells, belief: Array, skill: Array, before: Before) -> None:
        self.cells, self.task = cells, task(cells)
        self.places: Any = belief
        self.params: Known | None = None

    def step(self) -> float:
        self.params = ordinal.maximise(self.task, self.places, self.params)
        self.places, log = ordinal.within(self.task, self.params)
        return log

    def fitted_to(self, cells: Cells, steps: int) -> Self:
        made = copy.copy(self)
        made.cells, made.task, made.places = cells, task(cells), None
        for _ in range(steps):
            made.step()
        return made

    def without(self, items: Array, steps: int) -> Known:
        return self.fitted_to(self.cells.rows(~items), steps).known()

    def for_all(self, cells: Cells, steps: int) -> Self:
        return self.fitted_to(cells, steps)

    def known(self) -> Known:
        assert self.params is not None
        chances = ordinal.chances(ordinal.raters_of(self.params), self.params["thresholds"], ordinal.Z)
        return {**self.params, "crowd": chances.mean(0)}

    def judged(self) -> Judged:
        return self.of_others(self.cells, self.known())

    @classmethod
    def of_others(cls, c: Cells, known: Known) -> Judged:
        at = ordinal.at_nodes(task(c), known)
        log = logsumexp(at, axis=1)
        wins = np.exp(at - log[:, None]) @ np.eye(c.n_labels)[known["crowd"].argmax(0)]
        return Judged(log, ordinal.expect(task(c), known)[0], wins, np.ones(c.n_items))


def task(c: Cells) -> Task:
    return Task(c.votes, c.gold if (c.gold >= 0).any() else None)
