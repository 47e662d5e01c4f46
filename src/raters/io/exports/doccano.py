"""doccano: JSON lines, JSON and CSV, with a file for each member, and the format before version 1.0."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from raters.errors import DataError
from raters.io.exports.answers import Answer, Export, mapping, objects, scalars
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance, glance, records
from raters.io.exports.several_files import joined_items, joined_raters
from raters.io.table import best
from raters.notes.note import Note

TEXTS = ("text", "data", "filename")
"""What an example is; the first versions wrote ``data``, and projects of images and audio the name of the file."""
COLUMNS = frozenset({"id", *TEXTS, "label", "labels", "Comments", "comments", "meta"})
"""Columns of an export that do not name the rater; any other column might."""
LIST = re.compile(r'"label"\s*:\s*\[')
PLACED = re.compile(r'"(?:label|labels)"\s*:\s*\[\s*\[\s*\d+\s*,\s*\d+')
"""A list of units with offsets."""
PARTS = ("entities", "relations", "bbox", "segmentation")
"""Lists of parts of an example."""
ELSE = {"_input_hash", "answer", "accept", "annotations", "results", "messages"}
"""Keys of other tools."""
KEYS = ("label", "labels", "cats", "entities", "annotations")


def sniff(g: Glance) -> bool:
    """A text with labels but without raters, or annotations with a numbered user."""
    if g.header:
        examples = any(g.columns(text, "label") for text in TEXTS)
        return (examples and COLUMNS.issuperset(g.header)) or g.columns("annotation_approver", "label")
    if g.has("annotations.user", "text"):
        return True
    if PLACED.search(g.text) and not best(g.keys, "rater"):
        return True
    return modern(g)


def modern(g: Glance) -> bool:
    """Records of an example and its labels, without a rater: a plain table of JSON lines names its raters."""
    top = {key for key in g.keys if "." not in key}
    examples = any(key in top and not any(k.startswith(f"{key}.") for k in g.keys) for key in TEXTS)
    lists = LIST.search(g.text) is not None or bool(top & {"entities", "cats"})
    labelled = lists or ("label" in top and COLUMNS.issuperset(top))
    return examples and labelled and not best(top, "rater") and not top & ELSE


def read(documents: Sequence[Document]) -> Export:
    """Labels of whole texts; spans and relations are counted."""
    refuse_merged(documents)
    found: list[Answer] = []
    spans = 0
    old = text = False
    for place, document in enumerate(documents):
        tabular = bool(glance(document).header)
        text = text or tabular
        rows: Iterable[Any] = records(document)[1] if tabular else document.objects()
        for row in map(mapping, rows):
            before = "annotation_approver" in row or bool(objects(row.get("annotations")))
            old = old or before
            answers, passed = (old_record if before else record)(row, place, tabular)
            found += answers
            spans += passed
    found, who = joined_raters(found, documents)
    found, same = joined_items(found)
    words = frozenset({"text"} & {a.question for a in found})
    notes = [] if not old or words else [Note("doccano_numbers")]
    return Export(
        found, spans, (*notes, *who, *same), {"item": "id", "rater": "member"}, text and not old, free_text=words
    )


def refuse_merged(documents: Sequence[Document]) -> None:
    """The file of a project in which members share annotations."""
    merged = [d.name for d in documents if d.stem == "all"]
    if merged:
        raise DataError(
            f"{merged[0]} (doccano): the labels of all members are merged, so it cannot be determined who gave which."
            " Export again from a project without 'Share annotations across all users': the zip then has a file for"
            " each member."
        )


def record(row: Mapping[str, Any], place: int, tabular: bool) -> tuple[list[Answer], int]:
    """One text of one member. A missing label may mean that the member never saw the text."""
    content = next((row[k] for k in TEXTS if isinstance(row.get(k), str)), None)
    item = row.get("id", content)
    more = {k: v for k, v in scalars(row).items() if k not in (*KEYS, "id")}
    given = row.get("cats", row.get("label", row.get("labels")))
    if tabular:
        given = [part for part in str(given or "").split("#") if part.strip()]
    if isinstance(given, str | int | float):
        given = [given]
    placed = [v for v in given or [] if isinstance(v, list | dict)]
    parts = [v for key in PARTS for v in row.get(key) or []]
    if placed:
        return [], len(placed)
    if given is None:
        return [], len(parts)
    why = None if given else "empty"
    return [Answer(item, None, "label", list(given), why, place, content, more)], len(parts)


def old_record(row: Mapping[str, Any], place: int, tabular: bool) -> tuple[list[Answer], int]:
    """Before 1.0: annotations of several users in one record, by the numbers of user and label: names, not
    quantities.
    """
    parts = [row] if tabular else objects(row.get("annotations"))
    spans = sum("start_offset" in part for part in parts)
    by_user: dict[tuple[Any, str], list[Any]] = {}
    for part in parts:
        question = "label" if "label" in part else "text"
        if "start_offset" not in part and part.get(question) not in (None, ""):
            by_user.setdefault((part.get("user"), question), []).append(str(part[question]))
    more = {"text": row["text"]} if isinstance(row.get("text"), str) else {}
    return [
        Answer(row.get("id"), user, question, labels, None, place, row.get("text"), more)
        for (user, question), labels in by_user.items()
    ], spans
