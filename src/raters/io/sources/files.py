"""Files by format: CSV, TSV, JSON lines, Parquet, each also compressed by gzip."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from raters.engines import DuckDBEngine
from raters.engines.duckdb import connect
from raters.engines.guarding import File
from raters.errors import DataError, UsageError, listed
from raters.io.sources import delimited, jsonlines
from raters.io.sources.local import encodable, existing, literal, plain_text, unpacked
from raters.io.table import Table, positions, unique_names
from raters.plugins import Registry

Read = Callable[[Path, str, bool, str | None], Table]
"""Path, encoding, whether it is compressed by gzip, separator of columns -> the table in the file."""


@dataclass(frozen=True)
class FileFormat:
    """A row of the registry of file formats: what a file of this kind is called, and how it is read."""

    name: str
    read: Read
    endings: tuple[str, ...]
    """Of file names, lower case, with the dot; ``.gz`` may follow."""


def from_file(name: Any, encoding: str, format: str | None, sep: str | None) -> Table:
    """A table from one local file."""
    path = existing(name.decode() if isinstance(name, bytes) else str(name))
    compressed = path.suffix.lower() == ".gz"
    ending = Path(path.stem if compressed else path.name).suffix.lower()
    kind = format or next((row.name for row in READERS.values() if ending in row.endings), None)
    if kind is None or kind not in READERS:
        raise UsageError(f"{path.name}: format {kind or 'unknown'}. Pass format= one of {listed(READERS)}.")
    return READERS[kind].read(path, encoding, compressed, sep)


def csv(path: Path, encoding: str, compressed: bool, sep: str | None) -> Table:
    """Comma-separated values, or another separator found in the header line."""
    with plain_text(path, encoding, compressed) as (text, longest):
        return delimited.load(text, path.name, sep, longest)


def tsv(path: Path, encoding: str, compressed: bool, sep: str | None) -> Table:
    """Tab-separated values."""
    return csv(path, encoding, compressed, sep or "\t")


def jsonl(path: Path, encoding: str, compressed: bool, sep: str | None) -> Table:
    """JSON lines: one object per line."""
    with plain_text(path, encoding, compressed) as (text, longest):
        return jsonlines.load(text, path.name, longest)


def parquet(path: Path, encoding: str, compressed: bool, sep: str | None) -> Table:
    """Parquet: a view of the file; loaded where it had to be unpacked, or where SQL cannot spell its name."""
    connection = connect()
    lazy = not compressed and encodable(str(path))
    try:
        held = File.of(path) if lazy else None
        with unpacked(path, compressed) as file:
            name = literal(file).replace("'", "''")
            scan = f"SELECT * FROM read_parquet('{name}', hive_partitioning=false)"
            connection.execute(f"CREATE TEMP {'VIEW' if lazy else 'TABLE'} source AS {scan}")
        found = connection.execute("SELECT * FROM source LIMIT 0").description
        names = unique_names((column[0] for column in found), path.name)
        return Table(DuckDBEngine.from_source(connection, positions(len(names)), held), names, path.name)
    except duckdb.Error as error:
        reason = str(error).split("\n")[0].split(": ", 1)[-1].replace(str(path), path.name).strip(" .")
        why = f" ({reason})" if reason else ""
        raise DataError(f"{path.name}: not a Parquet file that can be read{why}.") from None


READERS: Registry[FileFormat] = Registry(
    (
        FileFormat("csv", csv, (".csv", ".txt")),
        FileFormat("tsv", tsv, (".tsv", ".tab")),
        FileFormat("jsonl", jsonl, (".jsonl", ".ndjson", ".json")),
        FileFormat("parquet", parquet, (".parquet", ".pq")),
    ),
    "raters.readers",
    FileFormat,
)
"""Every file format by name; other packages add theirs under the entry point ``raters.readers``."""
