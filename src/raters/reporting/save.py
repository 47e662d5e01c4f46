"""The report as a file."""

from __future__ import annotations

from pathlib import Path

from raters.errors import UsageError
from raters.reporting.document import Document
from raters.reporting.report_formats import FORMATS
from raters.writing import write_whole

ENDINGS = {
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
    ".txt": "text",
    ".csv": "csv",
}


def save(report: Document, path: Path, force: bool = False) -> Path:
    """The report in the format of the name's ending."""
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"{path.name!r} has no known format; use a name that ends in one of {', '.join(ENDINGS)}.")
    return write_whole(path, FORMATS[ENDINGS[path.suffix.lower()]](report).encode(), force)
