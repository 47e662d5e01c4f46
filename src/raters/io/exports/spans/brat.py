"""brat: a folder a rater, with a text and its standoff annotations side by side."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from raters.errors import DataError
from raters.io.exports.documents import Document, inside, walk
from raters.io.exports.several_files import marked_by
from raters.io.exports.spans.marked import Mark, Marked
from raters.spans.units import Parts

UNIT = re.compile(r"^(T\d+)\t(\S+) (\d+) (\d+)((?:;\d+ \d+)*)(?:\t(.*))?$")


def read(documents: Sequence[Document]) -> Marked:
    """Text-bound annotations; relations, attributes and notes are not units, and are counted."""
    found = Marked()
    found.marks["entities"] = []
    texts = [text_beside(d) for d in documents]
    apart = texts_apart(documents) if None in texts else {}
    texts = [apart.get(d.stem) if t is None else t for d, t in zip(documents, texts, strict=True)]
    for document, text, (name, rater) in zip(documents, texts, marked_by(documents, texts, True), strict=True):
        found.saw(name, rater, text)
        file = f"{'/'.join(document.parts)}, line"
        lines = document.text().replace("\r\n", "\n").split("\n")
        for number, line in enumerate(lines, 1):
            if not line.startswith("T"):
                found.left_out["relations, events, attributes and notes"] += bool(line.strip())
                continue
            match = UNIT.match(line)
            if match is None:
                raise DataError(f"{file} {number}: not an annotation of brat: {line[:60]!r}.")
            _, label, start, end, more, words = match.groups()
            parts: Parts = ((int(start), int(end)),)
            first, last = parts[0]
            if more:
                parts = (*parts, *((int(s), int(e)) for s, e in (p.split() for p in more[1:].split(";"))))
                first, last = min(s for s, _ in parts), max(e for _, e in parts)
            several = parts if more else ()
            found.marks["entities"].append(Mark(name, rater, first, last, label, words, several, (file, number)))
    return found


def texts_apart(documents: Sequence[Document]) -> dict[str, str]:
    """Texts that are not beside their annotations but elsewhere in the project, by name; none where a name has several."""
    found: dict[str, set[str]] = defaultdict(set)
    for root in sorted({d.path if d.member else d.path.parents[len(d.under)] for d in documents}):
        for document in inside(root, ()) if root.is_file() else map(Document, walk(root)):
            if document.name.endswith(".txt"):
                found[document.stem].add(replace(document, encoding=documents[0].encoding).text())
    return {stem: texts.pop() for stem, texts in found.items() if len(texts) == 1}


def text_beside(document: Document) -> str | None:
    """The text next to the annotations; a link must not lead out of the folder."""
    if document.member:
        beside = replace(document, member=re.sub(r"\.ann$", ".txt", document.member))
        try:
            return beside.text()
        except (DataError, KeyError):
            return None
    path = document.path.with_suffix(".txt")
    root = document.path.parents[len(document.under)]
    for one in (document.path, path):
        if one.is_symlink() and not one.resolve().is_relative_to(root.resolve()):
            raise DataError(f"{one.name}: a link that leads out of the folder; put the file itself there.")
    return replace(document, path=path).text() if path.is_file() else None
