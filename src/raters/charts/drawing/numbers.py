"""Round numbers for axes, and how numbers are written there."""

from __future__ import annotations

import math


def step(low: float, high: float, count: float) -> float:
    """The distance of about ``count`` round numbers between two: 1, 2 or 5 times a power of ten.

    >>> step(0, 1, 10), step(0, 37, 5)
    (0.1, 10.0)
    """
    raw = (high - low) / max(count, 1)
    if not raw > 0:
        return 0.0
    power = math.floor(math.log10(raw))
    error = raw / 10**power
    factor = 10 if error >= math.sqrt(50) else 5 if error >= math.sqrt(10) else 2 if error >= math.sqrt(2) else 1
    return float(factor * 10**power) if power >= 0 else factor / 10**-power


def ticks(low: float, high: float, count: float) -> list[float]:
    """Round numbers between two, about ``count`` of them.

    >>> ticks(0, 1, 5)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    apart = step(low, high, count)
    if not apart:
        return [low]
    over = (
        round(1 / apart) if apart < 1 else 0
    )  # a division by a whole number gives 0.3 where a product gives 0.30000000000000004
    first, last = math.ceil(low / apart - 1e-9), math.floor(high / apart + 1e-9)
    return [i / over if over else i * apart for i in range(first, last + 1)]


def nice(low: float, high: float) -> tuple[float, float]:
    """Limits moved outwards to round numbers."""
    for _ in range(10):
        apart = step(low, high, 10)
        if not apart:
            break
        moved = (math.floor(low / apart + 1e-12) * apart, math.ceil(high / apart - 1e-12) * apart)
        if moved == (low, high):
            break
        low, high = moved
    return low, high


def decimals(apart: float) -> int:
    """Digits after the point that tell numbers apart which lie this far from each other."""
    return max(0, -math.floor(math.log10(abs(apart)) + 1e-12)) if apart else 0


def written(value: float, form: str | None, apart: float = 0.0) -> str:
    """A number in one of the forms that our axes use.

    >>> written(0.25, ".0%"), written(-1.5, None, 0.5), written(0.50, ".2~f")
    ('25%', '−1.5', '0.5')
    """
    text = _written(abs(value), form, apart)
    return f"−{text}" if value < 0 and any(digit in "123456789" for digit in text) else text


def _written(value: float, form: str | None, apart: float) -> str:
    if form is None:
        return f"{value:,.{decimals(apart)}f}" if apart else f"{value:,.3g}"
    if form == "d":
        return f"{value:.0f}"
    if form.endswith("~f"):
        text = f"{value:{form[:-2]}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{value:{form}}"


FORMS = (None, "d", ".0%", ".1f", ".2f", ".2~f")
