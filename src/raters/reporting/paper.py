r"""The table of a paper: one row for each label or question, two decimals, as LaTeX, Markdown, HTML, CSV and text.

A frozen value and its renderers; ``paper_table`` fills it.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from raters.estimate import Estimate, shown
from raters.words import markdown_text, printable, tex_text
from raters.writing import csv_text

NONE = "–"


@dataclass(frozen=True)
class PaperRow:
    """A label or a question with its figures."""

    name: str
    n: int
    """Items with two or more labels."""
    percent: float
    """Observed agreement: how often two labels of an item are the same."""
    figures: tuple[Estimate, ...]
    scale: str = ""
    near: str = ""
    """On steps of a scale: which near miss counts as much as which far one, where a coefficient has no weights."""


@dataclass(frozen=True)
class Paper:
    """A table ready to paste."""

    caption: str
    head: tuple[str, ...]
    """The first column, n, percent, the scale where rows differ in it, and the coefficients."""
    rows: tuple[PaperRow, ...]
    note: str
    coefficients: tuple[str, ...]
    """One for each column of figures; a row may lack one."""
    scales: bool = False
    """Rows differ in their scale, so that a column says it."""

    @property
    def cells(self) -> list[list[str]]:
        return [
            [r.name, f"{r.n:,}", _percent(r.percent), *([r.scale] if self.scales else []), *self._figures(r)]
            for r in self.rows
        ]

    def _figures(self, row: PaperRow) -> list[str]:
        there = {e.coefficient: _figure(e) for e in row.figures}
        return [there.get(name, NONE) for name in self.coefficients]

    def to_dict(self) -> dict[str, Any]:
        rows = [
            {
                "name": r.name,
                "n": r.n,
                "percent": r.percent,
                "scale": r.scale,
                "estimates": [e.to_dict() for e in r.figures],
            }
            for r in self.rows
        ]
        return {"caption": self.caption, "columns": list(self.head), "rows": rows, "note": self.note}


def _percent(x: float) -> str:
    return f"{x:.0%}" if math.isfinite(x) else NONE


def _figure(e: Estimate) -> str:
    if not math.isfinite(e.value):
        return NONE
    return shown(e.value, 2) + (f" [{shown(e.low, 2)}, {shown(e.high, 2)}]" if math.isfinite(e.low) else "")


def latex(paper: Paper) -> str:
    r"""A booktabs table; needs ``\usepackage{booktabs}``."""
    body = [" & ".join(tex_text(c).replace("–", "--") for c in row) + r" \\" for row in paper.cells]
    return "\n".join([
        r"\begin{table}", r"\centering", rf"\caption{{{tex_text(paper.caption)} {tex_text(paper.note)}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(paper.head) - 1)}}}", r"\toprule",
        " & ".join(tex_text(h) for h in paper.head) + r" \\", r"\midrule", *body, r"\bottomrule", r"\end{tabular}", r"\end{table}",
    ]) + "\n"  # fmt: skip


def markdown(paper: Paper) -> str:
    """A Markdown table, numbers to the right."""
    rows = ["| " + " | ".join(markdown_text(c).replace("\\[", "[").replace("\\]", "]") for c in row) + " |" for row in (list(paper.head), *paper.cells)]  # fmt: skip
    rule = "| --- |" + " ---: |" * (len(paper.head) - 1)
    return "\n".join([markdown_text(paper.caption), "", rows[0], rule, *rows[1:], "", markdown_text(paper.note), ""])


def html(paper: Paper) -> str:
    """A plain table that word processors take as one."""

    def line(cells: list[str], tag: str) -> str:
        made = (f"<{tag}{'' if i == 0 else ' align=right'}>{escape(printable(c))}</{tag}>" for i, c in enumerate(cells))
        return f"<tr>{''.join(made)}</tr>"

    body = "\n".join(line(row, "td") for row in paper.cells)
    return (
        f"<table>\n<caption>{escape(printable(paper.caption))}</caption>\n<thead>{line(list(paper.head), 'th')}</thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table>\n<p>{escape(printable(paper.note))}</p>\n"
    )


def csv(paper: Paper) -> str:
    """One row for each label or question, the cells as they are printed."""
    return csv_text(paper.head, paper.cells)


def text(paper: Paper) -> str:
    """Columns aligned, for a terminal."""
    rows = [list(paper.head), *paper.cells]
    rows = [[printable(c) for c in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(paper.head))]
    lines = ["  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))).rstrip() for row in rows]  # fmt: skip
    rule = "  ".join("-" * w for w in widths)
    return "\n".join(
        [printable(paper.caption), lines[0], rule, *lines[1:], "", *textwrap.wrap(printable(paper.note), 80), ""]
    )


PAPER_FORMATS: Mapping[str, Callable[[Paper], str]] = {
    "text": text, "latex": latex, "markdown": markdown, "html": html, "csv": csv,
}  # fmt: skip
