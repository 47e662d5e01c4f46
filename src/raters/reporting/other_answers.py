"""Columns that hold answers to other questions: they differ between the raters of an item, and between the items of a
rater.
"""

from __future__ import annotations

import re

from raters.errors import listed
from raters.reporting.context import WHOLE, Context, known_label_name

MOST_VALUES = 12
MOST_COLUMNS = 20
OF_THE_WORK = re.compile(
    r"confiden|certain|sure|round|batch|wave|session|phase|version|time|date|lang|group|pool|order|page", re.IGNORECASE
)
"""Names of columns about how an item was labelled, not about the item."""


def other_answers(c: Context) -> tuple[str, ...]:
    """The columns, kept with the table."""
    return c.ann.once("other answers", lambda: _found(c), len)


def _found(c: Context) -> tuple[str, ...]:
    ann = c.ann
    if not ann.n_raters or ann.n_annotations > WHOLE:
        return ()
    names = [
        n
        for n in ann.extras[:MOST_COLUMNS]
        if n != c.pool_column and not known_label_name(n) and not OF_THE_WORK.search(n)
    ]
    few = [n for n in names if 2 <= c.distinct(n) <= MOST_VALUES]
    return tuple(n for n in few if _varies(c, n, "item") and _varies(c, n, "rater"))


def _varies(c: Context, column: str, within: str) -> bool:
    """Whether a column has several values for at least a tenth of the items, or of the raters."""
    q = c.ann.engine.quote(column)
    got = c.ann.engine.query(
        f"SELECT avg(CASE WHEN n > 1 THEN 1.0 ELSE 0.0 END) AS share FROM (SELECT {within}, count(DISTINCT {q}) AS n"
        f" FROM annotations GROUP BY {within}) AS b"
    )
    return float(got["share"][0]) >= 0.1


def said_of_other_answers(c: Context) -> list[str]:
    """That a file may ask more than one question, and how to have them all."""
    found, label = other_answers(c), c.ann.columns.get("label", "")
    if not found or not label:
        return []
    columns = f"Column {listed(found)} also differs" if len(found) == 1 else f"Columns {listed(found)} also differ"
    return [
        f"{columns} between the raters of an item, as labels do; this report is about {label!r} alone. To report on all"
        f" of them: --label {','.join((label, *found))}."
    ]
