"""The report as plain text that fits a terminal of 80 columns: the verdict first, then each question with its tables."""

from __future__ import annotations

import textwrap

from raters.charts.chart import Chart
from raters.reporting.cells import cell_text
from raters.reporting.document import Block, Card, Cards, Document, Table
from raters.reporting.terms import terms
from raters.words import printable

COLUMNS = 80
MOST_LETTERS = 34
"""A longer name is cut in a table."""


def text(report: Document) -> str:
    """The verdict, then each question, its answer, and its tables."""
    lines = [*wrapped(report.not_used), ""] if report.not_used else []
    lines += [*verdict_lines(report), ""]
    explained = terms(report)
    for s in report.answered:
        lines += [printable(s.question), "-" * len(s.question), *wrapped(s.answer), ""]
        lines += [line for term, words in explained[s.key] for line in wrapped(f"({term}: {words})")]
        lines += [""] if explained[s.key] else []
        for block in s.everything:
            lines += _block(report, block)
    if report.unanswered:
        head = "What these data do not answer"
        lines += [head, "-" * len(head)]
        lines += [line for s in report.unanswered for line in wrapped(f"- {s.question} {s.answer}")]
        lines.append("")
    lines += ["How was this measured?", "----------------------", *wrapped(report.methods), ""]
    return "\n".join(lines)


def wrapped(text: str, indent: str = "") -> list[str]:
    """A sentence in lines of 80 columns; no word is broken."""
    found = textwrap.wrap(
        printable(text), COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return found or [""]


def verdict_lines(report: Document) -> list[str]:
    """What a terminal says first, in the words of the page and of Markdown."""
    v = report.verdict
    if v is None:
        asked = [
            line
            for name, v in report.verdicts.items()
            for line in (*wrapped(f"{name}: {v.headline}"), *wrapped(f"  {v.line}", "  "), "")
        ]
        return [*wrapped(report.title), "", *asked, *(line for about in report.about for line in wrapped(about))]
    about, headline, *figures = v.lines
    lines = [*wrapped(about), "", *wrapped(headline), ""]
    return [*lines, *(line for f in figures for line in wrapped(f, "  "))]


def _block(report: Document, block: Block) -> list[str]:
    if isinstance(block, Table):
        under = [block.note, report.more(block) if block.cut else ""]
        return [*wrapped(block.caption), *text_table(block), *(line for u in under if u for line in wrapped(u)), ""]
    if isinstance(block, Cards):
        return [printable(block.caption), *(line for card in block.cards for line in _card(card)), ""]
    if isinstance(block, Chart):
        return []
    return [*wrapped(f"- {block}", "  "), ""]


def _card(card: Card) -> list[str]:
    said = "; ".join(f"{v.label} {v.n}" + (f" ({', '.join(v.who)})" if v.who else "") for v in card.votes)
    lines = wrapped(f"* {card.item}" + (f": {card.text}" if card.text else ""), "  ")
    return [*lines, *wrapped(f"  {said}", "  "), *(wrapped(f"  {card.note}", "  ") if card.note else [])]


def text_table(table: Table) -> list[str]:
    """A table of at most 80 columns: columns at the end are dropped where there is no room, and named below."""
    numeric = table.numeric
    rows = [[_clip(printable(c)) for c in table.columns], *([_clip(cell_text(c)) for c in row] for row in table.rows)]
    widths = [max(len(r[i]) for r in rows) for i in range(len(table.columns))]
    kept = len(widths)
    while kept > 2 and sum(widths[:kept]) + 2 * (kept - 1) > COLUMNS:
        kept -= 1
    out = [
        "  ".join(c.rjust(w) if n else c.ljust(w) for c, w, n in zip(r[:kept], widths, numeric, strict=False)).rstrip()
        for r in rows
    ]
    rule = "  ".join("-" * w for w in widths[:kept])
    left = [printable(c) for c in table.columns[kept:]]
    return [out[0], rule, *out[1:], *(wrapped(f"(not shown here: {', '.join(left)})") if left else [])]


def _clip(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"
