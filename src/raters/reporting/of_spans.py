"""The report on spans: the answer, the measures, why raters differ, and the text with every rater's marks. One page that
runs no script; whatever came from a file is escaped.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from math import isfinite, nan
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.estimate import Estimate, html_table, shown
from raters.options import asks
from raters.options.declared import OfSpans
from raters.reporting.short_table import limits
from raters.reporting.table_answer import sentence
from raters.reporting.tables import FORMATS
from raters.spans.asking import agreement, per_pair, suited, usual
from raters.spans.kinds import WORDS
from raters.spans.measures import MEASURES
from raters.spans.units import Spans, label_name, lines
from raters.spans.why import Why, why
from raters.words import lines as text_lines
from raters.words import printable
from raters.writing import write_whole

Array = NDArray[Any]
DOCUMENTS, PLACES, AROUND, LANES, LANE, MOST_PAIRS = 5, 12, 160, 8, 4, 45
"""Documents and places that are shown, the text around a place, raters with a line of their own and its pixels, pairs
in a table."""
COLORS = (
    "#3f72b5", "#e0862a", "#2e8b57", "#c0504d", "#8a5fb0", "#8c6d31", "#d16ba5", "#1c9aa0", "#9aa21f", "#5b5fd0",
    "#b85c1e", "#4f9d3a",
)  # fmt: skip
REST = "#87929c"
"""Each of the first labels has a colour of its own; the others share one."""
HOW_MARKED = "One line where all agree; where they differ, one for each rater, in the order of their names."
STYLE = """
:root{--ink:#16202b;--soft:#5b6875;--line:#d9e0e6;--page:#fff;--card:#f5f7f9;--dis:#f2e9c0}
@media(prefers-color-scheme:dark){:root{--ink:#e8edf2;--soft:#b4bfca;--line:#34404c;--page:#11171d;--card:#19212a;--dis:#4a4220}}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:62rem;margin:0 auto;padding:1rem 1.5rem 3rem}h1{font-size:1.5rem;line-height:1.3;margin:.3rem 0 .8rem}
h2{font-size:1.15rem;margin:1.6rem 0 .4rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}.soft{color:var(--soft);font-size:.92rem}
table{border-collapse:collapse;font-size:.94rem;font-variant-numeric:tabular-nums}th,td{text-align:left;padding:.3rem 1.2rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}
tr :nth-child(-n+3){white-space:nowrap}td:last-child{color:var(--soft);white-space:normal}td:nth-child(2){text-align:right}th:nth-child(2){text-align:right}
.bar{display:inline-block;height:.6em;background:var(--soft);border-radius:2px;vertical-align:middle}
@media(max-width:30rem){main{padding:.5rem .9rem 2rem}h1{font-size:1.25rem}th,td{padding-right:.7rem}table{font-size:.86rem}}
.doc{white-space:pre-wrap;overflow-wrap:anywhere}.cut{color:var(--soft)}.dis{background-color:var(--dis)}
.key span{margin-right:1.2rem;white-space:nowrap}.key i{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.35em}
li{margin:.15rem 0}@media print{.dis{print-color-adjust:exact}}
"""


@dataclass(frozen=True)
class SpanReport:
    """A frozen report on spans."""

    found: Spans
    table: tuple[Estimate, ...]
    pairs: tuple[Estimate, ...]
    why: Why

    @property
    def sentence(self) -> str:
        """The answer."""
        return sentence(self.table[0])

    def html(self) -> str:
        """One page that opens offline."""
        return page(self)

    def text(self) -> str:
        return self.render("text")

    def json(self) -> str:
        return self.render("json")

    def markdown(self) -> str:
        return self.render("markdown")

    def to_dict(self) -> dict[str, Any]:
        return dict(json.loads(self.json()))

    def render(self, format_: str) -> str:
        """The report in a format: html, or that of a table."""
        if format_ == "html":
            return self.html()
        if format_ not in FORMATS:
            raise UsageError(f"a report on spans has no format {format_!r}; use html, {', '.join(FORMATS)}.")
        said = [*self.why.sentences(), *map(str, self.why.cases)]
        plain = self.table if format_ == "json" else tuple(replace(e, observed=nan, expected=nan) for e in self.table)
        return FORMATS[format_](self.found, plain, self.table[0], said, why=self.why.to_dict())

    def save(self, path: str | Path, force: bool = False) -> Path:
        """Write it; the ending of the name selects the format."""
        forms = {".html": "html", ".json": "json", ".md": "markdown", ".txt": "text", ".csv": "csv", ".tex": "latex"}
        form = forms.get(Path(path).suffix.lower(), "html")
        return write_whole(Path(path), self.render(form).encode(), force)


@asks()
def report_of_spans(found: Spans, **options: Unpack[OfSpans]) -> SpanReport:
    """The measures of a summary, those of pairs of raters, and why they differ."""
    if not found.shared:
        raise UsageError(
            f"{found.source}: no document was seen by two raters ({found.n_documents:,} documents, {found.n_raters:,}"
            " raters). Give the folders or files of all raters; documents are joined by their names."
        )
    lead = suited(found)
    names = [lead, *(n for n in usual(found) if n != lead)]
    table: list[Any] = [agreement(found, n, **options) for n in names]
    several = found.n_raters * (found.n_raters - 1) // 2
    pairs = tuple(per_pair(found, "exact", interval=None)) if 1 < several <= MOST_PAIRS else ()
    return SpanReport(found, tuple(table), pairs, why(found, 12))


def page(made: SpanReport) -> str:
    """The page."""
    found = made.found
    first, *rest = lines(found)
    figures = [
        (MEASURES[e.coefficient].title, shown(e.value, 2) if isfinite(e.value) else "-", limits(e), beside(e))
        for e in made.table
    ]
    by = {e.name: e for e in made.pairs}
    most = max(made.why.counts.values(), default=0)
    kinds = "".join(
        f'<tr><td>{WORDS[k]}</td><td>{n:,}</td><td><span class="bar" style="width:{12 * n / max(most, 1):.2f}rem"></span></td></tr>'
        for k, n in made.why.counts.items()
    )
    level = f"{made.table[0].level:.0%} interval"
    parts = [
        f'<h1>{_text(made.sentence)}</h1><p class="soft">{_text(first)}</p>',
        html_table(["measure", "value", level, ""], figures),
        f"<h2>How they differ</h2><p>{_text(' '.join(made.why.sentences()[1:]))}</p>",
        f"<table><thead><tr><th>kind</th><th>units</th><th>over pairs of raters</th></tr></thead><tbody>{kinds}</tbody></table>",
        "<h2>In the text</h2>",
        *_documents(made),
    ]
    if by:
        parts.append("<h2>Exact F1 of each pair</h2>")
        parts.append(html_table(["pair", "exact F1"], [(n, shown(e.value, 2)) for n, e in by.items()]))
    said = dict.fromkeys(str(n) for e in made.table for n in e.notes if n.level != "undefined")
    parts += ["<h2>What to know</h2><ul>", *(f"<li>{_text(x)}</li>" for x in (*rest, *said)), "</ul>"]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{_text(found.source)}: agreement on spans</title><style>{STYLE}</style></head><body><main>"
        + "".join(parts)
        + "</main></body></html>\n"
    )


def beside(e: Estimate) -> str:
    """What stands beside a figure: why it has none, chance, its cover, or its Monte Carlo error."""
    if not isfinite(e.value):
        return SHORT.get(e.undefined.code, str(e.undefined)) if e.undefined is not None else ""
    if isfinite(e.details.get("chance", nan)):
        return f"{e.details['chance']:.2f} by chance"
    if "cover" in e.details:
        return f"on {e.details['cover']:.0%} of the text"
    return f"Monte Carlo error {e.details['monte_carlo_se']:.4f}" if "monte_carlo_se" in e.details else ""


SHORT = {
    "stacked_units": "units of one rater overlap",
    "no_lengths": "needs the lengths of documents",
    "texts_differ": "texts differ between raters",
    "one_label_marked": "no two labels meet",
    "nobody_marked": "nobody marked anything",
    "no_shared_document": "no document of two raters",
    "all_marked_alike": "all characters are alike",
}
"""Reasons in a few words, for a table."""


def _text(text: str) -> str:
    return escape(printable(text))


def _documents(made: SpanReport) -> list[str]:
    """The hardest documents, with every rater's marks; without texts, the cases in a list."""
    found, cases = made.found, made.why.found
    wrong = cases.kind != 0
    each = np.bincount(cases.pairing.document[cases.row[wrong]], minlength=found.n_documents)
    chosen = [
        int(d) for d in np.argsort(-each, kind="stable")[:DOCUMENTS] if each[d] and found.texts[int(d)] is not None
    ]
    if not chosen:
        items = "".join(f"<li>{_text(str(c))}</li>" for c in made.why.cases)
        return [f"<ul>{items}</ul>" if items else '<p class="soft">Raters do not differ anywhere.</p>']
    names = [label_name(x) for x in found.labels[: len(COLORS)]]
    names += [f"{len(found.labels) - len(COLORS):,} other labels"] if len(found.labels) > len(COLORS) else []
    key = "".join(f'<span><i style="background:{color(i)}"></i>{_text(x)}</span>' for i, x in enumerate(names))
    made_ = [f'<p class="key">{key}</p><p class="soft">{HOW_MARKED}</p>']
    for d in chosen:
        views = np.flatnonzero(found.view_document == d)
        who = ", ".join(found.raters[int(r)] for r in found.view_rater[views[:LANES]])
        more = f" and {len(views) - LANES} more" if len(views) > LANES else ""
        said = f"{int(each[d]):,} differences; raters: {_text(who + more)}"
        made_.append(f'<h3>{_text(found.documents[d])}</h3><p class="soft">{said}</p>{marked_text(found, d)}')
    return made_


def color(label: int) -> str:
    """Of a label, by its position."""
    return COLORS[label] if label < len(COLORS) else REST


def marked_text(found: Spans, d: int, whole: int = PLACES * AROUND) -> str:
    """A document with every rater's marks, cut around the places where raters differ if it is longer than ``whole``."""
    text = found.texts[d] or ""
    views = np.flatnonzero(found.view_document == d)
    shown_views = views[:LANES].tolist()
    units = np.flatnonzero(found.document == d)
    parts = np.flatnonzero(np.isin(found.part_unit, units))
    same = _agreed(found, units, len(views))
    ends = np.unique(np.concatenate([[0, len(text)], found.part_start[parts], found.part_end[parts]]))
    differ = [(int(found.start[u]), int(found.end[u])) for u in units.tolist() if not same[u]]
    windows = _windows(differ, text, whole)
    body: list[str] = []
    at = 0
    for low, high in windows:
        body.append('<span class="cut"> … </span>' if low > at else "")
        inner = np.unique(np.concatenate([[low, high], ends[(ends > low) & (ends < high)]])).tolist()
        for s, e in pairwise(inner):
            body.append(_segment(found, text[s:e], s, e, parts, same, shown_views))
        at = high
    body.append('<span class="cut"> … </span>' if at < len(text) else "")
    return f'<div class="doc" style="line-height:{1.5 + LANE * len(shown_views) / 16:.2f}">{"".join(body)}</div>'


def _agreed(found: Spans, units: Array, views: int) -> dict[int, bool]:
    """Whether everybody who saw the document marked a unit."""
    keys = [(int(found.bounds[u]), int(found.label[u])) for u in units.tolist()]
    return (
        {u: keys.count(k) == views for u, k in zip(units.tolist(), keys, strict=True)}
        if len(units) < 2_000
        else dict.fromkeys(units.tolist(), False)
    )


def _windows(places: Sequence[tuple[int, int]], text: str, whole: int) -> list[tuple[int, int]]:
    """What to show of a text: all of a short one, otherwise the places with some text around them, in whole words."""
    length = len(text)
    if length <= whole:
        return [(0, length)]
    made: list[tuple[int, int]] = []
    for low, high in sorted(places):
        low, high = max(0, low - AROUND), min(length, min(high, low + 4 * AROUND) + AROUND)
        low = max(text.rfind(" ", max(0, low - AROUND), low), 0) if low else 0
        blank = text.find(" ", high, high + AROUND)
        high = blank if blank >= 0 else high
        if made and low <= made[-1][1]:
            made[-1] = made[-1][0], max(high, made[-1][1])
        elif len(made) < whole // AROUND:
            made.append((low, high))
    return made or [(0, whole)]


def _segment(
    found: Spans,
    text: str,
    s: int,
    e: int,
    parts: Array,
    same: dict[int, bool],
    views: Sequence[int],
) -> str:
    """A stretch without a bound in it, with a line for each rater who marked it."""
    here = found.part_unit[parts[(found.part_start[parts] <= s) & (found.part_end[parts] >= e)]].tolist()
    words = escape(text_lines(text))
    if not here:
        return words
    if all(same[u] for u in here):
        of = color(int(found.label[here[0]]))
        back = f"background:linear-gradient({of},{of}) 0 100%/100% 2px no-repeat;padding-bottom:2px"
        return f'<span style="{back}">{words}</span>'
    lanes = {int(found.view[u]): color(int(found.label[u])) for u in here}
    drawn = [(lanes[v], LANE * (len(views) - 1 - i)) for i, v in enumerate(views) if v in lanes]
    title = "; ".join(
        f"{found.raters[int(found.rater[u])]}: {label_name(found.labels[int(found.label[u])])}" for u in here
    )
    images = ",".join(f"linear-gradient({c},{c})" for c, _ in drawn)
    places = ",".join(f"0 calc(100% - {px}px)" for _, px in drawn)
    back = (
        f"background-image:{images};background-position:{places};background-size:100% 3px;background-repeat:no-repeat;"
        f"padding-bottom:{LANE * len(views)}px"
    )
    return f'<span class="dis" style="{back}" title="{_text(title)}">{words}</span>'
