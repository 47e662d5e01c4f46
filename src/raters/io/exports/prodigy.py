"""Prodigy: JSON lines of tasks. ``answer`` records whether a task was accepted; the label is elsewhere."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from raters.io.exports.answers import Answer, Export, mapping, objects, scalar, scalars
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance
from raters.io.exports.several_files import joined_items, joined_raters
from raters.notes.note import Note

STARTED = re.compile(r"(^|-)\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d$")
"""A time in place of a session."""
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
    rows = [(place, mapping(task)) for place, document in enumerate(documents) for task in document.objects()]
    for (place, task), rater in zip(rows, people(rows), strict=True):
        answer = one(task, place, rater)
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
        found = [replace(a, item=a.more.get("_task_hash", a.item), content=None) for a in found]
        notes = [Note("prodigy_tasks")]
    if any(numbered_options(task) for _, task in rows):
        notes.append(Note("option_texts"))
    found, who = joined_raters(found, documents)
    where: dict[Any, set[int]] = defaultdict(set)
    for a in found:
        where[a.item].add(a.place)
    if any(len(places) > 1 for places in where.values()):
        found = [replace(a, content=None) for a in found]  # the same hash is the same text
    found, same = joined_items(found)
    named = {
        "item": "_task_hash" if "prodigy_tasks" in {n.code for n in notes} else "_input_hash",
        "rater": "_annotator_id",
    }
    return Export(found, spans, (*who, *same, *notes), named, sets=frozenset(sets))


def people(rows: Sequence[tuple[int, Mapping[str, Any]]]) -> list[str | None]:
    """Who answered each task: the session without the name of the dataset, which Prodigy adds in front of it. None
    without sessions: the tool then writes the time at which its server was started.
    """
    names = [task.get("_annotator_id") or task.get("_session_id") for _, task in rows]
    given = [None if name is None or STARTED.search(str(name)) else str(name) for name in names]
    inside: dict[int, set[str]] = defaultdict(set)
    for (place, _), name in zip(rows, given, strict=True):
        inside[place] |= {name} if name is not None else set()
    first = {place: dataset(names) for place, names in inside.items()}
    return [
        None if name is None else name.removeprefix(first[place]) or name
        for (place, _), name in zip(rows, given, strict=True)
    ]


def dataset(sessions: Iterable[str]) -> str:
    """What the sessions of a file begin with, up to a dash.

    >>> dataset(["my-data-ann", "my-data-anna"]), dataset(["ann"])
    ('my-data-', '')
    """
    parts = [name.split("-")[:-1] for name in sessions]
    same = takewhile(lambda level: len(set(level)) == 1, zip(*parts, strict=False))
    return "".join(f"{level[0]}-" for level in same)


def one(task: Mapping[str, Any], place: int, rater: str | None) -> Answer | None:
    """The answer to one task; None if it is about spans."""
    item = next((task[k] for k in ("_input_hash", "id", "text") if task.get(k) is not None), None)
    more = {k: v for k, v in scalars(task).items() if k not in ("_input_hash", "_annotator_id", "accept", "label")}
    verdict = str(task.get("answer", "accept"))
    accepted, text = task.get("accept"), scalar(task.get("text"))
    reviewed = task.get("_view_id") == "review" or "versions" in task
    if accepted is not None:
        texts = numbered_options(task)
        labels = [texts.get(str(v), v) for v in (accepted if isinstance(accepted, list) else [accepted])]
        many = mapping(task.get("config")).get("choice_style") == "multiple"
        why = "curated" if reviewed else WHY.get(verdict) or (None if labels or many else "empty")
        return Answer(item, rater, "choice", labels, why, place, text, more)
    if "label" in task and not task.get("spans") and not isinstance(task["label"], list | dict):
        why = "curated" if reviewed else "skipped" if verdict == "ignore" else None
        return Answer(item, rater, str(task["label"]), verdict, why, place, text, more)
    return None


def numbered_options(task: Mapping[str, Any]) -> dict[str, str]:
    """The texts of options whose ids are only numbers; with the number where two have the same text."""
    given = [(str(o.get("id")), o.get("text")) for o in objects(task.get("options"))]
    texts = [(key, text) for key, text in given if key.lstrip("-").isdigit() and isinstance(text, str) and text.strip()]
    often = Counter(text for _, text in texts)
    return {key: text if often[text] == 1 else f"{text} ({key})" for key, text in texts}
