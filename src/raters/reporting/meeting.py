"""The list for a meeting: only the items on which people differ, hardest first, with an empty column for the decision."""

from __future__ import annotations

from html import escape
from typing import Any

from raters.agree.hard_items import hard_items
from raters.annotations import Annotations
from raters.reporting.cards import item_texts
from raters.reporting.office import Sheet, document, workbook
from raters.words import printable
from raters.writing import csv_text

DECISION = "decision"
MOST_RATERS = 12
"""With so many raters each has a column; of more, a cell says who gave which label."""


def meeting(ann: Annotations, most: int | None = None) -> Sheet:
    """One row for each item on which people differ: item, text, the decision to be filled in, and who said what.

    >>> from raters import examples
    >>> found = meeting(examples.four_raters(), 2)
    >>> found.head[:3], found.rows[0][0]
    (['item', 'decision', 'agree'], 6)
    """
    found = hard_items(ann, most or ann.n_items)
    names = list(found.names)
    texts = item_texts(ann, names)
    said = _said(ann, {str(name) for name in names})
    raters = sorted({rater for row in said.values() for rater, _ in row}) if ann.n_raters else []
    each = 0 < len(raters) <= MOST_RATERS
    head = ["item", *(["text"] if texts else []), DECISION, "agree", *(raters if each else ["who said what"])]
    rows = []
    for name, counts in zip(names, found.items.counts.toarray(), strict=True):
        row = said.get(str(name), [])
        same = f"{int(counts.max())} of {int(counts.sum())}"
        given = [", ".join(x for who, x in row if who == rater) for rater in raters] if each else [_by_label(row)]
        rows.append([name, *([texts.get(str(name), "")] if texts else []), "", same, *given])
    return Sheet("meeting", head, rows, f"{len(rows):,} items on which people differ, hardest first")


def _said(ann: Annotations, wanted: set[str]) -> dict[str, list[tuple[str, str]]]:
    """Who gave which label to these items."""
    columns = ann.to_columns()
    raters = columns.get("rater", ["?"] * len(columns["item"]))
    found: dict[str, list[tuple[str, str]]] = {}
    for item, rater, label in zip(columns["item"], raters, columns["label"], strict=True):
        if str(item) in wanted:
            found.setdefault(str(item), []).append((str(rater), _label(label)))
    return found


def _label(label: Any) -> str:
    return ", ".join(map(str, label)) if isinstance(label, list | tuple | set | frozenset) else str(label)


def _by_label(row: list[tuple[str, str]]) -> str:
    labels: dict[str, list[str]] = {}
    for who, label in row:
        labels.setdefault(label, []).append(who)
    return "; ".join(f"{label}: {', '.join(who)}" for label, who in labels.items())


def as_html(sheet: Sheet) -> str:
    """A page to print: one table."""
    cells = "".join(f"<th>{escape(printable(str(c)))}</th>" for c in sheet.head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(printable(str(c)))}</td>" for c in row) + "</tr>" for row in sheet.rows
    )
    style = (
        "body{font:14px sans-serif}table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:4px 8px;"
        "text-align:left;vertical-align:top}tr{break-inside:avoid}"
    )
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>Meeting</title><style>{style}</style>"
        f"<h1>{escape(sheet.caption)}</h1><table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></html>\n"
    )


def as_csv(sheet: Sheet) -> str:
    return csv_text(list(sheet.head), sheet.rows)


WRITERS = {
    ".xlsx": lambda sheet: workbook([sheet]),
    ".docx": lambda sheet: document([sheet], "For the meeting"),
    ".html": lambda sheet: as_html(sheet).encode(),
    ".csv": lambda sheet: as_csv(sheet).encode(),
}
"""The list by the ending of the file's name."""
