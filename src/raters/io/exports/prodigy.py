"""Prodigy: JSON lines of tasks. ``answer`` records whether a task was accepted; the label is elsewhere."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from raters.io.exports.answers import Answer, Export, mapping, scalars
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance
from raters.io.exports.several_files import joined_raters
from raters.notes.note import Note

WHY = {"ignore": "skipped", "reject": "rejected"}


def sniff(g: Glance) -> bool:
    """Hashes of inputs and tasks, or an answer with the options that were accepted."""
    return g.has("_input_hash", "_task_hash") or (g.has("answer", "accept", "options") and not g.has("annotations"))


def read(documents: Sequence[Document]) -> Export:
    """Choices, and labels that were accepted or rejected."""
    found: list[Answer] = []
    tasks: dict[tuple[Any, ...], set[Any]] = defaultdict(set)
    sets: set[str] = set()
    spans = 0
    for place, document in enumerate(documents):
        for task in map(mapping, document.objects()):
            answer = one(task, place)
            if answer is None:
                spans += 1
                continue
            if mapping(task.get("config")).get("choice_style") == "multiple":
                sets.add(answer.question)
            tasks[place, answer.rater, answer.question, answer.item].add(task.get("_task_hash"))
            found.append(answer)
    notes: list[Note] = []
    if any(len(several) > 1 for several in tasks.values()):
        # one text with several tasks, such as one for each mention in it
        found = [replace(a, item=a.more.get("_task_hash", a.item)) for a in found]
        notes = [Note("prodigy_tasks")]
    found, who = joined_raters(without_dataset(found), documents)
    named = {"item": "_task_hash" if notes else "_input_hash", "rater": "_annotator_id"}
    return Export(found, spans, (*who, *notes), named, sets=frozenset(sets))


def one(task: Mapping[str, Any], place: int) -> Answer | None:
    """The answer to one task; None if it is about spans."""
    item = next((task[k] for k in ("_input_hash", "id", "text") if task.get(k) is not None), None)
    rater = task.get("_annotator_id") or task.get("_session_id")
    more = {k: v for k, v in scalars(task).items() if k not in ("_input_hash", "_annotator_id", "accept", "label")}
    verdict = str(task.get("answer", "accept"))
    accepted = task.get("accept")
    reviewed = task.get("_view_id") == "review" or "versions" in task
    if accepted is not None:
        labels = accepted if isinstance(accepted, list) else [accepted]
        many = mapping(task.get("config")).get("choice_style") == "multiple"
        why = "curated" if reviewed else WHY.get(verdict) or (None if labels or many else "empty")
        return Answer(item, rater, "choice", labels, why, place, None, more)
    if "label" in task and not task.get("spans") and not isinstance(task["label"], list | dict):
        why = "curated" if reviewed else "skipped" if verdict == "ignore" else None
        return Answer(item, rater, str(task["label"]), verdict, why, place, None, more)
    return None


def without_dataset(answers: Sequence[Answer]) -> list[Answer]:
    """Raters without the name of the dataset, which Prodigy adds in front of the session name."""
    names = {str(a.rater) for a in answers if a.rater is not None}
    first = {name.rpartition("-")[0] for name in names}
    if len(first) != 1 or not (prefix := first.pop()):
        return list(answers)
    return [a if a.rater is None else replace(a, rater=str(a.rater).removeprefix(f"{prefix}-")) for a in answers]
