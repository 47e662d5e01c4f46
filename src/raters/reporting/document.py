"""The report as a frozen value: questions, answers, tables and charts. Renderers are functions of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from raters.charts.chart import Chart
from raters.estimate import Estimate, jsonable, shown
from raters.reporting.names import interval_note
from raters.reporting.paper_table import Paper
from raters.words import printable

GOOD, MIDDLE, BAD, OPEN = "good", "middle", "bad", "open"
"""How a figure is coloured: the interval carries it, carries part of it, carries the contrary, or carries nothing."""


@dataclass(frozen=True)
class Part:
    """A part of a whole, such as the items that are settled."""

    name: str
    share: float
    tone: str


@dataclass(frozen=True)
class Figure:
    """One large number with a word, its interval, and what it means."""

    title: str
    shown: str
    """The number as it stands on the page."""
    word: str
    tone: str
    text: str
    estimate: Estimate | None = None
    marks: tuple[float, ...] = ()
    """Where thresholds stand on the scale from 0 to 1."""
    parts: tuple[Part, ...] = ()

    @property
    def drawn(self) -> bool:
        """Whether there is an interval to draw."""
        e = self.estimate
        return e is not None and all(math.isfinite(x) for x in (e.value, e.low, e.high))

    @property
    def alt(self) -> str:
        """What the small bar shows, in words."""
        if self.parts:
            return "; ".join(f"{p.name} {p.share:.0%}" for p in self.parts)
        e = self.estimate
        if e is None or not self.drawn:
            return ""
        marks = f", with marks at {' and '.join(f'{m:g}' for m in self.marks)}" if self.marks else ""
        return f"{e.value:.2f}, from {e.low:.2f} to {e.high:.2f}, on a scale from 0 to 1{marks}"

    @property
    def line(self) -> str:
        """The figure where there is no page."""
        return f"{self.title}: {self.shown} - {self.word}. {self.text}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "shown": self.shown,
            "word": self.word,
            "text": self.text,
            "estimate": self.estimate and self.estimate.to_dict(),
            "parts": [{"name": p.name, "share": jsonable(p.share)} for p in self.parts],
        }


@dataclass(frozen=True)
class Step:
    """One thing to do: what, and the expected effect with its uncertainty."""

    kind: str
    title: str
    text: str
    gain: float = math.nan
    """By how much the figure is expected to rise; nan if the step is not about the figure."""
    effect: Estimate | None = None
    """The figure afterwards."""
    about: int = 1
    """How many raters it is about, if it is about raters."""
    there: str = ""
    """The text in the section on what to do next, where it differs."""
    uninformative: bool = False
    """Whether no information was found in the labels of these raters."""
    labels: int = 0
    """Labels or second looks that it takes; 0 if that is not known."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "title": self.title,
            "text": self.text,
            "gain": jsonable(self.gain),
            "effect": self.effect and self.effect.to_dict(),
            "labels": self.labels,
        }


@dataclass(frozen=True)
class Verdict:
    """What a lead would repeat in a meeting, and what it rests on."""

    about: str
    """What was labelled."""
    headline: str
    figures: tuple[Figure, ...]
    first: Step
    change: str
    """What would change the verdict."""
    then: tuple[tuple[str, str], ...] = ()
    """Where to read on: keys of sections and what one finds there."""
    who: Table | None = None
    """Of two raters and a few labels: on how many items each said what."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The same words for the terminal and for Markdown."""
        return (
            self.about,
            self.headline,
            *(f.line for f in self.figures),
            f"First: {self.first.title}. {self.first.text}",
            f"What would change this: {self.change}",
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "about": self.about,
            "headline": self.headline,
            "figures": [f.to_dict() for f in self.figures],
            "first": self.first.to_dict(),
            "change": self.change,
            "who": self.who and {"columns": self.who.columns, "rows": self.who.rows},
        }


class Share(float):
    """A number between 0 and 1 that is read as a percentage."""


class Chance(float):
    """A p value: how often chance alone shows as much."""


Cell = str | int | float | Estimate | None
"""What stands in a table: renderers round numbers, and show an estimate with its interval."""


