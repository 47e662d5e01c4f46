"""What a reader may need to know of a file beside its path; apart from the readers, since nothing is imported for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from raters.io.sources.encodings import AUTO


@dataclass(frozen=True)
class FileOptions:
    """What a reader may need to know of a file beside its path."""

    encoding: str = "utf-8"
    compressed: bool = False
    """By gzip."""
    delimiter: str | None = None
    """What separates the columns of text."""
    sheet: str | None = None
    """Of a workbook; of a database, the table."""
    header: int | None = None
    """How many rows hold the names of columns; found where it is None."""
    format: str | None = None
    """Of the file, where its name does not say."""
    guess: bool = False
    """Whether another encoding may be tried where the text is not in this one."""

    @property
    def sep(self) -> str | None:
        """The name of ``delimiter`` before 0.2."""
        return self.delimiter

    @property
    def text(self) -> str:
        """The encoding, or that it is to be found."""
        return AUTO if self.guess else self.encoding


def file_options(encoding: str, **others: Any) -> FileOptions:
    """Options of a file whose encoding may be ``"auto"``."""
    return FileOptions(encoding="utf-8" if encoding == AUTO else encoding, guess=encoding == AUTO, **others)
