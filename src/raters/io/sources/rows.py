"""Rows, columns and matrices of plain Python and numpy."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.engines import DuckDBEngine
from raters.errors import DataError, UsageError, brief
from raters.io.table import Table, is_unicode, positions, unique_names
from raters.notes.note import Note

EXACT = 2**53
"""Whole numbers up to here are exact as floats."""
NOTHING = ("NoneType", "NAType", "NaTType", "MaskedConstant")


@dataclass(frozen=True)
class Column:
    """One column ready for the engine: its values, the type to give them there, and notes about them."""

    values: NDArray[Any]
    cast: str  # SQL type
    nested: bool = False  # lists, written out as text
    mixed: tuple[Any, Any] | None = None  # an example of a number and of a text, where there are both


def column(values: Sequence[Any]) -> Column:
    """The column that Python values make: numbers remain numbers, mixed values become text.

    >>> column([1, None, 2]).cast, column([1, "a", 2]).values.tolist()
    ('BIGINT', ['1', 'a', '2'])
    """
    kinds = {kind_of(t) for t in set(map(type, values))}
    kinds.discard("nothing")
    if "nested" in kinds:
        return Column(texts([None if missing(v) else as_json(v) for v in values]), "VARCHAR", nested=True)
    if kinds <= {"text"}:
        return Column(texts(values), "VARCHAR")
    if kinds == {"bool"}:
        return Column(numbers(values), "BOOLEAN")
    if kinds == {"int"}:
        return whole(values)
    if kinds == {"int", "float"} or kinds == {"float"}:
        return Column(numbers(values), "DOUBLE")
    return Column(texts(values), "VARCHAR", mixed=examples(values))


def whole(values: Sequence[Any]) -> Column:
    """Whole numbers: 64-bit where they fit, exact in any case."""
    present = [v for v in values if v is not None and kind_of(type(v)) == "int"]
    low, high = min(present), max(present)
    if len(present) == len(values) and low >= -(2**63) and high < 2**63:
        return Column(np.array([int(v) for v in values], dtype=np.int64), "BIGINT")
    if max(-low, high) <= EXACT:
        return Column(numbers(values), "BIGINT")
    return Column(texts(values), "VARCHAR")


def numbers(values: Sequence[Any]) -> NDArray[Any]:
    """Numbers as floats, with nan for missing values (DuckDB reads nan in a numpy array as NULL)."""
    if set(map(type, values)) <= {int, float}:
        return np.array(values, dtype=np.float64)
    return np.array([np.nan if missing(v) else float(v) for v in values], dtype=np.float64)


def texts(values: Sequence[Any]) -> NDArray[Any]:
    """Text, with None for missing values."""
    out = np.empty(len(values), dtype=object)
    as_they_are = set(map(type, values)) <= {str, type(None)}
    out[:] = list(values) if as_they_are else [None if missing(v) else written(v) for v in values]
    for text in out:
        if text is not None and not text.isascii():
            check_unicode(text)
    return out


def check_unicode(text: str) -> None:
    """Raise an error for half a surrogate pair, which cannot be encoded in UTF-8."""
    if not is_unicode(text):
        raise DataError(f"{brief(text)} is not valid Unicode text. Decode it again, with the right encoding.")


def written(value: Any) -> str:
    """A value as text; 2.0 and 2 are written in the same way.

    >>> written(2.0), written(np.int64(2)), written("2"), written(True)
    ('2', '2', '2', 'True')
    """
    if isinstance(value, float | np.floating) and float(value).is_integer() and abs(float(value)) <= EXACT:
        return str(int(value))
    return str(value)


def as_json(value: Any) -> str:
    """A list, tuple, array or set as a JSON list (a set in the order of code points); anything else as it is.

    >>> as_json(("b", "a")), as_json({"b", "a"}), as_json("a")
    ('["b", "a"]', '["a", "b"]', '"a"')
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)
    return json.dumps(value, ensure_ascii=False, default=lambda v: v.item() if hasattr(v, "item") else str(v))


def missing(value: Any) -> bool:
    """None, NaN, pandas' NA and NaT. The *text* "nan" is not missing."""
    if type(value).__name__ in NOTHING:
        return True
    return isinstance(value, float | np.floating | Decimal) and value != value


def kind_of(kind: type) -> str:
    """``nothing bool int float text nested`` for a Python type."""
    if kind.__name__ in NOTHING:
        return "nothing"
    if issubclass(kind, bool | np.bool_):
        return "bool"
    if issubclass(kind, int | np.integer):
        return "int"
    if issubclass(kind, float | np.floating | Decimal | Fraction):
        return "float"
    return "nested" if issubclass(kind, list | tuple | set | frozenset | dict | np.ndarray) else "text"


def examples(values: Sequence[Any]) -> tuple[Any, Any] | None:
    """The first number and the first text, where numbers and text are mixed; else the first truth and the first
    number.
    """
    present = [v for v in values if not missing(v)]
    number = next((v for v in present if kind_of(type(v)) in ("bool", "int", "float")), None)
    text = next((v for v in present if kind_of(type(v)) == "text"), None)
    if number is not None and text is not None:
        return number, text
    truth = next((v for v in present if kind_of(type(v)) == "bool"), None)
    number = next((v for v in present if kind_of(type(v)) in ("int", "float")), None)
    return None if truth is None or number is None else (truth, number)


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
    for name, values in columns.items():
        if not hasattr(values, "__len__") or isinstance(values, str | bytes | Mapping):
            raise DataError(
                f"{source}: {brief(name)} holds {brief(values)}, not a list of values. Pass"
                " {'item': [...], 'rater': [...], 'label': [...]}, or rows."
            )
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise DataError(f"{source}: columns of different lengths ({min(lengths)} to {max(lengths)}).")
    made = [array_column(v) if holds_numbers(v) and v.ndim == 1 else column(list(v)) for v in columns.values()]
    return table(made, names, source)


def holds_numbers(values: Any) -> bool:
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


def mixed_note(name: str, number: Any, text: Any) -> Note:
    """A note about a column that mixes numbers and text, or booleans and numbers."""
    if isinstance(number, bool | np.bool_) and not isinstance(text, str):
        return Note("column_mixes_truth", {"column": name, "truth": bool(number), "number": plain(text)})
    return Note("column_mixes", {"column": name, "number": plain(number), "text": plain(text)})


def plain(value: Any) -> Any:
    """A value without numpy's type."""
    return value.item() if hasattr(value, "item") else value


def from_matrix(matrix: Any, raters: str) -> Table:
    """A table with one column per rater (or per label, for counts), from a numpy matrix or nested lists."""
    if isinstance(matrix, np.ndarray) and matrix.ndim != 2:
        raise UsageError(f"matrix: {matrix.ndim} dimension(s) found, 2 needed: items by raters.")
    if holds_numbers(matrix):
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
