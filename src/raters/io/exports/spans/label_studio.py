"""Label Studio: regions of text in the JSON export, each control a question."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from raters.io.exports.answers import mapping, objects
from raters.io.exports.documents import Document
from raters.io.exports.glance import glance
from raters.io.exports.label_studio import annotations_of, person, reason, starless
from raters.io.exports.several_files import file_raters
from raters.io.exports.spans.marked import Mark, Marked, by_text
from raters.notes.note import Note


def read(documents: Sequence[Document]) -> Marked:
    """Units of all annotations that count. One marked as ground truth counts if its author also annotated others."""
    made = Marked()
    tasks = [
        (place, t)
        for place, document in enumerate(documents)
        if not glance(document).header
        for t in objects(list(document.objects()))
    ]
    given = [(place, task, a) for place, task in tasks for a in annotations_of(task)]
    people = raters_of([(place, a) for place, _, a in given], documents, made)
    usual = {place: starless(a for p, _, a in given if p == place) for place in {p for p, _, _ in given}}
    texts = {id(t): text_of(t) for _, t in tasks}
    names = by_text([(str(t.get("id")), texts[id(t)]) for _, t in tasks])
    for (place, task, annotation), rater in zip(given, people, strict=True):
        why = reason(annotation, usual[place])
        if why is not None:
            made.left_out[f"{why} annotations"] += 1
            continue
        name = names[str(task.get("id")), texts[id(task)]]
        made.saw(name, rater, texts[id(task)])
        for question, kind, value in regions(annotation):
            made.marks[question] += [
                Mark(name, rater, *where(value), c, value.get("text")) for c in labels(kind, value)
            ]
    made.matched(names)
    return made


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
    found = []
    for r in objects(annotation.get("result")):
        value = mapping(r.get("value"))
        offsets = mapping(value.get("globalOffsets")) or value
        if all(isinstance(offsets.get(k), int) for k in ("start", "end")) and "channel" not in value:
            found.append((str(r.get("from_name", "label")), str(r.get("type", "")), value))
    return [x for x in found if x[1].endswith("labels") or x[1] in x[2]]


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
