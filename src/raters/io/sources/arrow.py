"""Arrow and Feather files, read with pyarrow or polars if one of them is installed."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from raters.errors import DataError, UsageError
from raters.io.sources.frames import from_frame
from raters.io.table import Table


def load(path: Path) -> Table:
    """One file."""
    try:
        frame = opened(path)
    except UsageError:
        raise
    except Exception as error:  # each library has its own errors
        raise DataError(
            f"{path.name}: not an Arrow file that can be read ({' '.join(str(error).split())[:120]})."
        ) from None
    table = from_frame(frame, index=False)
    if table is None:
        raise DataError(f"{path.name}: the file contains no table.")
    return replace(table, source=path.name)


def opened(path: Path) -> Any:
    """The file as a frame of the installed library."""
    if find_spec("pyarrow") is not None:
        import pyarrow.feather

        table = pyarrow.feather.read_table(path, memory_map=False)
        table.validate(full=True)  # offsets that point elsewhere would be followed
        return table
    if find_spec("polars") is not None:
        import polars

        return polars.read_ipc(path)
    raise UsageError(f"{path.name}: Arrow files need pyarrow or polars: pip install pyarrow.")
