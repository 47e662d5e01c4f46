"""Files by format: CSV, TSV, JSON lines, Parquet, each also compressed by gzip."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

from raters.engines import DuckDBEngine
from raters.engines.duckdb import connect
from raters.errors import DataError, UsageError, listed
from raters.io.sources import delimited, jsonlines
from raters.io.sources.local import existing, literal, plain_text, unpacked
from raters.io.table import Table, positions, unique_names

FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}


def from_file(name: Any, encoding: str, format: str | None, sep: str | None) -> Table:
    """A table from one local file."""
    path = existing(name.decode() if isinstance(name, bytes) else str(name))
    compressed = path.suffix.lower() == ".gz"
    kind = format or FORMATS.get(Path(path.stem if compressed else path.name).suffix.lower())
    if kind not in READERS:
        raise UsageError(f"{path.name}: format {kind or 'unknown'}. Pass format= one of {listed(READERS)}.")
    return READERS[kind](path, encoding, compressed, sep)


def csv(path: Path, encoding: str, compressed: bool, sep: str | None) -> Table:
    """Comma-separated values, or another separator found in the header line."""
    with plain_text(path, encoding, compressed) as text:
        return delimited.load(text, path.name, sep)


def tsv(path: Path, encoding: str, compressed: bool, sep: str | None) -> Table:
    """Tab-separated values."""
    return csv(path, encoding, compressed, sep or "\t")


def jsonl(path: Path, encoding: str, compressed: bool, sep: str | None) -> Table:
    """JSON lines: one object per line."""
    with plain_text(path, encoding, compressed) as text:
        return jsonlines.load(text, path.name)


def parquet(path: Path, encoding: str, compressed: bool, sep: str | None) -> Table:
    """Parquet: a view of the file; loaded where it had to be unpacked."""
    connection = connect()
    what = "TABLE" if compressed else "VIEW"
    try:
        with unpacked(path, compressed) as file:
            name = literal(file).replace("'", "''")
            scan = f"SELECT * FROM read_parquet('{name}', hive_partitioning=false)"
            connection.execute(f"CREATE TEMP {what} source AS {scan}")
        found = connection.execute("SELECT * FROM source LIMIT 0").description
        names = unique_names((column[0] for column in found), path.name)
        return Table(DuckDBEngine.from_source(connection, positions(len(names))), names, path.name)
    except duckdb.Error as error:
        reason = str(error).split("\n")[0].split(": ", 1)[-1].replace(str(path), path.name)
        raise DataError(f"{path.name}: not a Parquet file that can be read ({reason}).") from None


READERS: dict[str, Callable[[Path, str, bool, str | None], Table]] = {
    "csv": csv,
    "tsv": tsv,
    "jsonl": jsonl,
    "parquet": parquet,
}
