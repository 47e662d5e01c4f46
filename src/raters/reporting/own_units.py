"""Disagreement in squared ranks or squared steps does not belong below shares of agreement in one column."""

from __future__ import annotations

from collections.abc import Sequence

from raters.estimate import Estimate
from raters.reporting.measure_names import called

COLUMNS = ("observed", "expected")


def without_own_units(
    table: Sequence[Estimate], head: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[list[list[str]], list[str]]:
    """The rows of a table that mixes agreement and disagreement, without the figures of the latter; and a line that says so.

    >>> one, two = (Estimate(n, 0.5, parts=p, title=n) for n, p in (("Kappa", "agreement"), ("Iota", "disagreement")))
    >>> without_own_units([one, two], ["name", "observed"], [["Kappa", "0.9"], ["Iota", "38264.4"]])[0]
    [['Kappa', '0.9'], ['Iota', '-']]
    """
    given = [list(row) for row in rows]
    at = [i for i, name in enumerate(head) if name in COLUMNS]
    own = [i for i, e in enumerate(table) if e.parts == "disagreement"]
    if not at or not 0 < len(own) < len(table):
        return given, []
    for i in own:
        for j in at:
            given[i][j] = "-"
    names = " and ".join(called(table[i]) for i in own[:2]) + (f" and {len(own) - 2} more" if len(own) > 2 else "")
    return given, [f"({names}: observed and expected are disagreement in units of the scale; --format json has them)"]
