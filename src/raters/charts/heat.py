"""A table of shares or coefficients as colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from raters.charts.chart import Chart, Rows, axis_names, data, finish

MOST_WRITTEN = 12
"""With this many rows and columns or fewer, the numbers are written into the cells."""
MOST_LETTERS = 24


def heat(
    rows: Sequence[object],
    columns: Sequence[object],
    values: Sequence[float],
    *,
    row_title: str = "",
    column_title: str = "",
    value_title: str = "",
    row_order: Sequence[object] | None = None,
    column_order: Sequence[object] | None = None,
    percent: bool = True,
    domain: tuple[float, float] | None = None,
    name: str = "heat",
    caption: str = "",
) -> Chart:
    """A heat map: cell i is row ``rows[i]``, column ``columns[i]`` and ``values[i]``; undefined cells stay empty.

    Rows and columns stand in the order in which they come unless ``row_order`` and ``column_order`` give another.
    The words name the largest cells; where rows and columns are the same things, those beside the diagonal.

    >>> heat(["a", "a", "b", "b"], ["a", "b", "a", "b"], [0.9, 0.1, 0.2, 0.8], caption="Who meets whom.").alt
    'Who meets whom. Largest beside the diagonal: b and a: 0.20; a and b: 0.10.'
    """
    import altair as alt

    row_order, column_order = row_order or list(dict.fromkeys(rows)), column_order or list(dict.fromkeys(columns))
    down, across = axis_names(row_order, MOST_LETTERS), axis_names(column_order, MOST_LETTERS)
    row_names, column_names = dict(zip(row_order, down, strict=True)), dict(zip(column_order, across, strict=True))
    cells: Rows = [
        {"r": row_names[a], "c": column_names[b], "v": v}
        for a, b, v in zip(rows, columns, values, strict=True)
        if math.isfinite(v)
    ]
    longest = max(len(down), len(across))
    size = max(20, min(44, 560 // max(longest, 1)))
    low, high = domain or (0.0, max([d["v"] for d in cells], default=1.0) or 1.0)
    base = alt.Chart(data(cells)).encode(
        x=alt.X(
            "c:N",
            sort=across,
            title=column_title,
            axis=alt.Axis(labelAngle=-40 if len(across) > 4 else 0, orient="top"),
        ),
        y=alt.Y("r:N", sort=down, title=row_title),
    )
    color = alt.Color(
        "v:Q",
        title=value_title,
        scale=alt.Scale(scheme="blues", domain=[low, high]),
        legend=None if longest <= MOST_WRITTEN else alt.Legend(),
    )
    drawn: Any = base.mark_rect().encode(color=color)
    if longest <= MOST_WRITTEN:
        middle = (low + high) / 2
        ink = alt.condition(f"datum.v > {middle}", alt.value("white"), alt.value("#1a2430"))
        drawn = drawn + base.mark_text(fontSize=11).encode(
            text=alt.Text("v:Q", format=".0%" if percent else ".2f"), color=ink
        )
    square = down == across
    worst = sorted((d for d in cells if not square or d["r"] != d["c"]), key=lambda d: -d["v"])[:3]
    words = "; ".join(f"{d['r']} and {d['c']}: {d['v']:.2f}" for d in worst)
    return finish(
        drawn.properties(width=size * len(across), height=size * len(down)),
        name,
        caption,
        f"Largest{' beside the diagonal' if square else ''}: {words}",
    )
