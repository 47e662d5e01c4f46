"""The results of the alternative-annotator test, with a row for each person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, overload

from raters.charts.points import intervals
from raters.estimate import SCHEMA, Estimate, EstimateTable, Result, jsonable, row_named, shown

PASSES = 0.5


@dataclass(frozen=True)
class Person:
    """One person compared with the model, by how well each agrees with the other people."""

    name: str
    n_items: int
    gap: float
    """Mean of W_h - W_f: how much more often the person is closer to the others than the model is."""
    advantage: float
    """Share of items on which the model is at least as close to the others as the person."""
    p: float
    replaced: bool
    """Whether the test shows that the model is worse than this person by less than epsilon."""

    def to_dict(self) -> dict[str, Any]:
        return {k: jsonable(v) for k, v in vars(self).items()}


@dataclass(frozen=True, repr=False)
class AltTest(Result):
    """The alternative-annotator test of one model."""

    judge: str
    epsilon: float
    q: float
    similarity: str
    test: str
    winning_rate: Estimate
    """Share of people whom the model may replace; it passes if this is at least one half."""
    advantage: Estimate
    """Mean over people of how often the model is at least as close to the others as the person."""
    people: tuple[Person, ...]
    left_out: tuple[str, ...]
    """Names of people with too few items."""
    least: int

    @property
    def passed(self) -> bool:
        return bool(self.winning_rate.value >= PASSES)

    @property
    def estimates(self) -> EstimateTable:
        return EstimateTable((self.winning_rate, self.advantage))

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        n = sum(p.replaced for p in self.people)
        done = "passes" if self.passed else "does not pass"
        left = (
            f" {len(self.left_out)} left out with fewer than {self.least} items: {', '.join(self.left_out[:5])}."
            if self.left_out
            else ""
        )
        return (
            f"{self.judge} {done} the alternative-annotator test at epsilon {self.epsilon:g}: it may replace {n} of {len(self.people)} people "
            f"(winning rate {shown(self.winning_rate.value, 2)}, advantage probability {shown(self.advantage.value, 3)}).{left}"
        )

    def to_dict(self) -> dict[str, Any]:
        about = ("judge", "epsilon", "q", "similarity", "test", "passed", "left_out", "least", "sentence")
        return {"schema": SCHEMA, **{name: jsonable(getattr(self, name)) for name in about},
                "estimates": [e.to_dict() for e in self.estimates], "people": [p.to_dict() for p in self.people]}  # fmt: skip

    def to_columns(self) -> dict[str, list[Any]]:
        """One row for each person."""
        rows = [{"judge": self.judge, **p.to_dict()} for p in self.people]
        return {key: [row[key] for row in rows] for key in rows[0]}

    def plot(self) -> Any:
        """The share of items on which the model is at least as close to the others, for each person."""
        names, values = [p.name for p in self.people], [p.advantage for p in self.people]
        return intervals(
            names, values, axis="advantage probability", marks=(PASSES,), name="alt-test", caption=self.sentence
        ).altair()

    def __str__(self) -> str:
        rows = [
            f"  {p.name}: gap {shown(p.gap)}, advantage {shown(p.advantage)}, p {p.p:.4g}, {p.n_items:,} items"
            for p in self.people
        ]
        return "\n".join([self.sentence, *rows])

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.sentence)}</p>{self.estimates._repr_html_()}"


@dataclass(frozen=True, repr=False)
class AltTests(Result, Sequence[AltTest]):
    """The test of several models, on the same bootstrap samples; accessed by position or by name."""

    tests: tuple[AltTest, ...]

    def __len__(self) -> int:
        return len(self.tests)

    def __iter__(self) -> Iterator[AltTest]:
        return iter(self.tests)

    def __contains__(self, key: object) -> bool:
        return key in ([t.judge for t in self.tests] if isinstance(key, str) else self.tests)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: int | str) -> AltTest: ...
        @overload
        def __getitem__(self, key: slice) -> AltTests: ...

    def __getitem__(self, key: int | str | slice) -> AltTest | AltTests:
        """A model's test by its position or by the model's name; a slice is a table."""
        if isinstance(key, slice):
            return AltTests(self.tests[key])
        return row_named(self.tests, [t.judge for t in self.tests], key) if isinstance(key, str) else self.tests[key]

    def to_dict(self) -> dict[str, Any]:
        return {"schema": SCHEMA, "tests": [t.to_dict() for t in self.tests]}

    def to_columns(self) -> dict[str, list[Any]]:
        """One row for each judge and person."""
        parts = [t.to_columns() for t in self.tests]
        return {key: [v for part in parts for v in part[key]] for key in parts[0]}

    def plot(self) -> Any:
        """Advantage probability of each judge, with its interval."""
        found = [t.advantage for t in self.tests]
        return intervals([t.judge for t in self.tests], [e.value for e in found], [e.low for e in found], [e.high for e in found],
                         axis="advantage probability", marks=(PASSES,), name="alt-test", caption="Advantage probability.").altair()  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(t.sentence for t in self.tests)

    def _repr_html_(self) -> str:
        return "".join(f"<p>{escape(t.sentence)}</p>" for t in self.tests)
