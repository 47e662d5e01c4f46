"""From the layout of a table to the long one: wide, counts, contingency."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from raters.engines import Source
from raters.errors import DataError, UsageError, brief, listed
from raters.io.columns import best, find, known
from raters.io.numbers import as_numbers
from raters.io.rows import from_columns
from raters.io.table import Table


@dataclass(frozen=True)
class Long:
    """A long table, its labels not yet looked at. The view has row, item, rater, label and the other columns
    of the source as c0, c1, ...
    """

    engine: Source
    kind: str  # of label: bool int big float text; "parse": text of a file, in which numbers count as numbers
    columns: dict[str, str]
    others: dict[str, str]  # c0, c1, ... -> name in the source
    source: str
    notes: tuple[str, ...] = ()
    raters: bool = True  # False: count tables do not say who gave a label
    by_position: bool = False  # labels known only by their place in a matrix


def long(table: Table, item: Any, rater: Any, label: Any) -> Long:
    """A table that has one row per annotation already."""
    roles = find(table.names, {"item": item, "rater": rater, "label": label}, table.source)
    at = {role: table.column(name) for role, name in roles.items()}
    others = {f"c{i}": name for i, name in enumerate(table.names) if name not in roles.values()}
    kind = table.kinds[at["label"]]
    if kind == "nested":
        raise DataError(f"{table.source}: column {roles['label']!r} holds lists, not single labels.")
    chosen = ", ".join(["row", *(f"{identity(table, at[r])} AS {r}" for r in ("item", "rater")), f"{at['label']} AS label", *others])
    noted = tuple(note for note in table.notes if any(repr(name) in note for name in roles.values()))
    kind = "parse" if table.from_text and kind == "text" else kind
    return Long(table.engine.derive(f"SELECT {chosen} FROM annotations"), kind, roles, others, table.source, noted)


def identity(table: Table, column: str) -> str:
    """SQL for an item or rater: whole numbers stay so, the rest is text; NULL where there is none."""
    kind = table.kinds[column]
    if kind == "int":
        return f"CAST({column} AS BIGINT)"
    if kind == "float":
        return f"CASE WHEN NOT isnan(CAST({column} AS DOUBLE)) THEN CAST({column} AS DOUBLE) END"
    return f"CASE WHEN trim(CAST({column} AS STRING)) <> '' THEN CAST({column} AS STRING) END"


def wide(table: Table, item: Any, rater: Any, raters: str) -> Long:
    """Items by raters; with ``raters="rows"``, raters by items (a matrix has been turned already)."""
    role, across = ("rater", "item") if raters == "rows" and not table.numbered else ("item", "rater")
    given = item if role == "item" else rater
    chosen = rater if role == "item" else item
    key = id_column(table, role, given)
    cells = cell_columns(table, key, chosen, across)
    kind = cell_kind(table, cells)
    names: Sequence[Any] = range(1, len(cells) + 1) if table.numbered else [table.names[int(c[1:])] for c in cells]
    others = {} if chosen is None else {f"c{i}": n for i, n in enumerate(table.names) if f"c{i}" not in cells and n != key}
    types = {"text": "STRING", "parse": "STRING", "bool": "BOOLEAN"}
    melted = melt(table, key, cells, names, types.get(kind, "DOUBLE"), list(others))
    tail = "".join(f", {c}" for c in others)
    engine = melted.derive(f"SELECT row, id AS {role}, name AS {across}, value AS label{tail} FROM annotations")
    columns = {role: key} if key is not None else {}
    return Long(engine, kind, columns, others, table.source, table.notes if kind == "text" else ())


def id_column(table: Table, role: str, given: Any) -> str | None:
    """The column that names the rows: given, else the best named, else none (row numbers)."""
    if given is not None:
        return known(given, table.names, role, table.source)
    found = [] if table.numbered else best(table.names, role)
    unnamed = [n for n in table.names[:1] if not found and n.strip() in ("", "Unnamed: 0", "level_0", "index")]
    if len(found) > 1:
        raise UsageError(f"{table.source}: columns {listed(found)} could each name the rows. Pass {role}='...'.")
    return (found or unnamed or [None])[0]


def cell_columns(table: Table, key: str | None, chosen: Any, across: str) -> list[str]:
    """The columns that hold cells: those given, else all but the one that names the rows."""
    if chosen is None:
        names = [n for n in table.names if n != key]
    else:
        names = [known(n, table.names, across, table.source) for n in ([chosen] if isinstance(chosen, str) else chosen)]
    if not names:
        raise DataError(f"{table.source}: no columns of {across}s beside {key!r}.")
    return [table.column(n) for n in names]


def cell_kind(table: Table, cells: Sequence[str]) -> str:
    """One kind for all cells; columns with nothing in them have no say."""
    kinds = {c: table.kinds[c] for c in cells}
    if len(set(kinds.values())) > 1:
        filled = table.engine.query("SELECT " + ", ".join(f"count({c}) AS {c}" for c in cells) + " FROM annotations")
        kinds = {c: kind for c, kind in kinds.items() if filled[c][0]} or kinds
    found = set(kinds.values())
    if "nested" in found:
        raise DataError(f"{table.source}: some cells hold lists, not single labels.")
    if found <= {"int", "big", "float"}:
        return "int" if found == {"int"} else "float"
    if found == {"bool"}:
        return "bool"
    return "parse" if table.from_text else "text"


def melt(table: Table, key: str | None, cells: Sequence[str], names: Sequence[Any], type_: str, others: Sequence[str]) -> Source:
    """One row per cell: row, id, name, value, and the other columns."""
    engine, k = table.engine, len(cells)
    row = "row" if key is None else identity(table, table.column(key))
    casts = ", ".join(f"CAST({c} AS {type_}) AS cell_{c}" for c in cells)
    tail = "".join(f", {c}" for c in others)
    wide_cells = engine.derive(f"SELECT row, {row} AS id, {casts}{tail} FROM annotations")
    place = ", ".join(f"('cell_{c}', {j}, {constant(engine, name)})" for j, (c, name) in enumerate(zip(cells, names, strict=True)))
    return wide_cells.derive(
        f"SELECT (row - 1) * {k} + place + 1 AS row, id, name, value{tail} FROM "
        f"(SELECT * FROM annotations UNPIVOT INCLUDE NULLS (value FOR cell IN ({', '.join(f'cell_{c}' for c in cells)}))) AS cells "
        f"JOIN (SELECT * FROM (VALUES {place}) AS t(cell_name, place, name)) AS places ON cell = cell_name"
    )


def constant(engine: Source, value: Any) -> str:
    """A name of a column as SQL: whole number, number, or text."""
    if isinstance(value, int):
        return f"CAST({value} AS BIGINT)"
    return f"CAST('{value!r}' AS DOUBLE)" if isinstance(value, float) else engine.text(str(value))


def counts(table: Table, item: Any, labels: Sequence[Any] | None) -> Long:
    """Items by labels: how many raters gave each label."""
    key = id_column(table, "item", item)
    cells = cell_columns(table, key, None, "label")
    names: list[Any] = [table.names[int(c[1:])] for c in cells]
    if table.numbered and labels is not None:
        names = matching(labels, len(cells), table.source)
    numbers = as_numbers(names)
    exact = None if numbers is None else [float(x) for x in numbers]
    how_many = "TRY_CAST(trim({}) AS DOUBLE)" if table.from_text else "CAST({} AS DOUBLE)"
    checked_counts(table, cells, key, how_many)
    melted = melt(table, key, cells, names if exact is None else exact, "STRING" if table.from_text else "DOUBLE", [])
    value = how_many.format("value")
    many = f"CASE WHEN {value} >= 1 THEN {value} ELSE 0 END"
    engine = melted.derive(
        f"SELECT row, id AS item, CAST(NULL AS STRING) AS rater, name AS label FROM {melted.repeated(many)} AS copies"
    )
    columns = {"item": key} if key is not None else {}
    unnamed = table.numbered and labels is None
    return Long(engine, "text" if numbers is None else "float", columns, {}, table.source, (), False, unnamed)


def matching(labels: Sequence[Any], n: int, source: str) -> list[Any]:
    """As many labels as columns."""
    if len(labels) != n:
        raise UsageError(f"{source}: {len(labels)} labels= for {n} columns of counts. Give one label per column.")
    return list(labels)


def checked_counts(table: Table, cells: Sequence[str], key: str | None, how_many: str) -> None:
    """Counts are whole numbers, 0 or more; an empty cell is 0."""
    for c in cells:
        value = how_many.format(c)
        empty = f"{c} IS NULL" + (f" OR trim({c}) = ''" if table.from_text else f" OR isnan(CAST({c} AS DOUBLE))")
        wrong = f"NOT ({empty}) AND ({value} IS NULL OR {value} < 0 OR {value} > 1e15 OR {value} <> floor({value}))"
        bad = table.engine.query(f"SELECT row, CAST({c} AS STRING) AS v FROM annotations WHERE {wrong} ORDER BY row LIMIT 1")
        if len(bad["row"]):
            raise DataError(
                f"{table.source}: row {bad['row'][0]}, column {table.names[int(c[1:])]!r} is {brief(bad['v'][0])}, "
                "not a count. A count table has whole numbers, 0 or more, beside the items."
            )


def contingency(table: Table, rater: Any, labels: Sequence[Any] | None) -> Long:
    """A square table of two raters: rows are the first one's labels, columns the second's."""
    found = table.engine.query("SELECT * FROM annotations ORDER BY row")
    n = len(found["row"])
    headed = len(table) == n + 1
    names = list(table.names[1:] if headed else table.names)
    if len(names) != n:
        raise DataError(f"{table.source}: {n} rows and {len(names)} columns; a contingency table is square.")
    if labels is not None and (table.numbered or set(map(str, labels)) != set(names)):
        names = matching(labels, n, table.source)
    order = row_order([str(v) for v in found["c0"]], names, table.source) if headed else list(range(n))
    checked_counts(table, [f"c{j + headed}" for j in range(n)], None, "TRY_CAST(trim({}) AS DOUBLE)" if table.from_text else "CAST({} AS DOUBLE)")
    cells = np.array([[cell(found[f"c{j + headed}"][i]) for j in range(n)] for i in order])
    return expanded(cells, names, two_names(rater), table, labels)


def row_order(rows: list[str], names: list[Any], source: str) -> list[int]:
    """Which row belongs to which column, where rows are named too."""
    if sorted(rows) != sorted(map(str, names)):
        raise DataError(f"{source}: rows are named {listed(rows)} and columns {listed(names)}; they must be the same labels.")
    return [rows.index(str(name)) for name in names]


def cell(value: Any) -> int:
    """One count; an empty cell is 0."""
    text = "" if value is None else str(value).strip()
    return int(float(text)) if text not in ("", "nan") else 0


def two_names(rater: Any) -> list[Any]:
    """The names of the two raters."""
    if rater is None:
        return ["first", "second"]
    if isinstance(rater, str) or len(rater) != 2:
        raise UsageError(f"rater={brief(rater)}: a contingency table has two raters, so give two names.")
    return list(rater)


def expanded(cells: Any, names: list[Any], who: list[Any], table: Table, labels: Sequence[Any] | None) -> Long:
    """One item with two annotations for each count."""
    n = cells.sum()
    kept = as_numbers(names) or names
    values = np.empty(len(kept), dtype=object)
    values[:] = kept
    first, second = (np.repeat(values[axis.ravel()], cells.ravel()) for axis in np.indices(cells.shape))
    made = from_columns(
        {
            "item": np.tile(np.arange(1, n + 1), 2),
            "rater": np.repeat(np.array(who, dtype=object), n),
            "label": np.concatenate([first, second]),
        },
        table.source,
    )
    result = long(made, None, None, None)
    unnamed = table.numbered and labels is None
    return Long(result.engine, result.kind, {}, {}, table.source, (), by_position=unnamed)
