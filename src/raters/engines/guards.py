"""Checks between a query and its rows: the process that created it, the file it still reads, the machine's limits."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakSet

import duckdb

from raters.errors import DataError, UsageError, interrupted

OURS = (duckdb.BinderException, duckdb.ParserException, duckdb.CatalogException)
"""Errors in our SQL, never in a file."""

OF_THE_SYSTEM = (errno.ENOSPC, errno.EACCES, errno.EPERM, errno.EROFS, errno.EMFILE, errno.EIO, errno.ENOENT)
"""What a system says of a disk or of rights, as DuckDB repeats it."""


@dataclass(frozen=True)
class File:
    """A file that is read again at every query, checked to be unchanged since it was opened."""

    path: Path
    mark: tuple[int, ...]
    others: tuple[File, ...] = ()
    """Further files of the same table."""

    @classmethod
    def of(cls, path: Path, *others: Path) -> File:
        return cls(path, marked(path), tuple(cls(other, marked(other)) for other in others))

    def unchanged(self) -> None:
        """Raise an error if the file has changed since: figures from both versions would be mixed."""
        for other in self.others:
            other.unchanged()
        try:
            same = marked(self.path) == self.mark
        except OSError:
            raise DataError(f"{self.path.name} is gone, and its rows are not in memory. Read it again.") from None
        if not same:
            raise DataError(
                f"{self.path.name} was changed after it was read, so figures would come from two different files. Read"
                " it again."
            )


def marked(path: Path) -> tuple[int, ...]:
    """What identifies a file as unchanged."""
    about = path.stat()
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns


def alive(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether a database still answers: some damaged files crash it, with every table in it."""
    try:
        connection.cursor().execute("SELECT 1")
    except duckdb.Error:
        return False
    return True


def machine(error: BaseException, name: str) -> None:
    """Raise our own error if a reader failed for memory, disk or permission, and not for what is in the file."""
    if isinstance(error, MemoryError | duckdb.OutOfMemoryException):
        raise DataError(
            f"{name}: not enough memory to read it. Allow more (memory=), or use a machine with more memory."
        ) from None
    reason = error.strerror if isinstance(error, OSError) else None
    if isinstance(error, duckdb.IOException):
        reason = next((said for said in map(os.strerror, OF_THE_SYSTEM) if said in str(error)), None)
    if reason:
        raise DataError(f"{name}: cannot be read; the system says: {reason}.") from None


@contextmanager
def guarded(process: int, file: File | None) -> Iterator[None]:
    """Run a query in the same process and on the same file, with our own errors for failures of the file or the
    machine.
    """
    if os.getpid() != process:
        raise UsageError(
            "this table was read before the process was forked, and the database that holds it was not copied. Read it"
            " in the new process, pass it there as an argument, or start processes by 'spawn'."
        )
    if file is not None:
        file.unchanged()
    try:
        yield
    except duckdb.OutOfMemoryException:
        raise DataError(
            "not enough memory for this table. Read fewer columns or rows, or use a machine with more memory."
        ) from None
    except RuntimeError as error:
        if interrupted(error):
            raise KeyboardInterrupt from None
        raise
    except duckdb.Error as error:
        if "invalidated because of a previous fatal error" in str(error):
            raise DataError(
                "the database that held this table was ended by another, damaged file. Read this table again."
            ) from None
        if isinstance(error, OURS) or (file is None and not isinstance(error, duckdb.IOException)):
            raise
        reason = " ".join(str(error).split("\n")[0].split())
        if file is None:
            raise DataError(f"the database failed: {reason}") from None
        file.unchanged()
        reason = reason.split(": ", 1)[-1].replace(str(file.path), file.path.name)
        raise DataError(f"{file.path.name}: damaged, or not what its header says ({reason.strip(' .')}).") from None
    if file is not None:
        file.unchanged()


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
    """End the queries of our database; each then raises an error in the thread that runs it. It may be called from any
    thread.
    """
    for connection in list(_OPEN):
        with suppress(duckdb.Error):  # closed meanwhile
            connection.interrupt()


def share_done() -> float | None:
    """The share of its rows that the running query has read, from 0 to 1; None if no query runs. It may be called from
    any thread.
    """
    shares = [share for connection in list(_CONNECTIONS) if (share := _of(connection)) is not None]
    return max(shares, default=None)


def _of(connection: duckdb.DuckDBPyConnection) -> float | None:
    try:
        percent = connection.query_progress()
    except duckdb.Error:  # closed meanwhile
        return None
    return percent / 100 if 0 <= percent <= 100 else None
