"""What all samplers share: combining chains with matched labels, split R-hat, effective sample size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.draws import Draws

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


def together(method: str, chains: Sequence[Chain], mode: Array | None, watched: Sequence[str], also: str = "") -> Draws:
    """Combine chains into one set of draws, after matching true labels with those of the fit (``mode``; None: nothing to match).

    R-hat and effective sample size are computed for ``watched``; ``also`` is the sampler's own warning.
    """
    pairs = [(chain, False) if mode is None else aligned(chain, mode) for chain in chains]
    values = {name: np.stack([chain.values[name] for chain, _ in pairs]) for name in chains[0].values}
    if {"prevalence", "confusion"} <= set(values) and "accuracy" not in values:
        values["accuracy"] = np.einsum("cdk,cdrkk->cdr", values["prevalence"], values["confusion"])
    rhat = {name: split_rhat(values[name]) for name in watched if name in values}
    worst = max((float(np.max(r, initial=1)) for r in rhat.values()), default=1.0)
    said = (
        [f"the chains have not converged (R-hat {worst:.2f}): increase draws=, or compare the starts"]
        if worst > LIMIT
        else []
    )
    return Draws(
        method,
        {name: x.reshape(-1, *x.shape[2:]) for name, x in values.items()},
        np.mean([chain.posterior for chain, _ in pairs], 0),
        rhat,
        {name: effective(values[name]) for name in rhat},
        sum(moved for _, moved in pairs),
        (*said, *([also] if also else [])),
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
