"""Numbers as they were given: the labels of some items, and two raters against each other."""

from __future__ import annotations

import math
from collections.abc import Sequence

from raters.charts.chart import BLUE, INK, RED, Canvas, Chart, Rows, Spec, axis_names, data, finish, rows_axis, short


def ranged(values: Sequence[Sequence[float]]) -> bool:
    """Whether items have so few labels that their range says more than a standard deviation."""
    return max(map(len, values)) <= 3


def value_strips(items: Sequence[object], values: Sequence[Sequence[float]], *, x: str, name: str = "values", caption: str = "") -> Chart:  # fmt: skip
    """For each item its labels as dots, with their mean, and one standard deviation to either side of it as far as labels were given.

    Items with up to three labels have the range from the lowest to the highest instead.

    >>> value_strips(["q1"], [[1.0, 3.0]], x="label", caption="Hard.").alt
    'Hard. q1: mean 2.00, from 1.00 to 3.00.'
    """

    lowest, highest = min(v for each in values for v in each), max(v for each in values for v in each)

    def draw(room: Canvas) -> Spec:
        called = axis_names(items, room.letters)
        dots: Rows = [{"name": n, "v": v} for n, each in zip(called, values, strict=True) for v in each]
        means: Rows = []
        for n, each in zip(called, values, strict=True):
            mean = sum(each) / len(each)
            sd = math.sqrt(sum((v - mean) ** 2 for v in each) / max(len(each) - 1, 1))
            low, high = (min(each), max(each)) if ranged(values) else (max(mean - sd, lowest), min(mean + sd, highest))
            means.append({"name": n, "mean": mean, "low": low, "high": high})
        y = rows_axis(called, room)

        def across(field: str) -> Spec:
            return {
                "field": field,
                "type": "quantitative",
                "title": x,
                "scale": {"zero": False, "nice": True},
                "axis": {"tickCount": 5 if room.narrow else 10},
            }

        return {
            "height": {"step": 26},
            "layer": [
                {"data": data(means), "mark": {"type": "rule", "strokeWidth": 8, "color": BLUE, "opacity": 0.2, "strokeCap": "round"},
                 "encoding": {"y": y, "x": across("low"), "x2": {"field": "high"}}},
                {"data": data(dots), "mark": {"type": "circle", "size": 60, "opacity": 0.6, "color": BLUE}, "encoding": {"y": y, "x": across("v")}},
                {"data": data(means), "mark": {"type": "tick", "thickness": 3, "size": 20, "color": RED}, "encoding": {"y": y, "x": across("mean")}},
            ],
        }  # fmt: skip

    words = "; ".join(
        f"{short(n)}: mean {sum(each) / len(each):.2f}, from {min(each):.2f} to {max(each):.2f}"
        for n, each in zip(items, values, strict=True)
    )
    return finish(draw, name, caption, words)


def differences(
    means: Sequence[float], gaps: Sequence[float], bias: float, low: float, high: float, *, x: str, y: str, caption: str = ""
) -> Chart:  # fmt: skip
    """Bland and Altman's plot: the difference of two raters over their mean, the bias and the limits of agreement.

    >>> differences([1.0, 2.0], [0.5, -0.5], 0.0, -1.4, 1.4, x="mean", y="difference", caption="Two raters.").alt
    'Two raters. Bias 0.00, limits of agreement -1.40 to 1.40.'
    """
    dots: Rows = [{"m": m, "d": d} for m, d in zip(means, gaps, strict=True)]
    lines: Rows = [
        {"d": v, "name": n, "text": f"{v:.2f}"}
        for n, v in (("mean difference", bias), ("lower limit", low), ("upper limit", high))
    ]

    def draw(room: Canvas) -> Spec:
        up = {"field": "d", "type": "quantitative", "title": y}
        beside = {"type": "text", "align": "left", "dx": 6, "color": INK, "fontSize": 12}
        return {
            "height": 260,
            "layer": [
                {"data": data(dots), "mark": {"type": "circle", "size": 45, "opacity": 0.5, "color": BLUE},
                 "encoding": {"x": {"field": "m", "type": "quantitative", "title": x, "scale": {"zero": False}, "axis": {"tickCount": 5 if room.narrow else 10}}, "y": up}},
                {"data": data(lines), "mark": {"type": "rule", "strokeDash": [5, 4], "color": INK}, "encoding": {"y": up}},
                *({"data": data(lines), "mark": {**beside, "dy": dy}, "encoding": {"x": {"value": "width"}, "y": up, "text": {"field": field, "type": "nominal"}}}
                  for field, dy in ((("text", 0),) if room.narrow else (("name", -7), ("text", 7)))),
            ],
            "padding": {"left": 16, "top": 8, "right": 52 if room.narrow else 116, "bottom": 6},
        }  # fmt: skip

    words = f"Bias {bias:.2f}, limits of agreement {low:.2f} to {high:.2f}"
    return finish(draw, "differences", caption, words)
