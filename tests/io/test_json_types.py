"""The types of JSON values, from one object of each kind, are those of all objects."""

import json
from typing import Any

import duckdb
import numpy as np
import pytest

from raters.errors import DataError
from raters.io.sources import json as json_types

KEYS = ("item", "a/b", "~", "", "*", "0", "it's", "名", "$.x")
VALUES: tuple[Any, ...] = (
    "x", "1", "", 0, 7, -3, 2**53 + 1, 2**63, 2**64 - 1, 10**30, -(10**25), 1.5, 1e300, True, False, None, [1], ["x"], [], {"a": 1}, {},
)  # fmt: skip


def loaded(objects: list[str]) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("CREATE TEMP TABLE objects (json JSON)")
    connection.executemany("INSERT INTO objects VALUES (?)", [[text] for text in objects])
    return connection


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("values", [VALUES, VALUES[:8], VALUES[3:6], (1.5, 2, "x"), (10**30, 1.5)])
def test_one_object_of_each_kind_tells_as_much_as_all(values: tuple[Any, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    objects = []
    for _ in range(60):
        keys = rng.permutation(len(KEYS))[: rng.integers(1, 5)]
        objects.append(json.dumps({KEYS[k]: values[rng.integers(len(values))] for k in keys}))
    connection = loaded(objects)
    keys = json_types.keys_of(connection, "x")
    assert json_types.types_of(connection, keys) == json_types._asked(connection, json_types.ALL)


def test_objects_of_the_same_kind_are_taken_apart_once(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = loaded([json.dumps({"item": f"q{i}", "label": i % 3}) for i in range(50)])
    asked: list[str] = []
    real = json_types._asked
    monkeypatch.setattr(
        json_types, "_asked", lambda c, objects, *given: asked.append(objects) or real(c, objects, *given)
    )
    found = json_types.types_of(connection, json_types.keys_of(connection, "x"))
    assert asked == [json_types.ONE_OF_EACH]
    assert found == [["item", "VARCHAR", 1, '"q0"', None, 50], ["label", "UBIGINT", 1, "0", 2.0, 50]]


def test_the_first_object_with_a_key_twice_is_named() -> None:
    connection = loaded(['{"a": 1}', '{"b": 1}', '{"a": 1, "b": 2, "a": 3}', '{"b": 1, "b": 1}'])
    with pytest.raises(DataError, match="x, row 3: the key 'a' occurs twice"):
        json_types.keys_of(connection, "x")
