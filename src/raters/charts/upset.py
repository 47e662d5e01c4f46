"""Which labels are given together: one row for each combination."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from raters.charts.chart import BLUE, INK, Canvas, Chart, Rows, Spec, axis_names, data, finish, short
from raters.charts.histogram import bars

MOST_SETS = 15
MOST_WIDE, MOST_NARROW = 14, 7
"""With more labels than these there is no room for a column of dots for each."""
LETTER, CLOSE = 8.2, 28
NO_LABEL = "no label"


def dotted(members: Sequence[object]) -> bool:
    """Whether a wide page has room for a column of dots for each label."""
    return len(members) <= MOST_WIDE


def upset(
    members: Sequence[object], sets: Sequence[Sequence[object]], counts: Sequence[int], *, texts: Sequence[str], name: str = "upset", caption: str = ""
) -> Chart:  # fmt: skip
    """An up-set plot, lying on its side: a row of dots for the labels of each set, and a bar for how often the set was given.

    ``texts``: what stands beside each bar. Only the most frequent sets are drawn. Where the labels are too many for dots, sets are written out.

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
            {"data": data(links), "mark": {"type": "rule", "strokeWidth": 3, "color": BLUE}, "encoding": {"y": y, "x": x("x"), "x2": {"field": "to"}}},
            {"data": data(dots), "mark": {"type": "circle", "size": 130},
             "encoding": {"y": y, "x": x("x"), "opacity": {"field": "o", "type": "quantitative", "scale": None, "legend": None},
                          "color": {"field": "color", "type": "nominal", "scale": None}}},
            {"data": data(lengths), "mark": {"type": "bar", "color": BLUE, "opacity": 0.8, "height": 18}, "encoding": {"y": y, "x": x("x"), "x2": {"field": "to"}}},
            {"data": data(lengths), "mark": {"type": "text", "align": "left", "dx": 6}, "encoding": {"y": y, "x": x("to"), "text": {"field": "text", "type": "nominal"}}},
            {"data": data(heads), "mark": {"type": "text", "dy": -8, "fontSize": 11, "opacity": 0.8}, "encoding": {"y": {"value": 0}, "x": x("x"), "text": {"field": "share", "type": "nominal"}}},
            {"data": data(heads), "mark": {"type": "text", **lean}, "encoding": {"y": {"value": -24}, "x": x("x"), "text": {"field": "text", "type": "nominal"}}},
        ]  # fmt: skip
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
        "data": data(rows), "height": {"step": 38},
        "layer": [
            {"mark": {"type": "text", "align": "left", "dy": -9}, "encoding": {"y": y, "x": x("start"), "text": {"field": "set", "type": "nominal"}}},
            {"mark": {"type": "bar", "color": BLUE, "opacity": 0.8, "height": 12, "yOffset": 8}, "encoding": {"y": y, "x": x("start"), "x2": {"field": "to"}}},
            {"mark": {"type": "text", "align": "left", "dx": 6, "dy": 8, "fontSize": 11}, "encoding": {"y": y, "x": x("to"), "text": {"field": "text", "type": "nominal"}}},
        ],
    }  # fmt: skip
