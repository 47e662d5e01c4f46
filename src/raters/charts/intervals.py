"""Figures with their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from raters.charts.chart import BLUE, RED, WIDTH, Chart, Rows, axis_names, data, finish, limits


def intervals(
    names: Sequence[object],
    values: Sequence[float],
    lows: Sequence[float] | None = None,
    highs: Sequence[float] | None = None,
    *,
    axis: str,
    marks: Sequence[float] = (),
    marked: object = None,
    name: str = "intervals",
    caption: str = "",
) -> Chart:
    """Each figure as a point with its interval, one below the other (a forest plot); undefined figures are left out.

    ``marks``: where dashed lines stand, such as the limits of a rule; with ``marked``, on the row of that name alone.

    >>> intervals(["alpha", "kappa"], [0.5, 0.6], [0.4, 0.5], [0.6, 0.7], axis="agreement", caption="Two.").alt
    'Two. alpha 0.50 (0.40 to 0.60); kappa 0.60 (0.50 to 0.70).'
    """
    import altair as alt

    shown = [
        (n, figures) for n, figures in zip(names, limits(values, lows, highs), strict=True) if math.isfinite(figures[0])
    ]
    called = axis_names(n for n, _ in shown)
    rows: Rows = [
        {"name": n, "order": i, "value": value, "low": low, "high": high}
        for i, (n, (_, (value, low, high))) in enumerate(zip(called, shown, strict=True))
    ]
    lowest = min([0.0, *(r["low"] for r in rows)])
    highest = max([1.0, *(r["high"] for r in rows)])  # agreement ends at 1; bits and differences need not
    scale = alt.Scale(domain=[math.floor(lowest * 10) / 10, math.ceil(highest * 10) / 10])
    y = alt.Y("name:N", sort=alt.EncodingSortField("order"), title=None)
    base = alt.Chart(data(rows)).encode(y=y)
    layers: list[Any] = []
    if marks and marked is None:
        lines = alt.Chart(data([{"x": m} for m in marks])).mark_rule(strokeDash=[4, 3], color=RED, opacity=0.7)
        layers.append(lines.encode(x=alt.X("x:Q", scale=scale)))
    elif marks:
        on = [{"x": m, "name": name, "order": r["order"]} for name, (n, _), r in zip(called, shown, rows, strict=True) if n == marked for m in marks]  # fmt: skip
        ticks = alt.Chart(data(on)).mark_tick(color=RED, opacity=0.7, thickness=2, size=20)
        layers += [ticks.encode(x=alt.X("x:Q", scale=scale), y=y)] if on else []
    layers += [
        base.mark_rule(strokeWidth=2.5, color=BLUE).encode(x=alt.X("low:Q", scale=scale, title=axis), x2="high:Q"),
        base.mark_point(filled=True, size=70, color=BLUE, opacity=1).encode(x=alt.X("value:Q", scale=scale)),
    ]
    words = "; ".join(f"{r['name']} {r['value']:.2f} ({r['low']:.2f} to {r['high']:.2f})" for r in rows[:12])
    drawn = alt.layer(*layers).properties(width=WIDTH, height=max(60, 26 * len(rows)))
    return finish(drawn, name, caption, words)
