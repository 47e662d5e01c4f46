"""Decide whether text is a number."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from raters.engines.duckdb import Connection
from raters.io.table import positions, rank
from raters.notes.note import Note

PATTERN = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
"""Decimal numbers as people write them: no "inf", "nan", "0x1" or "1_000". Python and DuckDB read them in the same
way.
"""
_NUMBER = re.compile(PATTERN)


LONGEST = 4000
"""Digits; Python refuses to convert more than 4,300."""


def parsed(value: Any) -> float | int | None:
    """A number, or text that is one; None for anything else.

    >>> parsed("1e3"), parsed(" 7 "), parsed(2), parsed("nan"), parsed(True)
    (1000.0, 7, 2, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    text = str(value).strip()
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return int(number) if number.is_integer() and "e" not in text.lower() and "." not in text else number


def as_numbers(values: Iterable[Any]) -> list[float | int] | None:
    """All of the values as numbers, or None if one of them is not."""
    found = [parsed(v.item() if hasattr(v, "item") else v) for v in values]
    numbers = [n for n in found if n is not None]
    return numbers if len(numbers) == len(found) else None


def whole_or_text(digits: str) -> int | str:
    """A whole number as JSON writes it; one that is too long for Python stays text.

    >>> whole_or_text("12"), whole_or_text("9" * 5000) == "9" * 5000
    (12, True)
    """
    return int(digits) if len(digits) <= LONGEST else digits


WHOLE, COMMA, THOUSANDS = "[+-]?[0-9]+", "[+-]?[0-9]*,[0-9]+", "[+-]?[0-9]{1,3}(,[0-9]{3})+"
PERCENT = "[+-]?[0-9]*[.,]?[0-9]+ *%"


def as_plain_numbers(connection: Connection, names: tuple[str, ...]) -> tuple[Note, ...]:
    """Columns of numbers with a decimal comma (3,5) or a percent sign are converted to plain numbers. 1,234 alone may
    mark thousands, so it is left unchanged.
    """
    places = with_signs(connection, positions(len(names)))
    if not places:
        return ()
    tests = ", ".join(
        part
        for c in places
        for part in (
            matching(c, COMMA),
            matching(c, THOUSANDS),
            f"count(*) FILTER (WHERE trim({c}) <> '' AND NOT ({full(c, WHOLE)} OR {full(c, COMMA)}))",
            matching(c, PERCENT),
            f"count(*) FILTER (WHERE trim({c}) <> '')",
        )
    )
    found = connection.execute(f"SELECT {tests} FROM source").fetchall()[0]
    if lists_of_people(connection, names):
        return ()
    notes, decimal = list[Note](), []
    seen = [found[5 * at : 5 * at + 5] for at in range(len(places))]
    clear = any(commas > thousands and not others for commas, thousands, others, _, _ in seen)
    for c, (commas, thousands, others, percent, filled) in zip(places, seen, strict=True):
        i = int(c[1:])
        if percent and percent == filled:
            plain(connection, c, "replace(trim(replace(trim({}), '%', '')), ',', '.')")
            notes.append(Note("column_of_percentages", {"column": names[i]}))
        elif (commas > thousands or (clear and commas)) and not others:  # one file writes its numbers in one way
            plain(connection, c, "replace(trim({}), ',', '.')")
            decimal.append(names[i])
        elif thousands and not others:
            notes.append(Note("column_of_thousands", {"column": names[i]}))
    if len(decimal) == 1:
        notes.insert(0, Note("column_of_decimal_commas", {"column": decimal[0]}))
    elif decimal:
        notes.insert(0, Note("columns_of_decimal_commas", {"columns": decimal}))
    return tuple(notes)


def with_signs(connection: Connection, places: list[str]) -> list[str]:
    """The columns with a comma or a percent sign in any cell: only these are examined."""
    tests = ", ".join(f"coalesce(bool_or(contains({c}, ',') OR contains({c}, '%')), false)" for c in places)
    found = connection.execute(f"SELECT {tests} FROM source").fetchall()[0]
    return [c for c, there in zip(places, found, strict=True) if there]


def lists_of_people(connection: Connection, names: tuple[str, ...]) -> bool:
    """Whether a column names several raters in a cell (Ann1,Ann2); then "0,1" next to it is two labels."""
    people = [f"contains(c{i}, ',')" for i, name in enumerate(names) if rank(name, "rater") is not None]
    return bool(people) and bool(
        connection.execute(f"SELECT count(*) FROM source WHERE {' OR '.join(people)}").fetchall()[0][0]
    )


def full(column: str, pattern: str) -> str:
    """SQL for whether the cell matches the pattern."""
    return f"regexp_full_match(trim({column}), '{pattern}')"


def matching(column: str, pattern: str) -> str:
    """SQL for the number of cells that match the pattern."""
    return f"count(*) FILTER (WHERE {full(column, pattern)})"


def plain(connection: Connection, column: str, made: str) -> None:
    """Rewrite a column."""
    connection.execute(f"UPDATE source SET {column} = {made.format(column)}")
