"""Workbooks of spreadsheets: .xlsx, .xlsm, .xlsb, .xls and .ods, one sheet of them."""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path
from typing import Any

from raters.errors import DataError, UsageError, listed
from raters.io.sources.isolated import isolated
from raters.io.sources.rows import from_columns
from raters.io.table import Table, with_notes

LARGEST = 1 << 30
"""Bytes that a packed workbook may unpack to."""
PACKED_RATIO, PACKED_SMALL = 200, 1 << 26
"""Sheets pack 5 to 50 times; what packs far better, and is large, only wants memory."""
CELLS = 20_000_000
"""Most cells of a sheet, the empty ones between others counted."""
DOCTYPE = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:\s|<\?.*?\?>|<!--.*?-->)*<!DOCTYPE", re.DOTALL)
READ = """
from python_calamine import CalamineError, CalamineWorkbook, PasswordError
try:
    book = CalamineWorkbook.from_path(file)
    made = {"names": list(book.sheet_names), "cells": {}}
    wanted = options["sheet"]
    for name in made["names"] if wanted is None else [wanted] if wanted in made["names"] else []:
        sheet = book.get_sheet_by_name(name)
        size = (sheet.end[0] - sheet.start[0] + 1) * (sheet.end[1] - sheet.start[1] + 1) if sheet.start else 0
        if size > options["most"]:
            made = {"large": (name, size)}
            break
        made["cells"][name] = sheet.to_python()
except PasswordError:
    made = {"password": True}
except (CalamineError, OSError, ValueError) as error:
    made = {"error": " ".join(str(error).split())[:120]}
"""


def load(path: Path, sheet: str | None) -> Table:
    """The sheet that was named, else the first that holds a table; the first row that is not empty has the names."""
    looked_through(path)
    made = isolated(READ, path, sheet=sheet, most=CELLS)
    refused(made, path.name)
    if sheet is not None and sheet not in made["names"]:
        raise UsageError(f"{path.name}: no sheet {sheet!r}; there are: {listed(made['names'], 20)}.")
    tables = {name: rows for name, found in made["cells"].items() if len(rows := filled(found)) > 1}
    if not tables:
        raise DataError(f"{path.name}: no sheet with a header and rows ({listed(made['cells'])}).")
    name = next(iter(tables))
    others = [other for other in tables if other != name]
    note = (f"read from sheet {name!r}; other sheets with rows: {listed(others)} (choose one with sheet=, --sheet)",)
    return with_notes(table(tables[name], path.name), note if others else ())


def refused(made: dict[str, Any], source: str) -> None:
    """What the reader of workbooks could not do."""
    if "password" in made:
        raise DataError(f"{source}: protected by a password. Save a copy without one.")
    if "error" in made:
        raise DataError(f"{source}: not a workbook that can be read ({made['error']}).")
    if "large" in made:
        name, size = made["large"]
        raise DataError(
            f"{source}: sheet {name!r} spans {size:,} cells, and {CELLS:,} are the most. Delete the rows and columns "
            "beyond the table, or save it as CSV."
        )


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


def looked_through(path: Path) -> None:
    """Refuse what unpacks to far more than a table of labels has, whatever it says of its size, and XML with entities of its own."""
    if not zipfile.is_zipfile(path):
        return
    unpacked, packed = 0, path.stat().st_size
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                with archive.open(entry) as member:
                    first = True
                    while data := member.read(1 << 20):  # fails where there is more than was said
                        unpacked += len(data)
                        bounded(unpacked, packed, path.name)
                        if first and DOCTYPE.match(data):
                            raise DataError(
                                f"{path.name}: {entry.filename} in it declares a document type, as no spreadsheet program does; "
                                "entities declared there can stand for any amount of text. Open it and save it again."
                            )
                        first = False
    except DataError:
        raise
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError) as error:
        raise DataError(
            f"{path.name}: not a workbook that can be read ({' '.join(str(error).split())[:120]})."
        ) from None


def bounded(unpacked: int, packed: int, source: str) -> None:
    """An error where a workbook is larger than one can be."""
    if unpacked > LARGEST or (unpacked > PACKED_SMALL and unpacked > PACKED_RATIO * packed):
        raise DataError(
            f"{source}: {packed:,} bytes unpack to more than {unpacked:,}; the limit is {PACKED_RATIO} times its size, and 1 GiB. "
            "Save it as CSV if you trust it."
        )
