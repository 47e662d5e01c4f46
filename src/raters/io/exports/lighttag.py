"""LightTag: one JSON for a task, in which an annotation names everyone who made it."""

from collections.abc import Sequence
from typing import Any

from raters.io.exports.answers import Answer, Export, mapping, objects
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance


def sniff(g: Glance) -> bool:
    """Examples, with who has seen them."""
    return g.has("examples.example_id") and bool(
        g.keys & {"examples.seen_by", "examples.annotations", "examples.classifications"}
    )


def read(documents: Sequence[Document]) -> Export:
    """Classifications by annotator; an annotator who saw an example and gave none gave an empty set."""
    found: list[Answer] = []
    spans = 0
    for place, document in enumerate(documents):
        for one in map(mapping, document.objects()):
            spans += len(objects(one.get("relations")))
            for example in objects(one.get("examples")):
                spans += len(objects(example.get("annotations")))
                found += classified(example, place)
    classes = {a.question for a in found if a.label}
    return Export([a for a in found if classes], spans, (), {"item": "example_id", "rater": "annotator"})


def classified(example: Any, place: int) -> list[Answer]:
    """Each annotator's labels of the whole example."""
    given: dict[Any, list[str]] = {who(person): [] for person in objects(example.get("seen_by"))}
    for c in objects(example.get("classifications")):
        for person in objects(c.get("annotated_by")):
            given.setdefault(who(person), []).append(str(c.get("classname") or c.get("classification_name")))
    more = {"content": example["content"]} if isinstance(example.get("content"), str) else {}
    item = example.get("example_id")
    return [
        Answer(item, rater, "classification", labels, None if labels else "empty", place, None, more)
        for rater, labels in given.items()
    ]


def who(person: Any) -> Any:
    """An annotator's name, or else their number."""
    return person.get("annotator") or person.get("annotator_id")
