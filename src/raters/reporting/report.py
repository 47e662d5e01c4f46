"""The report as users hold it: a document that renders and saves itself."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from json import loads
from pathlib import Path
from typing import Any, TypeVar

import numpy

from raters import __version__
from raters.agree.estimating import too_few_shared
from raters.annotations import Annotations
from raters.errors import RatersError, UsageError
from raters.estimate import Estimate, Result, columns_of
from raters.io.any_table import Source, table
from raters.io.read import read
from raters.io.table import SeveralQuestions
from raters.items.folding import refuse_spans
from raters.notes.note import in_words, of_question
from raters.options import asks
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, Document, Section
from raters.reporting.first_lines import assumed, first_lines
from raters.reporting.formats import FORMATS
from raters.reporting.how_read import how_read
from raters.reporting.html import fragment, one_page_html
from raters.reporting.methods import paragraph, references, short
from raters.reporting.names import as_sentence
from raters.reporting.of_spans import report_of_spans
from raters.reporting.paper_methods import with_methods
from raters.reporting.paper_table import Paper, paper_table, questions_together
from raters.reporting.sections.aggregate import aggregate
from raters.reporting.sections.agreement import agreement
from raters.reporting.sections.data import data
from raters.reporting.sections.judges import judges
from raters.reporting.sections.next_steps import next_steps
from raters.reporting.sections.pools import groups_of_raters, pools
from raters.reporting.sections.raters import raters
from raters.reporting.sections.sets import sets
from raters.reporting.sections.trust import trust
from raters.reporting.sections.usage import usage
from raters.reporting.sections.where import where
from raters.reporting.verdict import verdict
from raters.spans.asking import or_of_spans
from raters.writing import write_whole

ENDINGS = {
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
    ".txt": "text",
    ".csv": "csv",
}


def save(report: Document, path: Path, force: bool = False) -> Path:
    """The report in the format of the name's ending."""
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"{path.name!r} has no known format; use a name that ends in one of {', '.join(ENDINGS)}.")
    return write_whole(path, FORMATS[ENDINGS[path.suffix.lower()]](report).encode(), force)


@dataclass(frozen=True, repr=False)
class Report(Document, Result):
    """All questions that the data can answer. ``save("report.html")`` writes it in the format of the name's ending."""

    def render(self, format: str) -> str:
        """The report as ``text``, ``html``, ``json``, ``markdown``, ``latex``, ``card`` (a dataset card) or ``csv``."""
        if format not in FORMATS:
            raise UsageError(f"unknown format {format!r}: choose one of {', '.join(FORMATS)}.")
        return FORMATS[format](self)

    def text(self) -> str:
        return self.render("text")

    def html(self, *, one_page: bool = False) -> str:
        """The page; ``one_page``: on one printed page, to send around."""
        return one_page_html(self) if one_page else self.render("html")

    def json(self) -> str:
        return self.render("json")

    def markdown(self) -> str:
        return self.render("markdown")

    def latex(self) -> str:
        return self.render("latex")

    def card(self) -> str:
        return self.render("card")

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the report; the format is that of the name's ending (.html .json .md .tex .txt .csv)."""
        return save(self, Path(path), force)

    def to_dict(self) -> dict[str, Any]:
        """What ``json()`` writes, as plain values."""
        made: dict[str, Any] = loads(self.json())
        return made

    def to_columns(self) -> dict[str, list[Any]]:
        """Every estimate of the report, one row each, with its section and table."""
        found = (
            {"section": s.key, "table": t.name, **e.row()}
            for s in self.sections
            for t in s.tables()
            for row in t.rows
            for e in row
            if isinstance(e, Estimate)
        )
        return columns_of(list(found))

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        n = len(self.answered)
        return (
            f"<Report: {self.title} {n} of {len(self.sections)} questions answered, {len(self.estimates):,} estimates>"
        )

    def _repr_html_(self) -> str:
        return fragment(self)


