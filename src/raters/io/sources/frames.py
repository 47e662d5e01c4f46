"""Dataframes, recognised by narwhals: eager ones are scanned where they are, lazy ones keep their own engine."""

import sys
from collections.abc import Iterable
from typing import Any

import narwhals as nw

from raters.engines import DuckDBEngine
from raters.engines.guards import File
from raters.errors import DataError
from raters.io.sources.rows import Column, column, from_columns, mixed_note
from raters.io.table import Table, positions, unique_names

UNKNOWN = (nw.Object, nw.Unknown, nw.Int128, nw.UInt128)
"""Types that DuckDB does not scan."""
SIMPLE = (nw.String, nw.Boolean, nw.Datetime, nw.Date, nw.Float64, nw.Float32)


def from_frame(native: Any, *, index: bool) -> Table | None:
    """A table from any dataframe narwhals knows; None if this is not one.

    ``index``: a pandas index that is more than row numbers becomes the first column (wide and count tables).
    """
    if type(native).__module__.partition(".")[0] == "pandas" and hasattr(native, "columns"):
        return from_pandas(native, index)
    try:
        frame: Any = nw.from_native(native, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise DataError(f"{type(native).__name__}: {' '.join(str(error).split())}. Rename one.") from None
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        return None
    kind: nw.Implementation = frame.implementation
    source = f"{kind.name.lower()} frame"
    if kind is nw.Implementation.DUCKDB:
        return from_relation(native)
    if kind.is_spark_like() and kind is not nw.Implementation.SQLFRAME:
        return from_spark(native)
    eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    if kind.is_pandas_like():
        return from_pandas(eager.to_pandas(), index)
    if any(isinstance(dtype, UNKNOWN) for dtype in eager.schema.values()):
        return from_columns({name: eager[name].to_list() for name in eager.columns}, source)
    ours = Stream(eager.to_native()) if kind.is_polars() else eager.to_native()
    names = unique_names(eager.columns, source)
    return Table(scanned(ours, len(names)), names, source, orders=orders(names, eager.schema.values()))


def orders(names: Iterable[str], types: Iterable[Any]) -> dict[str, tuple[Any, ...]]:
    """The categories of each column that has an order: an ordered pandas categorical, a polars enum."""
    found = zip(names, types, strict=True)
    return {name: tuple(dtype.categories) for name, dtype in found if isinstance(dtype, nw.Enum)}


class Stream:
    """A frame as a plain Arrow stream, which DuckDB reads without pyarrow."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._frame.__arrow_c_stream__(requested_schema)


def scanned(native: Any, n: int) -> DuckDBEngine:
    """DuckDB over a frame in memory, its columns by position."""
    return DuckDBEngine.from_object(native, positions(n))


def from_relation(relation: Any, source: str = "DuckDB relation", file: File | None = None) -> Table:
    """A DuckDB relation stays lazy, in the user's own database, or in the file of one."""
    names = unique_names(relation.columns, source)
    return Table(DuckDBEngine.from_relation(relation, positions(len(names)), file), names, source)


def from_spark(frame: Any) -> Table:
    """A Spark frame stays lazy, in the user's own session."""
    from raters.engines.spark import SparkEngine

    names = unique_names(frame.columns, "Spark frame")
    return Table(SparkEngine.from_frame(frame, positions(len(names))), names, "Spark frame")


def copies_change() -> bool:
    """Whether a shallow copy of a frame would change with the user's frame: pandas copies on write from version 3 on."""
    module = sys.modules.get("pandas")
    return not hasattr(module, "__version__") or int(module.__version__.split(".")[0]) < 3  # type: ignore[union-attr]


def from_pandas(frame: Any, index: bool) -> Table:
    """A pandas frame: columns of Python objects and categories are inspected value by value, and the others are
    scanned.
    """
    if index and not (type(frame.index).__name__ == "RangeIndex" and frame.index.name is None):
        frame = frame.reset_index()
    names = unique_names(frame.columns, "pandas frame")
    c = positions(len(names))
    ours = frame.copy(deep=copies_change())
    ours.columns = c
    types = nw.from_native(ours).schema
    made: dict[str, Column] = {}
    for place in c:
        if not (types[place].is_integer() or isinstance(types[place], SIMPLE)):
            made[place] = column(ours[place].tolist())
            ours[place] = made[place].values
    casts = ", ".join(f"CAST({p} AS {made[p].cast}) AS {p}" if p in made else p for p in c)
    engine = scanned(ours, len(c)).derive(f"SELECT row, {casts} FROM annotations")
    by_name = {names[c.index(p)]: col for p, col in made.items()}
    mixed = {name: mixed_note(name, *col.mixed) for name, col in by_name.items() if col.mixed is not None}
    nested = tuple(name for name, col in by_name.items() if col.nested)
    ordered = orders(names, (types[place] for place in c))
    return Table(engine, names, "pandas frame", mixed=mixed, nested=nested, orders=ordered)
