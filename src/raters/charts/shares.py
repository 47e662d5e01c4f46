"""Shares of a whole, one bar for each name."""

from __future__ import annotations

from collections.abc import Sequence

from raters.charts.chart import (
    BLUE,
    MOST_BESIDE,
    PALETTE,
    Canvas,
    Chart,
    Rows,
    Spec,
    axis_names,
    data,
    finish,
    rows_axis,
    short,
)

MOST_LABELS = len(PALETTE)
"""More labels than this are drawn as a heat map."""
DEGREES = (0.12, 0.9)


def degree(place: int, n: int) -> float:
    """How strongly a label of an ordered scale of ``n`` labels is coloured.

    >>> degree(0, 5), degree(4, 5)
    (0.12, 0.9)
    """
    low, high = DEGREES
    return low + (high - low) * place / max(n - 1, 1)


def shares(
    names: Sequence[object],
    labels: Sequence[object],
    values: Sequence[Sequence[float]],
    *,
    ordered: bool = False,
    colors: Sequence[str] | None = None,
    name: str = "shares",
    caption: str = "",
) -> Chart:
    """For each name a bar of 100% with the share of every label; ``ordered``: labels are degrees of one thing; ``colors``: given if they have a meaning.

    >>> shares(["ann", "bob"], ["no", "yes"], [[0.25, 0.75], [0.5, 0.5]], caption="Use.").alt
    'Use. ann: no 25%, yes 75%; bob: no 50%, yes 50%.'
    """
    red, green, blue = (int(BLUE[i : i + 2], 16) for i in (1, 3, 5))
    degrees = [f"rgba({red},{green},{blue},{degree(i, len(labels)):.2f})" for i in range(len(labels))]

    def draw(room: Canvas) -> Spec:
        stacked = room.narrow and max((len(str(n)) for n in names), default=0) > MOST_BESIDE
        called, keys = axis_names(names, 48 if stacked else room.letters), axis_names(labels, 20)
        rows: Rows = []
        for n, each in zip(called, values, strict=True):
            start = 0.0
            for k, v in zip(keys, each, strict=True):
                rows.append({"name": n, "label": k, "from": start, "to": start + v, "text": f"{v:.0%}" if v >= (0.12 if room.narrow else 0.05) else "",
                             "middle": start + v / 2})  # fmt: skip
                start += v
        y = {**rows_axis(called, room), "axis": None} if stacked else rows_axis(called, room)
        down = {"yOffset": 8} if stacked else {}
        color: Spec = {
            "field": "label", "type": "nominal", "sort": keys, "title": None, "legend": {"orient": "top", "columns": (1 if max(map(len, keys)) > 14 else 2) if room.narrow else 0, "symbolType": "square", "columnPadding": 18},
            "scale": {"domain": keys, "range": degrees if ordered else list(colors or PALETTE)[: len(keys)]},
        }  # fmt: skip
        bar: Spec = {"y": y, "x": {"field": "from", "type": "quantitative", "title": None, "scale": {"domain": [0, 1]}, "axis": {"format": ".0%", "grid": False, "tickCount": 3 if room.narrow else 10}},
                     "x2": {"field": "to"}, "color": color}  # fmt: skip
        text = {"y": y, "x": {"field": "middle", "type": "quantitative"}, "text": {"field": "text", "type": "nominal"}}
        above = (
            []
            if not stacked
            else [
                {
                    "data": data([{"name": n} for n in called]),
                    "mark": {"type": "text", "align": "left", "dy": -11},
                    "encoding": {"y": y, "x": {"value": 0}, "text": {"field": "name", "type": "nominal"}},
                }
            ]
        )
        return {
            "data": data(rows), "height": {"step": 44 if stacked else 28},
            "layer": [
                {"mark": {"type": "bar", **({} if ordered else {"opacity": 0.7}), **({"height": 22} if stacked else {}), **down}, "encoding": bar},
                {"mark": {"type": "text", "fontSize": 11, **down}, "encoding": text},
                *above,
            ],
        }  # fmt: skip

    words = "; ".join(
        f"{short(n)}: " + ", ".join(f"{short(k, 20)} {v:.0%}" for k, v in zip(labels, each, strict=True))
        for n, each in list(zip(names, values, strict=True))[:8]
    )
    return finish(draw, name, caption, words)
