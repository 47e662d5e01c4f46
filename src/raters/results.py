"""What every result provides: a short repr, HTML, plain values and a dataframe."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from html import escape
from typing import Any, TypeVar

from raters.errors import UsageError, listed
from raters.escaping import printable

Row = TypeVar("Row")

SHORT = 160
"""The greatest length of a repr."""


class AmbiguousKeyError(UsageError, KeyError):
    """Several rows of a table have the requested name."""

    def __str__(self) -> str:
        return str(self.args[0])


def row_named(rows: Sequence[Row], names: Sequence[str], key: str) -> Row:
    """The row with this name; an error if none or several have it.

    >>> row_named([1, 2], ["a", "b"], "b")
    2
    """
    found = [row for row, name in zip(rows, names, strict=True) if name == key]
    if len(found) > 1:
        raise AmbiguousKeyError(f"{len(found):,} rows are called {key!r}; use their positions, 0 to {len(rows) - 1}.")
    if found:
        return found[0]
    raise no_row(key, names)


def no_row(key: object, names: Sequence[str]) -> KeyError:
    """The error for a name that no row has, with the nearest name."""
    near = get_close_matches(str(key), names, n=1)
    return KeyError(f"no row {key!r}; {f'did you mean {near[0]!r}?' if near else f'the rows are {listed(names)}.'}")


class Result:
    """The base class of results. Subclasses define ``__str__``, ``to_dict`` and ``to_columns``."""

    def __repr__(self) -> str:
        lines = str(self).splitlines() or [""]
        said = lines[0] if len(lines[0]) <= SHORT else lines[0][: SHORT - 1] + "…"
        return f"<{type(self).__name__}: {said}>"

    def _repr_html_(self) -> str:
        return "".join(f"<p>{escape(printable(line))}</p>" for line in str(self).splitlines())

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; undefined numbers are None."""
        raise NotImplementedError

    def to_columns(self) -> dict[str, list[Any]]:
        """Columns for any dataframe: ``pandas.DataFrame(result.to_columns())``; undefined numbers are nan."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """A pandas (else polars) dataframe; without either, ``to_columns()`` gives plain lists."""
        return frame(self.to_columns())


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Rows as columns; a missing number is nan, any other missing value is None.

    >>> columns_of([{"a": 1.5}, {"a": None, "b": "x"}])
    {'a': [1.5, nan], 'b': [None, 'x']}
    """
    names = dict.fromkeys(key for row in rows for key in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    return {name: _numbers(column) for name, column in columns.items()}


def _numbers(column: list[Any]) -> list[Any]:
    there = [x for x in column if x is not None]
    if not there or len(there) == len(column) or not all(type(x) in (int, float) for x in there):
        return column
    return [math.nan if x is None else x for x in column]


def frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Columns as a pandas (else polars) dataframe."""
    try:
        import pandas
    except ImportError:
        try:
            import polars
        except ImportError:
            raise ImportError(
                "to_frame needs pandas or polars: pip install pandas; to_columns() needs neither."
            ) from None
        return polars.DataFrame(columns, strict=False)
    return pandas.DataFrame(columns)


def plain(value: Any) -> Any:
    """A value as a plain Python object: numpy numbers become Python's, tuples become lists; nan stays nan."""
    if hasattr(value, "item") and not isinstance(value, (str, bytes)) and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def jsonable(value: Any) -> Any:
    """A value ready for JSON: nan and infinity become None, tuples become lists, numpy numbers become Python's."""
    if hasattr(value, "item") and not isinstance(value, (str, bytes)) and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(k): jsonable(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(v) for v in value]
    return value


def shown(value: Any, digits: int = 4) -> str:
    """A number as text: 4 digits, whole numbers with thousands separators, nan as 'undefined'.

    >>> shown(0.5), shown(12345), shown(-1e-17), shown(-0.04, 1)
    ('0.5000', '12,345', '0.0000', '0.0')
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if not math.isfinite(value):
        return "undefined"
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text  # there is no minus zero


def html_table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table in HTML, everything escaped."""
    heads = "".join(f"<th scope='col'>{escape(printable(str(c)))}</th>" for c in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(printable(str(c)))}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table in plain text, columns aligned, everything printable."""
    head, rows = [printable(c) for c in head], [[printable(c) for c in row] for row in rows]
    widths = [max(len(r[i]) for r in (head, *rows)) for i in range(len(head))]
    return ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in (head, *rows)]
