"""JSON lines: one object per line, its values of their own types."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any

import duckdb

from raters.engines import DuckDBEngine
from raters.engines.duckdb import Connection, connect
from raters.engines.guards import machine
from raters.errors import DataError, brief
from raters.io.labels.numbers import whole_or_text
from raters.io.sources.local import Longest, literal
from raters.io.sources.rows import by_name, from_columns, mixed_note
from raters.io.table import Table, unique_names, with_notes
from raters.notes.note import Note
from raters.writing import brief_folder

MOST = 100_000_000
"""Maximum length of one JSON object that is inspected, in characters."""
MANY_ITEMS = 20
"""An object with this many keys holds items with their labels, not the columns of a record."""
MANY_TIMES = 2
"""How many times as long as any other list of objects one must be, to be the records."""
BY_RATER, BY_ITEM = Note("json_by_rater"), Note("json_by_item")


def labels_by_name(whole: Any) -> tuple[list[dict[str, Any]], Note] | None:
    """Rows of item, rater and label if the names are keys, rater -> item -> label or item -> label, and a note; None if
    neither.

    >>> items = {f"q{i}": "no" for i in range(20)}
    >>> rows, note = labels_by_name({"ann": items, "bob": items})
    >>> rows[0], len(rows)
    ({'item': 'q0', 'rater': 'ann', 'label': 'no'}, 40)
    """
    if not isinstance(whole, dict) or not whole:
        return None
    if _labels(whole):
        return [{"item": item, "label": label} for item, label in whole.items()], BY_ITEM
    inner = list(whole.values())
    if not all(isinstance(v, dict) and all(map(_single, v.values())) for v in inner) or not any(map(_labels, inner)):
        return None
    if len({key for v in inner for key in v}) <= 2 * len(whole):
        return None
    rows = [{"item": i, "rater": r, "label": x} for r, labels in whole.items() for i, x in labels.items()]
    return rows, BY_RATER


def _labels(found: dict[str, Any]) -> bool:
    """Whether many keys have values that recur: a record with that many columns would have more distinct values."""
    values = list(found.values())
    return len(values) >= MANY_ITEMS and all(map(_single, values)) and len(set(values)) <= len(values) // 2


def _single(value: Any) -> bool:
    return not isinstance(value, dict | list)


def columns(whole: Any) -> list[dict[str, Any]] | None:
    """Rows if the keys are columns: lists of one length, or values by row number as pandas writes them; None if
    neither.

    >>> columns({"id": [1, 2], "ann": ["no", "yes"]})
    [{'id': 1, 'ann': 'no'}, {'id': 2, 'ann': 'yes'}]
    """
    if not isinstance(whole, dict) or len(whole) < 2:
        return None
    values = list(whole.values())
    if all(isinstance(v, dict) and len(v) > 1 for v in values):
        if any(list(v) != [str(i) for i in range(len(v))] for v in values):
            return None
        values = [list(v.values()) for v in values]
    alike = all(isinstance(v, list) and len(v) > 1 for v in values) and len({len(v) for v in values}) == 1
    if not alike or any(isinstance(x, dict) for v in values for x in v):
        return None
    return [dict(zip(whole, row, strict=True)) for row in zip(*values, strict=True)]


def records(whole: Any) -> list[dict[str, Any]] | None:
    """The records that one object holds: a list of objects under one of its keys, or objects by their ids; None if
    neither.

    >>> records({"meta": 1, "data": [{"item": "q1"}, {"item": "q2"}]})
    [{'item': 'q1'}, {'item': 'q2'}]
    >>> records({"q1": {"label": "no"}, "q2": {"label": "yes"}})
    [{'id': 'q1', 'label': 'no'}, {'id': 'q2', 'label': 'yes'}]
    """
    if not isinstance(whole, dict):
        return None
    lists = [v for v in whole.values() if isinstance(v, list) and len(v) > 1 and all(isinstance(x, dict) for x in v)]
    lists.sort(key=len, reverse=True)
    if len(lists) == 1 or (lists and len(lists[0]) > MANY_TIMES * len(lists[1])):
        return lists[0]  # a shorter one describes the questions or the raters
    if len(whole) > 1 and all(isinstance(v, dict) for v in whole.values()):
        name = "id" if not any("id" in v for v in whole.values()) else "key"
        return [{name: key, **value} for key, value in whole.items()]
    return None


TYPES = """
SELECT key, type, min(row) AS first, min_by(value, row) AS example,
       max(CASE WHEN type = 'UBIGINT' THEN CAST(value AS DOUBLE) END) AS top, CAST(sum(times) AS BIGINT) AS n
FROM (SELECT row, key, id, times, CAST(value AS VARCHAR) AS value,
             CASE WHEN type = 'DOUBLE' AND regexp_full_match(CAST(value AS VARCHAR), '-?[0-9]+') THEN 'LONG' ELSE type END AS type
      FROM ({objects}) AS o, json_each(o.json) AS e)
