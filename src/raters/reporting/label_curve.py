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
from raters.estimate import Estimate, shown
from raters.reliability.krr.krr import curve_of, krr, reliability_at, study_of
from raters.reliability.planning.plan import MOST_LABELS, labels_needed, span_of, undetermined

MANY_EACH = 12
SINGLE = "agreement"
"""The method of a point that is the agreement of single labels."""


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
    needed: Estimate | None = None
    """How many labels reach the target, as :func:`raters.plan` gives it; None if only half of the labels were tried and
    do not reach it.
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

    @property
    def tried(self) -> int:
        """The most labels per item that were tried."""
        return self.last if self.needed is None else MOST_LABELS

    @property
    def enough(self) -> int | None:
        """The fewest labels that reach the target by the best estimate."""
        return None if self.needed is None or not math.isfinite(self.needed.value) else int(self.needed.value)

    @property
    def span(self) -> str:
        """How many labels the data allow to be needed, where that is more than a factor of two; else nothing."""
        e = self.needed
        if e is None or e.interval is None or (math.isfinite(e.high) and not undetermined(e)):
            return ""
        return f" ({span_of(e.low, e.high)})"


def label_curve(
    ann: Annotations, lead: Callable[[], Estimate], target: float, options: Mapping[str, Any]
) -> LabelCurve:
    """The curve of a table; ``lead``: the coefficient of the whole table, which one label alone is measured by.

    It has a few k around the present one, and the one that reaches the target. Beyond half the labels per item a model
    extrapolates, and the range of what the data allow is a search, long for several labels with many on each item:
    there the curve ends at half of them, which is what the data can check, unless that reaches the target.
    """
    here, study = max(1, round(ann.used.per_item[1])), study_of(ann, **options)
    ks = {k for k in (1, 3, 5, 9, 15, 25, here, 2 * here) if k <= max(25, 2 * here)}
    needed = None
    if ann.scale.categories and len(ann.labels) > 2 and here > MANY_EACH:
        ks = {k for k in (*ks, here // 2) if 2 * k <= here}
    if max(ks) >= here or reliability_at(study, max(ks)).value >= target:
        needed = labels_needed(study, target)
        ks |= {int(needed.value)} if math.isfinite(needed.value) else set()
    points = tuple((int(e.details["k"]), _single(e, lead)) for e in curve_of(study, ks, None, False))
    kind = str(points[-1][1].details.get("aggregate", "aggregate")).split(" (")[0]
    made = LabelCurve(points, here, kind, needed=needed)
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
