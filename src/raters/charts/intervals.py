"""Figures with their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from raters.charts.chart import (
    BLUE,
    GREY,
    INK,
    MOST_BESIDE,
    Canvas,
    Chart,
    Rows,
    Spec,
    axis_names,
    data,
    finish,
    limits,
    rows_axis,
)


def intervals(
    names: Sequence[object],
    values: Sequence[float],
    lows: Sequence[float] | None = None,
    highs: Sequence[float] | None = None,
    *,
    axis: str,
    marks: Sequence[float] = (),
    marked: object = None,
    soft: Sequence[object] = (),
    name: str = "intervals",
    caption: str = "",
) -> Chart:
    """Each figure as a point with its interval, one below the other (a forest plot); undefined figures are omitted.

    ``marks``: positions of lines, such as the limits of a rule; with ``marked``, only on the row of that name. ``soft``: rows in
    grey, with which the others are compared.

    >>> intervals(["alpha", "kappa"], [0.5, 0.6], [0.4, 0.5], [0.6, 0.7], axis="agreement", caption="Two.").alt
    'Two. alpha 0.50 (0.40 to 0.60); kappa 0.60 (0.50 to 0.70).'
    """
    shown = [
        (n, figures) for n, figures in zip(names, limits(values, lows, highs), strict=True) if math.isfinite(figures[0])
    ]
    lowest = min([0.0, *(low for _, (_, low, _) in shown)])
    highest = max([1.0, *(high for _, (_, _, high) in shown)])  # agreement ends at 1; differences need not
    scale = {"domain": [math.floor(lowest * 10) / 10, math.ceil(highest * 10 - 1e-9) / 10]}
    grey = set(soft)

    def draw(room: Canvas) -> Spec:
        stacked = room.narrow and max((len(str(n)) for n, _ in shown), default=0) > MOST_BESIDE
        called = axis_names((n for n, _ in shown), 48 if stacked else room.letters)
        rows: Rows = [
            {"name": n, "value": value, "low": low, "high": high, "text": f"{value:.2f}", "color": GREY if given in grey else BLUE}
            for n, (given, (value, low, high)) in zip(called, shown, strict=True)
        ]  # fmt: skip
        y = {**rows_axis(called, room), "axis": None} if stacked else rows_axis(called, room)
        down = {"yOffset": 7} if stacked else {}
        color = {"field": "color", "type": "nominal", "scale": None}

        def x(field: str) -> Spec:
            return {
                "field": field,
                "type": "quantitative",
                "scale": scale,
                "title": axis,
                "axis": {"tickCount": 5 if room.narrow else 10},
            }

        layers: list[Any] = _marks(marks, marked, called, shown, x, y, 1 if room.narrow else 6, down)
        layers += [
            {"data": data(rows), "mark": {"type": "rule", "strokeWidth": 4, "strokeCap": "round", "opacity": 0.45, **down},
             "encoding": {"y": y, "x": x("low"), "x2": {"field": "high"}, "color": color}},
            {"data": data(rows), "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, **down},
             "encoding": {"y": y, "x": x("value"), "color": color}},
            {"data": data(rows), "mark": {"type": "text", "align": "left", "dx": 10, **down},
             "encoding": {"y": y, "x": {"value": "width"}, "text": {"field": "text", "type": "nominal"}}},
        ]  # fmt: skip
        if stacked:  # names above their figures have the whole width
            name = {"type": "text", "align": "left", "dy": -9}
            layers.append({"data": data(rows), "mark": name, "encoding": {"y": y, "x": {"value": 0}, "text": {"field": "name", "type": "nominal"}}})  # fmt: skip
        return {"layer": layers, "height": {"step": 42 if stacked else 26}}

    words = "; ".join(f"{n} {v:.2f} ({low:.2f} to {high:.2f})" for n, (v, low, high) in shown[:12])
    return finish(draw, name, caption, words, right=52)


def _marks(
    marks: Sequence[float],
    marked: object,
    called: Sequence[str],
    shown: Sequence[Any],
    x: Any,
    y: Spec,
    over: int,
    down: Spec,
) -> list[Any]:
    if not marks:
        return []
    if marked is None:
        lines = data([{"x": m, "text": f"{m:g}"} for m in marks])
        return [
            {"data": lines, "mark": {"type": "rule", "strokeDash": [4, 3], "color": INK, "opacity": 0.7}, "encoding": {"x": x("x")}},
            {"data": lines, "mark": {"type": "text", "dy": -6, "baseline": "bottom"},
             "encoding": {"x": x("x"), "y": {"value": 0}, "text": {"field": "text", "type": "nominal"}}},
        ]  # fmt: skip
    on = [
        {"x": m, "name": n, "text": f"{m:g}"}
        for n, (given, _) in zip(called, shown, strict=True)
        if given == marked
        for m in marks
    ]
    if not on:
        return []
    ticks: list[Any] = [
        {
            "data": data(on),
            "mark": {"type": "tick", "color": INK, "thickness": 2, "size": 22, **down},
            "encoding": {"x": x("x"), "y": y},
        }
    ]
    for i, row in enumerate(on):  # the lower limit's number to the left of its tick, the upper one's to the right
        mark = {
            "type": "text",
            "dy": -9,
            "baseline": "bottom",
            "fontSize": 11,
            "align": "right" if i == 0 else "left",
            "dx": over if i == 0 else -over,
            **down,
        }
        ticks.append(
            {
                "data": data([row]),
                "mark": mark,
                "encoding": {"x": x("x"), "y": y, "text": {"field": "text", "type": "nominal"}},
            }
        )
    return ticks
