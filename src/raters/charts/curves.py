"""Several curves in one picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from raters.charts.chart import WIDTH, Chart, Rows, axis_names, data, finish

Points = Sequence[tuple[float, float, float, float]]
"""x, value, low, high; limits that are unknown are nan."""
COLOURS = ("#3b7dd8", "#d1603d", "#2f9e74", "#8a63c9", "#b8860b", "#5b6470", "#c2417c", "#1f7a8c")


def curves(
    series: Mapping[str, Points], *, x: str, y: str, legend: str = "", name: str = "curves", caption: str = "",
    low: float = 0.0,
) -> Chart:  # fmt: skip
    """One line for each series with its band, told apart by colour and by the pattern of the line.

    >>> curves({"icc": [(1, 0.5, 0.4, 0.6), (3, 0.75, 0.7, 0.8)]}, x="k", y="reliability", caption="By k.").alt
    'By k. icc: 1: 0.50, 3: 0.75.'
    """
    import altair as alt

    called = dict(zip(series, axis_names(series), strict=True))
    rows: Rows = [
        {"s": called[s], "x": at, "value": v, "low": a if math.isfinite(a) else v, "high": b if math.isfinite(b) else v}
        for s, points in series.items()
        for at, v, a, b in points
        if math.isfinite(v)
    ]
    scale = alt.Scale(domain=[min([low, *(r["low"] for r in rows)]), max([1.0, *(r["high"] for r in rows)])])
    names = list(called.values())
    colour = alt.Color("s:N", title=legend, sort=names, scale=alt.Scale(domain=names, range=list(COLOURS)))
    base = alt.Chart(data(rows)).encode(x=alt.X("x:Q", title=x, axis=alt.Axis(tickMinStep=1)))
    band = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", scale=scale, title=y), y2="high:Q", color=colour)
    line = base.mark_line(strokeWidth=2.5, point={"size": 30}).encode(
        y=alt.Y("value:Q", scale=scale), color=colour, strokeDash=alt.StrokeDash("s:N", sort=names, legend=None)
    )
    words = "; ".join(
        f"{s}: " + ", ".join(f"{r['x']:g}: {r['value']:.2f}" for r in some[:: max(1, len(some) // 4)])
        for s in names
        for some in [[r for r in rows if r["s"] == s]]
    )
    return finish(alt.layer(band, line).properties(width=WIDTH, height=260), name, caption, words)
