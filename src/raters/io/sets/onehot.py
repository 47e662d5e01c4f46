"""Sets of labels as one-hot columns: a column of 0 and 1 for each label."""

from collections.abc import Sequence

from raters.errors import DataError, UsageError, brief, listed
from raters.io.columns import find, rank
from raters.io.layouts import Long, identity
from raters.io.sets.cells import Form, SetOptions, marked
from raters.io.table import Table

PREFIX = "label_"
BLANK = "('', 'nan', 'null', 'none')"


def one_hot(table: Table, asked: SetOptions) -> list[str]:
    """Names of one-hot columns: those that match ``label="topic_*"``, or else ``label_*`` if no column is the label."""
    if asked.layout != "long" or asked.sep is not None:
        return []
    if isinstance(asked.label, str) and asked.label.endswith("*") and asked.label not in table.names:
        start = asked.label[:-1]
        found = [n for n in table.names if n.startswith(start) and len(n) > len(start)]
        if not found:
            raise UsageError(
                f"{table.source}: no column starts with {start!r}; columns found: {listed(table.names, 30)}."
            )
        return found
    if asked.label is not None or any(rank(n, "label") == 0 for n in table.names):
        return []
    found = [n for n in table.names if n.lower().startswith(PREFIX) and len(n) > len(PREFIX)]
    return found if len(found) > 1 else []


def from_one_hot(table: Table, asked: SetOptions, hot: list[str]) -> tuple[Long, Form]:
    """A column of 0 and 1 for each label. All cells empty: the annotation is missing; all 0: the empty set."""
    columns = [table.column(name) for name in hot]
    check_marks(table, columns)
    start = len(asked.label) - 1 if asked.label else len(PREFIX)
    names = [name[start:] for name in hot]
    roles = find([n for n in table.names if n not in hot], {"item": asked.item, "rater": asked.rater}, table.source)
    at = {role: table.column(name) for role, name in roles.items()}
    others = {c: n for c, n in table.named().items() if n not in roles.values() and n not in hot}
    marks = ", ".join(f"CASE WHEN {mark(c)} IN ('1', '1.0', 'true') THEN '1' ELSE '0' END" for c in columns)
    empty = " AND ".join(f"{mark(c)} IN {BLANK}" for c in columns)
    ids = ", ".join(f"{identity(table, at[role])} AS {role}" for role in ("item", "rater"))
    tail = "".join(f", {c}" for c in others)
    engine = table.engine.derive(
        f"SELECT row, {ids}, CASE WHEN NOT ({empty}) THEN concat({marks}) END AS label{tail} FROM annotations"
    )
    said = f"one-hot columns {listed(hot, 4)}"
    return Long(engine, "text", roles, others, table.source), marked(names, said)


def mark(column: str) -> str:
    """SQL for a cell of a one-hot column as plain text."""
    return f"coalesce(lower(trim(CAST({column} AS STRING))), '')"


def check_marks(table: Table, columns: Sequence[str]) -> None:
    """One-hot cells are 0, 1, true, false, or empty."""
    fine = "('0', '0.0', 'false', '1', '1.0', 'true', '', 'nan', 'null', 'none')"
    first = ", ".join(f"min(CASE WHEN {mark(c)} NOT IN {fine} THEN row END) AS {c}" for c in columns)
    found = table.engine.query(f"SELECT {first} FROM annotations")
    for c in columns:
        row = found[c][0]
        if row is not None and row == row:
            value = table.engine.query(f"SELECT CAST({c} AS STRING) AS v FROM annotations WHERE row = {int(row)}")["v"][
                0
            ]
            raise DataError(
                f"{table.source}: row {int(row)}, column {table.name(c)!r} is {brief(value)}; a one-hot column has 0 and 1. "
                "Name the label column with label=, or the one-hot columns with label='prefix_*'."
            )
