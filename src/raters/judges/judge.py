"""``judge``: can a model stand in for people? The whole answer, from the labels of people and of one or several
judges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np

from raters.charts.points import intervals
from raters.errors import DataError, UsageError, listed
from raters.estimate import SCHEMA, Estimate, EstimateTable, Result, jsonable, row_named
from raters.inference.intervals import IntervalSpec
from raters.io.any_table import Source
from raters.judges.alt_test import LEAST, AltTest, NobodyCompared, alt_tests
from raters.judges.alt_test_power import Power, power
from raters.judges.by_class import ClassFigures, by_class
from raters.judges.confusion import (
    Biases,
    Columns,
    Confidence,
    Confusion,
    biases,
    class_bias,
    confusion,
    stated_confidence,
)
from raters.judges.cross_replication import Consistency, consistency, crossed
from raters.judges.kappas import checked, with_people
from raters.judges.people_and_judges import Sides, sides, two_tables
from raters.judges.preferences import Preferring, ballots, preferring
from raters.judges.shared_errors import Several, several
from raters.judges.verdict import MARGIN, Outcome, Standing, advice, standing, verdict
from raters.notes.note import Note, in_json
from raters.options import asks, filled
from raters.options.declared import Inference
from raters.scales import Weights
from raters.spans.asking import or_of_spans
from raters.spans.comparing import judge as judge_spans

PLOTTED = ("kappa", "kappa_people", "leave_one_out", "leave_one_out_people", "kappa_x", "alpha_people")


@dataclass(frozen=True, repr=False)
class JudgeReport(Result):
    """One judge compared with people."""

    judge: str
    outcome: Outcome
    """``"yes"``, ``"yes, with a gap"``, ``"no"`` or ``"cannot tell yet"``."""
    verdict: str
    advice: str
    """What to do about it."""
    margin: float
    """How much worse than people it may be."""
    needed: float
    """Items with which a judge like this would be shown to be within the margin in 80 % of studies."""
    figures: EstimateTable
    """Agreement with people, agreement of people with each other, and the test's two figures."""
    alt_test: AltTest | None
    power: Power | None
    confusion: Confusion | None
    classes: tuple[ClassFigures, ...]
    """Precision and recall of each class, beside people's."""
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
    notes: tuple[Note, ...] = ()

    def __getitem__(self, name: str) -> Estimate:
        return self.figures[name]

    @property
    def estimates(self) -> EstimateTable:
        return self.figures

    def to_dict(self) -> dict[str, Any]:
        parts = ("alt_test", "power", "confusion", "confidence", "consistency", "biases", "preferences")
        about = ("judge", "outcome", "verdict", "advice", "margin", "needed", "labels", "refusals")
        return {
            **{name: jsonable(getattr(self, name)) for name in about},
            **jsonable(in_json(self.notes)),
            "estimates": jsonable(self.figures.estimates),
            "classes": jsonable(self.classes),
            "bias": jsonable(self.bias),
            **{name: jsonable(getattr(self, name)) for name in parts},
        }

    def to_columns(self) -> dict[str, list[Any]]:
        return self.figures.to_columns()

    def plot(self) -> Any:
        """A chart of agreement between the model and people, and of people with each other."""
        rows = [e for e in self.figures if e.name in PLOTTED]
        return intervals(
            [e.title for e in rows],
            [e.value for e in rows],
            [e.low for e in rows],
            [e.high for e in rows],
            axis="agreement beyond chance",
            name="judge",
            caption=self.verdict,
        ).altair()

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
    note: Note | None = None
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
        by = {end: [r.judge for r in self.reports if r.outcome == end] for end in Outcome}
        parts = [f"{end.short}: {', '.join(names)}" for end, names in by.items() if names]
        return (
            f"{len(self.reports)} judges compared with {self.reports[0].figures[0].n_raters} people."
            f" {'. '.join(parts)}."
        )

    @property
    def estimates(self) -> EstimateTable:
        return EstimateTable(tuple(e for r in self.reports for e in r.figures))

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "note": str(self.note or ""),
            "judges": jsonable(self.reports),
            "several": jsonable(self.several),
        }

    def to_columns(self) -> dict[str, list[Any]]:
        return self.estimates.to_columns()

    def plot(self) -> Any:
        """A chart of the gap between each judge and people."""
        rows = [r["kappa_gap"] for r in self.reports]
        return intervals(
            [r.judge for r in self.reports],
            [e.value for e in rows],
            [e.low for e in rows],
            [e.high for e in rows],
            axis="kappa with people minus people's own",
            marks=(0.0,),
            name="judges",
            caption="The gap between each judge and people.",
        ).altair()

    def __str__(self) -> str:
        return "\n".join([*map(str, self.reports), *([self.several.sentence] if self.several else [])])

    def _repr_html_(self) -> str:
        return "".join(r._repr_html_() for r in self.reports)


