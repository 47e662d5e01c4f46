"""Spans as labels of given units: every token is an item, and each rater who saw the document labels it."""

from __future__ import annotations

from typing import Any

from raters.errors import UsageError
from raters.spans.pairs import TOKEN
from raters.spans.units import Spans, label_name

OUTSIDE = "O"


def tokens(found: Spans) -> dict[str, list[Any]]:
    """Columns item, rater, label and token: O outside of units; a token in units of several labels has all of them."""
    columns: dict[str, list[Any]] = {"item": [], "rater": [], "label": [], "token": []}
    by_view: dict[int, list[tuple[int, int, str]]] = {}
    for unit, start, end in zip(
        found.part_unit.tolist(), found.part_start.tolist(), found.part_end.tolist(), strict=True
    ):
        name = label_name(found.labels[int(found.label[unit])])
        by_view.setdefault(int(found.view[unit]), []).append((start, end, name))
    for view, (d, r) in enumerate(zip(found.view_document.tolist(), found.view_rater.tolist(), strict=True)):
        text = found.texts[d]
        if text is None:
            raise UsageError(
                f"{found.source}: tokens need the texts of documents, and {found.documents[d]!r} has none."
            )
        marks = sorted(by_view.get(view, []))
        at = 0
        for i, m in enumerate(TOKEN.finditer(text), 1):
            while (
                at < len(marks)
                and marks[at][1] <= m.start()
                and not any(e > m.start() for _, e, _ in marks[at : at + 1])
            ):
                at += 1
            here = sorted({c for s, e, c in marks[at:] if s < m.end() and e > m.start()} if at < len(marks) else set())
            columns["item"].append(f"{found.documents[d]}:{i}")
            columns["rater"].append(found.raters[r])
            columns["label"].append("+".join(here) or OUTSIDE)
            columns["token"].append(m.group())
    return columns
