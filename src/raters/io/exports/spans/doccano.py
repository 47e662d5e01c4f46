"""doccano: ``label`` or ``entities`` with offsets, a file for each member."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from raters.errors import DataError
from raters.io.exports.answers import mapping, objects
from raters.io.exports.doccano import TEXTS, refuse_merged
from raters.io.exports.documents import Document, loads
from raters.io.exports.glance import glance
from raters.io.exports.several_files import file_raters
from raters.io.exports.spans.marked import Mark, Marked
from raters.notes.note import Note


def read(documents: Sequence[Document]) -> Marked:
    """Every record of a file is a view of its member."""
    refuse_merged(documents)
    made = Marked()
    names = file_raters(documents)
    rows: list[tuple[int, Mapping[str, Any]]] = []
    for i, d in enumerate(documents):
        if d.stem == "unknown":  # examples that nobody labelled
            made.left_out["records that nobody labelled"] += len(records(d, made))
        elif not glance(d).header:
            rows += [(i, mapping(row)) for row in records(d, made)]
    documents_of = made.named([(i, str(r.get("id", "")), text(r)) for i, r in rows])
    for (place, row), document in zip(rows, documents_of, strict=True):
        old = [a for a in objects(row.get("annotations")) if "start_offset" in a]
        for user in sorted({str(a.get("user")) for a in old}):
            made.saw(document, user, text(row))
        for a in old:
            made.marks["label"].append(
                Mark(document, str(a.get("user")), a["start_offset"], a["end_offset"], str(a.get("label")))
            )
        if "annotations" in row:
            continue
        made.saw(document, names[place], text(row))
        made.left_out["relations"] += len(objects(row.get("relations")))
        for start, end, label in units(row):
            made.marks["label"].append(Mark(document, names[place], start, end, label))
    return made


def units(row: Mapping[str, Any]) -> Iterable[tuple[int, int, str | None]]:
    """``[start, end, label]`` or objects with offsets."""
    for given in (row.get("label"), row.get("labels"), row.get("entities")):
        for x in given if isinstance(given, list) else ():
            if isinstance(x, list) and len(x) >= 3 and all(isinstance(v, int) for v in x[:2]):
                yield x[0], x[1], None if x[2] is None else str(x[2])
            elif isinstance(x, Mapping) and "start_offset" in x:
                yield x["start_offset"], x["end_offset"], None if x.get("label") is None else str(x["label"])


def text(row: Mapping[str, Any]) -> str | None:
    """The text of an example."""
    return next((row[k] for k in TEXTS if isinstance(row.get(k), str)), None)


def records(document: Document, made: Marked) -> list[Any]:
    """The records; a file that is not UTF-8 is read as Windows-1252, which is said."""
    try:
        return list(document.objects())
    except DataError:
        data = b"".join(document.chunks())
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            made.notes.append(Note("as_windows", {"file": document.name}))
            return [loads(line) for line in data.decode("cp1252", "replace").split("\n") if line.strip()]
        raise
