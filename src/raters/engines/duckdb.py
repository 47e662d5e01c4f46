"""DuckDB: our own in-memory database for files, frames and rows, or the user's database for their own relation."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import duckdb
import numpy as np
from numpy.typing import NDArray

from raters.annotations import Columns, Engine
from raters.engines.base import hexadecimal, plain_array, with_views
from raters.engines.guards import File, alive, guarded, watched
from raters.errors import UsageError
from raters.writing import brief_folder, private_folder

KINDS = {
    "BOOLEAN": "bool",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"), "int"),
    **dict.fromkeys(("UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM"), "big"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "float"),
}
ROW = re.compile(r"\brow\b")
NUMBERED = "row_number() OVER () AS row"
"""Rows are numbered so that the first of several labels of a rater is known. A filter cannot be moved below that, to
where a file is read.
"""
NESTED = ("STRUCT", "MAP", "UNION", "LIST", "ARRAY", "JSON", "VARIANT")


def kind_of(type_name: str) -> str:
    """``bool int big float text nested`` for the name of a DuckDB type; big: whole numbers beyond 64 bits."""
    if type_name.endswith("]") or type_name.startswith(NESTED):
        return "nested"
    return "float" if type_name.startswith("DECIMAL") else KINDS.get(type_name, "text")


def needs_rows(sql: str) -> bool:
    """Whether a query may use the numbers of rows: it names them, or takes all columns.

    >>> needs_rows("SELECT count(*) FROM annotations"), needs_rows("SELECT * FROM annotations")
    (False, True)
    """
    return bool(ROW.search(sql)) or "*" in sql.replace("count(*)", "")


def unnumbered(view: str) -> str:
    """A view without numbers of rows, if it only hands them on.

    >>> unnumbered("SELECT row, a FROM (SELECT row_number() OVER () AS row, * FROM source AS t(a)) AS s")
    'SELECT row, a FROM (SELECT 0 AS row, * FROM source AS t(a)) AS s'
    """
    handed_on = view.replace(NUMBERED, "").replace("SELECT row,", "")
    used = ROW.search(handed_on) or "DISTINCT" in view or "UNION" in view.replace("UNION ALL", "")
    return view if used else view.replace(NUMBERED, "0 AS row")


Connection = duckdb.DuckDBPyConnection
Relation = duckdb.DuckDBPyRelation

# Nothing is fetched from the network, and a table name in SQL never means a Python variable.
SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
}
ONCE = "NOT MATERIALIZED "
"""Views are part of the query that uses them: no table of all annotations is made on the way."""
_DATABASES: dict[int, Connection] = {}
_LIMITED: ContextVar[Connection | None] = ContextVar("a database with a limit of its own", default=None)
SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]i?B)\s*", re.IGNORECASE)
LEAST_MEMORY = 50_000_000


@contextmanager
def limited(size: str) -> Iterator[None]:
    """Tables that are made within share a database of their own that takes at most ``size`` of memory (``"500MB"``,
    ``"2GB"``): what does not fit goes to its private folder. The limit ends with the last of these tables.
    """
    found = SIZE.fullmatch(size)
    limit = bytes_of(found) if found else 0.0
    if limit < LEAST_MEMORY:
        raise UsageError(f"memory={size!r}: pass a size of at least 50MB, such as '500MB' or '2GB'.")
    token = _LIMITED.set(started({"memory_limit": f"{int(limit)}B"}))
    try:
        yield
    finally:
        _LIMITED.reset(token)


def bytes_of(size: re.Match[str]) -> float:
    """The number of bytes that a match of ``SIZE`` says."""
    unit = size.group(2).upper()
    return float(float(size.group(1)) * (1024 if "I" in unit else 1000) ** (1 + "KMGT".index(unit[0])))


def started(more: Mapping[str, str | bool | int | float | list[str]]) -> Connection:
    """A new in-memory database, with a place of its own for what does not fit in memory."""
    folder = str(private_folder() / uuid4().hex)
    return duckdb.connect(":memory:", config={**SETTINGS, "temp_directory": folder, **more})


def connect() -> Connection:
    """A separate connection to our in-memory database, which is started once: starting it takes longer than reading a
    small table.

    What is registered with it, and its temporary tables, are visible only to it and disappear with it. A forked process
    has its own database, since no thread of its parent survives in it; so does a process whose database was ended by a
    damaged file. Within :func:`limited` the connection is to the database that has the limit.
    """
    if (limited_database := _LIMITED.get()) is not None:
        return watched(limited_database.cursor())
    process = os.getpid()
    if process in _DATABASES and not alive(_DATABASES[process]):
        del _DATABASES[process]
    if process not in _DATABASES:
        _DATABASES.setdefault(process, started({}))
    return watched(_DATABASES[process].cursor())


class DuckDBEngine:
    """Runs SQL in DuckDB. The view is an SQL text; nothing runs in the database before a query.

    With ``connection`` the database is ours; with ``relation``, it is the user's, in which nothing is created or
    changed.
    """

    def __init__(
        self,
        view: str,
        connection: Connection | None = None,
        relation: tuple[str, Relation] | None = None,
        lock: AbstractContextManager[Any] | None = None,
        file: File | None = None,
        lasting: bool = False,
    ) -> None:
        self._view = view
        self._lasting = lasting  # whether the sources are read again after the rows are stored
        self._connection = connection
        self._relation = relation  # and its name in the SQL text
        self._lock = lock or threading.RLock()  # shared by all engines of the connection
        self._file = file  # the file that the view still reads
        self._process = os.getpid()

    @property
    def name(self) -> str:
        return "duckdb"

    @property
    def room(self) -> int:
        return 500_000 if self._connection is not None else 2_000  # otherwise it is written out as SQL

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any]) -> Self:
        """A table of our own from columns, which may be numpy arrays of numbers, or of text and None."""
        return cls.from_object(dict(columns), columns)

    @classmethod
    def from_object(cls, source: Any, columns: Mapping[str, Any] | list[str]) -> Self:
        """A view of a frame (or a dict of arrays), with columns renamed by position to the given names."""
        connection = connect()
        connection.register("source", source)
        return cls.from_source(connection, columns)

    @classmethod
    def from_source(cls, connection: Connection, columns: Iterable[str], file: File | None = None) -> Self:
        """The table or view ``source`` of a connection of ours, its columns renamed by position to those given.

        ``file``: the file that the view reads at each query, if it holds no rows itself.
        """
        names = ", ".join(quoted(c) for c in columns)
        return cls(f"SELECT {NUMBERED}, * FROM source AS t({names})", connection, file=file)

    @classmethod
    def from_loaded(cls, connection: Connection) -> Self:
        """The table ``source`` that a reader has loaded into a database of our own."""
        return cls("SELECT rowid + 1 AS row, * FROM source", connection)

    @classmethod
    def from_relation(cls, relation: Relation, columns: Iterable[str], file: File | None = None) -> Self:
        """A relation in the user's database (or in ``file``), with columns renamed by position to the given names."""
        view = f"raters_{uuid4().hex}"  # a name that no table of theirs can have
        names = ", ".join(quoted(c) for c in columns)
        text = f"SELECT {NUMBERED}, * FROM {view} AS t({names})"
        return cls(text, relation=(view, relation), file=file)

    def quote(self, name: str) -> str:
        return quoted(name)

    def text(self, value: str) -> str:
        return f"decode(unhex('{hexadecimal(value)}'))"

    def repeated(self, count: str) -> str:
        return f"(SELECT *, unnest(range(CAST({count} AS BIGINT))) + 1 AS copy FROM annotations)"

    def kinds(self) -> dict[str, str]:
        with self._alone():
            described = self._run(f"SELECT * FROM ({self._view}) AS v LIMIT 0").description
        return {name: kind_of(str(type_)) for name, type_, *_ in described}

    def derive(self, sql: str, **tables: Mapping[str, NDArray[Any]]) -> Self:
        views = {"annotations": self._view} | {name: self._kept(columns) for name, columns in tables.items()}
        return self._like(with_views(sql, views, ONCE))

    def _like(self, view: str) -> Self:
        made = type(self)(view, self._connection, self._relation, self._lock, self._file, self._lasting)
        made._process = self._process
        return made

    def lasting(self) -> Self:
        made = self._like(self._view)
        made._lasting = True
        return made

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Run one query at a time, on unchanged rows."""
        with guarded(self._process, self._file), self._lock:
            yield

    def _kept(self, columns: Mapping[str, NDArray[Any]]) -> str:
        """SQL of a small table that stays: stored in a database of our own, written out for the user's."""
        if self._connection is None:
            return self._values(columns)
        name = f"raters_{uuid4().hex}"
        with self._alone(), self._registered({"incoming": columns}):
            self._connection.execute(f"CREATE TEMP TABLE {name} AS SELECT * FROM incoming")
        return f"SELECT * FROM {name}"

    def copied(self, sql: str) -> Self | None:
        """The rows that a query gives, as a table of their own in our database; None in the user's, where nothing is
        created.
        """
        if self._connection is None:
            return None
        name = f"raters_{uuid4().hex}"
        with self._alone():
            self._connection.execute(f"CREATE TEMP TABLE {name} AS {with_views(sql, self._views(sql), ONCE)}")
        return self._like(f"SELECT * FROM {name}")

    def stored(self) -> Self:
        if self._connection is None:
            return self
        name = f"raters_{uuid4().hex}" if self._lasting else "stored"
        with self._alone():
            self._connection.execute(f"CREATE TEMP TABLE {name} AS {self._view}")
            if not self._lasting:
                self._connection.execute("DROP TABLE IF EXISTS source")
        return self._like(f"SELECT * FROM {name}")

    def query(self, sql: str, **tables: Mapping[str, NDArray[Any]]) -> Columns:
        views = self._views(sql)
        with self._alone():
            if self._connection is None:
                written = {name: self._values(columns) for name, columns in tables.items()}
                return fetched(self._run(with_views(sql, views | written, ONCE)))
            with self._registered(tables):
                return fetched(self._run(with_views(sql, views, ONCE)))

    def _views(self, sql: str) -> dict[str, str]:
        """The view as a query needs it: without numbers of rows, which no filter passes on its way to the file, if it
        asks for none.
        """
        return {"annotations": self._view if needs_rows(sql) else unnumbered(self._view)}

    @contextmanager
    def _registered(self, tables: Mapping[str, Mapping[str, NDArray[Any]]]) -> Iterator[None]:
        """Small tables in our database, for the duration of one query."""
        connection = self._connection
        if connection is None:
            raise TypeError("nothing is registered in the user's database")
        for name, columns in tables.items():
            connection.register(name, {k: registrable(v) for k, v in columns.items()})
        try:
            yield
        finally:
            for name in tables:
                connection.unregister(name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled with its rows; rows in the user's database stay there."""
        if self._connection is None:
            raise UsageError(
                "a table over a DuckDB relation cannot be pickled: its rows are in your own database. Read "
                "relation.df(), or a file, instead."
            )
        with self._alone(), brief_folder() as folder:
            return restored, packed(self._connection, self._view, folder / "rows.parquet")

    def _run(self, sql: str) -> Connection | Relation:
        return self._related(sql) if self._connection is None else self._connection.execute(sql)

    def _related(self, sql: str) -> Relation:
        """The result of an SQL text on the user's relation."""
        relation = self._relation and self._relation[1].query(self._relation[0], sql)
        if relation is None:
            raise TypeError("an SQL text that gives no rows was passed to the engine")
        return relation

    def _values(self, columns: Mapping[str, NDArray[Any]]) -> str:
        """A small table as SQL text, for a database in which we may not register anything."""
        names = ", ".join(quoted(name) for name in columns)
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        cells = [f"({', '.join(self._cell(value) for value in row)})" for row in rows]
        if cells:
            return f"SELECT * FROM (VALUES {', '.join(cells)}) AS t({names})"
        nothing = ", ".join(
            f"CAST(NULL AS {'VARCHAR' if c.dtype.kind in 'OUS' else 'DOUBLE'})" for c in columns.values()
        )
        return f"SELECT * FROM (VALUES ({nothing})) AS t({names}) WHERE false"

    def _cell(self, value: Any) -> str:
        if value is None:
            return "NULL"
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, float):
            return f"CAST('{value!r}' AS DOUBLE)"
        return f"CAST({value!r} AS {'BOOLEAN' if isinstance(value, bool) else 'BIGINT'})"


