"""Uncertainty by refitting bootstrap samples of items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.inference.weights import multinomial
from raters.models.base.fit import Draws, FittedModel
from raters.models.families.spec import Problem, Task, Vote
from raters.models.fitting import em
from raters.models.uncertainty.sampling import gibbs
from raters.notes.note import Note

Array = NDArray[Any]
REFITS = 200


def bootstrap(c: FittedModel, draws: int | None = None, seed: int = 0) -> Draws:
    """Refit bootstrap samples of items, each starting from the present fit. This works for any model, but stays in one
    mode.
    """
    rng = np.random.default_rng(seed)
    kept: dict[str, list[Array]] = {}
    for weights in multinomial(np.ones(c.votes.n_items), REFITS if draws is None else draws, rng):
        for weight in weights:
            for name, value in refit(c, weight).items():
                kept.setdefault(name, []).append(value)
    held = c.definition.bootstrap_holds
    said = () if held is None else (Note("bootstrap_too_narrow", {"model": c.model, "held": held}),)
    return Draws("bootstrap", {name: np.stack(values) for name, values in kept.items()}, notes=said)


def refit(c: FittedModel, weight: Array) -> dict[str, Array]:
    """The parameters of one sample of items, refitted from the present fit."""
    row, task = c.definition, Task.of(replace(c.votes, weight=weight), c.gold, c.settings)
    problem = Problem(row, task)
    if isinstance(row.method, Vote):
        params = row.method.params(task)
        q, _ = row.expect(task, params)
        share = weight @ q / max(float(weight.sum()), 1)
        return {**params, "prevalence": share, "confusion": problem.confusion(params)}
    fit = em.run(problem, row.expected(c.posterior), c.params, rule=em.Rule(1e-8, 500), within=problem.within)
    found = {name: value for name, value in fit.params.items() if name not in row.by_item}
    return found if isinstance(row.confusion, str) else found | {"confusion": problem.confusion(fit.params)}


DRAW: Mapping[str, Callable[[FittedModel, int | None, int], Draws]] = {
    "posterior": gibbs,
    "bootstrap": bootstrap,
}
