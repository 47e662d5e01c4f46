"""Whether two systems' correlations with the same aggregate differ, and how many items are needed to show it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import special

from raters.errors import UsageError


@dataclass(frozen=True)
class Williams:
    """Williams' t of two correlations that share a variable."""

    t: float
    df: int
    p: float


def williams(first: float, second: float, between: float, n: int) -> Williams:
    r"""Test whether two systems correlate differently with one aggregate. ``between``: the correlation of the systems
    with each other.

    .. math:: t = (r_1 - r_2) \sqrt{\frac{(n-1)(1+r_{12})}{2 \frac{n-1}{n-3} |R| + \bar r^2 (1-r_{12})^3}}, \quad df = n - 3

    Disattenuation multiplies both correlations by the same constant, so it does not change the result.

    >>> found = williams(0.4, 0.3, 0.1, 103)
    >>> round(found.t, 6), round(found.p, 6)
    (0.825156, 0.411247)

    Williams (1959), J. R. Stat. Soc. B 21, 396-399; Steiger (1980), Psychol. Bull. 87, 245-251.
    """
    for r in (first, second, between):
        if not -1 <= r <= 1:
            raise UsageError(f"{r:g} is not a correlation, which lies between -1 and 1.")
    if n < 4:
        raise UsageError(f"two correlations of {n} items cannot be compared; at least four are needed.")
    whole = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    if whole < -1e-9:
        raise UsageError(
            f"correlations of {first:g}, {second:g} and {between:g} cannot occur together: check which is which."
        )
    below = 2 * (n - 1) / (n - 3) * max(whole, 0.0) + ((first + second) / 2) ** 2 * (1 - between) ** 3
    if first == second:
        return Williams(0.0, n - 3, 1.0)
    if below <= 0:
        return Williams(math.nan, n - 3, math.nan)
    t = (first - second) * math.sqrt((n - 1) * (1 + between) / below)
    return Williams(t, n - 3, float(2 * special.stdtr(n - 3, -abs(t))))


def items_to_tell(first: float, second: float, between: float, *, level: float = 0.95, power: float = 0.8) -> float:
    """The number of items that distinguishes two such correlations with this power; infinite if they are equal.

    >>> items_to_tell(0.7, 0.6, 0.8)
    164.0
    """
    if first == second:
        return math.inf
    both = float(special.ndtri((1 + level) / 2) + special.ndtri(power))
    low, high = 4, 8
    while williams(first, second, between, high).t ** 2 < both**2 and high < 1 << 40:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if williams(first, second, between, middle).t ** 2 < both**2:
            low = middle
        else:
            high = middle
    return float(high)
