"""One report of several questions: the sections of each, under its name, in one file with contents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from raters.reporting.first_lines import for_one
from raters.reporting.paper import Paper
from raters.reporting.paper_table import questions_together
from raters.reporting.report import Report


def together(reports: Mapping[str, Report], source: str) -> Report:
    """The reports of several questions of one source as one. Every section says which question it is about."""
    first = next(iter(reports.values()))
    sections = [
        replace(s, key=f"q{n}-{s.key}", question=f"{name}: {s.question}")
        for n, (name, report) in enumerate(reports.items(), 1)
        for s in report.sections
    ]
    about = [f"{len(reports)} questions: {', '.join(reports)}"]
    about += [f"{name}: {report.about[0]}" for name, report in reports.items()]
    data = {**first.data, "question": next(iter(reports)), "questions": {q: r.data for q, r in reports.items()}}
    methods = " ".join(f"{name}: {report.methods}" for name, report in reports.items())
    references = tuple(dict.fromkeys(r for report in reports.values() for r in report.references))
    title = f"How far can the labels of {source} be trusted?"
    short = " ".join(f"{name}: {report.short_methods}" for name, report in reports.items())
    lost = [f"{name}: {for_one(report.not_used, name)}" for name, report in reports.items() if report.not_used]
    return Report(
        title,
        data,
        tuple(about),
        tuple(sections),
        methods,
        references,
        first.made,
        not_used=" ".join(lost),
        short_methods=short,
        paper=_paper(reports, source),
        assumed=tuple(a for report in reports.values() for a in report.assumed),
        verdicts={
            name: replace(
                report.verdict,
                then=tuple((f"q{n}-{key}", words) for key, words in report.verdict.then if key != "methods"),
            )
            for n, (name, report) in enumerate(reports.items(), 1)
            if report.verdict is not None
        },
    )


def _paper(reports: Mapping[str, Report], source: str) -> Paper | None:
    """One row for each question."""
    there = {name: report.paper for name, report in reports.items() if report.paper is not None}
    rows = [replace(p.rows[0], name=name) for name, p in there.items()]
    return questions_together(rows, source) if rows else None
