"""Amazon Mechanical Turk: the CSV of a batch's results."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from raters.io.exports.answers import Answer, Export
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance, nested, records
from raters.io.exports.several_files import joined_items
from raters.notes.note import Note

ANSWER, INPUT = "Answer.", "Input."
NUMBER = re.compile(r"(\D*)(\d+)(\D*)")
TRUE, FALSE = ("true", "on"), ("false", "off", "")


def sniff(g: Glance) -> bool:
    """A worker, answers, and a HIT or what it showed."""
    parts = {part for part in (ANSWER, INPUT) if any(name.startswith(part) for name in g.header)}
    return g.columns("WorkerId") and ANSWER in parts and (g.columns("HITId") or INPUT in parts)


def read(documents: Sequence[Document]) -> Export:
    """Each answer of each assignment; options in separate columns, and JSON in one cell, are combined."""
    found: list[Answer] = []
    sets: set[str] = set()
    notes: list[Note] = []
    for place, document in enumerate(documents):
        header, rows = records(document)
        every = list(rows)
        answers = [name for name in header if name.startswith(ANSWER)]
        several = items_of_a_hit(header)
        if several:
            notes.append(Note("mturk_items", {"n": len(several)}))
        options = option_groups(answers, every)
        single = [name for name in answers if not any(name in group.values() for group in options.values())]
        for row in every:
            given = assignment(row, single, options)
            content_of_row = {
                k: v for k, v in row.items() if k.startswith(INPUT) and v.strip() not in ("", "-")
            } or None
            more = {k: row[k] for k in row if k.startswith(INPUT) or k in ("AssignmentId", "WorkTimeInSeconds")}
            for asked, label in given.items():
                question, item, content = one_item(asked, several, row, content_of_row)
                sets |= {question} if isinstance(label, list) and len(label) > 1 else set()
                label = label if label not in ("", []) else None
                found.append(Answer(item, row.get("WorkerId"), question, label, reason(row), place, content, more))
    found, same = joined_items(found)
    return Export(
        found, 0, (*dict.fromkeys(notes), *same), {"item": "HITId", "rater": "WorkerId"}, True, frozenset(sets)
    )


def numbered(name: str) -> tuple[str, int] | None:
    """A name without its number, and the number: ``sentence12``, ``q_3``, ``3.label``."""
    found = NUMBER.fullmatch(name)
    if found is None:
        return None
    before, number, after = found.groups()
    return (before.rstrip("._- ") or after.strip("._- ") or "answer"), int(number)


def items_of_a_hit(header: Sequence[str]) -> frozenset[int]:
    """The numbers of the items that one HIT shows: inputs and answers have the same, two or more."""
    numbers = [
        {found[1] for name in header if name.startswith(part) and (found := numbered(name.removeprefix(part)))}
        for part in (INPUT, ANSWER)
    ]
    return frozenset(numbers[1]) if numbers[0] == numbers[1] and len(numbers[1]) > 1 else frozenset()


def one_item(asked: str, several: frozenset[int], row: Mapping[str, str], shown: Any) -> tuple[str, Any, Any]:
    """The question, the item and its content: in a HIT with several items, those with the number in the question's
    name.
    """
    hit, found = row.get("HITId") or " / ".join((shown or {}).values()), numbered(asked) if several else None
    if found is None or found[1] not in several:
        return asked, hit, shown
    own = {
        inner[0]: v
        for k, v in row.items()
        if k.startswith(INPUT) and (inner := numbered(k.removeprefix(INPUT))) and inner[1] == found[1]
    }
    return found[0], f"{hit}:{found[1]}", own or None


def reason(row: Mapping[str, str]) -> str | None:
    """Whether the requester rejected the work, now or in the sheet."""
    if row.get("AssignmentStatus", "").strip().lower() == "rejected" or row.get("Reject", "").strip():
        return "rejected"
    return None


def option_groups(answers: Sequence[str], rows: Sequence[Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """Question -> its options and their columns, where each option is a column of true and false."""
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    for name in answers:
        question, dot, option = name.removeprefix(ANSWER).rpartition(".")
        values = {row.get(name, "").strip().lower() for row in rows}
        if dot and values & {*TRUE, "false"} and values <= {*TRUE, *FALSE}:
            groups[question][option] = name
    return dict(groups)


def assignment(
    row: Mapping[str, str], single: Sequence[str], options: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """Question -> what the worker answered."""
    given: dict[str, Any] = {}
    for question, columns in options.items():
        given[question] = [o for o, name in columns.items() if row.get(name, "").strip().lower() in TRUE]
    for name in single:
        value = nested(row.get(name, ""))
        forms = [v for v in value if isinstance(v, dict)] if isinstance(value, list) else [value]
        if forms and isinstance(forms[0], dict):
            given |= {q: from_form(v) for form in forms for q, v in form.items()}
        elif isinstance(value, list):
            given[name.removeprefix(ANSWER)] = value
        else:
            given[name.removeprefix(ANSWER)] = str(value).strip()
    return given


def from_form(value: Any) -> Any:
    """An element of crowd-html: ``{"cat": true, "dog": false}``, ``{"label": "cat"}``, a list, or text."""
    if not isinstance(value, dict):
        return value
    if value and all(isinstance(v, bool) for v in value.values()):
        return [option for option, on in value.items() if on]
    inner = value.get("label", value.get("labels"))
    return inner if isinstance(inner, str | list) else None
