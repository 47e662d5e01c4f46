"""Files, written beside their place and then renamed, so that none is ever half there; and text from strangers, made safe to show."""

from __future__ import annotations

import os
from pathlib import Path

from raters.errors import UsageError


def refuse_existing(path: Path, force: bool) -> None:
    """No file is overwritten unless that was asked for."""
    if path.exists() and not force:
        raise UsageError(f"{path} exists already; pass force=True (--force) to overwrite it, or another name.")


def write_whole(path: Path, content: bytes, force: bool = False) -> Path:
    """All of it, or nothing."""
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


def printable(text: str) -> str:
    """Text from strangers without control characters or marks that turn the writing direction.

    >>> printable("ok \\x07")
    'ok �'
    """
    return "".join(c if c.isprintable() and c not in _TURNING else "\ufffd" for c in text)


_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
