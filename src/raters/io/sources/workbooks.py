"""Workbooks of spreadsheets: .xlsx, .xlsm, .xlsb, .xls and .ods, one sheet of them."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from raters.errors import DataError, UsageError, listed
from raters.io.sources.rows import from_columns
from raters.io.table import Table, with_notes

LARGEST = 1 << 30
"""Bytes that a packed workbook may unpack to."""


def load(path: Path, sheet: str | None) -> Table:
    """The sheet that was named, else the first that holds a table; the first row that is not empty has the names."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    unpacks_to(path)
    try:
        book = CalamineWorkbook.from_path(str(path))
        cells = {name: book.get_sheet_by_name(name).to_python() for name in chosen(book.sheet_names, sheet, path.name)}
    except PasswordError:
        raise DataError(f"{path.name}: protected by a password. Save a copy without one.") from None
    except (CalamineError, OSError, ValueError) as error:
        if isinstance(error, UsageError | DataError):
            raise
        raise DataError(
            f"{path.name}: not a workbook that can be read ({' '.join(str(error).split())[:120]})."
        ) from None
    tables = {name: rows for name, found in cells.items() if len(rows := filled(found)) > 1}
    if not tables:
        raise DataError(f"{path.name}: no sheet with a header and rows ({listed(cells)}).")
    name = next(iter(tables))
    others = [other for other in tables if other != name]
    note = (f"read from sheet {name!r}; other sheets with rows: {listed(others)} (choose one with sheet=, --sheet)",)
    return with_notes(table(tables[name], path.name), note if others else ())


def chosen(names: list[str], sheet: str | None, source: str) -> list[str]:
    """The sheet that was asked for, or all."""
    if sheet is not None and sheet not in names:
        raise UsageError(f"{source}: no sheet {sheet!r}; there are: {listed(names, 20)}.")
    return names if sheet is None else [sheet]


def filled(rows: list[list[Any]]) -> list[list[Any]]:
    """The rows that hold anything, empty cells as None."""
    made = [[None if cell == "" else whole(cell) for cell in row] for row in rows]
    return [row for row in made if any(cell is not None for cell in row)]


def whole(cell: Any) -> Any:
    """Spreadsheets hold every number as a float: 3.0 was typed as 3."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53 else cell


def table(rows: list[list[Any]], source: str) -> Table:
    """Columns under the names of the first row; columns without a name and without a value are left out."""
    header, body = rows[0], rows[1:]
    width = max(map(len, rows))
    columns: dict[str, list[Any]] = {}
    for j in range(width):
        values = [row[j] if j < len(row) else None for row in body]
        name = "" if j >= len(header) or header[j] is None else str(header[j]).strip()
        if not name and all(v is None for v in values):
            continue
        name = name or f"column {j + 1}"
        if name in columns:
            raise DataError(f"{source}: column name {name!r} occurs twice. Rename one.")
        columns[name] = values
    return from_columns(columns, source)


def unpacks_to(path: Path) -> None:
    """Refuse what would unpack to far more than a table of labels has."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
        if size > LARGEST:
            raise DataError(f"{path.name}: would unpack to {size / 2**30:.1f} GiB; the limit is 1 GiB. Save it as CSV.")
