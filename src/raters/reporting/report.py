"""The report as users hold it: a document that renders and saves itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from raters.errors import UsageError
from raters.reporting.document import Document
from raters.reporting.html import fragment
from raters.reporting.report_formats import FORMATS
from raters.reporting.save import save


@dataclass(frozen=True)
class Report(Document):
    """All questions that the data can answer. ``save("report.html")`` writes it in the format of the name's ending."""

    def render(self, format: str) -> str:
        """The report as ``text``, ``html``, ``json``, ``markdown``, ``latex``, ``card`` (a dataset card) or ``csv``."""
        if format not in FORMATS:
            raise UsageError(f"unknown format {format!r}: choose one of {', '.join(FORMATS)}.")
        return FORMATS[format](self)

    def text(self) -> str:
        return self.render("text")

    def html(self) -> str:
        return self.render("html")

    def json(self) -> str:
        return self.render("json")

    def markdown(self) -> str:
        return self.render("markdown")

    def latex(self) -> str:
        return self.render("latex")

    def card(self) -> str:
        return self.render("card")

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the report; the format is that of the name's ending (.html .json .md .tex .txt .csv)."""
        return save(self, Path(path), force)

    def _repr_html_(self) -> str:
        return fragment(self)
