"""Would another pool agree?"""

from __future__ import annotations

from raters.errors import RatersError
from raters.reliability.xrr.between_pools import xrr_table
from raters.reporting.context import Context
from raters.reporting.document import Answer, Table
from raters.reporting.estimate_charts import estimate_intervals

SHOWN = ("irr_x", "irr_y", "kappa_x", "normalized", "difference", "rho")


def pools(c: Context) -> Answer:
    """Agreement between pools beside the agreement within each."""
    column = c.pool_column
    if column is None:
        return Answer("The table names no pools; use --pool COLUMN to name the column that does.", absent=True)
    try:
        rows = list(xrr_table(c.ann, pool=column, **c.other_options))
    except RatersError as error:
        return Answer(f"Pools of {column!r} cannot be compared: {error}", absent=True)
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
    )
    titles = (
        "pools",
        "within the first",
        "within the second",
        "between (kappa_x)",
        "normalised",
        "between minus within",
        "rho",
        "shared items",
    )
    table = Table(
        "pools",
        "Pairs of pools",
        titles,
        tuple((" and ".join(r.pools), *(getattr(r, n) for n in SHOWN), r.n_shared) for r in rows),
    )
    return Answer(" ".join(r.sentence for r in rows[:3]), (chart, table))