@dataclass(frozen=True)
class Question:
    """A section of the report before it is made."""

    key: str
    """The section's name in the JSON, in links and in names of files."""
    question: str
    stage: str
    """What is going on while it is answered."""
    answer: Callable[[Context], Answer]
    overlap: bool = False
    """Whether it can be answered only where enough items have labels from two raters."""

    def section(self, c: Context) -> Section:
        why = too_few_shared(c.ann) if self.overlap else ""
        found = Answer(why, absent=True) if why else self.answer(c)
        blocks, details = (tuple(map(_read, some)) for some in (found.blocks, found.details))
        return Section(self.key, self.question, found.text, blocks, found.absent, details)


def _read(block: Block) -> Block:
    """Notes of the library are parts of a line on the terminal; a page has whole sentences."""
    return as_sentence(block) if isinstance(block, str) else block


QUESTIONS = (
    Question("data", "What is in the data?", "counting", data),
    Question("agreement", "How reliable is one label?", "agreement", agreement, overlap=True),
    Question("aggregate", "How reliable is the aggregate?", "reliability of the aggregate", aggregate, overlap=True),
    Question("where", "Where do people disagree?", "where people disagree", where, overlap=True),
    Question("raters", "Who stands out?", "raters", raters, overlap=True),
    Question("usage", "Which raters used which labels?", "labels of each rater", usage),
    Question("trust", "Which labels are settled?", "annotation model", trust, overlap=True),
    Question("pools", "Would another pool give the same labels?", "pools", pools),
    Question("judges", "May a model stand in for people?", "comparing judges with people", judges),
    Question("sets", "What if an item has several right labels?", "label sets", sets),
    Question("next", "What to do next?", "next steps", next_steps),
)

GROUPS = Question("groups", "Do groups of raters agree more within themselves?", "groups of raters", groups_of_raters)


@dataclass(frozen=True)
class Tables:
    """The tables of several questions, for what is said of all."""

    anns: Sequence[Annotations]
    names: Sequence[str]


