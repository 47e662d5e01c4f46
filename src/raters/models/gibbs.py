"""Gibbs sampling for the conjugate models, with labels matched between chains before they are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from raters.errors import UsageError
from raters.models.dawid_skene import expected_counts
from raters.models.em import log, normalised
from raters.models.registry import make
from raters.models.result import Consensus

Array = NDArray[Any]
CHAINS = 4
WARM_UP = 200
SAMPLED = ("dawid_skene", "hierarchical", "one_coin")
MOST = 2**29
"""Bytes of confusion matrices that are kept; beyond, draws are thinned."""


@dataclass(frozen=True)
class Sampled:
    """What the chains drew."""

    values: dict[str, Array]
    posterior: Array
    rhat: dict[str, Array]
    ess: dict[str, Array]
    matched: int


@dataclass(frozen=True)
class Chain:
    """One chain: (draw, ...) values and the mean posterior."""

    prevalence: Array
    confusion: Array
    posterior: Array


def gibbs(c: Consensus, draws: int, seed: int) -> Sampled:
    """``draws`` in all, from four chains that start at the fit."""
    if c.model not in SAMPLED:
        raise UsageError(
            f"uncertainty='posterior' is for {', '.join(SAMPLED)}; for {c.model!r} use uncertainty='bootstrap'."
        )
    each = max(4, -(-draws // CHAINS))
    seeds = np.random.SeedSequence(seed).spawn(CHAINS)
    chains = [one_chain(c, each, np.random.default_rng(s)) for s in seeds]
    pairs = [aligned(chain, c.posterior) for chain in chains]
    chains = [chain for chain, _ in pairs]
    watched = {
        "prevalence": np.stack([x.prevalence for x in chains]),
        "accuracy": np.stack([np.einsum("dk,drkk->dr", x.prevalence, x.confusion) for x in chains]),
    }
    values = {"prevalence": watched["prevalence"], "confusion": np.stack([x.confusion for x in chains])}
    return Sampled(
        {name: v.reshape(-1, *v.shape[2:]) for name, v in (values | {"accuracy": watched["accuracy"]}).items()},
        np.mean([x.posterior for x in chains], 0),
        {name: split_rhat(v) for name, v in watched.items()},
        {name: effective(v) for name, v in watched.items()},
        sum(moved for _, moved in pairs),
    )


def one_chain(c: Consensus, draws: int, rng: np.random.Generator) -> Chain:
    """Truth given raters, raters given truth, in turn."""
    v, model = c.votes, make(c.model, c.votes, c.gold, c.settings)
    sample: Any = model.sample  # type: ignore[attr-defined]
    k, confusion, share = v.n_labels, c.confusion, c.prevalence
    thin = max(1, -(-(draws * CHAINS * confusion.size * 4) // MOST))
    kept: tuple[list[Array], list[Array]] = ([], [])
    mean = np.zeros((v.n_items, k))
    labelled = v.per_item > 0
    for turn in range(WARM_UP + draws):
        table = log(confusion).swapaxes(1, 2).reshape(-1, k)
        q, _ = normalised(v.table @ table + log(share), c.gold)
        truth = (np.cumsum(q, 1) < rng.random((v.n_items, 1))).sum(1).clip(max=k - 1)
        known = np.zeros((v.n_items, k))
        known[np.arange(v.n_items), truth] = labelled
        confusion = sample(expected_counts(v, known), c.params, rng)
        if not c.settings.uniform:
            share = rng.dirichlet(known.sum(0) + 1 + c.settings.smoothing)
        if turn >= WARM_UP:
            mean += q / draws
            if (turn - WARM_UP) % thin == 0:
                kept[0].append(share)
                kept[1].append(confusion.astype(np.float32))
    return Chain(np.stack(kept[0]), np.stack(kept[1]), mean)


def aligned(chain: Chain, mode: Array) -> tuple[Chain, bool]:
    """The chain with its true labels in the order that overlaps most with the fit's posterior."""
    _, order = linear_sum_assignment(-(mode.T @ chain.posterior))
    if (order == np.arange(len(order))).all():
        return chain, False
    return Chain(chain.prevalence[:, order], chain.confusion[:, :, order], chain.posterior[:, order]), True


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
    """Effective number of draws of (chain, draw, ...), by Geyer's initial positive sequence."""
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
    return np.asarray(np.minimum(m * n / time, m * n * np.log10(m * n)))
