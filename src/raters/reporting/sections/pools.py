"""Would another pool agree, and do groups of raters?"""

from __future__ import annotations

import math

from raters.charts.of_results import estimate_intervals
from raters.reliability.xrr.result import CrossReliability, reading
from raters.reporting.context import Context
from raters.reporting.document import Answer, Chance, Table

SHOWN = ("irr_x", "irr_y", "kappa_x", "normalized", "difference", "rho")


def pools(c: Context) -> Answer:
    """Agreement between pools beside the agreement within each."""
    rows = c.pools
    if isinstance(rows, str):
        return Answer(rows, absent=True)
    estimates = [getattr(r, name) for r in rows for name in ("irr_x", "irr_y", "kappa_x")]
    names = [
        n for r in rows for n in (f"within {r.pools[0]}", f"within {r.pools[1]}", f"{r.pools[0]} with {r.pools[1]}")
    ]
    once = dict(zip(names, estimates, strict=True))
    chart = estimate_intervals(
        list(once.values()),
        "pools",
        "Agreement within each pool and between pools.",
        axis="agreement beyond chance",
        names=list(once),
        soft=[n for n in once if n.startswith("within ")],
    )
    titles = (
        "pools",
        "within the first",
        "within the second",
        "between them",
        "between, relative to within",
        "between minus within",
        "correlation of item means",
        "shared items",
    )
    table = Table(
        "pools",
        "Pairs of pools",
        titles,
        tuple((" and ".join(r.pools), *(getattr(r, n) for n in SHOWN), r.n_shared) for r in rows),
    )
    short = Table(
        "pools_short",
        "Agreement within pools and between them",
        titles[:4],
        tuple((" and ".join(r.pools), *(getattr(r, n) for n in SHOWN[:3])) for r in rows),
    )
    details = [str(r.test) for r in rows[:3] if r.test is not None]
    return Answer(" ".join(f"{plain(r)}" for r in rows[:3]), (chart, short), details=(table, *details))


def plain(r: CrossReliability) -> str:
    """What the figures say, without them: they stand in the table, and the test in the details."""
    if all(math.isfinite(e.value) for e in (r.kappa_x, r.irr_x, r.irr_y)):
        return f"{reading(r, tested=False)}."
    return r.sentence


MOST_GROUPS = 20


def groups_of_raters(c: Context) -> Answer:
    """Agreement within groups of raters, and with the others."""
    found = c.groups
    if found is None:
        return Answer("No column says anything about five raters or more.", absent=True)
    titles = ("group", "raters", "within the group", "with the others", "p, corrected")
    rows = tuple(
        (e.name, e.n_raters, e.details["in_group"], e.details["cross_group"], Chance(e.details["p"]))
        for e in list(found)[:MOST_GROUPS]
    )
    table = Table("groups", "Agreement within groups of raters and with the others", titles, rows, len(found))
    how = (
        f"p values come from {found.permutations:,} shuffles of whole raters, corrected for {len(found)} groups (Prabhakaran et al. 2024,"
        " with the largest statistic of all groups)."
    )
    return Answer(found.sentence, (table,), details=(how, *(f"{note}." for note in found.notes)))