def together(reports: Mapping[str, Report], source: str, anns: Mapping[str, Annotations] | None = None) -> Report:
    """The reports of several questions of one source as one. Every section says which question it is about; what was
    read in one way is said once.
    """
    first = next(iter(reports.values()))
    sections = [
        replace(s, key=f"q{n}-{s.key}", question=f"{name}: {s.question}")
        for n, (name, report) in enumerate(reports.items(), 1)
        for s in report.sections
    ]
    data = {**first.data, "question": next(iter(reports)), "questions": {q: r.data for q, r in reports.items()}}
    title = f"How far can the labels of {source} be trusted?"
    size, *read, lost = _read_together(reports, anns)
    with in_words():
        _, *plainly, _ = _read_together(reports, anns)
    pasted = _paper(reports, source)
    if pasted is not None and anns:
        pasted = with_methods(pasted, anns)
    methods = pasted.methods if pasted is not None and pasted.methods else first.methods
    works = references(f"{methods} {pasted.note if pasted else ''}", pasted.coefficients if pasted else ())
    return Report(
        title,
        data,
        (f"{source} · {len(reports)} questions{f' · {size}' if size else ''}", *read),
        tuple(sections),
        methods,
        works,
        first.made,
        not_used=lost,
        in_words=(lost, *plainly),
        paper=replace(pasted, methods="") if pasted is not None else None,
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


def _read_together(reports: Mapping[str, Report], anns: Mapping[str, Annotations] | None) -> list[str]:
    """Size, how the questions were read, each way once, and what was lost or could change the answer."""
    if anns:
        found = how_read(Tables(list(anns.values()), list(anns)))
        return [*found.by_name, found.change]
    lost = [f"{name}: {report.not_used}" for name, report in reports.items() if report.not_used]
    return ["", *(f"{name}: {report.about[0]}" for name, report in reports.items()), " ".join(lost)]


def _paper(reports: Mapping[str, Report], source: str) -> Paper | None:
    """One row for each question."""
    there = {name: report.paper for name, report in reports.items() if report.paper is not None}
    rows = [replace(p.rows[0], name=name) for name, p in there.items()]
    return questions_together(rows, source) if rows else None


F = TypeVar("F", bound=Callable[..., Report])


def _of_every_question(function: F) -> F:
    """A source that asks several questions gets one report on all of them, under the title that was given."""

    @wraps(function)
    def call(ann: Source, **options: Any) -> Report:
        try:
            return function(ann, **options)
        except SeveralQuestions as several:
            reports, anns = {}, {}
            for q in several.questions:
                with of_question(q):
                    anns[q] = read(several.table or ann, question=q)
                    reports[q] = function(anns[q], **options)
        made = together(reports, str(next(iter(reports.values())).data["source"]), anns)
        return replace(made, title=options["title"]) if options.get("title") else made

    return call  # type: ignore[return-value]


@or_of_spans(report_of_spans)
@asks()
@_of_every_question
def report(
    ann: Source,
    *,
    interval: str | None = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    target: float = 0.8,
    pool: str | None = None,
    judges: Sequence[str] = (),
    text: str | Sequence[str] | None = None,
    command: str | None = None,
    title: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Answer every question that the table can answer, in the order in which people ask them.

    ``target``: the reliability that the aggregate should reach. ``pool``: the column that names pools of raters.
    ``judges``: the raters that are models, to be compared with the others; their labels are in no other figure. ``interval``: the method for the
    coefficients' intervals, as in :func:`raters.agreement`; None for a report without any interval. ``text``: the
    column, or columns, that hold what was labelled, for the cards of the hardest items; found by their usual names if
    omitted. ``progress``: called with the name of each stage. Where a rater labelled an item twice and ``read`` was not
    told what to do, the report uses the first label and says so on its first line. Tables of spans and relations are
    refused. A source that asks several questions is answered for all of them in one report.

    >>> from raters import examples
    >>> made = report(examples.demo(), resamples=200)
    >>> made.section("agreement").answer[:30]
    "Krippendorff's alpha is 0.43, "
    """
    ann = table(ann)
    refuse_spans(ann)
    if not 0 < target < 1:
        raise UsageError(f"target={target} is not between 0 and 1.")
    if ann.duplicates == "error" and ann.repeats:
        ann = replace(ann, duplicates="first")
    everyone = ann
    ann = without(everyone, judges)
    c = Context(
        ann,
        level,
        resamples,
        seed,
        target,
        pool,
        progress=progress or (lambda stage: None),
        judges=tuple(judges),
        everyone=everyone,
        interval=interval,
        text=(text,) if isinstance(text, str) else None if text is None else tuple(text),
    )
    sections: list[Section] = []
    for question in QUESTIONS:
        c.progress(question.stage)
        sections.append(question.section(c))
        if question.answer is pools and c.groups is not None:  # only where something is known about raters
            sections.append(GROUPS.section(c))
    made = {
        "version": __version__,
        "seed": seed,
        "level": level,
        "interval": interval,
        "resamples": resamples,
        "target": target,
        "command": command,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "duckdb": _version("duckdb"),
    }
    lost = [c.plan] if c.plan else []
    same = c.ann is everyone  # figures of this report are of people alone where judges are named
    with in_words():
        plainly = " ".join([*lost, *first_lines(everyone, same, plain_scale=False)])
    methods, brief, pasted = paragraph(c, sections), short(c), paper(c)
    works = references(f"{methods} {brief} {pasted.note if pasted else ''}", pasted.coefficients if pasted else ())
    return Report(
        title or f"How far can the labels of {ann.source} be trusted?",
        everyone.summary(),
        tuple(str(everyone).splitlines()),
        tuple(sections),
        methods,
        works,
        made,
        " ".join([*lost, *first_lines(everyone, same, plain_scale=False)]),
        (plainly,),
        verdict(c, tuple(sections)),
        brief,
        pasted,
        assumed=tuple(a.to_dict() for a in assumed(everyone, same)),
    )


def without(ann: Annotations, judges: Sequence[str]) -> Annotations:
    """The labels of people: those of judges are compared with them, and are no part of what people's are worth."""
    if not judges:
        return ann
    from raters.judges.people_and_judges import split

    try:
        return split(ann, judges, None)[0]
    except UsageError:  # the section on judges says why
        return ann


def _version(package: str) -> str:
    from importlib.metadata import version

    return version(package)


def paper(c: Context) -> Paper | None:
    """The table for a paper; none where nothing can be compared."""
    if c.ann.used.per_item[2] < 2:
        return None
    try:
        return paper_table(c.ann, of_labels=c.quick, **c.options)
    except RatersError:
        return None
