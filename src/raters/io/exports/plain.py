"""Combine several plain tables, such as one for each person."""

import os
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from raters.engines import DuckDBEngine
from raters.engines.duckdb import gathered, spooled
from raters.io.columns import best
from raters.io.exports.choosing import from_texts
from raters.io.exports.documents import Document
from raters.io.exports.joining import file_raters
from raters.io.sources.file_options import FileOptions
from raters.io.sources.files import READERS, from_file, together
from raters.io.sources.rows import from_columns
from raters.io.table import Table, positions, with_notes
from raters.writing import brief_folder

MOST = 1000
"""Tables of one folder."""
TYPES = {"bool": "BOOLEAN", "int": "BIGINT", "float": "DOUBLE", "text": "VARCHAR"}
"""Kinds of columns that the database can put together."""


def from_files(paths: Sequence[str | PathLike[str]], options: FileOptions) -> Table:
    """The rows of all files; if no column names the rater, it is the file or its folder. Both are kept as columns."""
    tables = [from_file(fspath(path), options) for path in paths]
    names = list(dict.fromkeys(name for table in tables for name in table.names))
    who = file_raters([Document(Path(path), "", (Path(os.path.abspath(path)).parent.name,)) for path in paths])
    about = {"file": [Path(path).name for path in paths]}
    if not best(names, "rater"):
        about["rater"] = who
    about = {name: values for name, values in about.items() if name not in names}
    source = f"{tables[0].source} and {len(tables) - 1} more" if len(tables) > 1 else tables[0].source
    notes = dict.fromkeys(note for table in tables for note in table.notes)
    engine = together([Path(os.path.abspath(path)) for path in paths], tables, about)
    made = (
        Table(engine, (*names, *about), source)
        if engine is not None
        else in_database(tables, names, about, source) or in_memory(tables, names, about, source)
    )
    return with_notes(made, (f"{len(paths):,} files make one table", *notes))


def in_database(
    tables: Sequence[Table], names: Sequence[str], about: Mapping[str, Sequence[str]], source: str
) -> Table | None:
    """The rows of all tables, each column of one kind, put together by the database, which spills; None if that cannot be."""
    types = column_types(tables, names)
    if types is None:
        return None
    with brief_folder() as folder:
        parts = []
        for i, t in enumerate(tables):
            sql = same_columns(t, types, [values[i] for values in about.values()])
            parts.append(folder / f"{i}.parquet")
            if not isinstance(t.engine, DuckDBEngine) or not spooled(t.engine, sql, parts[-1]):
                return None
        connection = gathered(parts)
    return Table(DuckDBEngine.from_loaded(connection), (*names, *about), source, from_text=tables[0].from_text)


def column_types(tables: Sequence[Table], names: Sequence[str]) -> dict[str, str] | None:
    """The SQL type of each column, if all tables that have it agree and nothing else has to be known about them."""
    if any(t.mixed or t.nested or t.orders or t.numbered or t.from_text != tables[0].from_text for t in tables):
        return None
    kinds = {name: {t.kinds[t.column(name)] for t in tables if name in t.names} for name in names}
    if not all(len(found) == 1 and found <= TYPES.keys() for found in kinds.values()):
        return None
    return {name: TYPES[found.pop()] for name, found in kinds.items()}


def same_columns(table: Table, types: Mapping[str, str], about: Sequence[str]) -> str:
    """SQL: the rows with all columns (empty if the table lacks them), then what is known about the file."""
    cells = [f"CAST({table.column(n) if n in table.names else 'NULL'} AS {type_})" for n, type_ in types.items()]
    cells += [table.engine.text(value) for value in about]
    chosen = ", ".join(f"{cell} AS {c}" for cell, c in zip(cells, positions(len(cells)), strict=True))
    return f"SELECT {chosen} FROM annotations ORDER BY row"


def in_memory(tables: Sequence[Table], names: Sequence[str], about: Mapping[str, Sequence[str]], source: str) -> Table:
    """The rows of all tables, whatever their columns, combined in memory."""
    columns: dict[str, list[Any]] = {name: [] for name in [*names, *about]}
    for i, table in enumerate(tables):
        cells = table.engine.query(f"SELECT {', '.join(table.named())} FROM annotations ORDER BY row")
        n = len(next(iter(cells.values())))
        for name in names:
            columns[name] += cells[table.column(name)].tolist() if name in table.names else [None] * n
        for name, values in about.items():
            columns[name] += [values[i]] * n
    return from_texts(columns, source) if all(t.from_text for t in tables) else from_columns(columns, source)


def tables_in(folder: Path) -> list[Path]:
    """The tables in a folder and its subfolders, by extension, if all have the same columns."""
    endings = {ending for row in READERS.values() for ending in row.endings}
    found = [
        path
        for pattern in ("*", "*/*")
        for path in sorted(folder.glob(pattern))
        if path.is_file()
        and not path.name.startswith(".")
        and Path(path.name.removesuffix(".gz")).suffix.lower() in endings
    ]
    return found if 0 < len(found) <= MOST else []
