"""Labelbox: the old JSON with an object for each label, and export v2 with an object for each data row."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from raters.errors import DataError
from raters.io.exports.answers import Answer, Export, mapping, objects
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance


def sniff(g: Glance) -> bool:
    """A label with its author, a data row with its projects, or a file for import."""
    first = g.has("ID", "DataRow ID", "Label") or g.has("DataRow ID", "Created By")
    return first or g.has("data_row", "projects") or g.has("dataRow", "schemaId") or g.has("dataRow", "uuid")


def read(documents: Sequence[Document]) -> Export:
    """Classifications of whole data rows; objects in them are counted."""
    found: list[Answer] = []
    spans = 0
    for place, document in enumerate(documents):
        for one in map(mapping, document.objects()):
            if "dataRow" in one:
                raise DataError(
                    f"{document.name} (Labelbox): this is a file for import, with predictions or ground truth, and does"
                    " not record who labelled. Export the labels of the project instead."
                )
            answers, passed = (data_row if "data_row" in one else label)(one, place)
            found += answers
            spans += passed
    return Export(found, spans, (), {"item": "DataRow ID", "rater": "Created By"})


def label(one: Mapping[str, Any], place: int) -> tuple[list[Answer], int]:
    """One label of the old JSON."""
    item, rater = one.get("DataRow ID"), one.get("Created By")
    more = {k: one[k] for k in ("External ID", "Labeled Data", "Dataset Name") if isinstance(one.get(k), str)}
    content = mapping(one.get("Label"))
    if one.get("Skipped") or one.get("Label") == "Skip":
        return [Answer(item, rater, "", None, "skipped", place, None, more)], 0
    reviews = [r.get("score") for r in objects(one.get("Reviews"))]
    why = "rejected" if reviews and reviews[-1] == -1 else None
    found = [Answer(item, rater, q, v, why, place, None, more) for q, v in classified(content.get("classifications"))]
    return found, len(objects(content.get("objects"))) + len(objects(content.get("relationships")))


def data_row(one: Mapping[str, Any], place: int) -> tuple[list[Answer], int]:
    """All labels of one data row, of export v2."""
    row = mapping(one.get("data_row"))
    more = {k: row[k] for k in ("external_id", "global_key", "row_data") if isinstance(row.get(k), str)}
    found, spans = [], 0
    for project in mapping(one.get("projects")).values():
        for given in objects(mapping(project).get("labels")):
            details, performance = mapping(given.get("label_details")), mapping(given.get("performance_details"))
            rater, annotations = details.get("created_by"), mapping(given.get("annotations"))
            why = "skipped" if performance.get("skipped") else None
            if why is None and any(r.get("score") == -1 for r in objects(details.get("reviews"))[-1:]):
                why = "rejected"
            if why == "skipped":
                found.append(Answer(row.get("id"), rater, "", None, why, place, None, more))
                continue
            found += [
                Answer(row.get("id"), rater, q, v, why, place, None, more)
                for q, v in classified(annotations.get("classifications"))
            ]
            spans += len(objects(annotations.get("objects"))) + len(objects(annotations.get("relationships")))
    return found, spans


def classified(classifications: Any) -> Iterator[tuple[str, Any]]:
    """(question, label) of each classification, and of the nested questions that its answer opens."""
    for c in objects(classifications):
        question = str(c.get("title") or c.get("name") or c.get("value"))
        many = c.get("answers", c.get("checklist_answers"))
        one = c.get("answer", c.get("radio_answer", c.get("text_answer")))
        if many is None and isinstance(one, list):
            many, one = one, None
        chosen = objects(many) if many is not None else objects([one])
        if many is not None:
            yield question, [named(a) for a in chosen]
        elif one is not None:
            yield question, one if isinstance(one, str) else named(mapping(one))
        for a in chosen:
            yield from classified(a.get("classifications"))


def named(answer: Mapping[str, Any]) -> Any:
    """The text of an answer."""
    return next((answer[k] for k in ("title", "name", "content", "value") if answer.get(k) is not None), None)
