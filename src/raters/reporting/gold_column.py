"""Known labels in a column of the table itself: what the labels of the fit are compared with, and never trained on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from raters.annotations import Annotations

NAMES = (
    "gold",
    "gold_label",
    "gold_standard",
    "goldlabel",
    "truth",
    "true_label",
    "ground_truth",
    "groundtruth",
    "expert_label",
)
LEAST = 10
"""Items with a gold label from which a check says anything."""


@dataclass(frozen=True)
class GoldColumn:
    """The column, and the known label of every item that has one of the labels of the table."""

    name: str
    labels: Mapping[Any, Any]
    unknown: int = 0
    """Items with a gold label that is none of the labels."""
    several: int = 0
    """Items with more than one gold label."""

    def left_out(self) -> str:
        """What was left out, in a sentence; empty where nothing was."""
        parts = [
            f"{n:,} items with {what}"
            for n, what in ((self.unknown, "a gold label that no rater used"), (self.several, "several gold labels"))
            if n
        ]
        return f"Left out of the check: {' and '.join(parts)}." if parts else ""


def gold_column(ann: Annotations) -> GoldColumn | None:
    """The first column with the name of known labels that has any for 10 items or more."""
    for column in ann.extras:
        if known_label_name(column) and (found := _read(ann, column)) is not None:
            return found
    return None


def known_label_name(column: str) -> bool:
    """Whether a column has the name of known labels."""
    return column.lower().replace(" ", "_").replace("-", "_") in NAMES


def _read(ann: Annotations, column: str) -> GoldColumn | None:
    cell = f"CAST({ann.engine.quote(column)} AS VARCHAR)"
    got = ann.engine.query(
        f"SELECT item, min({cell}) AS low, max({cell}) AS high FROM annotations WHERE {cell} IS NOT NULL AND {cell} <> '' GROUP BY item"
    )
    by_text = {_text(x): x for x in ann.labels}
    labels: dict[Any, Any] = {}
    unknown = several = 0
    for item, low, high in zip(got["item"].tolist(), got["low"].tolist(), got["high"].tolist(), strict=True):
        if low != high:
            several += 1
        elif _text(low) in by_text:
            labels[item] = by_text[_text(low)]
        else:
            unknown += 1
    return GoldColumn(column, labels, unknown, several) if len(labels) >= LEAST else None


def _text(value: Any) -> str:
    """A label as text, whole numbers without a fraction."""
    text = str(value).strip()
    return text.removesuffix(".0")