GROUP BY key, type ORDER BY first, min(id), key
"""
"""LONG: whole numbers beyond 64 bits, which DuckDB would convert to floats, so that two different ones could become
equal.
"""
ALL = "SELECT rowid + 1 AS row, json, 1 AS times FROM objects"
ONE_OF_EACH = """
SELECT first + 1 AS row, json, times FROM objects JOIN
(SELECT min(rowid) AS first, count(*) AS times FROM objects GROUP BY json_keys(json), json_type(json, ?)) AS alike ON objects.rowid = first
"""
SHAPES = "SELECT json_keys(json) AS keys, min(rowid) + 1 AS first FROM objects GROUP BY keys ORDER BY first"
MANY = 100
"""Keys above which every object is taken apart."""


def keys_of(connection: Connection, name: str) -> list[str]:
    """The keys of all objects; one that occurs twice in an object is an error."""
    keys: dict[str, None] = {}
    for found, row in connection.execute(SHAPES).fetchall():
        if len(set(found)) < len(found):
            twice = next(key for key in found if found.count(key) > 1)
            raise DataError(f"{name}, row {row}: the key {brief(twice)} occurs twice. Keep one of them.")
        keys |= dict.fromkeys(found)
    return list(keys)


def types_of(connection: Connection, keys: Sequence[str]) -> list[list[Any]]:
    """Of each key and each type of its values: key, type, first row, value there, the largest whole number, and how
    often it occurs.
    """
    if len(keys) > MANY:
        return _asked(connection, ALL)
    made = _asked(connection, ONE_OF_EACH, [[pointer(key) for key in keys]])
    if any(row[1] == "LONG" or (row[1] == "DOUBLE" and _any_long(connection, row[0])) for row in made):
        return _asked(connection, ALL)
    for row in made:
        if row[1] == "UBIGINT":
            row[4] = _largest(connection, row[0])
    return made


def _asked(connection: Connection, objects: str, given: list[Any] | None = None) -> list[list[Any]]:
    return [list(row) for row in connection.execute(TYPES.format(objects=objects), given or []).fetchall()]


def _any_long(connection: Connection, key: str) -> bool:
    """Whether some value that counts as a fraction is a long whole number."""
    at = pointer(key)
    asked = "json_type(json, $1) = 'DOUBLE' AND regexp_full_match(CAST(json_extract(json, $1) AS VARCHAR), '-?[0-9]+')"
    return bool(connection.execute(f"SELECT 1 FROM objects WHERE {asked} LIMIT 1", [at]).fetchall())


def _largest(connection: Connection, key: str) -> Any:
    whole = "CASE WHEN json_type(json, $1) = 'UBIGINT' THEN CAST(json_extract_string(json, $1) AS DOUBLE) END"
    return connection.execute(f"SELECT max({whole}) FROM objects", [pointer(key)]).fetchall()[0][0]


def pointer(key: str) -> str:
    """A key as a JSON pointer, in which nothing but ~ and / has a meaning (in a path, * stands for all keys).

    >>> pointer("a/b"), pointer("*"), pointer("")
    ('/a~1b', '/*', '/')
    """
    return "/" + key.replace("~", "~0").replace("/", "~1")


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
"""Number of keys that an object may have that no other object has."""


def load(path: Path, name: str, longest: Longest) -> Table:
    """Load a UTF-8 file of JSON objects."""
    if longest.length > LIMIT and not in_brackets(path):
        raise DataError(f"{name}, line {longest.line}: longer than {LIMIT:,} characters. Write one object per line.")
    connection = connect()
    try:
        fill(connection, path)
    except duckdb.Error as error:
        machine(error, name)
        with rewritten(path, name) as copy, readable(name):
            fill(connection, copy)
    with readable(name):
        odd = connection.execute(
            "SELECT rowid + 1, CAST(json AS VARCHAR) FROM objects WHERE json_type(json) <> 'OBJECT' ORDER BY rowid"
            " LIMIT 1"
        ).fetchall()
        if odd:
            raise DataError(
                f"{name}, row {odd[0][0]}: {brief(odd[0][1])} is not a JSON object. Write one object per line."
            )
        if connection.execute("SELECT count(*) FROM objects").fetchall() == [(0,)]:
            raise DataError(f"{name}: the file contains no JSON objects.")
        keys = keys_of(connection, name)
        inside = only_object(connection, name)
        if inside is None:
            return spread(connection, name, types_of(connection, keys))
        rows, notes = inside
        return with_notes(from_columns(by_name(rows), name), notes)


def only_object(connection: Connection, name: str) -> tuple[list[dict[str, Any]], tuple[Note, ...]] | None:
    """The records inside a file that is one object, and a note about it; None if it is a record itself, or if there are
    several.
    """
    found = connection.execute("SELECT CAST(json AS VARCHAR) FROM objects LIMIT 2").fetchall()
    if len(found) != 1 or len(found[0][0]) > MOST:
        return None
    if nested_too_deeply(found[0][0]):
        raise DataError(f"{name}: not a table in JSON ({TOO_DEEP}).")
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
        machine(error, name)
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
    notes: dict[str, Note] = {}
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
            f"{name}: {len(found):,} different keys in {rows:,} objects, most of them in few. The keys may be items,"
            " raters or labels. Write one object for each annotation, all with the same keys."
        )


def column_type(key: str, rows: list[Any]) -> tuple[str, Note | None]:
    """The SQL type for the values of one key, and a note if the type may be unexpected."""
    kinds = kinds_of(rows)
    if "JSON" in kinds:
        return "JSON", None
    if "LONG" in kinds and kinds <= {"BIGINT", "HUGEINT", "LONG"}:
        example = next(r[3] for r in rows if r[1] == "LONG")
        return "VARCHAR", Note("column_of_long_numbers", {"column": key, "number": example[:40]})
    if len(kinds) <= 1:
        return next(iter(kinds), "VARCHAR"), None
    if kinds <= {"BIGINT", "HUGEINT", "DOUBLE"}:
        return ("DOUBLE" if "DOUBLE" in kinds else "HUGEINT"), None
    text = next((r for r in rows if r[1] == "VARCHAR"), None)
    number = next((r for r in rows if r[1] != "VARCHAR"), rows[0])
    return "VARCHAR", None if text is None else mixed_note(key, example_of(number), json.loads(text[3]))


def kinds_of(rows: list[Any]) -> set[str]:
    """The SQL types of the values of one key: whole numbers as wide as the widest, quantities where fractions are among
    them.
    """
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
