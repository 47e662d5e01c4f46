"""A curve for people who read a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from raters.estimate import Estimate, shown

COLUMNS = 40


def curve_lines(curve: Sequence[Estimate], target: float | None = None) -> list[str]:
    """A line for each k: the figure, its interval, and both drawn between 0 and 1.

    >>> e = Estimate("k = 3", 0.5, 0.4, 0.75, details={"k": 3})
    >>> print("\\n".join(curve_lines([e], target=0.8)))
    reliability by labels per item (o: the figure; -: its interval; |: 0.8)
                                      0         .25       .5        .75       1
        3      0.500  0.400 to 0.750                  ----o---------- |
    """
    mark = f"; |: {target:g}" if target is not None else ""
    scale = "".join(x.ljust(COLUMNS // 4) for x in ("0", ".25", ".5", ".75")) + "1"
    lines = [f"reliability by labels per item (o: the figure; -: its interval{mark})", " " * 34 + scale]
    for e in curve:
        limits = f"{shown(float(e.low), 3)} to {shown(float(e.high), 3)}" if math.isfinite(e.low) else "-"
        beyond = "  (extrapolated)" if e.details.get("extrapolated") else ""
        drawn = _drawn(e, target)
        lines.append(f"{e.details['k']:>5}  {shown(float(e.value), 3):>9}  {limits:<16}{drawn}{beyond}".rstrip())
    return lines


def _drawn(e: Estimate, target: float | None) -> str:
    cells = [" "] * (COLUMNS + 1)
    if math.isfinite(e.low) and math.isfinite(e.high):
        for i in range(_place(e.low), _place(e.high) + 1):
            cells[i] = "-"
    if target is not None:
        cells[_place(target)] = "|"
    if math.isfinite(e.value):
        cells[_place(e.value)] = "o"
    return "".join(cells)


def _place(x: float) -> int:
    return round(COLUMNS * min(max(float(x), 0.0), 1.0))
