"""How far the queries of our database are, for whoever waits for them, and an end to them for whoever does not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from weakref import WeakSet

import duckdb

_WATCHERS: list[object] = []
_CONNECTIONS: WeakSet[duckdb.DuckDBPyConnection] = WeakSet()
_OPEN: WeakSet[duckdb.DuckDBPyConnection] = WeakSet()


@contextmanager
def watching() -> Iterator[None]:
    """Connections that are made within can be asked how far their queries are."""
    mark = object()
    _WATCHERS.append(mark)
    try:
        yield
    finally:
        _WATCHERS.remove(mark)


def watched(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A new connection, which :func:`interrupt_queries` knows, prepared for :func:`share_done` if anyone waits."""
    _OPEN.add(connection)
    if _WATCHERS:
        connection.execute(
            "SET enable_progress_bar = true; SET enable_progress_bar_print = false; SET progress_bar_time = 0"
        )
        _CONNECTIONS.add(connection)
    return connection


def interrupt_queries() -> None:
    """End the queries of our database; each then raises an error in the thread that runs it. It may be called from any thread."""
    for connection in list(_OPEN):
        with suppress(duckdb.Error):  # closed meanwhile
            connection.interrupt()


def share_done() -> float | None:
    """The share of its rows that the running query has read, from 0 to 1; None if no query runs. It may be called from any thread."""
    shares = [share for connection in list(_CONNECTIONS) if (share := _of(connection)) is not None]
    return max(shares, default=None)


def _of(connection: duckdb.DuckDBPyConnection) -> float | None:
    try:
        percent = connection.query_progress()
    except duckdb.Error:  # closed meanwhile
        return None
    return percent / 100 if 0 <= percent <= 100 else None
