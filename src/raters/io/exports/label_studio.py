"""Label Studio: JSON (also the old ``completions``), JSON-MIN and CSV."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from raters.io.exports.answers import Answer, Export, mapping, objects, scalars
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance, glance, nested, records
from raters.io.exports.several_files import joined_items, joined_raters
from raters.notes.note import Note

WHOLE = {"choices": "choices", "rating": "rating", "taxonomy": "taxonomy", "number": "number", "datetime": "datetime",
         "textarea": "text", "pairwise": "selected"}  # fmt: skip
"""Type of a result that is about the whole item -> the key of its value."""
FREE, ELSE = ("textarea",), ("chatmessage",)
"""Answers in free text; results that are not labels."""
TECHNICAL = {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement"}
PLACED = frozenset({"start", "end", "x", "y", "width", "points", "rle", "globalOffsets"})
"""Keys of a value that locate it within the item."""


def sniff(g: Glance) -> bool:
    """Tasks with annotations (or completions), or one flat record per annotation."""
    tasks = (g.has("annotations.result") and (g.has("data") or g.has("annotations.completed_by"))) or g.has(
        "completions.result"
    )
    waiting = g.has("annotations", "predictions", "data", "inner_id")  # nobody has annotated the first tasks
    flat = {"id", "annotation_id", "annotator", "lead_time"}
    return tasks or waiting or flat <= g.keys or g.columns(*flat)


def read(documents: Sequence[Document]) -> Export:
    """Every annotation of every task, question by question."""
    found: list[Answer] = []
    guessed: list[Note] = []
    spans, text = 0, True
    free: set[str] = set()
    for place, document in enumerate(documents):
        tabular = bool(glance(document).header)
        text = text and tabular
        if tabular:
            answers, passed = flat(list(records(document)[1]), place, nested)
            guessed = [Note("questions_guessed")] if answers else []
        else:
            tasks = objects(list(document.objects()))
            if any("annotation_id" in t and "annotations" not in t for t in tasks):
                answers, passed = flat(tasks, place, lambda value: value)
            else:
                answers, passed, free_here = from_tasks(tasks, place)
                free |= free_here
        found += answers
        spans += passed
    found, who = joined_raters(found, documents)
    found, same = joined_items(found)
    return Export(
        found,
        spans,
        (*guessed, *who, *same),
        {"item": "task", "rater": "completed_by"},
        text,
        free_text=frozenset(free),
    )


def from_tasks(tasks: Sequence[Mapping[str, Any]], place: int) -> tuple[list[Answer], int, set[str]]:
    """The JSON export: annotations and predictions inside tasks."""
    found: list[Answer] = []
    spans = 0
    free: set[str] = set()
    usual = starless(a for task in tasks for a in annotations_of(task))
    for task in tasks:
        content = task.get("data")
        more = scalars(content, "data.")
        people = [(a, reason(a, usual)) for a in annotations_of(task)]
        models = [(p, "predicted") for p in objects(task.get("predictions"))]
        for annotation, why in people + models:
            rater = annotation.get("model_version", "model") if why == "predicted" else person(annotation)
            extra = {**more, **scalars({k: annotation.get(k) for k in ("created_at", "lead_time")})}
            for question, kind, label in results(annotation.get("result")):
                if label is None:
                    spans += why != "predicted" and kind not in ELSE
                    continue
                free |= {question} if kind in FREE else set()
                found.append(Answer(task.get("id"), rater, question, label, why, place, content, extra))
            if not annotation.get("result") and why != "predicted":
                found.append(Answer(task.get("id"), rater, "", None, why or "empty", place, content, extra))
    return found, spans, free


def annotations_of(task: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The annotations of a task, under their name of today or of old."""
    return objects(task.get("annotations", task.get("completions")))


def starless(annotations: Iterable[Mapping[str, Any]]) -> set[str]:
    """Who has annotations without a star: an annotator, whose starred ones are as ordinary as the others."""
    return {str(person(a)) for a in annotations if not a.get("ground_truth")}


def reason(annotation: Mapping[str, Any], usual: Container[str]) -> str | None:
    """The reason why an annotation is excluded; only those who have no others (``usual``) are curators of ground truth."""
    if annotation.get("was_cancelled") or annotation.get("skipped"):
        return "cancelled"
    reviews = objects(annotation.get("reviews"))
    if annotation.get("last_action") == "rejected" or (reviews and reviews[-1].get("accepted") is False):
        return "rejected"
    return "curated" if annotation.get("ground_truth") and str(person(annotation)) not in usual else None


