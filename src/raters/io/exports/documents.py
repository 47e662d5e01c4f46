"""The documents in a source: one file, several files, a folder, or the members of a zip, read within limits."""

from __future__ import annotations

import gzip
import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any, cast

import duckdb

from raters.engines.duckdb import connect
from raters.engines.guards import machine
from raters.errors import DataError
from raters.io.labels.numbers import whole_or_text
from raters.io.sources.local import AUTO, literal, marked, unordered
from raters.writing import brief_folder

ZSTANDARD = 93
"""The number of the compression method in a zip."""
LOCAL = struct.Struct("<4s5H3L2H")
"""The header before a member: its last two numbers are the lengths of a name and of extra fields."""
LONGEST_LINE = 1 << 28


def unpacked_zstd(path: Path, member: zipfile.ZipInfo, limit: int) -> bytes:
    """The bytes of a member. Its declared size is trusted only up to ``limit``."""
    if member.file_size > limit:
        raise DataError(f"{path.name}: {member.filename} would unpack to {member.file_size:,} bytes.")
    with path.open("rb") as file:
        file.seek(member.header_offset)
        *_, name, extra = LOCAL.unpack(file.read(LOCAL.size))
        file.seek(name + extra, 1)
        packed = file.read(member.compress_size)
    longest = min(LONGEST_LINE, max(member.file_size + 1, 1 << 24))  # what it needs: the memory may be limited
    with brief_folder() as folder:
        copy = folder.joinpath("member.zst")
        copy.write_bytes(packed)
        try:
            lines = (
                connect()
                .execute(
                    "SELECT line FROM read_csv(?, columns={'line': 'VARCHAR'}, auto_detect=false, header=false,"
                    f" delim='\x1f', quote='', escape='', compression='zstd', max_line_size={longest},"
                    f" buffer_size={2 * longest}, parallel=false)",
                    [literal(copy)],
                )
                .fetchall()
            )
        except duckdb.OutOfMemoryException:
            raise DataError(
                f"{path.name}: not enough memory to unpack {member.filename}, which is compressed with Zstandard. Allow"
                " more (memory=), or use a machine with more memory."
            ) from None
        except duckdb.Error as error:
            machine(error, path.name)
            raise DataError(
                f"{path.name}: {member.filename} in it cannot be unpacked: not compressed with Zstandard, contrary to its"
                f" header ({str(error).splitlines()[0][:80]})."
            ) from None
    return "\n".join(line or "" for (line,) in lines).encode()


START = 1 << 17
"""Number of bytes that are inspected to recognise a document."""
LONGEST = 1 << 30
"""Maximum size of one document in bytes, after decompression."""
PACKED_RATIO, PACKED_SMALL = 300, 1 << 24
"""Text compresses 5 to 30 times; a large file that compresses far better only serves to exhaust memory."""
MANY, FOLDERS, DEEP = 20_000, 2_000, 8
"""Maximum number of documents and folders of one source, and depth of nested folders."""
ENDINGS = (
    ".json",
    ".jsonl",
    ".ndjson",
    ".csv",
    ".tsv",
    ".txt",
    ".ann",
    ".conll",
    ".conllu",
    ".conll03",
    ".bio",
    ".bio2",
    ".iob",
    ".iob2",
    ".eval",
    ".gz",
    ".zip",
    ".xmi",
)
"""Extensions of the files in folders and zips that are inspected."""
BROKEN = (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError)
"""What unpacking may raise: RuntimeError asks for a password, NotImplementedError does not know the method."""