CONFIDENCE = "confidence"


@or_of_spans(judge_spans)
@asks()
def judge(
    people: Source,
    model: Source | None = None,
    *,
    judges: Sequence[str] | None = None,
    judges_from: str | None = None,
    margin: float = MARGIN,
    epsilon: float = 0.1,
    similarity: Any = None,
    weights: Weights | None = None,
    q: float = 0.05,
    confidence: str | None = None,
    family: str | Mapping[str, str] | None = None,
    position: str | None = None,
    second: str | None = None,
    length: str | None = None,
    own: str | None = None,
    **options: Unpack[Inference],
) -> JudgeReports:
    """Compare each model with people: agreement relative to people's own, the alternative-annotator test, errors,
    consistency, and a verdict.

    Two tables, or one in which ``judges`` (names) or ``judges_from`` (a column that says model or human) identify the
    models. If a judge labelled an item more than once, its labels are runs: the first run represents the judge, and all
    runs measure its consistency.

    ``margin``: how much worse than people the judge may be; the verdict is "yes" only if the intervals of its gaps show
    that it is not. ``epsilon``: that of the alternative-annotator test: .2 for experts, .15 for skilled people, .1 for
    a crowd. ``weights``: the weights of the pairwise
    kappas; unweighted by default (quadratic beyond 20 different values, MASI for sets). ``confidence``: the column of
    the judge's stated confidence; a column of that name is used by default. ``family``: a column, or judge -> family.
    ``position``, ``second``: for preferences, the columns of the systems
    shown first and second (labels are winners or a tie), identified by names such as ``model_a`` and ``model_b``. The
    verdict on a pair shown in both orders is the system that won both times, otherwise a tie. ``length``, ``own``:
    columns of the judges' table that reveal biases: the length of the judged text, and its family, to be compared with
    the judge's own.

    >>> from raters.io.read import read
    >>> rows = [(i, p, "ab"[(i + (p == "ann" and i % 9 == 0)) % 2]) for i in range(90) for p in ("ann", "bob", "cat")]
    >>> report = judge(read(rows), read([(i, "m", "ab"[i % 2]) for i in range(90)]), resamples=200)[0]
    >>> str(report.outcome), round(report["kappa"].value, 3), round(report["kappa_people"].value, 3)
    ('yes', 0.926, 0.852)
    """
    spec = checked(options)
    if not 0 <= epsilon < 1:
        raise UsageError(
            f"epsilon={epsilon} is not a share of items: use .2 for experts, .15 for skilled people, .1 for a crowd."
        )
    if not 0 < margin < 1:
        raise UsageError(f"margin={margin} is not between 0 and 1; {MARGIN} allows a kappa that is {MARGIN} lower.")
    tables = two_tables(people, model, judges, judges_from)
    pairs = ballots(*tables, position, second)
    s = sides(*(pairs.tables if pairs else tables))
    given = filled(Inference, options)
    many = 0 if given["interval"] is None else spec.resamples
    agreement = with_people(s, weights, spec, many)
    tests, why = _tests(s, epsilon, similarity, q, spec, many)
    shared, families = _base_rates(s), _families(s, family)
    columns = Columns(length, own)
    reports = []
    for j, name in enumerate(s.judges):
        one = s.only(j) if len(s.judges) > 1 else s
        test = tests[j]
        found = agreement[j] | crossed(one, options)
        if test is not None:
            found |= {"winning_rate": test.winning_rate, "advantage": test.advantage}
        ahead = (
            power(s, j, epsilon, similarity=similarity, q=q, seed=spec.seed)
            if test is not None and not test.passed
            else None
        )
        votes = preferring(pairs, name, spec.level) if pairs else None
        seen = biases(one, columns, families, spec, many, votes.orders if votes else None)
        sure = _confidence(one, confidence, spec, many)
        exact = (s.scale.ordered or s.scale.turns) and found["kappa"].unweighted
        beside = replace(standing(found, exact, s.numbers, margin), classes=by_class(s, j, margin, spec, many))
        reports.append(
            _report(
                name, one, found, beside, test, ahead, why.get(j, ""), sure, seen, votes, spec, many, options, shared
            )
        )
    return JudgeReports(tuple(reports), several(s, spec, many, families), pairs.note if pairs else None)


