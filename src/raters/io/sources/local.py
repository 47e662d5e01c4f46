"""One local file, opened by its own name: no address, no pattern; its text as UTF-8 that has been looked through."""

import codecs
import gzip
import os
import shutil
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import IO, BinaryIO, cast

from raters.errors import DataError, UsageError
from raters.io.sources.encodings import AUTO, marked, one_byte, said
from raters.locking import brief_folder

CHUNK = 1 << 20
RATIO, FREE, MOST_UNPACKED = 200, 1 << 28, 1 << 36
"""How far a compressed file may unpack: so many times its size, or this many bytes whatever the ratio; never more than the last."""


def existing(name: str) -> Path:
    """The path of a file that is there and can be read."""
    if "://" in name:
        raise UsageError(f"{name!r} is an address; raters reads local files only. Download it first.")
    path = Path(os.path.abspath(name))
    if path.is_dir():
        raise DataError(f"{name!r} is a directory. Give the path of one file.")
    if not path.exists():
        raise DataError(f"{name!r}: no such file.")
    if not path.is_file():
        raise DataError(f"{name!r} is not a regular file.")
    if not os.access(path, os.R_OK):
        raise DataError(f"{name!r} may not be read (permission denied).")
    if path.stat().st_size == 0:
        raise DataError(f"{path.name}: the file is empty.")
    return path


def matching_files(name: str) -> str | list[str]:
    """The files that a pattern such as ``round1/*.csv`` stands for, in order; any other name as it is."""
    if not any(c in name for c in "*?[") or "\0" in name or "://" in name or os.path.lexists(name):
        return name
    found = sorted(path for path in glob(name) if os.path.isfile(path))
    return name if not found else found[0] if len(found) == 1 else found


def literal(path: Path) -> str:
    """A path that DuckDB takes as it stands: characters of patterns in brackets.

    >>> literal(Path("/data/a*[1].csv"))
    '/data/a[*][[]1].csv'
    """
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(path))


MARKS = frozenset('%",')
"""Characters without which no number is written with a sign or a comma of its own."""


@dataclass(frozen=True)
class Longest:
    """The longest line of a file, where any is longer than a chunk; and what else was seen on the way through it."""

    length: int = 0
    line: int = 0
    notes: tuple[str, ...] = ()
    """A note about the encoding, if it was detected."""
    marks: frozenset[str] = MARKS
    """Which of these characters may occur in the file."""


class NotInThisEncoding(DataError):
    """Bytes that the encoding does not have; another may."""


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
    """The same where nobody named the encoding: UTF-8 where the bytes are, else another that they can be."""
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
    """A file that is not text, unpacked where it is compressed, under a name that is text: on Unix it may be any bytes."""
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
    """The bytes of a file, unpacked where it is compressed."""
    try:
        if compressed:
            with gzip.open(path, "rb") as packed:
                yield cast(IO[bytes], Bounded(packed, path))
        else:
            with path.open("rb") as file:
                yield file
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path.name}: not a whole gzip file ({error}).") from None


class Bounded:
    """A compressed file, read no further than a table can be: a few kilobytes may stand for terabytes."""

    def __init__(self, packed: gzip.GzipFile, path: Path) -> None:
        self._packed, self._name, self._size, self._read = packed, path.name, path.stat().st_size, 0

    def read(self, n: int) -> bytes:
        data = self._packed.read(n)
        self._read += len(data)
        if self._read > MOST_UNPACKED or (self._read > FREE and self._read > RATIO * self._size):
            raise DataError(
                f"{self._name}: {self._size:,} bytes unpack to more than {self._read:,}, which no table does "
                f"(at most {RATIO} times its size, or {FREE >> 20:,} MiB; never more than {MOST_UNPACKED >> 30:,} GiB). "
                "Unpack it yourself if you trust it."
            )
        return data


def check_encoding(encoding: str) -> None:
    """An encoding of text that Python knows."""
    try:
        "".encode(encoding)
    except LookupError:
        raise UsageError(f"encoding={encoding!r} is not known. Use 'utf-8', 'cp1252', 'utf-16', ...") from None


def look_through(file: IO[bytes], out: BinaryIO | None, encoding: str, name: str) -> Longest:
    """Decode a file to its end, and write it out as UTF-8 where asked."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line, position, run, longest, marks = 1, 0, 0, Longest(), frozenset[str]()
    while True:
        data = file.read(CHUNK)
        pending = decoder.getstate()[0]
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise undecodable(error, encoding, name, line, position - len(pending)) from None
        except UnicodeError as error:  # of the whole: UTF-16 that does not say in which order its bytes are
            raise unordered(error, encoding, name) from None
        if "\0" in text:
            raise nul(text, name, line)
        if out is not None:
            out.write(text.encode("utf-8"))
        first = text.find("\n")
        run += len(text) if first < 0 else first
        longest = max(longest, Longest(run, line), key=lambda x: x.length)
        run = run if first < 0 else len(text) - text.rfind("\n") - 1
        marks |= {c for c in MARKS - marks if c in text}
        if not data:
            return replace(longest, marks=marks)
        line += text.count("\n")
        position += len(data)


def unordered(error: UnicodeError, encoding: str, name: str) -> DataError:
    """A file that does not begin as its encoding asks."""
    return DataError(
        f"{name}, line 1: not {encoding} ({error}). Pass encoding='utf-8' if it is plain text, else '{encoding}-le' or '{encoding}-be'."
    )


def nul(text: str, name: str, line: int) -> DataError:
    """Half of the bytes of UTF-16 are zero in most languages; the place of the first says which half."""
    first = text.index("\0")
    guess = "utf-16-be" if first % 2 == 0 else "utf-16-le"
    at = line + text.count("\n", 0, first)
    return DataError(f"{name}, line {at}: a NUL byte. This is not a text file, or encoding='{guess}' is needed.")


def undecodable(error: UnicodeDecodeError, encoding: str, name: str, line: int, position: int) -> NotInThisEncoding:
    """A byte that the encoding does not have, and where."""
    data = error.object
    at = line + data.count(b"\n", 0, error.start)
    wide = position == 0 and data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return NotInThisEncoding(
        f"{name}, line {at}: byte 0x{data[error.start]:02x} at position {position + error.start:,} is not {encoding}. "
        f"Pass encoding='{'utf-16' if wide else 'cp1252'}' or the one the file was written in."
    )
