"""Several plain tables, such as one for each person, as one."""

from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from raters.io.columns import best
from raters.io.exports.choosing import from_texts
from raters.io.exports.documents import Document
from raters.io.exports.joining import file_raters
from raters.io.sources.files import from_file
from raters.io.sources.rows import from_columns
from raters.io.table import Table


def from_files(paths: Sequence[str | PathLike[str]], encoding: str, format: str | None, sep: str | None) -> Table:
    """The rows of all files; the rater is the file where no column names one."""
    tables = [from_file(fspath(path), encoding, format, sep) for path in paths]
    names = list(dict.fromkeys(name for table in tables for name in table.names))
    who = file_raters([Document(Path(path)) for path in paths])
    columns: dict[str, list[Any]] = {name: [] for name in names}
    raters: list[str] = []
    for table, rater in zip(tables, who, strict=True):
        cells = table.engine.query(f"SELECT {', '.join(table.named())} FROM annotations ORDER BY row")
        n = len(next(iter(cells.values())))
        for name in names:
            columns[name] += cells[table.column(name)].tolist() if name in table.names else [None] * n
        raters += [rater] * n
    if not best(names, "rater"):
        columns["rater"] = raters
    source = f"{tables[0].source} and {len(tables) - 1} more" if len(tables) > 1 else tables[0].source
    return from_texts(columns, source) if all(t.from_text for t in tables) else from_columns(columns, source)
