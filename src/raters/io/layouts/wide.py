"""Convert other layouts to the long layout; count tables are in ``tallies``."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from raters.engines import Source
from raters.errors import DataError, UsageError, listed
from raters.io.labels.numbers import as_numbers
from raters.io.table import Table, best, find, known
from raters.notes.note import Note


@dataclass(frozen=True)
class Long:
    """A long table whose labels have not been inspected yet. The view has row, item, rater, label and the other columns
    of the source as c0, c1, ...
    """

    engine: Source
    kind: str  # of label: bool int big float text; "parse": text of a file, in which numbers count as numbers
    columns: dict[str, str]
    others: dict[str, str]  # c0, c1, ... -> name in the source
    source: str
    notes: tuple[Note, ...] = ()
    mixed: Note | None = None  # note about labels that mix numbers and text
    raters: bool = True  # False for count tables, which do not record who gave a label
    labels: tuple[Any, ...] | None = None  # those that the layout declares: the columns of a count table
    by_position: bool = False  # labels are known only by their position in a matrix
    order: tuple[Any, ...] | None = None  # of the labels, where the source's type of column has one
    plain: Source | None = None  # the same for tables without blank items or raters, without testing for blanks
    blank: str | None = (
        None  # SQL that is true for each row of ``plain`` without an item or rater, and perhaps for others
    )


def long(table: Table, item: Any, rater: Any, label: Any, sets: bool = False) -> Long:
    """A table that already has one row per annotation. ``sets``: whether lists are allowed."""
    roles = find(table.names, {"item": item, "rater": rater, "label": label}, table.source)
    at = {role: table.column(name) for role, name in roles.items()}
    others = {c: name for c, name in table.named().items() if name not in roles.values()}
    kind = table.kinds[at["label"]]
    if kind == "nested" and not sets:
        raise DataError(
            f"{table.source}: column {roles['label']!r} holds lists or objects, not single labels. "
            "Pass scale='sets' for sets of labels; spans and relations are not supported: make an item of each unit "
            "(a token, a sentence, a marked span) that could be labelled."
        )
    value = f"CAST({at['label']} AS STRING)" if kind == "text" else at["label"]
    engine, plain = (
        table.engine.derive(
            "SELECT"
            f" {', '.join(['row', *(f'{who(table, at[role])} AS {role}' for role in ('item', 'rater')), f'{value} AS label', *others])}"
            " FROM annotations"
        )
        for who in (identity, plain_identity)
    )
    noted = tuple(table.mixed[name] for role, name in roles.items() if role != "label" and name in table.mixed)
    kind = "parse" if table.from_text and kind == "text" else kind
    mixed, order = table.mixed.get(roles["label"]), table.orders.get(roles["label"])
    return Long(
        engine, kind, roles, others, table.source, noted, mixed, order=order, plain=plain, blank=maybe_blank(table, at)
    )


def without_raters(table: Table, item: str, label: str) -> Long:
    """A table with one row per annotation that does not say who gave it."""
    at, column = table.column(item), table.column(label)
    kind = table.kinds[column]
    value = f"CAST({column} AS STRING)" if kind == "text" else column
    others = {c: name for c, name in table.named().items() if c not in (at, column)}
    parts = ["row", f"{identity(table, at)} AS item", "CAST(NULL AS STRING) AS rater", f"{value} AS label", *others]
    engine = table.engine.derive(f"SELECT {', '.join(parts)} FROM annotations")
    kind = "parse" if table.from_text and kind == "text" else kind
    mixed, order = table.mixed.get(label), table.orders.get(label)
    return Long(
        engine, kind, {"item": item, "label": label}, others, table.source, (), mixed, raters=False, order=order
    )


def identity(table: Table, column: str) -> str:
    """SQL for an item or rater: whole numbers are kept, other values become text; NULL if it is missing."""
    kind = table.kinds[column]
    if kind == "int":
        return f"CAST({column} AS BIGINT)"
    if kind == "float":
        # a number too large for a float is not a usable name: 1e999 and 2e999 would be the same; nan is greater than
        # infinity in SQL
        finite = f"abs(CAST({column} AS DOUBLE)) < CAST('Infinity' AS DOUBLE)"
        return f"CASE WHEN {finite} THEN CAST({column} AS DOUBLE) END"
    text = f"CAST({column} AS STRING)"
    # all that is blank sorts before '!', which is quicker to see than what is left without spaces
    return f"CASE WHEN {text} >= '!' OR trim({text}) <> '' THEN {text} END"


def plain_identity(table: Table, column: str) -> str:
    """The same if no row lacks one."""
    return f"CAST({column} AS {({'int': 'BIGINT', 'float': 'DOUBLE'}).get(table.kinds[column], 'STRING')})"


def maybe_blank(table: Table, at: Mapping[str, str]) -> str | None:
    """SQL that is true wherever :func:`identity` gives no item or rater: comparisons that whole blocks of rows fail at
    once.
    """
    if any(table.kinds[at[role]] != "text" for role in ("item", "rater")):
        return None
    return " OR ".join(f"{role} IS NULL OR {role} < '!'" for role in ("item", "rater"))


def wide(table: Table, item: Any, rater: Any, raters: str, sets: bool = False, aside: Collection[str] = ()) -> Long:
    """Items by raters; with ``raters="rows"``, raters by items (a matrix has been turned already). ``aside``: columns
    to leave out.
    """
    role, across = ("rater", "item") if raters == "rows" and not table.numbered else ("item", "rater")
    given = item if role == "item" else rater
    chosen = rater if role == "item" else item
    key = id_column(table, role, given)
    cells = cell_columns(table, key, chosen, across)
    kind = cell_kind(table, cells, sets)
    names: Sequence[Any] = range(1, len(cells) + 1) if table.numbered else [table.name(c) for c in cells]
    left = {key, *aside}
    others = {} if chosen is None else {c: n for c, n in table.named().items() if c not in cells and n not in left}
    types = {"text": "STRING", "nested": "STRING", "parse": "STRING", "bool": "BOOLEAN", "int": "BIGINT"}
    melted = melt(table, key, cells, names, types.get(kind, "DOUBLE"), list(others))
    tail = "".join(f", {c}" for c in others)
    engine = melted.derive(f"SELECT row, id AS {role}, name AS {across}, value AS label{tail} FROM annotations")
    columns = {role: key} if key is not None else {}
    mixed = mixed_cells(table, cells, kind)
    found = {table.orders.get(table.name(c)) for c in cells}
    order = found.pop() if len(found) == 1 else None
    return Long(engine, kind, columns, others, table.source, header_note(table, cells), mixed, order=order)


def repeated(table: Table, count: str | None) -> Table:
    """The table with every row repeated as often as a column states."""
    if count is None:
        return table
    number = f"coalesce(TRY_CAST(CAST({table.column(count)} AS STRING) AS BIGINT), 0)"
    columns = ", ".join(table.named())
    often = table.engine.repeated(number)
    sql = f"SELECT row_number() OVER (ORDER BY row, copy) AS row, {columns} FROM {often} AS copies"
    return replace(table, engine=table.engine.derive(sql))


def header_note(table: Table, cells: Sequence[str]) -> tuple[Note, ...]:
    """A wide file without a header would lose its first row."""
    if not table.from_text or as_numbers([table.name(c) for c in cells]) is None or has_header(table, cells):
        return ()
    return (Note("first_row_is_header"),)


def has_header(table: Table, cells: Sequence[str]) -> bool:
    """Whether a column of numbers beside the cells has a word as its name, which only a header gives it."""
    missing = ("na", "n/a", "nan", "null", "none")
    named = [
        c
        for c, n in table.named().items()
        if c not in cells and n.strip()[:1].isalpha() and n.strip().lower() not in missing
    ]
    if not named:
        return False
    counts = ", ".join(
        f"count({c}) AS n_{c}, count(TRY_CAST(CAST({c} AS STRING) AS DOUBLE)) AS numbers_{c}" for c in named
    )
    found = table.engine.query(f"SELECT {counts} FROM annotations")
    return any(found[f"n_{c}"][0] > 0 and found[f"n_{c}"][0] == found[f"numbers_{c}"][0] for c in named)


def mixed_cells(table: Table, cells: Sequence[str], kind: str) -> Note | None:
    """A note if cells mix numbers and text, within a column or between columns."""
    if kind != "text":
        return None
    found = [table.mixed[name] for c in cells if (name := table.name(c)) in table.mixed]
    kinds = {table.kinds[c]: table.name(c) for c in cells}
    if not found and len(kinds) > 1:
        found = [Note("columns_mix", {"columns": list(kinds.values())})]
    return next(iter(found), None)


def id_column(table: Table, role: str, given: Any) -> str | None:
    """The column that identifies the rows: the one given, or else the best named, or else none (row numbers)."""
    if given is False:
        return None
    if given is not None:
        return known(given, table.names, role, table.source)
    found = [] if table.numbered else best(table.names, role)
    unnamed = [n for n in table.names[:1] if not found and n.strip() in ("", "Unnamed: 0", "level_0", "index")]
    if len(found) > 1:
        raise UsageError(f"{table.source}: columns {listed(found)} could each identify the rows. Pass {role}='...'.")
    return next(iter(found or unnamed), None)


def cell_columns(table: Table, key: str | None, chosen: Any, across: str) -> list[str]:
    """The columns that hold cells: those given, or else all except the one that identifies the rows."""
    if chosen is None:
        names = [n for n in table.names if n != key]
    else:
        wanted = [chosen] if isinstance(chosen, str) else chosen
        names = [known(n, table.names, across, table.source) for n in wanted]
    if not names:
        raise DataError(f"{table.source}: no columns of {across}s besides {key!r}.")
    return [table.column(n) for n in names]


def cell_kind(table: Table, cells: Sequence[str], sets: bool = False) -> str:
    """One kind for all cells; empty columns are ignored."""
    kinds = {c: table.kinds[c] for c in cells}
    if len(set(kinds.values())) > 1:
        filled = table.engine.query("SELECT " + ", ".join(f"count({c}) AS {c}" for c in cells) + " FROM annotations")
        kinds = {c: kind for c, kind in kinds.items() if filled[c][0]} or kinds
    found = set(kinds.values())
    if sets and found == {"nested"}:
        return "nested"
    if "nested" in found:
        raise DataError(
            f"{table.source}: some cells hold lists, not single labels. Pass scale='sets', with lists in all."
        )
    if found <= {"int", "big", "float"}:
        return "int" if found == {"int"} else "float"
    if found == {"bool"}:
        return "bool"
    return "parse" if table.from_text else "text"


def melt(
    table: Table,
    key: str | None,
    cells: Sequence[str],
    names: Sequence[Any],
    type_: str,
    others: Sequence[str] = (),
) -> Source:
    """One row per cell: row, id, name, value, and the other columns."""
    engine, k = table.engine, len(cells)
    row = "row" if key is None else identity(table, table.column(key))
    casts = ", ".join(f"CAST({c} AS {type_}) AS cell_{c}" for c in cells)
    tail = "".join(f", {c}" for c in others)
    wide_cells = engine.derive(f"SELECT row, {row} AS id, {casts}{tail} FROM annotations")
    named = enumerate(zip(cells, names, strict=True))
    places = ", ".join(f"('cell_{c}', {j}, {constant(engine, name)})" for j, (c, name) in named)
    every = ", ".join(f"cell_{c}" for c in cells)
    return wide_cells.derive(
        f"SELECT (row - 1) * {k} + place + 1 AS row, id, name, value{tail} FROM "
        f"(SELECT * FROM annotations UNPIVOT INCLUDE NULLS (value FOR cell IN ({every}))) AS cells "
        f"JOIN (SELECT * FROM (VALUES {places}) AS t(cell_name, place, name)) AS places ON cell = cell_name"
    )


def constant(engine: Source, value: Any) -> str:
    """A name of a column as SQL: whole number, number, or text."""
    if isinstance(value, int):
        return f"CAST({value} AS BIGINT)"
    return f"CAST('{value!r}' AS DOUBLE)" if isinstance(value, float) else engine.text(str(value))
