"""brat: a folder a rater, with a text and its standoff annotations side by side."""

import re
from collections.abc import Sequence
from dataclasses import replace

from raters.errors import DataError
from raters.io.exports.documents import Document
from raters.io.exports.spans.marked import Mark, Marked

UNIT = re.compile(r"^(T\d+)\t(\S+) (\d+ \d+(?:;\d+ \d+)*)(?:\t(.*))?$")


def read(documents: Sequence[Document]) -> Marked:
    """Text-bound annotations; relations, events and notes are not units, and are counted."""
    found = Marked()
    found.marks["entities"] = []
    level = rater_level([d.parts[:-1] for d in documents], [d.stem for d in documents])
    for document in documents:
        folders = document.parts[:-1]
        rater = folders[level] if level < len(folders) else document.path.parent.name
        name = "/".join([*(f for i, f in enumerate(folders) if i != level), document.stem])
        found.saw(name, rater, text_beside(document))
        for number, line in enumerate(document.text().replace("\r\n", "\n").split("\n"), 1):
            if not line.startswith("T"):
                found.left_out["relations, events and notes"] += bool(line.strip())
                continue
            match = UNIT.match(line)
            if match is None:
                raise DataError(f"{'/'.join(document.parts)}, line {number}: not an annotation of brat: {line[:60]!r}.")
            parts = tuple(tuple(map(int, p.split())) for p in match[3].split(";"))
            several = parts if len(parts) > 1 else ()
            found.marks["entities"].append(
                Mark(name, rater, parts[0][0], parts[-1][1], match[2], match[4], several)  # type: ignore[arg-type]
            )
    return found


def rater_level(folders: Sequence[tuple[str, ...]], stems: Sequence[str]) -> int:
    """Which folder names the rater: the outermost without which the documents are fewest."""
    depth = min(map(len, folders), default=0)
    if not depth:
        return 0
    left = [len({(*f[:i], *f[i + 1 :], s) for f, s in zip(folders, stems, strict=True)}) for i in range(depth)]
    return left.index(min(left))


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
