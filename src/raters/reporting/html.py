"""HTML: one file that opens offline, runs no script, reads in light and dark, and prints."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from raters.charts.chart import INK, Chart
from raters.escaping import lines, printable
from raters.reporting.cells import cell_text
from raters.reporting.document import Document, Table


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
    env.globals["picture"] = picture
    return env


def _shown(value: Any) -> Any:
    """Whatever the template shows: HTML is escaped by autoescape, control characters and turned writing here."""
    return lines(value) if type(value) is str else value


def picture(chart: Chart) -> Any:
    """The chart as inline SVG in the page's own text colour, with its words for screen readers."""
    from markupsafe import Markup, escape

    drawn = chart.svg().replace(INK, "currentColor")
    # vl-convert escapes all text; what is added here is escaped by markupsafe
    label = f'<svg role="img" aria-label="{escape(printable(chart.alt))}" '
    drawn = re.sub(r"<svg ", lambda _: label, drawn, count=1)
    return Markup(drawn)


def html(report: Document) -> str:
    """The whole page."""
    return str(_environment().get_template("report.html").render(report=report))


def fragment(report: Document) -> str:
    """The sections alone, for notebooks."""
    from markupsafe import escape

    first = f"<p><strong>{escape(printable(report.not_used))}</strong></p>\n" if report.not_used else ""
    return first + str(_environment().get_template("sections.html").render(report=report))
