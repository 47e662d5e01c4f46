r"""The table of a paper: one row for each label or question, two decimals, as LaTeX, Markdown, HTML, CSV and text.

A frozen value and its renderers; ``paper_table`` fills it.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Unpack

from raters.agree.agreement import agreement, per_label
from raters.agree.agreement_spec import Options, weighted
from raters.agree.estimating import near_as_far, shared_items
from raters.agree.explaining import dominant
from raters.annotations import Annotations, counted
from raters.coefficients import DEFAULT, REGISTRY
from raters.errors import RatersError, listed
from raters.estimate import Estimate, shown
from raters.options import given_to
from raters.options.declared import Inference, OfLabels
from raters.reporting.answer import COLUMNS, LEAST_NAME, distinct
from raters.reporting.names import interval_note, some
from raters.scales import DISTANCES
from raters.scales.scale import Scale
from raters.scales.sets import SIMILARITIES
from raters.words import markdown_text, printable, tex_text
from raters.writing import csv_text

NONE = "–"
BESIDE = "gwet"
"""What is shown beside alpha where most labels are the same."""


@dataclass(frozen=True)
class Field:
    """What a field of research calls raters, items, labels and questions."""

    rater: str = "rater"
    item: str = "item"
    label: str = "label"
    question: str = "question"

    def said(self, text: str) -> str:
        """A sentence of ours, in which no name of the data stands, in the words of the field.

        >>> CODING.said("Labels of items by 2 raters")
        'Codes of units by 2 coders'
        """
        own: dict[str, str] = {"an item": f"a {self.item}", "annotation": self.label, **vars(self)}
        if self == LABELLING:
            return text

        def word(found: re.Match[str]) -> str:
            said = own[found[1].lower()]
            return said.capitalize() if found[1][0].isupper() else said

        return re.sub(rf"\b({'|'.join(own)})(?=s?\b)", word, text, flags=re.IGNORECASE)


LABELLING, CODING = Field(), Field("coder", "unit", "code", "variable")
FIELDS: Mapping[str, Field] = {"labelling": LABELLING, "coding": CODING}
"""By the word that ``--words`` takes."""


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
    skew: tuple[str, float] | None = None
    """The label that most labels are, and its share, where alpha is low although raters mostly agree."""
    unweighted: str = ""
    """The weights that were asked for, where the labels have no order to weigh by."""


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
    methods: str = ""
    """A paragraph for the text of the paper, about all rows."""

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
        return {
            "caption": self.caption,
            "columns": list(self.head),
            "rows": rows,
            "note": self.note,
            "methods": self.methods,
        }


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
                *(["", tex_text(paper.methods)] if paper.methods else []),
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
    after = [line for said in (paper.note, paper.methods) if said for line in ("", markdown_text(said))]
    return "\n".join([markdown_text(paper.caption), "", rows[0], rule, *rows[1:], *after, ""])


def html(paper: Paper) -> str:
    """A plain table that word processors take as one."""

    def line(cells: list[str], tag: str) -> str:
        made = (f"<{tag}{'' if i == 0 else ' align=right'}>{escape(printable(c))}</{tag}>" for i, c in enumerate(cells))
        return f"<tr>{''.join(made)}</tr>"

    body = "\n".join(line(row, "td") for row in paper.cells)
    return (
        f"<table>\n<caption>{escape(printable(paper.caption))}</caption>\n<thead>{line(list(paper.head), 'th')}</thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table>\n"
        + "".join(f"<p>{escape(printable(said))}</p>\n" for said in (paper.note, paper.methods) if said)
    )


def csv(paper: Paper) -> str:
    """One row for each label or question, the cells as they are printed."""
    return csv_text(paper.head, paper.cells)


def text(paper: Paper) -> str:
    """Columns aligned, for a terminal; titles stand in several lines, and where the table is still too wide, what is
    not a figure is left out.
    """
    kept = list(range(len(paper.head)))
    cells = [[printable(c) for c in row] for row in paper.cells]
    spare = [*([3] if paper.scales else []), 1]  # the scale, and n

    def lines() -> list[str]:
        widths = [max(LEAST_TITLE, *(len(row[i]) for row in cells)) for i in kept]
        titles = [
            textwrap.wrap(paper.head[i].replace("% CI", "%\xa0CI"), w, break_long_words=False)
            for i, w in zip(kept, widths, strict=True)
        ]
        widths = [max(w, *map(len, title)) for w, title in zip(widths, titles, strict=True)]
        names = distinct(
            [row[0] for row in cells], max(widths[0] - max(sum(widths) + 2 * len(kept) - 82, 0), LEAST_NAME)
        )
        widths[0] = max(map(len, [*titles[0], *names]))
        high = max(map(len, titles))
        head = [
            [title[i - high + len(title)] if i >= high - len(title) else "" for title in titles] for i in range(high)
        ]
        body = [[name, *(row[i] for i in kept[1:])] for name, row in zip(names, cells, strict=True)]
        return [
            "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
            .rstrip()
            .replace("\xa0", " ")
            for row in (*head, ["-" * w for w in widths], *body)
        ]

    while max(map(len, lines())) > COLUMNS and spare:
        kept.remove(spare.pop(0))
    left = [title for i, title in enumerate(paper.head) if i not in kept]
    after = [
        f"Not shown here: {', '.join(left)}; a file (-o) has every column." if left else "",
        paper.note,
        paper.methods,
    ]
    return "\n".join(
        [
            *textwrap.wrap(printable(paper.caption), COLUMNS),
            *lines(),
            *(line for said in after if said for line in ("", *textwrap.wrap(printable(said), COLUMNS))),
            "",
        ]
    )


PAPER_FORMATS: Mapping[str, Callable[[Paper], str]] = {
    "text": text, "latex": latex, "markdown": markdown, "html": html, "csv": csv,
}  # fmt: skip


MOST_ROWS = 40
LEAST_TITLE = 3
"""Titles are wrapped, but to no fewer letters."""


def usual(ann: Annotations, chosen: Sequence[str] = ()) -> list[str]:
    """The chosen coefficients alone, or kappa (Cohen's for two raters, Fleiss' for more) and alpha, with AC1 where most
    labels are the same.
    """
    kappa = "cohen" if ann.n_raters == 2 else "fleiss"
    names = chosen or [kappa, DEFAULT, *([BESIDE] if dominant(ann) else [])]
    return list(dict.fromkeys(name for name in names if name != "percent"))


def paper_table(
    ann: Annotations,
    coefficients: Sequence[str] = (),
    *,
    of_labels: Inference | None = None,
    words: Field = LABELLING,
    **options: Unpack[Options],
) -> Paper:
    """All labels in one row, and one row for each label against the rest, where labels are categories.

    ``coefficients``: these alone. ``of_labels``: other options for the rows of labels, which may be many.
    """
    names = usual(ann, coefficients)
    rows = [_whole(words.said("All labels" if ann.scale.categories else "All"), ann, names, options)]
    if ann.scale.equality and 3 <= len(ann.labels) <= MOST_ROWS:
        rows += _labels(ann, names, {**options, **(of_labels or {})})
    who = counted(ann.n_raters, "rater") if ann.n_raters else "unnamed raters"
    caption = f"{words.said(f'Agreement of {who} on')} {ann.source}."
    return _paper("Label", rows, caption, _margins(names, options), words)


def paper_of_questions(
    anns: Mapping[str, Annotations],
    coefficients: Sequence[str] = (),
    words: Field = LABELLING,
    **options: Unpack[Options],
) -> Paper:
    """One row for each question."""
    rows = [_whole(q, ann, usual(ann, coefficients), options) for q, ann in anns.items()]
    names = [e.coefficient for r in rows for e in r.figures]
    return questions_together(rows, next(iter(anns.values())).source, _margins(names, options), words)


def questions_together(rows: Sequence[PaperRow], source: str, more: str = "", words: Field = LABELLING) -> Paper:
    """Rows of several questions, each with its own scale and coefficients, as one table."""
    return _paper("Question", rows, f"{words.said('Agreement on the questions of')} {source}.", more, words)


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
    given, left_out = for_scale(ann, options)
    figures = tuple(agreement(ann, n, **weighted(n, ann, given)) for n in names)
    point: Options = {"interval": None}
    same = agreement(ann, "percent", **point)  # without weights: how often two labels are the same
    near = str(near_as_far(ann) or "")
    return PaperRow(name, shared_items(ann), float(same.value), figures, ann.scale, near, dominant(ann), left_out)


def for_scale(ann: Annotations, options: Options) -> tuple[Options, str]:
    """The options for the rows of this table, and the weights that were asked for and do not apply: labels that are
    only equal or different have no order to weigh by.
    """
    weights = options.get("weights")
    if not ann.scale.equality or not isinstance(weights, str) or weights == "identity":
        return options, ""
    return {**options, "weights": None}, weights


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


def _paper(what: str, rows: Sequence[PaperRow], caption: str, more: str, words: Field) -> Paper:
    figures = [e for r in rows for e in r.figures]
    columns = {e.coefficient: REGISTRY[e.coefficient].title for e in figures}
    level = next((e.level for e in figures), 0.95)
    several = len({r.scale for r in rows}) > 1
    head = (
        words.said(what),
        "n",
        "Agree",
        *(["Scale"] if several else []),
        *(f"{t} [{level:.0%} CI]" for t in columns.values()),
    )
    things = "label sets" if all(r.scale.of_sets for r in rows) else "labels"
    without = [r.name for r in rows if r.unweighted]
    left_out = (
        f"Without {next(r.unweighted for r in rows if r.unweighted)} weights, because labels have no order"
        f"{'' if len(without) == len(rows) else f': {listed(without)}'}."
        if without
        else ""
    )
    said = [
        words.said(f"n: items with two or more {things}. Agree: how often two {things} of an item are the same."),
        *_compared(rows),
        left_out,
        _beside(rows, words),
        words.said(more),
        words.said(interval_note(figures)),
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
    rows: dict[str, list[str]] = {}
    for r in plain:
        rows.setdefault(r.near, []).append(r.name)
    near = [f"{said}{f' ({some(names)})' if len(figures) > 1 else ''}" for said, names in rows.items()]
    return [*weighted, *([f"no weights, so {'; '.join(near)}"] if near else [])]


def _beside(rows: Sequence[PaperRow], words: Field) -> str:
    """Why AC1 stands beside alpha."""
    skewed = [r for r in rows if r.skew is not None and {BESIDE, DEFAULT} <= {e.coefficient for e in r.figures}]
    if not skewed:
        return ""
    most = [f"{r.skew[1]:.0%} {r.skew[0]!r}{f' in {r.name}' if len(skewed) > 1 else ''}" for r in skewed if r.skew]
    return (
        f"{REGISTRY[BESIDE].title}: {words.said('beside alpha because most labels are the same')}"
        f" ({some(most)}); it is higher only because it expects less agreement by chance."
    )


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
