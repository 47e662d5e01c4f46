"""The results of a calibration: the combined figures, those of people alone, and the judge's own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from raters.charts.points import intervals
from raters.errors import UsageError
from raters.estimate import SCHEMA, Estimate, EstimateTable, Result, jsonable, shown
from raters.judges.label_planning import (
    LabelsNeeded,
    by_errors,
    by_prediction,
    correlation_limits,
    effective,
    floor_of_errors,
    human_only,
)

ROADS = {
    "poststratified": "poststratified by the judge's labels, which holds only if the items that people labelled were drawn at random",
    "rogan_gladen": "corrected for the judge's errors (Rogan-Gladen)",
    "prediction_powered": "prediction-powered mean with tuned lambda, which holds only if the items that people labelled were drawn at random",
}


@dataclass(frozen=True, repr=False)
class Calibration(Result):
    """Shares, means or differences as people would label all items, from a few human and many judge labels."""

    judge: str
    estimate: str
    sample: str
    method: str
    combined: tuple[Estimate, ...]
    """One for each class, system or difference."""
    people_alone: tuple[Estimate, ...]
    judge_alone: tuple[Estimate, ...]
    """The figures if the judge made no errors."""
    n: int
    """Items with both labels."""
    n_judged: int
    """Items that only the judge labelled."""
    lam: Mapping[str, float] = field(default_factory=dict)
    """The weight of the judge, for each mean."""
    correlation: float = math.nan
    confusion: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """judge's label -> people's label -> items."""
    variance_shares: Mapping[str, float] = field(default_factory=dict)
    ranks: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """system -> probability of each rank, best first."""
    variance: float = math.nan
    warnings: tuple[str, ...] = ()
    planned: str = ""
    """The figure for which labels are planned: for shares, the class nearest to one half, which needs the most; otherwise the first."""

    @property
    def _planned(self) -> Estimate:
        return next((e for e in self.combined if e.name == self.planned), self.combined[0])

    @property
    def _of(self) -> str:
        """The figure in words; with three or more classes, why this one."""
        more = ", the class that needs the most" if self.planned and len(self.combined) > 2 else ""
        return f"{self._planned.name}{more}"

    @property
    def estimates(self) -> EstimateTable:
        return EstimateTable((*self.combined, *self.people_alone, *self.judge_alone))

    def __getitem__(self, name: str) -> Estimate:
        """The combined estimate of a class, a system or a difference."""
        return EstimateTable(self.combined)[name]

    @property
    def effective_n(self) -> float:
        """How many human labels alone would be as precise, if the subset is random."""
        if self.sample != "random" or not math.isfinite(self.correlation):
            return math.nan
        return effective(self.n, self.n_judged, self.correlation**2)

    def labels_for(self, half_width: float) -> LabelsNeeded:
        """Human labels for an interval of this half-width: for every class, since the plan is for the class that needs the most; for means, the first."""
        if not half_width > 0:
            raise UsageError(f"a half-width of {half_width} is not possible; use a positive number such as 0.05.")
        level, v = self._planned.level, self.variance
        alone = human_only(v, half_width, level)
        if self.sample == "random":
            low, high = (r**2 for r in correlation_limits(self.correlation, self.n, level))
            at, best, worst = (
                by_prediction(v, rho2, self.n_judged, half_width, level)
                for rho2 in (self.correlation**2, max(low, high), min(low, high))
            )
            return LabelsNeeded(half_width, alone, at, best, worst, 0.0, "prediction", self._of)
        se, sp, p = self._errors()
        needed = by_errors(p, se, sp, self.n_judged, half_width, level)
        return LabelsNeeded(
            half_width,
            alone,
            needed,
            math.nan,
            math.nan,
            floor_of_errors(p, se, sp, self.n_judged, level),
            "errors",
            self._of,
        )

    def _errors(self) -> tuple[float, float, float]:
        """Sensitivity and specificity for the planned class against the rest, and its share."""
        first = self._planned.name
        rows = self.confusion
        n1 = sum(row.get(first, 0.0) for row in rows.values())
        hits = rows.get(first, {}).get(first, 0.0)
        others = {j: sum(v for k, v in row.items() if k != first) for j, row in rows.items()}
        n0, wrong = sum(others.values()), others.get(first, 0.0)
        value = self._planned.value
        if not n1 or not n0 or not math.isfinite(value) or hits / n1 <= wrong / n0:
            raise UsageError(
                "the judge's errors are not known well enough for planning; have people label more items of every class first."
            )
        return hits / n1, 1 - wrong / n0, min(max(value, 0.0), 1.0)

    @property
    def sentence(self) -> str:
        """The first figures in words."""
        parts = [f"{e.name} {shown(e.value, 3)}{_limits(e)}" for e in self.combined[:4]]
        more = f" and {len(self.combined) - 4} more" if len(self.combined) > 4 else ""
        alone = {e.name: e for e in self.people_alone}
        beside = [
            (e.name, alone[f"{e.name}, people alone"]) for e in self.combined[:4] if f"{e.name}, people alone" in alone
        ]
        tail = ""
        if beside:
            said = ", ".join(f"{name} {shown(e.value, 3)}{_limits(e)}" for name, e in beside)
            how = (
                ", with each person's label weighted by its share of the item" if self.estimate == "prevalence" else ""
            )
            tail = f" People's labels of these {self.n:,} items alone give {said}{how}."
        what = {"prevalence": "Shares of classes", "mean": "The mean", "difference": "The difference"}[self.estimate]
        return (
            f"{what} as people would label all items: {', '.join(parts)}{more}; {ROADS[self.method]}, from {self.n:,} items with both labels "
            f"and {self.n_judged:,} that only {self.judge} labelled.{tail}"
        )

    def to_dict(self) -> dict[str, Any]:
        about = ("judge", "estimate", "sample", "method", "n", "n_judged", "lam", "correlation", "effective_n", "confusion",
                 "variance_shares", "ranks", "sentence", "warnings")  # fmt: skip
        return {
            "schema": SCHEMA,
            **{name: jsonable(getattr(self, name)) for name in about},
            "estimates": self.estimates.to_dict()["estimates"],
        }

    def to_columns(self) -> dict[str, list[Any]]:
        return self.estimates.to_columns()

    def plot(self) -> Any:
        """A chart of the combined figures and those of people alone."""
        rows = [*self.combined, *self.people_alone]
        return intervals([e.name for e in rows], [e.value for e in rows], [e.low for e in rows], [e.high for e in rows],
                         axis=self.estimate, name="calibration", caption=self.sentence).altair()  # fmt: skip

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"  {e}" for e in self.estimates), *(f"note: {w}" for w in self.warnings)])

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.sentence)}</p>{self.estimates._repr_html_()}"


def _limits(e: Estimate) -> str:
    return f" [{shown(e.low, 3)}, {shown(e.high, 3)}]" if math.isfinite(e.low) else ""
