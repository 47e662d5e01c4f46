"""Which keys the objects of a JSON file have, and the types of their values.

Objects with the same keys and types differ in nothing else that is asked here, so one of each kind is taken apart: taking apart all of them takes
ten times as long as reading them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raters.engines.duckdb import Connection
from raters.errors import DataError, brief

TYPES = """
SELECT key, type, min(row) AS first, min_by(value, row) AS example,
       max(CASE WHEN type = 'UBIGINT' THEN CAST(value AS DOUBLE) END) AS top, CAST(sum(times) AS BIGINT) AS n
FROM (SELECT row, key, id, times, CAST(value AS VARCHAR) AS value,
             CASE WHEN type = 'DOUBLE' AND regexp_full_match(CAST(value AS VARCHAR), '-?[0-9]+') THEN 'LONG' ELSE type END AS type
      FROM ({objects}) AS o, json_each(o.json) AS e)
GROUP BY key, type ORDER BY first, min(id), key
"""
"""LONG: whole numbers beyond 64 bits, which DuckDB would convert to floats, so that two different ones could become equal."""
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
    """Of each key and each type of its values: key, type, first row, value there, the largest whole number, and how often it occurs."""
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
