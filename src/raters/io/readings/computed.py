"""Columns that were computed from others, recognised by their numbers if the name does not show it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raters.io.readings.profiles import Profile

LEAST = 3
"""Rows in which a mean lies between the labels that raters gave: so often by chance it does not equal the mean of the
others.
"""


def without_computed(group: Sequence[Profile], rows: Sequence[dict[str, Any]]) -> list[Profile]:
    """The columns of a group without one that is the mean of the others in every row."""
    if len(group) < 3 or any(p.numbers is None for p in group):
        return list(group)
    return [p for p in group if not is_mean(p, [q for q in group if q is not p], rows)]


def is_mean(p: Profile, others: Sequence[Profile], rows: Sequence[dict[str, Any]]) -> bool:
    """Whether a column is the mean of others, as far as its numbers are written out."""
    between = 0
    written = [str(row[p.column]) for row in rows if row[p.column] is not None]
    off = 0.5 * 10.0 ** -max(len(text.partition(".")[2]) for text in written) + 1e-9
    given = {x for q in others for x in q.numbers or ()}
    for row in rows:
        cells = [float(row[q.column]) for q in others if row[q.column] is not None]
        if row[p.column] is None or len(cells) < 2:
            continue
        if abs(float(row[p.column]) - sum(cells) / len(cells)) > off:
            return False
        between += float(row[p.column]) not in given
    return between >= LEAST
