"""The difference of two statistics: on the same items (the same weights for both), or on different ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.inference.intervals import Interval, IntervalSpec, by_percentile, interval, replicates
from raters.inference.statistic import Statistic

Array = NDArray[Any]


def paired(stat: Statistic, value: float, spec: IntervalSpec) -> tuple[Interval, float]:
    """Interval of a difference on shared items, and the two-sided p of no difference."""
    found = interval(stat, value, spec)
    if not np.isfinite(found.low):
        return found, np.nan
    if found.method in ("bootstrap", "bca"):
        return found, _p_of_draws(replicates(stat, spec))
    return found, _p_of_t(value, found.se, stat.weight.sum() - 1)


def unpaired(first: Statistic, second: Statistic, value: float, spec: IntervalSpec) -> tuple[Interval, float]:
    """Interval of a difference between two sets of items that share none, and the two-sided p of no difference."""
    if not np.isfinite(value):
        return Interval(np.nan, np.nan, np.nan, "bootstrap"), np.nan
    if spec.method in ("auto", "bootstrap", "bca"):
        draws = replicates(first, spec) - replicates(second, replace(spec, seed=spec.seed + 1))
        return by_percentile(draws, spec), _p_of_draws(draws)
    each = [interval(s, float(s.parts(s.weight[None, :]).value[0]), spec).se ** 2 for s in (first, second)]
    sizes = [s.weight.sum() - 1 for s in (first, second)]
    # Welch and Satterthwaite: degrees of freedom of a sum of two variances
    df = sum(each) ** 2 / sum(v**2 / n for v, n in zip(each, sizes, strict=True)) if sum(each) > 0 else sum(sizes)
    se = float(np.sqrt(sum(each)))
    reach = float(special.stdtrit(df, (1 + spec.level) / 2)) * se
    return Interval(value - reach, value + reach, se, spec.method), _p_of_t(value, se, df)


def _p_of_draws(draws: Array) -> float:
    """Twice the smaller share of replicates beyond zero: the level at which the interval first touches zero."""
    kept = draws[np.isfinite(draws)]
    if not len(kept):
        return float("nan")
    beyond = min(int((kept <= 0).sum()), int((kept >= 0).sum()))
    return min(1.0, 2 * (beyond + 1) / (len(kept) + 1))


def _p_of_t(value: float, se: float, df: float) -> float:
    if se == 0:
        return 1.0 if value == 0 else 0.0
    return float(2 * special.stdtr(df, -abs(value) / se))
