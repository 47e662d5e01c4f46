"""Any source behind an engine: files, several files, frames, rows, columns, matrices. Readers are imported when they are needed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from raters.errors import UsageError
from raters.io.sources.file_options import FileOptions
from raters.io.table import Table


def opened(source: Any, layout: str, raters: str, options: FileOptions) -> Table:
    """The source behind an engine."""
    if isinstance(source, Table):
        return source
    if isinstance(source, list | tuple):
        from raters.io.exports.plain import from_files
        from raters.io.exports.recognising import is_paths

        if is_paths(source):
            return from_files(source, options)
    if isinstance(source, str | PathLike):
        from raters.io.exports.plain import from_files, tables_in
        from raters.io.sources.files import from_file

        inside = tables_in(Path(source)) if os.path.isdir(source) else []
        return from_files(inside, options) if inside else from_file(fspath(source), options)
    if not isinstance(source, np.ndarray | list | tuple | dict):
        from raters.io.sources.frames import from_frame

        table = from_frame(source, index=layout not in ("auto", "long"))
        if table is not None:
            return table
    return from_python(source, layout, raters)


def from_python(source: Any, layout: str, raters: str) -> Table:
    """Rows, columns, or a matrix."""
    from raters.io.sources.rows import from_columns, from_matrix, from_rows

    if isinstance(source, Mapping):
        return from_columns(source, "columns")
    if not isinstance(source, Iterable) or isinstance(source, bytes):
        kind = type(source).__name__
        if kind == "DuckDBPyConnection":
            raise UsageError(
                "a connection may hold many tables. Pass one of them, also of an attached database: connection.table('labels'), "
                "or the result of a query: connection.sql('SELECT ...')."
            )
        raise UsageError(f"cannot read {kind}. Pass a path, a dataframe, rows, or a matrix.")
    if layout not in ("auto", "long"):
        first = source[0] if isinstance(source, list | tuple) and source else None
        return from_rows(source) if isinstance(first, Mapping) else from_matrix(source, raters)
    if isinstance(source, np.ndarray) and source.dtype.names is None:
        raise UsageError(
            "the rows and columns of a matrix have no names. Pass layout='wide' (items by raters), 'counts' or 'contingency'."
        )
    return from_rows(source)
