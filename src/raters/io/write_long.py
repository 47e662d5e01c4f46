"""Write the long table, with one row for each annotation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from raters.annotations import Annotations, Columns
from raters.engines.duckdb import connect, path_literal, quoted, registrable
from raters.writing import csv_text


def long_columns(ann: Annotations) -> Columns:
    """Item, rater, label and the other columns, in the order of the source; labels as they are shown."""
    got = ann.to_columns()
    return {name: array([written(x) for x in values]) for name, values in got.items()}


def array(values: list[Any]) -> Any:
    """Values as an array of objects, sets included."""
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def written(label: Any) -> Any:
    """A label as one cell; a set as text with semicolons."""
    return ";".join(map(str, label)) if isinstance(label, tuple) else label


def as_csv(ann: Annotations) -> bytes:
    """CSV; cells that a spreadsheet would execute as formulas become text."""
    columns = long_columns(ann)
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    return csv_text(list(columns), rows).encode()


def as_parquet(ann: Annotations) -> bytes:
    """Parquet; each column keeps its own type."""
    return parquet_of(long_columns(ann))


def parquet_of(table: Mapping[str, Any]) -> bytes:
    """Columns as a Parquet file."""
    columns = {name: typed(values) for name, values in table.items()}
    connection = connect()
    connection.register("long_table", {f"c{i}": registrable(values) for i, values in enumerate(columns.values())})
    names = ", ".join(f"c{i} AS {quoted(name)}" for i, name in enumerate(columns))
    with TemporaryDirectory(prefix="raters-") as folder:
        target = Path(folder, "table.parquet")
        connection.execute(f"COPY (SELECT {names} FROM long_table) TO {path_literal(target)} (FORMAT parquet)")
        return target.read_bytes()


def typed(values: Any) -> Any:
    """Numbers as numbers, the rest as text."""
    if values.dtype != object:
        return values
    found = values.tolist()
    if all(isinstance(v, int | float) and not isinstance(v, bool) for v in found):
        return np.array(found)
    out = np.empty(len(found), dtype=object)
    out[:] = [None if v is None else str(v) for v in found]
    return out
