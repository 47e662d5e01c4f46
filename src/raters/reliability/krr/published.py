"""k-rater reliability from a published figure: without data, by the Spearman-Brown formula alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from raters.errors import UsageError
from raters.estimate import Estimate
from raters.reliability.variance.components import spearman_brown

Figure = float | Estimate | Sequence[float]
"""A reliability of single ratings: a number, an estimate, or value, low and high."""
ONLY_MEANS = (
    "from a published figure by Spearman-Brown, which holds for means of numbers if the figure of single ratings is an "
    "ICC or similar (alpha with interval distances, kappa with quadratic weights); a vote needs the labels"
)


def figure_of(irr: Figure) -> tuple[float, float, float]:
    """Value, low and high; unknown limits are nan.

    >>> figure_of(0.43), figure_of((0.43, 0.38, 0.48))
    ((0.43, nan, nan), (0.43, 0.38, 0.48))
    """
    if isinstance(irr, Estimate):
        value, low, high = irr.value, irr.low, irr.high
    elif isinstance(irr, Sequence):
        if len(irr) != 3:
            raise UsageError(f"irr={irr!r}: pass a number, or three: value, low, high.")
        value, low, high = (float(x) for x in irr)
    else:
        value, low, high = float(irr), math.nan, math.nan
    if not -1 <= value < 1 and value != 1:
        raise UsageError(f"irr={value:g} is not a reliability, which lies between -1 and 1.")
    if math.isfinite(low) and not low <= value <= high <= 1:
        raise UsageError(f"irr={value:g},{low:g},{high:g}: the value must lie between its limits.")
    return value, low, high


def from_figure(irr: Figure, k: int | None, level: float = 0.95) -> Estimate:
    """The reliability of the mean of k ratings, given that of one."""
    if k is None:
        raise UsageError(
            "irr= (--irr) is the reliability of one rating; also pass the number of ratings to average: k=5 (--k 5)."
        )
    value, low, high = figure_of(irr)
    low, high = (float(spearman_brown(x, k)) if math.isfinite(x) else math.nan for x in (low, high))
    said: tuple[str, ...] = (ONLY_MEANS,)
    if math.isfinite(low):
        said = (*said, "the limits are those of the published interval, transformed to k")
    if value <= 0:
        said = (*said, "a reliability of 0 or less stays at 0 or less, however many ratings are averaged")
    details: dict[str, Any] = {
        "k": k,
        "method": "spearman_brown",
        "aggregate": "mean",
        "extrapolated": True,
        "irr": value,
    }
    what = "rating" if k == 1 else "ratings"
    return Estimate(
        "krr", float(spearman_brown(value, k)) if value > 0 else value, low, high, level=level,
        interval="published" if math.isfinite(low) else None, coefficient="published", warnings=said,
        title=f"The reliability of the mean of {k:,} {what} (Spearman-Brown from the published {value:g}: means of numbers only)", details=details,
    )  # fmt: skip
