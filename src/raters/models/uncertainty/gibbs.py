"""Gibbs sampling: the truth given the raters and the raters given the truth, alternately."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.models.draws import Draws
from raters.models.families.drawing import Rng, Sampler, Steps
from raters.models.families.spec import had
from raters.models.fitted_model import FittedModel
from raters.models.uncertainty.posterior_draws import Chain, together

Array = NDArray[Any]
Turns = Iterator[tuple[Callable[[], dict[str, Array]], Array]]
CHAINS, DRAWS, WARM_UP = 4, 1000, 300
MOST = 2**29
"""Largest size of the kept draws, in bytes."""
WATCHED = ("prevalence", "accuracy", "trust", "ability", "crowd", "center", "spread", "bias", "variance")


def gibbs(c: FittedModel, draws: int | None = None, seed: int = 0) -> Draws:
    """A total of ``draws`` draws (1,000), from four chains that start at the fit."""
    sampler = had(c.definition.sampler)
    if c.numeric and int((c.votes.per_item > 0).sum()) < 3:
        raise UsageError(
            "uncertainty='posterior' needs at least three labelled items for numbers, to learn how the truth varies."
        )
    each = max(4, -(-(DRAWS if draws is None else draws) // CHAINS))
    seeds = np.random.SeedSequence(seed).spawn(CHAINS)
    chains = [one_chain(c, sampler, each, np.random.default_rng(s)) for s in seeds]
    switching = not c.numeric and sampler.exchanges(c.votes.n_labels)
    watched = [name for name in WATCHED if name != "prevalence" or not c.settings.uniform]
    found = together("posterior", chains, c.posterior if switching else None, watched)
    if not c.numeric or found.posterior is None:
        return found
    off, square = found.posterior.T  # measured from the fit, so that no digits are lost
    return replace(found, posterior=np.stack([c.posterior[:, 0] + off, np.sqrt(np.maximum(square - off**2, 0))], -1))


def one_chain(c: FittedModel, sampler: Sampler, draws: int, rng: Rng) -> Chain:
    """The draws after the warm-up, and the items' mean posterior."""
    steps, each = Steps(), sampler.sweeps
    turns = (numbers if c.numeric else labels)(c, sampler, rng, steps)
    for steps.turn in range(WARM_UP):
        next(turns)
    steps.learning = False
    kept: dict[str, list[Array]] = {}
    total: Array = np.zeros(())
    thin = 1
    for turn in range(draws * each):
        values, item = next(turns)
        total = total + item
        if turn % (each * thin) == 0:
            found = values()
            thin = thinning(c, found, draws)
            for name, value in found.items():
                kept.setdefault(name, []).append(value)
    return Chain({name: np.stack(x) for name, x in kept.items()}, total / (draws * each))


def large(c: FittedModel) -> tuple[str, ...]:
    """Values kept in single precision, and dropped if they would take too much memory; matrices that are parameters are thinned instead."""
    return ("confusion", *c.definition.by_item)


def thinning(c: FittedModel, values: dict[str, Array], draws: int) -> int:
    """The thinning interval of the draws; values that are too large and dispensable are removed."""
    for name in large(c):
        needed = name == "confusion" and c.definition.dense
        if name in values and not needed and values[name].size * 4 * draws * CHAINS > MOST:
            del values[name]
    return max(1, -(-sum(x.size * 4 * draws * CHAINS for x in values.values()) // MOST))


def labels(c: FittedModel, sampler: Sampler, rng: Rng, steps: Steps) -> Turns:
    """Sweep by sweep: what to keep, and the (item, label) probabilities from which the truth was drawn."""
    v, task = c.votes, c.task
    expect = sampler.expect or c.definition.expect
    params: dict[str, Array] = dict(c.params if sampler.begin is None else sampler.begin(task, c.params))
    there = v.per_item > 0 if c.gold is None else (v.per_item > 0) | (c.gold >= 0)
    while True:
        q, _ = expect(task, params)
        truth = (np.cumsum(q, 1) < rng.random((v.n_items, 1))).sum(1).clip(max=v.n_labels - 1)
        params |= sampler.redraw(task, truth, params, rng, steps)
        if not task.uniform:
            seen = np.bincount(truth[there], minlength=v.n_labels)
            params["prevalence"] = rng.dirichlet(seen + 1 + task.prevalence_counts)
        yield partial(told, c, sampler, truth, params, rng), q


def told(c: FittedModel, sampler: Sampler, truth: Array, params: dict[str, Array], rng: Rng) -> dict[str, Array]:
    """What is kept of a sweep: the model's own parameters, and the matrices that follow from them."""
    v = c.votes
    values = {name: x.astype(np.float32) if name in large(c) else x for name, x in params.items()}
    if sampler.matrices is not None:
        if v.n_raters * v.n_labels**2 * 4 > MOST:
            return values
        values["confusion"] = sampler.matrices(c.task, truth, params, rng).astype(np.float32)
        values.pop("accuracy", None)  # it follows from the matrices once their labels are matched
    return values


def numbers(c: FittedModel, sampler: Sampler, rng: Rng, steps: Steps) -> Turns:
    """Sweep by sweep: what to keep, as reported, and (item, 2) moments of the truth around the fit."""
    params: dict[str, Array] = dict(c.params)
    reported = sampler.reported or (lambda task, params: (dict(params), 0.0))

    def told(params: dict[str, Array]) -> dict[str, Array]:
        return reported(c.task, params)[0]

    while True:
        (mean, variance), _ = c.definition.expect(c.task, params)
        off = mean + reported(c.task, params)[1] - c.posterior[:, 0]
        moments = np.stack([off, off**2 + variance], -1)
        params = sampler.redraw(c.task, mean + np.sqrt(variance) * rng.standard_normal(len(mean)), params, rng, steps)
        yield partial(told, params), moments
