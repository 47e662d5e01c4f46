"""Apply a reading to a table: raters under their own names, one question, marks as labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from raters.io.marks import one_column_each
from raters.io.readings import Reading
from raters.io.table import Table


def as_recognised(table: Table, found: Reading) -> Table:
    """The table with the columns and rows that a reading uses: raters under their own names, one question, marks as labels."""
    if found.called:
        names = dict(found.called)
        table = (
            replace(table, names=tuple(names.get(name, name) for name in table.names)) if clear(names, table) else table
        )
    if found.joined:
        table = with_joined(table, found.joined, str(found.item))
    if found.only is not None:
        column, value = table.column(found.only[0]), table.engine.text(found.only[1])
        rows = f"SELECT * FROM annotations WHERE CAST({column} AS STRING) = {value}"
        table = replace(table, engine=table.engine.derive(rows))
    return table if found.marks is None else one_column_each(table, found.marks, found.item)


def with_joined(table: Table, names: Sequence[str], called: str) -> Table:
    """The table with one more column, which holds the text of several."""
    parts = " || ' / ' || ".join(f"CAST({table.column(name)} AS STRING)" for name in names)
    sql = f"SELECT *, {parts} AS c{len(table)} FROM annotations"
    return replace(table, engine=table.engine.derive(sql), names=(*table.names, called))


def renamed(table: Table, found: Reading) -> Any:
    """The columns of raters under the names that they have now."""
    names = dict(found.called)
    return [n if n in table.names else names[n] for n in found.rater] if names else found.rater


def clear(names: Mapping[str, str], table: Table) -> bool:
    """Whether raters can have their own names, none of which is the name of a column."""
    return not set(names.values()) & set(table.names)
