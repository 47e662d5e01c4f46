"""Gibbs sampling: truth given raters, raters given truth, in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.models.families import dawid_skene
from raters.models.families.dawid_skene import rows_to_one
from raters.models.families.gaussian import Gaussian
from raters.models.families.registry import DISCRETE, make
from raters.models.families.spec import Task
from raters.models.result import Consensus
from raters.models.uncertainty.posterior_draws import Chain, Draws, together
from raters.models.uncertainty.samplers import REDRAW, Rng, Steps, counts, gaussian

Array = NDArray[Any]
Turns = Iterator[tuple[Callable[[], dict[str, Array]], Array]]
CHAINS, DRAWS, WARM_UP = 4, 1000, 300
SWEEPS = {"glad": 3, "hierarchical": 2, "mace": 2}
"""Turns for each draw that is kept, where neighbours are much alike."""
MOST = 2**29
"""Bytes of draws that are kept."""
LARGE = ("confusion", "ease")
"""What is not kept where it would take more than that; the matrices of the dense models are thinned instead."""
WATCHED = ("prevalence", "accuracy", "trust", "ability", "crowd", "center", "spread", "bias", "variance")


def gibbs(c: Consensus, draws: int | None = None, seed: int = 0) -> Draws:
    """``draws`` in all (1,000), from four chains that start at the fit."""
    if c.model == "majority":
        raise UsageError("a vote has no parameters to draw; use another model, or uncertainty='bootstrap'.")
    if c.numeric and int((c.votes.per_item > 0).sum()) < 3:
        raise UsageError(
            "uncertainty='posterior' of numbers needs three items with labels, to learn how the truth varies."
        )
    each = max(4, -(-(DRAWS if draws is None else draws) // CHAINS))
    seeds = np.random.SeedSequence(seed).spawn(CHAINS)
    chains = [one_chain(c, each, np.random.default_rng(s)) for s in seeds]
    switching = c.model in ("dawid_skene", "hierarchical") or (c.model == "one_coin" and c.votes.n_labels == 2)
    watched = [name for name in WATCHED if name != "prevalence" or not c.settings.uniform]
    found = together("posterior", chains, c.posterior if switching else None, watched)
    if not c.numeric or found.posterior is None:
        return found
    off, square = found.posterior.T  # from the fit, so that no digits are lost
    return replace(found, posterior=np.stack([c.posterior[:, 0] + off, np.sqrt(np.maximum(square - off**2, 0))], -1))


def one_chain(c: Consensus, draws: int, rng: Rng) -> Chain:
    """The draws after the warm-up, and the items' mean posterior."""
    steps, each = Steps(), SWEEPS.get(c.model, 1)
    turns = (numbers if c.numeric else labels)(c, rng, steps)
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


def thinning(c: Consensus, values: dict[str, Array], draws: int) -> int:
    """Every so many draws are kept; what is too large and can be done without is taken out."""
    for name in LARGE:
        dense = name == "confusion" and DISCRETE[c.model].dense if not c.numeric else False
        if name in values and not dense and values[name].size * 4 * draws * CHAINS > MOST:
            del values[name]
    return max(1, -(-sum(x.size * 4 * draws * CHAINS for x in values.values()) // MOST))


def labels(c: Consensus, rng: Rng, steps: Steps) -> Turns:
    """Turn by turn: what to keep, and the (item, label) probabilities that the truth was drawn from."""
    v, task = c.votes, make(c.model, c.votes, c.gold, c.settings).task
    family = dawid_skene.FAMILY if c.model == "hierarchical" else DISCRETE[c.model]
    params: dict[str, Array] = dict(c.params)
    if c.model == "hierarchical":
        params["confusion"] = c.confusion
    there = v.per_item > 0 if c.gold is None else (v.per_item > 0) | (c.gold >= 0)
    while True:
        q, _ = family.expect(task, params)
        truth = (np.cumsum(q, 1) < rng.random((v.n_items, 1))).sum(1).clip(max=v.n_labels - 1)
        params |= REDRAW[c.model](task, truth, params, rng, steps)
        if not task.uniform:
            seen = np.bincount(truth[there], minlength=v.n_labels)
            params["prevalence"] = rng.dirichlet(seen + 1 + task.smoothing)
        yield partial(told, c, task, truth, params, rng), q


def told(c: Consensus, task: Task, truth: Array, params: dict[str, Array], rng: Rng) -> dict[str, Array]:
    """What is kept of a turn: the model's own parameters, and the matrices that follow from them."""
    values = {name: x.astype(np.float32) if name in LARGE else x for name, x in params.items() if name != "counts"}
    if c.model not in ("dawid_skene", "hierarchical") and task.votes.n_raters * task.votes.n_labels**2 * 4 > MOST:
        return values
    if c.model == "glad":  # its own depend on the item: those of items like these
        values["confusion"] = rows_to_one(rng.standard_gamma(counts(task, truth) + 1 + task.smoothing))
    elif c.model in ("one_coin", "mace"):
        values["confusion"] = DISCRETE[c.model].confusion(task, params)
        values.pop("accuracy", None)  # it follows from the matrices once their labels are matched
    values["confusion"] = values["confusion"].astype(np.float32)
    return values


def numbers(c: Consensus, rng: Rng, steps: Steps) -> Turns:
    """Turn by turn: what to keep, biases measured from the raters' mean, and (item, 2) moments of the truth around the fit."""
    model = Gaussian(c.votes, c.gold)
    params: dict[str, Array] = dict(c.params)
    seen = c.votes.per_rater.any(1)
    while True:
        (mean, variance), _ = model.expect(params)
        shift = params["bias"][seen].mean() if c.gold is None else 0.0
        off = mean + shift - c.posterior[:, 0]
        moments = np.stack([off, off**2 + variance], -1)
        params = gaussian(model, mean + np.sqrt(variance) * rng.standard_normal(len(mean)), params, rng)
        shift = params["bias"][seen].mean() if c.gold is None else 0.0
        yield partial(dict, params, bias=params["bias"] - shift, center=params["center"] + shift), moments
