"""How a file was read, for the end of an answer; what of it could change the answer stands beside the answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from raters.agree.bands import name_of
from raters.annotations import Annotations, counted, in_words, labels_text, lost_rows
from raters.coefficients import DEFAULT
from raters.errors import listed
from raters.estimate import shown
from raters.notes.note import Note, alike, of_question
from raters.reporting.first_lines import Assumed, assumed, discards, named
from raters.reporting.names import as_sentence, inside, some

ALIKE = 3
"""Notes of one kind are said up to so many times; if they differ more often, one is said for all."""


@dataclass(frozen=True)
class HowRead:
    """What is said of it."""

    change: str
    """What could change the answer: rows that were lost, and a guessed scale if another would give another verdict."""
    lines: tuple[str, ...]
    """Everything else, once."""
    marks: dict[str, str]
    """Of several questions: the numbers of the lines that concern each."""

    @property
    def by_name(self) -> tuple[str, ...]:
        """The lines with the questions that they concern in the place of numbers."""
        about: dict[str, list[str]] = {}
        for name, numbers in self.marks.items():
            for number in numbers[1:-1].split("]["):
                about.setdefault(f"[{number}] ", []).append(name)
        return tuple(
            next((f"{some(names)}: {line[len(n) :]}" for n, names in about.items() if line.startswith(n)), line)
            for line in self.lines
        )


def how_read(ann: Any, figures: bool = True) -> HowRead:
    """How one table was read, or several questions; without ``figures`` nothing is computed for it."""
    found = assumed(ann, figures)
    if len(found) > 1:
        return _of_several(ann, found)
    anns = [x for x in getattr(ann, "anns", [ann]) if isinstance(x, Annotations)]
    if not anns:  # a published figure, without data
        return HowRead("", tuple(as_sentence(line) for line in str(ann).splitlines()), {})
    a, one = found[0], anns[0]
    notes = (*one.read_as, *_kept(one))
    decisive = [as_sentence(str(n)) for n in notes if n.decisive]
    change = " ".join([*discards(found), *([a.scale_sentence] if decides(a) else []), *decisive])
    lines = (
        f"{size(one)}; {labels_of(one)}; {_scale(one, a)}.",
        *([a.scale_sentence] if a.codes is not None and not decides(a) else []),
        _columns(one),
        *(as_sentence(str(n)) for n in notes if not n.decisive),
    )
    return HowRead(change, lines, {})


def decides(a: Assumed) -> bool:
    """Whether whole numbers taken as codes would put alpha into another band of its author's."""
    if a.codes is None or not all(map(math.isfinite, a.codes)):
        return False
    return len({name_of(alpha, DEFAULT) for alpha in a.codes}) > 1


def size(ann: Annotations) -> str:
    """Items, raters and labels each.

    >>> from raters import examples
    >>> size(examples.fleiss_1971()), size(examples.four_raters())
    ('30 items, 6 raters, 6 labels each', '12 items, 4 raters, 1 to 4 labels each (mean 3.4)')
    """
    low, mean, high = ann.used.per_item
    word = f"{ann.scale.word}{'' if high == 1 else 's'}"
    each = f"{low:,} {word}" if low == high else f"{low:,} to {high:,} {word}"
    more = "" if low == high else f" (mean {inside(mean, low, high)})"
    who = counted(ann.n_raters, "rater") if ann.n_raters else "raters without names"
    return f"{counted(ann.n_items, 'item')}, {who}, {each} each{more}"


def labels_of(ann: Annotations) -> str:
    return f"{counted(len(ann.single), 'label')}: {labels_text(ann.single, 6)}"


def _scale(ann: Annotations, a: Assumed) -> str:
    """The scale, and that it was assumed; where whole numbers may be codes, a sentence of its own says so."""
    if a.why.level != "assumed" or a.codes is not None:
        return f"{ann.scale}"
    return f"{ann.scale} (assumed: {Note('scale_changes', {'why': a.why})})"


def _columns(ann: Annotations) -> str:
    """Which column holds what, where its name does not say so, and which were not needed."""
    taken = [f"{role} = {name!r}" for role, name in ann.columns.items() if name != role]
    others = [f"other columns: {listed(ann.unused, 4)}"] if ann.unused else []
    said = "; ".join([*([", ".join(taken)] if taken else []), *others])
    return f"{said[:1].upper()}{said[1:]}." if said else "" if ann.columns else "Columns by position."


def _kept(ann: Annotations) -> list[Note]:
    """The notes of a table that cannot wait for ``--details``, and repeats."""
    repeats = []
    if ann.repeats and ann.first_repeat and ann.duplicates not in ("first", "last"):
        item, rater = ann.first_repeat
        repeats = [Note("repeats", {"n": ann.repeats, "item": item, "rater": rater, "duplicates": ann.duplicates})]
    return [*repeats, *(n for n in ann.notes if n.level != "detail")]


def _of_several(ann: Any, found: Sequence[Assumed]) -> HowRead:
    """Several tables: what they have in common, then each note once, with whom it concerns."""
    anns: list[Annotations] = list(ann.anns)
    names = _apart([a.name or named(a, found) for a in found])
    decided = [name for name, a in zip(names, found, strict=True) if decides(a)]
    change = _lost(anns) if len(anns) > ALIKE else [*discards(found)]
    if decided:
        change.append(_as_codes(decided, [a for a in found if decides(a)]))
    change += [f"{some(about)}: {said}." for said, about in _grouped(names, anns, found, decisive=True)]
    lines, marks = _marked(names, _grouped(names, anns, found))
    others = [x for x in anns[0].unused if all(x in one.unused for one in anns)]
    lines += [f"Other columns: {listed(others, 6)}."] if others else []
    return HowRead(" ".join(change), (_size_of_all(anns), *lines), marks)


