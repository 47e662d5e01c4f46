"""JSON that is one object: the records inside it."""

from __future__ import annotations

from typing import Any

MOST = 100_000_000
"""Maximum length of one JSON object that is inspected, in characters."""
MANY_ITEMS = 20
"""An object with this many keys holds items with their labels, not the columns of a record."""
BY_RATER = "read as labels by item by rater: {rater: {item: label}}"
BY_ITEM = "read as labels by item: {item: label}"


def labels_by_name(whole: Any) -> tuple[list[dict[str, Any]], str] | None:
    """Rows of item, rater and label if the names are keys, rater -> item -> label or item -> label, and a note; None if neither.

    >>> items = {f"q{i}": "no" for i in range(20)}
    >>> rows, note = labels_by_name({"ann": items, "bob": items})
    >>> rows[0], len(rows)
    ({'item': 'q0', 'rater': 'ann', 'label': 'no'}, 40)
    """
    if not isinstance(whole, dict) or not whole:
        return None
    if _labels(whole):
        return [{"item": item, "label": label} for item, label in whole.items()], BY_ITEM
    inner = list(whole.values())
    if not all(isinstance(v, dict) and all(map(_single, v.values())) for v in inner) or not any(map(_labels, inner)):
        return None
    if len({key for v in inner for key in v}) <= 2 * len(whole):
        return None
    rows = [{"item": i, "rater": r, "label": x} for r, labels in whole.items() for i, x in labels.items()]
    return rows, BY_RATER


def _labels(found: dict[str, Any]) -> bool:
    """Whether many keys have values that recur: a record with that many columns would have more distinct values."""
    values = list(found.values())
    return len(values) >= MANY_ITEMS and all(map(_single, values)) and len(set(values)) <= len(values) // 2


def _single(value: Any) -> bool:
    return not isinstance(value, dict | list)


def columns(whole: Any) -> list[dict[str, Any]] | None:
    """Rows if the keys are columns: lists of one length, or values by row number as pandas writes them; None if neither.

    >>> columns({"id": [1, 2], "ann": ["no", "yes"]})
    [{'id': 1, 'ann': 'no'}, {'id': 2, 'ann': 'yes'}]
    """
    if not isinstance(whole, dict) or len(whole) < 2:
        return None
    values = list(whole.values())
    if all(isinstance(v, dict) and len(v) > 1 for v in values):
        if any(list(v) != [str(i) for i in range(len(v))] for v in values):
            return None
        values = [list(v.values()) for v in values]
    alike = all(isinstance(v, list) and len(v) > 1 for v in values) and len({len(v) for v in values}) == 1
    if not alike or any(isinstance(x, dict) for v in values for x in v):
        return None
    return [dict(zip(whole, row, strict=True)) for row in zip(*values, strict=True)]


def records(whole: Any) -> list[dict[str, Any]] | None:
    """The records that one object holds: a list of objects under one of its keys, or objects by their ids; None if neither.

    >>> records({"meta": 1, "data": [{"item": "q1"}, {"item": "q2"}]})
    [{'item': 'q1'}, {'item': 'q2'}]
    >>> records({"q1": {"label": "no"}, "q2": {"label": "yes"}})
    [{'id': 'q1', 'label': 'no'}, {'id': 'q2', 'label': 'yes'}]
    """
    if not isinstance(whole, dict):
        return None
    lists = [v for v in whole.values() if isinstance(v, list) and len(v) > 1 and all(isinstance(x, dict) for x in v)]
    if len(lists) == 1:
        return lists[0]
    if len(whole) > 1 and all(isinstance(v, dict) for v in whole.values()):
        name = "id" if not any("id" in v for v in whole.values()) else "key"
        return [{name: key, **value} for key, value in whole.items()]
    return None
