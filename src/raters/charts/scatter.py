"""Points with names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from raters.charts.chart import BLUE, RED, WIDTH, Chart, Rows, data, finish, short

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
    import altair as alt

    rows: Rows = [
        {"name": short(n, 20), "x": a, "y": b, "flag": f}
        for n, a, b, f in zip(names, xs, ys, flags or [False] * len(names), strict=True)
        if math.isfinite(a) and math.isfinite(b)
    ]
    kind: Any = "log" if _wide([r["x"] for r in rows]) else "linear"
    base = alt.Chart(data(rows)).encode(
        x=alt.X("x:Q", title=x, scale=alt.Scale(type=kind, nice=True, zero=False)), y=alt.Y("y:Q", title=y)
    )
    color = alt.condition("datum.flag", alt.value(RED), alt.value(BLUE))
    drawn: Any = base.mark_point(filled=True, size=60, opacity=0.8).encode(color=color)
    named = rows if len(rows) <= MOST_NAMED else [r for r in rows if r["flag"]][:MOST_NAMED]
    if named:
        drawn = drawn + alt.Chart(data(named)).mark_text(align="left", dx=7, fontSize=11).encode(
            x="x:Q", y="y:Q", text="name:N"
        )
    flagged = ", ".join(r["name"] for r in rows if r["flag"]) or "none"
    return finish(drawn.properties(width=WIDTH, height=260), name, caption, f"Flagged: {flagged}")


def _wide(values: Sequence[float]) -> bool:
    positive = [v for v in values if v > 0]
    return len(positive) == len(values) > 0 and max(positive) / min(positive) > 30
