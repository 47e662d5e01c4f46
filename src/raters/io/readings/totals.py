"""Rows below a table that summarise it: means and totals, which are not items."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter
from typing import Any

from raters.io.readings.names import SUMS
from raters.io.table import Table, normal, with_notes
from raters.notes.note import Note

LAST = 5
"""Number of rows at the end that are checked."""
WINDOW = 100
"""Row numbers at the end among which they are sought."""


def without_totals(table: Table, item: Any) -> Table:
    """The table without the last rows if their names show that they summarise the others."""
    if not isinstance(item, str) or item not in table.names or table.kinds[table.column(item)] != "text":
        return table
    if table.engine.name == "spark":  # its rows have no order, and a sheet with totals is not kept there
        return table
    column = table.column(item)
    # rows are numbered, perhaps with gaps; a filter on their numbers is quicker than sorting them
    found = table.engine.query(
        f"SELECT row, CAST({column} AS STRING) AS name FROM annotations WHERE row > (SELECT max(row) FROM annotations)"
        f" - {WINDOW}"
    )
    last = sorted(zip(found["row"].tolist(), found["name"].tolist(), strict=True), reverse=True, key=itemgetter(0))[
        :LAST
    ]
    rows: list[tuple[int, str]] = []
    for row, name in last:
        if name is None or normal(str(name)) not in SUMS:
            break
        rows.append((int(row), str(name).strip()))
    if not rows or len(rows) == len(last):
        return table
    engine = table.engine.derive(f"SELECT * FROM annotations WHERE row < {rows[-1][0]}")
    facts = {"n": len(rows), "rows": [name for _, name in rows]}
    return with_notes(replace(table, engine=engine), (Note("one_total" if len(rows) == 1 else "totals", facts),))
