"""Charts: each is one Vega-Lite specification, made with Altair; static SVG for the report, PNG and PDF for papers.

Text and lines are drawn in one colour that the page replaces by its own, so that charts read in light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from raters.estimate import Estimate
from raters.reporting.model import Chart
from raters.reporting.render import printable

INK = "#5b6470"
"""Stands for the page's text colour: the HTML renderer replaces it."""
BLUE, RED, GREY = "#3b7dd8", "#d1603d", "#9aa4b0"
WIDTH = 560
FONT = "Arial, Helvetica, Liberation Sans, sans-serif"
Rows = list[dict[str, Any]]


def _finish(chart: Any, name: str, caption: str, words: str) -> Chart:
    spec = (
        chart.configure(background="transparent", font=FONT, padding={"left": 28, "top": 8, "right": 28, "bottom": 8})
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK, titleColor=INK, gridColor=INK, gridOpacity=0.15, domainColor=INK, tickColor=INK, labelFontSize=12,
            titleFontSize=12, titleFontWeight="normal", labelLimit=240, labelFont=FONT, titleFont=FONT,
        )
        .configure_legend(labelColor=INK, titleColor=INK, labelFontSize=12, titleFontSize=12)
        .configure_text(color=INK, font=FONT)
        .to_dict()
    )  # fmt: skip
    return Chart(name, caption, words, spec)


def _data(rows: list[dict[str, Any]]) -> Any:
    return alt.Data(values=rows)  # type: ignore[no-untyped-call]


