"""The report as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from raters.errors import UsageError
from raters.writing import write_whole

if TYPE_CHECKING:
    from raters.reporting.document import Report

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
