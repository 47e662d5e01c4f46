"""One local file, opened by its literal name (no URL, no pattern), and its text as validated UTF-8."""

from __future__ import annotations

import codecs
import gzip
import os
import re
import shutil
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from glob import glob
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from raters.errors import DataError, UsageError
from raters.notes.note import Note
from raters.writing import brief_folder, private_folder

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


AUTO = "auto"
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Longest first: a mark of UTF-32 begins as one of UTF-16 does."""
SEVERAL_BYTES = re.compile(rb"[\xc3-\xde][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
"""A letter encoded in UTF-8. A file that contains one is UTF-8 with an invalid sequence, not another encoding."""
UNUSED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
"""Bytes that Windows-1252 does not have."""
CUT = re.compile(rb"[\xc3-\xf4][\x80-\xbf]{0,2}\Z")
"""The first bytes of such a letter at the very end."""
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Bytes that are not text in any of these."""
CHUNK = 1 << 20


def marked(start: bytes) -> str | None:
    """The encoding that the first bytes name."""
    return next((name for mark, name in MARKS.items() if start.startswith(mark)), None)


def one_byte(file: IO[bytes]) -> str | None:
    """Windows-1252 or Latin-1 for a file that is not UTF-8; None if it is neither."""
    latin, data = False, b""
    for data in pieces(file):
        if CONTROL.search(data) or SEVERAL_BYTES.search(data):
            return None
        latin = latin or UNUSED.search(data) is not None
    if CUT.search(data):
        return None
    return "latin-1" if latin else "cp1252"


def pieces(file: IO[bytes]) -> Iterator[bytes]:
    """The bytes of a file, one chunk after the other."""
    while data := file.read(CHUNK):
        yield data


def said(encoding: str) -> Note:
    """A note about the encoding that was used."""
    names = {"cp1252": "Windows-1252 (cp1252)", "latin-1": "Latin-1"}
    if encoding not in names:
        return Note("encoding_marked", {"encoding": encoding.upper()})
    return Note("encoding_assumed", {"encoding": names[encoding]})


RATIO, FREE, MOST_UNPACKED = 200, 1 << 28, 1 << 36
"""How much a compressed file may expand: this many times its size, or this many bytes whatever the ratio, and never
more than the last.
"""


def existing(name: str) -> Path:
    """The path of a file that exists and can be read."""
    if "://" in name:
        raise UsageError(f"{name!r} is a URL; raters reads only local files. Download it first.")
    path = Path(os.path.abspath(name))
    if path.is_dir():
        raise DataError(f"{name!r} is a directory. Give the path of one file.")
    if not path.exists():
        raise DataError(f"{name!r}: no such file.")
    if not path.is_file():
        raise DataError(f"{name!r} is not a regular file.")
    if not os.access(path, os.R_OK):
        raise DataError(f"{name!r} cannot be read (permission denied).")
    if path.stat().st_size == 0:
        raise DataError(f"{path.name}: the file is empty.")
    return path


def matching_files(name: str) -> str | list[str]:
    """The files that match a pattern such as ``round1/*.csv``, in order; any other name unchanged."""
    if not any(c in name for c in "*?[") or "\0" in name or "://" in name or os.path.lexists(name):
        return name
    found = sorted(path for path in glob(name) if os.path.isfile(path))
    return name if not found else found[0] if len(found) == 1 else found


def literal(path: Path) -> str:
    """A path that DuckDB takes literally: wildcards are put in brackets.

    >>> literal(Path("/data/a*[1].csv"))
    '/data/a[*][[]1].csv'
    """
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(path))


MARKS_LOCAL = frozenset('%",')
"""Characters that must occur if a file has decimal commas or percent signs."""


@dataclass(frozen=True)
class Longest:
    """The longest line of a file, if any is longer than a chunk, and what else was found while reading it."""

    length: int = 0
    line: int = 0
    notes: tuple[Note, ...] = ()
    """A note about the encoding, if it was detected."""
    marks: frozenset[str] = MARKS_LOCAL
    """Which of these characters may occur in the file."""


class NotInThisEncoding(DataError):
    """Bytes that are invalid in the encoding; another may have them."""


@contextmanager
def plain_text(path: Path, encoding: str, compressed: bool) -> Iterator[tuple[Path, Longest]]:
    """The file itself if it is UTF-8, or a temporary copy that is; broken text and NUL bytes are errors."""
    if encoding == AUTO:
        with found_text(path, compressed) as found:
            yield found
        return
    check_encoding(encoding)
    as_it_is = not compressed and codecs.lookup(encoding).name in ("utf-8", "ascii")
    if as_it_is:
        with path.open("rb") as file:
            longest = quick_look(file, encoding)
            if longest is None:
                file.seek(0)
                longest = look_through(file, None, encoding, path.name)
        yield path, longest
        return
    with brief_folder() as folder:
        copy = folder.joinpath("copy")
        with opened(path, compressed) as file, copy.open("wb") as out:
            longest = look_through(file, out, encoding, path.name)
        yield copy, longest


@contextmanager
def found_text(path: Path, compressed: bool) -> Iterator[tuple[Path, Longest]]:
    """The same if no encoding was given: UTF-8 if the bytes are valid, or else another encoding in which they are."""
    with opened(path, compressed) as file:
        encoding = marked(file.read(4))
    with ExitStack() as held:
        try:
            text, longest = held.enter_context(plain_text(path, encoding or "utf-8", compressed))
        except NotInThisEncoding:
            with opened(path, compressed) as file:
                encoding = one_byte(file)
            if encoding is None:
                raise
            text, longest = held.enter_context(plain_text(path, encoding, compressed))
        yield text, replace(longest, notes=(said(encoding),) if encoding else ())


