"""Tables of counts: items by labels, and the square table of two raters."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import DataError, UsageError, brief, listed
from raters.io.labels.numbers import as_numbers
from raters.io.layouts.wide import Long, cell_columns, id_column, long, melt
from raters.io.sources.rows import from_columns
from raters.io.table import Table


def counts(table: Table, item: Any, labels: Sequence[Any] | None, chosen: Sequence[str] | None = None) -> Long:
    """Items by labels: the number of raters who gave each label. The columns define the scale and its order."""
    key = id_column(table, "item", item)
    cells = cell_columns(table, key, chosen, "label")
    names = label_names(table, [table.name(c) for c in cells], labels)
    check_counts(table, cells)
    melted = melt(table, key, cells, names, "STRING" if table.from_text else "DOUBLE")
    value = as_count(table, "value")
    many = f"CASE WHEN {value} >= 1 THEN {value} ELSE 0 END"
    engine = melted.derive(
        f"SELECT row, id AS item, CAST(NULL AS STRING) AS rater, name AS label FROM {melted.repeated(many)} AS copies"
    )
    columns = {"item": key} if key is not None else {}
    kind = "float" if isinstance(names[0], float) else "text"
    unnamed = table.numbered and labels is None
    declared = tuple(names)
    return Long(engine, kind, columns, {}, table.source, raters=False, labels=declared, by_position=unnamed)


def label_names(table: Table, names: list[Any], labels: Sequence[Any] | None) -> list[Any]:
    """The labels of the columns: their names, or ``labels`` if they have none; as numbers if all of them are
    numbers.
    """
    if table.numbered and labels is not None:
        if len(labels) != len(names):
            raise UsageError(
                f"{table.source}: {len(labels)} labels in labels= for {len(names)} columns. Pass one label for each"
                " column."
            )
        names = list(labels)
    numbers = as_numbers(names)
    return names if numbers is None else [float(n) for n in numbers]


def as_count(table: Table, cell: str) -> str:
    """SQL for a cell as a number."""
    return f"TRY_CAST(trim({cell}) AS DOUBLE)" if table.from_text else f"CAST({cell} AS DOUBLE)"


def check_counts(table: Table, cells: Sequence[str]) -> None:
    """Counts are whole numbers, 0 or more; an empty cell is 0."""
    for c in cells:
        if not table.from_text and table.kinds[c] not in ("int", "big", "float"):
            filled = table.engine.query(f"SELECT count({c}) AS n FROM annotations")["n"][0]
            if filled:
                raise DataError(
                    f"{table.source}: column {table.name(c)!r} does not hold counts. Name the items: raters.read(..., item='COLUMN')."
                )
        value = as_count(table, c)
        empty = f"{c} IS NULL OR " + (f"trim({c}) = ''" if table.from_text else f"isnan(CAST({c} AS DOUBLE))")
        wrong = f"NOT ({empty}) AND ({value} IS NULL OR {value} < 0 OR {value} > 1e15 OR {value} <> floor({value}))"
        bad = table.engine.query(
            f"SELECT row, CAST({c} AS STRING) AS v FROM annotations WHERE {wrong} ORDER BY row LIMIT 1"
        )
        if len(bad["row"]):
            raise DataError(
                f"{table.source}: row {bad['row'][0]}, column {table.name(c)!r} is {brief(bad['v'][0])}, not a count. "
                "A count table has whole numbers, 0 or more, in all columns except the one of items."
            )


def contingency(table: Table, rater: Any, labels: Sequence[Any] | None) -> Long:
    """A square table of two raters: rows are the first one's labels, columns the second's."""
    found = table.engine.query("SELECT * FROM annotations ORDER BY row")
    n = len(found["row"])
    headed = len(table) == n + 1
    names: list[Any] = list(table.names[1:] if headed else table.names)
    if len(names) != n:
        raise DataError(f"{table.source}: {n} rows and {len(names)} columns; a contingency table is square.")
    order = row_order([str(v) for v in found["c0"]], names, table.source) if headed else list(range(n))
    columns = [f"c{j + headed}" for j in range(n)]
    check_counts(table, columns)
    cells = np.array([[as_whole(found[c][i]) for c in columns] for i in order], dtype=np.int64)
    names = label_names(table, names, labels)
    made = long(expanded(cells, names, two_names(rater), table.source), None, None, None)
    unnamed = table.numbered and labels is None
    return Long(made.engine, made.kind, {}, {}, table.source, labels=tuple(names), by_position=unnamed)


def row_order(rows: list[str], names: list[Any], source: str) -> list[int]:
    """Which row belongs to which column, if rows are named too."""
    if sorted(rows) != sorted(names):
        raise DataError(
            f"{source}: rows are named {listed(rows)} and columns {listed(names)}; both need the same labels."
        )
    return [rows.index(name) for name in names]


def as_whole(value: Any) -> int:
    """One count; an empty cell is 0."""
    text = "" if value is None else str(value).strip()
    return int(float(text)) if text not in ("", "nan") else 0


def two_names(rater: Any) -> list[str]:
    """The names of the two raters."""
    if rater is None:
        return ["first", "second"]
    if isinstance(rater, str) or len(rater) != 2:
        raise UsageError(f"rater={brief(rater)}: a contingency table has two raters, so give two names.")
    return [str(name) for name in rater]


def expanded(cells: NDArray[np.int64], names: list[Any], who: list[str], source: str) -> Table:
    """One item with two annotations for each count. cells: (first rater's label, second's)."""
    n = int(cells.sum())
    if n == 0:
        raise DataError(f"{source}: every count is 0.")
    values = np.array(names, dtype=float if isinstance(names[0], float) else object)
    first, second = (np.repeat(values[axis.ravel()], cells.ravel()) for axis in np.indices(cells.shape))
    return from_columns(
        {
            "item": np.tile(np.arange(1, n + 1), 2),
            "rater": np.repeat(np.array(who, dtype=object), n),
            "label": np.concatenate([first, second]),
        },
        source,
    )
