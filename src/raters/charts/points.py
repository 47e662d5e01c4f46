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
    RED,
    Canvas,
    Chart,
    Rows,
    Spec,
    axis_names,
    data,
    finish,
    limits,
    rows_axis,
    short,
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

    ``marks``: positions of lines, such as the limits of a rule; with ``marked``, only on the row of that name.
    ``soft``: rows in grey, with which the others are compared; if it is one, its interval is a band behind all rows, and
    the axis shows the part in which figures lie, so that gaps can be seen.

    >>> intervals(["alpha", "kappa"], [0.5, 0.6], [0.4, 0.5], [0.6, 0.7], axis="agreement", caption="Two.").alt
    'Two. alpha 0.50 (0.40 to 0.60); kappa 0.60 (0.50 to 0.70).'
    """
    shown = [
        (n, figures) for n, figures in zip(names, limits(values, lows, highs), strict=True) if math.isfinite(figures[0])
    ]
    lowest = min([0.0, *(low for _, (_, low, _) in shown)])
    highest = max([1.0, *(high for _, (_, _, high) in shown)])  # agreement ends at 1; differences need not
    grey = set(soft)
    band = [(low, high) for n, (_, low, high) in shown if n in grey and math.isfinite(low + high)]
    if band := band if len(band) == 1 else []:
        lowest, highest = (f(figures[i] for _, figures in shown) for i, f in ((1, min), (2, max)))
    scale = {"domain": [math.floor(lowest * 10 + 1e-9) / 10, math.ceil(highest * 10 - 1e-9) / 10]}

    def draw(room: Canvas) -> Spec:
        stacked = room.narrow and max((len(str(n)) for n, _ in shown), default=0) > MOST_BESIDE
        called = axis_names((n for n, _ in shown), 48 if stacked else room.letters)
        rows: Rows = [
            {
                "name": n,
                "value": value,
                "low": low,
                "high": high,
                "text": f"{value:.2f}",
                "color": GREY if given in grey else BLUE,
            }
            for n, (given, (value, low, high)) in zip(called, shown, strict=True)
        ]
        y = {**rows_axis(called, room), "axis": None} if stacked else rows_axis(called, room)
        down = {"yOffset": 7} if stacked else {}
        color = {"field": "color", "type": "nominal", "scale": None}

        def x(field: str) -> Spec:
            return {
                "field": field,
                "type": "quantitative",
                "scale": scale,
                "title": axis,
                "axis": {"tickCount": 5 if room.narrow or band else 10},
            }

        layers: list[Any] = _marks(marks, marked, called, shown, x, y, 1 if room.narrow else 6, down)
        layers += [
            {
                "data": data([{"low": low, "high": high} for low, high in band]),
                "mark": {"type": "rect", "color": GREY, "opacity": 0.18},
                "encoding": {"x": x("low"), "x2": {"field": "high"}, "y": {"value": 0}, "y2": {"value": "height"}},
            }
        ] * len(band)
        layers += [
            {
                "data": data(rows),
                "mark": {"type": "rule", "strokeWidth": 4, "strokeCap": "round", "opacity": 0.45, **down},
                "encoding": {"y": y, "x": x("low"), "x2": {"field": "high"}, "color": color},
            },
            {
                "data": data(rows),
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, **down},
                "encoding": {"y": y, "x": x("value"), "color": color},
            },
            {
                "data": data(rows),
                "mark": {"type": "text", "align": "left", "dx": 10, **down},
                "encoding": {"y": y, "x": {"value": "width"}, "text": {"field": "text", "type": "nominal"}},
            },
        ]
        if stacked:  # names above their figures have the whole width
            name = {"type": "text", "align": "left", "dy": -9}
            layers.append(
                {
                    "data": data(rows),
                    "mark": name,
                    "encoding": {"y": y, "x": {"value": 0}, "text": {"field": "name", "type": "nominal"}},
                }
            )
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
            {
                "data": lines,
                "mark": {"type": "rule", "strokeDash": [4, 3], "color": INK, "opacity": 0.7},
                "encoding": {"x": x("x")},
            },
            {
                "data": lines,
                "mark": {"type": "text", "dy": -6, "baseline": "bottom"},
                "encoding": {"x": x("x"), "y": {"value": 0}, "text": {"field": "text", "type": "nominal"}},
            },
        ]
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


SIZE = 9
MOST_IN_STRIP = 12


def strip(
    names: Sequence[object],
    values: Sequence[float],
    flags: Sequence[bool] | None = None,
    *,
    x: str,
    name: str = "strip",
    caption: str = "",
) -> Chart:
    """Every figure as a dot over its value, with overlapping dots stacked, and flagged ones in red and named.

    >>> strip(["ann", "bob"], [0.5, 0.1], [False, True], x="alpha", caption="Raters.").alt
    'Raters. 2 from 0.10 to 0.50, middle 0.30. Named: bob 0.10.'
    """
    marked = flags or [False] * len(names)
    known = sorted((v, str(n), f) for n, v, f in zip(names, values, marked, strict=True) if math.isfinite(v))
    low, high = min([0.0, *(v for v, _, _ in known)]), max([1.0, *(v for v, _, _ in known)])
    low, high = (
        math.floor(10 * low) / 10,
        math.ceil(10 * high) / 10,
    )  # names are placed by these limits, which the axis must not change
    flagged = [(v, n) for v, n, f in known if f][:MOST_IN_STRIP]

    def draw(room: Canvas) -> Spec:
        bins = room.width // SIZE
        piled: dict[int, int] = {}
        rows: Rows = []
        for v, n, f in known:
            at = int((v - low) / (high - low) * bins)
            piled[at] = piled.get(at, 0) + 1
            rows.append({"name": short(n, 20), "v": v, "y": piled[at], "color": RED if f else BLUE})
        most = max(piled.values(), default=1)
        tall = min(SIZE, 240 / most)
        called = _levels([(v, short(n, 16)) for v, n in flagged], low, high, room.width)
        levels = max((r["level"] for r in called), default=0)
        across = {
            "field": "v",
            "type": "quantitative",
            "title": x,
            "scale": {"domain": [low, high], "nice": False},
            "axis": {"format": ".1f", "tickCount": 5 if room.narrow else 10, "labelOverlap": True},
        }
        up = {
            "field": "y",
            "type": "quantitative",
            "axis": None,
            "scale": {"domain": [-(levels + 1) * 16 / tall if called else 0, most + 1]},
        }
        for r in called:
            r["y"] = -(r["level"] + 0.5) * 16 / tall
        return {
            "height": tall * (most + 1) + (16 * (levels + 1) if called else 0),
            "layer": [
                {
                    "data": data(rows),
                    "mark": {"type": "circle", "size": 0.62 * tall**2 if tall < SIZE else 50, "opacity": 0.8},
                    "encoding": {"x": across, "y": up, "color": {"field": "color", "type": "nominal", "scale": None}},
                },
                {
                    "data": data(called),
                    "mark": {"type": "text", "color": INK, "fontSize": 11},
                    "encoding": {"x": {**across, "field": "at"}, "y": up, "text": {"field": "name"}},
                },
            ],
        }

    middle = (
        known[len(known) // 2][0]
        if len(known) % 2
        else (sum(v for v, _, _ in known[len(known) // 2 - 1 : len(known) // 2 + 1]) / 2 if known else math.nan)
    )
    named = ", ".join(f"{short(n)} {v:.2f}" for v, n in flagged) or "nobody"
    words = (
        f"{len(known)} from {known[0][0]:.2f} to {known[-1][0]:.2f}, middle {middle:.2f}. Named: {named}"
        if known
        else "Nothing to draw"
    )
    return finish(draw, name, caption, words)


def _levels(named: Sequence[tuple[float, str]], low: float, high: float, width: int) -> Rows:
    """Names below their dots, each on the first line on which it meets no other."""
    ends: list[float] = []
    rows: Rows = []
    for v, n in named:
        half = (len(n) * 6.4 + 12) / 2
        centre = min(max((v - low) / (high - low) * width, half), width - half)
        level = next((i for i, end in enumerate(ends) if centre - half >= end), len(ends))
        if level == len(ends):
            ends.append(0.0)
        ends[level] = centre + half
        rows.append({"name": n, "at": low + centre / width * (high - low), "level": level})
    return rows


def ranged(values: Sequence[Sequence[float]]) -> bool:
    """Whether items have so few labels that their range says more than a standard deviation."""
    return max(map(len, values)) <= 3


def value_strips(
    items: Sequence[object], values: Sequence[Sequence[float]], *, x: str, name: str = "values", caption: str = ""
) -> Chart:
    """For each item its labels as dots, with their mean, and one standard deviation to either side of it as far as
    labels were given.

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
                {
                    "data": data(means),
                    "mark": {"type": "rule", "strokeWidth": 8, "color": BLUE, "opacity": 0.2, "strokeCap": "round"},
                    "encoding": {"y": y, "x": across("low"), "x2": {"field": "high"}},
                },
                {
                    "data": data(dots),
                    "mark": {"type": "circle", "size": 60, "opacity": 0.6, "color": BLUE},
                    "encoding": {"y": y, "x": across("v")},
                },
                {
                    "data": data(means),
                    "mark": {"type": "tick", "thickness": 3, "size": 20, "color": RED},
                    "encoding": {"y": y, "x": across("mean")},
                },
            ],
        }

    words = "; ".join(
        f"{short(n)}: mean {sum(each) / len(each):.2f}, from {min(each):.2f} to {max(each):.2f}"
        for n, each in zip(items, values, strict=True)
    )
    return finish(draw, name, caption, words)


