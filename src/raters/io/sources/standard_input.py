"""Standard input as a file: its format is detected from the first bytes."""

from __future__ import annotations

import shutil
import sys
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any

from raters.errors import DataError
from raters.writing import private_folder

NAME = "-"
STARTS = {
    b"PAR1": ".parquet",
    b"PK\x03\x04": ".xlsx",
    b"\xd0\xcf\x11\xe0": ".xls",
    b"SQLite format 3": ".sqlite",
    b"ARROW1": ".arrow",
    b"\x1f\x8b": ".csv.gz",
}


def is_standard_input(source: Any) -> bool:
    """Whether a source is ``"-"``."""
    return isinstance(source, str | PathLike) and fspath(source) == NAME


def standard_input() -> Path:
    """All of standard input in a private file, which is deleted when the process ends."""
    stream: IO[bytes] | None = getattr(sys.stdin, "buffer", None)
    if stream is None or sys.stdin.isatty():
        raise DataError("standard input is empty. Pass a file, or redirect one: raters agree - < labels.csv")
    folder = private_folder()
    raw = folder.joinpath("stdin")
    with raw.open("wb") as out:
        shutil.copyfileobj(stream, out, 1 << 20)
    with raw.open("rb") as file:
        start = file.read(4096)
    return raw.rename(folder.joinpath(f"stdin{ending(start)}"))


def ending(start: bytes) -> str:
    """The extension that a file with these first bytes would have.

    >>> ending(b"item,rater,label"), ending(b' {"item": 1}'), ending(b"PAR1...")
    ('.csv', '.json', '.parquet')
    """
    known = next((name for mark, name in STARTS.items() if start.startswith(mark)), None)
    if known is not None:
        return known
    return ".json" if start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[") else ".csv"
