"""DuckDB: our own in-memory database for files, frames and rows, or the user's for a relation of theirs."""

import threading
from collections.abc import Mapping
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Self
from uuid import uuid4

import duckdb
import numpy as np
from numpy.typing import NDArray

from raters.annotations import Columns
from raters.engines.base import hexadecimal, plain_array, with_views

Connection = duckdb.DuckDBPyConnection
Relation = duckdb.DuckDBPyRelation

# Nothing is fetched from the network, and a table name in SQL never means a Python variable.
SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
}
KINDS = {
    "BOOLEAN": "bool",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"), "int"),
    **dict.fromkeys(("UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM"), "big"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "float"),
}
NESTED = ("STRUCT", "MAP", "UNION", "LIST", "ARRAY", "JSON", "VARIANT")


def connect() -> Connection:
    """A database in memory, for one table."""
    return duckdb.connect(":memory:", config=SETTINGS | {"temp_directory": str(Path(gettempdir(), "raters-duckdb"))})


class DuckDBEngine:
    """Runs SQL over a DuckDB relation. With ``connection`` the database is ours; without, it is the user's,
    in which nothing is created or changed.
    """

    def __init__(self, relation: Relation, connection: Connection | None = None, keep: object = None) -> None:
        self._relation = relation
        self._connection = connection
        self._keep = keep  # what the relation reads from must live as long as it does
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return "duckdb"

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any]) -> Self:
        """A table of our own from columns, which may be numpy arrays of numbers, or of text and None."""
        return cls.from_object(dict(columns), columns)

    @classmethod
    def from_object(cls, source: Any, columns: Mapping[str, Any] | list[str]) -> Self:
        """A view of a frame (or a dict of arrays), its columns renamed by position to those given."""
        connection = connect()
        connection.register("source", source)
        names = ", ".join(quoted(c) for c in columns)
        relation = connection.sql(f"SELECT row_number() OVER () AS row, * FROM source AS t({names})")
        return cls(relation, connection, source)

    @classmethod
    def from_loaded(cls, connection: Connection) -> Self:
        """The table ``source`` that a reader has loaded into a database of our own."""
        return cls(connection.sql("SELECT rowid + 1 AS row, * FROM source"), connection)

    def quote(self, name: str) -> str:
        return quoted(name)

    def text(self, value: str) -> str:
        return f"decode(unhex('{hexadecimal(value)}'))"

    def repeated(self, count: str) -> str:
        return f"(SELECT *, unnest(range(CAST({count} AS BIGINT))) + 1 AS copy FROM annotations)"

    def kinds(self) -> dict[str, str]:
        types = (str(t) for t in self._relation.types)
        return {name: kind_of(t) for name, t in zip(self._relation.columns, types, strict=True)}

    def derive(self, sql: str, **tables: Mapping[str, NDArray[Any]]) -> Self:
        text = with_views(sql, {name: self._kept(columns) for name, columns in tables.items()})
        return type(self)(self._query(text), self._connection, self._keep)

    def _kept(self, columns: Mapping[str, NDArray[Any]]) -> str:
        """SQL of a small table that stays: stored in a database of our own, written out for the user's."""
        if self._connection is None:
            return self._values(columns)
        name = f"raters_{uuid4().hex}"
        self._connection.register("incoming", {k: registrable(v) for k, v in columns.items()})
        try:
            self._connection.execute(f"CREATE TABLE {name} AS SELECT * FROM incoming")
        finally:
            self._connection.unregister("incoming")
        return f"SELECT * FROM {name}"

    def stored(self) -> Self:
        if self._connection is None:
            return self
        self._relation.create("stored")
        self._connection.execute("DROP TABLE IF EXISTS source")
        return type(self)(self._connection.table("stored"), self._connection)

    def query(self, sql: str, **tables: Mapping[str, NDArray[Any]]) -> Columns:
        with self._lock:
            if self._connection is None:
                values = {name: self._values(columns) for name, columns in tables.items()}
                return fetched(self._query(with_views(sql, values)))
            for name, columns in tables.items():
                self._connection.register(name, {k: registrable(v) for k, v in columns.items()})
            try:
                return fetched(self._query(sql))
            finally:
                for name in tables:
                    self._connection.unregister(name)

    def _query(self, sql: str) -> Relation:
        # A name that no table of the user's can have; ours is then a name of the SQL text alone.
        view = f"raters_{uuid4().hex}"
        relation = self._relation.query(view, with_views(sql, {"annotations": f"SELECT * FROM {view}"}))
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


def quoted(name: str) -> str:
    '''A name as a DuckDB identifier.

    >>> print(quoted('say "hi"'))
    "say ""hi"""
    '''
    return '"' + name.replace('"', '""') + '"'


def kind_of(type_name: str) -> str:
    """``bool int big float text nested`` for the name of a DuckDB type; big: whole numbers beyond 64 bits."""
    if type_name.endswith("]") or type_name.startswith(NESTED):
        return "nested"
    return "float" if type_name.startswith("DECIMAL") else KINDS.get(type_name, "text")


def registrable(column: NDArray[Any]) -> NDArray[Any]:
    """Text as objects: DuckDB would make an enumeration of numpy's fixed-width text."""
    return column.astype(object) if column.dtype.kind in "US" else np.ascontiguousarray(column)


def fetched(relation: Relation) -> Columns:
    """The answer as numpy columns, HUGEINT sums included."""
    return {name: plain_array(values) for name, values in relation.fetchnumpy().items()}
