"""Bars side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raters.charts.chart import WIDTH, Chart, Rows, axis_names, data, finish
from raters.charts.curves import COLOURS


def grouped_bars(
    names: Sequence[object], series: Mapping[str, Sequence[float]], *, x: str, y: str, name: str = "bars", caption: str = ""
) -> Chart:  # fmt: skip
    """For each name one bar of each series, told apart by colour.

    >>> grouped_bars(["no", "yes"], {"vote": [0.4, 0.6], "model": [0.5, 0.5]}, x="label", y="share", caption="Prevalence.").alt
    'Prevalence. vote: no 0.40, yes 0.60; model: no 0.50, yes 0.50.'
    """
    import altair as alt

    shown = axis_names(names, 24)
    rows: Rows = [
        {"name": n, "series": s, "value": float(v)} for s, values in series.items() for n, v in zip(shown, values, strict=True)
    ]  # fmt: skip
    order = list(series)
    drawn = (
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            x=alt.X("name:N", sort=shown, title=x, axis=alt.Axis(labelAngle=-40 if len(shown) > 6 else 0)),
            xOffset=alt.XOffset("series:N", sort=order),
            y=alt.Y("value:Q", title=y),
            color=alt.Color("series:N", sort=order, title="", scale=alt.Scale(domain=order, range=list(COLOURS))),
        )
        .properties(width=WIDTH, height=220)
    )
    words = "; ".join(
        f"{s}: " + ", ".join(f"{n} {v:.2f}" for n, v in list(zip(shown, values, strict=True))[:6]) for s, values in series.items()
    )  # fmt: skip
    return finish(drawn, name, caption, words)
