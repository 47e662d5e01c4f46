"""The long table of annotations: one row for each label that a rater gave to an

item. The rows stay in DuckDB or Spark, behind an :class:`Engine`; this module holds what the table means: its scale,
the order of its labels, and what was dropped.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

from raters.errors import listed
from raters.estimate import frame
from raters.notes.note import Note, in_json
from raters.scales.scale import Scale
from raters.words import printable

Answer = TypeVar("Answer")
ROOM = 50_000_000
"""Largest total size of the answers cached with a table, in numbers."""


class Kept:
    """Cached answers of an engine; the oldest are dropped when the cache is full."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, tuple[Any, int, Any]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """The cache is empty after pickling, because its keys are object identities."""
        return Kept, ()

    def held(self, key: Hashable) -> Any:
        return self._answers[key][0] if key in self._answers else None

    def once(
        self, key: Hashable, about: Any, answer: Callable[[], Answer], size: Callable[[Answer], int], room: int = ROOM
    ) -> Answer:
        """The cached answer under this key, computed now if it is missing."""
        if key in self._answers:
            found: Answer = self._answers[key][0]
            return found
        made = answer()
        self._answers[key] = (made, size(made), about)
        while len(self._answers) > 1 and sum(n for _, n, _ in self._answers.values()) > room:
            del self._answers[next(iter(self._answers))]
        return made


Columns = dict[str, NDArray[Any]]


class Dropped(StrEnum):
    """Why the rows or cells of a table are dropped; what is left out of an export has the tool's reasons instead."""

    label = "missing label"
    in_missing = "label in missing="
    item = "missing item"
    rater = "missing rater"
    not_first = "repeated labels by the same rater for the same item; the first one is used"
    not_last = "repeated labels by the same rater for the same item; the last one is used"


OF_CELLS = (Dropped.label, Dropped.in_missing)
CELLS = ("wide",)
"""Layouts in which a label is a cell, not a row."""
DUPLICATES = ("error", "first", "last", "keep")


class Engine(Protocol):
    """Runs SQL over the view ``annotations``: columns row, item, rater, label, and the others of the source."""

    @property
    def name(self) -> str:
        """``"duckdb"`` or ``"spark"``."""
        ...

    def query(self, sql: str, **tables: Mapping[str, NDArray[Any]]) -> Columns:
        """Run one SQL query over ``annotations`` and small tables, and return the columns of the result."""
        ...

    def quote(self, name: str) -> str:
        """A column name as an identifier of this engine's SQL."""
        ...

    def text(self, value: str) -> str:
        """A piece of text as an SQL expression, spelled in hexadecimal: no character in it can act as SQL."""
        ...

    @property
    def room(self) -> int:
        """How many rows a small table may have."""
        ...

    def derive(self, sql: str, **tables: Mapping[str, NDArray[Any]]) -> "Engine":
        """Another view ``annotations``, made from this one and small tables by a SELECT; nothing is run yet."""
        ...


