"""The report as users hold it: a document that renders and saves itself."""

from __future__ import annotations

from dataclasses import dataclass
from json import loads
from pathlib import Path
from typing import Any

from raters.errors import UsageError
from raters.estimate import Estimate, Result, columns_of
from raters.reporting.document import Document
from raters.reporting.html import fragment
from raters.reporting.report_formats import FORMATS
from raters.reporting.save import save


@dataclass(frozen=True, repr=False)
class Report(Document, Result):
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

    def to_dict(self) -> dict[str, Any]:
        """What ``json()`` writes, as plain values."""
        made: dict[str, Any] = loads(self.json())
        return made

    def to_columns(self) -> dict[str, list[Any]]:
        """Every estimate of the report, one row each, with its section and table."""
        found = (
            {"section": s.key, "table": t.name, **e.row()}
            for s in self.sections
            for t in s.tables()
            for row in t.rows
            for e in row
            if isinstance(e, Estimate)
        )
        return columns_of(list(found))

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        n = len(self.answered)
        return (
            f"<Report: {self.title} {n} of {len(self.sections)} questions answered, {len(self.estimates):,} estimates>"
        )

    def _repr_html_(self) -> str:
        return fragment(self)
