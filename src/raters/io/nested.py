"""Tables whose cells hold the labels of several raters: a list of labels beside a list of raters, or labels by rater."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from raters.errors import DataError, brief
from raters.io.columns import normal, rank
from raters.io.layouts import Long, identity, long
from raters.io.numbers import as_numbers
from raters.io.profiles import Profile
from raters.io.sources.rows import from_columns
from raters.io.table import Table

FIELDS = frozenset(
    [
        "start",
        "end",
        "begin",
        "offset",
        "length",
        "label",
        "labels",
        "value",
        "text",
        "type",
        "name",
        "id",
        "score",
        "span",
        "from",
        "to",
    ]
)
"""Keys of an object that describes one thing, a span or an answer; raters are not called so."""


def listed_in(cell: str | None) -> list[Any] | None:
    """A cell as a list: JSON, or text with commas; None where it is neither.

    >>> listed_in('["no", "yes"]'), listed_in("Ann1,Ann2"), listed_in("no")
    (['no', 'yes'], ['Ann1', 'Ann2'], None)
    """
    if cell is None:
        return None
    if cell[:1] == "[":
        try:
            found = json.loads(cell)
        except (json.JSONDecodeError, RecursionError):
            return None
        return found if isinstance(found, list) else None
    return [part.strip() for part in cell.split(",")] if "," in cell else None


def by_rater(cell: str | None) -> dict[str, Any] | None:
    """A cell as labels by rater: a JSON object of single values; None where it is none."""
    if cell is None or cell[:1] != "{":
        return None
    try:
        found = json.loads(cell)
    except (json.JSONDecodeError, RecursionError):
        return None
    if not isinstance(found, dict) or any(normal(key) in FIELDS for key in found):
        return None
    return found if found and not any(isinstance(v, dict | list) for v in found.values()) else None


def label_cells(columns: Sequence[Profile], rows: Sequence[dict[str, Any]]) -> tuple[str, str | None] | None:
    """The column that holds the labels of several raters, and that of who they are (None: the cells say it themselves)."""
    for p in columns:
        found = [by_rater(row[p.column]) for row in rows if row[p.column] is not None]
        if found and all(d is not None for d in found) and (rank(p.name, "label") is not None or len(columns) <= 3):
            return p.name, None
    lists = {p: [listed_in(row[p.column]) for row in rows] for p in columns}
    able = {p: cells for p, cells in lists.items() if sum(c is not None for c in cells) > 0.5 * len(rows)}
    labels = [p for p in able if rank(p.name, "label") is not None and rank(p.name, "rater") is None]
    people = [p for p in able if rank(p.name, "rater") is not None]
    for label in labels:
        for who in people:
            sizes = [
                (len(a), len(b)) for a, b in zip(able[label], able[who], strict=True) if a is not None and b is not None
            ]
            if sizes and all(a == b for a, b in sizes):
                return label.name, who.name
    return None


def spread_out(table: Table, item: str | None, label: str, rater: str | None) -> Long:
    """One row for each label in a cell."""
    at, who = table.column(label), table.column(rater) if rater is not None else "NULL"
    key = identity(table, table.column(item)) if item is not None else "row"
    others = [c for c, name in table.named().items() if name and name not in (label, rater, item)]
    casts = "".join(f", CAST({c} AS STRING) AS {c}" for c in others)
    got = table.engine.query(
        f"SELECT row, {key} AS item, CAST({at} AS STRING) AS label, CAST({who} AS STRING) AS who{casts} FROM annotations ORDER BY row"
    )
    own = {"item", "rater", "label"}
    names = {c: name + "_" * (name in own) for c in others if (name := table.name(c))}
    made: dict[str, list[Any]] = {name: [] for name in ("item", "rater", "label", *names.values())}
    more = [got[c].tolist() for c in others]
    cells = zip(got["row"].tolist(), got["item"].tolist(), got["label"].tolist(), got["who"].tolist(), strict=True)
    for i, (row, name, label_cell, who_cell) in enumerate(cells):
        for person, value in pairs(label_cell, who_cell, rater is not None, f"{table.source}, row {row}"):
            made["item"].append(name)
            made["rater"].append(person)
            made["label"].append(value)
            for column, values in zip(names, more, strict=True):
                made[names[column]].append(values[i])
    if all(isinstance(v, str) for v in made["label"]):  # numbers written as text
        made["label"] = as_numbers(made["label"]) or made["label"]
    found = long(from_columns(made, table.source), "item", "rater", "label")
    return replace(found, columns={"item": item or "row", "rater": rater or label, "label": label})


def pairs(label: Any, who: Any, named: bool, where: str) -> list[tuple[str, Any]]:
    """Rater and label of each label in a cell."""
    text = None if label is None or label != label else str(label)
    if not named:
        return list((by_rater(text) or {}).items())
    labels = listed_in(text) or ([] if text is None else [text])
    people = listed_in(None if who is None else str(who)) or ([] if who is None else [str(who)])
    if len(labels) != len(people):
        raise DataError(f"{where}: {len(labels)} labels for {len(people)} raters ({brief(text)}).")
    return [(str(a), b) for a, b in zip(people, labels, strict=True)]
