"""Files of databases: a table of a DuckDB or SQLite file, read only."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import duckdb

from raters.errors import DataError, UsageError, listed
from raters.io.sources.frames import from_relation
from raters.io.sources.rows import from_columns
from raters.io.table import Table


def one_table(names: Sequence[str], asked: str | None, source: str) -> str:
    """The table that was named, or the only one."""
    if asked is None and len(names) == 1:
        return names[0]
    if asked is None or asked not in names:
        what = f"no table {asked!r}" if asked else f"{len(names)} tables" if names else "no tables"
        raise UsageError(f"{source}: {what}; choose one with sheet=NAME (--sheet NAME): {listed(names, 20)}.")
    return asked


def load_duckdb(path: Path, sheet: str | None) -> Table:
    """A table of a DuckDB file; it stays where it is."""
    try:
        connection = duckdb.connect(str(path), read_only=True)
        found = connection.execute("SELECT table_name FROM information_schema.tables ORDER BY table_name").fetchall()
        name = one_table([row[0] for row in found], sheet, path.name)
        quoted = '"' + name.replace('"', '""') + '"'
        return replace(from_relation(connection.sql(f"SELECT * FROM {quoted}")), source=path.name)
    except duckdb.Error as error:
        raise DataError(
            f"{path.name}: not a DuckDB file that can be read ({str(error).splitlines()[0][:120]})."
        ) from None


def load_sqlite(path: Path, sheet: str | None) -> Table:
    """A table of an SQLite file."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            listing = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
            name = one_table([row[0] for row in connection.execute(listing)], sheet, path.name)
            quoted = '"' + name.replace('"', '""') + '"'
            answer = connection.execute(f"SELECT * FROM {quoted}")
            names = [column[0] for column in answer.description]
            rows = answer.fetchall()
    except sqlite3.Error as error:
        raise DataError(f"{path.name}: not an SQLite file that can be read ({error}).") from None
    if not rows:
        raise DataError(f"{path.name}: table {name!r} has no rows.")
    return from_columns(dict(zip(names, zip(*rows, strict=True), strict=True)), path.name)
