"""Intervals and their options; limits from replicates and from a standard error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.errors import UsageError
from raters.notes.note import Note
from raters.options import filled
from raters.options.declared import Inference

Array = NDArray[Any]
MOST_UNDEFINED = 0.05
MOST_RESAMPLES = 1_000_000
"""Bootstrap samples, shuffles, simulations."""
NAMES = ("auto", "imaginary", "stabilised", "bootstrap", "bca", "delta", "jackknife")
"""Valid methods: ``auto``, or a name in the registry of methods (a test compares the two)."""


@dataclass(frozen=True)
class Interval:
    """Limits and standard error, how they were computed, and notes about them."""

    low: float
    high: float
    se: float
    method: str
    notes: tuple[Note, ...] = ()


NO_INTERVAL = Interval(np.nan, np.nan, np.nan, "")
"""The result if no interval was requested."""


@dataclass(frozen=True)
class IntervalSpec:
    """Options of an interval."""

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
        if self.method not in NAMES:
            raise UsageError(
                f"unknown interval {self.method!r}: choose one of {', '.join(NAMES)}, or None for the point estimate"
                " only."
            )


def spec_for(given: Inference, auto: str = "bootstrap", lowest: float = -np.inf) -> IntervalSpec | None:
    """The options of an interval that were given, and the defaults of the others; None for no interval.

    ``auto``: what it stands for. Without an imaginary item for such figures, that is the bootstrap.
    """
    options = filled(Inference, given)
    method = options["interval"]
    if method is None:
        return None
    method = auto if method == "auto" else method
    return IntervalSpec(method, options["level"], options["resamples"], options["seed"], lowest)


def refuse_many(name: str, n: int) -> None:
    """Refuse more draws than a machine can make in a reasonable time; more would only add irrelevant digits."""
    if n > MOST_RESAMPLES:
        raise UsageError(
            f"{name}={n} is more than {MOST_RESAMPLES:,}, which would take days without adding information; 2000 is"
            " usual."
        )


def by_percentile(draws: Array, spec: IntervalSpec) -> Interval:
    """The percentile interval of bootstrap replicates."""
    kept, notes = defined(draws)
    if kept is None:
        return Interval(np.nan, np.nan, np.nan, "bootstrap", notes)
    low, high = percentiles(kept, spec.level)
    return Interval(float(low), float(high), float(kept.std(ddof=1)), "bootstrap", notes)


def percentiles(draws: Array, level: float) -> tuple[Array, Array]:
    """The limits between which this share of the draws lies, for each column of (draw, ...)."""
    low, high = np.quantile(draws, [(1 - level) / 2, 1 - (1 - level) / 2], axis=0)
    return low, high


def student(value: float, se: float, n: float, spec: IntervalSpec, method: str) -> Interval:
    """value +- t(n - 1) se, within the coefficient's range."""
    reach = float(special.stdtrit(n - 1, (1 + spec.level) / 2)) * se
    # margins from other items than the pairs can put a value itself below the usual range
    low = spec.lowest if value >= spec.lowest else -np.inf
    high = spec.highest if value <= spec.highest else np.inf
    return Interval(max(value - reach, low), min(value + reach, high), se, method)


def defined(draws: Array) -> tuple[Array | None, tuple[Note, ...]]:
    """The replicates in which the statistic is defined, and the warning about the others; None if too few remain."""
    kept = draws[np.isfinite(draws)]
    lost = 1 - len(kept) / len(draws)
    if lost > MOST_UNDEFINED:
        return None, (Note("samples_undefined", {"share": lost}),)
    if lost:
        return kept, (Note("samples_discarded", {"n": len(draws) - len(kept), "of": len(draws)}),)
    return draws, ()


def around(found: Interval, value: float) -> Interval:
    """The interval, extended to contain the value, which percentiles may exclude if agreement is near 1; without any
    width, it says nothing about the uncertainty of the value, and there is none.
    """
    if not np.isfinite(found.low):
        return found
    low, high = min(found.low, value), max(found.high, value)
    if np.isclose(low, high, rtol=1e-12, atol=1e-12):
        return Interval(np.nan, np.nan, np.nan, found.method, (*found.notes, Note("no_variation")))
    return replace(found, low=low, high=high)
