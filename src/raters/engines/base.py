"""What readers need of an engine beyond running queries, and the SQL that both engines share."""

from collections.abc import Mapping
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Engine


class Source(Engine, Protocol):
    """An engine that a reader can still modify, before the table becomes ``annotations``."""

    def derive(self, sql: str, **tables: Mapping[str, NDArray[Any]]) -> Self:
        """The same engine over the result of ``sql`` on the view and on small tables, which are kept; lazy."""
        ...

    def stored(self) -> Self:
        """The view, computed once and stored in place of its sources."""
        ...

    def lasting(self) -> Self:
        """The same, whose sources stay when it is stored, because they are read again."""
        ...

    def kinds(self) -> dict[str, str]:
        """Column name -> ``bool int float text nested``."""
        ...

    def repeated(self, count: str) -> str:
        """SQL for the FROM clause that repeats each row of the view as often as the expression ``count`` says."""
        ...


def with_views(sql: str, views: Mapping[str, str], how: str = "") -> str:
    """Put named views in front of an SQL text as common table expressions; ``how``: a word of the engine's on each.

    >>> with_views("SELECT * FROM a", {"a": "SELECT 1"})
    'WITH a AS (SELECT 1) SELECT * FROM a'
    >>> with_views("WITH b AS (SELECT * FROM a) SELECT * FROM b", {"a": "SELECT 1"})
    'WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b'
    """
    if not views:
        return sql
    ahead = ", ".join(f"{name} AS {how}({body})" for name, body in views.items())
    text = sql.strip()
    if text[:4].upper() == "WITH" and text[4:5].isspace():
        return f"WITH {ahead}, {text[4:].lstrip()}"
    return f"WITH {ahead} {text}"


def plain_array(values: Any) -> NDArray[Any]:
    """One column of an answer: NULL as None in text and as nan among numbers, lists as arrays, no masks."""
    if not isinstance(values, np.ma.MaskedArray):
        return np.asarray(values)
    mask = np.ma.getmaskarray(values)
    data = np.asarray(values.data)
    if not mask.any():
        return data
    if data.dtype.kind in "iuf":
        return np.where(mask, np.nan, data.astype(np.float64))
    data = data.astype(object)
    data[mask] = None
    return data


def hexadecimal(value: str) -> str:
    """The UTF-8 bytes of a text in hexadecimal digits."""
    return value.encode("utf-8", "surrogatepass").hex()
