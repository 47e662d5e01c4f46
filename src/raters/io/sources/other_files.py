"""Arrow and Feather files, read with pyarrow or polars if one of them is installed."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb

from raters.engines.duckdb import SETTINGS, quoted
from raters.engines.guards import File, machine
from raters.errors import DataError, UsageError, listed
from raters.io.sources.frames import from_frame, from_relation
from raters.io.sources.rows import from_columns
from raters.io.sources.workbooks import isolated, whole
from raters.io.table import Table, unique_names, with_notes
from raters.notes.note import Note
from raters.writing import private_folder


def load(path: Path) -> Table:
    """One file."""
    try:
        frame = opened(path)
    except UsageError:
        raise
    except Exception as error:  # each library has its own errors
        machine(error, path.name)
        raise DataError(
            f"{path.name}: not an Arrow file that can be read ({' '.join(str(error).split())[:120]})."
        ) from None
    table = from_frame(frame, index=False)
    if table is None:
        raise DataError(f"{path.name}: the file contains no table.")
    return replace(table, source=path.name)


def opened(path: Path) -> Any:
    """The file as a frame of the installed library."""
    if find_spec("pyarrow") is not None:
        import pyarrow.feather

        table = pyarrow.feather.read_table(path, memory_map=False)
        table.validate(full=True)  # offsets that point elsewhere would be followed
        return table
    if find_spec("polars") is not None:
        import polars

        return polars.read_ipc(path)
    raise UsageError(f"{path.name}: Arrow files need pyarrow or polars: pip install pyarrow.")


MOST = 20_000_000
"""Maximum number of rows of an SQLite table; a view may never end."""


def one_table(tables: Sequence[str], views: Sequence[str], asked: str | None, source: str) -> str:
    """The table or view that was named, or the only table. A view is code written by whoever made the file, so none
    runs unless named.
    """
    if asked is None and len(tables) == 1:
        return tables[0]
    if asked is None or asked not in (*tables, *views):
        what = f"no table {asked!r}" if asked else f"{len(tables)} tables" if tables else "no tables"
        more = f" (and views: {listed(views, 20)})" if views else ""
        raise UsageError(f"{source}: {what}; choose one with sheet='NAME': {listed(tables, 20)}{more}.")
    return asked


def load_duckdb(path: Path, sheet: str | None) -> Table:
    """A table of a DuckDB file, left in place. The file may only be read: it can access no other file and no
    network.
    """
    try:
        settings = SETTINGS | {"temp_directory": str(private_folder()), "enable_external_access": False}
        connection = duckdb.connect(str(path), read_only=True, config=settings)
        listing = "SELECT table_schema, table_name, table_type FROM information_schema.tables ORDER BY ALL"
        found = [
            (name if schema == "main" else f"{schema}.{name}", (schema, name), type_ == "VIEW")
            for schema, name, type_ in connection.execute(listing).fetchall()
        ]
        tables, views = ([said for said, _, view in found if view is is_view] for is_view in (False, True))
        chosen = one_table(tables, views, sheet, path.name)
        where = next(place for said, place, _ in found if said == chosen)
        relation = connection.sql(f"SELECT * FROM {'.'.join(map(quoted, where))}")
        return from_relation(relation, path.name, File.of(path))
    except duckdb.Error as error:
        machine(error, path.name)
        reason = " ".join(str(error).splitlines()[0].replace(str(path), path.name).split())
        raise DataError(f"{path.name}: not a DuckDB file that can be read ({reason[:120]}).") from None


def load_sqlite(path: Path, sheet: str | None) -> Table:
    """A table of an SQLite file."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            listing = (
                "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
                " ORDER BY name"
            )
            found = connection.execute(listing).fetchall()
            tables, views = ([name for name, type_ in found if type_ == kind] for kind in ("table", "view"))
            name = one_table(tables, views, sheet, path.name)
            answer = connection.execute(f"SELECT * FROM {quoted(name)}")
            names = [column[0] for column in answer.description]
            rows = answer.fetchmany(MOST + 1)
    except sqlite3.OperationalError as error:  # of the machine, a lock, or a view: any other is about the file
        raise DataError(f"{path.name}: cannot be read; SQLite says: {' '.join(str(error).split())[:120]}.") from None
    except (sqlite3.Error, OverflowError, UnicodeError) as error:
        raise DataError(
            f"{path.name}: not an SQLite file that can be read ({' '.join(str(error).split())[:120]})."
        ) from None
    if len(rows) > MOST:
        raise DataError(f"{path.name}: table {name!r} has more than {MOST:,} rows. Write it as Parquet or CSV.")
    if not rows:
        raise DataError(f"{path.name}: table {name!r} has no rows.")
    return from_columns(dict(zip(unique_names(names, path.name), zip(*rows, strict=True), strict=True)), path.name)


READ = {".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por", ".dta": "read_dta", ".sas7bdat": "read_sas7bdat",
        ".xpt": "read_xport"}  # fmt: skip
PROGRAM = """
import pyreadstat
try:
    columns, about = getattr(pyreadstat, options["reader"])(file, output_format="dict")
    made = {"names": list(about.column_names), "columns": {name: list(values) for name, values in columns.items()},
            "texts": dict(about.variable_value_labels), "measure": dict(about.variable_measure)}
except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError, TypeError, KeyError, UnicodeError) as error:
    made = {"error": " ".join(str(error).split())[:120]}
"""


def load_statistics_file(path: Path) -> Table:
    """One file, according to its extension."""
    if find_spec("pyreadstat") is None:
        raise UsageError(f"{path.name}: files of SPSS, Stata and SAS need the extra: pip install 'raters[statistics]'.")
    reader = READ.get(path.suffix.lower())
    if reader is None:
        raise UsageError(f"{path.name}: give the file its usual extension: {', '.join(READ)}.")
    found = isolated(PROGRAM, path, reader=reader)
    if "error" in found:
        raise DataError(f"{path.name}: not a file that can be read ({found['error']}).")
    values = {name: [plain(v) for v in found["columns"][name]] for name in found["names"]}
    named = {name: told_apart(found["texts"].get(name, {})) for name in values}
    partly = [n for n, cells in values.items() if named[n] and not set(cells) <= {*named[n], None}]
    made = {n: cells if n in partly else [named[n].get(v, v) for v in cells] for n, cells in values.items()}
    orders = {
        name: tuple(text for _, text in sorted(texts.items()))
        for name, texts in named.items()
        if texts and name not in partly and found["measure"].get(name) == "ordinal"
    }
    notes = tuple(Note("column_partly_labelled", {"column": n}) for n in partly)
    return with_notes(replace(from_columns(made, path.name), orders=orders), notes)


def told_apart(texts: dict[Any, str]) -> dict[Any, str]:
    """Value labels by value; two values with one text stay two labels."""
    often = Counter(texts.values())
    return {v: text if often[text] == 1 else f"{text} ({plain(v)})" for v, text in texts.items()}


def plain(value: Any) -> Any:
    """A cell as a Python value; None if it is missing."""
    if value is None or value != value or value == "":
        return None
    value = value.item() if hasattr(value, "item") else value
    return whole(value)
