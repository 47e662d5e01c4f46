"""From estimates to the plain columns that charts are drawn from; the report and ``.plot()`` draw with these."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from raters.charts.chart import Chart
from raters.charts.curve import curve
from raters.charts.intervals import intervals
from raters.errors import UsageError

if TYPE_CHECKING:
    from raters.estimate import Estimate

MOST_DRAWN = 200
"""Longer tables are drawn up to this many rows."""


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
    """Each estimate as a point with its interval; ``marked``: the one that the marks are for."""
    called = names or [e.title or e.name for e in table]
    values, lows, highs = ([getattr(e, k) for e in table] for k in ("value", "low", "high"))
    return intervals(called, values, lows, highs, axis=axis, marks=marks, marked=marked, name=name, caption=caption)


def estimate_curve(
    at: Sequence[float], table: Sequence[Estimate], name: str, caption: str, *, x: str, y: str,
    target: float | None = None, here: float | None = None,
) -> Chart:  # fmt: skip
    """Estimates over k with their band, the target, and where the data stand."""
    values, lows, highs = ([getattr(e, k) for e in table] for k in ("value", "low", "high"))
    return curve(at, values, lows, highs, x=x, y=y, target=target, here=here, name=name, caption=caption)


def estimate_chart(
    table: Sequence[Estimate], of: str = "", axis: str | None = None, target: float | None = None
) -> Chart:
    """The chart that suits a table: a curve where rows differ by k, else each row with its interval."""
    rows = [e for e in table[:MOST_DRAWN] if math.isfinite(e.value)]
    if not rows:
        raise UsageError("nothing to draw: no row of this table has a value.")
    ks = [e.details.get("k") for e in rows]
    if of == "k" and all(isinstance(k, int | float) for k in ks):
        at = [float(k) for k in ks if k is not None]
        caption = f"{axis or 'Reliability'} of the aggregate of k labels."
        return estimate_curve(at, rows, "curve", caption, x="k, labels per aggregate", y=axis or "reliability", target=target)  # fmt: skip
    titles = {e.title for e in rows}
    one = len(titles) == 1 and rows[0].title
    by_title = of in ("", "coefficient") and len(titles) == len(rows)
    names = [e.title or e.name for e in rows] if by_title else [e.name for e in rows]
    if len(set(names)) < len(names):
        names = [f"{e.name}, {e.coefficient}" for e in rows]
    what = axis or (rows[0].title if one else "value")
    limits = f" with {rows[0].level:.0%} intervals" if any(math.isfinite(e.low) for e in rows) else ""
    each = f" of each {of}" if of not in ("", "coefficient") else ""
    return estimate_intervals(rows, of or "estimates", f"{what}{each}{limits}.", axis=what, names=names)
