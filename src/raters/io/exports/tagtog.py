"""tagtog: an ``ann.json`` for each document and member; its metas are labels of the document."""

from collections.abc import Sequence
from typing import Any

from raters.io.exports.answers import Answer, Export, mapping, objects
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance


def sniff(g: Glance) -> bool:
    """Parts that can be annotated, and entities."""
    return g.has("annotatable", "entities") or g.has("anncomplete", "metas")


def read(documents: Sequence[Document]) -> Export:
    """Metas, by the member who confirmed them; a member's version is in a folder with the member's name."""
    found: list[Answer] = []
    spans = 0
    legend = legends(documents)
    for place, document in enumerate(documents):
        for one in map(mapping, document.objects()):
            spans += len(objects(one.get("entities"))) + len(objects(one.get("relations")))
            for name, meta in mapping(one.get("metas")).items():
                meta = mapping(meta)
                rater, why = confirmed(mapping(meta.get("confidence")), document)
                label = meta.get("value")
                if isinstance(label, str | int | float | bool):
                    found.append(Answer(document.stem, rater, legend.get(name, name), label, why, place))
    return Export(found, spans, (), {"item": "document", "rater": "member"})


def legends(documents: Sequence[Document]) -> dict[str, str]:
    """Names of metas, from the legend next to the documents."""
    found: dict[str, str] = {}
    for folder in {d.path.parent for d in documents if not d.member}:
        path = folder / "annotations-legend.json"
        if path.is_file():
            named: Any = next(iter(Document(path).objects()), {})
            found |= {str(k): str(v) for k, v in mapping(named).items()}
    return found


def confirmed(confidence: Any, document: Document) -> tuple[Any, str | None]:
    """The author of a label: a member or a model."""
    names = [w for w in confidence.get("who") or [] if isinstance(w, str)]
    people = [w.removeprefix("user:") for w in names if w.startswith("user:")]
    folder = document.parts[-2] if len(document.parts) > 1 else None
    if people:
        return people[0], None
    if any(w.startswith("ml:") for w in names):
        return names[0], "predicted"
    return folder, "draft" if confidence.get("state") == "pre-added" else None