@dataclass(frozen=True)
class Annotations:
    """Annotations and their meaning, as :func:`raters.read` returns them.

    >>> from raters.io.read import read
    >>> ann = read([("q1", "ann", "no"), ("q1", "bob", "yes"), ("q2", "ann", "no")])
    >>> ann.n_items, ann.n_raters, ann.labels
    (2, 2, ('no', 'yes'))
    """

    engine: Engine
    scale: Scale
    labels: tuple[Any, ...]
    keys: NDArray[Any]  # (label,): the labels as the engine holds them
    numeric: bool
    scale_from: Note
    declared: bool
    period: float | None
    n_items: int
    n_raters: int  # 0 if raters have no names (count tables)
    n_annotations: int
    dropped: Mapping[str, int]
    repeats: int
    first_repeat: tuple[Any, Any] | None
    duplicates: str
    per_item: tuple[int, float, int]  # labels per item: least, mean, most
    columns: Mapping[str, str]
    extras: tuple[str, ...]
    source: str
    notes: tuple[Note, ...]
    layout: str = "long"
    read_as: tuple[Note, ...] = ()  # what the layout was recognised as, if not only the columns' names show it
    guessed: bool = False  # whether that was weighed, and no column was named
    members: tuple[Any, ...] = ()  # on the scale "sets": the single labels; ``labels`` are the sets that occur
    kept: Kept = field(default_factory=Kept, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", Scale(self.scale))  # replace(ann, scale="nominal") gives a name

    @property
    def scale_reason(self) -> str:
        """Why the table has this scale, in words."""
        return f"assumed: {self.scale_from}" if self.scale_assumed else str(self.scale_from)

    @property
    def scale_assumed(self) -> bool:
        """Whether the scale was assumed from the labels."""
        return self.scale_from.level == "assumed"

    @property
    def recognised(self) -> str:
        """What the layout was recognised as, in words; empty if the names of the columns show it."""
        return "; ".join(map(str, self.read_as))

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notes as sentences."""
        return tuple(map(str, self.notes))

    @property
    def unused(self) -> tuple[str, ...]:
        """Other columns that no option names."""
        return tuple(x for x in self.extras if x not in self.columns.values())

    @property
    def single(self) -> tuple[Any, ...]:
        """The single labels: of sets their members."""
        return self.members if self.scale.of_sets else self.labels

    def once(self, question: Hashable, answer: Callable[[], Answer], size: Callable[[Answer], int]) -> Answer:
        """The answer to a question about these rows and labels, computed once and cached.

        Tables of the same rows under another scale share their answers; tables with other labels, another rule for
        repeats or another engine do not. ``size``: the number of values in the answer.
        """
        key, about = self._key(question)
        return self.kept.once(key, about, answer, size)

    def held(self, question: Hashable) -> Any:
        """The answer to a question if it is cached, otherwise None."""
        return self.kept.held(self._key(question)[0])

    def _key(self, question: Hashable) -> tuple[Hashable, Any]:
        about = (self.engine, self.keys, self.labels)  # held, so that no other object takes their identity
        return (question, self.duplicates if self.repeats else None, *map(id, about)), about

    @property
    def used(self) -> "Used":
        """The data behind every figure: the whole table, except the repeats that ``duplicates`` drops. Computed
        once.
        """
        if not (self.repeats and self.duplicates in ("first", "last")):
            return Used(self.n_items, self.n_raters, self.n_annotations, self.per_item, 0)

        def made() -> Used:
            size = self.engine.query(
                "SELECT min(n) AS least, max(n) AS most FROM (SELECT item, count(DISTINCT rater) AS n FROM annotations"
                " GROUP BY item) AS i"
            )
            n = self.n_annotations - self.repeats
            per_item = int(size["least"][0]), n / self.n_items, int(size["most"][0])
            return Used(self.n_items, self.n_raters, n, per_item, self.repeats)

        return self.once("used", made, lambda _: 5)

    def __copy__(self) -> "Annotations":
        """Annotations are immutable, so a copy is the object itself."""
        return self

    def __deepcopy__(self, memo: Any) -> "Annotations":
        return self

    def summary(self) -> dict[str, Any]:
        """What the table holds and how it was read, as plain values ready for JSON."""
        return {
            "source": self.source,
            "n_items": self.n_items,
            "n_raters": self.n_raters,
            "n_annotations": self.n_annotations,
            "labels": list(self.labels),
            "per_item": dict(zip(("min", "mean", "max"), self.per_item, strict=True)),
            "scale": str(self.scale),
            "scale_reason": self.scale_reason,
            "period": self.period,
            "columns": dict(self.columns),
            "layout": self.layout,
            "recognised": self.recognised,
            "extras": list(self.extras),
            "dropped": dict(self.dropped),
            "repeats": self.repeats,
            "duplicates": self.duplicates,
            "engine": self.engine.name,
            "notes": list(self.warnings),
            "noted": in_json(self.notes)["notes"],
            **({"members": list(self.members)} if self.scale.of_sets else {}),
        }

    def to_columns(self) -> dict[str, list[Any]]:
        """Item, rater, label and the other columns, one row per annotation in the order of the source."""
        names = ["item", *(["rater"] if self.n_raters else []), "label", *self.extras]
        got = self.engine.query(f"SELECT {', '.join(map(self.engine.quote, names))} FROM annotations ORDER BY row")
        given = dict(zip(self.keys.tolist(), self.labels, strict=True))
        return {n: [given[k] for k in got[n].tolist()] if n == "label" else got[n].tolist() for n in names}

    def to_frame(self) -> Any:
        """The long table as a pandas (else polars) dataframe."""
        return frame(self.to_columns())

    def __str__(self) -> str:
        return "\n".join(lines(self))

    def __repr__(self) -> str:
        return printable(f"<Annotations {headline(self)}>")

    def _repr_html_(self) -> str:
        first, *rest = (escape(line) for line in lines(self))
        return f"<div><strong>{first}</strong>" + "".join(f"<br>{line}" for line in rest) + "</div>"


@dataclass(frozen=True)
class Used:
    """How much of a table enters its figures."""

    n_items: int
    n_raters: int
    n_annotations: int
    per_item: tuple[int, float, int]  # labels per item: least, mean, most
    left_out: int  # repeats that were not used


def lines(ann: Annotations) -> list[str]:
    """The summary as plain text; the first line states what was assumed."""
    first = [f"{headline(ann)}; {scale_line(ann)}"] if ann.scale_assumed else [headline(ann), scale_line(ann)]
    if ann.read_as:
        first[0] = f"{first[0]}; {ann.recognised}"
    found = [*first, columns_line(ann), *left_out(ann), *(f"note: {n}" for n in ann.notes)]
    return [printable(line) for line in found]


def headline(ann: Annotations) -> str:
    """The size of the table, on one line."""
    used = ann.used
    low, mean, high = used.per_item
    each = f"{low:,}" if low == high else f"{low:,} to {high:,} (mean {mean:.3g})"
    who = counted(ann.n_raters, "rater") if ann.n_raters else "unnamed raters"
    seen = f" in {counted(len(ann.labels), 'distinct set')}" if ann.scale.of_sets else ""
    repeats = (
        f" ({counted(used.left_out, 'repeat')} dropped: the {ann.duplicates} of each was used)" if used.left_out else ""
    )
    return (
        f"{ann.source}: {counted(ann.n_items, 'item')}, {who}, {counted(used.n_annotations, 'annotation')}{repeats};"
        f" {counted(len(ann.single), 'label')}: {labels_text(ann.single)}{seen}; {each} {ann.scale.word}{'' if high == 1 else 's'} per"
        " item"
    )


def scale_line(ann: Annotations) -> str:
    """The scale, how it was decided, and how to change it."""
    if ann.scale_assumed:
        other = Scale.ordinal if ann.scale.equality else Scale.nominal
        return f"scale: {ann.scale} ({ann.scale_reason}; {Note('change_scale', {'scale': str(other)})})"
    line = f"scale: {ann.scale} (given)"
    if ann.scale.turns:
        line += f", period {ann.period:g}" if ann.period is not None else ", period: highest - lowest + 1"
    return line


def columns_line(ann: Annotations) -> str:
    """Which column holds what."""
    taken = ", ".join(f"{role} = {name!r}" for role, name in ann.columns.items())
    more = f"; other columns: {listed(ann.unused)}" if ann.unused else ""
    return f"columns: {taken or 'by position'}{more}"


def left_out(ann: Annotations) -> list[str]:
    """What was dropped and why, and labels given twice."""
    found = [f"dropped: {what}" for what in dropped(ann)]
    if ann.repeats and ann.first_repeat:
        item, rater = ann.first_repeat
        facts = {"n": ann.repeats, "item": item, "rater": rater, "duplicates": ann.duplicates}
        found.append(f"repeats: {Note('repeats', facts)}")
    return found


def dropped(ann: Annotations) -> list[str]:
    """What was dropped when the table was read: rows, or cells of a matrix; empty cells are counted separately."""
    return list(counts_dropped(ann).values())


def counts_dropped(ann: Annotations) -> dict[str, str]:
    """For each reason the number of rows or cells that were dropped, in words."""
    cells = ann.layout in CELLS
    return {
        why: f"{counted(n, 'cell' if cells and why in OF_CELLS else 'row')} ({in_words(why)})"
        for why, n in ann.dropped.items()
    }


def in_words(why: str) -> str:
    """The reason why rows were dropped, with its option as whoever reads names it."""
    return str(Note("label_in_missing")) if why == Dropped.in_missing else str(why)


def not_used(ann: Annotations) -> str:
    """A sentence for the head of every output about data that enter no figure; empty if everything was used. A cell
    without a label is not an annotation, so it does not count as lost.
    """
    said = counts_dropped(ann)
    lost = [said[why] for why in lost_rows(ann)]
    if ann.repeats and ann.duplicates in ("first", "last"):
        lost.append(
            f"{counted(ann.repeats, 'annotation')} of {ann.n_annotations:,} (repeated labels by the same rater for the"
            f" same item; the {ann.duplicates} one is used)"
        )
    return f"Not used: {'; '.join(lost)}." if lost else ""


def n_not_used(ann: Annotations) -> int:
    """How many rows, cells or annotations that sentence is about."""
    again = ann.repeats if ann.duplicates in ("first", "last") else 0
    return sum(lost_rows(ann).values()) + again


def lost_rows(ann: Annotations) -> dict[str, int]:
    """For each reason the number of rows that enter no figure."""
    no_label = ann.layout in CELLS and Dropped.label
    return {why: n for why, n in ann.dropped.items() if why != no_label}


def labels_text(labels: tuple[Any, ...], limit: int = 12) -> str:
    """The labels as text; a long list is shortened in the middle.

    >>> labels_text(("no", "yes")), labels_text(tuple(range(100)), limit=4)
    ('no, yes', '0, 1, ..., 98, 99')
    """
    shown = [" ".join(str(v).split())[:40] for v in (labels if len(labels) <= limit else ())]
    if shown:
        return ", ".join(shown)
    half = limit // 2
    return ", ".join([*(str(v)[:40] for v in labels[:half]), "...", *(str(v)[:40] for v in labels[-half:])])


def counted(n: int, thing: str) -> str:
    """A number and its noun.

    >>> counted(1, "item"), counted(8000, "annotation")
    ('1 item', '8,000 annotations')
    """
    return f"{n:,} {thing}{'' if n == 1 else 's'}"
