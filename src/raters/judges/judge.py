"""``judge``: can a model stand in for people? The whole answer, from the labels of people and of one or several
judges.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from raters.charts.points import intervals
from raters.errors import DataError, UsageError, listed
from raters.estimate import SCHEMA, Estimate, EstimateTable, Result, jsonable, row_named, shown
from raters.inference.intervals import IntervalSpec
from raters.io.any_table import Source
from raters.judges.alt_test import LEAST, AltTest, NobodyCompared, alt_tests
from raters.judges.alt_test_power import GOAL, Power, power
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
from raters.notes.note import Note, in_json
from raters.options import asks
from raters.options.declared import Seed
from raters.scales import Weights

KINDS = ((0.2, "experts"), (0.15, "skilled people"), (0.1, "a crowd"))
"""The raters for whom an epsilon is meant."""


class Outcome(StrEnum):
    """Whether a judge may stand in for people."""

    short: str
    """The same in a list of several judges."""

    def __new__(cls, words: str, short: str) -> Outcome:
        made = str.__new__(cls, words)
        made._value_, made.short = words, short
        return made

    yes = "yes", "May stand in"
    gap = "yes, with a gap", "Pass the test, with a gap"
    no = "no", "Should not yet"
    unclear = "cannot tell yet", "Not clear yet"


def outcome(test: AltTest | None, gap: Estimate, near: Estimate | None = None) -> Outcome:
    """The answer, from the test and the chance-corrected gap together; a failed test alone never means "no".

    ``near``: the gap of kappa_x, if labels have distances and ``gap`` counts exact matches; only both together count
    against a judge.
    """
    behind = clearly_behind(gap, near)
    if test is None:
        return Outcome.unclear
    if test.passed:
        return Outcome.gap if behind else Outcome.yes
    return Outcome.no if behind else Outcome.unclear


def clearly_behind(gap: Estimate, near: Estimate | None) -> bool:
    """Whether the judge clearly agrees with people less than they do with each other."""
    return all(math.isfinite(e.high) and e.high < 0 for e in (gap, near) if e is not None)


def verdict(
    judge: str,
    test: AltTest | None,
    kappa: Estimate,
    people: Estimate,
    gap: Estimate,
    why: str = "",
    near: Estimate | None = None,
    power: Power | None = None,
) -> str:
    """Whether the judge may stand in for people, the evidence, and the conditions under which it was observed."""
    if test is None:
        return (
            f"Whether the judge {judge!r} may stand in for people is not clear yet:"
            f" {why.rstrip('.')}.{_alone(kappa, people, gap, near)}"
        )
    figures = _figures(kappa, people, gap, near)
    conditions = _conditions(test)
    n = sum(p.replaced for p in test.people)
    of = f"{n} of {len(test.people)} people"
    seen = f"may replace {of} in the alternative-annotator test (winning rate {shown(test.winning_rate.value, 2)})"
    found = outcome(test, gap, near)
    if found is Outcome.yes:
        return f"The judge {judge!r} may stand in for these people: it {seen}, and {figures}; {conditions}."
    if found is Outcome.gap:
        return (
            f"The judge {judge!r} passes the alternative-annotator test ({of}, winning rate"
            f" {shown(test.winning_rate.value, 2)}), which allows a gap of epsilon, but agrees with people less than"
            f" they do with each other: {figures}; {conditions}."
        )
    if found is Outcome.no:
        return (
            f"The judge {judge!r} should not stand in for these people yet: {figures}, and the alternative-annotator"
            f" test does not show otherwise ({of}); {conditions}."
        )
    tell = f" {power.sentence}" if power is not None else ""
    return (
        f"Whether the judge {judge!r} may stand in for these people is not clear yet: it {seen}, which is not a sign"
        f" that it is worse, and {figures}; {conditions}.{tell}"
    )


CORRECT = (
    "for shares or means over many items, correct its labels with your human ones (raters judge ... --estimate"
    " prevalence, or mean)"
)


def advice(found: Outcome, test: AltTest | None, power: Power | None, n_people: int, people: Estimate) -> str:
    """What to do about it, in a sentence that a non-statistician can act on."""
    if found is Outcome.yes:
        return (
            "What to do: use it for items like these, keep a few human labels to notice drift, and check again when the"
            " model, the prompt or the items change."
        )
    if found is Outcome.gap:
        return (
            "What to do: do not treat a single label of the model as a person's, and let people decide important"
            f" cases; {CORRECT}."
        )
    if found is Outcome.no:
        return (
            "What to do: let people continue to label. See below which labels the model confuses, change the prompt or"
            f" the model, and check again; {CORRECT}."
        )
    if test is None:
        most = (
            "have a second person label the same items"
            if n_people < 2
            else "have at least two people label the same items"
        )
        return f"What to do: {most} (at least 30; 50 to 100 are usual), then check again; meanwhile {CORRECT}."
    if not math.isfinite(people.value):
        return (
            "What to do: people's agreement is undefined (see the note), usually because they gave a single label"
            " throughout; add items of other kinds, then check again."
        )
    if power is None or power.never:
        return (
            "What to do: more items alone will hardly help. Change the prompt or the model, or decide in advance that"
            f" a larger epsilon is acceptable; {CORRECT}."
        )
    if power.power >= GOAL:
        return (
            "What to do: a judge like this would usually pass the test but did not here; collect labels from more"
            " people or for more items, and check again."
        )
    more = max(round(power.needed) - power.n_items, 1)
    return (
        f"What to do: have the people label about {more:,} more items (about {power.needed:,.0f} in total), then check"
        " again; until then, let people continue to label."
    )


def _figures(kappa: Estimate, people: Estimate, gap: Estimate, near: Estimate | None) -> str:
    plain = " (exact matches only)" if near is not None else ""
    if not math.isfinite(gap.value):
        return f"its kappa with people{plain} is {shown(kappa.value, 2)} (people with each other: undefined)"
    by_distance = f", or {_signed(near)} by distance" if near is not None and math.isfinite(near.value) else ""
    return (
        f"its kappa with people{plain} is {shown(kappa.value, 2)}, compared with {shown(people.value, 2)} among people"
        f" (gap {_signed(gap)}{by_distance})"
    )


def _signed(e: Estimate) -> str:
    return f"{e.value:+.2f}" + (f" [{shown(e.low, 2)}, {shown(e.high, 2)}]" if math.isfinite(e.low) else "")


def _alone(kappa: Estimate, people: Estimate, gap: Estimate, near: Estimate | None) -> str:
    """What is known without the test."""
    if not math.isfinite(kappa.value):
        return ""
    said = _figures(kappa, people, gap, near)
    behind = clearly_behind(gap, near)
    return f" {said[:1].upper()}{said[1:]}{': so far it agrees with people less than they do with each other' if behind else ''}."


def _conditions(test: AltTest) -> str:
    meant = next((f", meant for {who}" for epsilon, who in KINDS if math.isclose(test.epsilon, epsilon)), "")
    others = ", ".join(f"{epsilon:g} for {who}" for epsilon, who in KINDS if not math.isclose(test.epsilon, epsilon))
    meant = f"{meant} ({others})" if meant else ""
    left = f", {len(test.left_out)} others excluded with fewer than {test.least} items" if test.left_out else ""
    return (
        f"epsilon {test.epsilon:g}{meant}; {len(test.people)} people{left}; {test.winning_rate.n_items:,} items like"
        " these"
    )


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
    notes: tuple[Note, ...] = ()

    def __getitem__(self, name: str) -> Estimate:
        return self.figures[name]

    @property
    def estimates(self) -> EstimateTable:
        return self.figures

    def to_dict(self) -> dict[str, Any]:
        parts = ("alt_test", "power", "confusion", "confidence", "consistency", "biases", "preferences")
        about = ("judge", "outcome", "verdict", "advice", "labels", "refusals")
        return {
            **{name: jsonable(getattr(self, name)) for name in about},
            **jsonable(in_json(self.notes)),
            "estimates": [e.to_dict() for e in self.figures],
            "bias": [e.to_dict() for e in self.bias],
            **{name: None if getattr(self, name) is None else getattr(self, name).to_dict() for name in parts},
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
            f" {'; '.join(parts)}."
        )

    @property
    def estimates(self) -> EstimateTable:
        return EstimateTable(tuple(e for r in self.reports for e in r.figures))

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "note": str(self.note or ""),
            "judges": [r.to_dict() for r in self.reports],
            "several": self.several and self.several.to_dict(),
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


@asks()
def judge(
    people: Source,
    model: Source | None = None,
    *,
    judges: Sequence[str] | None = None,
    judges_from: str | None = None,
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
    interval: str | None = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: Seed = 0,
) -> JudgeReports:
    """Compare each model with people: agreement relative to people's own, the alternative-annotator test, errors,
    consistency, and a verdict.

    Two tables, or one in which ``judges`` (names) or ``judges_from`` (a column that says model or human) identify the
    models. If a judge labelled an item more than once, its labels are runs: the first run represents the judge, and all
    runs measure its consistency.

    ``epsilon``: .2 for experts, .15 for skilled people, .1 for a crowd. ``weights``: the weights of the pairwise
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
    spec = checked(interval, level, resamples, seed)
    if not 0 <= epsilon < 1:
        raise UsageError(
            f"epsilon={epsilon} is not a share of items: use .2 for experts, .15 for skilled people, .1 for a crowd."
        )
    tables = two_tables(people, model, judges, judges_from)
    pairs = ballots(*tables, position, second)
    s = sides(*(pairs.tables if pairs else tables))
    many = 0 if interval is None else resamples
    options: dict[str, Any] = {"interval": interval, "level": level, "resamples": resamples, "seed": seed}
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
            power(s, j, epsilon, similarity=similarity, q=q, seed=seed)
            if test is not None and not test.passed
            else None
        )
        votes = preferring(pairs, name, level) if pairs else None
        seen = biases(one, columns, families, spec, many, votes.orders if votes else None)
        sure = _confidence(one, confidence, spec, many)
        reports.append(
            _report(name, one, found, test, ahead, why.get(j, ""), sure, seen, votes, spec, many, options, shared)
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
    test: AltTest | None,
    ahead: Power | None,
    why: str,
    sure: Confidence | None,
    seen: Biases | None,
    votes: Preferring | None,
    spec: IntervalSpec,
    many: int,
    options: dict[str, Any],
    shared: dict[str, float],
) -> JudgeReport:
    kappa, people, gap = found["kappa"], found["kappa_people"], found["kappa_gap"]
    exact = (one.scale.ordered or one.scale.turns) and kappa.unweighted
    near = found["kappa_x_gap"] if exact else None
    end = outcome(test, gap, near)
    return JudgeReport(
        name,
        end,
        verdict(name, test, kappa, people, gap, why, near, ahead),
        advice(end, test, ahead, len(one.people), people),
        EstimateTable(tuple(found.values())),
        test,
        ahead,
        confusion(one, spec, many),
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
