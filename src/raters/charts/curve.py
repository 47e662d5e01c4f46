"""A figure over a number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from raters.charts.chart import BLUE, GREY, RED, WIDTH, Chart, Rows, data, finish, limits


def curve(
    at: Sequence[float],
    values: Sequence[float],
    lows: Sequence[float] | None = None,
    highs: Sequence[float] | None = None,
    *,
    x: str,
    y: str,
    target: float | None = None,
    here: float | None = None,
    name: str = "curve",
    caption: str = "",
) -> Chart:
    """A figure over whole numbers with its band of uncertainty, the target, and where the data stand.

    >>> curve([1, 3], [0.5, 0.75], x="labels per item", y="reliability", caption="By k.").alt
    'By k. 1: 0.50; 3: 0.75.'
    """
    import altair as alt

    rows: Rows = [
        {"k": k, "value": value, "low": low, "high": high}
        for k, (value, low, high) in zip(at, limits(values, lows, highs), strict=True)
        if math.isfinite(value)
    ]
    scale = alt.Scale(domain=[min([0.0, *(r["low"] for r in rows)]), 1.0])
    base = alt.Chart(data(rows)).encode(x=alt.X("k:Q", title=x, axis=alt.Axis(tickMinStep=1, format="d")))
    layers: list[Any] = [
        base.mark_area(opacity=0.2, color=BLUE).encode(y=alt.Y("low:Q", scale=scale, title=y), y2="high:Q"),
        base.mark_line(color=BLUE, strokeWidth=2.5, point={"color": BLUE, "size": 36}).encode(
            y=alt.Y("value:Q", scale=scale)
        ),
    ]
    if target is not None:
        layers.append(
            alt.Chart(data([{"t": target}])).mark_rule(strokeDash=[5, 4], color=RED).encode(y=alt.Y("t:Q", scale=scale))
        )
    if here is not None:
        layers.append(alt.Chart(data([{"h": here}])).mark_rule(strokeDash=[2, 3], color=GREY).encode(x="h:Q"))
    words = "; ".join(f"{r['k']:g}: {r['value']:.2f}" for r in rows[:: max(1, len(rows) // 8)])
    return finish(alt.layer(*layers).properties(width=WIDTH, height=240), name, caption, words)
