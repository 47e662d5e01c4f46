"""A table of shares or coefficients as colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from raters.charts.chart import (
    BLUE,
    FONT,
    GREY,
    INK,
    RED,
    Canvas,
    Chart,
    Rows,
    Spec,
    axis_names,
    data,
    extent,
    finish,
    short,
)

MOST_WRITTEN = 16
"""With this many columns or fewer, the numbers are written into the cells."""
MOST_NARROW = 7
"""On a narrow screen more columns than this give way to a list of the cells that matter."""
LISTED = 10


def heat(
    rows: Sequence[object],
    columns: Sequence[object],
    values: Sequence[float],
    *,
    row_title: str = "",
    column_title: str = "",
    row_order: Sequence[object] | None = None,
    column_order: Sequence[object] | None = None,
    percent: bool = True,
    domain: tuple[float, float] | None = None,
    beside: bool = False,
    camps: Sequence[int] = (),
    lowest: bool = False,
    name: str = "heat",
    caption: str = "",
) -> Chart:
    """A heat map: cell i is row ``rows[i]``, column ``columns[i]`` and ``values[i]``; undefined cells stay empty.

    Rows and columns are in the order given unless ``row_order`` and ``column_order`` give another.
    ``beside``: what is beside the diagonal is disagreement, and coloured as such. ``camps``: after how many rows a line
    is drawn. ``lowest``: the smallest cells are what matters. The words name the largest cells; where rows and columns
    are the same things, those beside the diagonal.

    >>> heat(["a", "a", "b", "b"], ["a", "b", "a", "b"], [0.9, 0.1, 0.2, 0.8], caption="Who meets whom.").alt
    'Who meets whom. Largest beside the diagonal: b and a: 0.20; a and b: 0.10.'
    """
    row_order, column_order = row_order or list(dict.fromkeys(rows)), column_order or list(dict.fromkeys(columns))
    square = list(row_order) == list(column_order)
    form = ".0%" if percent else ".2f"
    known = [(a, b, v) for a, b, v in zip(rows, columns, values, strict=True) if math.isfinite(v)]
    low, high = domain or (
        0.0,
        max([v for _, _, v in known if not (beside and square)] or [v for a, b, v in known if a != b], default=1.0)
        or 1.0,
    )
    ranked = sorted((c for c in known if not square or c[0] != c[1]), key=lambda c: -c[2])

    def draw(room: Canvas) -> Spec:
        if room.narrow and len(column_order) > MOST_NARROW:
            return _list(ranked[::-1] if lowest else ranked, room, percent, square, RED if beside else BLUE, lowest)
        down, across = axis_names(row_order, room.letters), axis_names(column_order, room.letters)
        row_names, column_names = dict(zip(row_order, down, strict=True)), dict(zip(column_order, across, strict=True))
        cells: Rows = [
            {
                "r": row_names[a],
                "c": column_names[b],
                "v": v,
                "o": _shade(v, low, high, beside and a == b),
                "color": GREY if beside and a == b else RED if beside else BLUE,
            }
            for a, b, v in known
        ]
        top = _top(across, down, room)
        x = {"field": "c", "type": "nominal", "sort": across, "title": column_title or None, "axis": top}
        y = {
            "field": "r",
            "type": "nominal",
            "sort": down,
            "title": row_title or None,
            "axis": {
                "labelOverlap": False,
                "ticks": False,
                "domain": False,
                "labelLimit": room.names,
                "minExtent": extent(down, room),
            },
        }
        shade = {"field": "o", "type": "quantitative", "legend": None, "scale": None}
        layers: list[Any] = [
            {
                "mark": {"type": "rect", "stroke": INK, "strokeOpacity": 0.12},
                "encoding": {
                    "x": x,
                    "y": y,
                    "fillOpacity": shade,
                    "fill": {"field": "color", "type": "nominal", "scale": None},
                },
            }
        ]
        if len(across) <= MOST_WRITTEN:
            layers.append(
                {"mark": {"type": "text"}, "encoding": {"x": x, "y": y, "text": {"field": "v", "format": form}}}
            )
        for at in camps:
            layers += _border(across, down, at, x, y)
        tall = max(20, min(40, 420 // max(len(down), 1)))
        slant = top["labelAngle"] == -40  # the last name leans out to the right
        right = 0.77 * min(6 * max(map(len, across)), top["labelLimit"]) if slant else 8
        padding = {"left": 16, "top": 8, "right": right, "bottom": 6}
        return {"data": data(cells), "layer": layers, "height": {"step": tall}, "padding": padding}

    words = "; ".join(f"{a} and {b}: {v:.2f}" for a, b, v in [(short(a), short(b), v) for a, b, v in ranked[:3]])
    return finish(draw, name, caption, f"Largest{' beside the diagonal' if square else ''}: {words}")


def _shade(v: float, low: float, high: float, own: bool) -> float:
    """How strongly a cell is coloured; cells without disagreement stay pale."""
    if own:
        return 0.22
    return 0.03 + 0.59 * min(max((v - low) / ((high - low) or 1.0), 0.0), 1.0)


def _top(across: Sequence[str], down: Sequence[str], room: Canvas) -> Spec:
    """The names above the columns: horizontal if they fit, otherwise slanted, otherwise vertical, and never
    overlapping.
    """
    side = min(room.names, 7 * max(map(len, down), default=1)) + 20
    each = (room.width - side) / max(len(across), 1)
    longest = 7 * max(map(len, across), default=1)
    axis: Spec = {
        "orient": "top",
        "ticks": False,
        "domain": False,
        "labelOverlap": False,
        "labelLimit": 120 if room.narrow else 170,
    }
    if longest <= each - 6:
        return {**axis, "labelAngle": 0}
    return {
        **axis,
        "labelAngle": -40 if each > 24 else -90,
        "labelAlign": "left",
        **({"labelBaseline": "middle"} if each <= 24 else {}),
    }


def _border(across: Sequence[str], down: Sequence[str], at: int, x: Spec, y: Spec) -> list[Spec]:
    """Lines after the first rows and columns."""
    if not 0 < at < len(down):
        return []
    mark = {"type": "rule", "strokeWidth": 2.5, "color": INK}
    return [
        {"data": data([{"r": down[at]}]), "mark": mark, "encoding": {"y": {**y, "bandPosition": 0}}},
        {"data": data([{"c": across[at]}]), "mark": mark, "encoding": {"x": {**x, "bandPosition": 0}}},
    ]


def _list(
    ranked: Sequence[tuple[object, object, float]], room: Canvas, percent: bool, square: bool, color: str, lowest: bool
) -> Spec:
    """The cells that matter as bars, if there is no room for a matrix."""
    seen: set[frozenset[object]] = set()
    kept = []
    for a, b, v in ranked:
        if square and frozenset((a, b)) in seen:
            continue
        seen.add(frozenset((a, b)))
        kept.append((f"{short(a, 14)} / {short(b, 14)}", v))
    names = axis_names((n for n, _ in kept[:LISTED]), 30)
    rows: Rows = [
        {"name": n, "v": v, "text": f"{v:.0%}" if percent else f"{v:.2f}"}
        for n, (_, v) in zip(names, kept, strict=False)
    ]
    y = {
        "field": "name",
        "type": "nominal",
        "sort": names,
        "title": None,
        "axis": {"labelLimit": 190, "ticks": False, "domain": False, "labelOverlap": False},
    }
    x = {
        "field": "v",
        "type": "quantitative",
        "axis": None,
        "title": None,
        "scale": {"domainMax": 1.25 * max([r["v"] for r in rows], default=1.0)},
    }
    which = f"the {len(rows)} {'lowest' if lowest else 'highest'} of {len(kept):,}" if len(kept) > len(rows) else ""
    title = {"text": which, "anchor": "start", "fontSize": 12, "fontWeight": "normal", "color": INK, "font": FONT}
    return {
        "data": data(rows),
        "height": {"step": 24},
        **({"title": title} if which else {}),
        "layer": [
            {"mark": {"type": "bar", "color": color, "opacity": 0.6}, "encoding": {"x": x, "y": y}},
            {
                "mark": {"type": "text", "align": "left", "dx": 4},
                "encoding": {"x": x, "y": y, "text": {"field": "text", "type": "nominal"}},
            },
        ],
    }
