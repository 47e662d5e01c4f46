"""What a reader may need to know about a file in addition to its path. It is separate from the readers, so that nothing is imported for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from raters.io.sources.encodings import AUTO


@dataclass(frozen=True)
class FileOptions:
    """What a reader may need to know about a file in addition to its path."""

    encoding: str = "utf-8"
    compressed: bool = False
    """By gzip."""
    delimiter: str | None = None
    """What separates the columns of text."""
    sheet: str | None = None
    """The sheet of a workbook, or the table of a database."""
    header: int | None = None
    """Number of header rows; detected if None."""
    format: str | None = None
    """The format of the file, if its name does not show it."""
    guess: bool = False
    """Whether another encoding may be tried if the text is not in this one."""

    @property
    def sep(self) -> str | None:
        """The name of ``delimiter`` before 0.2."""
        return self.delimiter

    @property
    def text(self) -> str:
        """The encoding, or a request to detect it."""
        return AUTO if self.guess else self.encoding


def file_options(encoding: str, **others: Any) -> FileOptions:
    """Options of a file whose encoding may be ``"auto"``."""
    return FileOptions(encoding="utf-8" if encoding == AUTO else encoding, guess=encoding == AUTO, **others)
