"""How many, by size."""

from __future__ import annotations

from collections.abc import Sequence

from raters.charts.chart import BLUE, INK, Canvas, Chart, Rows, Spec, axis_names, data, extent, finish, rows_axis


def histogram(
    lows: Sequence[float],
    highs: Sequence[float],
    counts: Sequence[int],
    *,
    x: str,
    y: str,
    name: str = "histogram",
    caption: str = "",
) -> Chart:
    """Bars from each low to its high.

    >>> histogram([0.0, 0.5], [0.5, 1.0], [3, 4], x="certainty", y="items", caption="Certainty.").alt
    'Certainty. 0 to 0.5: 3; 0.5 to 1: 4.'
    """
    rows: Rows = [{"low": a, "high": b, "n": n} for a, b, n in zip(lows, highs, counts, strict=True)]

    def draw(room: Canvas) -> Spec:
        return {
            "data": data(rows), "height": 200, "mark": {"type": "bar", "color": BLUE, "opacity": 0.75, "stroke": "white", "strokeWidth": 0.5},
            "encoding": {
                "x": {"field": "low", "type": "quantitative", "title": x, "scale": {"nice": False, "zero": False}, "axis": {"format": ".2~f", "grid": False}},
                "x2": {"field": "high"}, "y": {"field": "n", "type": "quantitative", "title": y, "axis": {"tickMinStep": 1, "format": "d"}},
                "y2": {"datum": 0},
            },
        }  # fmt: skip

    words = "; ".join(f"{r['low']:.2g} to {r['high']:.2g}: {r['n']:,}" for r in rows if r["n"])
    return finish(draw, name, caption, words)


def bars(names: Sequence[object], counts: Sequence[float], *, texts: Sequence[str], colors: Sequence[str] | None = None, name: str = "bars", caption: str = "") -> Chart:  # fmt: skip
    """One bar for each name, with its figure beside it.

    >>> bars(["no", "yes"], [3, 1], texts=["75%", "25%"], caption="Labels.").alt
    'Labels. no 75%; yes 25%.'
    """
    tones = colors or [BLUE] * len(names)

    def draw(room: Canvas) -> Spec:
        called = axis_names(names, room.letters)
        rows: Rows = [
            {"name": n, "n": c, "text": t, "color": k} for n, c, t, k in zip(called, counts, texts, tones, strict=True)
        ]
        y = rows_axis(called, room)
        scale = {"domain": [0, _domain(counts, texts, room.width - extent(called, room) - 48)], "nice": False}
        across = {"field": "n", "type": "quantitative", "axis": None, "title": None, "scale": scale}
        return {
            "data": data(rows), "height": {"step": 28},
            "layer": [
                {"mark": {"type": "bar", "opacity": 0.8},
                 "encoding": {"y": y, "x": across, "color": {"field": "color", "type": "nominal", "scale": None}}},
                {"mark": {"type": "text", "align": "left", "dx": 6, "color": INK}, "encoding": {"y": y, "x": across, "text": {"field": "text", "type": "nominal"}}},
            ],
        }  # fmt: skip

    words = "; ".join(f"{n} {t}" for n, t in list(zip(names, texts, strict=True))[:12])
    return finish(draw, name, caption, words, right=24)


def _domain(counts: Sequence[float], texts: Sequence[str], width: float) -> float:
    """Where the axis ends so that each figure has room beside its bar, reckoned for wide fonts: a page would cut it off."""
    ends = [c * width / max(width - 7.6 * len(t) - 6, width / 4) for c, t in zip(counts, texts, strict=True)]
    return max(ends, default=0.0) or 1.0
