"""Files by format. Text and Parquet may be compressed by gzip."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from raters.engines import DuckDBEngine
from raters.engines.base import hexadecimal
from raters.engines.duckdb import connect, path_literal
from raters.engines.guards import File, machine
from raters.errors import DataError, UsageError, interrupted, listed
from raters.io.sources import delimited
from raters.io.sources import json as jsonlines
from raters.io.sources.local import AUTO, encodable, existing, literal, plain_text, unpacked
from raters.io.table import Table, positions, unique_names, with_notes
from raters.plugins import Registry


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
    skip: int = 0
    """Rows above the header that are left out, not counting empty ones."""
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


@dataclass(frozen=True)
class FileFormat:
    """A row of the registry of file formats: the extensions of such files, and how they are read."""

    name: str
    read: Callable[[Path, FileOptions], Table]
    endings: tuple[str, ...]
    """Extensions in lower case, with the dot; ``.gz`` may follow."""


def from_file(name: Any, options: FileOptions) -> Table:
    """A table from one local file."""
    path = existing(name.decode() if isinstance(name, bytes) else str(name))
    compressed = path.suffix.lower() == ".gz"
    ending = Path(path.stem if compressed else path.name).suffix.lower()
    kind = options.format or next((row.name for row in READERS.values() if ending in row.endings), None)
    if kind is None or kind not in READERS:
        raise UsageError(f"{path.name}: format {kind or 'unknown'}. Pass format= one of {listed(READERS)}.")
    return READERS[kind].read(path, replace(options, compressed=compressed))


def csv(path: Path, options: FileOptions) -> Table:
    """Comma-separated values, or another separator found in the header line."""
    with plain_text(path, options.text, options.compressed) as (text, longest):
        return delimited.load(text, path.name, options.delimiter, longest, options.header, options.skip)


def tsv(path: Path, options: FileOptions) -> Table:
    """Tab-separated values."""
    return csv(path, replace(options, delimiter=options.delimiter or "\t"))


def jsonl(path: Path, options: FileOptions) -> Table:
    """JSON: one object per line, a list of objects, or objects under one key."""
    with plain_text(path, options.text, options.compressed) as (text, longest):
        return with_notes(jsonlines.load(text, path.name, longest), longest.notes)


def parquet(path: Path, options: FileOptions) -> Table:
    """Parquet: a view of the file; loaded if it had to be unpacked, or if SQL cannot express its name."""
    connection = connect()
    lazy = not options.compressed and encodable(str(path))
    try:
        held = File.of(path) if lazy else None
        with unpacked(path, options.compressed) as file:
            scan = f"SELECT * FROM read_parquet({path_literal(literal(file))}, hive_partitioning=false)"
            connection.execute(f"CREATE TEMP {'VIEW' if lazy else 'TABLE'} source AS {scan}")
        found = connection.execute("SELECT * FROM source LIMIT 0").description
        names = unique_names((column[0] for column in found), path.name)
        return Table(DuckDBEngine.from_source(connection, positions(len(names)), held), names, path.name)
    except duckdb.Error as error:
        machine(error, path.name)
        reason = str(error).split("\n")[0].split(": ", 1)[-1].replace(str(path), path.name).strip(" .")
        why = f" ({reason})" if reason else ""
        raise DataError(f"{path.name}: not a Parquet file that can be read{why}.") from None
    except (RuntimeError, UnicodeError) as error:  # what becomes of a name of bytes on its way to Python
        if interrupted(error):
            raise KeyboardInterrupt from None
        raise DataError(f"{path.name}: damaged: the name of a column is not text. Write the file again.") from None


def together(paths: Sequence[Path], tables: Sequence[Table], about: Mapping[str, Sequence[str]]) -> DuckDBEngine | None:
    """Parquet files of the same columns as one view, with more columns about each file; None if this does not apply."""
    endings = READERS["parquet"].endings
    alike = all(t.names == tables[0].names and t.kinds == tables[0].kinds for t in tables)
    if not alike or not all(path.suffix.lower() in endings and encodable(str(path)) for path in paths):
        return None
    connection = connect()
    parts = []
    for i, path in enumerate(paths):
        more = "".join(f", decode(unhex('{hexadecimal(values[i])}'))" for values in about.values())
        parts.append(f"SELECT *{more} FROM read_parquet({path_literal(literal(path))}, hive_partitioning=false)")
    connection.execute(f"CREATE TEMP VIEW source AS {' UNION ALL '.join(parts)}")
    return DuckDBEngine.from_source(connection, positions(len(tables[0]) + len(about)), File.of(*paths))


def excel(path: Path, options: FileOptions) -> Table:
    """A sheet of a workbook."""
    from raters.io.sources.workbooks import load

    return load(path, options.sheet, options.header, options.skip)


def statistics(path: Path, options: FileOptions) -> Table:
    """A file of SPSS, Stata or SAS."""
    from raters.io.sources.other_files import load_statistics_file as load

    return load(path)


def arrow(path: Path, options: FileOptions) -> Table:
    """An Arrow or Feather file."""
    from raters.io.sources.other_files import load

    return load(path)


def database(path: Path, options: FileOptions) -> Table:
    """A table of a DuckDB file."""
    from raters.io.sources.other_files import load_duckdb

    return load_duckdb(path, options.sheet)


def sqlite(path: Path, options: FileOptions) -> Table:
    """A table of an SQLite file."""
    from raters.io.sources.other_files import load_sqlite

    return load_sqlite(path, options.sheet)


READERS: Registry[FileFormat] = Registry(
    (
        FileFormat("csv", csv, (".csv", ".txt")),
        FileFormat("tsv", tsv, (".tsv", ".tab")),
        FileFormat("jsonl", jsonl, (".jsonl", ".ndjson", ".json")),
        FileFormat("parquet", parquet, (".parquet", ".pq")),
        FileFormat("excel", excel, (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")),
        FileFormat("statistics", statistics, (".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt")),
        FileFormat("arrow", arrow, (".arrow", ".feather", ".ipc")),
        FileFormat("duckdb", database, (".duckdb", ".ddb")),
        FileFormat("sqlite", sqlite, (".sqlite", ".sqlite3", ".db")),
    ),
    "raters.readers",
    FileFormat,
)
"""Every file format by name; other packages add theirs under the entry point ``raters.readers``."""
