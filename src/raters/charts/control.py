"""A control chart."""

from __future__ import annotations

from collections.abc import Sequence

from raters.charts.chart import BLUE, GREY, RED, WIDTH, Chart, Rows, data, finish


def control_chart(
    z: Sequence[float], *, warn: float = 2.0, limit: float = 3.0, name: str = "control", caption: str = ""
) -> Chart:
    """Points in their order with lines for warnings and limits; those beyond the limits in red.

    >>> control_chart([0.5, 3.4], caption="Batches.").alt
    'Batches. 1 of 2 points beyond the limits: 2.'
    """
    import altair as alt

    rows: Rows = [{"batch": i, "z": v, "out": abs(v) > limit} for i, v in enumerate(z, 1)]
    base = alt.Chart(data(rows)).encode(x=alt.X("batch:Q", title="batch", axis=alt.Axis(tickMinStep=1, format="d")))
    y = alt.Y("z:Q", title="z", scale=alt.Scale(domain=[min(-limit - 1, *z), max(limit + 1, *z)]))
    line = base.mark_line(color=BLUE).encode(y=y)
    points = base.mark_point(filled=True, size=60).encode(
        y=y, color=alt.condition("datum.out", alt.value(RED), alt.value(BLUE))
    )
    lines: Rows = [{"h": s * h, "kind": k} for s in (1, -1) for h, k in ((warn, "warning"), (limit, "limit"))]
    rules = (
        alt.Chart(data(lines))
        .mark_rule(strokeDash=[5, 4])
        .encode(y="h:Q", color=alt.condition("datum.kind == 'limit'", alt.value(RED), alt.value(GREY)))
    )
    out = [str(r["batch"]) for r in rows if r["out"]]
    words = f"{len(out)} of {len(rows)} points beyond the limits" + (f": {', '.join(out)}" if out else "")
    return finish(alt.layer(rules, line, points).properties(width=WIDTH, height=220), name, caption, words)
