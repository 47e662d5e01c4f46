"""Potato: a folder for each user, with ``user_state.json`` (v2) or ``annotated_instances.jsonl`` (v1); or the merged
TSV.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from raters.io.exports.answers import Answer, Export, mapping
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance, glance, records
from raters.io.exports.several_files import file_raters

BETWEEN = ":::"


def sniff(g: Glance) -> bool:
    """The state of a user, labels by schema, or columns of schema and option."""
    state = g.has("user_id") and bool(g.keys & {"instance_id_to_label_to_value", "instance_id_ordering"})
    first = g.has("id", "label_annotations")
    return state or first or (g.columns("user", "instance_id") and any(BETWEEN in name for name in g.header))


def read(documents: Sequence[Document]) -> Export:
    """Each schema is a question; if a user ticked several options of one, it allows several labels."""
    found: list[Answer] = []
    spans = 0
    names = file_raters(documents)
    for place, document in enumerate(documents):
        if glance(document).header:
            found += from_table(document, place)
            continue
        for one in map(mapping, document.objects()):
            if "label_annotations" in one:
                by_schema = {s: list(mapping(v).items()) for s, v in mapping(one["label_annotations"]).items()}
                found += answers(one.get("id"), names[place], by_schema, place)
                spans += len(one.get("span_annotations") or ())
            else:
                spans += sum(len(v or ()) for v in mapping(one.get("instance_id_to_span_to_value")).values())
                for item, pairs in mapping(one.get("instance_id_to_label_to_value")).items():
                    found += answers(item, one.get("user_id"), paired(pairs), place)
    several = frozenset(a.question for a in found if isinstance(a.label, list) and len(a.label) > 1)
    found += unticked(found, several)
    return Export(found, spans, (), {"item": "instance_id", "rater": "user_id"}, sets=several)


def paired(pairs: Any) -> dict[str, list[tuple[str, Any]]]:
    """Schema -> the options with their values, from ``[[{schema, name}, value], ...]``."""
    found: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    for pair in pairs if isinstance(pairs, list) else []:
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], Mapping):
            found[str(pair[0].get("schema"))].append((str(pair[0].get("name")), pair[1]))
    return found


def answers(item: Any, rater: Any, by_schema: Mapping[str, Sequence[tuple[str, Any]]], place: int) -> Iterator[Answer]:
    """One answer for each schema. The value of an option is "true", its own name, or what was typed or moved to."""
    for schema, options in by_schema.items():
        given = [
            name if str(value).lower() in ("true", "on") or str(value) == name else value
            for name, value in options
            if value not in (None, False, "", "false")
        ]
        if given:
            yield Answer(item, rater, schema, given, None, place)


def unticked(found: Sequence[Answer], several: frozenset[str]) -> list[Answer]:
    """Items that a user answered without ticking any option of a question that allows several: none applies, or

    it was not considered. Only users who ticked an option of this question at least once count: others may have been
    asked something else.
    """
    asked = {(a.rater, a.question) for a in found}
    seen = {(a.item, a.rater): a.place for a in found}
    ticked = {(a.item, a.rater, a.question) for a in found}
    return [
        Answer(item, rater, question, [], "empty", place)
        for question in sorted(several)
        for (item, rater), place in seen.items()
        if (rater, question) in asked and (item, rater, question) not in ticked
    ]


def from_table(document: Document, place: int) -> Iterator[Answer]:
    """The merged TSV: a column for each option of each schema."""
    header, rows = records(document)
    options = [name for name in header if BETWEEN in name]
    for row in rows:
        by_schema: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        for name in options:
            schema, _, option = name.partition(BETWEEN)
            if row[name].strip() not in ("", "0", "0.0"):
                value = row[name].strip()
                by_schema[schema].append((option, "true" if value in ("1", "1.0") else value))
        yield from answers(row["instance_id"], row["user"], by_schema, place)
