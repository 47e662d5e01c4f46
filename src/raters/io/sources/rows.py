"""Rows, columns and matrices of plain Python and numpy."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.engines import DuckDBEngine
from raters.errors import DataError, UsageError, brief
from raters.io.sources.values import Column, column
from raters.io.table import Table, positions, unique_names

FIELDS = ("item", "rater", "label")
NUMBERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float32", "float64")


def from_rows(rows: Iterable[Any]) -> Table:
    """A table from tuples (item, rater, label), named tuples, or dicts."""
    found = list(rows)
    if not found:
        raise DataError("rows: there are none. Pass (item, rater, label) tuples, or dicts.")
    if isinstance(found[0], Mapping):
        return from_columns(by_name(found), "rows")
    names = tuple(getattr(found[0], "_fields", FIELDS))
    for number, row in enumerate(found, 1):
        if not isinstance(row, tuple | list | np.ndarray | Sequence) or isinstance(row, str) or len(row) != len(names):
            raise DataError(
                f"rows: row {number} is {brief(row)}, not ({', '.join(names)}). "
                "Give rows of that form, dicts, or layout='wide' for a matrix."
            )
    return from_columns(dict(zip(names, zip(*found, strict=True), strict=True)), "rows")


def by_name(rows: Sequence[Any]) -> dict[str, list[Any]]:
    """Columns from dicts, in the order in which their names first occur."""
    names: dict[str, None] = {}
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise DataError(f"rows: row {number} is {brief(row)}, not a dict like the first. Give rows of one form.")
        names.update(dict.fromkeys(row))
    return {name: [row.get(name) for row in rows] for name in names}


def from_columns(columns: Mapping[Any, Any], source: str) -> Table:
    """A table from columns of Python values."""
    names = unique_names(columns, source)
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise DataError(f"{source}: columns of different lengths ({min(lengths)} to {max(lengths)}).")
    made = [array_column(v) if numbers(v) and v.ndim == 1 else column(list(v)) for v in columns.values()]
    return table(made, names, source)


def numbers(values: Any) -> bool:
    """Whether this is a numpy array of numbers that DuckDB can scan directly and that fit into 64 bits."""
    if not isinstance(values, np.ndarray) or np.ma.isMaskedArray(values):
        return False
    return values.dtype.name in NUMBERS


def array_column(values: NDArray[Any]) -> Column:
    """A copy of a numpy column of numbers, because the user's array may change."""
    return Column(np.array(values), "DOUBLE" if values.dtype.kind == "f" else "BIGINT")


def table(columns: Sequence[Column], names: tuple[str, ...], source: str, numbered: bool = False) -> Table:
    """Put columns behind an engine."""
    c = positions(len(columns))
    raw = DuckDBEngine.from_columns({name: col.values for name, col in zip(c, columns, strict=True)})
    casts = ", ".join(f"CAST({name} AS {col.cast}) AS {name}" for name, col in zip(c, columns, strict=True))
    engine = raw.derive(f"SELECT row, {casts} FROM annotations")
    both = ((name, col.mixed) for name, col in zip(names, columns, strict=True))
    mixed = {name: mixed_note(name, *found) for name, found in both if found is not None}
    nested = tuple(name for name, col in zip(names, columns, strict=True) if col.nested)
    return Table(engine, names, source, mixed=mixed, numbered=numbered, nested=nested)


def mixed_note(name: str, number: Any, text: Any) -> str:
    """A note about a column that mixes numbers and text, or booleans and numbers."""
    if isinstance(number, bool | np.bool_) and not isinstance(text, str):
        return (
            f"column {name!r} mixes true and false (such as {brief(number)}) and numbers (such as {brief(text)}), which were read as "
            "different labels; pass labels=[0, 1] or labels=[False, True] if they mean the same"
        )
    return (
        f"column {name!r} mixes numbers (such as {brief(number)}) and text (such as {brief(text)}), and was read "
        f"as text; pass missing=[{brief(text)}] if that marks a missing value"
    )


def from_matrix(matrix: Any, raters: str) -> Table:
    """A table with one column per rater (or per label, for counts), from a numpy matrix or nested lists."""
    if isinstance(matrix, np.ndarray) and matrix.ndim != 2:
        raise UsageError(f"matrix: {matrix.ndim} dimension(s) found, 2 needed: items by raters.")
    if numbers(matrix):
        across = matrix if raters == "rows" else matrix.T  # (rater, item)
        made = [array_column(np.ascontiguousarray(c)) for c in across]
    else:
        cells = rectangle(matrix)
        made = [column(c) for c in (cells if raters == "rows" else zip(*cells, strict=True))]
    if not made or not len(made[0].values):
        raise DataError("matrix: it is empty. Pass items by raters.")
    return table(made, tuple(str(j) for j in range(1, len(made) + 1)), "matrix", numbered=True)


def rectangle(matrix: Any) -> list[list[Any]]:
    """Nested lists with rows of one length."""
    rows = matrix.tolist() if isinstance(matrix, np.ndarray) else [row_of(r) for r in matrix]
    odd = next((i for i, row in enumerate(rows, 1) if len(row) != len(rows[0])), None)
    if odd is not None:
        raise DataError(f"matrix: row {odd} has {len(rows[odd - 1])} cells where row 1 has {len(rows[0])}.")
    return rows


def row_of(row: Any) -> list[Any]:
    """One row of nested lists."""
    if isinstance(row, str | Mapping) or not isinstance(row, Iterable):
        raise DataError(f"matrix: {brief(row)} is not a row of cells. Give nested lists, items by raters.")
    return list(row)
