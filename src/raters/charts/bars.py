"""Bars side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from raters.charts.chart import (
    BLUE,
    INK,
    MOST_BESIDE,
    PALETTE,
    Canvas,
    Chart,
    Rows,
    Spec,
    axis_names,
    data,
    extent,
    finish,
    rows_axis,
    short,
)
from raters.charts.lines import COLOURS


def grouped_bars(
    names: Sequence[object],
    series: Mapping[str, Sequence[float]],
    *,
    x: str,
    y: str,
    name: str = "bars",
    caption: str = "",
) -> Chart:
    """For each name one bar of each series, distinguished by colour.

    >>> grouped_bars(["no", "yes"], {"vote": [0.4, 0.6], "model": [0.5, 0.5]}, x="label", y="share", caption="Prevalence.").alt
    'Prevalence. vote: no 0.40, yes 0.60; model: no 0.50, yes 0.50.'
    """
    shown = axis_names(names, 24)
    rows: Rows = [
        {"name": n, "series": s, "value": float(v)}
        for s, values in series.items()
        for n, v in zip(shown, values, strict=True)
    ]
    order = list(series)

    def draw(room: Canvas) -> Spec:
        angle = -40 if len(shown) > (3 if room.narrow else 8) else 0
        colour = {
            "field": "series",
            "type": "nominal",
            "sort": order,
            "title": None,
            "scale": {"domain": order, "range": list(COLOURS)},
            "legend": {"orient": "top", "columns": 2 if room.narrow else 0},
        }
        return {
            "data": data(rows),
            "height": 220,
            "mark": {"type": "bar"},
            "encoding": {
                "x": {"field": "name", "type": "nominal", "sort": shown, "title": x, "axis": {"labelAngle": angle}},
                "xOffset": {"field": "series", "type": "nominal", "sort": order},
                "y": {"field": "value", "type": "quantitative", "title": y},
                "color": colour,
            },
        }

    words = "; ".join(
        f"{s}: " + ", ".join(f"{n} {v:.2f}" for n, v in list(zip(shown, values, strict=True))[:6])
        for s, values in series.items()
    )
    return finish(draw, name, caption, words)


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
            "data": data(rows),
            "height": 200,
            "mark": {"type": "bar", "color": BLUE, "opacity": 0.75, "stroke": "white", "strokeWidth": 0.5},
            "encoding": {
                "x": {
                    "field": "low",
                    "type": "quantitative",
                    "title": x,
                    "scale": {"nice": False, "zero": False},
                    "axis": {"format": ".2~f", "grid": False},
                },
                "x2": {"field": "high"},
                "y": {"field": "n", "type": "quantitative", "title": y, "axis": {"tickMinStep": 1, "format": "d"}},
                "y2": {"datum": 0},
            },
        }

    words = "; ".join(f"{r['low']:.2g} to {r['high']:.2g}: {r['n']:,}" for r in rows if r["n"])
    return finish(draw, name, caption, words)


def bars(
    names: Sequence[object],
    counts: Sequence[float],
    *,
    texts: Sequence[str],
    colors: Sequence[str] | None = None,
    name: str = "bars",
    caption: str = "",
) -> Chart:
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
            "data": data(rows),
            "height": {"step": 28},
            "layer": [
                {
                    "mark": {"type": "bar", "opacity": 0.8},
                    "encoding": {"y": y, "x": across, "color": {"field": "color", "type": "nominal", "scale": None}},
                },
                {
                    "mark": {"type": "text", "align": "left", "dx": 6, "color": INK},
                    "encoding": {"y": y, "x": across, "text": {"field": "text", "type": "nominal"}},
                },
            ],
        }

    words = "; ".join(f"{n} {t}" for n, t in list(zip(names, texts, strict=True))[:12])
    return finish(draw, name, caption, words, right=24)


def _domain(counts: Sequence[float], texts: Sequence[str], width: float) -> float:
    """Where the axis ends so that each figure has room beside its bar, reckoned for wide fonts: a page would cut it
    off.
    """
    ends = [c * width / max(width - 7.6 * len(t) - 6, width / 4) for c, t in zip(counts, texts, strict=True)]
    return max(ends, default=0.0) or 1.0


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
    """For each name a bar of 100% with the share of every label; ``ordered``: labels are degrees of one thing;
    ``colors``: given if they have a meaning.

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
                rows.append(
                    {
                        "name": n,
                        "label": k,
                        "from": start,
                        "to": start + v,
                        "text": f"{v:.0%}" if v >= (0.12 if room.narrow else 0.05) else "",
                        "middle": start + v / 2,
                    }
                )
                start += v
        y = {**rows_axis(called, room), "axis": None} if stacked else rows_axis(called, room)
        down = {"yOffset": 8} if stacked else {}
        color: Spec = {
            "field": "label",
            "type": "nominal",
            "sort": keys,
            "title": None,
            "legend": {
                "orient": "top",
                "columns": (1 if max(map(len, keys)) > 14 else 2) if room.narrow else 0,
                "symbolType": "square",
                "columnPadding": 18,
            },
            "scale": {"domain": keys, "range": degrees if ordered else list(colors or PALETTE)[: len(keys)]},
        }
        bar: Spec = {
            "y": y,
            "x": {
                "field": "from",
                "type": "quantitative",
                "title": None,
                "scale": {"domain": [0, 1]},
                "axis": {"format": ".0%", "grid": False, "tickCount": 3 if room.narrow else 10},
            },
            "x2": {"field": "to"},
            "color": color,
        }
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
            "data": data(rows),
            "height": {"step": 44 if stacked else 28},
            "layer": [
                {
                    "mark": {
                        "type": "bar",
                        **({} if ordered else {"opacity": 0.7}),
                        **({"height": 22} if stacked else {}),
                        **down,
                    },
                    "encoding": bar,
                },
                {"mark": {"type": "text", "fontSize": 11, **down}, "encoding": text},
                *above,
            ],
        }

    words = "; ".join(
        f"{short(n)}: " + ", ".join(f"{short(k, 20)} {v:.0%}" for k, v in zip(labels, each, strict=True))
        for n, each in list(zip(names, values, strict=True))[:8]
    )
    return finish(draw, name, caption, words)


