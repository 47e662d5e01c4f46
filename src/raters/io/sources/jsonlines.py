"""JSON lines: one object per line, its values of their own types."""

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any

import duckdb

from raters.engines import DuckDBEngine
from raters.engines.duckdb import Connection, connect
from raters.errors import DataError, brief
from raters.io.numbers import whole_or_text
from raters.io.sources.json_shapes import MOST, columns, labels_by_name, records
from raters.io.sources.json_types import keys_of, pointer, types_of
from raters.io.sources.local import Longest, literal
from raters.io.sources.rows import by_name, from_columns, mixed_note
from raters.io.table import Table, unique_names, with_notes
from raters.writing import brief_folder

KINDS = {
    "UBIGINT": "BIGINT",
    "BIGINT": "BIGINT",
    "HUGEINT": "HUGEINT",
    "UHUGEINT": "HUGEINT",
    "DOUBLE": "DOUBLE",
    "LONG": "LONG",
    "VARCHAR": "VARCHAR",
    "BOOLEAN": "BOOLEAN",
    "ARRAY": "JSON",
    "OBJECT": "JSON",
}
LIMIT = 1 << 24
"""Longest object, in bytes."""
DEEPEST, TOO_DEEP = 500, "too deeply nested"
"""Objects and lists within each other."""
IN_QUOTES = re.compile(r'"(?:[^"\\]|\\.)*"')
MANY = 100
"""Number of keys that an object may have that no other object has."""


def load(path: Path, name: str, longest: Longest) -> Table:
    """Load a UTF-8 file of JSON objects."""
    if longest.length > LIMIT and not in_brackets(path):
        raise DataError(f"{name}, line {longest.line}: longer than {LIMIT:,} characters. Write one object per line.")
    connection = connect()
    try:
        fill(connection, path)
    except duckdb.Error:
        with rewritten(path, name) as copy, readable(name):
            fill(connection, copy)
    with readable(name):
        odd = connection.execute(
            "SELECT rowid + 1, CAST(json AS VARCHAR) FROM objects WHERE json_type(json) <> 'OBJECT' ORDER BY rowid LIMIT 1"
        ).fetchall()
        if odd:
            raise DataError(
                f"{name}, row {odd[0][0]}: {brief(odd[0][1])} is not a JSON object. Write one object per line."
            )
        if connection.execute("SELECT count(*) FROM objects").fetchall() == [(0,)]:
            raise DataError(f"{name}: the file contains no JSON objects.")
        keys = keys_of(connection, name)
        inside = only_object(connection)
        if inside is None:
            return spread(connection, name, types_of(connection, keys))
        rows, notes = inside
        return with_notes(from_columns(by_name(rows), name), notes)


def only_object(connection: Connection) -> tuple[list[dict[str, Any]], tuple[str, ...]] | None:
    """The records inside a file that is one object, and a note about it; None if it is a record itself, or if there are several."""
    found = connection.execute("SELECT CAST(json AS VARCHAR) FROM objects LIMIT 2").fetchall()
    if len(found) != 1 or len(found[0][0]) > MOST:
        return None
    whole = json.loads(found[0][0], parse_int=whole_or_text)
    by_column = columns(whole)
    if by_column is not None:
        return by_column, ()
    named = labels_by_name(whole)
    if named is not None:
        return named[0], (named[1],)
    inside = records(whole)
    return None if inside is None else (inside, ())


def in_brackets(path: Path) -> bool:
    """Whether the file is one JSON list, which may stand on one line."""
    with path.open(encoding="utf-8-sig") as file:
        return file.read(4096).lstrip()[:1] == "["


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Reword DuckDB's message about the text."""
    try:
        yield
    except duckdb.Error as error:
        reason = str(error).split("\n")[0].split(": ", 1)[-1]
        at = re.search(r"at byte (\d+)( in line (\d+))?: (.*)", reason)
        where, reason = (f", line {at[3]}" if at[3] else "", at[4]) if at else ("", reason)
        raise DataError(
            f"{name}{where}: not JSON that can be read ({reason.strip(' .')}). Write one object per line."
        ) from None


def fill(connection: Connection, path: Path) -> None:
    """One row per object, unchanged."""
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE objects AS SELECT json FROM read_json_objects(?, format='auto', "
        f"maximum_object_size={LIMIT}, compression='none', hive_partitioning=false)",
        [literal(path)],
    )


