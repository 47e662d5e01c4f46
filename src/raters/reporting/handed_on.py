"""Tables of a paper, reports and lists as Word documents and Excel workbooks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from raters.charts.chart import Chart
from raters.charts.of_results import estimate_intervals
from raters.coefficients import DEFAULT
from raters.errors import UsageError
from raters.estimate import Estimate, shown
from raters.reporting import several
from raters.reporting.document import Cards, Cell, Chance, Document, Share, Table, Verdict
from raters.reporting.formats import card_line
from raters.reporting.office import Heading, Part, Picture, Sheet, document, workbook
from raters.reporting.one_label import OWN_RULE
from raters.reporting.paper_methods import main_figures
from raters.reporting.paper_table import Paper

ROWS = 60
"""Rows of a table in a document; a workbook has all."""


def paper_sheet(paper: Paper) -> Sheet:
    return Sheet("table", paper.head, paper.cells, paper.caption)


def paper_notes(paper: Paper) -> list[str]:
    return [said for said in (paper.note, paper.methods) if said]


def figure(paper: Paper) -> Chart:
    """The main coefficient with its interval, one row a question or a label."""
    rows = main_figures(paper)
    if not rows:
        raise UsageError("there is no figure to draw, because no coefficient was asked for; omit -c percent.")
    marks = OWN_RULE if rows[0][1].coefficient == DEFAULT else ()
    axis = f"{rows[0][1].title} ({rows[0][1].level:.0%} interval)"
    table = [e for _, e in rows]
    return estimate_intervals(table, "paper", paper.caption, axis=axis, marks=marks, names=[name for name, _ in rows])


PAPER_FILES: Mapping[str, Callable[[Paper], bytes]] = {
    ".docx": lambda paper: document([paper_sheet(paper), *paper_notes(paper)]),
    ".xlsx": lambda paper: workbook(
        [paper_sheet(paper), Sheet("note", ("note",), [(said,) for said in (paper.caption, *paper_notes(paper))])]
    ),
    ".pdf": lambda paper: figure(paper).pdf(),
    ".png": lambda paper: figure(paper).png(),
    ".svg": lambda paper: figure(paper).svg().encode(),
}
"""The table of a paper, or its figure, by the ending of a file's name."""


def tables_of(report: Document) -> bytes:
    """Every table of a report as a sheet of one workbook."""
    return workbook(_sheet(f"{s.key} {t.name}", t, every=True) for s in report.sections for t in s.tables())


def _sheet(name: str, table: Table, every: bool) -> Sheet:
    """A table with its estimates as value, low and high, or for readers as text."""
    rows = (*table.rows, *table.rest) if every else table.rows[:ROWS]
    if not every:
        return Sheet(name, table.columns, [[_words(cell) for cell in row] for row in rows], table.caption)
    wide = [any(isinstance(row[i], Estimate) for row in rows) for i in range(len(table.columns))]
    head = [n for c, w in zip(table.columns, wide, strict=True) for n in ((c, f"{c} low", f"{c} high") if w else (c,))]
    made = [[x for cell, w in zip(row, wide, strict=True) for x in _numbers(cell, w)] for row in rows]
    return Sheet(name, head, made, table.caption)


def _numbers(cell: Cell, wide: bool) -> list[Any]:
    if isinstance(cell, Estimate):
        return [cell.value, cell.low, cell.high]
    plain = float(cell) if isinstance(cell, Share | Chance) else cell
    return [plain, None, None] if wide else [plain]


def _words(cell: Cell) -> str:
    """A cell as a reader sees it."""
    if cell is None:
        return ""
    if isinstance(cell, Estimate):
        limits = f" ({shown(cell.low, 2)} to {shown(cell.high, 2)})" if math.isfinite(cell.low) else ""
        return f"{shown(cell.value, 2)}{limits}" if math.isfinite(cell.value) else "–"
    if isinstance(cell, Share):
        return f"{float(cell):.0%}"
    return shown(cell, 2) if isinstance(cell, float) else str(cell)


def report_document(report: Document) -> bytes:
    """The report as a Word document: headings, tables, and pictures as images."""
    return document(_parts(report), report.title)


def _verdict(verdict: Verdict) -> Iterator[Part]:
    about, headline, *rest = verdict.lines
    yield about
    yield Heading(headline)
    yield from rest
    if verdict.who is not None:
        yield _sheet(verdict.who.name, verdict.who, every=False)


def _questions(report: Document) -> Iterator[Part]:
    """Several questions: the answer, the first step, and a table with a row each."""
    yield report.about[0]
    yield Heading(several.headline(report))
    if (step := several.first_of_all(report)) is not None:
        yield f"First: {step.title}. {step.text}"
    rows = [
        (q.name, words, _words(q.figure.estimate), _words(Share(q.percent)) if q.n else "", q.step)
        for words, group in several.by_verdict(report).items()
        for q in group
    ]
    yield Sheet("questions", ("question", "verdict", "alpha", "agree", "first step"), rows)


def _parts(report: Document) -> Iterator[Part]:
    if report.in_words[0]:
        yield report.in_words[0]
    yield from _verdict(report.verdict) if report.verdict is not None else _questions(report)
    for section in report.answered:
        yield Heading(section.question, 1 if report.verdict is not None else 2)
        yield section.answer
        for block in section.blocks:
            if isinstance(block, Table):
                yield _sheet(block.name, block, every=False)
            elif isinstance(block, Chart):
                yield Picture(block.png(), block.caption)
            elif isinstance(block, Cards):
                yield block.caption
                yield from map(card_line, block.cards)
            else:
                yield block
    yield Heading("Methods")
    yield report.methods
    if report.paper is not None:
        yield paper_sheet(report.paper)
        yield report.paper.note
