"""The common format of exports: one answer for each item, rater and question."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from raters.engines import DuckDBEngine
from raters.engines.duckdb import connect
from raters.errors import SPANS_REFUSED, DataError, UsageError, brief, listed
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance
from raters.io.sources.rows import from_columns, texts
from raters.io.table import NoSuchQuestion, SeveralQuestions, Table, positions, unique_names
from raters.notes.note import Note, either

REASONS: Mapping[str, str] = {
    "skipped": "the rater skipped the item",
    "cancelled": "the annotation was cancelled",
    "rejected": "a reviewer rejected the annotation",
    "untrusted": "the tool does not trust the rater",
    "gold": "a test question with a known answer",
    "training": "a training question",
    "curated": "a curator's or reviewer's version, or the ground truth",
    "predicted": "a model's guess",
    "draft": "not submitted",
    "preview": "a preview or a test of the survey",
    "unfinished": "the survey was not finished",
    "expired": "the time limit of the task had passed",
    "empty": "no label: the item was not seen, or no label applies",
    "unscored": "no score was given",
    "error": "the model or the scorer failed",
    "measured": "a measurement (time, cost), not a judgment",
}
"""Reasons why an answer is excluded, unless ``keep=`` includes it."""


NAMES, VALUES = frozenset({str, int, type(None)}), frozenset({str, int, float, bool})
"""Types of items and raters, and of labels. They are looked up by type, because there are as many answers as labels."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One rater's answer to one question about one item."""

    item: Any
    rater: Any
    question: str
    label: Any
    """One value, or a list if several may be given; None if there is none."""
    why: str | None = None
    """A key of ``REASONS`` if the answer is excluded."""
    place: int = 0
    """Position of its document in the source."""
    content: Any = None
    """The content of the item, to find the same item in another person's file."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Other columns."""

    def __post_init__(self) -> None:
        """Check untrusted values: names must be text or numbers, and labels single values."""
        if type(self.item) not in NAMES:
            object.__setattr__(self, "item", str(self.item))
        if type(self.rater) not in NAMES:
            object.__setattr__(self, "rater", str(self.rater))
        if type(self.label) is list:
            if not all(type(v) in VALUES and v != "" for v in self.label):
                object.__setattr__(self, "label", [v for v in self.label if scalar(v) is not None])
        elif type(self.label) not in VALUES and self.label is not None:
            object.__setattr__(self, "label", None)