def spread(connection: Connection, name: str, types: list[list[Any]]) -> Table:
    """One column per key, of the type its values have."""
    found: dict[str, list[Any]] = {}
    for row in types:
        found.setdefault(row[0], []).append(row)
    names = unique_names(found, name)
    refuse_sparse(connection, found, name)
    notes: dict[str, str] = {}
    columns, paths = [], []
    for place, (key, rows) in enumerate(found.items()):
        kind, note = column_type(key, [r for r in rows if r[1] != "NULL"])
        value = "json_extract(json, ?)" if kind == "JSON" else f"CAST(json_extract_string(json, ?) AS {kind})"
        columns.append(f"{value} AS c{place}")
        paths.append(pointer(key))
        notes |= {key: note} if note else {}
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE source AS SELECT {', '.join(columns)} FROM objects ORDER BY rowid", paths
    )
    connection.execute("DROP TABLE objects")
    return Table(DuckDBEngine.from_loaded(connection), names, name, mixed=notes)


def refuse_sparse(connection: Connection, found: dict[str, list[Any]], name: str) -> None:
    """An error for keys that occur in few objects, which would make a table of mostly empty cells."""
    ((rows,),) = connection.execute("SELECT count(*) FROM objects").fetchall()
    filled = sum(r[5] for kinds in found.values() for r in kinds)
    if len(found) > MANY and filled < 0.1 * rows * len(found):
        raise DataError(
            f"{name}: {len(found):,} different keys in {rows:,} objects, most of them in few. The keys may be items, raters or "
            "labels. Write one object for each annotation, all with the same keys."
        )


def column_type(key: str, rows: list[Any]) -> tuple[str, str | None]:
    """The SQL type for the values of one key, and a note if the type may be unexpected."""
    kinds = kinds_of(rows)
    if "JSON" in kinds:
        return "JSON", None
    if "LONG" in kinds and kinds <= {"BIGINT", "HUGEINT", "LONG"}:
        example = next(r[3] for r in rows if r[1] == "LONG")
        return "VARCHAR", f"column {brief(key)} holds numbers as long as {example[:40]}, and was read as text"
    if len(kinds) <= 1:
        return next(iter(kinds), "VARCHAR"), None
    if kinds <= {"BIGINT", "HUGEINT", "DOUBLE"}:
        return ("DOUBLE" if "DOUBLE" in kinds else "HUGEINT"), None
    text = next((r for r in rows if r[1] == "VARCHAR"), None)
    number = next((r for r in rows if r[1] != "VARCHAR"), rows[0])
    return "VARCHAR", None if text is None else mixed_note(key, example_of(number), json.loads(text[3]))


def kinds_of(rows: list[Any]) -> set[str]:
    """The SQL types of the values of one key: whole numbers as wide as the widest, quantities where fractions are among them."""
    kinds = {KINDS.get(r[1], "VARCHAR") for r in rows}
    if any(r[4] is not None and r[4] >= 2**63 for r in rows):
        kinds = {"HUGEINT" if k == "BIGINT" else k for k in kinds}
    return kinds - {"LONG"} if "DOUBLE" in kinds else kinds


def example_of(row: Any) -> Any:
    """A value as Python holds it; a very long number as its first digits."""
    return row[3][:40] if row[1] == "LONG" else json.loads(row[3])


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
    """One line; NaN is null, an infinity is an error, and so is half a surrogate pair, which is not text."""
    if len(line) > LIMIT:
        raise DataError(f"{name}, line {number}: longer than {LIMIT:,} characters.")
    if nested_too_deeply(line):
        raise DataError(f"{name}, line {number}: not JSON ({TOO_DEEP}). Write one object per line.")
    try:
        value = json.loads(
            line, parse_constant=lambda word: None if word == "NaN" else math.inf, object_pairs_hook=single
        )
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise DataError(f"{name}, line {number}: not JSON ({reason(error)}). Write one object per line.") from None
    if isinstance(value, dict) and any(v == math.inf or v == -math.inf for v in value.values()):
        raise DataError(f"{name}, line {number}: an infinite number. Labels must be finite.")
    return value


def nested_too_deeply(line: str) -> bool:
    """Counted here, because Python's own limit depends on the caller and on what others have set."""
    if line.count("[") + line.count("{") <= DEEPEST:
        return False
    step = {"[": 1, "{": 1, "]": -1, "}": -1}
    return max(accumulate(step.get(x, 0) for x in IN_QUOTES.sub("", line))) > DEEPEST


def single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without duplicate keys."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {brief(next(k for k in keys if keys.count(k) > 1))} occurs twice")
    return found


def reason(error: Exception) -> str:
    """Python's errors, reworded."""
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    if isinstance(error, UnicodeEncodeError):
        return "half a surrogate pair, which is not Unicode text"
    if isinstance(error, RecursionError):
        return TOO_DEEP
    return "a number of more than 4,300 digits" if "digits" in str(error) else str(error)
