"""Pictures of a fitted model, from plain columns: how far items are settled, and how a rater errs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from raters.charts.chart import Chart
from raters.charts.heat import heat
from raters.charts.histogram import histogram
from raters.errors import UsageError

BARS = 25


def certainty_chart(certainties: Sequence[float]) -> Chart:
    """How many items are settled how far, in bars of equal width up to 1.

    >>> certainty_chart([0.5, 0.97, 1.0]).alt[:42]
    'How far the label of each item is settled.'
    """
    sure = [x for x in certainties if math.isfinite(x)]
    if not sure:
        raise UsageError("nothing to draw: no item has a label.")
    low = min(math.floor(min(sure) * 20) / 20, 0.95)
    step = (1 - low) / BARS
    edges = [low + i * step for i in range(BARS)] + [1.0]
    counts = [0] * BARS
    for x in sure:
        counts[min(int((x - low) / step), BARS - 1)] += 1
    return histogram(
        edges[:-1], edges[1:], counts, x="settled at", y="items", name="certainty",
        caption="How far the label of each item is settled.",
    )  # fmt: skip


def confusion_chart(
    labels: Sequence[object], shares: Sequence[Sequence[float]], caption: str, *, row: str, column: str
) -> Chart:
    """Shares of labels given (columns) for each label on the left (rows)."""
    names = [str(x) for x in labels]
    return heat(
        [one for one in names for _ in names], names * len(names), [float(x) for line in shares for x in line],
        row_order=names, column_order=names, row_title=row, column_title=column, value_title="share",
        name="confusion", caption=caption,
    )  # fmt: skip
