"""JSON lines: one object per line, its values of their own types."""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from raters.engines import DuckDBEngine
from raters.engines.duckdb import Connection, connect
from raters.errors import DataError, brief
from raters.io.sources.json_shapes import MOST, records
from raters.io.sources.local import literal
from raters.io.sources.rows import by_name, from_columns, mixed_note
from raters.io.table import Table, unique_names
from raters.locking import brief_folder

KINDS = {
    "UBIGINT": "BIGINT",
    "BIGINT": "BIGINT",
    "HUGEINT": "HUGEINT",
    "UHUGEINT": "HUGEINT",
    "DOUBLE": "DOUBLE",
    "VARCHAR": "VARCHAR",
    "BOOLEAN": "BOOLEAN",
    "ARRAY": "JSON",
    "OBJECT": "JSON",
}
LIMIT = 1 << 24
"""Longest object, in bytes."""
TYPES = """
SELECT key, min(fullkey) AS path, type, min(row) AS first, min_by(CAST(value AS VARCHAR), row) AS example,
       max(CASE WHEN type = 'UBIGINT' THEN CAST(CAST(value AS VARCHAR) AS DOUBLE) END) AS top
FROM (SELECT rowid AS row, json FROM objects) AS o, json_each(o.json) AS e
GROUP BY key, type ORDER BY first, min(id), key
"""


def load(path: Path, name: str) -> Table:
    """Load a UTF-8 file of JSON objects."""
    connection = connect()
    try:
        fill(connection, path)
    except duckdb.Error:
        with rewritten(path, name) as copy:
            fill(connection, copy)
    odd = connection.execute(
        "SELECT rowid + 1, CAST(json AS VARCHAR) FROM objects WHERE json_type(json) <> 'OBJECT' ORDER BY rowid LIMIT 1"
    ).fetchall()
    if odd:
        raise DataError(f"{name}, row {odd[0][0]}: {brief(odd[0][1])} is not a JSON object. Write one object per line.")
    if connection.execute("SELECT count(*) FROM objects").fetchall() == [(0,)]:
        raise DataError(f"{name}: no JSON objects in it.")
    inside = only_object(connection)
    return from_columns(by_name(inside), name) if inside is not None else spread(connection, name)


def only_object(connection: Connection) -> list[dict[str, Any]] | None:
    """The records inside a file that is one object; None where it is a record itself, or where there are several."""
    found = connection.execute("SELECT CAST(json AS VARCHAR) FROM objects LIMIT 2").fetchall()
    if len(found) != 1 or len(found[0][0]) > MOST:
        return None
    return records(json.loads(found[0][0]))


def fill(connection: Connection, path: Path) -> None:
    """One row per object, as it stands."""
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE objects AS SELECT json FROM read_json_objects(?, format='auto', "
        f"maximum_object_size={LIMIT}, compression='none', hive_partitioning=false)",
        [literal(path)],
    )


def spread(connection: Connection, name: str) -> Table:
    """One column per key, of the type its values have."""
    found: dict[str, list[Any]] = {}
    for row in connection.execute(TYPES).fetchall():
        found.setdefault(row[0], []).append(row)
    names = unique_names(found, name)
    notes: dict[str, str] = {}
    columns, paths = [], []
    for place, (key, rows) in enumerate(found.items()):
        kind, mixed = column_type([r for r in rows if r[2] != "NULL"])
        value = "json_extract(json, ?)" if kind == "JSON" else f"CAST(json_extract_string(json, ?) AS {kind})"
        columns.append(f"{value} AS c{place}")
        paths.append(rows[0][1])
        notes |= {key: mixed_note(key, *mixed)} if mixed else {}
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE source AS SELECT {', '.join(columns)} FROM objects ORDER BY rowid", paths
    )
    connection.execute("DROP TABLE objects")
    return Table(DuckDBEngine.from_loaded(connection), names, name, mixed=notes)


def column_type(rows: list[Any]) -> tuple[str, tuple[Any, Any] | None]:
    """The SQL type for the values of one key; with an example of each where numbers and text are mixed."""
    kinds = {KINDS.get(r[2], "VARCHAR") for r in rows}
    if any(r[5] is not None and r[5] >= 2**63 for r in rows):
        kinds = {"HUGEINT" if k == "BIGINT" else k for k in kinds}
    if len(kinds) <= 1:
        return next(iter(kinds), "VARCHAR"), None
    if "JSON" in kinds:
        return "JSON", None
    if kinds <= {"BIGINT", "HUGEINT", "DOUBLE"}:
        return ("DOUBLE" if "DOUBLE" in kinds else "HUGEINT"), None
    text = next((r for r in rows if r[2] == "VARCHAR"), None)
    number = next((r for r in rows if r[2] != "VARCHAR"), rows[0])
    return "VARCHAR", None if text is None else (json.loads(number[4]), json.loads(text[4]))


@contextmanager
def rewritten(path: Path, name: str) -> Iterator[Path]:
    """The same objects written out strictly (Python writes NaN, which is not JSON); a broken line is an error."""
    with brief_folder() as folder:
        copy = folder.joinpath("copy.jsonl")
        with path.open(encoding="utf-8-sig") as file, copy.open("w", encoding="utf-8") as out:
            for number, line in enumerate(file, 1):
                if line.strip():
                    out.write(json.dumps(parsed(line, number, name)) + "\n")
        yield copy


def parsed(line: str, number: int, name: str) -> Any:
    """One line; NaN is null, an infinity stays as the text it is written in."""
    if len(line) > LIMIT:
        raise DataError(f"{name}, line {number}: longer than {LIMIT:,} characters.")
    try:
        value = json.loads(line, parse_constant=lambda word: None if word == "NaN" else math.inf)
    except (json.JSONDecodeError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "too deeply nested"
        raise DataError(f"{name}, line {number}: not JSON ({reason}). Write one object per line.") from None
    if isinstance(value, dict) and any(v == math.inf for v in value.values()):
        raise DataError(f"{name}, line {number}: an infinite number. Labels must be finite.")
    return value
