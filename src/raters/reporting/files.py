"""Files: written beside their place and then renamed, so that none is ever half there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from raters.errors import UsageError

if TYPE_CHECKING:
    from raters.reporting.model import Report

ENDINGS = {
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
    ".txt": "text",
    ".csv": "csv",
}


def save(report: Report, path: Path, force: bool = False) -> Path:
    """The report in the format of the name's ending."""
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"{path.name!r} does not say the format; end it with one of {', '.join(ENDINGS)}.")
    return write_whole(path, report.render(ENDINGS[path.suffix.lower()]).encode(), force)


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
