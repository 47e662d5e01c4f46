"""HTML: one file that opens offline, runs no script, reads in light and dark, and prints."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

from raters.charts.chart import FONT, INK, Chart
from raters.reporting.cells import cell_text
from raters.reporting.document import Cards, Document, Table
from raters.reporting.paper import PAPER_FORMATS
from raters.reporting.terms import terms
from raters.words import lines, printable


@cache
def _environment() -> Any:
    import jinja2

    env = jinja2.Environment(
        loader=jinja2.PackageLoader("raters.reporting"), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined, finalize=_shown,
    )  # fmt: skip
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
    env.globals["shade"] = lambda votes: "v0" if votes.degree is not None else f"v{votes.place % 6}"
    return env


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
    r' (?:aria-[a-z]+|role|class|pointer-events|xmlns:xlink|font-family)="[^"]*"| opacity="1"| display="none"| aria-hidden="true"'
)


def html(report: Document) -> str:
    """The whole page."""
    return str(_environment().get_template("report.html").render(report=report, terms=terms(report)))


def fragment(report: Document) -> str:
    """The sections alone, for notebooks."""
    from markupsafe import escape

    first = f"<p>{escape(printable(report.not_used))}</p>\n" if report.not_used else ""
    return first + str(
        _environment().get_template("sections.html").render(report=report, terms=terms(report), picture=wide)
    )
