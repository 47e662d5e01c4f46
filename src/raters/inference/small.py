"""Intervals for small studies: with one imaginary item for labels, on the variance-stabilising scale for numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.errors import UsageError
from raters.inference.imaginary import Posterior
from raters.inference.limits import Interval, IntervalSpec, by_percentile, student
from raters.inference.statistic import Statistic

Array = NDArray[Any]


@dataclass(frozen=True)
class Numbers:
    """Many distinct numbers, for which an imaginary item does not help and reliability is an intraclass correlation."""

    labels: float
    """Labels per item."""
    otherwise: Posterior | None = None
    """The interval for items that agree completely, for which the jackknife is not informative."""


Small = Posterior | Numbers
"""What the interval of a small study needs in addition to the statistic."""


def by_imaginary(stat: Statistic, value: float, spec: IntervalSpec, small: Small | None) -> Interval:
    """Percentiles of the posterior with one imaginary item.

    Along a scale the imaginary item, whose labels differ more than those of raters who nearly agree, would keep the upper
    limit too low: there it is the larger of the limits with and without the imaginary item.
    """
    draws: Array | None = getattr(stat, "draws", None)
    rests = small.otherwise if isinstance(small, Numbers) else small
    if draws is None and rests is None:
        raise UsageError("an imaginary item is not defined for this figure; use interval='bootstrap' or 'auto'.")
    if draws is None and rests is not None:
        draws = rests.draws(spec.resamples, spec.seed)
    found = replace(by_percentile(np.asarray(draws), spec), method="imaginary")
    if rests is None or not rests.along or getattr(stat, "draws", None) is not None:
        return found
    without = by_percentile(rests.draws(spec.resamples, spec.seed, mass=0.0), spec)
    return replace(found, high=max(found.high, min(without.high, spec.highest))) if np.isfinite(without.high) else found


def by_stabilised(stat: Statistic, value: float, spec: IntervalSpec, small: Small | None) -> Interval:
    """One item left out at a time on the scale log((1 + (m - 1) a) / (1 - a)), where the variance of an intraclass
    correlation of m ratings hardly depends on it; t with n - 1 df.
    """
    if not isinstance(small, Numbers):
        raise UsageError("interval='stabilised' applies to numbers; use interval='auto'.")
    m, n = small.labels, float(stat.weight.sum())
    left = stat.left_out()
    if small.otherwise is not None and not (value < 1 and np.isfinite(left).all() and (left < 1).all()):
        return by_imaginary(stat, value, spec, small)
    floor = -1 / (m - 1)
    if not (floor < value < 1 and np.isfinite(left).all() and (left > floor).all() and (left < 1).all()):
        return by_jackknife(stat, value, spec)
    z, each = (np.log((1 + (m - 1) * x) / (1 - x)) for x in (value, left))
    gap = each - np.average(each, weights=stat.weight)
    se = float(np.sqrt((n - 1) / n * (stat.weight @ gap**2)))
    reach = float(special.stdtrit(n - 1, (1 + spec.level) / 2)) * se
    # (e^z - 1) / (e^z + m - 1), so written that a far limit is 1 and not overflow
    low, high = ((1 - np.exp(-y)) / (1 + (m - 1) * np.exp(-y)) for y in (z - reach, z + reach))
    slope = (1 + (m - 1) * value) * (1 - value) / m
    return Interval(float(low), float(high), se * slope, "stabilised")


def by_jackknife(stat: Statistic, value: float, spec: IntervalSpec, small: Small | None = None) -> Interval:
    """One item left out at a time; t with n - 1 df."""
    left, n = stat.left_out(), stat.weight.sum()
    if not np.isfinite(left).all():
        why = "leaving out one item makes the coefficient undefined"
        return Interval(np.nan, np.nan, np.nan, "jackknife", (why,))
    gap = left - np.average(left, weights=stat.weight)
    return student(value, float(np.sqrt((n - 1) / n * (stat.weight @ gap**2))), n, spec, "jackknife")
