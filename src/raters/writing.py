"""Files, written whole or not at all; rows as CSV; and text from strangers, made safe to show."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from raters.errors import UsageError


def refuse_existing(path: Path, force: bool) -> None:
    """No file is overwritten unless that was asked for."""
    if path.exists() and not force:
        raise UsageError(f"{path} exists already; pass force=True (--force) to overwrite it, or another name.")


def write_whole(path: Path, content: bytes, force: bool = False) -> Path:
    """All of it, or nothing: written beside its place and then renamed, so that the file is never half there."""
    refuse_existing(path, force)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(content)
        os.replace(beside, path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}.") from None
    finally:
        beside.unlink(missing_ok=True)
    return path


def csv_text(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV under their names: None is an empty cell, lists are joined by ``; ``, and no cell is run by a spreadsheet.

    >>> csv_text(["item", "note"], [("q1", "=1+1"), ("q2", None), ("q3", ["a", "b"])])
    "item,note\\nq1,'=1+1\\nq2,\\nq3,a; b\\n"
    """
    lines: list[str] = []
    # cells are quoted where they hold a character of the line's end, and a return alone ends a line for many readers
    writer = csv.writer(SimpleNamespace(write=lines.append), lineterminator="\r\n")
    writer.writerow([_cell(name) for name in names])
    writer.writerows([_cell(value) for value in row] for row in rows)
    return "".join(f"{line[:-2]}\n" for line in lines)


def _cell(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        value = "; ".join(map(str, value))
    return harmless(value) if isinstance(value, str) else "" if value is None else value


def harmless(text: str) -> str:
    """Text that no spreadsheet takes for a formula: a leading quote before = + - @ tab and return.

    >>> harmless("=1+1"), harmless("yes")
    ("'=1+1", 'yes')
    """
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def printable(text: str) -> str:
    """Text from strangers without control characters or marks that turn the writing direction.

    >>> printable("ok \\x07")
    'ok �'
    """
    return "".join(c if c.isprintable() and c not in _TURNING else "\ufffd" for c in text)


_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
