"""Workbooks of spreadsheets: .xlsx, .xlsm, .xlsb, .xls and .ods, one sheet of them."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from raters.errors import DataError, UsageError, listed
from raters.io.columns import best
from raters.io.sources.header import SAMPLE, find_header
from raters.io.sources.rows import from_columns
from raters.io.table import Table, with_notes

LARGEST = 1 << 30
"""Bytes that a packed workbook may unpack to."""


def load(path: Path, sheet: str | None, header: int | None = None) -> Table:
    """The sheet that was named, else the first that holds a table, or all of them where each is one rater's."""
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
    first = table(tables[name], path.name, header)
    if others and not best(first.names, "rater"):
        every = {other: table(rows, path.name, header) for other, rows in tables.items()}
        if (
            len({made.names for made in every.values()}) == 1
            and best(first.names, "item")
            and best(first.names, "label")
        ):
            return one_rater_each(every, path.name)
    note = (f"read from sheet {name!r}; other sheets with rows: {listed(others)} (choose one with sheet=, --sheet)",)
    return with_notes(first, note if others else ())


def one_rater_each(sheets: dict[str, Table], source: str) -> Table:
    """Sheets with the same columns, none of which names a rater, as one table: the rater is the sheet."""
    first = next(iter(sheets.values()))
    columns: dict[str, list[Any]] = {"rater": [], **{name: [] for name in first.names}}
    for who, made in sheets.items():
        cells = made.engine.query(f"SELECT {', '.join(made.named())} FROM annotations ORDER BY row")
        for place, name in made.named().items():
            columns[name] += [None if v != v else whole(v) for v in cells[place].tolist()]
        columns["rater"] += [who] * len(next(iter(cells.values())))
    note = f"one sheet for each rater, each with the same columns: {listed(sheets, 6)}; to read one alone: sheet= (--sheet)"
    return with_notes(from_columns(columns, source), (note, *first.notes))


def chosen(names: list[str], sheet: str | None, source: str) -> list[str]:
    """The requested sheet, or all of them."""
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


def table(rows: list[list[Any]], source: str, asked: int | None) -> Table:
    """Columns under their names; columns without a name and without a value are left out."""
    found = find_header(rows[: SAMPLE + 3], asked)
    columns: dict[str, list[Any]] = {}
    for j, name in enumerate(found.names):
        values = [row[j] if j < len(row) else None for row in rows[found.above :]]
        if name in ("", f"column {j + 1}") and all(v is None for v in values):
            continue
        name = name or f"column {j + 1}"
        if name in columns:
            raise DataError(f"{source}: column name {name!r} occurs twice. Rename one.")
        columns[name] = values
    return with_notes(from_columns(columns, source), found.notes)


def unpacks_to(path: Path) -> None:
    """Refuse what would unpack to far more than a table of labels has."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
        if size > LARGEST:
            raise DataError(f"{path.name}: would unpack to {size / 2**30:.1f} GiB; the limit is 1 GiB. Save it as CSV.")
