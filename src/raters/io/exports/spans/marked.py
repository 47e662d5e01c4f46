"""What a reader of units finds, and the spans of one question in it: offsets are checked against the words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from raters.errors import DataError, brief
from raters.io.exports.documents import Document
from raters.io.table import NoSuchQuestion, SeveralQuestions
from raters.notes.note import Note
from raters.spans.units import Parts, Spans, Unit, spans


class Mark(NamedTuple):
    """A unit as a tool writes it, with its words if the file has them; ``end`` is None if the file has only words."""

    document: str
    rater: str
    start: int
    end: int | None
    label: str | None
    words: str | None = None
    parts: Parts = ()
    where: tuple[str, int] | None = None
    """File and line, for messages."""


@dataclass
class Marked:
    """Everything that a reader of units found."""

    marks: dict[str, list[Mark]] = field(default_factory=lambda: defaultdict(list))
    """By question: a layer, a control, the only one of the tool."""
    views: set[tuple[str, str]] = field(default_factory=set)
    texts: dict[tuple[str, str], str] = field(default_factory=dict)
    """(document, rater) -> text."""
    known: dict[str, str] = field(default_factory=dict)
    """Equal texts are one object, so that they are not compared again for every unit."""
    lengths: dict[str, int] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def saw(self, document: str, rater: str, text: str | None = None) -> bool:
        """A rater saw a document; whether for the first time."""
        first = (document, rater) not in self.views
        self.views.add((document, rater))
        if text is not None:
            self.texts[document, rater] = self.known.setdefault(text, text)
        return first

    def named(self, rows: Sequence[tuple[int, str, str | None]]) -> list[str]:
        """The document of each (file, id, text); said if files number theirs differently, so that texts joined them."""
        names, joined = by_text(rows)
        if joined:
            files: dict[str, set[int]] = defaultdict(set)
            for name, (file, _, _) in zip(names, rows, strict=True):
                files[name].add(file)
            facts = {"shared": sum(len(f) > 1 for f in files.values()), "n": len(files)}
            self.notes.append(Note("joined_by_text", facts))
        return names

    @property
    def counts(self) -> dict[str, int]:
        """How many units each question has."""
        return {q: len(m) for q, m in self.marks.items()}


Reader = Callable[[Sequence[Document]], Marked]


def question_of(found: Marked, question: str | None, others: Mapping[str, int], source: str) -> str:
    """The question that was asked for, or the only one with units."""
    counts = found.counts
    every = {**counts, **others}
    there = ", ".join(f"{brief(q)} ({n:,} {'units' if q in counts else 'labels'})" for q, n in every.items())
    if question is not None:
        same = [q for q in counts if q.lower() == question.lower()]
        if not same:
            raise NoSuchQuestion(f"{source}: no question {question!r}. There is {there}.")
        return same[0]
    full = [q for q, n in counts.items() if n] or list(counts)
    if len(full) > 1:
        raise SeveralQuestions(
            f"{source} contains {len(full)} layers of spans: {there}.",
            f"Choose one: raters.read(..., question={full[0]!r}).",
            full[0],
            every,
        )
    return full[0] if full else "spans"


def spans_of(found: Marked, question: str, source: str, others: Iterable[str] = ()) -> Spans:
    """The units of a question as spans."""
    texts, differ = _texts(found)
    marks = found.marks.get(question, [])
    if not found.views:
        raise DataError(f"{source}: no document that anybody finished was found. Export the finished annotations.")
    reading, said = best_reading(marks, texts, found.texts)
    left = list(others)
    notes = [Note("spans_beside_labels", {"n": len(left), "others": left, "first": left[0]})] if left else []
    notes += [Note("other_texts", {"n": differ})] if differ else []
    return spans(
        [placed(m, reading, found.texts.get((m.document, m.rater), texts.get(m.document))) for m in marks]
        if reading is not READINGS[0]
        else [placed(m, reading, None) for m in marks],
        found.views,
        lengths=found.lengths,
        texts=texts,
        source=source,
        notes=[*found.notes, *notes],
        read_as=said,
        left_out=found.left_out,
        texts_differ=differ,
        where=[m.where for m in marks if m.where is not None],
    )


def _texts(found: Marked) -> tuple[dict[str, str], int]:
    """The text of each document, and how many have different texts for different raters."""
    each: dict[str, Counter[str]] = defaultdict(Counter)
    for (document, _), text in sorted(found.texts.items()):
        each[document][text] += 1
    chosen = {d: max(c, key=lambda t: (c[t], len(t))) for d, c in each.items()}
    return chosen, sum(len(c) > 1 for c in each.values())


class Reading(NamedTuple):
    """A way to count offsets: what it is called, and the character at which each offset of a text begins."""

    title: str
    starts: Callable[[str], Sequence[int] | None]


def _utf16(text: str) -> Sequence[int] | None:
    return None if text.isascii() else [i for i, c in enumerate(text) for _ in range(1 + (ord(c) > 0xFFFF))]


def _utf8(text: str) -> Sequence[int] | None:
    return None if text.isascii() else [i for i, c in enumerate(text) for _ in range(len(c.encode(errors="replace")))]


def _lf(text: str) -> Sequence[int] | None:
    return [i for i, c in enumerate(text) if not text.startswith("\r\n", i)] if "\r\n" in text else None


READINGS = (
    Reading("characters", lambda text: None),
    Reading("UTF-16 units", _utf16),
    Reading("bytes of UTF-8", _utf8),
    Reading("characters of a text whose line ends were one character", _lf),
)
"""The first that fits most words is taken."""
BLANKS = re.compile(r"\s+")


def _to(offset: int, starts: Sequence[int] | None, text: str) -> int:
    if starts is None:
        return offset
    return starts[offset] if 0 <= offset < len(starts) else len(text) + offset - len(starts) if offset >= 0 else offset


def _says(text: str, m: Mark, starts: Sequence[int] | None) -> str:
    parts = m.parts or ((m.start, m.end or 0),)
    return " ".join(text[_to(s, starts, text) : _to(e, starts, text)] for s, e in parts)


def best_reading(
    marks: Sequence[Mark], texts: Mapping[str, str], own: Mapping[tuple[str, str], str]
) -> tuple[Reading, list[Note]]:
    """The way of counting offsets in which most units have the words that the file says they have."""
    known = [
        (m, own.get((m.document, m.rater), texts.get(m.document, ""))) for m in marks if m.words and m.end is not None
    ]
    known = [(m, t) for m, t in known if t]
    if all(t[m.start : m.end] == m.words and not m.parts for m, t in known):
        return READINGS[0], []
    fits: list[int] = []
    for reading in READINGS:
        starts: dict[str, Sequence[int] | None] = {t: reading.starts(t) for t in {t for _, t in known}}
        fits.append(sum(_same(_says(t, m, starts[t]), m.words or "") for m, t in known))
        if fits[0] == len(known):
            return READINGS[0], []
    at = max(range(len(fits)), key=fits.__getitem__)
    said = []
    if at:
        said.append(Note("offsets_read", {"reading": READINGS[at].title, "fit": fits[at], "n": len(known)}))
    if fits[at] < len(known):
        m, t = next((m, t) for m, t in known if not _same(_says(t, m, READINGS[at].starts(t)), m.words or ""))
        there = _says(t, m, READINGS[at].starts(t))
        said.append(Note("offsets_fit_none", {"n": len(known) - fits[at], "words": m.words, "text": there}))
    return READINGS[at], said


def _same(text: str, words: str) -> bool:
    return text == words or BLANKS.sub(" ", text) == BLANKS.sub(" ", words)


def placed(m: Mark, reading: Reading, text: str | None) -> Unit:
    """A unit in characters."""
    end = m.end if m.end is not None else m.start + len(m.words or "")
    starts = reading.starts(text) if text else None
    if starts is None or text is None:
        return Unit(m.document, m.rater, m.start, end, m.label, m.parts)
    parts = tuple((_to(s, starts, text), _to(e, starts, text)) for s, e in m.parts)
    return Unit(m.document, m.rater, _to(m.start, starts, text), _to(end, starts, text), m.label, parts)


def by_text(rows: Sequence[tuple[int, str, str | None]]) -> tuple[list[str], bool]:
    """The document of each (file, id, text), and whether documents were joined by their texts: ids count if the same id
    is the same text in all files and the other way round, otherwise texts do, each under the first id that has it.
    Texts that one file has under several ids stay several documents.
    """
    texts_of: dict[str, set[str | None]] = defaultdict(set)
    ids_of: dict[str | None, dict[int, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    for file, name, text in rows:
        texts_of[name].add(text)
        ids_of[text][file][name] = None
    same = all(len(t) == 1 for t in texts_of.values()) and all(
        len({n for names in files.values() for n in names}) == max(map(len, files.values()))
        for text, files in ids_of.items()
        if text is not None
    )
    joined = not same and len({file for file, _, _ in rows}) > 1
    known: dict[tuple[Any, ...], str] = {}
    taken: set[str] = set()
    made = []
    for file, name, text in rows:
        number = list(ids_of[text][file]).index(name) if len(ids_of[text][file]) > 1 else 0
        key = (text, number) if joined and text is not None else (text, name)
        if key not in known:
            known[key] = name if name not in taken else f"{name} ({len(known) + 1})"
            taken.add(known[key])
        made.append(known[key])
    return made, joined
