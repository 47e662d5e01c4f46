r"""The table of a paper: one row for each label or question, two decimals, as LaTeX, Markdown, HTML, CSV and text.

A frozen value and its renderers; ``paper_table`` fills it.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Unpack

from raters.agree.agreement import agreement, per_label
from raters.agree.agreement_spec import Options, weighted
from raters.agree.estimating import near_as_far, shared_items
from raters.annotations import Annotations
from raters.coefficients import DEFAULT, REGISTRY
from raters.errors import RatersError
from raters.estimate import Estimate, shown
from raters.options import given_to
from raters.options.declared import Inference, OfLabels
from raters.reporting.names import interval_note
from raters.scales import DISTANCES
from raters.scales.scale import Scale
from raters.scales.sets import SIMILARITIES
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
    scale: Scale
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
    return (
        "\n".join(
            [
                r"\begin{table}",
                r"\centering",
                rf"\caption{{{tex_text(paper.caption)} {tex_text(paper.note)}}}",
                rf"\begin{{tabular}}{{l{'r' * (len(paper.head) - 1)}}}",
                r"\toprule",
                " & ".join(tex_text(h) for h in paper.head) + r" \\",
                r"\midrule",
                *body,
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
            ]
        )
        + "\n"
    )


def markdown(paper: Paper) -> str:
    """A Markdown table, numbers to the right."""
    rows = [
        "| " + " | ".join(markdown_text(c).replace("\\[", "[").replace("\\]", "]") for c in row) + " |"
        for row in (list(paper.head), *paper.cells)
    ]
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
    lines = [
        "  ".join(
            c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    rule = "  ".join("-" * w for w in widths)
    return "\n".join(
        [printable(paper.caption), lines[0], rule, *lines[1:], "", *textwrap.wrap(printable(paper.note), 80), ""]
    )


PAPER_FORMATS: Mapping[str, Callable[[Paper], str]] = {
    "text": text, "latex": latex, "markdown": markdown, "html": html, "csv": csv,
}  # fmt: skip


MOST_ROWS = 40


def usual(ann: Annotations, more: Sequence[str] = ()) -> list[str]:
    """Kappa (Cohen's for two raters, Fleiss' for more) and alpha, and whatever else was named."""
    kappa = "cohen" if ann.n_raters == 2 else "fleiss"
    return list(dict.fromkeys([kappa, DEFAULT, *(name for name in more if name != "percent")]))


def paper_table(
    ann: Annotations,
    coefficients: Sequence[str] = (),
    *,
    of_labels: Inference | None = None,
    **options: Unpack[Options],
) -> Paper:
    """All labels in one row, and one row for each label against the rest, where labels are categories.

    ``of_labels``: other options for the latter, which may be many.
    """
    names = usual(ann, coefficients)
    rows = [_whole("All labels" if ann.scale.categories else "All", ann, names, options)]
    if ann.scale.equality and 3 <= len(ann.labels) <= MOST_ROWS:
        rows += _labels(ann, names, {**options, **(of_labels or {})})
    who = f"{ann.n_raters:,} raters" if ann.n_raters else "unnamed raters"
    return _paper("Label", rows, f"Agreement of {who} on {ann.source}.", _margins(names, options))


def paper_of_questions(
    anns: Mapping[str, Annotations], coefficients: Sequence[str] = (), **options: Unpack[Options]
) -> Paper:
    """One row for each question."""
    rows = [_whole(q, ann, usual(ann, coefficients), options) for q, ann in anns.items()]
    names = [e.coefficient for r in rows for e in r.figures]
    return questions_together(rows, next(iter(anns.values())).source, _margins(names, options))


def questions_together(rows: Sequence[PaperRow], source: str, more: str = "") -> Paper:
    """Rows of several questions, each with its own scale and coefficients, as one table."""
    return _paper("Question", rows, f"Agreement on the questions of {source}.", more)


def _margins(names: Sequence[str], options: Options) -> str:
    """Which coefficients count annotations alike, not items, where that was asked for."""
    pooled = [REGISTRY[n].title for n in dict.fromkeys(names) if REGISTRY[n].pooled is not None]
    asked = options.get("margins") == "pooled" and pooled
    return (
        f"{', '.join(pooled)}: chance agreement is computed from all annotations together (pooled margins)."
        if asked
        else ""
    )


def _whole(name: str, ann: Annotations, names: Sequence[str], options: Options) -> PaperRow:
    figures = tuple(agreement(ann, n, **weighted(n, ann, options)) for n in names)
    point: Options = {"interval": None}
    same = agreement(ann, "percent", **point)  # without weights: how often two labels are the same
    return PaperRow(name, shared_items(ann), float(same.value), figures, ann.scale, str(near_as_far(ann) or ""))


def _labels(ann: Annotations, names: Sequence[str], options: Options) -> list[PaperRow]:
    given = [weighted(n, ann, options) for n in names]
    if any(g.get("weights") is not None or g.get("distance") is not None for g in given):
        return []  # one label either matches or does not
    try:
        tables = [per_label(ann, n, **given_to(OfLabels, g)) for n, g in zip(names, given, strict=True)]
    except RatersError:  # a coefficient that has no figure for one label against the rest
        return []
    same = per_label(ann, "percent", interval=None)
    paired = shared_items(ann)
    return [
        PaperRow(e.name, paired, float(e.value), tuple(t[i] for t in tables), ann.scale) for i, e in enumerate(same)
    ]


def _paper(what: str, rows: Sequence[PaperRow], caption: str, more: str = "") -> Paper:
    figures = [e for r in rows for e in r.figures]
    columns = {e.coefficient: REGISTRY[e.coefficient].title for e in figures}
    level = next((e.level for e in figures), 0.95)
    several = len({r.scale for r in rows}) > 1
    head = (what, "n", "Agree", *(["Scale"] if several else []), *(f"{t} [{level:.0%} CI]" for t in columns.values()))
    things = "label sets" if all(r.scale.of_sets for r in rows) else "labels"
    said = [
        f"n: items with two or more {things}. Agree: how often two {things} of an item are the same.",
        *_compared(rows),
        more,
        interval_note(figures),
    ]
    return Paper(caption, head, tuple(rows), " ".join(filter(None, said)), tuple(columns), several)


def _compared(rows: Sequence[PaperRow]) -> list[str]:
    """How each coefficient compares labels: the metric of alpha, the weights of kappa, and what is lost without
    them.
    """
    names = dict.fromkeys(e.coefficient for r in rows for e in r.figures)
    return [
        f"{'Alpha' if name == DEFAULT else REGISTRY[name].title}: {how}."
        for name in names
        for how in _ways(name, [(r, e) for r in rows for e in r.figures if e.coefficient == name])
    ]


def _ways(name: str, figures: Sequence[tuple[PaperRow, Estimate]]) -> list[str]:
    """How one coefficient compares labels in the rows that have it."""
    if REGISTRY[name].by_scale:
        own = all(_metric(e) == r.scale for r, e in figures) and len({r.scale for r, _ in figures}) > 1
        return ["the metric of the row's scale"] if own else list(dict.fromkeys(_how(r, e) for r, e in figures))
    weighted = dict.fromkeys(_how(r, e) for r, e in figures if not e.unweighted)
    plain = [r for r, e in figures if e.unweighted and r.near]
    near = [f"{r.near}{f' ({r.name})' if len(figures) > 1 else ''}" for r in plain[:3]]
    return [*weighted, *([f"no weights, so {'; '.join(near)}"] if near else [])]


def _metric(e: Estimate) -> str:
    return "nominal" if e.unweighted else e.weights


def _how(r: PaperRow, e: Estimate) -> str:
    """The metric of the scale, or the weights or distance that were asked for."""
    name = _metric(e)
    if r.scale.of_sets and name in SIMILARITIES:
        return f"{'MASI' if name == 'masi' else name.capitalize()} distance between sets"
    if name == r.scale:
        return f"{name} metric"
    return f"{name} {'distance' if name in DISTANCES else 'weights'}"
