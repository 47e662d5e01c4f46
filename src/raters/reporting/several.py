"""Several questions of one source as one table: a row each, grouped by verdict, worst first, and what to do first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from raters.estimate import Estimate
from raters.reporting.advice import some_of
from raters.reporting.agree_answer import GROUPS, of_groups
from raters.reporting.document import GOOD, Document, Figure, Section, Step, Verdict
from raters.reporting.headline import upper

NOT_MEASURED = "not measured"
USE = "use it"
"""What the table advises where one label is reliable."""


@dataclass(frozen=True)
class Asked:
    """One of several questions: its row, and its own report."""

    key: str
    """Of its part of the page: q1, q2, ..."""
    name: str
    verdict: Verdict
    sections: tuple[Section, ...]
    percent: float
    """How often two labels of an item are the same."""
    n: int
    """Items with two or more labels."""

    @property
    def figure(self) -> Figure:
        """Of one label."""
        return self.verdict.figures[0]

    @property
    def step(self) -> str:
        """What to do first, in a few words."""
        return USE if self.figure.tone == GOOD else self.verdict.first.title

    @property
    def measured(self) -> bool:
        e = self.figure.estimate
        return e is not None and math.isfinite(e.value)

    @property
    def place(self) -> float:
        e = self.figure.estimate
        return float(e.value) if e is not None and self.measured else math.inf

    @property
    def answered(self) -> Iterator[Section]:
        return (s for s in self.sections if not s.absent)


def asked(report: Document) -> tuple[Asked, ...]:
    """The questions of a document, in the order of the file."""
    rows = {row.name: row for row in report.paper.rows} if report.paper is not None else {}
    found = []
    for n, (name, verdict) in enumerate(report.verdicts.items(), 1):
        row = rows.get(name)
        own = tuple(s for s in report.sections if s.key.startswith(f"q{n}-"))
        found.append(
            Asked(f"q{n}", name, verdict, own, row.percent if row else math.nan, row.n if row else 0),
        )
    return tuple(found)


def by_verdict(report: Document) -> dict[str, tuple[Asked, ...]]:
    """For each verdict in words its questions, the lowest agreement first."""
    every = asked(report)
    found = {
        words: tuple(sorted((q for q in every if q.measured and q.figure.tone == tone), key=lambda q: q.place))
        for tone, (_, words) in GROUPS.items()
    }
    found[NOT_MEASURED] = tuple(q for q in every if not q.measured)
    return {words: some for words, some in found.items() if some}


def headline(report: Document) -> str:
    """How many questions have which verdict."""
    every = asked(report)
    rows = {q.name: q.figure.estimate or Estimate(q.name, math.nan) for q in every}
    return of_groups(rows, {q.name: NOT_MEASURED for q in every if not q.measured}, "question")


def first_of_all(report: Document) -> Step | None:
    """The first step that most of the questions share which are not reliable; of those, the one with the least
    agreement speaks.
    """
    those = most_shared(report)
    if not those:
        return None
    title = those[0].step
    about = those[0].verdict.first
    if len(those) == 1:
        return Step(about.kind, f"{title} ({those[0].name})", about.text)
    text = f"This is the first step for {len(those)} of {len(report.verdicts)} questions, the lowest first."
    return Step(about.kind, f"{title} ({some_of([q.name for q in those])})", text)


def most_shared(report: Document) -> list[Asked]:
    """The questions that are not reliable and share the most frequent first step, the lowest agreement first."""
    open_ = [q for group in by_verdict(report).values() for q in group if q.step != USE]
    steps = [q.step for q in open_]
    return [q for q in open_ if q.step == max(dict.fromkeys(steps), key=steps.count)]


def lines(report: Document) -> list[str]:
    """The same where there is no page: the answer, the first step, and a line for each question."""
    step, shared = first_of_all(report), {q.name for q in most_shared(report)}

    def row(q: Asked) -> str:
        return f"{q.name} {q.figure.shown}{'' if q.name in shared else f' ({q.step})'}"

    found = [headline(report), *([f"First: {step.title}. {step.text}"] if step else [])]
    for words, group in by_verdict(report).items():
        found += [f"{upper(words)}: " + "; ".join(map(row, group)) + "."]
    return found