def _tests(
    s: Sides, epsilon: float, similarity: Any, q: float, spec: IntervalSpec, many: int
) -> tuple[list[AltTest | None], dict[int, str]]:
    """The test of each judge, or why there is none."""
    try:
        return list(alt_tests(s, epsilon, similarity, q, LEAST, "t", spec, many)), {}
    except DataError:
        pass
    tests: list[AltTest | None] = []
    why: dict[int, str] = {}
    for j in range(len(s.judges)):
        try:
            tests.append(alt_tests(s.only(j), epsilon, similarity, q, LEAST, "t", spec, many)[0])
        except DataError as error:
            tests.append(None)
            alone = (
                "there is only one person, but the test compares the model with each person by their agreement with the"
                " others"
            )
            why[j] = alone if len(s.people) == 1 else error.found if isinstance(error, NobodyCompared) else str(error)
    return tests, why


def _report(
    name: str,
    one: Sides,
    found: dict[str, Any],
    beside: Standing,
    test: AltTest | None,
    ahead: Power | None,
    why: str,
    sure: Confidence | None,
    seen: Biases | None,
    votes: Preferring | None,
    spec: IntervalSpec,
    many: int,
    options: Inference,
    shared: dict[str, float],
) -> JudgeReport:
    kappa, people, n = found["kappa"], found["kappa_people"], len(one.people)
    return JudgeReport(
        name,
        beside.outcome,
        verdict(name, beside, kappa, people, test, n, why),
        advice(beside, n, people),
        beside.margin,
        beside.needed,
        EstimateTable(tuple(found.values())),
        test,
        ahead,
        confusion(one, spec, many),
        beside.classes,
        class_bias(one, spec, many),
        sure,
        consistency(one, options),
        seen,
        votes,
        shared,
        int(one.refusals[0]),
        tuple(_notes(one)),
    )


def _notes(s: Sides) -> list[Note]:
    """What was excluded, and what the judge did that no figure shows."""
    notes = []
    if s.left_out:
        notes.append(Note("items_of_one_side", {"n": s.left_out}))
    if s.refusals[0]:
        notes.append(Note("verdicts_no_numbers", {"n": int(s.refusals[0])}))
    used = set(np.unique(s.said[s.said[:, 0] >= 0, 0]).tolist())
    own = set(np.flatnonzero(np.asarray(s.counts.sum(0)).ravel() > 0).tolist())
    if len(s.labels) <= 60 and not s.numbers:
        never = [s.labels[k] for k in sorted(own - used)]
        only = [s.labels[k] for k in sorted(used - own)]
        if never:
            notes.append(Note("labels_judge_never_uses", {"labels": never}))
        if only:
            notes.append(Note("labels_only_judge_uses", {"labels": only}))
    return notes


def _base_rates(s: Sides) -> dict[str, float]:
    if len(s.labels) > 60:
        return {}
    total = np.asarray(s.counts.sum(0)).ravel()
    return {str(label): float(x) for label, x in zip(s.labels, total / total.sum(), strict=True)}


def _confidence(s: Sides, column: str | None, spec: IntervalSpec, many: int) -> Confidence | None:
    extras = s.tables[1].extras
    if column is not None and column not in extras:
        raise UsageError(f"the table of judges has no column {column!r}; other columns are {listed(extras) or 'none'}.")
    name = column or next((c for c in extras if c.lower() == CONFIDENCE), None)
    return None if name is None else stated_confidence(s, name, spec, many)


def _families(s: Sides, family: str | Mapping[str, str] | None) -> Mapping[str, str] | None:
    if family is None or not isinstance(family, str):
        return family
    model = s.tables[1]
    if family not in model.extras:
        raise UsageError(
            f"the table of judges has no column {family!r}; other columns are {listed(model.extras) or 'none'}."
        )
    got = model.engine.query(
        f"SELECT rater, min(CAST({model.engine.quote(family)} AS STRING)) AS f FROM annotations GROUP BY rater"
    )
    return {str(r): str(f) for r, f in zip(got["rater"].tolist(), got["f"].tolist(), strict=True)}
