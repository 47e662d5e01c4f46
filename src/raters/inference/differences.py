"""The difference of two statistics: on the same items (the same weights for both), or on different ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.inference.intervals import (
    OF_DIFFERENCES,
    Interval,
    IntervalSpec,
    Numbers,
    Small,
    around,
    by_jackknife,
    by_percentile,
    interval,
    replicates,
)
from raters.inference.prior_item import Posterior
from raters.inference.statistic import Statistic
from raters.inference.weights import with_imaginary

Array = NDArray[Any]


def paired(
    stat: Statistic, value: float, spec: IntervalSpec, apart: tuple[Posterior, Posterior] | None = None
) -> tuple[Interval, float]:
    """Interval of a difference on shared items, and the two-sided p of no difference.

    ``apart``: the two figures, each with its own imaginary item. A shared imaginary item would make the difference look
    too certain.
    """
    if spec.method == "auto" and apart is not None and np.isfinite(value) and stat.weight.sum() >= 2:
        return _paired_t(stat, value, spec, apart)
    found = interval(stat, value, spec)
    if not np.isfinite(found.low):
        return found, np.nan
    if found.method in ("bootstrap", "bca"):
        return found, _p_of_draws(replicates(stat, spec))
    return found, _p_of_t(value, found.se, stat.weight.sum() - 1)


def _paired_t(
    stat: Statistic, value: float, spec: IntervalSpec, apart: tuple[Posterior, Posterior]
) -> tuple[Interval, float]:
    draws = difference_apart(apart, spec)
    left = by_jackknife(stat, value, spec).se
    return _wider(value, draws, _larger(left, draws), float(stat.weight.sum()) - 1, spec)


def _larger(se: float, draws: Array) -> float:
    """The larger of two standard errors: the jackknife's, if it is defined, and that of the draws."""
    kept = draws[np.isfinite(draws)]
    spread = float(kept.std(ddof=1)) if len(kept) > 1 else 0.0
    return max(se, spread) if np.isfinite(se) else spread


def _wider(value: float, draws: Array, se: float, df: float, spec: IntervalSpec) -> tuple[Interval, float]:
    """The wider of two intervals on each side, percentiles of the draws and Student's t, and the larger p.

    Each alone rejects a true null hypothesis in up to 12 % of cases, on different data; both together do so in about 5
    %.
    """
    by_draws = by_percentile(draws, spec)
    reach = float(special.stdtrit(df, (1 + spec.level) / 2)) * se
    low, high = value - reach, value + reach
    if np.isfinite(by_draws.low):
        low, high = min(low, by_draws.low), max(high, by_draws.high)
    p = max(_p_of_t(value, se, df), _p_of_draws(draws))
    return Interval(low, high, se, OF_DIFFERENCES.name), p


def difference_apart(apart: tuple[Posterior, Posterior], spec: IntervalSpec) -> Array:
    """(replicate,): the difference of two figures of the same items, each with its own imaginary item. Both use

    the same weights of the items (the same stream of random numbers), and each has its own weights of the imaginary
    item.
    """
    first, second = apart
    rng = np.random.default_rng(spec.seed)
    shown = first.stat.weight[: _real(first)]
    values: tuple[list[Array], list[Array]] = ([], [])
    chunk = max(1, 500_000 // max(len(first.base), len(second.base), 1))
    for start in range(0, spec.resamples, chunk):
        size = min(chunk, spec.resamples - start)
        items = rng.standard_gamma(np.where(shown > 0, shown, 1.0), (size, len(shown))) * (shown > 0)
        for one, into in zip(apart, values, strict=True):
            into.append(one.stat.parts(with_imaginary(items, one.base, one.mass, rng)).value)
    return np.asarray(np.concatenate(values[0]) - np.concatenate(values[1]))


def _real(one: Posterior) -> int:
    """Number of leading patterns that are not only imaginary."""
    return int(np.flatnonzero(one.base > 0)[0])


def unpaired(
    first: Statistic,
    second: Statistic,
    value: float,
    spec: IntervalSpec,
    apart: tuple[Small | None, Small | None] = (None, None),
) -> tuple[Interval, float]:
    """Interval of a difference between two sets of items that share none, and the two-sided p of no difference."""
    if not np.isfinite(value):
        return Interval(np.nan, np.nan, np.nan, "bootstrap"), np.nan
    if spec.method in ("auto", "imaginary") and all(isinstance(one, Posterior) for one in apart):
        each = _posterior_draws(apart[0], spec), _posterior_draws(apart[1], replace(spec, seed=spec.seed + 1))
        left = [by_jackknife(s, float(s.parts(s.weight[None, :]).value[0]), spec).se for s in (first, second)]
        errors = _common([_larger(se, draws) for se, draws in zip(left, each, strict=True)], (first, second))
        return _wider(
            value, each[0] - each[1], float(np.hypot(errors[0], errors[1])), _welch(errors, (first, second)), spec
        )
    if spec.method in ("auto", "bootstrap", "bca") and not any(isinstance(one, Numbers) for one in apart):
        draws = replicates(first, spec) - replicates(second, replace(spec, seed=spec.seed + 1))
        return around(by_percentile(draws, spec), value), _p_of_draws(draws)
    own = replace(spec, method="jackknife") if spec.method == "auto" else spec
    errors = [interval(s, float(s.parts(s.weight[None, :]).value[0]), own).se for s in (first, second)]
    df, se = _welch(errors, (first, second)), float(np.hypot(errors[0], errors[1]))
    reach = float(special.stdtrit(df, (1 + spec.level) / 2)) * se
    return Interval(value - reach, value + reach, se, own.method), _p_of_t(value, se, df)


def _common(errors: Sequence[float], stats: Sequence[Statistic]) -> list[float]:
    """The error of the smaller study, moved towards what the larger one's would be with as few items, the more the
    larger it is: both have one population under the null hypothesis, and a small study that by luck shows no
    disagreement on a rare label has hardly an error of its own.
    """
    n = [float(s.weight.sum()) for s in stats]
    small, large = (0, 1) if n[0] < n[1] else (1, 0)
    share = n[small] / n[large]
    more = max(errors[large] ** 2 / share - errors[small] ** 2, 0.0)
    moved = float(np.sqrt(errors[small] ** 2 + (1 - share) * more))
    return [moved if i == small else e for i, e in enumerate(errors)]


def _welch(errors: Sequence[float], stats: Sequence[Statistic]) -> float:
    """Welch and Satterthwaite: degrees of freedom of a sum of two variances."""
    each, sizes = [e**2 for e in errors], [float(s.weight.sum()) - 1 for s in stats]
    total = sum(each)
    return total**2 / sum(v**2 / n for v, n in zip(each, sizes, strict=True)) if total > 0 else sum(sizes)


def _posterior_draws(one: Small | None, spec: IntervalSpec) -> Array:
    if not isinstance(one, Posterior):
        raise TypeError("no imaginary item")
    return one.draws(spec.resamples, spec.seed)


def drawn(found: Interval, spec: IntervalSpec | None) -> int:
    """The replicates that the p beside this interval cannot go below; 0 if it is computed from a standard error."""
    return spec.resamples if spec is not None and found.method in ("bootstrap", "bca", OF_DIFFERENCES.name) else 0


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
