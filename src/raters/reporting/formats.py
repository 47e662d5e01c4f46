"""The report as text, HTML, JSON, Markdown, LaTeX, CSV and a dataset card: pure functions of a Document."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from raters.charts.chart import Chart
from raters.estimate import SCHEMA, Estimate, jsonable
from raters.reporting import several
from raters.reporting.document import Block, Card, Cards, Cell, Document, Section, Table, cell_text
from raters.reporting.html import html, terms
from raters.reporting.paper_table import PAPER_FORMATS
from raters.reporting.tables import LEFT
from raters.words import json_text, markdown_text, printable, tex_text
from raters.writing import csv_text

COLUMNS = 80
MOST_LETTERS = 34
"""A longer name is cut in a table."""


def text(report: Document) -> str:
    """The verdict, then each question, its answer, and its tables."""
    lines = [*verdict_lines(report), ""]
    lines += [*wrapped(report.not_used), ""] if report.not_used else []
    for s in report.answered:
        lines += [printable(s.question), "-" * len(s.question), *wrapped(s.answer), ""]
        for block in report.shown(s):
            lines += _block(report, block)
    if report.unanswered:
        head = "What these data do not answer"
        lines += [head, "-" * len(head)]
        lines += [x for said, asked in report.reasons().items() for x in wrapped(f"- {' '.join(asked)} {said}", "  ")]
        lines.append("")
    lines += ["How was this measured?", "----------------------", *wrapped(report.methods), ""]
    lines += [line for term, words in terms(report) for line in wrapped(f"- {term}: {words}", "  ")]
    lines += [*wrapped(report.intervals), ""] if report.intervals else []
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
        said = [*several.lines(report), *report.about[1:]]
        return [*wrapped(report.about[0]), "", *(line for one in said for line in wrapped(one, "  "))]
    about, headline, *figures = v.lines
    lines = [*wrapped(about), "", *wrapped(headline), ""]
    lines += [line for f in figures for line in wrapped(f, "  ")]
    return [*lines, "", *wrapped(v.who.caption), *text_table(v.who)] if v.who else lines


def _block(report: Document, block: Block) -> list[str]:
    if isinstance(block, Table):
        if not block.listed:
            return []
        return [
            *wrapped(block.caption),
            *text_table(block),
            *(line for u in report.under(block) for line in wrapped(u)),
            "",
        ]
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
    rows = [[_clip(printable(c)) for c in table.columns], *([_clip(cell_text(c)) for c in row] for row in table.listed)]
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


def _clipped_cell(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def as_json(report: Document) -> str:
    """Everything at full precision; charts as their specifications."""
    whole = {
        **({"not_used": report.not_used} if report.not_used else {}),
        "schema": SCHEMA,
        "assumed": report.assumed,
        "data": report.data,
        "made": report.made,
        "verdict": report.verdict and report.verdict.to_dict(),
        **({"verdicts": {name: v.to_dict() for name, v in report.verdicts.items()}} if report.verdicts else {}),
        "sections": [_section(s) for s in report.sections],
        "estimates": [e.to_dict() for e in report.estimates],
        "methods": report.methods,
        "short_methods": report.short_methods,
        "paper": report.paper and report.paper.to_dict(),
        "references": report.references,
    }
    return json_text(json.dumps(jsonable(whole), indent=2, ensure_ascii=False, allow_nan=False, default=str)) + "\n"


def _section(s: Section) -> dict[str, Any]:
    tables = [
        {
            "name": t.name,
            "caption": t.caption,
            "note": t.note,
            "columns": t.columns,
            "total": t.total or len(t.rows),
            "rows": [[c.to_dict() if isinstance(c, Estimate) else c for c in row] for row in t.rows],
        }
        for t in s.tables()
    ]
    charts = [{"name": c.name, "caption": c.caption, "alt": c.alt, "spec": c.spec} for c in s.charts()]
    notes = list(s.notes())
    cards = [{"item": c.item, "text": c.text, "votes": [vars(v) for v in c.votes], "note": c.note} for c in s.cards()]
    return {
        "key": s.key,
        "question": s.question,
        "answer": s.answer,
        "absent": s.absent,
        "notes": notes,
        "tables": tables,
        "charts": charts,
        "cards": cards,
    }


def markdown(report: Document) -> str:
    """The verdict, then headings, answers, tables; charts as their descriptions."""
    said = [markdown_text(report.not_used), ""] if report.not_used else []
    lines = [*_first_lines(report), *said]
    for s in report.answered:
        lines += [f"## {markdown_text(s.question)}", "", f"**{markdown_text(s.answer)}**", ""]
        if report.shown(s):
            lines += [line for block in s.blocks for line in _markdown_block(report, block)]
            lines += ["### Details", ""] if s.details else []
            lines += [line for block in s.details for line in _markdown_block(report, block)]
    if report.unanswered:
        why = [f"- {markdown_text(' '.join(asked))} {markdown_text(said)}" for said, asked in report.reasons().items()]
        lines += ["## What these data do not answer", "", *why, ""]
    lines += (
        ["## Short version for the paper", "", markdown_text(report.short_methods), ""] if report.short_methods else []
    )
    lines += ["## How was this measured?", "", markdown_text(report.methods), ""]
    lines += [f"- *{term}*: {markdown_text(words)}" for term, words in terms(report)]
    lines += ["", markdown_text(report.intervals), ""]
    lines += [PAPER_FORMATS["markdown"](report.paper), ""] if report.paper is not None else []
    return "\n".join([*lines, "```bibtex", *report.references, "```", ""])


def _first_lines(report: Document) -> list[str]:
    """The verdict in the words of the page and of the terminal."""
    if report.verdict is None:
        said = [markdown_text(line) for line in several.lines(report)]
        return [f"# {said[0]}", "", *(f"- {markdown_text(x)}" for x in report.about), *(f"- {x}" for x in said[1:]), ""]
    about, headline, *figures = map(markdown_text, report.verdict.lines)
    said = [f"# {headline}", "", about, "", *(f"- {line}" for line in figures), ""]
    return [*said, *(_markdown_block(report, report.verdict.who) if report.verdict.who else [])]


def _markdown_block(report: Document, block: Block) -> list[str]:
    if isinstance(block, Table):
        if not block.listed:
            return []
        return [
            f"**{markdown_text(block.caption)}**",
            "",
            *_markdown_table(block),
            "",
            *(x for u in report.under(block) for x in (markdown_text(u), "")),
        ]
    if isinstance(block, Cards):
        return [
            f"**{markdown_text(block.caption)}**",
            "",
            *(f"- {markdown_text(card_line(c))}" for c in block.cards),
            "",
        ]
    if isinstance(block, Chart):
        return [f"*{markdown_text(block.alt)}*", ""]
    return [f"- {markdown_text(block)}", ""]


def card_line(card: Card) -> str:
    """An item with its votes in one line."""
    votes = "; ".join(f"{v.label} {v.n}" + (f" ({', '.join(v.who)})" if v.who else "") for v in card.votes)
    return f"{card.item}{f': {card.text}' if card.text else ''} - {votes}{f' - {card.note}' if card.note else ''}"


def _markdown_table(table: Table) -> list[str]:
    head = "| " + " | ".join(markdown_text(c) for c in table.columns) + " |"
    body = ["| " + " | ".join(markdown_text(cell_text(c)) for c in row) + " |" for row in table.listed]
    return [head, "|" + "".join(" ---: |" if n else " --- |" for n in table.numeric), *body]


def latex(report: Document) -> str:
    r"""A document with booktabs tables that compiles as it stands (pdfLaTeX)."""
    lines = [
        r"\documentclass{article}",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage{booktabs,longtable}",
        r"\usepackage[margin=2cm]{geometry}",
        r"\begin{document}",
        rf"\title{{{tex_text(report.title)}}}",
        r"\date{}",
        r"\maketitle",
    ]
    asked = several.lines(report) if report.verdicts else []
    lines += [
        x for line in (report.verdict.lines if report.verdict else asked) for x in (r"\noindent " + tex_text(line), "")
    ]
    lines += [r"\noindent " + tex_text(report.not_used), ""] if report.not_used else []
    for s in report.sections:
        lines += [rf"\section*{{{tex_text(s.question)}}}", tex_text(s.answer), ""]
        for block in report.shown(s):
            if isinstance(block, Table):
                lines += _latex_table(block, report.under(block))
            elif isinstance(block, Cards):
                lines += [x for card in block.cards for x in (tex_text(card_line(card)), "")]
            elif isinstance(block, str):
                lines += [tex_text(block), ""]
    if report.short_methods:
        lines += [r"\section*{Short version for the paper}", tex_text(report.short_methods), ""]
    lines += [r"\section*{Methods}", tex_text(report.methods), "", tex_text(report.intervals), ""]
    lines += [PAPER_FORMATS["latex"](report.paper)] if report.paper is not None else []
    lines += [
        "% BibTeX",
        *(f"% {line}" for entry in report.references for line in entry.splitlines()),
        r"\end{document}",
    ]
    return "\n".join(lines) + "\n"


def _latex_table(table: Table, under: Sequence[str]) -> list[str]:
    if not table.listed:
        return []
    align = "".join(
        "l" if c in LEFT or any(isinstance(r[i], str) for r in table.rows) else "r" for i, c in enumerate(table.columns)
    )
    rows = [" & ".join(tex_text(_clipped_cell(cell_text(c))) for c in row) + r" \\" for row in table.listed]
    head = " & ".join(map(tex_text, table.columns)) + r" \\"
    more = [x for line in under for x in (tex_text(line), "")]
    return [
        "",
        r"\noindent " + tex_text(table.caption),
        "",
        rf"\begin{{longtable}}{{{align}}}",
        r"\toprule",
        head,
        r"\midrule",
        r"\endhead",
        *rows,
        r"\bottomrule",
        r"\end{longtable}",
        *more,
    ]


ESTIMATE_COLUMNS = (
    "section", "table", "name", "value", "low", "high", "se", "level", "interval", "n_items", "n_raters", "n_annotations",
)  # fmt: skip


def as_csv(report: Document) -> str:
    """Every estimate of the report, one row each, at full precision."""
    found = (
        {"section": s.key, "table": t.name, **e.to_dict()}
        for s in report.sections
        for t in s.tables()
        for row in t.rows
        for e in row
        if isinstance(e, Estimate)
    )
    return csv_text(ESTIMATE_COLUMNS, ([row[n] for n in ESTIMATE_COLUMNS] for row in found))


def table_csv(table: Table) -> str:
    """One table; estimates as value, low and high."""
    wide = [any(isinstance(r[i], Estimate) for r in table.rows) for i in range(len(table.columns))]
    names = [n for c, w in zip(table.columns, wide, strict=True) for n in ((c, f"{c} low", f"{c} high") if w else (c,))]
    rows = (*table.rows, *table.rest)
    return csv_text(names, ([x for c, w in zip(row, wide, strict=True) for x in _csv_cells(c, w)] for row in rows))


def _csv_cells(cell: Cell, wide: bool) -> list[Any]:
    if not wide:
        return [jsonable(cell)]
    return [jsonable(getattr(cell, k)) if isinstance(cell, Estimate) else None for k in ("value", "low", "high")]


SIZES = {1e3: "n<1K", 1e4: "1K<n<10K", 1e5: "10K<n<100K", 1e6: "100K<n<1M", 1e7: "1M<n<10M", math.inf: "n>10M"}
"""Hugging Face's names of sizes, each below its bound."""
FRONT = """---
annotations_creators:
- other
size_categories:
- {size}
tags:
- annotation
- inter-rater-agreement
---
"""


def card(report: Document) -> str:
    """A dataset card: YAML front matter and the main answers, as Hugging Face shows them."""
    size = next(name for bound, name in SIZES.items() if int(report.data["n_annotations"]) < bound)
    said = [report.not_used] if report.not_used else []
    verdict = report.verdict.lines[1:] if report.verdict else ()
    answers = [f"**{markdown_text(s.question)}** {markdown_text(s.answer)}" for s in report.answered]
    parts = [
        *map(markdown_text, said),
        f"# Annotations of {markdown_text(str(report.data['source']))}",
        *map(markdown_text, verdict),
        *answers,
        "## How this was measured",
        markdown_text(report.methods),
    ]
    return "\n".join([FRONT.format(size=size), "\n\n".join(parts), ""])


FORMATS: Mapping[str, Callable[[Document], str]] = {
    "text": text,
    "html": html,
    "json": as_json,
    "markdown": markdown,
    "latex": latex,
    "csv": as_csv,
    "card": card,
}
