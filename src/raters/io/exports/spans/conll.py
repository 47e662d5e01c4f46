"""CoNLL and BIO: a token and its tag a line, a file or a folder a rater."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from raters.io.exports.answers import Export
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance
from raters.io.exports.several_files import folders, marked_by
from raters.io.exports.spans.marked import Mark, Marked
from raters.notes.note import Note

TAG = re.compile(r"(?:O|([BIESLUMW])[-_](.*))$")
"""A tag: outside, or begin, inside, end or last, single, unit or whole, and a label."""
START = "-DOCSTART-"
LEAST, MANY = 3, 50
"""Tagged lines that make a file one of this format; different tags, if they have no letter in front."""
NAMED = (".conll", ".conllu", ".conll03", ".bio", ".bio2", ".iob", ".iob2")
"""Endings of files in which any word at the end of a line is a tag, also without a letter in front."""


def sniff(g: Glance, least: int = LEAST) -> bool:
    """Lines that end with O, B-... or I-..., in the first part of the file."""
    if g.keys or g.text.startswith("#FORMAT"):
        return False
    lines = [x.split() for x in g.text.split("\n")[:200] if x.strip() and not x.startswith(START)]
    lines = [x for x in lines if x[0][0] != "#" or TAG.match(x[-1])]
    tags = [x[-1] for x in lines if len(x) > 1]
    plain = g.name.lower().endswith(NAMED) and len({*tags}) <= MANY and "O" in tags
    few = len(tags) < least or 10 * len(tags) < 9 * len(lines)
    return not few and (plain or all(map(TAG.match, tags)))


def beside(g: Glance) -> bool:
    """Whether a file among others of this format is one too: a single tagged line is enough."""
    return sniff(g, 1)


def labels(documents: Sequence[Document]) -> Export:
    """There are no labels of whole items."""
    return Export([], len(documents))


def read(documents: Sequence[Document]) -> Marked:
    """Documents are files, or within a file the parts between -DOCSTART- lines or blank lines. Where tokens differ, the
    views whose tokens are not those of most raters are left out.
    """
    made = Marked()
    made.marks["tags"] = []
    by_folder = len(set(map(folders, documents))) > 1
    given = [list(pieces(d.text(), by_folder, made.left_out)) for d in documents]
    words = ["".join(t for piece in g for sentence in piece for t, _ in sentence) for g in given]
    named = marked_by(documents, words, True) if by_folder else [("", d.stem) for d in documents]
    each: dict[str, dict[str, list[list[tuple[str, str]]]]] = defaultdict(dict)
    for (name, rater), parts in zip(named, given, strict=True):
        for number, sentences in enumerate(parts, 1):
            each[name if by_folder else f"{number:05d}"][rater] = sentences
    for name, views in each.items():
        tokens = {r: tuple(t for s in sentences for t, _ in s) for r, sentences in views.items()}
        usual = max(Counter(tokens.values()).items(), key=lambda x: (x[1], x[0]))[0]
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


def pieces(text: str, whole: bool, left_out: Counter[str]) -> Iterator[list[list[tuple[str, str]]]]:
    """The documents of a file, each as sentences of tokens and tags."""
    lines, numbered = rows_of(text)
    marked = START in text
    documents: list[list[list[tuple[str, str]]]] = [[[]]]
    for cells in lines:
        starts = cells[:1] == [START]
        if cells and not starts:
            left_out["tokens without a tag (taken as outside)"] += len(cells) == 1
            documents[-1][-1].append((cells[numbered and len(cells) > 1], cells[-1] if len(cells) > 1 else "O"))
        elif documents[-1][-1]:
            documents[-1].append([])
        if not whole and documents[-1][0] and (starts or not (marked or cells)):
            documents.append([[]])
    yield from ([s for s in d if s] for d in documents if d[0])


def rows_of(text: str) -> tuple[list[list[str]], bool]:
    """The cells of each line, without comments; and whether the first column numbers the tokens, so that the second has
    the words. A word that begins with # is no comment if the line is as wide as the others and ends with a tag.
    """
    lines = [line.split() for line in text.replace("\r\n", "\n").split("\n")]
    usual = Counter(len(cells) for cells in lines if len(cells) > 1).most_common(1)
    width = usual[0][0] if usual else 2
    lines = [c for c in lines if not c or c[0][0] != "#" or (len(c) == width and TAG.match(c[-1]))]
    return lines, width > 2 and all(c[0].isdigit() for c in lines if len(c) == width and c[0] != START)


def units(sentences: Sequence[Sequence[tuple[str, str]]]) -> tuple[str, list[tuple[int, int, str | None]]]:
    """The text, tokens apart by a blank and sentences by a line end, and the units of the tags."""
    text: list[str] = []
    at = 0
    found: list[tuple[int, int, str | None]] = []
    for sentence in sentences:
        before: str | None = None
        for i, (token, tag) in enumerate(sentence, 1):
            match = TAG.match(tag)
            kind, label = (match[1] or "O", match[2]) if match else ("I", tag)
            if kind != "O":
                if kind in "BSUW" or label != before:
                    found.append((at, at + len(token), label or None))
                else:
                    found[-1] = found[-1][0], at + len(token), label or None
            before = None if kind in "OSEULW" else label
            text.append(token + (" " if i < len(sentence) else "\n"))
            at += len(token) + 1
    return "".join(text), found
