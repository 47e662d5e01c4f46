"""Scores of traces: Langfuse, and evaluation events of OpenTelemetry."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from raters.io.exports.answers import Answer, Export, mapping, objects, scalar
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance, glance, records
from raters.notes.note import Note
from raters.words import whole

WORDS = ("CATEGORICAL", "TEXT", "CORRECTION")
"""Types of Langfuse's scores whose label is text; ``value`` still has a number, which says nothing."""
LANGFUSE = ({"trace_id", "data_type", "source", "name"}, {"traceId", "dataType", "source", "name"})
SCORED = ("observationId", "traceId", "sessionId", "datasetRunId")
"""What a score is about: the first that it has."""
GEN_AI = "gen_ai.evaluation."
SNAKE = re.compile(r"_([a-z])")
INNER = ("resourceLogs", "resourceSpans", "scopeLogs", "scopeSpans", "instrumentationLibraryLogs",
         "instrumentationLibrarySpans", "logRecords", "spans", "events")  # fmt: skip
"""Keys of lists in OTLP, from outside inwards."""


def sniff_langfuse(g: Glance) -> bool:
    """Scores of traces: of the table (camel case), of blob storage, or of the API with its envelope."""
    keys = g.keys | {k.removeprefix("data.") for k in g.keys}
    return any(keys >= need or set(g.header) >= need for need in LANGFUSE)


def read_langfuse(documents: Sequence[Document]) -> Export:
    """The author is the rater; a score without an author is its source's."""
    found: list[Answer] = []
    nobody = 0
    free: set[str] = set()
    for place, document in enumerate(documents):
        tabular = bool(glance(document).header)
        given: Iterable[Any] = records(document)[1] if tabular else document.objects()
        for row in (camel(r) for one in given for r in enveloped(mapping(one))):
            kind = str(row.get("dataType") or "").upper()
            words = kind in WORDS or (kind == "BOOLEAN" and row.get("stringValue") not in (None, ""))
            label = scalar(row.get("stringValue") if words else row.get("value"))
            author = row.get("authorUserName") or row.get("authorUserId")
            nobody += not author
            name = str(row.get("name"))
            free |= {name} if kind in ("TEXT", "CORRECTION") else set()
            item = next((row[k] for k in SCORED if row.get(k)), None)
            why = None if label is not None else "unscored"
            more = {k: row[k] for k in ("source", "traceName") if isinstance(row.get(k), str) and row[k]}
            found.append(Answer(item, author or row.get("source"), name, label, why, place, None, more))
    notes = (Note("sources_are_raters", {"n": nobody}),) if nobody else ()
    return Export(found, 0, notes, {"item": "traceId", "rater": "authorUserName"}, True, free_text=frozenset(free))


def enveloped(one: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """A score, or the scores of a page of the API."""
    return objects(one["data"]) if isinstance(one.get("data"), list) else [one]


def camel(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with its names as the table of scores has them.

    >>> camel({"trace_id": "t1", "name": "tone"})
    {'traceId': 't1', 'name': 'tone'}
    """
    return {k if "." in k else SNAKE.sub(lambda m: m[1].upper(), k): v for k, v in row.items()}


def sniff_otel(g: Glance) -> bool:
    """The event of an evaluation."""
    return f"{GEN_AI}name" in g.text or f"{GEN_AI}result" in g.text


def read_otel(documents: Sequence[Document]) -> Export:
    """Events, on their own or on spans. Where each score of a name has a label, the label counts; otherwise the number."""
    events = [
        (place, about)
        for place, document in enumerate(documents)
        for one in document.objects()
        for about in evaluations(mapping(one), {})
    ]
    words: dict[str, bool] = defaultdict(lambda: True)
    for _, about in events:
        label, score = (scalar(about.get(f"{GEN_AI}score.{k}")) for k in ("label", "value"))
        words[str(about[f"{GEN_AI}name"])] &= label is not None or score is None
    found = [answer(about, place, words[str(about[f"{GEN_AI}name"])]) for place, about in events]
    return Export(found, 0, (Note("services_are_raters"),), {"item": "gen_ai.response.id", "rater": "service.name"})


def answer(about: Mapping[str, Any], place: int, words: bool) -> Answer:
    """One event. No attribute names a rater."""
    given = [scalar(about.get(f"{GEN_AI}score.{k}")) for k in ("label", "value")]
    label = given[0] if words or given[1] is None else given[1]
    why = None if label is not None else "error" if about.get("error.type") else "unscored"
    rater = about.get(f"{GEN_AI}evaluator.name") or about.get("service.name") or about.get("scope.name") or "evaluation"
    item = about.get("gen_ai.response.id") or about.get("span") or about.get("trace")
    return Answer(item, rater, str(about[f"{GEN_AI}name"]), label, why, place)


def evaluations(record: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The attributes of each evaluation in a record, and in the records within it, which know what surrounds them."""
    record = camel(record)
    inside = mapping(record.get("context")) or mapping(record.get("spanContext"))
    here = {
        **known,
        **attributes(mapping(record.get("resource"))),
        **{k: v for k, v in (("scope.name", mapping(record.get("scope")).get("name")),) if v},
        **attributes(record),
        **{
            name: v
            for name, key in (("span", "spanId"), ("trace", "traceId"))
            if (v := record.get(key) or inside.get(key) or inside.get(f"{name}_id"))
        },
    }
    own = attributes(record) if "attributes" in record else record
    if own.get(f"{GEN_AI}name") is not None:
        yield here
    for key in INNER:
        for one in objects(record.get(key)):
            yield from evaluations(one, {k: v for k, v in here.items() if not k.startswith(GEN_AI)})


def attributes(record: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes by name: of an object, or of OTLP's list of keys and values; of a flat event, all that it has."""
    given = record.get("attributes", {k: v for k, v in record.items() if "." in k})
    if isinstance(given, list):
        pairs = ((str(mapping(a).get("key")), mapping(mapping(a).get("value"))) for a in given)
        return {k: value_of(v) for k, v in pairs}
    return dict(mapping(given))


def value_of(value: Mapping[str, Any]) -> Any:
    """A value of OTLP, which writes whole numbers as text."""
    kind, found = next(iter(value.items()), ("", None))
    return int(str(found)) if kind == "intValue" and whole(str(found).removeprefix("-")) else found
