"""Cells of the report's tables as people read them."""

from __future__ import annotations

import math

from raters.estimate import Estimate, shown
from raters.reporting.document import Cell, Share
from raters.writing import printable


def cell_text(cell: Cell) -> str:
    """A cell as people read it: an estimate with its interval, numbers with three digits."""
    if cell is None:
        return "-"
    if isinstance(cell, Estimate):
        value = shown(float(cell.value), 3)
        limits = f" ({shown(cell.low, 3)} to {shown(cell.high, 3)})" if math.isfinite(cell.low) else ""
        return value + limits
    if isinstance(cell, Share):
        return f"{float(cell):.1%}"
    if isinstance(cell, float):
        return shown(cell, 3) if math.isfinite(cell) else "-"
    return printable(shown(cell) if isinstance(cell, int) else str(cell))