def encodable(text: str) -> bool:
    """Whether a name is Unicode text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def unpacked(path: Path, compressed: bool) -> Iterator[Path]:
    """A binary file, unpacked if it is compressed, under a name that is valid text: on Unix, a name may be any
    bytes.
    """
    if not compressed and encodable(str(path)):
        yield path
        return
    if not compressed:
        with brief_folder() as folder:
            link = folder.joinpath("link")
            link.symlink_to(path)
            yield link
        return
    with brief_folder() as folder:
        copy = folder.joinpath("copy")
        with opened(path, True) as file, copy.open("wb") as out:
            shutil.copyfileobj(file, out, CHUNK)
        yield copy


@contextmanager
def opened(path: Path, compressed: bool) -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed if necessary."""
    try:
        if compressed:
            with gzip.open(path, "rb") as packed:
                yield cast(IO[bytes], Bounded(packed, path))
        else:
            with path.open("rb") as file:
                yield file
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path.name}: not a complete gzip file ({error}).") from None


class Bounded:
    """A compressed file, read only up to the size that a table can have: a few kilobytes may expand to terabytes."""

    def __init__(self, packed: gzip.GzipFile, path: Path) -> None:
        self._packed, self._name, self._size, self._read = packed, path.name, path.stat().st_size, 0

    def read(self, n: int) -> bytes:
        data = self._packed.read(n)
        self._read += len(data)
        if self._read > MOST_UNPACKED or (self._read > FREE and self._read > RATIO * self._size):
            raise DataError(
                f"{self._name}: {self._size:,} bytes unpack to more than {self._read:,}, which no table does (at most"
                f" {RATIO} times its size, or {FREE >> 20:,} MiB; never more than {MOST_UNPACKED >> 30:,} GiB). Unpack"
                " it yourself if you trust it."
            )
        return data


def check_encoding(encoding: str) -> None:
    """An encoding of text that Python knows."""
    try:
        "".encode(encoding)
    except LookupError:
        raise UsageError(f"encoding={encoding!r} is not known. Use 'utf-8', 'cp1252', 'utf-16', ...") from None


def quick_look(file: IO[bytes], encoding: str) -> Longest | None:
    """The same as :func:`look_through` for UTF-8 or ASCII in which nothing is wrong or long, without counting lines;
    else None.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    run, marks = 0, frozenset[str]()
    while data := file.read(CHUNK):
        first = data.find(b"\n")
        if first < 0 or run + first > CHUNK or b"\0" in data:
            return None
        run = len(data) - data.rfind(b"\n")
        marks |= {c for c in MARKS_LOCAL - marks if c.encode() in data}
        if not data.isascii() or decoder.getstate()[0]:
            try:
                decoder.decode(data)
            except UnicodeDecodeError:
                return None
    return None if decoder.getstate()[0] else Longest(marks=marks)


def look_through(file: IO[bytes], out: BinaryIO | None, encoding: str, name: str) -> Longest:
    """Decode a file to its end, and write it as UTF-8 if requested."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line, position, run, longest, marks = 1, 0, 0, Longest(), frozenset[str]()
    while True:
        data = file.read(CHUNK)
        pending = decoder.getstate()[0]
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise undecodable(error, encoding, name, line, position - len(pending)) from None
        except UnicodeError as error:  # for the whole file: UTF-16 without a byte order mark
            raise unordered(error, encoding, name) from None
        if "\0" in text:
            raise nul(text, name, line)
        if out is not None:
            out.write(text.encode("utf-8"))
        first = text.find("\n")
        run += len(text) if first < 0 else first
        longest = max(longest, Longest(run, line), key=lambda x: x.length)
        run = run if first < 0 else len(text) - text.rfind("\n") - 1
        marks |= {c for c in MARKS_LOCAL - marks if c in text}
        if not data:
            return replace(longest, marks=marks)
        line += text.count("\n")
        position += len(data)


def unordered(error: UnicodeError, encoding: str, name: str) -> DataError:
    """An error for a file that does not begin as its encoding requires."""
    return DataError(
        f"{name}, line 1: not {encoding} ({error}). Pass encoding='utf-8' if it is plain text, else '{encoding}-le' or"
        f" '{encoding}-be'."
    )


def nul(text: str, name: str, line: int) -> DataError:
    """In most languages, half of the bytes of UTF-16 are zero; the position of the first shows which half."""
    first = text.index("\0")
    guess = "utf-16-be" if first % 2 == 0 else "utf-16-le"
    at = line + text.count("\n", 0, first)
    return DataError(f"{name}, line {at}: a NUL byte. This is not a text file, or encoding='{guess}' is needed.")


def undecodable(error: UnicodeDecodeError, encoding: str, name: str, line: int, position: int) -> NotInThisEncoding:
    """An error for a byte that is invalid in the encoding, with its position."""
    data = error.object
    at = line + data.count(b"\n", 0, error.start)
    wide = position == 0 and data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return NotInThisEncoding(
        f"{name}, line {at}: byte 0x{data[error.start]:02x} at position {position + error.start:,} is not {encoding}. "
        f"Pass encoding='{'utf-16' if wide else 'cp1252'}' or the one the file was written in."
    )
