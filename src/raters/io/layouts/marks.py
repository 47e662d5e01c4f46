"""Columns of marks, one for each rater and label: 0 and 1, x, true and false; they are combined into one column for
each rater.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from raters.errors import DataError
from raters.io.readings.grids import TICKS, Grid, by_rater, grid_of, marked
from raters.io.readings.profiles import profiles
from raters.io.table import Table, with_notes
from raters.notes.note import Note


def one_column_each(table: Table, grid: Grid, key: str | None) -> Table:
    """One column for each rater, with the label that was ticked; more than one tick counts as missing."""
    labels = [
        f"CASE WHEN {' + '.join(f'{tick(p.column)}' for p in grid.row(who))} = 1 THEN CASE"
        f" {' '.join(f'WHEN {tick(grid.cells[who, name].column)} = 1 THEN {table.engine.text(name)}' for name in grid.second)}"
        " END END"
        for who in grid.first
    ]
    several = " + ".join(f"CAST({' + '.join(tick(p.column) for p in grid.row(who))} > 1 AS INT)" for who in grid.first)
    n = int(table.engine.query(f"SELECT sum({several}) AS n FROM annotations")["n"][0] or 0)
    note = (Note("ticked_several", {"n": n}),) if n else ()
    return with_notes(rewritten(table, grid, key, labels), note)


def sets_of_marks(table: Table, item: Any, rater: Any, keep_empty: bool | None) -> tuple[Table, str | None] | None:
    """One column for each rater, with the set of labels that were ticked; None if the columns are not marks of this
    kind.
    """
    facts = profiles(table)
    found, rows = facts.columns, facts.rows
    grid = grid_of([p for p in found if p.name != item and not p.unique])
    if grid is None or not marked(grid):
        return None
    told = by_rater(grid) if rater is None else named(grid, rater)
    if told is None:
        return None
    blank = any(p.filled < len(rows) for p in told.cells.values())
    key = item or next((p.name for p in found if p.unique and p not in told.cells.values()), None)
    labels = [ticks(table, told, who, blank, keep_empty) for who in told.first]
    if blank and keep_empty is None:
        refuse_empty(table, told)
    made = rewritten(table, told, key, labels)
    return (
        with_notes(replace(made, nested=told.first), (Note("sets_from_marks", {"raters": list(told.first)}),)),
        key,
    )


def named(grid: Grid, rater: Any) -> Grid | None:
    """The grid with the parts that were named as raters first."""
    wanted = {name.strip() for name in (rater.split(",") if isinstance(rater, str) else rater)}
    return next((way for way in (grid, grid.turned()) if wanted == set(way.first)), None)


def ticks(table: Table, grid: Grid, who: str, blank: bool, keep_empty: bool | None) -> str:
    """SQL for the labels that a rater ticked, as JSON; NULL if all cells are empty."""
    names = ", ".join(
        f"CASE WHEN {tick(grid.cells[who, name].column)} = 1 THEN {table.engine.text(name)} END" for name in grid.second
    )
    found = f"to_json(list_filter([{names}], lambda x: x IS NOT NULL))"
    none = " AND ".join(
        f"{tick(p.column)} = 0" if blank else f"coalesce(trim(CAST({p.column} AS STRING)), '') = ''"
        for p in grid.row(who)
    )
    return (
        f"CAST({found} AS STRING)"
        if keep_empty and blank
        else f"CASE WHEN NOT ({none}) THEN CAST({found} AS STRING) END"
    )


def refuse_empty(table: Table, grid: Grid) -> None:
    """A row without a tick may mean that no label applies, or that nobody looked: the user is asked, nothing is
    assumed.
    """
    none = " + ".join(f"CAST({' + '.join(tick(p.column) for p in grid.row(who))} = 0 AS INT)" for who in grid.first)
    n = int(table.engine.query(f"SELECT sum({none}) AS n FROM annotations")["n"][0] or 0)
    if n:
        raise DataError(
            f"{table.source}: {n:,} times a rater ticked nothing. Say what that means: keep='empty' if"
            " no label applies, missing='' if the item was not labelled."
        )


def tick(column: str) -> str:
    """SQL for 1 where a cell is ticked, else 0."""
    known = ", ".join(f"'{mark}'" for mark in sorted(TICKS))
    return f"CAST(coalesce(lower(trim(CAST({column} AS STRING))) IN ({known}, '1.0'), false) AS INT)"


def rewritten(table: Table, grid: Grid, key: str | None, labels: Sequence[str]) -> Table:
    """The table with one column for each rater in place of the marks."""
    used = {p.column for p in grid.cells.values()}
    others = [c for c, name in table.named().items() if c not in used and (name == key or name not in grid.first)]
    columns = [*others, *labels]
    select = ", ".join(f"{value} AS c{j}" for j, value in enumerate(columns))
    names = (*(table.name(c) for c in others), *grid.first)
    return replace(
        table,
        engine=table.engine.derive(f"SELECT row, {select} FROM annotations"),
        names=names,
        mixed={},
        orders={},
        nested=(),
    )
