"""The reliability of the aggregate over the number of labels: what the verdict, the section and the next steps
share.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from raters.annotations import Annotations
from raters.coefficients import DEFAULT
from raters.errors import RatersError
from raters.estimate import Estimate, EstimateTable, shown
from raters.reliability.krr.krr import krr, krr_curve
from raters.reporting.names import RANGES

MANY_EACH = 12
SINGLE = "agreement"
"""The method of a point that is the agreement of single labels."""
FEW_SAMPLES = 200
"""Bootstrap samples of the curve: each point is a fit or many draws of its own."""


@dataclass(frozen=True)
class LabelCurve:
    """Reliability at some numbers of labels per item."""

    points: tuple[tuple[int, Estimate], ...]
    here: int
    """Labels per item of these data (the mean, rounded)."""
    kind: str
    """What is aggregated: majority, median, mean."""
    mean: Estimate | None = None
    """Of the mean of as many labels as ``now`` is about, where labels are degrees written as numbers and the aggregate
    is their median.
    """

    @property
    def at(self) -> int:
        """The number of labels that ``now`` is about: the present one, or half of it where the data check no more."""
        return self.here if any(k == self.here for k, _ in self.points) else self.last

    @property
    def now(self) -> Estimate:
        return next(e for k, e in self.points if k == self.at)

    @property
    def alone(self) -> bool:
        """Whether the aggregate of several labels is no more than one of them: a majority of two is."""
        return self.at > 1 and self.now.details["method"] == SINGLE

    @property
    def half(self) -> str:
        """What to add where that is not the present number."""
        return "" if self.at == self.here else f" (of your {self.here}; the data can check only half of them)"

    @property
    def last(self) -> int:
        return self.points[-1][0]

    def first(self, figure: str, target: float) -> int | None:
        """The fewest labels at which the value, or a limit of it, reaches the target."""
        return next((k for k, e in self.points if math.isfinite(x := getattr(e, figure)) and x >= target), None)

    def determined(self, target: float) -> bool:
        """Whether the data determine how many labels reach the target, as far as to a factor of two."""
        first, sure, enough = (self.first(x, target) for x in ("high", "low", "value"))
        ranged = any(e.interval in RANGES for k, e in self.points if k in (first, enough))
        return not (ranged and first is not None and (sure is None or sure >= 2 * first))


def label_curve(ann: Annotations, lead: Callable[[], Estimate], options: Mapping[str, Any]) -> LabelCurve:
    """The curve of a table; ``lead``: the coefficient of the whole table, which one label alone is measured by."""
    here = max(1, round(ann.used.per_item[1]))
    table = _curve(ann, here, {**options, "resamples": min(options["resamples"], FEW_SAMPLES)})
    points = tuple((int(e.details["k"]), _single(e, lead)) for e in table)
    kind = str(points[-1][1].details.get("aggregate", "aggregate")).split(" (")[0]
    made = LabelCurve(points, here, kind)
    return replace(made, mean=_of_means(ann, made.at, options)) if kind == "median" and ann.scale.ranks else made


def _of_means(ann: Annotations, k: int, options: Mapping[str, Any]) -> Estimate | None:
    if not ann.numeric:
        return None
    try:
        found: Estimate = krr(ann, k, aggregate="mean", **options)
        return found
    except RatersError:
        return None


def _single(e: Estimate, lead: Callable[[], Estimate]) -> Estimate:
    """One label alone is what the coefficient of the whole table measures: its estimate, the same as everywhere."""
    if e.details["method"] != SINGLE or e.coefficient != DEFAULT:
        return e
    return replace(lead(), name=e.name, title=e.title, details=e.details)


def _curve(ann: Annotations, here: int, options: Mapping[str, Any]) -> EstimateTable:
    """k-rater reliability at a few k around the present one.

    Beyond half the labels per item a model extrapolates, and the range of what the data allow is a search, long for
    several labels with many on each item: there the curve ends at half of them, which is what the data can check.
    """
    ks = {1, 3, 5, 9, 15, 25, here, 2 * here}
    if ann.scale.categories and len(ann.labels) > 2 and here > MANY_EACH:
        return krr_curve(ann, ks=sorted(k for k in {*ks, here // 2} if 2 * k <= here), **options)
    return krr_curve(ann, ks=sorted(k for k in ks if k <= max(25, 2 * here)), **options)


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