@dataclass(frozen=True)
class Export:
    """Everything that a reader found."""

    answers: Sequence[Answer]
    spans: int = 0
    """Spans, regions and relations that were skipped."""
    notes: tuple[Note, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    """What the tool calls an item and a rater."""
    from_text: bool = False
    """Whether labels are text from a table, in which numbers count as numbers."""
    sets: frozenset[str] = frozenset()
    """Questions that allow several labels, even if nobody gave more than one."""
    free_text: frozenset[str] = frozenset()
    """Questions that are answered in free text."""


@dataclass(frozen=True)
class Tool:
    """A row of the registry: every fact about a tool whose exports are read."""

    name: str
    title: str
    sniff: Callable[[Glance], bool]
    """Whether a document is an export of this tool, judged by its first bytes."""
    read: Callable[[Sequence[Document]], Export]
    how: str
    """How to export from the tool."""
    agreement: str
    """The tool's own figure of agreement, and whether it is corrected for chance."""
    verified: bool = True
    """True if tested on genuine files; otherwise the reader follows only the tool's documentation."""
    spans: Callable[[Sequence[Document]], Any] | None = None
    """Reads the units of a project in which raters also choose what to label; None if the tool has none."""
    beside: Callable[[Glance], bool] | None = None
    """Whether a file among others of this tool is one too, although it says less."""
    log: bool = False
    """Whether this is an evaluation log: raters are judges or scorers, and a single one is usual."""


def scalar(value: Any) -> Any:
    """A value as a cell: text, number or boolean; None for anything else and for empty text."""
    if isinstance(value, str):
        return value if value.strip() else None
    return value if isinstance(value, bool | int | float) else None


def scalars(values: Any, prefix: str = "") -> dict[str, Any]:
    """The simple values of an object, as other columns."""
    if not isinstance(values, Mapping):
        return {}
    return {f"{prefix}{k}": v for k, v in values.items() if type(v) in VALUES}


def mapping(value: Any) -> Mapping[str, Any]:
    """An object; an empty one if the value is something else, because untrusted files may hold anything."""
    return value if isinstance(value, Mapping) else {}


def objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects in a list; none if the value is not a list."""
    return [v for v in value if isinstance(v, Mapping)] if isinstance(value, list) else []


SEVERAL = re.compile(r" and \d+ more$")
"""The end of the name of several files."""
MANY = 20
"""Maximum number of other columns that are kept; the first ones are kept."""


@dataclass(frozen=True)
class Chosen:
    """The table of one question, and the notes for its summary."""

    table: Table
    item: str
    rater: str
    label: str
    sets: bool
    dropped: Mapping[str, int]
    notes: tuple[Note, ...]


def reasons_to_keep(keep: str | Iterable[str]) -> frozenset[str]:
    """The reasons named in ``keep=``, all of them known."""
    given = keep.split(",") if isinstance(keep, str) else list(keep)
    wanted = frozenset(word.strip() for word in given if word.strip())
    unknown = sorted(wanted - REASONS.keys())
    if unknown:
        raise UsageError(f"keep={unknown[0]!r} is not a known reason to exclude a row. Use {listed(REASONS, 30)}.")
    return wanted


def chosen(export: Export, tool: Tool, source: str, question: str | None, keep: str | Iterable[str]) -> Chosen:
    """The rows of one question that count, as a table."""
    wanted = reasons_to_keep(keep)
    name = f"{source} ({tool.title})"
    counts = labels_by_question(export, wanted)
    if not counts:
        raise nothing(export, name)
    asked = one_question(counts, export, question, name, source)
    answers = [a for a in export.answers if a.question in (asked, "")]
    kept = [a for a in answers if (a.why is None or a.why in wanted) and a.question]
    dropped = Counter(a.why for a in answers if a.why is not None and a.why not in wanted)
    sets = asked in export.sets or any(isinstance(a.label, list) and len(a.label) > 1 for a in kept)
    made, roles = table(kept, export, asked, sets, source)
    notes = list(said(export, tool, asked, kept, counts))
    could = {a.why for a in answers if a.why in dropped and a.label is not None}
    if could:
        words = ",".join(sorted(map(str, could)))
        notes.append(Note("rows_excluded", {"keep": words}))
    return Chosen(made, *roles, sets, {str(k): n for k, n in sorted(dropped.items())}, tuple(notes))


def labels_by_question(export: Export, wanted: frozenset[str]) -> dict[str, int]:
    """How many labels each question has, in the order in which questions first occur."""
    found: dict[str, int] = defaultdict(int)
    for a in export.answers:
        if a.question and (a.why is None or a.why in wanted) and (a.label is not None):
            found[a.question] += 1
    return dict(found)


def one_question(counts: Mapping[str, int], export: Export, question: str | None, name: str, source: str) -> str:
    """The requested question, or the only one; otherwise an error that lists them."""
    there = ", ".join(
        f"{brief(q)} ({n:,} label{'' if n == 1 else 's'}{', free text' if q in export.free_text else ''})"
        for q, n in list(counts.items())[:40]
    )
    there += f" and {len(counts) - 40} more" if len(counts) > 40 else ""
    if question is not None:
        asked = question.lower()
        same = [q for q in counts if q == question] or [q for q in counts if q.lower() == asked]
        same = same or [q for q in counts if q.lower().split("/")[0] == asked]  # of "tone/v1/score", the name
        if len(same) != 1:
            raise NoSuchQuestion(f"{name}: no question {question!r} with labels. There is {there}.")
        return same[0]
    if len(counts) == 1:
        return next(iter(counts))
    first = next((q for q in counts if q not in export.free_text), next(iter(counts)))
    files = "FILE ..." if SEVERAL.search(source) else source
    raise SeveralQuestions(
        f"{name} contains {len(counts)} questions: {there}.",
        either(
            f"Choose one: raters.read(..., question={first!r}); raters.report answers for all of them.",
            f"Choose one: `raters agree {files} --question {shell(first)}`; `raters report {files}` answers for all of"
            " them.",
        ),
        first,
        counts,
    )


def shell(word: str) -> str:
    """A word quoted for the shell."""
    import shlex

    return shlex.quote(word)


def nothing(export: Export, name: str) -> DataError:
    """An error if no question has a label."""
    out = Counter(a.why for a in export.answers if a.why is not None)
    left = "; ".join(f"{n:,} {why} ({REASONS[str(why)]})" for why, n in sorted(out.items(), key=str))
    if export.spans and not out:
        what = "1 annotation in it marks" if export.spans == 1 else f"{export.spans:,} annotations in it mark"
        return DataError(f"{name}: {what} {SPANS_REFUSED}")
    if out:
        also = f", and {export.spans:,} that mark places or relations" if export.spans else ""
        could = ",".join(sorted({str(a.why) for a in export.answers if a.why is not None and a.label is not None}))
        hint = f" Pass keep={could!r} to include them." if could else ""
        return DataError(f"{name}: all labels were excluded: {left}{also}.{hint}")
    return DataError(
        f"{name}: no labels were found. Check that the annotations were submitted and that this export includes them."
    )


def table(
    kept: Sequence[Answer], export: Export, question: str, sets: bool, source: str
) -> tuple[Table, tuple[str, str, str]]:
    """Columns of items, raters and labels under the tool's own names, and the other columns."""
    item, rater = export.columns.get("item", "item"), export.columns.get("rater", "rater")
    label = question if question not in (item, rater) else f"{question} (label)"
    names = dict.fromkeys(name for a in kept for name in a.more if name not in (item, rater, label))
    columns: dict[str, Any] = {
        item: [identity(a.item) for a in kept],
        rater: [identity(a.rater) for a in kept],
        label: [labels(a.label) if sets else single(a.label) for a in kept],
    }
    for name in list(names)[:MANY]:
        columns[name] = [a.more.get(name) for a in kept]
    made = from_texts(columns, source) if export.from_text and not sets else from_columns(columns, source)
    return made, (item, rater, label)


def from_texts(columns: Mapping[str, Sequence[Any]], source: str) -> Table:
    """Columns of text as in a text file: numbers count as numbers if a whole column consists of them."""
    names = unique_names(columns, source)
    connection = connect()
    places = positions(len(names))
    connection.register("incoming", {c: texts(v) for c, v in zip(places, columns.values(), strict=True)})
    casts = ", ".join(f"CAST({c} AS VARCHAR) AS {c}" for c in places)  # an empty column has no type of its own
    connection.execute(f"CREATE TEMP TABLE source AS SELECT {casts} FROM incoming")
    connection.unregister("incoming")
    return Table(DuckDBEngine.from_loaded(connection), names, source, from_text=True)


def identity(value: Any) -> Any:
    """An item or rater as one value of a column."""
    return value if value is None or isinstance(value, str | int) else str(value)


def single(label: Any) -> Any:
    """A list of one label is that label."""
    return (label[0] if label else None) if isinstance(label, list) else label


def labels(label: Any) -> Any:
    """One label is a list of one."""
    return label if isinstance(label, list) or label is None else [label]


def said(
    export: Export, tool: Tool, question: str, kept: Sequence[Answer], counts: Mapping[str, int]
) -> Iterable[Note]:
    """The notes about how an export was read."""
    yield Note("export" if tool.verified else "export_by_documentation", {"tool": tool.title})
    if len(counts) > 1:
        others = [q for q in counts if q != question]
        yield Note("question_of_several", {"question": question, "n": len(counts), "others": others})
    if question in export.free_text:
        yield Note("free_text")
    yield from export.notes
    if export.spans:
        yield Note("spans_skipped", {"n": export.spans})
    shared: dict[Any, set[Any]] = defaultdict(set)
    for a in kept:
        shared[a.item].add(a.rater)
    several, raters = sum(len(v) > 1 for v in shared.values()), {a.rater for a in kept}
    if len(raters) > 1 and 10 * several < len(shared):
        yield Note(
            "too_few_items_shared" if several < 10 else "few_items_shared", {"shared": several, "n": len(shared)}
        )
