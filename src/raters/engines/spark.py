"""Spark: runs the same SQL over a Spark frame, in the user's session, and leaves nothing behind in it."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self
from uuid import uuid4
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Columns
from raters.engines.base import hexadecimal
from raters.errors import UsageError

KINDS = {
    "boolean": "bool",
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "int"),
    **dict.fromkeys(("float", "double"), "float"),
}
NAMED = re.compile(r"`(?:[^`]|``)*`|'[^']*'|\b(FROM|JOIN)\s+(\w+)\b(?!\.)(\s+AS\s+\w+)?")
FEWEST, EACH = 2, 100_000
"""Partitions of a small table, and rows of one in a larger table."""
NESTED = ("array", "map", "struct", "variant")


class SparkEngine:
    """Runs SQL over a Spark DataFrame."""

    def __init__(self, frame: Any, source: Any = None) -> None:
        self._frame = frame
        self._session = frame.sparkSession
        self._source = source  # held, with the views that the frame is made from, and what Spark keeps of it

    @property
    def name(self) -> str:
        return "spark"

    @property
    def room(self) -> int:
        return 20_000

    @classmethod
    def from_frame(cls, frame: Any, names: list[str]) -> Self:
        """A view of a frame, its columns renamed by position."""
        return cls(frame.toDF(*names)).derive("SELECT monotonically_increasing_id() + 1 AS row, * FROM annotations")

    def __reduce__(self) -> tuple[Any, ...]:
        raise UsageError(
            "a table over a Spark frame cannot be pickled: its rows are in a Spark session. Read frame.toPandas(), or a"
            " file, instead."
        )

    def quote(self, name: str) -> str:
        return quoted(name)

    def text(self, value: str) -> str:
        return f"CAST(unhex('{hexadecimal(value)}') AS STRING)"

    def repeated(self, count: str) -> str:
        return f"(SELECT *, explode(sequence(1L, CAST({count} AS BIGINT))) AS copy FROM annotations WHERE {count} >= 1)"

    def kinds(self) -> dict[str, str]:
        return {name: kind_of(type_name) for name, type_name in self._frame.dtypes}

    def derive(self, sql: str, **tables: Mapping[str, NDArray[Any]]) -> Self:
        if not is_remote(self._frame):
            with self._views(tables) as views:
                return type(self)(self._session.sql(with_names(sql, views)), self)
        # Spark Connect looks names up when a frame is used, not when it is made: its views stay as long as it does
        names = self._made(tables)
        derived = type(self)(self._session.sql(with_names(sql, names)), self)
        finalize(derived, drop, self._session, tuple(names.values()))
        return derived

    def stored(self) -> Self:
        return self

    def lasting(self) -> Self:
        return self

    def persisted(self, together: str, rows: int) -> Self:
        """The view, computed once and kept by Spark as long as this engine or one derived from it is used; rows with
        the same value of a column are in one partition, so that a GROUP BY of that column moves none. ``rows``: how
        many there are; a small table gets few partitions, because each is a task in every query."""
        kept = self._frame.repartition(partitions(self._session, rows), quoted(together)).persist()
        made = type(self)(kept, self)
        finalize(made, release, kept)
        return made

    def query(self, sql: str, **tables: Mapping[str, NDArray[Any]]) -> Columns:
        with self._views(tables) as views:
            answer = self._session.sql(with_names(sql, views)).toArrow()
        return {name: array_of(answer.column(i)) for i, name in enumerate(answer.column_names)}

    def write_parquet(self, path: Path, force: bool) -> Path:
        """The rows as a folder of Parquet files, written by Spark's workers. A path without a scheme is a local one."""
        where = str(path) if "://" in str(path) else path.absolute().as_uri()
        if not force and path.exists():
            raise UsageError(f"{path} exists already; pass force=True to overwrite it, or another name.")
        self._frame.write.mode("overwrite" if force else "error").parquet(where)
        return path

    @contextmanager
    def _views(self, tables: Mapping[str, Mapping[str, NDArray[Any]]]) -> Iterator[dict[str, str]]:
        """Views under names of our own for the time of one query: name in the SQL text -> name of the view."""
        ours = self._made(tables)
        try:
            yield ours
        finally:
            drop(self._session, tuple(ours.values()))

    def _made(self, tables: Mapping[str, Mapping[str, NDArray[Any]]]) -> dict[str, str]:
        """Name in the SQL text -> the view that was made for it."""
        # not the frame itself: dropping a view of it would also release the rows that Spark keeps of it
        frames = {"annotations": self._frame.filter("true")} | {
            name: self._small(columns) for name, columns in tables.items()
        }
        ours = {name: f"raters_{uuid4().hex}" for name in frames}
        for name, frame in frames.items():
            frame.createOrReplaceTempView(ours[name])
        return ours

    def _small(self, columns: Mapping[str, NDArray[Any]]) -> Any:
        """A small table, whose size Spark knows: without it, Spark would send the annotations to the small table
        instead.
        """
        import pyarrow as pa

        arrays = {name: pa.array(column.tolist(), type_of(column)) for name, column in columns.items()}
        return self._session.createDataFrame(pa.table(arrays))


