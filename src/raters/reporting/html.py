"""HTML: one file that opens offline, runs no script, reads in light and dark, and prints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from raters.charts.chart import FONT, INK, Chart
from raters.reporting import several
from raters.reporting.document import Cards, Document, Section, Table, cell_text
from raters.reporting.one_label import OWN_RULE
from raters.reporting.one_page import one_page
from raters.reporting.paper_table import PAPER_FORMATS
from raters.words import lines, printable

TERMS = (
    ("kappa", r"\bkappa\b", "agreement beyond chance, like alpha; kappas differ in how they define chance."),
    ("interval", r"\b\d+% interval", "where the figure could lie if other items had been drawn; many items make it narrow."),
    ("the data allow", r"\bthe data allow\b", "the range of figures that fit these data equally well; more labels per item narrow it, more items do not."),
    ("model of the raters", r"\b(?:Dawid|one-coin|annotation model|model of the raters)\b", "a model that estimates how often each rater errs and weights their labels accordingly."),
    ("information", r"\binformation per label\b", "how much one label from a rater says about the item, in bits: 1 bit settles an even yes-or-no question, 0 bits say nothing."),
    ("p", r"\bp = |\bp \(|\(p\b", "how often chance alone would produce a result at least as extreme; small values are evidence against chance."),
    ("ICC", r"\bICC\b", "intraclass correlation, the share of the variation in numbers that lies between items rather than between labels of an item."),
    ("MASI", r"\bMASI\b", "a distance between label sets: 0 for equal sets, 1 for sets that share nothing, between where they overlap."),
    ("pool", r"\bpools?\b", "a group of raters, such as a team, a vendor or the people of a country."),
    ("winning rate", r"\bwinning rate\b", "the share of people whom the model can stand in for, by the alternative-annotator test."),
)  # fmt: skip
"""Term, where it is met, and half a sentence."""


def terms(report: Document) -> list[tuple[str, str]]:
    """The terms that the sections use and the figures of the first screen do not explain."""
    text = "\n".join(words for s in report.answered for words in _texts(s))
    return [(name, words) for name, pattern, words in TERMS if re.search(pattern, text)]


def _texts(s: Section) -> Iterator[str]:
    """What a reader of a section meets before its details: the answer, captions and heads of tables."""
    yield s.answer
    for b in s.blocks:
        if isinstance(b, str):
            yield b
        elif isinstance(b, Table):
            yield " ".join((b.caption, *b.columns))
        else:
            yield b.caption


@cache
def _environment() -> Any:
    import jinja2

    env = jinja2.Environment(
        loader=jinja2.PackageLoader("raters.reporting"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
    )
    env.filters["cell"] = cell_text
    env.filters["printable"] = printable
    env.tests["table"] = lambda block: isinstance(block, Table)
    env.tests["chart"] = lambda block: isinstance(block, Chart)
    env.filters["nobreak"] = nobreak
    env.tests["cards"] = lambda block: isinstance(block, Cards)
    env.filters["paper"] = lambda paper, form: PAPER_FORMATS[form](paper)
    env.filters["place"] = lambda x: f"{100 * min(max(x, 0.0), 1.0):.1f}%"
    env.filters["rest"] = lambda x: f"{100 - 100 * min(max(x, 0.0), 1.0):.1f}%"
    env.globals["picture"] = picture
    env.globals["several"] = several
    env.globals["marks"] = OWN_RULE
    env.globals["shade"] = lambda votes: "v0" if votes.degree is not None else f"v{votes.place % 6}"
    return env


def environment(package: str) -> Any:
    """The same for a package that has templates of its own beside these."""
    import jinja2

    loaders = [jinja2.PackageLoader(package), jinja2.PackageLoader("raters.reporting")]
    return _environment().overlay(loader=jinja2.ChoiceLoader(loaders))


def _shown(value: Any) -> Any:
    """Whatever the template shows: HTML is escaped by autoescape, control characters and turned writing here."""
    return lines(value) if type(value) is str else value


def picture(chart: Chart) -> Any:
    """The chart as inline SVG in the page's own text colour, wide and narrow, with its words for screen readers."""
    from markupsafe import Markup, escape

    # a drawing escapes all text; what is added here is escaped by markupsafe
    words = escape(printable(chart.alt))
    wide, narrow = chart.svg(), chart.svg(narrow=True)
    return Markup("").join(
        Markup(_inline(drawn, f'<svg class="{name}" role="img" aria-label="{words}" '))
        for name, drawn in ((_wide(wide), wide), ("narrow", narrow))
    )


def _wide(drawn: str) -> str:
    """The class of a wide drawing: in print, tall ones may take more of a page, so that their text stays legible."""
    height = re.search(r'<svg [^>]*height="([\d.]+)"', drawn)
    return "wide tall" if height is not None and float(height.group(1)) > TALL else "wide"


def nobreak(text: str) -> Any:
    """Names of options are not broken at their hyphens."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"--[a-z][a-z-]*", r'<span class="nobreak">\g<0></span>', str(escape(text))))


def wide(chart: Chart) -> Any:
    """The chart for a notebook, which has one width."""
    from markupsafe import Markup, escape

    return Markup(_inline(chart.svg(), f'<svg role="img" aria-label="{escape(printable(chart.alt))}" '))


def _inline(drawn: str, start: str) -> str:
    """A drawing without what a page does not need, in the page's own text colour, its commonest font said once."""
    drawn = drawn.replace(INK, "currentColor")
    drawn = _TAG.sub(lambda tag: _LONG.sub(_rounded, tag.group()), drawn)
    drawn = _UNNEEDED.sub("", drawn)
    drawn = re.sub(r'<path d=""/>|<path d="M0,0h[\d.]+v[\d.]+h-?[\d.]+Z"/>', "", drawn)
    sizes = Counter(re.findall(r' font-size="[\d.]+px"', drawn))
    usual = sizes.most_common(1)[0][0] if sizes else ""
    drawn = drawn.replace(usual, "") if usual else drawn
    return re.sub(r"<svg ", lambda _: f'{start}font-family="{FONT}"{usual} ', drawn, count=1)


def _rounded(m: re.Match[str]) -> str:
    """A coordinate to the tenth of a pixel."""
    return f"{float(m.group()):.1f}".removesuffix(".0")


TALL = 400
"""Pixels from which a drawing is tall."""
_TAG = re.compile(r"<[a-z][^>]*>")
_LONG = re.compile(r"(?<![\d.])-?\d+\.\d{2,}")
_UNNEEDED = re.compile(
    r' (?:aria-[a-z]+|role|class|pointer-events|xmlns:xlink|font-family)="[^"]*"| opacity="1"| display="none"|'
    r' aria-hidden="true"'
)


def html(report: Document) -> str:
    """The whole page."""
    return str(_environment().get_template("report.html").render(report=report, terms=terms(report)))


def one_page_html(report: Document) -> str:
    """One printed page."""
    return str(_environment().get_template("onepage.html").render(report=report, page=one_page(report)))


def fragment(report: Document) -> str:
    """The sections alone, for notebooks."""
    from markupsafe import escape

    first = f"<p>{escape(printable(report.not_used))}</p>\n" if report.not_used else ""
    return first + str(_environment().get_template("sections.html").render(report=report, picture=wide))
