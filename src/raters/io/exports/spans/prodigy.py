"""Prodigy: spans of accepted records; matches of patterns that nobody labelled are not units."""

from collections.abc import Sequence

from raters.io.exports.answers import mapping, objects
from raters.io.exports.documents import Document
from raters.io.exports.prodigy import people
from raters.io.exports.several_files import file_raters
from raters.io.exports.spans.marked import Mark, Marked


def read(documents: Sequence[Document]) -> Marked:
    """Every accepted record is a view; a rater is the session, or without sessions the file."""
    made = Marked()
    names = file_raters(documents)
    rows = [(i, mapping(t)) for i, d in enumerate(documents) for t in d.objects()]
    rows = [(i, t) for i, t in rows if isinstance(t.get("text"), str)]
    ids = [str(t.get("_input_hash", t.get("id", t["text"][:40]))) for _, t in rows]
    documents_of = made.named([(i, name, t["text"]) for (i, t), name in zip(rows, ids, strict=True)])
    for (place, task), person, document in zip(rows, people(rows), documents_of, strict=True):
        rater = names[place] if person is None else person
        if str(task.get("answer", "accept")) != "accept":
            made.left_out[f"records with the answer {task.get('answer')}"] += 1
            continue
        made.saw(document, rater, task["text"])
        for span in objects(task.get("spans")):
            if "label" not in span and "pattern" in span:
                made.left_out["matches of patterns without a label"] += 1
            elif all(isinstance(span.get(k), int) for k in ("start", "end")):
                label = None if span.get("label") is None else str(span["label"])
                made.marks["spans"].append(Mark(document, rater, span["start"], span["end"], label, span.get("text")))
    return made
