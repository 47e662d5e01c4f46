"""Points with names."""

from __future__ import annotations

import math
from collections.abc import Sequence

from raters.charts.chart import BLUE, RED, Canvas, Chart, Rows, Spec, data, finish, short

MOST_NAMED = 15


def scatter(
    names: Sequence[object],
    xs: Sequence[float],
    ys: Sequence[float],
    flags: Sequence[bool] | None = None,
    *,
    x: str,
    y: str,
    name: str = "scatter",
    caption: str = "",
) -> Chart:
    """One point for each name; flagged ones in red. With more than 15 points only flagged ones carry their names.

    >>> scatter(["ann", "bob"], [10, 20], [0.5, 0.1], [False, True], x="labels", y="alpha", caption="Raters.").alt
    'Raters. Flagged: bob.'
    """
    rows: Rows = [
        {"name": short(n, 20), "x": a, "y": b, "flag": f, "color": RED if f else BLUE}
        for n, a, b, f in zip(names, xs, ys, flags or [False] * len(names), strict=True)
        if math.isfinite(a) and math.isfinite(b)
    ]
    kind = "log" if _wide([r["x"] for r in rows]) else "linear"
    named = rows if len(rows) <= MOST_NAMED else [r for r in rows if r["flag"]][:MOST_NAMED]

    def draw(room: Canvas) -> Spec:
        across = {
            "field": "x",
            "type": "quantitative",
            "title": x,
            "scale": {"type": kind, "nice": True, "zero": False},
        }
        up = {"field": "y", "type": "quantitative", "title": y}
        color = {"field": "color", "type": "nominal", "scale": None}
        points: list[Spec] = [
            {
                "data": data(rows),
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 0.8},
                "encoding": {"x": across, "y": up, "color": color},
            }
        ]
        text = {"type": "text", "align": "left", "dx": 7, "fontSize": 11}
        words = {"x": across, "y": up, "text": {"field": "name", "type": "nominal"}}
        return {
            "layer": [*points, *([{"data": data(named), "mark": text, "encoding": words}] if named else [])],
            "height": 260,
        }

    flagged = ", ".join(r["name"] for r in rows if r["flag"]) or "none"
    return finish(draw, name, caption, f"Flagged: {flagged}", right=90)


def _wide(values: Sequence[float]) -> bool:
    positive = [v for v in values if v > 0]
    return len(positive) == len(values) > 0 and max(positive) / min(positive) > 30
