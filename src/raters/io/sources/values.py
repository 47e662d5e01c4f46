"""Columns of Python values: which are missing, what kind the others are, and the corresponding array."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import DataError, brief
from raters.io.table import is_unicode

EXACT = 2**53
"""Whole numbers up to here are exact as floats."""
NOTHING = ("NoneType", "NAType", "NaTType", "MaskedConstant")


@dataclass(frozen=True)
class Column:
    """One column ready for the engine: its values, the type to give them there, and notes about them."""

    values: NDArray[Any]
    cast: str  # SQL type
    nested: bool = False  # lists, written out as text
    mixed: tuple[Any, Any] | None = None  # an example of a number and of a text, where there are both


def column(values: Sequence[Any]) -> Column:
    """The column that Python values make: numbers remain numbers, mixed values become text.

    >>> column([1, None, 2]).cast, column([1, "a", 2]).values.tolist()
    ('BIGINT', ['1', 'a', '2'])
    """
    kinds = {kind_of(t) for t in set(map(type, values))}
    kinds.discard("nothing")
    if "nested" in kinds:
        return Column(texts([None if missing(v) else as_json(v) for v in values]), "VARCHAR", nested=True)
    if kinds <= {"text"}:
        return Column(texts(values), "VARCHAR")
    if kinds == {"bool"}:
        return Column(numbers(values), "BOOLEAN")
    if kinds == {"int"}:
        return whole(values)
    if kinds == {"int", "float"} or kinds == {"float"}:
        return Column(numbers(values), "DOUBLE")
    return Column(texts(values), "VARCHAR", mixed=examples(values))


def whole(values: Sequence[Any]) -> Column:
    """Whole numbers: 64-bit where they fit, exact in any case."""
    present = [v for v in values if v is not None and kind_of(type(v)) == "int"]
    low, high = min(present), max(present)
    if len(present) == len(values) and low >= -(2**63) and high < 2**63:
        return Column(np.array([int(v) for v in values], dtype=np.int64), "BIGINT")
    if max(-low, high) <= EXACT:
        return Column(numbers(values), "BIGINT")
    return Column(texts(values), "VARCHAR")


def numbers(values: Sequence[Any]) -> NDArray[Any]:
    """Numbers as floats, with nan for missing values (DuckDB reads nan in a numpy array as NULL)."""
    if set(map(type, values)) <= {int, float}:
        return np.array(values, dtype=np.float64)
    return np.array([np.nan if missing(v) else float(v) for v in values], dtype=np.float64)


def texts(values: Sequence[Any]) -> NDArray[Any]:
    """Text, with None for missing values."""
    out = np.empty(len(values), dtype=object)
    as_they_are = set(map(type, values)) <= {str, type(None)}
    out[:] = list(values) if as_they_are else [None if missing(v) else written(v) for v in values]
    for text in out:
        if text is not None and not text.isascii():
            check_unicode(text)
    return out


def check_unicode(text: str) -> None:
    """Raise an error for half a surrogate pair, which cannot be encoded in UTF-8."""
    if not is_unicode(text):
        raise DataError(f"{brief(text)} is not valid Unicode text. Decode it again, with the right encoding.")


def written(value: Any) -> str:
    """A value as text; 2.0 and 2 are written in the same way.

    >>> written(2.0), written(np.int64(2)), written("2"), written(True)
    ('2', '2', '2', 'True')
    """
    if isinstance(value, float | np.floating) and float(value).is_integer() and abs(float(value)) <= EXACT:
        return str(int(value))
    return str(value)


def as_json(value: Any) -> str:
    """A list, tuple, array or set as a JSON list (a set in the order of code points); anything else as it is.

    >>> as_json(("b", "a")), as_json({"b", "a"}), as_json("a")
    ('["b", "a"]', '["a", "b"]', '"a"')
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)
    return json.dumps(value, ensure_ascii=False, default=lambda v: v.item() if hasattr(v, "item") else str(v))


def missing(value: Any) -> bool:
    """None, NaN, pandas' NA and NaT. The *text* "nan" is not missing."""
    if type(value).__name__ in NOTHING:
        return True
    return isinstance(value, float | np.floating | Decimal) and value != value


def kind_of(kind: type) -> str:
    """``nothing bool int float text nested`` for a Python type."""
    if kind.__name__ in NOTHING:
        return "nothing"
    if issubclass(kind, bool | np.bool_):
        return "bool"
    if issubclass(kind, int | np.integer):
        return "int"
    if issubclass(kind, float | np.floating | Decimal | Fraction):
        return "float"
    return "nested" if issubclass(kind, list | tuple | set | frozenset | dict | np.ndarray) else "text"


def examples(values: Sequence[Any]) -> tuple[Any, Any] | None:
    """The first number and the first text, where numbers and text are mixed; else the first truth and the first number."""
    present = [v for v in values if not missing(v)]
    number = next((v for v in present if kind_of(type(v)) in ("bool", "int", "float")), None)
    text = next((v for v in present if kind_of(type(v)) == "text"), None)
    if number is not None and text is not None:
        return number, text
    truth = next((v for v in present if kind_of(type(v)) == "bool"), None)
    number = next((v for v in present if kind_of(type(v)) in ("int", "float")), None)
    return None if truth is None or number is None else (truth, number)