def _short(text: str, most: int = 40) -> str:
    text = printable(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def forest(
    table: Sequence[Estimate],
    name: str,
    caption: str,
    *,
    axis: str,
    marks: Sequence[float] = (),
    names: Sequence[str] | None = None,
) -> Chart:
    """Each estimate as a point with its interval."""
    shown = [
        (n, e)
        for n, e in zip(names or [e.title or e.name for e in table], table, strict=True)
        if math.isfinite(e.value)
    ]
    rows: Rows = [
        {"name": _short(n), "order": i, "value": e.value, "low": _or(e.low, e.value), "high": _or(e.high, e.value)}
        for i, (n, e) in enumerate(shown)
    ]
    low = min([0.0, *(r["low"] for r in rows)])
    scale = alt.Scale(domain=[math.floor(low * 10) / 10, 1.0])
    y = alt.Y("name:N", sort=alt.EncodingSortField("order"), title=None)
    base = alt.Chart(_data(rows)).encode(y=y)
    layers: list[Any] = [
        alt.Chart(_data([{"x": m} for m in marks])).mark_rule(strokeDash=[4, 3], color=RED, opacity=0.7).encode(x=alt.X("x:Q", scale=scale))
    ] if marks else []  # fmt: skip
    layers += [
        base.mark_rule(strokeWidth=2.5, color=BLUE).encode(x=alt.X("low:Q", scale=scale, title=axis), x2="high:Q"),
        base.mark_point(filled=True, size=70, color=BLUE, opacity=1).encode(x=alt.X("value:Q", scale=scale)),
    ]
    words = "; ".join(f"{r['name']} {r['value']:.2f} ({r['low']:.2f} to {r['high']:.2f})" for r in rows[:12])
    chart = alt.layer(*layers).properties(width=WIDTH, height=max(60, 26 * len(rows)))
    return _finish(chart, name, caption, f"{caption} {words}.")


def _or(x: float, other: float) -> float:
    return x if math.isfinite(x) else other


def heat(
    cells: Sequence[tuple[str, str, float]], name: str, caption: str, *, rows: str, columns: str, value: str, order: Sequence[str],
    percent: bool = True, domain: tuple[float, float] | None = None,
) -> Chart:  # fmt: skip
    """A square of shares or coefficients, with the numbers written in when there is room."""
    data: Rows = [{"r": _short(a, 24), "c": _short(b, 24), "v": v} for a, b, v in cells if math.isfinite(v)]
    sort = [_short(o, 24) for o in order]
    size = max(20, min(44, 560 // max(len(order), 1)))
    low, high = domain or (0.0, max([d["v"] for d in data], default=1.0) or 1.0)
    base = alt.Chart(_data(data)).encode(
        x=alt.X("c:N", sort=sort, title=columns, axis=alt.Axis(labelAngle=-40 if len(order) > 4 else 0, orient="top")),
        y=alt.Y("r:N", sort=sort, title=rows),
    )
    color = alt.Color(
        "v:Q",
        title=value,
        scale=alt.Scale(scheme="blues", domain=[low, high]),
        legend=None if len(order) <= 12 else alt.Legend(),
    )
    chart: Any = base.mark_rect().encode(color=color)
    if len(order) <= 12:
        middle = (low + high) / 2
        ink = alt.condition(f"datum.v > {middle}", alt.value("white"), alt.value("#1a2430"))
        chart = chart + base.mark_text(fontSize=11).encode(
            text=alt.Text("v:Q", format=".0%" if percent else ".2f"), color=ink
        )
    worst = sorted((d for d in data if d["r"] != d["c"]), key=lambda d: -d["v"])[:3]
    words = "; ".join(f"{d['r']} and {d['c']}: {d['v']:.2f}" for d in worst)
    return _finish(
        chart.properties(width=size * len(order), height=size * len(order)),
        name,
        caption,
        f"{caption} Largest beside the diagonal: {words}.",
    )


def curve(
    points: Sequence[tuple[float, Estimate]],
    name: str,
    caption: str,
    *,
    x: str,
    y: str,
    target: float | None = None,
    here: float | None = None,
) -> Chart:
    """A figure over k with its band of uncertainty, the target, and where the data stand."""
    rows: Rows = [
        {"k": k, "value": e.value, "low": _or(e.low, e.value), "high": _or(e.high, e.value)}
        for k, e in points
        if math.isfinite(e.value)
    ]
    scale = alt.Scale(domain=[min([0.0, *(r["low"] for r in rows)]), 1.0])
    base = alt.Chart(_data(rows)).encode(x=alt.X("k:Q", title=x, axis=alt.Axis(tickMinStep=1, format="d")))
    layers: list[Any] = [
        base.mark_area(opacity=0.2, color=BLUE).encode(y=alt.Y("low:Q", scale=scale, title=y), y2="high:Q"),
        base.mark_line(color=BLUE, strokeWidth=2.5, point={"color": BLUE, "size": 36}).encode(
            y=alt.Y("value:Q", scale=scale)
        ),
    ]
    if target is not None:
        layers.append(
            alt.Chart(_data([{"t": target}]))
            .mark_rule(strokeDash=[5, 4], color=RED)
            .encode(y=alt.Y("t:Q", scale=scale))
        )
    if here is not None:
        layers.append(alt.Chart(_data([{"h": here}])).mark_rule(strokeDash=[2, 3], color=GREY).encode(x="h:Q"))
    words = "; ".join(f"{r['k']:g}: {r['value']:.2f}" for r in rows[:: max(1, len(rows) // 8)])
    return _finish(alt.layer(*layers).properties(width=WIDTH, height=240), name, caption, f"{caption} {words}.")


def histogram(counts: Sequence[tuple[float, float, int]], name: str, caption: str, *, x: str, y: str) -> Chart:
    """Bars from low to high."""
    rows: Rows = [{"low": a, "high": b, "n": n} for a, b, n in counts]
    chart = (
        alt.Chart(_data(rows))
        .mark_bar(color=BLUE, stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X("low:Q", title=x, scale=alt.Scale(nice=False), axis=alt.Axis(format=".2~f")),
            x2="high:Q",
            y=alt.Y("n:Q", title=y),
            y2=alt.Y2Datum(0),
        )
        .properties(width=WIDTH, height=180)
    )
    words = "; ".join(f"{a:.2g} to {b:.2g}: {n:,}" for a, b, n in counts if n)
    return _finish(chart, name, caption, f"{caption} {words}.")


def scatter(points: Sequence[tuple[str, float, float, bool]], name: str, caption: str, *, x: str, y: str) -> Chart:
    """One point for each rater; flagged ones in red, with their names."""
    rows: Rows = [
        {"name": _short(n, 20), "x": a, "y": b, "flag": f}
        for n, a, b, f in points
        if math.isfinite(a) and math.isfinite(b)
    ]
    base = alt.Chart(_data(rows)).encode(
        x=alt.X(
            "x:Q",
            title=x,
            scale=alt.Scale(type="log" if _wide([r["x"] for r in rows]) else "linear", nice=True, zero=False),
        ),
        y=alt.Y("y:Q", title=y),
    )
    color = alt.condition("datum.flag", alt.value(RED), alt.value(BLUE))
    chart: Any = base.mark_point(filled=True, size=60, opacity=0.8).encode(color=color)
    named = rows if len(rows) <= 15 else [r for r in rows if r["flag"]][:15]
    if named:
        chart = chart + alt.Chart(_data(named)).mark_text(align="left", dx=7, fontSize=11).encode(
            x="x:Q", y="y:Q", text="name:N"
        )
    flagged = ", ".join(r["name"] for r in rows if r["flag"]) or "none"
    return _finish(chart.properties(width=WIDTH, height=260), name, caption, f"{caption} Flagged: {flagged}.")


def _wide(values: Sequence[float]) -> bool:
    positive = [v for v in values if v > 0]
    return len(positive) == len(values) > 0 and max(positive) / min(positive) > 30


def svg(chart: Chart) -> str:
    """The chart as static SVG."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(dict(chart.spec)))


def png(chart: Chart, scale: float = 2.0) -> bytes:
    """The chart as PNG, for slides and papers."""
    import vl_convert

    return bytes(vl_convert.vegalite_to_png({**chart.spec, "background": "white"}, scale=scale))


def pdf(chart: Chart) -> bytes:
    """The chart as PDF, for papers."""
    import vl_convert

    return bytes(vl_convert.vegalite_to_pdf({**chart.spec, "background": "white"}))
