"""A figure over a number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from raters.charts.chart import BLUE, INK, RED, Canvas, Chart, Rows, Spec, axis_names, data, finish, limits

APART = 1.32
"""Numbers on the axis stand at least this factor apart, so that their words do not meet."""

WORD = 0.07
"""The height of a word on an axis from 0 to 1."""


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
    cost: int | None = None,
    beyond: Sequence[bool] | None = None,
    name: str = "curve",
    caption: str = "",
) -> Chart:
    """A figure over whole numbers with its band of uncertainty, the target, and the position of the data.

    ``cost``: the number of labels over all items for each step, written below the axis. ``beyond``: which points a
    model extrapolates; the line to them is dashed, and their dots are empty.

    >>> curve([1, 3], [0.5, 0.75], x="labels per item", y="reliability", caption="By k.").alt
    'By k. 1: 0.50; 3: 0.75.'
    """
    rows: Rows = [
        {"k": k, "value": value, "low": low, "high": high, "beyond": out}
        for k, (value, low, high), out in zip(at, limits(values, lows, highs), beyond or [False] * len(at), strict=True)
        if math.isfinite(value)
    ]
    inside = [r for r in rows if not r["beyond"]]
    outside = [*inside[-1:], *(r for r in rows if r["beyond"])] if len(inside) < len(rows) else []
    scale = {"domain": [min([0.0, *(r["low"] for r in rows)]), 1.0]}

    def draw(room: Canvas) -> Spec:
        apart = APART if not room.narrow else APART**2.5
        ticks = _ticks([r["k"] for r in rows], here, apart)
        label = "datum.label" if cost is None else f"[datum.label, format(datum.value * {int(cost)}, ',')]"
        across = {
            "field": "k",
            "type": "quantitative",
            "title": x,
            "scale": {"type": "log", "nice": False},
            "axis": {"values": ticks, "format": "d", "labelExpr": label, "grid": False, "labelOverlap": False},
        }

        def up(field: str) -> Spec:
            return {"field": field, "type": "quantitative", "scale": scale, "title": y, "axis": {"tickCount": 6}}

        layers: list[Any] = [
            {
                "data": data(rows),
                "mark": {"type": "area", "opacity": 0.2, "color": BLUE},
                "encoding": {"x": across, "y": up("low"), "y2": {"field": "high"}},
            },
            *(
                {
                    "data": data(part),
                    "mark": {"type": "line", "color": BLUE, "strokeWidth": 2.5, **dash},
                    "encoding": {"x": across, "y": up("value")},
                }
                for part, dash in ((inside, {}), (outside, {"strokeDash": [6, 4]}))
                if part
            ),
            *(
                {
                    "data": data(part),
                    "mark": {"type": "point", "color": BLUE, "size": 50, "filled": filled, "opacity": 1},
                    "encoding": {"x": across, "y": up("value")},
                }
                for part, filled in ((inside, True), ([r for r in rows if r["beyond"]], False))
                if part
            ),
        ]
        if target is not None:
            side, above = _free(rows, target)
            spot = data([{"t": target, "text": f"target {target:g}"}])
            layers += [
                {
                    "data": spot,
                    "mark": {"type": "rule", "strokeDash": [5, 4], "color": RED},
                    "encoding": {"y": up("t")},
                },
                {
                    "data": spot,
                    "mark": {
                        "type": "text",
                        "align": side,
                        "dx": 6 if side == "left" else -6,
                        "dy": -8 if above else 12,
                        "color": RED,
                    },
                    "encoding": {
                        "x": {"value": 0 if side == "left" else "width"},
                        "y": up("t"),
                        "text": {"field": "text", "type": "nominal"},
                    },
                },
            ]
        if here is not None:
            spot = data([{"k": here, "text": f"yours: {here:g}"}])
            layers += [
                {"data": spot, "mark": {"type": "rule", "strokeDash": [2, 3], "color": INK}, "encoding": {"x": across}},
                {
                    "data": spot,
                    "mark": {
                        "type": "text",
                        "align": "right" if here > 1 else "left",
                        "dx": -6 if here > 1 else 6,
                        "dy": -8,
                        "baseline": "bottom",
                    },
                    "encoding": {"x": across, "y": {"value": "height"}, "text": {"field": "text", "type": "nominal"}},
                },
            ]
        return {"layer": layers, "height": 216 if not room.narrow else 220}

    words = "; ".join(f"{r['k']:g}: {r['value']:.2f}" for r in rows[:: max(1, len(rows) // 8)])
    return finish(draw, name, caption, words, right=24)


def _free(rows: Rows, target: float) -> tuple[str, bool]:
    """Where the word for the target meets no curve: at which end of its line, and whether above it."""
    places = [(side, above) for side in ("left", "right") for above in (True, False)]
    ends = {"left": rows[:2], "right": rows[-2:]}

    def met(side: str, above: bool) -> bool:
        low, high = (target, target + WORD) if above else (target - WORD, target)
        return any(r["low"] < high and r["high"] > low for r in ends[side])

    return next((place for place in places if not met(*place)), places[0])


def _ticks(ks: Sequence[float], here: float | None, apart: float) -> list[float]:
    """Numbers for the axis: the first, the position of the data, and others at a sufficient distance from these."""
    kept = [k for k in ks if k == here]
    for k in sorted(ks, key=lambda k: (k != min(ks), k != max(ks), k)):
        if all(max(k, o) / min(k, o) >= apart for o in kept):
            kept.append(k)
    return sorted(set(kept))


Points = Sequence[tuple[float, float, float, float]]
"""x, value, low, high; limits that are unknown are nan."""
COLOURS = ("#3b7dd8", "#d1603d", "#2f9e74", "#8a63c9", "#b8860b", "#5b6470", "#c2417c", "#1f7a8c")


def curves(
    series: Mapping[str, Points],
    *,
    x: str,
    y: str,
    legend: str = "",
    name: str = "curves",
    caption: str = "",
    low: float = 0.0,
) -> Chart:
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
        colour = {
            "field": "s",
            "type": "nominal",
            "title": legend or None,
            "sort": names,
            "scale": {"domain": names, "range": list(COLOURS)},
            "legend": {"orient": "top", "columns": 2 if room.narrow else 0},
        }
        across = {"field": "x", "type": "quantitative", "title": x, "axis": {"tickMinStep": 1}}

        def up(field: str) -> Spec:
            return {"field": field, "type": "quantitative", "scale": scale, "title": y}

        band = {
            "mark": {"type": "area", "opacity": 0.15},
            "encoding": {"x": across, "y": up("low"), "y2": {"field": "high"}, "color": colour},
        }
        dash = {"field": "s", "type": "nominal", "sort": names, "legend": None}
        line = {
            "mark": {"type": "line", "strokeWidth": 2.5, "point": {"size": 30}},
            "encoding": {"x": across, "y": up("value"), "color": colour, "strokeDash": dash},
        }
        return {"data": data(rows), "layer": [band, line], "height": 260}

    words = "; ".join(
        f"{s}: " + ", ".join(f"{r['x']:g}: {r['value']:.2f}" for r in some[:: max(1, len(some) // 4)])
        for s in names
        for some in [[r for r in rows if r["s"] == s]]
    )
    return finish(draw, name, caption, words, right=24)