@dataclass(frozen=True)
class Document:
    """One file, one member of a zip, or one of a zip in it. Nothing is unpacked to disk, whatever the name of the member."""

    path: Path
    member: str = ""  # its name in the zip at ``path``
    under: tuple[str, ...] = ()  # the folders between the source and the file
    encoding: str = "utf-8"
    inner: str = ""  # its name in the zip that ``member`` is

    @property
    def parts(self) -> tuple[str, ...]:
        """Folders and name, from the source inwards."""
        names = f"{self.member}/{self.inner}".replace("\\", "/").split("/")
        inside = tuple(p for p in names if p not in ("", ".", ".."))
        return (*self.under, *(inside or (self.path.name,)))

    @property
    def name(self) -> str:
        return self.parts[-1]

    @property
    def stem(self) -> str:
        """The name without its extensions.

        >>> Document(Path("ann.jsonl.gz")).stem, Document(Path("doc-1.v2.ann.json")).stem
        ('ann', 'doc-1.v2')
        """
        name = self.name
        for ending in (".gz", *ENDINGS):
            name = name[: -len(ending)] if name.lower().endswith(ending) and len(name) > len(ending) else name
        return name

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The bytes, decompressed while reading."""
        with ExitStack() as held:
            if self.member:
                archive = held.enter_context(zipfile.ZipFile(self.path))
                if archive.getinfo(self.member).compress_type == ZSTANDARD:
                    yield cast(IO[bytes], io.BytesIO(unpacked_zstd(self.path, archive.getinfo(self.member), LONGEST)))
                    return
                file: Any = held.enter_context(archive.open(self.member))
                if self.inner:
                    file = held.enter_context(held.enter_context(zipfile.ZipFile(file)).open(self.inner))
            else:
                file = held.enter_context(self.path.open("rb"))
            start = io.BufferedReader(file)
            if start.peek(2)[:2] == b"\x1f\x8b":
                yield cast(IO[bytes], held.enter_context(gzip.GzipFile(fileobj=start)))
            else:
                yield start

    def start(self) -> bytes:
        """The first bytes; empty if they cannot be read."""
        try:
            with self.open() as file:
                return file.read(START)
        except BROKEN as error:
            machine(error, self.name)
            return b""

    def chunks(self) -> Iterator[bytes]:
        """The bytes in chunks; an error if there are more than a table of labels could have."""
        seen, on_disk = 0, self.packed_size()
        try:
            with self.open() as file:
                while data := file.read(1 << 20):
                    seen += len(data)
                    if seen > LONGEST or (seen > PACKED_SMALL and seen > PACKED_RATIO * on_disk):
                        raise DataError(
                            f"{self.name}: unpacks to more than {seen >> 20} MB from {max(on_disk >> 10, 1)} KB, which"
                            " no table of labels does. Unpack it yourself if you trust it, and give the files."
                        )
                    yield data
        except BROKEN as error:
            machine(error, self.name)
            raise DataError(f"{self.name}: cannot be unpacked ({' '.join(str(error).split())}).") from None

    def packed_size(self) -> int:
        """The size of the document as stored, in bytes."""
        if not self.member:
            return self.path.stat().st_size
        with zipfile.ZipFile(self.path) as archive:
            return archive.getinfo(self.member).compress_size

    def text(self) -> str:
        """The whole document as text."""
        data = b"".join(self.chunks())
        named = "utf-8" if self.encoding == AUTO else self.encoding
        try:
            return data.decode(marked(data[:4]) or named).lstrip("\ufeff")
        except UnicodeDecodeError as error:
            raise DataError(
                f"{self.name}: byte 0x{data[error.start]:02x} at position {error.start:,} is not {named}. "
                "Pass encoding='cp1252' or the one the file was written in."
            ) from None
        except UnicodeError as error:  # for the whole document: UTF-16 without a byte order mark
            raise unordered(error, named, self.name) from None

    def objects(self) -> Iterator[Any]:
        """The JSON values: the members of a list, each JSON line, or else the single value. NaN becomes None."""
        text = self.text()
        try:
            whole = loads(text)
        except (ValueError, RecursionError) as error:
            if isinstance(error, RecursionError) or first_line_is_open(text):
                raise self.not_json(error, None) from None
            yield from self.lines(text)
            return
        yield from whole if isinstance(whole, list) else [whole]

    def lines(self, text: str) -> Iterator[Any]:
        """JSON lines."""
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                try:
                    yield loads(line)
                except (ValueError, RecursionError) as error:
                    raise self.not_json(error, number) from None

    def not_json(self, error: Exception, line: int | None) -> DataError:
        """What is wrong with JSON, and where."""
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "too deeply nested"
        at = error.lineno if line is None and isinstance(error, json.JSONDecodeError) else line
        where = "" if at is None else f", line {at}"
        return DataError(f"{self.name}{where}: not JSON ({reason}). Export it again, or correct it at this position.")


def loads(text: str) -> Any:
    """JSON as tools write it: NaN and infinities are bare words, and stand for a missing number."""
    return json.loads(text, parse_constant=lambda word: None, parse_int=whole_or_text)


def first_line_is_open(text: str) -> bool:
    """Whether the first line alone is not JSON; then the file is one value and not one object per line."""
    try:
        loads(text.lstrip().split("\n", 1)[0])
    except (ValueError, RecursionError):
        return True
    return False


def documents(source: Any, encoding: str = "utf-8") -> Iterator[Document]:
    """Every document of one or several paths, in the order of names; none if there is nothing to open."""
    paths = [source] if isinstance(source, str | bytes | PathLike) else list(source)
    count = 0
    for given in paths:
        path = Path(os.path.abspath(os.fsdecode(fspath(given))))
        files = walk(path) if path.is_dir() else [path] if path.is_file() else []
        for file in files:
            under = file.relative_to(path).parts[:-1] if file != path else ()
            for document in inside(file, under):
                count += 1
                if count > MANY:
                    raise DataError(
                        f"{path.name}: more than {MANY:,} files. Pass a folder that contains only the exports."
                    )
                yield replace(document, encoding=encoding)


def walk(folder: Path) -> Iterator[Path]:
    """Files of a folder, in the order of names; hidden files and links to other folders are skipped."""
    for number, (at, folders, files) in enumerate(os.walk(folder)):
        if number >= FOLDERS:
            return
        depth = len(Path(at).relative_to(folder).parts)
        folders[:] = sorted(f for f in folders if not f.startswith((".", "__MACOSX")) and depth < DEEP)
        for name in sorted(files):
            path = Path(at, name)
            if (
                not name.startswith(".")
                and path.suffix.lower() in ENDINGS
                and path.is_file()
                and os.access(path, os.R_OK)
            ):
                yield path


def wanted(name: str) -> bool:
    """Whether a member of a zip may be an export, by its name; a folder has an empty last part."""
    last = name.rsplit("/", 1)[-1]
    return not last.startswith(".") and not name.startswith("__MACOSX") and Path(last).suffix.lower() in ENDINGS


def inside(path: Path, under: Sequence[str]) -> list[Document]:
    """The file itself, or the members of a zip and of small zips in it, as projects have one for each user."""
    with path.open("rb") as file:
        packed = file.read(4) == b"PK\x03\x04"
    if not packed:
        return [Document(path, "", tuple(under))]
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except BROKEN as error:
        machine(error, path.name)
        raise DataError(f"{path.name}: not a complete zip file ({error}).") from None
    if len(members) > MANY:
        raise DataError(f"{path.name}: more than {MANY:,} files in the archive. Pass only the exports.")
    kept = [m for m in members if wanted(m.filename)]
    total = sum(m.file_size for m in kept)
    if total > 4 * LONGEST:
        raise DataError(f"{path.name}: would unpack to {total >> 30} GB. Unpack it yourself and pass the files.")
    return [
        Document(path, m.filename, (*under, path.name), inner=inner)
        for m in sorted(kept, key=lambda m: m.filename)
        for inner in (within(path, m) if m.filename.lower().endswith(".zip") else [""])
    ]


def within(path: Path, member: zipfile.ZipInfo) -> list[str]:
    """The members of a zip that is itself a member; none if it is large or broken."""
    if member.file_size > PACKED_SMALL:
        return []
    try:
        with zipfile.ZipFile(path) as archive, archive.open(member) as file, zipfile.ZipFile(file) as packed:
            kept = [m for m in packed.infolist() if wanted(m.filename)]
    except BROKEN as error:
        machine(error, path.name)
        return []
    return sorted(m.filename for m in kept if not m.filename.lower().endswith(".zip"))[:MANY]
