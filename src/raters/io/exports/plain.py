"""Combine several plain tables, such as one for each person."""

import os
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from raters.io.columns import best
from raters.io.exports.choosing import from_texts
from raters.io.exports.documents import Document
from raters.io.exports.joining import file_raters
from raters.io.sources.file_options import FileOptions
from raters.io.sources.files import READERS, from_file, together
from raters.io.sources.rows import from_columns
from raters.io.table import Table, with_notes

MOST = 1000
"""Tables of one folder."""


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
    engine = together([Path(os.path.abspath(path)) for path in paths], tables, about)
    made = in_memory(tables, names, about, source) if engine is None else Table(engine, (*names, *about), source)
    notes = dict.fromkeys(note for table in tables for note in table.notes)
    return with_notes(made, (f"{len(tables):,} files make one table", *notes))


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
