"""Intervals of a statistic: bootstrap (percentile, BCa), delta, jackknife."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.errors import UsageError
from raters.inference.statistic import Statistic
from raters.inference.weights import multinomial

Array = NDArray[Any]
MOST_DRAWS = 100_000_000
"""With more patterns times resamples than this (about a second), ``interval="auto"`` takes the delta method."""
MOST_UNDEFINED = 0.05


MOST_DRAWS = 1_000_000
"""Bootstrap samples, shuffles, simulations."""


@dataclass(frozen=True)
class Interval:
    """Limits and standard error, how they were found, and what to say beside them."""

    low: float
    high: float
    se: float
    method: str
    warnings: tuple[str, ...] = ()


NO_INTERVAL = Interval(np.nan, np.nan, np.nan, "")
"""Where none was asked for."""


@dataclass(frozen=True)
class IntervalSpec:
    """How an interval is wanted."""

    method: str = "auto"
    level: float = 0.95
    resamples: int = 2000
    seed: int = 0
    lowest: float = -np.inf
    highest: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise UsageError(f"level={self.level} is not between 0 and 1; 0.95 is usual.")
        if self.resamples < 2:
            raise UsageError(f"resamples={self.resamples} is too few; 2000 is usual.")
        refuse_many("resamples", self.resamples)
        if self.method not in METHODS:
            raise UsageError(
                f"unknown interval {self.method!r}: choose one of {', '.join(METHODS)}, or None for the point alone."
            )


def refuse_many(name: str, n: int) -> None:
    """No more draws than a machine can make in a while; from here on they add digits that nobody reads."""
    if n > MOST_DRAWS:
        raise UsageError(
            f"{name}={n} is more than {MOST_DRAWS:,}, which would take days and say nothing new; 2000 is usual."
        )


def replicates(stat: Statistic, spec: IntervalSpec) -> Array:
    """(replicate,): the statistic on each bootstrap sample of items; those found already, if there are any."""
    found: Array | None = getattr(stat, "draws", None)
    if found is not None:
        return found
    rng = np.random.default_rng(spec.seed)
    return np.concatenate([stat.parts(w).value for w in multinomial(stat.weight, spec.resamples, rng)])


def interval(stat: Statistic, value: float, spec: IntervalSpec, influence: Array | None = None) -> Interval:
    """The interval of a statistic whose value is ``value``; ``influence`` replaces that of the delta method."""
    if not np.isfinite(value):
        return Interval(np.nan, np.nan, np.nan, chosen(stat, spec))
    if stat.weight.sum() < 2:
        why = "one item alone gives no interval"
        return Interval(np.nan, np.nan, np.nan, chosen(stat, spec), (why,))
    method = chosen(stat, spec)
    found = METHODS[method](stat, value, spec) if influence is None else _delta(stat, value, spec, influence)
    if influence is None and method == "delta" and spec.method == "auto":
        said = f"interval by the delta method: {len(stat.weight):,} different items; interval='bootstrap' resamples them, slowly"
        found = Interval(found.low, found.high, found.se, found.method, (*found.warnings, said))
    return found


def chosen(stat: Statistic, spec: IntervalSpec) -> str:
    """The method: as asked, or what ``auto`` comes to."""
    if spec.method != "auto":
        return spec.method
    return "delta" if len(stat.weight) * spec.resamples > MOST_DRAWS else "bootstrap"


def _percentile(stat: Statistic, value: float, spec: IntervalSpec) -> Interval:
    return by_percentile(replicates(stat, spec), spec)


def by_percentile(draws: Array, spec: IntervalSpec) -> Interval:
    """The percentile interval of bootstrap replicates."""
    kept, warnings = _defined(draws)
    if kept is None:
        return Interval(np.nan, np.nan, np.nan, "bootstrap", warnings)
    tail = (1 - spec.level) / 2
    low, high = np.quantile(kept, [tail, 1 - tail])
    return Interval(float(low), float(high), float(kept.std(ddof=1)), "bootstrap", warnings)


def _bca(stat: Statistic, value: float, spec: IntervalSpec) -> Interval:
    """Bias-corrected and accelerated (Efron 1987); the acceleration from the jackknife's skewness."""
    draws, warnings = _defined(replicates(stat, spec))
    if draws is None:
        return Interval(np.nan, np.nan, np.nan, "bca", warnings)
    se = float(draws.std(ddof=1))
    below = (np.sum(draws < value) + np.sum(draws == value) / 2) / len(draws)
    pull = value - stat.left_out()
    pull = pull - np.average(pull, weights=stat.weight)
    scale = (stat.weight @ pull**2) ** 1.5
    if np.all(draws == value):
        return Interval(value, value, se, "bca", (*warnings, "the bootstrap samples do not vary"))
    if not 0 < below < 1 or not np.isfinite(scale) or scale == 0:
        why = "no BCa interval: the bootstrap samples lie all on one side of the value; use interval='bootstrap'"
        return Interval(np.nan, np.nan, se, "bca", (*warnings, why))
    z0, a = special.ndtri(below), stat.weight @ pull**3 / (6 * scale)
    z = z0 + special.ndtri(np.array([(1 - spec.level) / 2, (1 + spec.level) / 2]))
    low, high = np.quantile(draws, special.ndtr(z0 + z / (1 - a * z)))
    return Interval(float(low), float(high), se, "bca", warnings)


def _delta(stat: Statistic, value: float, spec: IntervalSpec, influence: Array | None = None) -> Interval:
    """Linearised: variance n/(n-1) times the sum of squared influences; t with n - 1 df."""
    slope = stat.influence() if influence is None else influence
    n = stat.weight.sum()
    return student(value, float(np.sqrt(n / (n - 1) * (stat.weight @ slope**2))), n, spec, "delta")


def by_jackknife(stat: Statistic, value: float, spec: IntervalSpec) -> Interval:
    """One item left out at a time; t with n - 1 df."""
    left, n = stat.left_out(), stat.weight.sum()
    if not np.isfinite(left).all():
        why = "leaving out one item makes the coefficient undefined"
        return Interval(np.nan, np.nan, np.nan, "jackknife", (why,))
    gap = left - np.average(left, weights=stat.weight)
    return student(value, float(np.sqrt((n - 1) / n * (stat.weight @ gap**2))), n, spec, "jackknife")


def student(value: float, se: float, n: float, spec: IntervalSpec, method: str) -> Interval:
    """value +- t(n - 1) se, within the coefficient's range."""
    reach = float(special.stdtrit(n - 1, (1 + spec.level) / 2)) * se
    # margins from other items than the pairs can put a value itself below the usual range
    low = spec.lowest if value >= spec.lowest else -np.inf
    high = spec.highest if value <= spec.highest else np.inf
    return Interval(max(value - reach, low), min(value + reach, high), se, method)


def _defined(draws: Array) -> tuple[Array | None, tuple[str, ...]]:
    kept = draws[np.isfinite(draws)]
    lost = 1 - len(kept) / len(draws)
    if lost > MOST_UNDEFINED:
        return None, (f"no interval: the coefficient is undefined in {lost:.0%} of the bootstrap samples",)
    if lost:
        return kept, (
            f"{len(draws) - len(kept)} of {len(draws)} bootstrap samples left the coefficient undefined and were passed over",
        )
    return draws, ()


METHODS: Mapping[str, Callable[[Statistic, float, IntervalSpec], Interval]] = {
    "auto": _percentile,
    "bootstrap": _percentile,
    "bca": _bca,
    "delta": _delta,
    "jackknife": by_jackknife,
}