@dataclass(frozen=True)
class Table:
    """A table of a section; where it was cut, ``total`` counts all rows, and ``rest`` has more for a CSV file."""

    name: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: int = 0
    rest: tuple[tuple[Cell, ...], ...] = ()
    above: int = 0
    """How many of the first rows stand above the table as cards; files have all rows."""

    @property
    def listed(self) -> tuple[tuple[Cell, ...], ...]:
        """The rows that a reader is shown."""
        return self.rows[self.above :]

    @property
    def note(self) -> str:
        """How the intervals of its estimates were found; nothing where there are none."""
        return interval_note([cell for row in self.rows for cell in row if isinstance(cell, Estimate)])

    @property
    def numeric(self) -> tuple[bool, ...]:
        """(column,): whether it holds numbers, which stand to the right."""
        cells = ([row[i] for row in self.rows if row[i] is not None] for i in range(len(self.columns)))
        return tuple(bool(column) and not any(isinstance(x, str) for x in column) for column in cells)

    @property
    def cut(self) -> int:
        """How many rows are not shown."""
        return max(0, self.total - len(self.rows))


def long_table(
    name: str,
    caption: str,
    columns: tuple[str, ...],
    rows: Sequence[tuple[Cell, ...]],
    shown: int,
    total: int = 0,
    above: int = 0,
) -> Table:
    """A table of which ``shown`` rows are shown; the others wait for a CSV file."""
    return Table(name, caption, columns, tuple(rows[:shown]), total or len(rows), tuple(rows[shown:]), above)


@dataclass(frozen=True)
class Votes:
    """How many raters gave a label to an item, and who, as far as raters have names."""

    label: str
    n: int
    who: tuple[str, ...] = ()
    place: int = 0
    """Of the label on the scale: the same label has the same colour on every card."""
    degree: float | None = None
    """Of an ordered scale: how strongly the label is coloured, from 0 to 1."""


@dataclass(frozen=True)
class Card:
    """An item that one can read: its text, what was said of it and by whom, and what a model says."""

    item: str
    text: str
    votes: tuple[Votes, ...]
    """The most frequent label first; degrees of an ordered scale in their order."""
    note: str = ""

    @property
    def total(self) -> int:
        return sum(v.n for v in self.votes)

    @property
    def coloured(self) -> bool:
        """Whether labels have colours: numbers have none, since the picture above shows how far they lie apart."""
        return len(self.votes) == 1 or len({v.place for v in self.votes}) > 1


@dataclass(frozen=True)
class Cards:
    """Some items as cards."""

    name: str
    caption: str
    cards: tuple[Card, ...]


Block = str | Table | Chart | Cards


@dataclass(frozen=True)
class Answer:
    """What a section function gives: the answer in a sentence, the picture and the table that show it, and details."""

    text: str
    blocks: tuple[Block, ...] = ()
    absent: bool = False
    """The data do not allow an answer; the text says why."""
    details: tuple[Block, ...] = ()
    """Folded away on a screen, open in print."""


@dataclass(frozen=True)
class Section:
    """A question, its answer in a sentence, and what the answer rests on."""

    key: str
    question: str
    answer: str
    blocks: tuple[Block, ...] = ()
    absent: bool = False
    """The data do not allow it; the answer says why."""
    details: tuple[Block, ...] = ()
    """Folded away on a screen, open in print."""

    @property
    def everything(self) -> tuple[Block, ...]:
        return (*self.blocks, *self.details)

    def tables(self) -> Iterator[Table]:
        return (b for b in self.everything if isinstance(b, Table))

    def charts(self) -> Iterator[Chart]:
        return (b for b in self.everything if isinstance(b, Chart))

    def notes(self) -> Iterator[str]:
        return (b for b in self.everything if isinstance(b, str))

    def cards(self) -> Iterator[Card]:
        return (card for b in self.everything if isinstance(b, Cards) for card in b.cards)


