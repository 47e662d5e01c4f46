"""Many figures on one line, the ones that matter by name."""

from __future__ import annotations

import math
from collections.abc import Sequence

from raters.charts.chart import BLUE, INK, RED, Canvas, Chart, Rows, Spec, data, finish, short

SIZE = 9
MOST_NAMED = 12


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
    flagged = [(v, n) for v, n, f in known if f][:MOST_NAMED]

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
                {"data": data(rows), "mark": {"type": "circle", "size": 0.62 * tall**2 if tall < SIZE else 50, "opacity": 0.8},
                 "encoding": {"x": across, "y": up, "color": {"field": "color", "type": "nominal", "scale": None}}},
                {"data": data(called), "mark": {"type": "text", "color": INK, "fontSize": 11}, "encoding": {"x": {**across, "field": "at"}, "y": up, "text": {"field": "name"}}},
            ],
        }  # fmt: skip

    middle = known[len(known) // 2][0] if len(known) % 2 else (sum(v for v, _, _ in known[len(known) // 2 - 1 : len(known) // 2 + 1]) / 2 if known else math.nan)  # fmt: skip
    named = ", ".join(f"{short(n)} {v:.2f}" for v, n in flagged) or "nobody"
    words = f"{len(known)} from {known[0][0]:.2f} to {known[-1][0]:.2f}, middle {middle:.2f}. Named: {named}" if known else "Nothing to draw"  # fmt: skip
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