def with_names(sql: str, views: Mapping[str, str]) -> str:
    """The names of views in place of those in FROM and JOIN, which remain as aliases; text in quotes stays as it is.

    With common table expressions instead, Spark would not recognise a frame that it keeps if the frame is itself made
    with some.

    >>> with_names("SELECT a.x, `FROM a` FROM a JOIN b AS c ON c.x = a.x", {"a": "v1", "b": "v2"})
    'SELECT a.x, `FROM a` FROM v1 AS a JOIN v2 AS c ON c.x = a.x'
    """

    def put(found: re.Match[str]) -> str:
        word, name, alias = found.groups()
        return f"{word} {views[name]}{alias or f' AS {name}'}" if name in views else found[0]

    return NAMED.sub(put, sql)


def is_remote(frame: Any) -> bool:
    """Whether a frame belongs to a Spark Connect session."""
    return ".connect." in type(frame).__module__


def partitions(session: Any, rows: int) -> int:
    """How many partitions so many rows need, at most those that the session has for a GROUP BY, whose setting stays as
    it is.
    """
    needed = max(FEWEST, -(-rows // EACH))
    usual = str(session.conf.get("spark.sql.shuffle.partitions", "200"))
    return min(needed, int(usual)) if usual.isdigit() else needed  # some services set "auto"


def drop(session: Any, views: tuple[str, ...]) -> None:
    """Remove views of ours; a session that has ended took them with it."""
    for view in views:
        with suppress(Exception):
            session.catalog.dropTempView(view)


def release(frame: Any) -> None:
    """Free what Spark keeps of a frame; a session that has ended has freed it."""
    with suppress(Exception):
        frame.unpersist()


def quoted(name: str) -> str:
    """A name as a Spark identifier.

    >>> quoted("a`b")
    '`a``b`'
    """
    return "`" + name.replace("`", "``") + "`"


def kind_of(type_name: str) -> str:
    """``bool int float text nested`` for the name of a Spark type."""
    if type_name.startswith(NESTED):
        return "nested"
    return "float" if type_name.startswith("decimal") else KINDS.get(type_name, "text")


def type_of(column: NDArray[Any]) -> str:
    """The Arrow type of a small table's column."""
    return {"b": "bool", "i": "int64", "u": "int64", "f": "float64"}.get(column.dtype.kind, "string")


def array_of(column: Any) -> NDArray[Any]:
    """An Arrow column as a numpy array: NULL as None in text and as nan among numbers."""
    values: NDArray[Any] = column.to_numpy()
    if values.dtype.kind == "O" and len(values) and all(v is None for v in values):
        kind = str(column.type)
        return np.full(len(values), np.nan) if kind.startswith(("int", "double", "float")) else values
    return values
