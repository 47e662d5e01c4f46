"""Rows on their way from one table of our database to another by way of a file: they never are in Python's memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from raters.engines.base import with_views
from raters.engines.duckdb import ONCE, Connection, DuckDBEngine, connect


def spooled(engine: DuckDBEngine, sql: str, path: Path) -> bool:
    """Write what ``sql`` makes of an engine's view to a file; False where the database is not ours."""
    if engine._connection is None:
        return False
    write_parquet(engine, sql, path)
    return True


def write_parquet(engine: DuckDBEngine, sql: str, path: Path) -> None:
    """The same, also from the user's database."""
    text = with_views(sql, {"annotations": engine._view}, ONCE)
    with engine._alone():
        if engine._connection is None:
            engine._related(text).write_parquet(str(path), compression="lz4")
        else:
            how = "FORMAT parquet, COMPRESSION lz4, USE_TMP_FILE false"
            engine._connection.execute(f"COPY ({text}) TO '{_spelled(path)}' ({how})")


def gathered(paths: Sequence[Path]) -> Connection:
    """A connection of ours whose table ``source`` has the rows of all files, in their order."""
    connection = connect()
    listed = ", ".join(f"'{_spelled(path)}'" for path in paths)
    connection.execute(f"CREATE TEMP TABLE source AS SELECT * FROM read_parquet([{listed}], hive_partitioning=false)")
    return connection


def _spelled(path: Path) -> str:
    return str(path).replace("'", "''")
