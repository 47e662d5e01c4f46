"""Several curves in one picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from raters.charts.chart import Canvas, Chart, Rows, Spec, axis_names, data, finish

Points = Sequence[tuple[float, float, float, float]]
"""x, value, low, high; limits that are unknown are nan."""
COLOURS = ("#3b7dd8", "#d1603d", "#2f9e74", "#8a63c9", "#b8860b", "#5b6470", "#c2417c", "#1f7a8c")


def curves(
    series: Mapping[str, Points], *, x: str, y: str, legend: str = "", name: str = "curves", caption: str = "",
    low: float = 0.0,
) -> Chart:  # fmt: skip
    """One line for each series with its band, distinguished by colour and by the pattern of the line.

    >>> curves({"icc": [(1, 0.5, 0.4, 0.6), (3, 0.75, 0.7, 0.8)]}, x="k", y="reliability", caption="By k.").alt
    'By k. icc: 1: 0.50, 3: 0.75.'
    """
    called = dict(zip(series, axis_names(series), strict=True))
    rows: Rows = [
        {"s": called[s], "x": at, "value": v, "low": a if math.isfinite(a) else v, "high": b if math.isfinite(b) else v}
        for s, points in series.items()
        for at, v, a, b in points
        if math.isfinite(v)
    ]
    scale = {"domain": [min([low, *(r["low"] for r in rows)]), max([1.0, *(r["high"] for r in rows)])]}
    names = list(called.values())

    def draw(room: Canvas) -> Spec:
        colour = {"field": "s", "type": "nominal", "title": legend or None, "sort": names, "scale": {"domain": names, "range": list(COLOURS)},
                  "legend": {"orient": "top", "columns": 2 if room.narrow else 0}}  # fmt: skip
        across = {"field": "x", "type": "quantitative", "title": x, "axis": {"tickMinStep": 1}}

        def up(field: str) -> Spec:
            return {"field": field, "type": "quantitative", "scale": scale, "title": y}

        band = {
            "mark": {"type": "area", "opacity": 0.15},
            "encoding": {"x": across, "y": up("low"), "y2": {"field": "high"}, "color": colour},
        }
        dash = {"field": "s", "type": "nominal", "sort": names, "legend": None}
        line = {"mark": {"type": "line", "strokeWidth": 2.5, "point": {"size": 30}},
                "encoding": {"x": across, "y": up("value"), "color": colour, "strokeDash": dash}}  # fmt: skip
        return {"data": data(rows), "layer": [band, line], "height": 260}

    words = "; ".join(
        f"{s}: " + ", ".join(f"{r['x']:g}: {r['value']:.2f}" for r in some[:: max(1, len(some) // 4)])
        for s in names
        for some in [[r for r in rows if r["s"] == s]]
    )
    return finish(draw, name, caption, words, right=24)