def _marked(names: Sequence[str], said: Iterable[tuple[str, list[str]]]) -> tuple[list[str], dict[str, str]]:
    """Each sentence once, with a number where it concerns fewer than half; the numbers of each question."""
    lines: list[str] = []
    marks: dict[str, str] = {}
    n = 0
    for sentence, about in said:
        if not sentence:
            continue
        if len(about) == len(names):
            lines.append(as_sentence(sentence))
        elif 2 * len(about) > len(names):
            lines.append(f"{as_sentence(sentence)[:-1]} ({len(about)} of {len(names)}).")
        else:
            n += 1
            lines.append(f"[{n}] {as_sentence(sentence)}")
            marks |= {name: f"{marks.get(name, '')}[{n}]" for name in about}
    return lines, marks


def _lost(anns: Sequence[Annotations]) -> list[str]:
    """What was not used of many questions: each reason once, with the least and the greatest number."""
    reasons = dict.fromkeys(why for ann in anns for why in lost_rows(ann))
    numbers = {why: [lost_rows(ann).get(why, 0) for ann in anns] for why in reasons}
    said = [f"{_range(n)} row{'' if max(n) == 1 else 's'} ({in_words(why)})" for why, n in numbers.items()]
    again = [ann.repeats if ann.duplicates in ("first", "last") else 0 for ann in anns]
    said += [f"{_range(again)} repeated labels by the same rater for the same item"] if any(again) else []
    return [f"Not used of each: {'; '.join(said)}."] if said else []


def _apart(names: Sequence[str]) -> list[str]:
    """Names of which no two are the same.

    >>> _apart(["a.csv", "a.csv", "b.csv"])
    ['a.csv', 'a.csv (2)', 'b.csv']
    """
    return [f"{name} ({n})" if (n := names[: i + 1].count(name)) > 1 else name for i, name in enumerate(names)]


def _as_codes(names: Sequence[str], found: Sequence[Assumed]) -> str:
    """Which questions would have another verdict if their numbers were codes."""
    values = [f"{name} {shown(a.codes[1], 2)}" for name, a in zip(names, found, strict=True) if a.codes]
    more = f" and {len(values) - 3} more" if len(values) > 3 else ""
    return f"Whole numbers were read in order; as codes, alpha would be: {', '.join(values[:3])}{more}."


def _grouped(
    names: Sequence[str], anns: Sequence[Annotations], found: Sequence[Assumed], decisive: bool = False
) -> Iterator[tuple[str, list[str]]]:
    """Each note once, decisive or not: its sentence, and the questions that have it."""
    said = (
        (name, note)
        for name, one, a in zip(names, anns, found, strict=True)
        for note in dict.fromkeys([*_scale_note(a), *one.read_as, *_kept(one)])
        if note.decisive == decisive
    )
    return together(said, _neutral)


def together(
    said: Iterable[tuple[str, Note]], words: Callable[[Note, str], Note] = lambda note, _: note
) -> Iterator[tuple[str, list[str]]]:
    """Notes about several tables or rows, each once: its sentence, and those that it concerns. A kind that would be
    worded in many ways is worded once, with what differs side by side. Notes are the same if ``words`` are.
    """
    kinds: dict[str, list[tuple[str, Note]]] = {}
    for name, note in said:
        kinds.setdefault(note.code, []).append((name, note))
    for kind in kinds.values():
        by_words: dict[str, list[tuple[str, Note]]] = {}
        for name, note in kind:
            with of_question("QUESTION"):
                by_words.setdefault(str(words(note, name)), []).append((name, note))
        many = len(by_words) > ALIKE
        for same in [kind] if many else by_words.values():
            about = list(dict.fromkeys(name for name, _ in same))
            with of_question(about[0]):
                yield str(alike([note for _, note in same]) if many else same[0][1]), about


def _neutral(note: Note, question: str) -> Note:
    """A note without the name of its question, so that it is the same for every question of its kind."""

    def fact(x: Any) -> Any:
        if isinstance(x, list | tuple):
            return [fact(part) for part in x]
        return x.replace(question, "QUESTION") if isinstance(x, str) else x

    return Note(note.code, {name: fact(x) for name, x in note.facts.items()})


def _scale_note(a: Assumed) -> list[Note]:
    """The assumed scale as a note that says the same for every question with that scale."""
    if a.why.level != "assumed":
        return []
    if a.codes is not None:
        return [Note("whole_numbers_as_scale", {"n": a.n_labels, "scale": a.scale})]
    return [Note("scale_assumed", {"scale": a.scale, "why": a.why})]


def _size_of_all(anns: Sequence[Annotations]) -> str:
    """Items and raters of all tables, or the least and the most."""
    sizes = list(dict.fromkeys(size(ann) for ann in anns))
    if len(sizes) == 1:
        return f"{sizes[0]}."
    items, raters = ([getattr(ann, field) for ann in anns] for field in ("n_items", "n_raters"))
    return f"{_range(items)} items, {_range(raters)} raters."


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