MOST_SETS = 15
MOST_WIDE, MOST_NARROW = 14, 7
"""With more labels than these there is no room for a column of dots for each."""
LETTER, CLOSE = 8.2, 28
NO_LABEL = "no label"


def dotted(members: Sequence[object]) -> bool:
    """Whether a wide page has room for a column of dots for each label."""
    return len(members) <= MOST_WIDE


def upset(
    members: Sequence[object],
    sets: Sequence[Sequence[object]],
    counts: Sequence[int],
    *,
    texts: Sequence[str],
    name: str = "upset",
    caption: str = "",
) -> Chart:
    """An up-set plot, lying on its side: a row of dots for the labels of each set, and a bar for how often the set was
    given.

    ``texts``: what stands beside each bar. Only the most frequent sets are drawn. Where the labels are too many for
    dots, sets are written out.

    >>> upset(["a", "b"], [["a"], ["a", "b"], []], [6, 3, 1], texts=["60%", "30%", "10%"], caption="Sets.").alt
    'Sets. a: 60%; a + b: 30%; no label: 10%.'
    """
    total = sum(counts) or 1
    ranked = sorted(zip(sets, counts, texts, strict=True), key=lambda given: -given[1])[:MOST_SETS]
    kept, texts = [(chosen, n) for chosen, n, _ in ranked], [text for _, _, text in ranked]
    called = [" + ".join(short(m, 30) for m in chosen) or NO_LABEL for chosen, _ in kept]
    with_it: Counter[object] = Counter()
    for chosen, n in zip(sets, counts, strict=True):
        with_it.update(dict.fromkeys(chosen, n))
    order = sorted(members, key=lambda m: -with_it[m])
    most = max([n for _, n in kept], default=1) or 1
    listed = bars(called, [n for _, n in kept], texts=texts)
    words = "; ".join(f"{a}: {t}" for a, t in zip(called[:12], texts, strict=False))

    def draw(room: Canvas) -> Spec:
        if len(order) > (MOST_NARROW if room.narrow else MOST_WIDE):
            return _written(called, [n / most for _, n in kept], texts, room) if room.narrow else dict(listed.spec)
        names = dict(zip(order, axis_names(order, 14 if room.narrow else 24), strict=True))
        step, slant = _step(list(names.values()), room)
        start = len(order) * step + 12
        longest = room.width - start - 24 - LETTER * max(map(len, texts), default=0)
        place = {m: (i + 0.5) * step for i, m in enumerate(order)}
        dots: Rows = []
        links: Rows = []
        lengths: Rows = []
        for i, (chosen, n) in enumerate(kept):
            inside = [place[m] for m in chosen if m in place]
            dots += [
                {"row": i, "x": place[m], **({"o": 0.9, "color": BLUE} if m in chosen else {"o": 0.13, "color": INK})}
                for m in order
            ]
            links += [{"row": i, "x": min(inside), "to": max(inside)}] if len(inside) > 1 else []
            lengths.append(
                {
                    "row": i,
                    "x": start,
                    "to": start + longest * n / most,
                    "text": texts[i] if chosen else f"{NO_LABEL}: {texts[i]}",
                }
            )
        heads: Rows = [{"x": place[m], "text": names[m], "share": f"{with_it[m] / total:.0%}"} for m in order]
        y = {"field": "row", "type": "ordinal", "axis": None}

        x = _across(room)
        lean = {"angle": -40, "align": "left", "baseline": "middle"} if slant else {"align": "center"}
        layers: list[Any] = [
            {
                "data": data(links),
                "mark": {"type": "rule", "strokeWidth": 3, "color": BLUE},
                "encoding": {"y": y, "x": x("x"), "x2": {"field": "to"}},
            },
            {
                "data": data(dots),
                "mark": {"type": "circle", "size": 130},
                "encoding": {
                    "y": y,
                    "x": x("x"),
                    "opacity": {"field": "o", "type": "quantitative", "scale": None, "legend": None},
                    "color": {"field": "color", "type": "nominal", "scale": None},
                },
            },
            {
                "data": data(lengths),
                "mark": {"type": "bar", "color": BLUE, "opacity": 0.8, "height": 18},
                "encoding": {"y": y, "x": x("x"), "x2": {"field": "to"}},
            },
            {
                "data": data(lengths),
                "mark": {"type": "text", "align": "left", "dx": 6},
                "encoding": {"y": y, "x": x("to"), "text": {"field": "text", "type": "nominal"}},
            },
            {
                "data": data(heads),
                "mark": {"type": "text", "dy": -8, "fontSize": 11, "opacity": 0.8},
                "encoding": {"y": {"value": 0}, "x": x("x"), "text": {"field": "share", "type": "nominal"}},
            },
            {
                "data": data(heads),
                "mark": {"type": "text", **lean},
                "encoding": {"y": {"value": -24}, "x": x("x"), "text": {"field": "text", "type": "nominal"}},
            },
        ]
        return {"layer": layers, "height": {"step": 28}}

    return finish(draw, name, caption, words)


