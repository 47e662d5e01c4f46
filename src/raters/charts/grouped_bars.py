"""Bars side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raters.charts.chart import Canvas, Chart, Rows, Spec, axis_names, data, finish
from raters.charts.curves import COLOURS


def grouped_bars(
    names: Sequence[object], series: Mapping[str, Sequence[float]], *, x: str, y: str, name: str = "bars", caption: str = ""
) -> Chart:  # fmt: skip
    """For each name one bar of each series, distinguished by colour.

    >>> grouped_bars(["no", "yes"], {"vote": [0.4, 0.6], "model": [0.5, 0.5]}, x="label", y="share", caption="Prevalence.").alt
    'Prevalence. vote: no 0.40, yes 0.60; model: no 0.50, yes 0.50.'
    """
    shown = axis_names(names, 24)
    rows: Rows = [
        {"name": n, "series": s, "value": float(v)} for s, values in series.items() for n, v in zip(shown, values, strict=True)
    ]  # fmt: skip
    order = list(series)

    def draw(room: Canvas) -> Spec:
        angle = -40 if len(shown) > (3 if room.narrow else 8) else 0
        colour = {"field": "series", "type": "nominal", "sort": order, "title": None, "scale": {"domain": order, "range": list(COLOURS)},
                  "legend": {"orient": "top", "columns": 2 if room.narrow else 0}}  # fmt: skip
        return {
            "data": data(rows), "height": 220, "mark": {"type": "bar"},
            "encoding": {
                "x": {"field": "name", "type": "nominal", "sort": shown, "title": x, "axis": {"labelAngle": angle}},
                "xOffset": {"field": "series", "type": "nominal", "sort": order},
                "y": {"field": "value", "type": "quantitative", "title": y},
                "color": colour,
            },
        }  # fmt: skip

    words = "; ".join(
        f"{s}: " + ", ".join(f"{n} {v:.2f}" for n, v in list(zip(shown, values, strict=True))[:6]) for s, values in series.items()
    )  # fmt: skip
    return finish(draw, name, caption, words)
