"""Draws of a model's parameters given the truth: the building blocks of the families' own ``redraw`` functions.

Priors are those whose mode EM finds: Beta and Dirichlet with 1 + ``smoothing`` for every count, Gamma(2, 1) for the crowd
of ``hierarchical``, N(1, 1) for ability and ease of ``glad``. Parameters without a closed form are drawn by Metropolis steps, one for each
rater, item or row at once; their widths are tuned during warm-up and then fixed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.families.probabilities import Params
from raters.models.families.task import Task

Array = NDArray[Any]
Rng = np.random.Generator
ACCEPTED = 0.44
"""The acceptance rate that is best for a random walk in one dimension (Gelman, Roberts & Gilks 1996)."""


@dataclass
class Steps:
    """Widths of proposals by name, on the log scale; they change only while ``learning``."""

    learning: bool = True
    turn: int = 0
    logs: dict[str, Array] = field(default_factory=dict)

    def width(self, name: str, shape: tuple[int, ...]) -> Array:
        return np.asarray(np.exp(self.logs.setdefault(name, np.zeros(shape))))

    def learn(self, name: str, accepted: Array) -> None:
        if self.learning:
            self.logs[name] = self.logs[name] + (accepted - ACCEPTED) * 3 / np.sqrt(self.turn + 1)


Redraw = Callable[[Task, Array, Params, Rng, Steps], dict[str, Array]]
"""From (item,) codes of the truth and the last parameters to new ones, except prevalence."""


def never(n_labels: int) -> bool:
    return False


@dataclass(frozen=True)
class Sampler:
    """How to sample from a model: the truth given the parameters, then the parameters given the truth, alternately."""

    redraw: Redraw
    sweeps: int = 1
    """Sweeps for each draw that is kept; more than one if successive draws are highly correlated."""
    exchanges: Callable[[int], bool] = never
    """Whether chains may switch true labels, given the number of labels; they are then matched with the fit's."""
    expect: Callable[[Task, Params], tuple[Any, float]] | None = None
    """The E step of the drawn parameters, if it differs from the fit's own."""
    begin: Callable[[Task, Params], Params] | None = None
    """From the parameters of the fit to those that are drawn, if they differ."""
    matrices: Callable[[Task, Array, Params, Rng], Array] | None = None
    """(rater, true label, given label) from a draw of the truth and the parameters; None if they are among the parameters."""
    reported: Callable[[Task, Params], tuple[dict[str, Array], float]] | None = None
    """For numbers: the parameters as reported, and how far that shifts the truth."""


def walk(name: str, value: Array, density: Callable[[Array], Array], rng: Rng, steps: Steps) -> Array:
    """A Metropolis step for every element, each with a log density of its own."""
    to = value + steps.width(name, value.shape) * rng.standard_normal(value.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        accepted = np.log(rng.random(value.shape)) < density(to) - density(value)
    steps.learn(name, accepted)
    return np.where(accepted, to, value)


def counts(task: Task, truth: Array) -> Array:
    """(rater, true label, given label), earlier counts included."""
    v, k = task.votes, task.votes.n_labels
    at = (v.rater_of.astype(np.int64) * k + truth[v.item_of]) * k + v.label_of
    found = np.bincount(at, v.table.data, v.n_raters * k * k).reshape(v.n_raters, k, k)
    return found if task.prior is None else found + task.prior


def right(task: Task, truth: Array) -> Array:
    """(cell,): whether the label is the truth."""
    return np.asarray(task.votes.label_of == truth[task.votes.item_of])
