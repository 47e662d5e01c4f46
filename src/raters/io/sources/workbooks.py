"""One sheet of a spreadsheet workbook: .xlsx, .xlsm, .xlsb, .xls or .ods."""

from __future__ import annotations

import json
import pickle
import re
import signal
import subprocess
import sys
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

from raters.engines.guards import machine
from raters.errors import DataError, UsageError, listed
from raters.io.sources.header import SAMPLE, find_header
from raters.io.sources.rows import from_columns
from raters.io.table import Table, again, best, with_notes
from raters.notes.note import Note

MEMORY = 4 << 30
"""Address space that a reader may use, in bytes, if the system can enforce a limit."""
PATIENCE, EACH_MEGABYTE = 10, 10
"""Seconds of the processor after which a reader is stopped, and how many more for each megabyte of the file."""
WAITING = 60
"""How often as many seconds may pass, on a machine that does other work."""
OUT_OF_TIME = tuple(-int(s) for name in ("SIGXCPU", "SIGKILL") if (s := getattr(signal, name, None)) is not None)
START = """
import json, pickle, sys
given = json.load(sys.stdin)
sys.path[:] = given["path"]
try:
    import resource
    limit = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = given["memory"] if limit < 0 else min(given["memory"], limit)
    resource.setrlimit(resource.RLIMIT_AS, (most, limit))
    resource.setrlimit(resource.RLIMIT_CPU, (given["seconds"], given["seconds"] + 1))  # also if nobody waits for it any more
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
except (ImportError, ValueError, OSError):
    pass
file, options = given["file"], given["options"]
"""
END = """
sys.stdout.buffer.write(pickle.dumps(made, protocol=5))
sys.stdout.buffer.flush()
"""
"""A reader is a program text between these two: from ``file`` and ``options`` to ``made``, plain values."""


def isolated(program: str, path: Path, **options: Any) -> Any:
    """The result of a small program for a file. Its own errors are returned as values; if it crashes, we raise an error
    that says so.
    """
    seconds = PATIENCE + EACH_MEGABYTE * (path.stat().st_size >> 20)
    given = {"path": sys.path, "memory": MEMORY, "seconds": seconds, "file": str(path), "options": options}
    if not sys.executable:
        raise UsageError(f"{path.name}: this format needs a Python program to start. Save the file as CSV.")
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", START + program + END],
            input=json.dumps(given).encode(),
            capture_output=True,
            timeout=seconds * WAITING,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise endless(path, seconds) from None
    if done.returncode in OUT_OF_TIME:
        raise endless(path, seconds)
    if done.returncode:
        raise DataError(f"{path.name}: {why(done.stderr.decode(errors='replace'))}")
    return pickle.loads(done.stdout)


def endless(path: Path, seconds: int) -> DataError:
    """A file with which the reader did not come to an end."""
    return DataError(f"{path.name}: damaged, or too large: it could not be read in {seconds} s. Save it as CSV.")


def why(said: str) -> str:
    """The last message of a reader that died, in one line."""
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith((" ", "note:", "stack"))]
    if any("emory" in line for line in lines):
        return (
            f"needs more than {MEMORY >> 30} GiB of memory; a single cell far away from the others can cause this. "
            "Delete the rows and columns beyond the table, or save it as CSV."
        )
    return (
        "damaged, or not in the format that its name suggests (the reader stopped:"
        f" {' '.join(' '.join(lines[-1:]).split())[:120]})."
    )


LARGEST = 1 << 30
"""Maximum size of an unpacked workbook, in bytes."""
PACKED_RATIO, PACKED_SMALL = 200, 1 << 26
"""Sheets compress 5 to 50 times; a large file that compresses far better only serves to exhaust memory."""
CELLS = 20_000_000
"""Maximum number of cells of a sheet, including the empty ones between others."""
DOCTYPE = re.compile(rb"\A(?:\xef\xbb\xbf)?(?>\s+|<\?.*?\?>|<!--.*?-->)*+<!DOCTYPE", re.DOTALL)
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


def load(path: Path, sheet: str | None, header: int | None = None, skip: int = 0) -> Table:
    """The sheet that was named, or else the first that holds a table, or all sheets if each is that of one rater."""
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
    first = table(tables[name], path.name, header, skip)
    every = {name: first}
    for other in others:
        with suppress(DataError, UsageError):
            every[other] = table(tables[other], path.name, header, skip)
    same = {other: made for other, made in every.items() if made.names == first.names}
    if len(same) > 1 and "sheet" not in first.names and not best(first.names, "rater"):
        left = [other for other in others if other not in same]
        about = (Note("sheets_read", {"sheets": list(same), "others": left}),) if left else ()
        return with_notes(one_table(same, path.name), about)
    return with_notes(first, (Note("sheet_read", {"sheet": name, "others": others}),) if others else ())


