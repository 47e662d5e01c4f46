"""Label Studio: regions of text in the JSON export, each control a question."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from raters.io.exports.answers import mapping, objects
from raters.io.exports.documents import Document
from raters.io.exports.glance import glance, nested, records
from raters.io.exports.label_studio import PLACED, TECHNICAL, annotations_of, person, reason, starless
from raters.io.exports.several_files import file_raters
from raters.io.exports.spans.marked import Mark, Marked
from raters.notes.note import Note


def read(documents: Sequence[Document]) -> Marked:
    """Units of all annotations that count. One marked as ground truth counts if its author also annotated others."""
    made = Marked()
    tasks = [(place, t) for place, document in enumerate(documents) for t in tasks_of(document)]
    texts = [text_of(t) for _, t in tasks]
    names = made.named([(i, str(t.get("id")), text) for (i, t), text in zip(tasks, texts, strict=True)])
    given = [
        (place, name, text, a)
        for (place, t), name, text in zip(tasks, names, texts, strict=True)
        for a in annotations_of(t)
    ]
    people = raters_of([(place, a) for place, _, _, a in given], documents, made)
    usual = {place: starless(a for p, _, _, a in given if p == place) for place in {p for p, _, _, _ in given}}
    for (place, name, text, annotation), rater in zip(given, people, strict=True):
        why = reason(annotation, usual[place])
        if why is not None:
            made.left_out[f"{why} annotations"] += 1
            continue
        if not made.saw(name, rater, text):
            made.left_out["later annotations of a rater and document"] += 1
            continue
        made.left_out["regions that are not in the text of the task (boxes, audio, paragraphs)"] += sum(
            elsewhere(mapping(r.get("value"))) for r in objects(annotation.get("result"))
        )
        for question, kind, value in regions(annotation):
            made.marks[question] += [
                Mark(name, rater, *where(value), c, value.get("text")) for c in labels(kind, value)
            ]
    return made


def tasks_of(document: Document) -> list[Mapping[str, Any]]:
    """Tasks with their annotations; JSON-MIN and CSV have a flat record for each annotation."""
    if glance(document).header:
        rows: list[Mapping[str, Any]] = [{k: nested(v) for k, v in r.items()} for r in records(document)[1]]
    else:
        rows = objects(list(document.objects()))
        if not any("annotation_id" in r and "annotations" not in r for r in rows):
            return rows
    return [task_of(r) for r in rows]


def task_of(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A flat record as a task with one annotation."""
    result = [
        {"from_name": name, "type": next((k for k in v if k.endswith("labels")), ""), "value": v}
        for name, given in row.items()
        for v in objects(given)
    ]
    return {
        "id": row.get("id"),
        "data": {k: v for k, v in row.items() if isinstance(v, str) and k not in TECHNICAL},
        "annotations": [{"completed_by": row.get("annotator"), "result": result}],
    }


def raters_of(given: Sequence[tuple[int, Mapping[str, Any]]], documents: Sequence[Document], made: Marked) -> list[str]:
    """Who gave each annotation: the file where all files name the same person, as everyone's own server does."""
    ids = {str(person(a)) for _, a in given}
    if len({place for place, _ in given}) < 2 or len(ids) > 1:
        return [str(person(a)) for _, a in given]
    made.notes.append(Note("same_rater_in_files", {"rater": next(iter(ids))}))
    files = file_raters(documents)
    return [files[place] for place, _ in given]


def regions(annotation: Mapping[str, Any]) -> list[tuple[str, str, Mapping[str, Any]]]:
    """(control, type, value) of each region of text."""
    found = [
        (str(r.get("from_name", "label")), str(r.get("type", "")), mapping(r.get("value")))
        for r in objects(annotation.get("result"))
    ]
    return [x for x in found if placed(x[2]) and (x[1].endswith("labels") or x[1] in x[2])]


def placed(value: Mapping[str, Any]) -> bool:
    """Whether a value has offsets in the text of the task."""
    offsets = mapping(value.get("globalOffsets")) or value
    return all(isinstance(offsets.get(k), int) for k in ("start", "end")) and "channel" not in value


def elsewhere(value: Mapping[str, Any]) -> bool:
    """Whether a value is a labelled part of the item without offsets in its text."""
    return not placed(value) and not PLACED.isdisjoint(value) and any(k.endswith("labels") for k in value)


def where(value: Mapping[str, Any]) -> tuple[int, int]:
    """The offsets of a region; those of the whole text where a part of a page has its own."""
    offsets = mapping(value.get("globalOffsets")) or value
    return int(offsets["start"]), int(offsets["end"])


def labels(kind: str, value: Mapping[str, Any]) -> list[str | None]:
    """The labels of a region: each makes a unit."""
    given = value.get(kind, value.get("labels"))
    return [str(x) for x in given] if isinstance(given, list) and given else [None]


def text_of(task: Mapping[str, Any]) -> str | None:
    """The text of a task: of several, the one in which most units have their words."""
    texts = [v for v in mapping(task.get("data")).values() if isinstance(v, str)]
    fits: Counter[int] = Counter()
    for annotation in annotations_of(task):
        for _, _, value in regions(annotation):
            start, end = where(value)
            for i, text in enumerate(texts):
                fits[i] += text[start:end] == value.get("text")
    named = mapping(task.get("data")).get("text")
    if not fits or not max(fits.values()):
        return named if isinstance(named, str) else max(texts, key=len, default=None)
    return texts[fits.most_common(1)[0][0]]
