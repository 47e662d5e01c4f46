"""CoNLL and BIO: a token and its tag a line, a file or a folder a rater."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from raters.io.exports.answers import Export
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance
from raters.io.exports.spans.brat import rater_level
from raters.io.exports.spans.marked import Mark, Marked
from raters.notes.note import Note

TAG = re.compile(r"(?:O|[BIESLU]-\S+)$")
LEAST = 3


def sniff(g: Glance) -> bool:
    """Lines that end with O, B-... or I-..., in the first part of the file."""
    if g.keys or g.text.startswith("#FORMAT"):
        return False
    lines = [x for x in g.text.split("\n")[:200] if x.strip() and not x.startswith(("#", "-DOCSTART-"))][:-1]
    tagged = sum(bool(len(x.split()) > 1 and TAG.match(x.split()[-1])) for x in lines)
    return len(lines) >= LEAST and tagged == len(lines)


def labels(documents: Sequence[Document]) -> Export:
    """There are no labels of whole items."""
    return Export([], len(documents))


def read(documents: Sequence[Document]) -> Marked:
    """Documents are files, or within a file the parts between -DOCSTART- lines or blank lines. Where tokens differ, the
    views whose tokens are not those of most raters are left out.
    """
    made = Marked()
    made.marks["tags"] = []
    folders = {d.parts[:-1] for d in documents}
    level = rater_level([d.parts[:-1] for d in documents], [d.stem for d in documents])
    by_folder = len(folders) > 1
    each: dict[str, dict[str, list[list[tuple[str, str]]]]] = defaultdict(dict)
    for document in documents:
        parts = document.parts[:-1]
        rater = parts[level] if by_folder else document.stem
        for number, sentences in enumerate(pieces(document.text(), by_folder), 1):
            each[document.stem if by_folder else f"{number:05d}"][rater] = sentences
    for name, views in each.items():
        tokens = {r: tuple(t for s in sentences for t, _ in s) for r, sentences in views.items()}
        usual = Counter(tokens.values()).most_common(1)[0][0]
        for rater, sentences in views.items():
            if tokens[rater] != usual:
                made.left_out["views whose tokens differ from those of most raters"] += 1
                continue
            text, found = units(sentences)
            made.saw(name, rater, text)
            made.marks["tags"] += [Mark(name, rater, s, e, c) for s, e, c in found]
    if not by_folder:
        made.notes.append(Note("parts_are_documents", {"n": len(each)}))
    return made


def pieces(text: str, whole: bool) -> Iterator[list[list[tuple[str, str]]]]:
    """The documents of a file, each as sentences of tokens and tags."""
    sentences: list[list[list[tuple[str, str]]]] = [[]]
    parts = text.replace("\r\n", "\n")
    marked = "-DOCSTART-" in parts
    current: list[tuple[str, str]] = []
    for line in [*parts.split("\n"), ""]:
        cells = line.split()
        if len(cells) > 1 and not line.startswith(("#", "-DOCSTART-")):
            current.append((cells[0], cells[-1]))
        elif current:
            sentences[-1].append(current)
            current = []
            if not marked and not whole:
                sentences.append([])
        if line.startswith("-DOCSTART-") and not whole:
            sentences.append([])
    yield from (s for s in sentences if s)


def units(sentences: Sequence[Sequence[tuple[str, str]]]) -> tuple[str, list[tuple[int, int, str]]]:
    """The text, tokens apart by a blank and sentences by a line end, and the units of the tags."""
    text, at = "", 0
    found: list[tuple[int, int, str]] = []
    for sentence in sentences:
        before = ""
        for token, tag in sentence:
            kind, _, label = tag.partition("-")
            if kind != "O":
                if kind in "BSU" or label != before or not found:
                    found.append((at, at + len(token), label))
                else:
                    found[-1] = found[-1][0], at + len(token), label
            before = "" if kind in "OSELU" else label
            text += f"{token} "
            at += len(token) + 1
        text = f"{text[:-1]}\n"
    return text, found
