"""Argilla: answers to questions of spans, in records of version 2 (nested or flat) and of Rubrix."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from raters.io.exports.answers import mapping, objects
from raters.io.exports.argilla import RESPONSES, STATUS, USERS, WHY
from raters.io.exports.documents import Document
from raters.io.exports.spans.marked import Mark, Marked


def read(documents: Sequence[Document]) -> Marked:
    """Submitted answers; an empty list is a view without a unit."""
    made = Marked()
    for document in documents:
        for record in map(mapping, document.objects()):
            name = str(record.get("id", record.get("_server_id")))
            for question, user, value, status in answers(record):
                if not isinstance(value, list) or not all(isinstance(v, Mapping) and "start" in v for v in value):
                    continue
                if WHY.get(str(status)):
                    made.left_out[f"answers that were {status}"] += 1
                    continue
                made.saw(name, str(user), text(record, max((int(v["end"]) for v in value), default=0)))
                made.marks[question] += [
                    Mark(
                        name,
                        str(user),
                        int(v["start"]),
                        int(v["end"]),
                        None if v.get("label") is None else str(v["label"]),
                    )
                    for v in value
                ]
    return made


def answers(record: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any, Any]]:
    """(question, user, value, status)."""
    for question, given in mapping(record.get("responses")).items():
        for r in objects(given):
            yield question, r.get("user_id"), r.get("value"), r.get("status")
    for name in record:
        if name.endswith(RESPONSES):
            question = name.removesuffix(RESPONSES)
            users, status = record.get(question + USERS) or [], record.get(question + STATUS) or []
            values = record[name] or []
            for i, value in enumerate(values):
                yield question, users[i] if i < len(users) else None, value, status[i] if i < len(status) else None
    if "annotation_agent" in record and isinstance(record.get("annotation"), list):
        value = [{"label": a[0], "start": a[1], "end": a[2]} for a in record["annotation"] if isinstance(a, list)]
        yield "annotation", record["annotation_agent"], value, None


def text(record: Mapping[str, Any], end: int) -> str | None:
    """The first text that is long enough."""
    fields = {**mapping(record.get("fields")), **{k: v for k, v in record.items() if "." not in k}}
    texts = [v for k, v in fields.items() if isinstance(v, str) and k not in ("id", "status", "_server_id")]
    named = [fields["text"]] if isinstance(fields.get("text"), str) else []
    return next((t for t in [*named, *texts] if len(t) >= end and t), None)
