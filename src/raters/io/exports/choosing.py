"""From what a tool exported to a table: one question, the rows that count, and notes about the rest."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raters.engines import DuckDBEngine
from raters.engines.duckdb import connect
from raters.errors import SPANS_REFUSED, DataError, UsageError, brief, listed
from raters.io.exports.answers import REASONS, Answer, Export, Tool
from raters.io.questions import NoSuchQuestion, SeveralQuestions
from raters.io.sources.rows import from_columns
from raters.io.sources.values import texts
from raters.io.table import Table, positions, unique_names

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
    notes: tuple[str, ...]


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
        notes.append(f"to include rows that are excluded for a reason, pass keep={words!r} (--keep {words})")
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
        same = [q for q in counts if q == question] or [q for q in counts if q.lower() == question.lower()]
        if len(same) != 1:
            raise NoSuchQuestion(f"{name}: no question {question!r} with labels. There is {there}.")
        return same[0]
    if len(counts) == 1:
        return next(iter(counts))
    first = next((q for q in counts if q not in export.free_text), next(iter(counts)))
    raise SeveralQuestions(
        f"{name} contains {len(counts)} questions: {there}.",
        f"Choose one: question={first!r} in any function that takes a table, or "
        f"`raters agree {source} --question {shell(first)}`; `raters report {source}` answers for all of them.",
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
        what = "1 annotation in it is one of" if export.spans == 1 else f"{export.spans:,} annotations in it are"
        return DataError(f"{name}: {what} {SPANS_REFUSED}")
    if out:
        also = f", and {export.spans:,} spans, boxes or relations" if export.spans else ""
        could = ",".join(sorted({str(a.why) for a in export.answers if a.why is not None and a.label is not None}))
        hint = f" Pass keep={could!r} (--keep {could} on the command line) to include them." if could else ""
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


def said(export: Export, tool: Tool, question: str, kept: Sequence[Answer], counts: Mapping[str, int]) -> Iterable[str]:
    """The notes about how an export was read."""
    yield f"read as an export of {tool.title}{'' if tool.verified else ', by its documentation alone'}"
    if len(counts) > 1:
        yield f"question {question!r} of {len(counts)}; the others are {listed([q for q in counts if q != question])}"
    if question in export.free_text:
        yield "the answers are free text, so two raters agree only if they wrote exactly the same; agreement is of little use here"
    yield from export.notes
    if export.spans:
        yield f"{export.spans:,} spans, regions or relations were skipped; agreement compares labels of whole items"
    shared: dict[Any, set[Any]] = defaultdict(set)
    for a in kept:
        shared[a.item].add(a.rater)
    several, raters = sum(len(v) > 1 for v in shared.values()), {a.rater for a in kept}
    if len(raters) > 1 and 10 * several < len(shared):
        yield (
            f"only {several:,} of {len(shared):,} items have labels of two or more raters: "
            + (
                "too few to conclude anything about agreement on the others"
                if several < 10
                else "agreement is known only for these"
            )
        )
