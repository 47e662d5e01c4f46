"""Appen (Figure Eight, CrowdFlower): the full report."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from raters.errors import DataError
from raters.io.exports.answers import Answer, Export
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance, nested, records
from raters.notes.note import Note

GOLD = "_gold"
PRIVATE = ("_ip", "_city", "_region")
"""Columns about a worker's location, which are private and not needed."""
TRUE = ("true", "1", "yes")


def sniff(g: Glance) -> bool:
    """Whether the columns are units with workers or with aggregated judgments."""
    return g.columns("_unit_id") and bool({"_worker_id", "_trusted_judgments", "_unit_state"} & set(g.header))


def read(documents: Sequence[Document]) -> Export:
    """Every judgment of every question."""
    found: list[Answer] = []
    notes: list[Note] = []
    for place, document in enumerate(documents):
        header, rows = records(document)
        if "_worker_id" not in header:
            raise DataError(
                f"{document.name} (Appen): this is the aggregated report, with one row for each unit and no worker in"
                " it. Download the full report instead (Results > Full), which has a row for each judgment."
            )
        every = list(rows)
        asked = questions(header, every)
        notes = [Note("appen_questions", {"suffix": GOLD})]
        for row in every:
            more = {k: v for k, v in row.items() if k not in (*asked, *PRIVATE)}
            for question in asked:
                label = several(row[question])
                found.append(
                    Answer(row["_unit_id"], row["_worker_id"], question, label, reason(row), place, None, more)
                )
    return Export(found, 0, tuple(notes), {"item": "_unit_id", "rater": "_worker_id"}, True)


def questions(header: Sequence[str], rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Columns of answers; the data of a unit are the same in all its rows, or are called input."""
    candidates = [
        n for n in header if n and not n.startswith(("_", "orig_")) and not n.endswith((GOLD, f"{GOLD}_reason"))
    ]
    certain = [n for n in candidates if n + GOLD in header]
    seen: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        for name in candidates:
            seen[name, row["_unit_id"]].add(row[name])
    differ = {name for (name, _), values in seen.items() if len(values) > 1}
    asked = [n for n in candidates if n in certain or n in differ]
    # the content of a unit is called input, and may differ within a unit by mistake
    return [n for n in asked if not n.lower().startswith("input")] or asked


def several(cell: str) -> Any:
    """One answer, or several in a cell: as JSON, or one per line."""
    value = nested(cell)
    if isinstance(value, list):
        return [v for v in value if isinstance(v, str | int | float)] or None
    parts = [part.strip() for part in cell.split("\n") if part.strip()]
    return parts if len(parts) > 1 else (parts[0] if parts else None)


def reason(row: Mapping[str, str]) -> str | None:
    """Test questions, and workers who failed them."""
    if row.get("_golden", row.get("orig__golden", "")).strip().lower() in TRUE:
        return "gold"
    return "untrusted" if row.get("_tainted", "").strip().lower() in TRUE else None
