"""Means from few human labels and many judge labels: prediction-powered inference with a tuned weight.

Angelopoulos, Duchi & Zrnic (2023), PPI++; it is the regression estimator of double sampling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.errors import UsageError

Array = NDArray[Any]


@dataclass(frozen=True)
class Powered:
    """A mean of human labels, helped by a judge."""

    value: float
    se: float
    low: float
    high: float
    lam: float
    """How far the judge is used: 0 (human labels alone) to 1."""
    df: float
    human: float
    human_low: float
    human_high: float
    human_se: float
    judge: float
    """The mean of the judge's labels alone."""
    correlation: float
    n: int
    n_judged: int


def powered_mean(
    y: Array,
    f: Array,
    judged: Array,
    *,
    lam: float | None = None,
    interval: str = "t",
    level: float = 0.95,
    clusters: Array | None = None,
) -> Powered:
    """``y``, ``f``: human and judge labels of the same items; ``judged``: the judge's labels of the others.

    .. math:: \\hat\\theta = \\bar y + \\lambda (\\bar F - \\bar f), \\quad
        \\lambda = \\frac{\\mathrm{cov}(y, f)}{(1 + n/N)\\, \\mathrm{var}(f, F)}

    ``interval``: ``"t"`` (n - 2 degrees of freedom, which holds from 10 labels on) or ``"ppi-python"`` (z and division by n, as
    that package; too narrow below 100 labels). ``clusters``: (item,) of the labelled items; their sums are the unit then.

    >>> found = powered_mean(np.array([3.0, 4, 2, 5]), np.array([3.0, 5, 2, 5]), np.array([4.0, 3, 5, 2, 4]), lam=1)
    >>> float(found.value)
    3.35
    """
    y, f, judged = (np.asarray(x, float) for x in (y, f, judged))
    n, many = len(y), len(judged)
    if n < 2:
        raise UsageError(f"a mean with an interval needs two items with both labels or more; there are {n}.")
    use = tuned(y, f, judged) if lam is None else float(lam)
    if not many:
        use = 0.0
    rest = y - use * f
    value = float(rest.mean() + use * (judged.mean() if many else 0.0))
    plain = interval == "ppi-python"
    df = np.inf if plain else max(n - (2 if use else 1), 1)
    var = rest.var() / n if plain else ((rest - rest.mean()) ** 2).sum() / df / n
    if clusters is not None:
        var, df = _clustered(rest, clusters), max(len(np.unique(clusters)) - 1, 1)
    if use:
        var += use**2 * judged.var(ddof=0 if plain else 1) / many if many > 1 else 0.0
    reach = float(special.ndtri((1 + level) / 2) if plain else special.stdtrit(df, (1 + level) / 2))
    se = float(np.sqrt(var))
    alone = float(np.sqrt(y.var(ddof=1) / n))
    human_reach = float(special.stdtrit(n - 1, (1 + level) / 2))
    r = float(np.corrcoef(y, f)[0, 1]) if y.std() > 0 and f.std() > 0 else 0.0
    return Powered(
        value, se, value - reach * se, value + reach * se, use, float(df), float(y.mean()), float(y.mean() - human_reach * alone),
        float(y.mean() + human_reach * alone), alone, float(np.concatenate([f, judged]).mean()), r, n, many,
    )  # fmt: skip


def tuned(y: Array, f: Array, judged: Array, cut: bool = True) -> float:
    """The weight of the judge that makes the variance least, cut to [0, 1]; 0 for a judge that never varies.

    >>> tuned(np.array([1.0, 2, 3]), np.array([2.0, 2, 2]), np.array([2.0, 2]))
    0.0
    """
    n, many = len(y), len(judged)
    if not many:
        return 0.0
    pooled = np.concatenate([f, judged]).var(ddof=1)
    if pooled <= 0 or f.var() <= 0:
        return 0.0
    lam = float(((y - y.mean()) * (f - f.mean())).mean() / ((1 + n / many) * pooled))
    return min(max(lam, 0.0), 1.0) if cut else lam


def _clustered(rest: Array, clusters: Array) -> float:
    """Variance of the mean where whole clusters are drawn: sums by cluster, G - 1 degrees of freedom."""
    _, which = np.unique(clusters, return_inverse=True)
    sums = np.bincount(which, rest - rest.mean())
    groups = len(sums)
    return float(groups / max(groups - 1, 1) * (sums**2).sum() / len(rest) ** 2)
