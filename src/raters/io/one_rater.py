"""A file of one rater's labels that has no column of raters: the rater is given a name."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike, fspath

from raters.io.sources.encodings import AUTO
from raters.io.sources.file_options import file_options
from raters.io.sources.files import from_file
from raters.io.table import Table


def with_rater(
    file: str | PathLike[str],
    name: str,
    *,
    encoding: str = AUTO,
    format: str | None = None,
    delimiter: str | None = None,
) -> Table:
    """The table of a file with one more column, ``rater``, that holds this name."""
    table = from_file(fspath(file), file_options(encoding, format=format, delimiter=delimiter))
    quoted = "'" + name.replace("'", "''") + "'"
    engine = table.engine.derive(f"SELECT *, {quoted} AS c{len(table)} FROM annotations")
    return replace(table, engine=engine, names=(*table.names, "rater"))
