"""How many, by size."""

from __future__ import annotations

from collections.abc import Sequence

from raters.charts.chart import BLUE, WIDTH, Chart, Rows, data, finish


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
    import altair as alt

    rows: Rows = [{"low": a, "high": b, "n": n} for a, b, n in zip(lows, highs, counts, strict=True)]
    drawn = (
        alt.Chart(data(rows))
        .mark_bar(color=BLUE, stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X("low:Q", title=x, scale=alt.Scale(nice=False), axis=alt.Axis(format=".2~f")),
            x2="high:Q",
            y=alt.Y("n:Q", title=y),
            y2=alt.Y2Datum(0),
        )
        .properties(width=WIDTH, height=180)
    )
    words = "; ".join(f"{r['low']:.2g} to {r['high']:.2g}: {r['n']:,}" for r in rows if r["n"])
    return finish(drawn, name, caption, words)
