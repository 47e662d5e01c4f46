"""Gibbs sampling: the truth given the raters and the raters given the truth, alternately."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.models.base.fit import Draws, FittedModel
from raters.models.families.spec import Rng, Sampler, Steps, had
from raters.models.fitting.checks import check_numbers
from raters.notes.note import Note

Array = NDArray[Any]
TRUE_AXIS = {"prevalence": 1, "confusion": 2}
"""Which axis of (draw, ...) values is the true label."""
LIMIT = 1.05
"""R-hat above which a warning says that the chains have not converged."""


@dataclass(frozen=True)
class Chain:
    """One chain: name -> (draw, ...) values, and the items' posterior over all its draws."""

    values: Mapping[str, Array]
    posterior: Array


def together(chains: Sequence[Chain], mode: Array | None, watched: Sequence[str]) -> Draws:
    """Combine chains into one set of draws, after matching true labels with those of the fit (``mode``; None: nothing
    to match).

    R-hat and effective sample size are computed for ``watched``.
    """
    pairs = [(chain, False) if mode is None else aligned(chain, mode) for chain in chains]
    values = {name: np.stack([chain.values[name] for chain, _ in pairs]) for name in chains[0].values}
    if {"prevalence", "confusion"} <= set(values) and "accuracy" not in values:
        values["accuracy"] = np.einsum("cdk,cdrkk->cdr", values["prevalence"], values["confusion"])
    rhat = {name: split_rhat(values[name]) for name in watched if name in values}
    worst = max((float(np.max(r, initial=1)) for r in rhat.values()), default=1.0)
    said = (Note("chains_apart", {"rhat": worst}),) if worst > LIMIT else ()
    return Draws(
        "posterior",
        {name: x.reshape(-1, *x.shape[2:]) for name, x in values.items()},
        np.mean([chain.posterior for chain, _ in pairs], 0),
        rhat,
        {name: effective(values[name]) for name in rhat},
        sum(moved for _, moved in pairs),
        said,
    )


def aligned(chain: Chain, mode: Array) -> tuple[Chain, bool]:
    """The chain with its true labels in the order that overlaps most with the fit's posterior."""
    from scipy.optimize import linear_sum_assignment  # slow to import

    _, order = linear_sum_assignment(-(mode.T @ chain.posterior))
    if (order == np.arange(len(order))).all():
        return chain, False
    values = {n: x.take(order, TRUE_AXIS[n]) if n in TRUE_AXIS else x for n, x in chain.values.items()}
    return Chain(values, chain.posterior[:, order]), True


def split_rhat(x: Array) -> Array:
    """Split R-hat of (chain, draw, ...): between the halves of all chains against within them.

    Gelman et al. (2013), Bayesian Data Analysis, 3rd edition, section 11.4.
    """
    half = x.shape[1] // 2
    parts = np.concatenate([x[:, :half], x[:, half : 2 * half]])
    within = parts.var(1, ddof=1).mean(0)
    between = half * parts.mean(1).var(0, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(
            np.where(within > 1e-300, np.sqrt(((half - 1) / half * within + between / half) / within), 1.0)
        )


def effective(x: Array) -> Array:
    """Effective sample size of (chain, draw, ...), by Geyer's initial positive sequence."""
    m, n = x.shape[:2]
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.fft.rfft(x - x.mean(1, keepdims=True), size, axis=1)
    lagged = np.fft.irfft(np.abs(spectrum) ** 2, size, axis=1)[:, :n] / n  # (chain, lag, ...)
    within = (lagged[:, 0] * n / (n - 1)).mean(0)
    total = within * (n - 1) / n + x.mean(1).var(0, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        rho = np.where(total > 1e-300, 1 - (within - lagged.mean(0)) / total, 0)  # (lag, ...)
    pairs = rho[: n // 2 * 2].reshape(n // 2, 2, *rho.shape[1:]).sum(1)
    positive = np.cumprod(pairs > 0, 0)
    time = np.maximum(
        -1 + 2 * (np.minimum.accumulate(np.where(positive > 0, pairs, 0), 0) * positive).sum(0), 1 / (m * n)
    )
    found = np.minimum(m * n / time, m * n * np.log10(m * n))
    return np.asarray(np.where(total > 1e-300, found, m * n))


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
    found = together(chains, c.posterior if switching else None, watched)
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
    """Values kept in single precision, and dropped if they would take too much memory; matrices that are parameters are
    thinned instead.
    """
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


def labellings(c: FittedModel, n: int, seed: int) -> Array:
    """(n, item): a label for each item, drawn by its probability; for numbers, a value. None (nan) if an item has no
    label.
    """
    check_numbers(n=(n, 1), seed=(seed, 0))
    rng = np.random.default_rng(seed)
    if c.numeric:
        mean, sd = c.posterior.T
        values = mean + sd * rng.standard_normal((n, len(mean)))
        return np.asarray(np.where(c._labelled, values, np.nan))
    upto = np.cumsum(c._shares, 1)
    codes = (upto[None] < rng.random((n, len(upto), 1))).sum(-1).clip(max=c.votes.n_labels - 1)
    names = np.empty(c.votes.n_labels + 1, dtype=object)
    names[:-1] = c.votes.labels
    return np.asarray(names[np.where(c._labelled, codes, -1)])
