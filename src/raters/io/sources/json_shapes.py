"""JSON that is one object: the records inside it."""

from __future__ import annotations

from typing import Any

MOST = 100_000_000
"""Characters of one JSON object that is looked into."""


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