def one_table(sheets: dict[str, Table], source: str) -> Table:
    """Sheets with the same columns as one table, with one more column, which says on which sheet a row stood."""
    first = next(iter(sheets.values()))
    columns: dict[str, list[Any]] = {"sheet": [], **{name: [] for name in first.names}}
    for who, made in sheets.items():
        cells = made.engine.query(f"SELECT {', '.join(made.named())} FROM annotations ORDER BY row")
        for place, name in made.named().items():
            columns[name] += [None if v != v else whole(v) for v in cells[place].tolist()]
        columns["sheet"] += [who] * len(next(iter(cells.values())))
    return with_notes(from_columns(columns, source), first.notes)


def refused(made: dict[str, Any], source: str) -> None:
    """Errors of the reader of workbooks."""
    if "password" in made:
        raise DataError(f"{source}: protected by a password. Save a copy without one.")
    if "error" in made:
        raise DataError(f"{source}: not a workbook that can be read ({made['error']}).")
    if "large" in made:
        name, size = made["large"]
        raise DataError(
            f"{source}: sheet {name!r} spans {size:,} cells; the maximum is {CELLS:,}. Delete the rows and columns "
            "beyond the table, or save it as CSV."
        )


def first_rows(path: Path) -> list[list[Any]]:
    """The rows of the first sheet that holds any, as they are; None for empty cells."""
    looked_through(path)
    made = isolated(READ, path, sheet=None, most=CELLS)
    refused(made, path.name)
    return next((rows for found in made["cells"].values() if (rows := filled(found))), [])


def filled(rows: list[list[Any]]) -> list[list[Any]]:
    """The non-empty rows, with None for empty cells."""
    made = [[None if cell == "" else whole(cell) for cell in row] for row in rows]
    return [row for row in made if any(cell is not None for cell in row)]


def whole(cell: Any) -> Any:
    """Spreadsheets hold every number as a float: 3.0 was typed as 3."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53 else cell


def table(rows: list[list[Any]], source: str, asked: int | None, skip: int = 0) -> Table:
    """Columns under their names; columns with neither a name nor a value are omitted."""
    found = find_header(rows[: SAMPLE + 3], asked, skip)
    columns: dict[str, list[Any]] = {}
    for j, name in enumerate(found.names):
        values = [row[j] if j < len(row) else None for row in rows[found.above :]]
        if name in ("", f"column {j + 1}") and all(v is None for v in values):
            continue
        name = name or f"column {j + 1}"
        columns[again(name, columns)] = values
    return with_notes(from_columns(columns, source), found.notes)


END_OF_ODS = b"</office:document-content>"


def looked_through(path: Path) -> None:
    """Refuse files that expand to far more than a table of labels, whatever size they declare, and XML with its own
    entities.
    """
    if not zipfile.is_zipfile(path):
        return
    unpacked, packed = 0, path.stat().st_size
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                with archive.open(entry) as member:
                    first, tail = True, b""
                    while data := member.read(1 << 20):  # fails if there is more than was declared
                        unpacked += len(data)
                        bounded(unpacked, packed, path.name)
                        if first and DOCTYPE.match(data):
                            raise DataError(
                                f"{path.name}: {entry.filename} in it declares a document type, which no spreadsheet"
                                " program does; entities declared there can expand to any amount of text. Open it and"
                                " save it again."
                            )
                        first, tail = False, (tail + data.rstrip() if data.strip() else tail)[-len(END_OF_ODS) :]
                    if (
                        entry.filename == "content.xml" and tail != END_OF_ODS
                    ):  # its reader would wait for the rest for ever
                        raise DataError(
                            f"{path.name}: damaged: {entry.filename} in it has no end. Open it and save it again."
                        )
    except DataError:
        raise
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError) as error:
        machine(error, path.name)
        raise DataError(
            f"{path.name}: not a workbook that can be read ({' '.join(str(error).split())[:120]})."
        ) from None


def bounded(unpacked: int, packed: int, source: str) -> None:
    """Raise an error if a workbook exceeds the limit."""
    if unpacked > LARGEST or (unpacked > PACKED_SMALL and unpacked > PACKED_RATIO * packed):
        raise DataError(
            f"{source}: {packed:,} bytes unpack to more than {unpacked:,}; the limit is {PACKED_RATIO} times its size,"
            " and 1 GiB. Save it as CSV if you trust it."
        )