def packed(connection: Connection, view: str, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The rows of a view as bytes, and the columns whose whole numbers Parquet would turn into floats."""
    described = connection.execute(f"SELECT * FROM ({view}) AS v LIMIT 0").description
    big = tuple(name for name, type_, *_ in described if kind_of(str(type_)) == "big")
    cast = ", ".join(f"CAST({quoted(c)} AS VARCHAR) AS {quoted(c)}" for c in big)
    chosen = f"* REPLACE ({cast})" if big else "*"
    connection.execute(
        f"COPY (SELECT {chosen} FROM ({view}) AS v ORDER BY row) TO {path_literal(path)} (FORMAT parquet)"
    )
    return path.read_bytes(), big


def restored(content: bytes, big: tuple[str, ...]) -> DuckDBEngine:
    """The engine that :func:`packed` wrote, with its rows in our database."""
    connection = connect()
    cast = ", ".join(f"CAST({quoted(c)} AS HUGEINT) AS {quoted(c)}" for c in big)
    chosen = f"* REPLACE ({cast})" if big else "*"
    with brief_folder() as folder:
        path = folder / "rows.parquet"
        path.write_bytes(content)
        connection.execute(
            f"CREATE TEMP TABLE source AS SELECT {chosen} FROM read_parquet({path_literal(path)}, hive_partitioning=false)"
        )
    return DuckDBEngine("SELECT * FROM source", connection)


def quoted(name: str) -> str:
    '''A name as a DuckDB identifier.

    >>> print(quoted('say "hi"'))
    "say ""hi"""
    '''
    return '"' + name.replace('"', '""') + '"'


def registrable(column: NDArray[Any]) -> NDArray[Any]:
    """Text as objects: DuckDB would turn numpy's fixed-width text into an enumeration."""
    return column.astype(object) if column.dtype.kind in "US" else np.ascontiguousarray(column)


def fetched(answer: Connection | Relation) -> Columns:
    """The answer as numpy columns, including HUGEINT sums."""
    return {name: plain_array(values) for name, values in answer.fetchnumpy().items()}


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
            engine._connection.execute(f"COPY ({text}) TO {path_literal(path)} ({how})")


def gathered(paths: Sequence[Path], beside: DuckDBEngine | None = None) -> Connection:
    """A connection of ours whose table ``source`` has the rows of all files, in their order; to the database of
    ``beside``, and so under its limit of memory, if that is ours.
    """
    connection = watched(beside._connection.cursor()) if beside and beside._connection else connect()
    listed = ", ".join(path_literal(path) for path in paths)
    connection.execute(f"CREATE TEMP TABLE source AS SELECT * FROM read_parquet([{listed}], hive_partitioning=false)")
    return connection


def path_literal(path: Path | str) -> str:
    """A path as SQL text: DuckDB wants that of a file to be a literal, where data are spelled in hexadecimal."""
    return "'" + str(path).replace("'", "''") + "'"


def memory_limit(engine: Engine) -> float:
    """The limit of a table in bytes: as set by ``memory=``, otherwise most of the machine's memory."""
    own = engine._connection if isinstance(engine, DuckDBEngine) else None
    said = str((own or connect()).execute("SELECT current_setting('memory_limit')").fetchall()[0][0])
    found = SIZE.fullmatch(said)
    return bytes_of(found) if found else float("inf")
