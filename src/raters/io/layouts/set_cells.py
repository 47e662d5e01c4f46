"""The set of labels in one cell: a list, JSON, text with a separator, marks in one-hot columns."""

import ast
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from raters.errors import DataError, UsageError, brief, listed
from raters.io.labels.numbers import as_numbers
from raters.io.labels.spelling import same_label
from raters.io.layouts.wide import Long, identity
from raters.io.sources.rows import missing, written
from raters.io.table import Table, find, rank
from raters.notes.note import Note

_JOINED = re.compile(r"""['"]\s+['"]""")
"""Lists of text as numpy prints them: Python would read 'a' 'b' as 'ab'."""
_WRAPPED = re.compile(r"^(?:frozenset|set)\((.*)\)$", re.DOTALL)


@dataclass(frozen=True)
class SetOptions:
    """The options of reading sets."""

    item: Any
    rater: Any
    label: Any
    labels: Sequence[Any] | None
    layout: str
    raters: str
    missing: Sequence[Any]
    duplicates: str
    sep: str | None
    multi: str | None
    ordered: bool


@dataclass(frozen=True)
class Form:
    """How sets are written in a source, and how one cell is read."""

    note: Note
    """How the sets were written, for the summary."""
    read: Callable[[str], Sequence[Any]]
    """From a cell to its labels; ValueError with the reason if the cell is not a set."""
    parses: bool = False
    """Whether labels are text that counts as numbers if all of them are numbers: those of a file, or of a column of
    numbers.
    """


def one_of_json(cell: str) -> Sequence[Any]:
    """A JSON list, or a single label."""
    value = json.loads(cell)
    return checked(value if isinstance(value, list) else [value])


def one_of_text(cell: str) -> Sequence[Any]:
    """A list in JSON or Python syntax.

    >>> one_of_text('["a", "b"]'), one_of_text("('a',)"), one_of_text("set()")
    (['a', 'b'], ['a'], [])
    """
    text = cell.strip()
    try:
        value = json.loads(text)
    except ValueError:
        value = _python(text)
    if not isinstance(value, list | tuple | set | frozenset):
        raise ValueError("not a list")
    return checked(sorted(value, key=str) if isinstance(value, set | frozenset) else list(value))


def _python(text: str) -> Any:
    wrapped = _WRAPPED.match(text)
    if wrapped is not None:
        text = wrapped.group(1).strip() or "()"
    if _JOINED.search(text):
        raise ValueError("no commas between labels")
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise ValueError("neither JSON nor a Python list") from None


def checked(labels: list[Any]) -> list[Any]:
    """Labels are single values."""
    for label in labels:
        if missing(label):
            raise ValueError("a missing label inside a set")
        if isinstance(label, list | tuple | dict | set):
            raise ValueError("it contains an object or a list; spans and relations are not supported")
    return [same_label(label) for label in labels]


def looks_like_list(cell: str) -> bool:
    """Whether text is a list in JSON or Python syntax, judged by its first and last character.

    >>> looks_like_list(' ["a"] '), looks_like_list("set()"), looks_like_list("a;b")
    (True, True, False)
    """
    text = cell.strip()
    return (text[:1], text[-1:]) in (("[", "]"), ("(", ")"), ("{", "}")) or _WRAPPED.match(text) is not None


def separated(sep: str, parses: bool = False) -> Form:
    """Labels separated by a character; the separator alone is an empty set.

    >>> list(separated(";").read("a; b")), list(separated(";").read(";"))
    (['a', 'b'], [])
    """
    note = Note("sets_separated", {"sep": sep})
    return Form(note, lambda cell: [x for p in cell.split(sep) if (x := same_label(p))], parses)


def single(parses: bool = False) -> Form:
    """One label in each cell."""
    return Form(Note("sets_of_one"), lambda cell: [same_label(cell)], parses)


def coded(names: Sequence[Any], parses: bool, base: int = 0) -> Form:
    """Lists of positions in ``names``; with ``base``, each position has its rank in the set in front."""

    def read(cell: str) -> Sequence[Any]:
        return [names[int(x) % base if base else int(x)] for x in json.loads(cell)]

    return Form(Note("sets_from_rows"), read, parses)


def marked(names: Sequence[str], note: Note) -> Form:
    """One mark, 0 or 1, for each of ``names``."""
    return Form(note, lambda cell: [name for name, mark in zip(names, cell, strict=True) if mark == "1"])