def person(annotation: Mapping[str, Any]) -> Any:
    """Who annotated: an id, or an object with the e-mail; old aggregated files have a list."""
    who = annotation.get("completed_by", annotation.get("aggregated_completed_by"))
    if isinstance(who, Mapping):
        return who.get("email") or who.get("id")
    if isinstance(who, list):
        return who[0] if len(who) == 1 else None
    return who


def results(result: Any) -> Iterator[tuple[str, str, Any]]:
    """(question, type, label) of each result; the label is None if it is about a part of the item."""
    for one in result if isinstance(result, list) else []:
        for r in one if isinstance(one, list) else [one]:
            r = mapping(r)
            kind, value = str(r.get("type", "")), mapping(r.get("value"))
            placed = not PLACED.isdisjoint(value)
            label = None if placed or kind not in WHOLE else value.get(WHOLE[kind])
            said = "\n".join(map(str, label)) if kind in FREE and isinstance(label, list) else plain(label)
            yield str(r.get("from_name", "")), kind, said


def plain(label: Any) -> Any:
    """One choice of several is a list of one; a path of a taxonomy is one label."""
    if isinstance(label, list):
        return [" / ".join(map(str, v)) if isinstance(v, list) else v for v in label]
    return label if isinstance(label, str | int | float | bool) else None


def flat(rows: Sequence[Mapping[str, Any]], place: int, value: Any) -> tuple[list[Answer], int]:
    """JSON-MIN and CSV: a record per annotation, with a key per question next to the data of

    the task. A question is distinguished from data by varying between annotators of a task, or by the format of its
    results.
    """
    opened = [{k: value(v) for k, v in row.items()} for row in rows]
    names = list(dict.fromkeys(k for row in opened for k in row if k not in TECHNICAL))
    asked = between_id_and_annotator(opened) or [n for n in names if is_question(opened, n)]
    data = [n for n in names if n not in asked]
    spans, found = 0, []
    for row in opened:
        content = {n: row.get(n) for n in data if row.get(n) not in (None, "")}
        more = {**scalars(content), **scalars({k: row.get(k) for k in ("created_at", "lead_time")})}
        for question in asked:
            label = unwrapped(row.get(question))
            if label == "spans":
                spans += 1
            elif label is not None:
                found.append(
                    Answer(row.get("id"), row.get("annotator"), question, label, None, place, content or None, more)
                )
    return found, spans


def between_id_and_annotator(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """JSON-MIN writes the data of the task, its id, the answers, the annotator, in this order; empty if the order
    differs.
    """
    found: dict[str, None] = {}
    for row in rows:
        keys = list(row)
        if "id" not in keys or "annotator" not in keys or not 0 < keys.index("id") < keys.index("annotator"):
            return []
        found.update(dict.fromkeys(keys[keys.index("id") + 1 : keys.index("annotator")]))
    return [name for name in found if name not in TECHNICAL]


def unwrapped(value: Any) -> Any:
    """A bare string, ``{"choices": [...]}``, or a list of regions."""
    if isinstance(value, Mapping):
        return plain(value.get("choices"))
    if isinstance(value, list):
        parts = objects(value)
        if not parts:
            return None
        inner = [next((v for k in WHOLE.values() if (v := plain(p.get(k))) is not None), None) for p in parts]
        if any(v is None for v in inner) or any(not PLACED.isdisjoint(p) for p in parts):
            return "spans"
        return inner[0] if len(inner) == 1 else [v for one in inner for v in (one if isinstance(one, list) else [one])]
    return value if value not in ("", None) else None


def is_question(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    """Whether a key is a question of the annotation, not data of the task."""
    values = [row.get(name) for row in rows]
    shaped = [mapping(v) or (objects(v)[:1] or [{}])[0] for v in values]
    if any(
        "choices" in v or any(k in v and len(v) <= 8 for k in ("rating", "taxonomy", "start", "end", "x", "y"))
        for v in shaped
    ):
        return True
    if any(isinstance(v, Mapping | list) for v in values):
        return False
    by_task: dict[Any, set[Any]] = {}
    for row in rows:
        by_task.setdefault(row.get("id"), set()).add(row.get(name))
    if any(len(v) > 1 for v in by_task.values()):
        return True
    # one annotator: few distinct answers, which recur; data distinguish tasks
    given = {v for v in values if v not in (None, "")}
    return bool(given) and len(by_task) == len(rows) > 3 and 2 * len(given) <= len(by_task)
