"""From estimates to the plain columns that charts are drawn from."""

from __future__ import annotations

from collections.abc import Sequence

from raters.charts.chart import Chart
from raters.charts.curve import curve
from raters.charts.intervals import intervals
from raters.estimate import Estimate


def estimate_intervals(
    table: Sequence[Estimate],
    name: str,
    caption: str,
    *,
    axis: str,
    marks: Sequence[float] = (),
    marked: str | None = None,
    names: Sequence[str] | None = None,
) -> Chart:
    """Each estimate as a point with its interval."""
    called = names or [e.title or e.name for e in table]
    values, lows, highs = ([getattr(e, k) for e in table] for k in ("value", "low", "high"))
    return intervals(called, values, lows, highs, axis=axis, marks=marks, marked=marked, name=name, caption=caption)


def estimate_curve(
    at: Sequence[float], table: Sequence[Estimate], name: str, caption: str, *, x: str, y: str, target: float, here: float
) -> Chart:  # fmt: skip
    """Estimates over k with their band, the target, and where the data stand."""
    values, lows, highs = ([getattr(e, k) for e in table] for k in ("value", "low", "high"))
    return curve(at, values, lows, highs, x=x, y=y, target=target, here=here, name=name, caption=caption)
