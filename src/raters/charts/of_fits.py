"""Pictures of a fitted model, from plain columns: how settled items are, and the errors of a rater."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

from raters.charts.chart import AMBER, GREEN, RED, Chart
from raters.charts.heat import heat
from raters.charts.histogram import bars
from raters.errors import UsageError

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
        [name for name, _, _ in found], [n for _, n, _ in found], texts=[_said(n, total) for _, n, _ in found],
        colors=[color for _, _, color in found], name="certainty", caption="How settled the label of each item is.",
    )  # fmt: skip


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
        [one for one in names for _ in names], names * len(names), [float(x) for line in shares for x in line],
        row_order=names, column_order=names, row_title=row, column_title=column, beside=True,
        name="confusion", caption=caption,
    )  # fmt: skip
