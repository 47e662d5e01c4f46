"""The reasons for a figure, and the explanation that they form."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from raters.agree.bands import Bands
from raters.estimate import Estimate, EstimateTable, Result, jsonable
from raters.words import printable


@dataclass(frozen=True)
class Reason:
    """One reason for a low (or high) figure, and what the figure would be without it."""

    kind: str
    """skew, rater, labels, items, few, single."""
    text: str
    change: float
    """How much the figure would change; nan if the reason concerns its uncertainty."""
    estimate: Estimate | None = None
    p: float = math.nan
    """For a rater or a pair of labels: the p-value, adjusted for the choice among all of them."""
    together: Estimate | None = None
    """If several raters stand out: the figure without all of them."""


@dataclass(frozen=True, repr=False)
class Explanation(Result):
    """The figure, a sentence, the reasons in order of their effect, and the conventional bands."""

    estimate: Estimate
    sentence: str
    reasons: tuple[Reason, ...]
    bands: Bands
    raters: tuple[Any, ...] = ()
    """Raters who disagree with the others more than chance explains (adjusted for the choice), the most extreme first."""
    largest: float = math.nan
    """The largest value possible with the raters' label frequencies, where the coefficient compares categories; nan elsewhere."""

    def to_dict(self) -> dict[str, Any]:
        reasons = [
            {"kind": r.kind, "text": r.text, "change": jsonable(r.change), "p": jsonable(r.p)} for r in self.reasons
        ]
        return {
            "sentence": self.sentence,
            "reasons": reasons,
            "raters": [jsonable(r) for r in self.raters],
            "largest": jsonable(self.largest),
            "bands": [jsonable(vars(b)) for b in self.bands],
        }

    def to_columns(self) -> dict[str, list[Any]]:
        """One row for each reason."""
        return {name: [getattr(r, name) for r in self.reasons] for name in ("kind", "text", "change", "p")}

    def plot(self) -> Any:
        """The figure, and what it would be without each reason, as an Altair chart."""
        rows = [replace(r.estimate, name=f"without: {r.kind}") for r in self.reasons if r.estimate is not None]
        found = EstimateTable((replace(self.estimate, name="as it is"), *rows), of="reason")
        return found.plot(axis=self.estimate.title)

    def _repr_html_(self) -> str:
        reasons = "".join(f"<li>{escape(printable(r.text))}</li>" for r in self.reasons)
        return f"<p>{escape(printable(self.sentence))}</p><ul>{reasons}</ul>"

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"- {r.text}" for r in self.reasons)])


def p_value(p: float) -> str:
    """A p-value in a sentence; the smallest are only called small.

    >>> p_value(0.0005), p_value(1e-43)
    ('p = 0.0005', 'p < 0.0001')
    """
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.2g}"
