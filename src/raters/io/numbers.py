"""Decide whether text is a number."""

import re
from collections.abc import Iterable
from typing import Any

PATTERN = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
"""Decimal numbers as people write them: no "inf", "nan", "0x1" or "1_000". Python and DuckDB read them in the same way."""
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
