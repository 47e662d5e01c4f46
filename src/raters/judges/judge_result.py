"""The results of ``judge``: the figures, the test and the verdict for each judge; and how far several judges make the same errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, overload

from raters.charts.points import intervals
from raters.estimate import SCHEMA, Estimate, EstimateTable, Result, jsonable, row_named
from raters.judges.alt_test_power import Power
from raters.judges.alt_test_result import AltTest
from raters.judges.biases import Biases
from raters.judges.confusion import Confidence, Confusion
from raters.judges.consistency import Consistency
from raters.judges.preferring import Preferring
from raters.judges.several import Several
from raters.judges.verdict import OUTCOMES
from raters.judges.version_drift import Drift

SHORT = dict(
    zip(OUTCOMES, ("May stand in", "Pass the test, with a gap", "Should not yet", "Not clear yet"), strict=True)
)
PLOTTED = ("kappa", "kappa_people", "leave_one_out", "leave_one_out_people", "kappa_x", "alpha_people")


@dataclass(frozen=True, repr=False)
class JudgeReport(Result):
    """One judge compared with people."""

    judge: str
    outcome: str
    """``"yes"``, ``"yes, with a gap"``, ``"no"`` or ``"cannot tell yet"``."""
    verdict: str
    advice: str
    """What to do about it."""
    figures: EstimateTable
    """Agreement with people, agreement of people with each other, and the test's two figures."""
    alt_test: AltTest | None
    power: Power | None
    confusion: Confusion | None
    bias: tuple[Estimate, ...]
    """The judge's share of each class minus people's; for numbers, the mean difference."""
    confidence: Confidence | None
    consistency: Consistency | None
    biases: Biases | None = None
    preferences: Preferring | None = None
    """For winners of pairs: agreement of votes, and which system is better according to people and to the judge."""
    labels: Mapping[str, float] = field(default_factory=dict)
    """People's share of each label, the base rates."""
    refusals: int = 0
    notes: tuple[str, ...] = ()
    drift: Drift | None = None
    """What changed since an earlier version."""

    def __getitem__(self, name: str) -> Estimate:
        return self.figures[name]

    @property
    def estimates(self) -> EstimateTable:
        return self.figures

    def to_dict(self) -> dict[str, Any]:
        parts = ("alt_test", "power", "confusion", "confidence", "consistency", "biases", "preferences", "drift")
        about = ("judge", "outcome", "verdict", "advice", "labels", "refusals", "notes")
        return {
            **{name: jsonable(getattr(self, name)) for name in about},
            "estimates": [e.to_dict() for e in self.figures],
            "bias": [e.to_dict() for e in self.bias],
            **{name: (None if getattr(self, name) is None else getattr(self, name).to_dict()) for name in parts},
        }

    def to_columns(self) -> dict[str, list[Any]]:
        return self.figures.to_columns()

    def plot(self) -> Any:
        """A chart of agreement between the model and people, and of people with each other."""
        rows = [e for e in self.figures if e.name in PLOTTED]
        return intervals([e.title for e in rows], [e.value for e in rows], [e.low for e in rows], [e.high for e in rows],
                         axis="agreement beyond chance", name="judge", caption=self.verdict).altair()  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(
            [self.verdict, self.advice, *(f"  {e}" for e in self.figures), *(f"note: {n}" for n in self.notes)]
        )

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.verdict)}</p>{self.figures._repr_html_()}"


@dataclass(frozen=True, repr=False)
class JudgeReports(Result, Sequence[JudgeReport]):
    """Every judge, accessed by position or by name; ``several`` says how far they make the same errors."""

    reports: tuple[JudgeReport, ...]
    several: Several | None = None
    note: str = ""
    """How labels were read, if that was inferred."""

    def __len__(self) -> int:
        return len(self.reports)

    def __iter__(self) -> Iterator[JudgeReport]:
        return iter(self.reports)

    def __contains__(self, key: object) -> bool:
        return key in ([r.judge for r in self.reports] if isinstance(key, str) else self.reports)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: int | str) -> JudgeReport: ...
        @overload
        def __getitem__(self, key: slice) -> JudgeReports: ...

    def __getitem__(self, key: int | str | slice) -> JudgeReport | JudgeReports:
        """A judge's report by its position or by the judge's name; a slice is a table with the same ``several``."""
        if isinstance(key, slice):
            return JudgeReports(self.reports[key], self.several)
        return (
            row_named(self.reports, [r.judge for r in self.reports], key) if isinstance(key, str) else self.reports[key]
        )

    @property
    def verdict(self) -> str:
        """The verdict on each judge, one sentence each."""
        return "\n".join(r.verdict for r in self.reports)

    @property
    def summary(self) -> str:
        """Which judges may stand in for people, in one line."""
        by = {end: [r.judge for r in self.reports if r.outcome == end] for end in OUTCOMES}
        parts = [f"{SHORT[end]}: {', '.join(names)}" for end, names in by.items() if names]
        return f"{len(self.reports)} judges compared with {self.reports[0].figures[0].n_raters} people. {'; '.join(parts)}."

    @property
    def estimates(self) -> EstimateTable:
        return EstimateTable(tuple(e for r in self.reports for e in r.figures))

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "note": self.note,
            "judges": [r.to_dict() for r in self.reports],
            "several": self.several and self.several.to_dict(),
        }

    def to_columns(self) -> dict[str, list[Any]]:
        return self.estimates.to_columns()

    def plot(self) -> Any:
        """A chart of the gap between each judge and people."""
        rows = [r["kappa_gap"] for r in self.reports]
        return intervals([r.judge for r in self.reports], [e.value for e in rows], [e.low for e in rows], [e.high for e in rows],
                         axis="kappa with people minus people's own", marks=(0.0,), name="judges", caption="The gap between each judge and people.").altair()  # fmt: skip

    def __str__(self) -> str:
        return "\n".join([*map(str, self.reports), *([self.several.sentence] if self.several else [])])

    def _repr_html_(self) -> str:
        return "".join(r._repr_html_() for r in self.reports)
