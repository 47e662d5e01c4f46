"""A control chart."""

from __future__ import annotations

from collections.abc import Sequence

from raters.charts.chart import BLUE, GREY, RED, Canvas, Chart, Rows, Spec, data, finish


def control_chart(
    z: Sequence[float], *, warn: float = 2.0, limit: float = 3.0, name: str = "control", caption: str = ""
) -> Chart:
    """Points in their order with lines for warnings and limits; those beyond the limits in red.

    >>> control_chart([0.5, 3.4], caption="Batches.").alt
    'Batches. 1 of 2 points beyond the limits: 2.'
    """
    rows: Rows = [{"batch": i, "z": v, "color": RED if abs(v) > limit else BLUE} for i, v in enumerate(z, 1)]
    lines: Rows = [{"z": s * h, "color": color} for s in (1, -1) for h, color in ((warn, GREY), (limit, RED))]
    domain = [min(-limit - 1, *z), max(limit + 1, *z)] if z else [-limit - 1, limit + 1]

    def draw(room: Canvas) -> Spec:
        x = {
            "field": "batch",
            "type": "quantitative",
            "title": "batch",
            "scale": {"zero": False},
            "axis": {"tickMinStep": 1, "format": "d"},
        }
        y = {"field": "z", "type": "quantitative", "title": "z", "scale": {"domain": domain}}
        colour = {"field": "color", "type": "nominal", "scale": None}
        return {
            "height": 220,
            "layer": [
                {"data": data(lines), "mark": {"type": "rule", "strokeDash": [5, 4]}, "encoding": {"y": y, "color": colour}},
                {"data": data(rows), "mark": {"type": "line", "color": BLUE}, "encoding": {"x": x, "y": y}},
                {"data": data(rows), "mark": {"type": "point", "filled": True, "size": 60}, "encoding": {"x": x, "y": y, "color": colour}},
            ],
        }  # fmt: skip

    out = [str(r["batch"]) for r in rows if r["color"] == RED]
    words = f"{len(out)} of {len(rows)} points beyond the limits" + (f": {', '.join(out)}" if out else "")
    return finish(draw, name, caption, words)