@dataclass(frozen=True)
class Document:
    """What a report holds: all questions that the data can answer, as values."""

    title: str
    data: Mapping[str, Any]
    """What was read: :meth:`Annotations.summary`."""
    about: tuple[str, ...]
    """The same in words."""
    sections: tuple[Section, ...]
    methods: str
    references: tuple[str, ...]
    """BibTeX entries of what the methods paragraph cites."""
    made: Mapping[str, Any] = field(default_factory=dict)
    """Version, seed, level, and the command that makes this report again; ``tables_beside`` where cut tables stand
    beside it.
    """
    not_used: str = ""
    """What was given and enters no figure, and what was assumed: the first line of every format."""
    in_words: tuple[str, ...] = ("",)
    """``not_used`` and what follows the first line of ``about`` for a page, on which nobody can type an option."""
    verdict: Verdict | None = None
    """The first screen; None if a document holds several questions, which have one each in ``verdicts``."""
    short_methods: str = ""
    """The methods paragraph in two or three sentences."""
    paper: Paper | None = None
    """One table ready to paste."""
    assumed: tuple[Mapping[str, Any], ...] = ()
    """What was assumed of the table, or of each of several questions, as plain values."""
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    """Of a document of several questions: the verdict on each."""

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Every estimate of the report, in order."""
        cells = (cell for s in self.sections for t in s.tables() for row in t.rows for cell in row)
        return tuple(cell for cell in cells if isinstance(cell, Estimate))

    @property
    def otherwise(self) -> tuple[str, ...]:
        """What was said only in words, with the options that change it."""
        told = (self.not_used, *(self.about[1:] if self.verdicts else ()))
        return tuple(line for line in told if line not in self.in_words)

    @property
    def answered(self) -> tuple[Section, ...]:
        return tuple(s for s in self.sections if not s.absent)

    @property
    def unanswered(self) -> tuple[Section, ...]:
        """Questions that these data do not answer; each says why."""
        return tuple(s for s in self.sections if s.absent)

    def reasons(self) -> dict[str, list[str]]:
        """Why questions are not answered: each reason once, with its questions."""
        found: dict[str, list[str]] = {}
        for s in self.unanswered:
            name = next((f"{name}: " for name in self.verdicts if s.question.startswith(f"{name}: ")), "")
            questions = found.setdefault(s.answer, [])
            if (question := s.question.removeprefix(name)) not in questions:
                questions.append(question)
        return found

    def shown(self, s: Section) -> tuple[Block, ...]:
        """The blocks of a section on paper: of several questions the answers alone, since files hold all tables."""
        return () if self.verdicts else s.everything

    def file_of(self, s: Section, name: str) -> str:
        """The name of the file of a table or picture; a section's own table is not named twice."""
        place = self.place(s)
        return place if s.key.rpartition("-")[2] == name else f"{place}-{name}"

    def place(self, s: Section) -> str:
        """The section; of several questions the question before it."""
        n, _, key = s.key.partition("-")
        if not self.verdicts:
            return s.key
        names = ["".join(c if c.isalnum() else "_" for c in name) for name in self.verdicts]
        at = int(n[1:]) - 1
        return f"{names[at]}{f'_{at + 1}' if names.count(names[at]) > 1 else ''}-{key}"

    @property
    def intervals(self) -> str:
        """How the intervals and ranges of all tables were found, once."""
        return interval_note(self.estimates)

    def under(self, table: Table) -> list[str]:
        """What is said below a table: what is not shown; how its intervals were found, where no methods follow."""
        return [said for said in ("" if self.methods else table.note, self.more(table)) if said]

    def more(self, table: Table) -> str:
        """What is said below a table that was cut."""
        if not table.cut:
            return ""
        said = f"{table.cut:,} more rows are not shown here"
        if not self.made.get("tables_beside"):
            return f"{said}."
        them = "them" if len(table.rest) >= table.cut else f"the next {len(table.rest):,}"
        return f"{said}; the CSV file beside the report has {them}."

    def datasheet(self) -> str:
        """What was read and how it was measured, for machines."""
        import json

        data = {name: value for name, value in self.data.items() if name != "questions"}
        return json.dumps(jsonable({"data": data, "made": self.made}), indent=2, default=str)

    def section(self, key: str) -> Section:
        for s in self.sections:
            if s.key == key:
                return s
        raise KeyError(key)


def percent(x: float) -> str:
    """A share as a percentage: whole, but for the smallest and the largest.

    >>> percent(0.354), percent(0.004), percent(0.999), percent(0.9999), percent(1.0)
    ('35%', '0.4%', '99.9%', 'over 99.9%', '100%')
    """
    if 0.9995 <= x < 1:
        return "over 99.9%"
    return f"{x:.1%}" if 0 < x < 0.01 or 0.99 < x < 1 else f"{x:.0%}"


def cell_text(cell: Cell) -> str:
    """A cell as people read it: an estimate with its interval, numbers with two decimals."""
    if cell is None:
        return "-"
    if isinstance(cell, Estimate):
        value = shown(float(cell.value), 2)
        limits = f" ({shown(cell.low, 2)} to {shown(cell.high, 2)})" if math.isfinite(cell.low) else ""
        return value + limits
    if isinstance(cell, Share):
        return percent(float(cell)) if math.isfinite(cell) else "-"
    if isinstance(cell, Chance):
        return "< 0.001" if cell < 0.0005 else shown(float(cell), 3 if cell < 0.1 else 2)
    if isinstance(cell, float):
        return shown(cell, 2) if math.isfinite(cell) else "-"
    return printable(shown(cell) if isinstance(cell, int) else str(cell))
