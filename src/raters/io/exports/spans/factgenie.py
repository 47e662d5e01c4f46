"""factgenie: error spans of people and models; units have a start and words, and texts are among the outputs."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from raters.io.exports.answers import Export, mapping, objects
from raters.io.exports.documents import Document
from raters.io.exports.documents import documents as inside
from raters.io.exports.glance import Glance
from raters.io.exports.several_files import file_raters, folder_of
from raters.io.exports.spans.marked import Mark, Marked
from raters.notes.note import Note

KEY = ("dataset", "setup_id", "example_idx")


def sniff(g: Glance) -> bool:
    """Annotations with a group, or outputs, of an example of a dataset."""
    return g.has("dataset", "example_idx") and (g.has("annotations", "annotator_group") or g.has("output", "setup_id"))


def labels(documents: Sequence[Document]) -> Export:
    """There are no labels of whole items."""
    return Export([], sum(1 for d in documents for _ in d.objects()))


def read(documents: Sequence[Document]) -> Marked:
    """The first record of each rater and document: a rater is a group of a campaign, or the campaign of a model."""
    made = Marked()
    made.marks["annotations"] = []
    rows = [(i, mapping(r)) for i, d in enumerate(documents) for r in d.objects()]
    texts = {name(r): r["output"] for _, r in rows if isinstance(r.get("output"), str)} or outputs(documents)
    given = [(i, r) for i, r in rows if "annotations" in r]
    for (_, r), rater in zip(given, raters_of(given, documents), strict=True):
        if not made.saw(name(r), rater, texts.get(name(r))):
            made.left_out["later records of a rater and document"] += 1
            continue
        for a in objects(r.get("annotations")):
            words = str(a.get("text", ""))
            if isinstance(a.get("start"), int) and words:
                made.marks["annotations"].append(
                    Mark(name(r), rater, a["start"], a["start"] + len(words), str(a.get("type")), words)
                )
            else:
                made.left_out["annotations without a start or words"] += 1
    made.notes.append(Note("words_without_end"))
    return made


def raters_of(given: Sequence[tuple[int, Mapping[str, Any]]], documents: Sequence[Document]) -> list[str]:
    """Who gave each record: the group, the campaign if it has only one, or both."""
    files = sorted({i for i, _ in given})
    named = file_raters([documents[i] for i in files]) if len(files) > 1 else [folder_of(documents[i]) for i in files]
    names = dict(zip(files, named, strict=True))
    groups: dict[int, set[str]] = defaultdict(set)
    for i, r in given:
        groups[i].add(str(r.get("annotator_group")))
    made = []
    for i, r in given:
        group = str(r.get("annotator_group"))
        made.append(names[i] if len(groups[i]) == 1 else group if len(files) == 1 else f"{names[i]} {group}")
    return made


def name(record: Mapping[str, Any]) -> str:
    """The document: an example of a dataset, by a system, whose name is spelled as in the names of files."""
    return "/".join(re.sub(r"[^\w]+", "-", str(record.get(k))) for k in KEY)


def outputs(documents: Sequence[Document]) -> dict[str, str]:
    """The texts of a project, in the folder ``outputs`` beside ``annotations``."""
    roots = {p.parent for d in documents for p in d.path.parents if p.name == "annotations"}
    found = {}
    for root in sorted(roots):
        if (root / "outputs").is_dir():
            for document in inside(root / "outputs"):
                for r in map(mapping, document.objects()) if document.name.endswith(".jsonl") else ():
                    if isinstance(r.get("output"), str):
                        found[name(r)] = r["output"]
    return found