def members_of(found: Sequence[Any], parses: bool) -> dict[str, Any]:
    """Labels as text -> labels as presented, in order: numbers by value if all are numbers, text by code point.

    >>> members_of([10, 9], False), members_of(["10", "9"], True), members_of(["b", "a"], True)
    ({'9': 9, '10': 10}, {'9': 9, '10': 10}, {'a': 'a', 'b': 'b'})
    """
    numbers = as_numbers(found) if parses or not any(isinstance(v, str) for v in found) else None
    if numbers is None:
        return {text: text for text in sorted({written(v) for v in found})}
    whole = all(float(n).is_integer() for n in numbers)
    shown = {written(v): int(n) if whole else n for v, n in zip(found, numbers, strict=True)}
    return dict(sorted(shown.items(), key=lambda pair: pair[1]))


PREFIX = "label_"
BLANK = "('', 'nan', 'null', 'none')"


def one_hot(table: Table, asked: SetOptions) -> list[str]:
    """Names of one-hot columns: those that match ``label="topic_*"``, or else ``label_*`` if no column is the label."""
    if asked.layout != "long" or asked.sep is not None:
        return []
    if isinstance(asked.label, str) and asked.label.endswith("*") and asked.label not in table.names:
        start = asked.label[:-1]
        found = [n for n in table.names if n.startswith(start) and len(n) > len(start)]
        if not found:
            raise UsageError(
                f"{table.source}: no column starts with {start!r}; columns found: {listed(table.names, 30)}."
            )
        return found
    if asked.label is not None or any(rank(n, "label") == 0 for n in table.names):
        return []
    found = [n for n in table.names if n.lower().startswith(PREFIX) and len(n) > len(PREFIX)]
    return found if len(found) > 1 else []


def from_one_hot(table: Table, asked: SetOptions, hot: list[str]) -> tuple[Long, Form]:
    """A column of 0 and 1 for each label. All cells empty: the annotation is missing; all 0: the empty set."""
    columns = [table.column(name) for name in hot]
    check_marks(table, columns)
    start = len(asked.label) - 1 if asked.label else len(PREFIX)
    names = [name[start:] for name in hot]
    roles = find([n for n in table.names if n not in hot], {"item": asked.item, "rater": asked.rater}, table.source)
    at = {role: table.column(name) for role, name in roles.items()}
    others = {c: n for c, n in table.named().items() if n not in roles.values() and n not in hot}
    marks = ", ".join(f"CASE WHEN {mark(c)} IN ('1', '1.0', 'true') THEN '1' ELSE '0' END" for c in columns)
    empty = " AND ".join(f"{mark(c)} IN {BLANK}" for c in columns)
    ids = ", ".join(f"{identity(table, at[role])} AS {role}" for role in ("item", "rater"))
    tail = "".join(f", {c}" for c in others)
    engine = table.engine.derive(
        f"SELECT row, {ids}, CASE WHEN NOT ({empty}) THEN concat({marks}) END AS label{tail} FROM annotations"
    )
    return Long(engine, "text", roles, others, table.source), marked(names, Note("sets_one_hot", {"columns": hot}))


def mark(column: str) -> str:
    """SQL for a cell of a one-hot column as plain text."""
    return f"coalesce(lower(trim(CAST({column} AS STRING))), '')"


def check_marks(table: Table, columns: Sequence[str]) -> None:
    """One-hot cells are 0, 1, true, false, or empty."""
    fine = "('0', '0.0', 'false', '1', '1.0', 'true', '', 'nan', 'null', 'none')"
    first = ", ".join(f"min(CASE WHEN {mark(c)} NOT IN {fine} THEN row END) AS {c}" for c in columns)
    found = table.engine.query(f"SELECT {first} FROM annotations")
    for c in columns:
        row = found[c][0]
        if row is not None and row == row:
            value = table.engine.query(f"SELECT CAST({c} AS STRING) AS v FROM annotations WHERE row = {int(row)}")["v"][
                0
            ]
            raise DataError(
                f"{table.source}: row {int(row)}, column {table.name(c)!r} is {brief(value)}; a one-hot column has 0"
                " and 1. Name the label column: raters.read(..., label='COLUMN'), or label='prefix_*' for one-hot columns."
            )
