"""Files of databases: a table of a DuckDB or SQLite file, read only."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import duckdb

from raters.engines.duckdb import SETTINGS, quoted
from raters.engines.guards import File
from raters.errors import DataError, UsageError, listed
from raters.io.sources.frames import from_relation
from raters.io.sources.rows import from_columns
from raters.io.table import Table, unique_names
from raters.writing import private_folder

MOST = 20_000_000
"""Maximum number of rows of an SQLite table; a view may never end."""


def one_table(tables: Sequence[str], views: Sequence[str], asked: str | None, source: str) -> str:
    """The table or view that was named, or the only table. A view is code written by whoever made the file, so none runs unless named."""
    if asked is None and len(tables) == 1:
        return tables[0]
    if asked is None or asked not in (*tables, *views):
        what = f"no table {asked!r}" if asked else f"{len(tables)} tables" if tables else "no tables"
        more = f" (and views: {listed(views, 20)})" if views else ""
        raise UsageError(f"{source}: {what}; choose one with sheet=NAME (--sheet NAME): {listed(tables, 20)}{more}.")
    return asked


def load_duckdb(path: Path, sheet: str | None) -> Table:
    """A table of a DuckDB file, left in place. The file may only be read: it can access no other file and no network."""
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
        reason = " ".join(str(error).splitlines()[0].replace(str(path), path.name).split())
        raise DataError(f"{path.name}: not a DuckDB file that can be read ({reason[:120]}).") from None


def load_sqlite(path: Path, sheet: str | None) -> Table:
    """A table of an SQLite file."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            listing = "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
            found = connection.execute(listing).fetchall()
            tables, views = ([name for name, type_ in found if type_ == kind] for kind in ("table", "view"))
            name = one_table(tables, views, sheet, path.name)
            answer = connection.execute(f"SELECT * FROM {quoted(name)}")
            names = [column[0] for column in answer.description]
            rows = answer.fetchmany(MOST + 1)
    except (sqlite3.Error, OverflowError, UnicodeError) as error:
        raise DataError(
            f"{path.name}: not an SQLite file that can be read ({' '.join(str(error).split())[:120]})."
        ) from None
    if len(rows) > MOST:
        raise DataError(f"{path.name}: table {name!r} has more than {MOST:,} rows. Write it as Parquet or CSV.")
    if not rows:
        raise DataError(f"{path.name}: table {name!r} has no rows.")
    return from_columns(dict(zip(unique_names(names, path.name), zip(*rows, strict=True), strict=True)), path.name)
