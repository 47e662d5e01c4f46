"""From estimates to the plain columns that charts are drawn from; the report and ``.plot()`` draw with these."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

from raters.charts.bars import bars
from raters.charts.chart import AMBER, GREEN, RED, Chart
from raters.charts.heat import heat
from raters.charts.lines import curve, curves
from raters.charts.points import intervals
from raters.errors import UsageError

if TYPE_CHECKING:
    from raters.estimate import Estimate

MOST_FOREST = 45
"""More pairs of raters than this (ten raters) are drawn as a matrix."""
MOST_DRAWN = 200
"""Longer tables are drawn up to this many rows."""


def estimate_intervals(
    table: Sequence[Estimate],
    name: str,
    caption: str,
    *,
    axis: str,
    marks: Sequence[float] = (),
    marked: str | None = None,
    names: Sequence[str] | None = None,
    soft: Sequence[str] = (),
) -> Chart:
    """Each estimate as a point with its interval; ``marked``: the one that the marks are for."""
    called = names or [e.title or e.name for e in table]
    values, lows, highs = ([getattr(e, k) for e in table] for k in ("value", "low", "high"))
    return intervals(
        called, values, lows, highs, axis=axis, marks=marks, marked=marked, soft=soft, name=name, caption=caption
    )


def estimate_curve(
    at: Sequence[float],
    table: Sequence[Estimate],
    name: str,
    caption: str,
    *,
    x: str,
    y: str,
    target: float | None = None,
    here: float | None = None,
    cost: int | None = None,
) -> Chart:
    """Estimates over k with their band, the target, and the position of the data."""
    values, lows, highs = ([getattr(e, k) for e in table] for k in ("value", "low", "high"))
    beyond = [bool(e.details.get("extrapolated")) for e in table]
    return curve(
        at,
        values,
        lows,
        highs,
        x=x,
        y=y,
        target=target,
        here=here,
        cost=cost,
        beyond=beyond,
        name=name,
        caption=caption,
    )


def pair_matrix(pairs: Sequence[Estimate], camps: Sequence[Sequence[str]] = ()) -> Chart:
    """Each pair of raters as a cell, with raters who agree next to each other; ``camps``: groups, with a line between
    them.
    """
    called = list(dict.fromkeys(str(e.details[k]) for e in pairs for k in ("rater_a", "rater_b")))
    at = {n: i for i, n in enumerate(called)}
    known = [(at[str(e.details["rater_a"])], at[str(e.details["rater_b"])], e.value) for e in pairs]
    names = [called[i] for i in alike(len(called), known)]
    if camps:
        names = [n for camp in camps for n in sorted(camp, key=names.index)]
    cells = [
        cell
        for e in pairs
        for a, b in [(str(e.details["rater_a"]), str(e.details["rater_b"]))]
        for cell in ((a, b, e.value), (b, a, e.value))
    ]
    caption = (
        f"{pairs[0].title} of each pair of raters on the items that both labelled; raters who agree are next to each"
        f" other{'; lines separate the camps' if camps else ''}."
    )
    return heat(
        *zip(*cells, strict=True),
        row_order=names,
        column_order=names,
        percent=False,
        domain=(0.0, 1.0),
        lowest=True,
        camps=[len(camps[0])] if camps else (),
        name="pairs",
        caption=caption,
    )


def alike(n: int, pairs: Sequence[tuple[int, int, float]]) -> list[int]:
    """An order in which those who agree are next to each other: the leaves of a tree of average linkage."""
    if n < 3:
        return list(range(n))
    import numpy as np
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    apart = np.full((n, n), 1.0)
    for a, b, v in pairs:
        if math.isfinite(v):
            apart[a, b] = apart[b, a] = 1 - v
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(np.maximum(apart, 0.0), checks=False), "average", optimal_ordering=n <= 100)
    return [int(i) for i in leaves_list(tree)]


def estimate_chart(
    table: Sequence[Estimate], of: str = "", axis: str | None = None, target: float | None = None
) -> Chart:
    """The chart that suits a table: a curve if rows differ by k, otherwise each row with its interval."""
    rows = [e for e in table[:MOST_DRAWN] if math.isfinite(e.value)]
    if not rows:
        raise UsageError("nothing to draw: no row of this table has a value.")
    if of == "k":
        return _curve_chart(rows, axis, target)
    if of == "pair" and len(rows) > MOST_FOREST and all("rater_a" in e.details for e in rows):
        return pair_matrix([e for e in table if math.isfinite(e.value)])
    what = axis or _common_title(rows) or "value"
    limits = f" with {rows[0].level:.0%} intervals" if any(math.isfinite(e.low) for e in rows) else ""
    each = f" of each {of}" if of not in ("", "coefficient") else ""
    return estimate_intervals(rows, of or "estimates", f"{what}{each}{limits}.", axis=what, names=_names(rows, of))


def _curve_chart(rows: Sequence[Estimate], axis: str | None, target: float | None) -> Chart:
    """Reliability over k: one curve, or one for each method or slice."""
    caption = "Reliability of the aggregate of k labels."
    if not any("series" in e.details for e in rows):
        at = [float(e.details["k"]) for e in rows]
        return estimate_curve(
            at, rows, "curve", caption, x="k, labels per aggregate", y=axis or "reliability", target=target
        )
    series: dict[str, list[tuple[float, float, float, float]]] = {}
    for e in rows:
        series.setdefault(str(e.details["series"]), []).append((float(e.details["k"]), e.value, e.low, e.high))
    return curves(
        series, x="k, labels per aggregate", y=axis or "reliability", legend=rows[0].by or "method", caption=caption
    )


def _common_title(rows: Sequence[Estimate]) -> str:
    titles = {e.title for e in rows}
    return titles.pop() if len(titles) == 1 else ""


def _names(rows: Sequence[Estimate], of: str) -> list[str]:
    """The name of each row next to its interval: titles for coefficients, names for everything else."""
    names = [e.name for e in rows]
    if of in ("", "coefficient", "figure", "form", "measure") and len({e.title for e in rows}) == len(rows):
        names = [e.title or e.name for e in rows]
    return names if len(set(names)) == len(names) else [f"{e.name}, {e.coefficient}" for e in rows]


BANDS = ((0.99, "99%+: settled", GREEN), (0.95, "95–99%: leaning", AMBER), (0.8, "80–95%: leaning", AMBER), (0.6, "60–80%: open", RED), (0.0, "under 60%: open", RED))  # fmt: skip


def certainty_bands(certainties: Sequence[float]) -> list[tuple[str, int, str]]:
    """The distribution of certainty over items: the name of each band, its items, its colour."""
    sure = sorted(x for x in certainties if math.isfinite(x))
    below = [bisect_left(sure, low) for low, _, _ in BANDS]
    tops = [len(sure), *below[:-1]]
    return [(name, top - n, color) for (_, name, color), n, top in zip(BANDS, below, tops, strict=True)]


def certainty_chart(certainties: Sequence[float]) -> Chart:
    """The distribution of how settled the items' labels are.

    >>> certainty_chart([0.5, 0.97, 1.0]).alt[:38]
    'How settled the label of each item is.'
    """
    found = certainty_bands(certainties)
    total = sum(n for _, n, _ in found)
    if not total:
        raise UsageError("nothing to draw: no item has a label.")
    return bars(
        [name for name, _, _ in found],
        [n for _, n, _ in found],
        texts=[_said(n, total) for _, n, _ in found],
        colors=[color for _, _, color in found],
        name="certainty",
        caption="How settled the label of each item is.",
    )


def _said(n: int, total: int) -> str:
    """A share and a count; a share below a hundredth with a decimal.

    >>> _said(10, 2000), _said(1, 3)
    ('0.5% (10 items)', '33% (1 item)')
    """
    share = n / total
    return f"{share:.{1 if 0 < share < 0.01 else 0}%} ({n:,} item{'' if n == 1 else 's'})"


def confusion_chart(
    labels: Sequence[object], shares: Sequence[Sequence[float]], caption: str, *, row: str, column: str
) -> Chart:
    """Shares of labels given (columns) for each label on the left (rows)."""
    names = [str(x) for x in labels]
    return heat(
        [one for one in names for _ in names],
        names * len(names),
        [float(x) for line in shares for x in line],
        row_order=names,
        column_order=names,
        row_title=row,
        column_title=column,
        beside=True,
        name="confusion",
        caption=caption,
    )
