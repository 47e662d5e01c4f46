"""What to label next as a file: a table, or tasks that a labelling tool imports. No label and no probability is in a task,
so that nobody is led.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.estimate import jsonable
from raters.models.follow_up.next_labels import NextLabels
from raters.models.follow_up.training import carried
from raters.reporting.cards import text_names
from raters.reporting.context import known_label_name
from raters.reporting.office import Sheet, workbook
from raters.writing import csv_text

Row = dict[str, Any]
OWN = ("rater", "bits")
"""Columns of the list; who should label the item is empty where anybody may."""


def columns(ann: Annotations, found: NextLabels) -> dict[str, list[Any]]:
    """A row for each label: the item under its own name, its other columns, who should give the label, and the bits
    that it is expected to add.

    >>> import raters
    >>> from raters.models.follow_up.next_labels import label_next
    >>> ann = raters.examples.demo()
    >>> list(columns(ann, label_next(raters.consensus(ann), 2)))
    ['item', 'text', 'topic', 'rater', 'bits']
    """
    items = [row.item for row in found]
    name = ann.columns.get("item", "item")
    made: dict[str, list[Any]] = {name if name not in OWN else "item": items}
    shown = {x: values for x, values in carried(ann, items).items() if not known_label_name(x)}  # the truth leads, too
    made |= {column: values for column, values in shown.items() if column not in (*made, *OWN)}
    return made | {"rater": [row.rater for row in found], "bits": [row.bits for row in found]}


def _tasks(ann: Annotations, table: Mapping[str, list[Any]]) -> Iterator[tuple[str, str, Row]]:
    """Each item's name, its text (its name where no column holds one), and its other values."""
    texts = [name for name in text_names(ann) if name in table]
    for values in zip(*table.values(), strict=True):
        row: Row = jsonable(dict(zip(table, values, strict=True)))
        item = next(iter(row.values()))
        text = " / ".join(str(row[name]) for name in texts if row[name] is not None)
        yield str(item), text or str(item), {key: x for key, x in row.items() if x is not None and key not in texts}


def _label_studio(ann: Annotations, table: Mapping[str, list[Any]]) -> str:
    """A list of tasks; ``$text`` is the text in the labelling interface."""
    return json.dumps(
        [{"data": {**row, "text": text}} for _, text, row in _tasks(ann, table)], ensure_ascii=False, indent=1
    )


def _argilla(ann: Annotations, table: Mapping[str, list[Any]]) -> str:
    """Records, as ``dataset.records.from_json`` reads them; the field is ``text``."""
    records = [{"id": item, "fields": {"text": text}, "metadata": row} for item, text, row in _tasks(ann, table)]
    return json.dumps(records, ensure_ascii=False, indent=1)


def _doccano(ann: Annotations, table: Mapping[str, list[Any]]) -> str:
    """A text a line, without labels; the rest is kept as metadata."""
    return "".join(
        json.dumps({**row, "text": text, "label": []}, ensure_ascii=False) + "\n" for _, text, row in _tasks(ann, table)
    )


TOOLS: Mapping[str, tuple[str, Callable[[Annotations, Mapping[str, list[Any]]], str]]] = {
    "label_studio": (".json", _label_studio),
    "argilla": (".json", _argilla),
    "doccano": (".jsonl", _doccano),
}
"""For each tool the ending of its file, and what writes it."""
TABLES: Mapping[str, Callable[[Mapping[str, list[Any]]], bytes]] = {
    ".csv": lambda table: csv_text(list(table), zip(*table.values(), strict=True)).encode(),
    ".xlsx": lambda table: workbook([Sheet("label next", list(table), list(zip(*table.values(), strict=True)))]),
}


def written(ann: Annotations, found: NextLabels, path: Path, tool: str | None) -> bytes:
    """The list as the file of that name."""
    ending = check_ending(path, tool)
    table = columns(ann, found)
    return TABLES[ending](table) if tool is None else TOOLS[tool][1](ann, table).encode(errors="replace")


def check_ending(path: Path, tool: str | None) -> str:
    """The ending of the file; an error if nothing writes it."""
    ending = path.suffix.lower()
    if tool is not None and ending != TOOLS[tool][0]:
        raise UsageError(f"{path}: {tool} imports a file that ends in {TOOLS[tool][0]}.")
    if tool is None and ending not in TABLES:
        tools = ", ".join(TOOLS)
        raise UsageError(
            f"{path}: use a name that ends in {' or '.join(TABLES)}, or name the tool: --next-for {tools}."
        )
    return ending
