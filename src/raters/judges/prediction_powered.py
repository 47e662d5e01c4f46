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
    """A mean of human labels, improved by a judge."""

    value: float
    se: float
    low: float
    high: float
    lam: float
    """The weight of the judge: 0 (human labels alone) to 1."""
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
    weights: tuple[Array, Array] | None = None,
) -> Powered:
    """``y``, ``f``: human and judge labels of the same items; ``judged``: the judge's labels of the others.

    .. math:: \\hat\\theta = \\bar y + \\lambda (\\bar F - \\bar f), \\quad
        \\lambda = \\frac{\\mathrm{cov}(y, f)}{(1 + n/N)\\, \\mathrm{var}(f, F)}

    ``interval``: ``"t"`` (n - 2 degrees of freedom, which holds from 10 labels on) or ``"ppi-python"`` (z and division by n, as in
    that package; too narrow below 100 labels). ``clusters``: (item,) the clusters of the labelled items, whose sums are then the unit. ``weights``: those of
    the labelled items, and of the others.

    >>> found = powered_mean(np.array([3.0, 4, 2, 5]), np.array([3.0, 5, 2, 5]), np.array([4.0, 3, 5, 2, 4]), lam=1)
    >>> float(found.value)
    3.35
    """
    y, f, judged = (np.asarray(x, float) for x in (y, f, judged))
    n, many = len(y), len(judged)
    if n < 2:
        raise UsageError(f"a mean with an interval needs at least two items with both labels, but there are {n}.")
    w, v = (np.ones(n), np.ones(many)) if weights is None else (weights[0] / weights[0].mean(), weights[1])
    use = tuned(y, f, judged, weights=(w, v)) if lam is None else float(lam)
    if not many:
        use = 0.0
    rest = y - use * f
    middle = float(np.average(rest, weights=w))
    value = middle + use * (float(np.average(judged, weights=v)) if many else 0.0)
    plain = interval == "ppi-python"
    df = np.inf if plain else max(n - (2 if use else 1), 1)
    off = w * (rest - middle)
    var = (off**2).sum() / n / (n if plain else df)
    if clusters is not None:
        var, df = _clustered(off, clusters), max(len(np.unique(clusters)) - 1, 1)
    if use and many > 1:
        var += use**2 * _of_mean(judged, v, plain)
    reach = float(special.ndtri((1 + level) / 2) if plain else special.stdtrit(df, (1 + level) / 2))
    se = float(np.sqrt(var))
    human, alone = float(np.average(y, weights=w)), float(np.sqrt(_of_mean(y, w, False)))
    human_reach = float(special.stdtrit(n - 1, (1 + level) / 2))
    r = float(np.corrcoef(y, f)[0, 1]) if y.std() > 0 and f.std() > 0 else 0.0
    return Powered(
        value, se, value - reach * se, value + reach * se, use, float(df), human, human - human_reach * alone,
        human + human_reach * alone, alone, float(np.average(np.concatenate([f, judged]), weights=np.concatenate([w, v / v.mean() if many else v]))), r, n, many,
    )  # fmt: skip


def _of_mean(x: Array, w: Array, plain: bool) -> float:
    """Variance of a weighted mean: from w (x - mean), with n - 1 degrees of freedom unless plain."""
    n = len(x)
    off = w * (x - np.average(x, weights=w))
    return float((off**2).sum() / w.sum() ** 2 * (1 if plain else n / (n - 1)))


def tuned(y: Array, f: Array, judged: Array, cut: bool = True, weights: tuple[Array, Array] | None = None) -> float:
    """The weight of the judge that minimises the variance, clipped to [0, 1]; 0 for a judge that never varies.

    >>> tuned(np.array([1.0, 2, 3]), np.array([2.0, 2, 2]), np.array([2.0, 2]))
    0.0
    """
    n, many = len(y), len(judged)
    if not many:
        return 0.0
    w, v = (np.ones(n), np.ones(many)) if weights is None else (x / x.mean() for x in weights)
    every, share = np.concatenate([f, judged]), np.concatenate([w, v])
    pooled = np.average((every - np.average(every, weights=share)) ** 2, weights=share) * len(every) / (len(every) - 1)
    if pooled <= 0 or f.var() <= 0:
        return 0.0
    apart = (y - np.average(y, weights=w)) * (f - np.average(f, weights=w))
    ratio = (w.sum() ** 2 / (w**2).sum()) / (v.sum() ** 2 / (v**2).sum())
    lam = float(np.average(apart, weights=w) / ((1 + ratio) * pooled))
    return min(max(lam, 0.0), 1.0) if cut else lam


def _clustered(off: Array, clusters: Array) -> float:
    """Variance of the mean if whole clusters are drawn: from sums of deviations by cluster, with G - 1 degrees of freedom."""
    _, which = np.unique(clusters, return_inverse=True)
    sums = np.bincount(which, off)
    groups = len(sums)
    return float(groups / max(groups - 1, 1) * (sums**2).sum() / len(off) ** 2)