def differences(
    means: Sequence[float],
    gaps: Sequence[float],
    bias: float,
    low: float,
    high: float,
    *,
    x: str,
    y: str,
    caption: str = "",
) -> Chart:
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
                {
                    "data": data(dots),
                    "mark": {"type": "circle", "size": 45, "opacity": 0.5, "color": BLUE},
                    "encoding": {
                        "x": {
                            "field": "m",
                            "type": "quantitative",
                            "title": x,
                            "scale": {"zero": False},
                            "axis": {"tickCount": 5 if room.narrow else 10},
                        },
                        "y": up,
                    },
                },
                {
                    "data": data(lines),
                    "mark": {"type": "rule", "strokeDash": [5, 4], "color": INK},
                    "encoding": {"y": up},
                },
                *(
                    {
                        "data": data(lines),
                        "mark": {**beside, "dy": dy},
                        "encoding": {"x": {"value": "width"}, "y": up, "text": {"field": field, "type": "nominal"}},
                    }
                    for field, dy in ((("text", 0),) if room.narrow else (("name", -7), ("text", 7)))
                ),
            ],
            "padding": {"left": 16, "top": 8, "right": 52 if room.narrow else 116, "bottom": 6},
        }

    words = f"Bias {bias:.2f}, limits of agreement {low:.2f} to {high:.2f}"
    return finish(draw, "differences", caption, words)
