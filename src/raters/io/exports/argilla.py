"""Argilla: records of version 2, nested and flattened, of version 1, and of its predecessor Rubrix. Written from the
documentation only.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from raters.io.exports.answers import Answer, Export, mapping, objects, scalars
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance
from raters.notes.note import Note

WHY = {"draft": "draft", "discarded": "skipped", "pending": "draft"}
RESPONSES, USERS, STATUS, SUGGESTION = ".responses", ".responses.users", ".responses.status", ".suggestion"


def sniff(g: Glance) -> bool:
    """Responses and fields; columns of responses; or answers with a user, a value and a status."""
    nested = g.has("fields", "responses") or g.has("fields", "suggestions")
    flat = any(key.endswith(USERS) for key in g.keys)
    first = any(g.has(f"{q}.user_id", f"{q}.value", f"{q}.status") for q in {k.split(".")[0] for k in g.keys})
    return nested or flat or first or g.has("annotation", "annotation_agent", "status")


def read(documents: Sequence[Document]) -> Export:
    """Submitted responses; drafts, discarded responses and suggestions are marked as such, and so is a record that
    nobody answered.
    """
    found: list[Answer] = []
    spans = 0
    stated = True
    answered: list[tuple[Any, int, set[str]]] = []
    for place, document in enumerate(documents):
        for record in map(mapping, document.objects()):
            given = list(form_of(record)(record, place))
            people = {a.question for a in given if a.why != "predicted" and a.label is not None}
            stated = stated and (not people or has_status(record))
            answered.append((given[0].item if given else name_of(record), place, people))
            spans += sum(is_span(a.label) for a in given)
            found += [a for a in given if not is_span(a.label)]
    asked = dict.fromkeys(a.question for a in found)
    for item, place, people in answered:
        found += [Answer(item, None, q, None, "empty", place) for q in asked if q not in people]
    notes = () if stated else (Note("drafts_unknown"),)
    return Export(found, spans, notes, {"item": "id", "rater": "user_id"})


def name_of(record: Mapping[str, Any]) -> Any:
    """The item of a record."""
    return next((record[k] for k in ("external_id", "id", "_server_id") if record.get(k) is not None), None)


def has_status(record: Mapping[str, Any]) -> bool:
    """Whether the responses of a record say if they were submitted."""
    nested = [r for given in mapping(record.get("responses")).values() for r in objects(given)]
    if nested:
        return all("status" in r for r in nested)
    flat = [k for k in record if k.endswith(USERS) and record[k]]
    return all(record.get(k.removesuffix(USERS) + STATUS) for k in flat)


def form_of(record: Mapping[str, Any]) -> Callable[[Mapping[str, Any], int], Iterator[Answer]]:
    """The version that wrote a record."""
    if "annotation_agent" in record:
        return rubrix
    return nested if "responses" in record else flat if any(k.endswith(USERS) for k in record) else first


def rubrix(record: Mapping[str, Any], place: int) -> Iterator[Answer]:
    """Records before Argilla 1: one ``annotation`` by an ``annotation_agent``, and a ``prediction`` with scores."""
    text = record.get("text") or next(iter(scalars(record.get("inputs")).values()), None)
    item = record.get("id") if record.get("id") is not None else text
    status = str(record.get("status")).lower().rsplit(".", 1)[-1]
    why = "skipped" if status == "discarded" else "draft" if status == "default" else None
    given, more = record.get("annotation"), scalars(record.get("metadata"))
    if given is not None:
        yield Answer(item, record.get("annotation_agent"), "annotation", given, why, place, text, more)
    guessed = [p for p in record.get("prediction") or () if isinstance(p, Mapping | list | tuple) and p]
    if guessed:
        best = guessed[0].get("label") if isinstance(guessed[0], Mapping) else guessed[0][0]
        agent = record.get("prediction_agent") or "prediction"
        yield Answer(item, agent, "annotation", best, "predicted", place, text, more)


def is_span(value: Any) -> bool:
    """Spans and rankings are lists of objects."""
    return isinstance(value, list) and any(isinstance(v, Mapping) for v in value)


def nested(record: Mapping[str, Any], place: int) -> Iterator[Answer]:
    """``responses: {question: [{value, user_id}]}`` and ``suggestions: {question: {value, agent}}``."""
    item, more = name_of(record), scalars(record.get("fields"))
    for question, given in mapping(record.get("responses")).items():
        for r in objects(given):
            why = WHY.get(str(r.get("status")))
            yield Answer(item, r.get("user_id"), question, r.get("value"), why, place, None, more)
    for question, s in mapping(record.get("suggestions")).items():
        agent = mapping(s).get("agent") or "suggestion"
        yield Answer(item, agent, question, mapping(s).get("value"), "predicted", place, None, more)


def flat(record: Mapping[str, Any], place: int) -> Iterator[Answer]:
    """Parallel lists: ``q.responses``, ``q.responses.users``, ``q.responses.status``; None if nobody answered."""
    item = name_of(record)
    more = {k: v for k, v in scalars(record).items() if "." not in k and k not in ("id", "status")}
    for name in record:
        question = name.removesuffix(RESPONSES)
        if question == name:
            continue
        values, users = record[name] or [], record.get(question + USERS) or []
        status = record.get(question + STATUS) or [None] * len(values)
        for value, user, state in zip(values, users, status, strict=False):
            yield Answer(item, user, question, value, WHY.get(str(state)), place, None, more)
        guess = record.get(question + SUGGESTION)
        if guess is not None:
            agent = record.get(f"{question}{SUGGESTION}.agent") or "suggestion"
            yield Answer(item, agent, question, guess, "predicted", place, None, more)


def first(record: Mapping[str, Any], place: int) -> Iterator[Answer]:
    """Version 1: a question is a list of ``{user_id, value, status}``, or an object of three lists."""
    item = name_of(record)
    for question, given in record.items():
        if isinstance(given, Mapping) and isinstance(given.get("value"), list):
            names = ("user_id", "value", "status")
            given = [
                dict(zip(names, three, strict=True))
                for three in zip(*(given.get(n) or [] for n in names), strict=False)
            ]
        for r in objects(given):
            if "value" in r and "user_id" in r:
                why = WHY.get(str(r.get("status")))
                yield Answer(item, r["user_id"], question, r["value"], why, place, None, {})
