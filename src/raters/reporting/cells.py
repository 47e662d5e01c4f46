"""Cells of the report's tables as people read them."""

from __future__ import annotations

import math

from raters.estimate import Estimate, shown
from raters.reporting.document import Cell, Chance, Share
from raters.writing import printable


def percent(x: float) -> str:
    """A share as a percentage: whole, but for the smallest and the largest.

    >>> percent(0.354), percent(0.004), percent(0.999), percent(0.9999), percent(1.0)
    ('35%', '0.4%', '99.9%', 'over 99.9%', '100%')
    """
    if 0.9995 <= x < 1:
        return "over 99.9%"
    return f"{x:.1%}" if 0 < x < 0.01 or 0.99 < x < 1 else f"{x:.0%}"


def cell_text(cell: Cell) -> str:
    """A cell as people read it: an estimate with its interval, numbers with two decimals."""
    if cell is None:
        return "-"
    if isinstance(cell, Estimate):
        value = shown(float(cell.value), 2)
        limits = f" ({shown(cell.low, 2)} to {shown(cell.high, 2)})" if math.isfinite(cell.low) else ""
        return value + limits
    if isinstance(cell, Share):
        return percent(float(cell)) if math.isfinite(cell) else "-"
    if isinstance(cell, Chance):
        return "< 0.001" if cell < 0.0005 else shown(float(cell), 3 if cell < 0.1 else 2)
    if isinstance(cell, float):
        return shown(cell, 2) if math.isfinite(cell) else "-"
    return printable(shown(cell) if isinstance(cell, int) else str(cell))