def _across(room: Canvas) -> Callable[[str], Spec]:
    """Places in pixels: dots, bars and words stand in one picture."""
    scale = {"domain": [0, room.width - 24], "nice": False}
    return lambda field: {"field": field, "type": "quantitative", "axis": None, "scale": scale}


def _step(names: Sequence[str], room: Canvas) -> tuple[float, bool]:
    """How far columns of dots lie apart, and whether their names must lean."""
    wide = LETTER * max(map(len, names), default=1) + 12
    if wide * len(names) <= room.width * (0.42 if room.narrow else 0.5):
        return max(wide, 40.0), False
    return float(CLOSE if room.narrow else 36), True


def _written(sets: Sequence[str], sizes: Sequence[float], texts: Sequence[str], room: Canvas) -> Spec:
    """Each set in words above its bar, which leaves the words the whole width."""
    longest = room.width - 24 - LETTER * max(map(len, texts), default=0)
    rows: Rows = [
        {"row": i, "start": 0, "to": longest * size, "text": text, "set": short(called, (room.width - 24) // 7)}
        for i, (called, size, text) in enumerate(zip(sets, sizes, texts, strict=True))
    ]
    y = {"field": "row", "type": "ordinal", "axis": None}

    x = _across(room)
    return {
        "data": data(rows),
        "height": {"step": 38},
        "layer": [
            {
                "mark": {"type": "text", "align": "left", "dy": -9},
                "encoding": {"y": y, "x": x("start"), "text": {"field": "set", "type": "nominal"}},
            },
            {
                "mark": {"type": "bar", "color": BLUE, "opacity": 0.8, "height": 12, "yOffset": 8},
                "encoding": {"y": y, "x": x("start"), "x2": {"field": "to"}},
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 6, "dy": 8, "fontSize": 11},
                "encoding": {"y": y, "x": x("to"), "text": {"field": "text", "type": "nominal"}},
            },
        ],
    }
