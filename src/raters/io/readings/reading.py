"""A way to read a table, as a value: the role of every column, what speaks for it, and the options that choose it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from raters.errors import NoColumn, listed
from raters.io.layouts.nested import Cells
from raters.io.readings.candidates import SHEET, Candidate, Variable
from raters.io.readings.evidence import Evidence
from raters.io.readings.grids import Grid
from raters.io.table import ROLES, Table, best, one_of
from raters.notes.note import Note

ROWS: Any = False
"""As the item: each row is one."""


@dataclass(frozen=True)
class Roles:
    """What the columns of a table are, for one question; everything that is needed to read it."""

    layout: str  # long wide counts patterns cells contingency marks
    item: Any = None
    rater: Any = None
    label: Any = None
    raters: str = "columns"
    count: str | None = None
    """For patterns: the column that states how often each occurs."""
    said: tuple[Note, ...] = ()
    """What was recognised, for the first line; empty if names alone determined it."""
    cells: Cells | None = None
    """For labels of several raters in a cell: where they are."""
    called: tuple[tuple[str, str], ...] = ()
    """Columns whose raters have a different name."""
    only: tuple[str, str] | None = None
    """The column of questions, and the question that is read."""
    marks: Grid | None = None
    """Columns of marks, raters first and labels second."""
    question: str | None = None
    joined: tuple[str, ...] = ()
    """Columns that name the rows only together; ``item`` is the name of both."""
    in_turn: str | None = None
    """The rater, where items are distinguished by their place among the rater's rows."""
    aside: tuple[str, ...] = ()
    """Columns of other questions: neither labels here nor attributes of items."""


@dataclass(frozen=True)
class Reading:
    """One way to read a table: its layout, the roles of its columns, and the reasons."""

    layout: str
    item: tuple[str, ...]
    rater: str | None
    """The column that names raters, if one does."""
    raters: tuple[str, ...]
    """The names of raters, where columns name them."""
    questions: tuple[str, ...]
    """The variables; one without a name if there is only one."""
    n_items: int
    n_raters: int
    n_labels: int
    evidence: tuple[Evidence, ...]
    options: Mapping[str, Any]
    """What ``read`` has to be told to read the table so."""
    likely: bool = False
    unused: tuple[str, ...] = ()
    """Columns that might be labels, and are not read."""
    candidate: Candidate | None = field(default=None, compare=False, repr=False)

    @property
    def points(self) -> float:
        """The weight of all evidence."""
        return sum(e.points for e in self.evidence)

    def __str__(self) -> str:
        return f"{self.what()}: {self.counts()}"

    def what(self) -> str:
        """The layout and the roles in words."""
        c = self.candidate
        several = f"; questions {listed(self.questions, 5)}" if len(self.questions) > 1 else ""
        item = f"items in {' and '.join(map(repr, self.item))}" if self.item and not (c and c.rows) else "an item a row"
        if self.layout == "long":
            who = f"raters in {self.rater!r}" if self.rater else "raters without names"
            of = f", labels in {self.questions[0]!r}" if len(self.questions) == 1 and self.questions[0] else ""
            return f"one row per annotation: {item}, {who}{of}{several}"
        if c is not None and c.rows:
            return f"raters in rows, named by {self.rater!r}; items in columns {listed(self.item, 3)}"
        if self.layout == "counts":
            return f"counts of the labels {listed(self.raters, 5)}; {item}"
        if self.layout == "cells":
            return f"labels of several raters in the cells of {self.options.get('label')!r}; {item}"
        if self.layout == "contingency":
            return "a square table of two raters"
        return f"one column per rater: {listed(self.raters, 5)}; {item}{several}"

    def counts(self) -> str:
        """How much there would be to compare."""
        who = f"{self.n_raters:,} raters, " if self.n_raters else ""
        return f"{self.n_items:,} items, {who}{self.n_labels:,} labels" + (" each" if len(self.questions) > 1 else "")

    def reasons(self) -> str:
        """What speaks most for it, and against it."""
        ranked = sorted(self.evidence, key=lambda e: -e.points)
        best = [e.reason for e in ranked if e.points > 0][:3]
        worst = [e.reason for e in reversed(ranked) if e.points <= -1][:2]
        return "; ".join([*best, *(["but " + "; ".join(worst)] if worst else [])])

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "layout": self.layout,
            "likely": self.likely,
            "points": round(self.points, 2),
            "item": list(self.item),
            "rater": self.rater,
            "raters": list(self.raters)[:50],
            "questions": list(self.questions),
            "n_items": self.n_items,
            "n_raters": self.n_raters,
            "n_labels": self.n_labels,
            "unused": list(self.unused),
            "evidence": [e.to_dict() for e in self.evidence],
            "options": {k: list(v) if isinstance(v, tuple) else v for k, v in self.options.items()},
            "command": typed_options(self.options),
        }

    def chosen(self, question: str | None, source: str) -> Roles:
        """The roles for one question; an error that lists them if there are several and none is named."""
        assert self.candidate is not None
        return roles(self.candidate, self, question, source)


def roles(c: Candidate, r: Reading, question: str | None, source: str) -> Roles:
    """What is needed to read a candidate."""
    v = variable(c, question, source)
    item: Any = " / ".join(r.item) if len(r.item) > 1 else r.item[0] if r.item else ROWS
    key = None if item is ROWS else item
    if c.rows:
        return Roles("wide", [p.name for p in c.items], r.rater, raters="rows", said=said_of_rows(c))
    if c.cells is not None:
        said = said_of_cells(c.cells)
        return Roles("cells", key, c.cells.rater, c.cells.label, said=said, cells=c.cells, question=question)
    if c.layout == "marks" and c.marks is not None:
        return Roles("marks", key, said=(said_of_marks(c.marks),), marks=c.marks)
    return SIMPLE.get(c.layout, of_columns)(c, r, v, item)


def of_rows(c: Candidate, r: Reading, v: Variable, item: Any) -> Roles:
    """A row per annotation."""
    only = (c.question.name, v.value) if c.question is not None and v.value is not None else None
    return Roles(
        "long", item, r.rater, v.columns[0].name, said=said_of_long(c, v, only), only=only,
        joined=r.item if len(r.item) > 1 else (), in_turn=r.rater if c.in_turn else None,
        question=v.name if only is None and len(c.variables) > 1 else None,
    )  # fmt: skip


def of_counts(c: Candidate, r: Reading, v: Variable, item: Any) -> Roles:
    names = [p.name for p in v.columns]
    return Roles("counts", item, names, said=(Note("counts_of_labels", {"labels": names, "columns": names}),))


def of_patterns(c: Candidate, r: Reading, v: Variable, item: Any) -> Roles:
    """Patterns of labels, and how often each occurs."""
    assert c.count is not None
    names = [p.name for p in v.columns]
    said = Note("counted_rows", {"column": c.count.name}), *said_of_wide(c, names)
    return Roles("patterns", ROWS, names, count=c.count.name, said=said)


def of_columns(c: Candidate, r: Reading, v: Variable, item: Any) -> Roles:
    """A column for each rater, of one variable or of several."""
    names = [p.name for p in v.columns]
    if c.question is not None and v.value is not None:  # a sheet, or rows, for each question
        only = (c.question.name, v.value)
        said = Note("rows_of_value", {"question": only[1], "column": only[0]}), *said_of_wide(c, names)
        return Roles("wide", item, names, said=said, only=only, aside=(only[0],))
    called = tuple((p, who) for p, who in zip(names, v.called, strict=False) if p != who)
    joined = r.item if len(r.item) > 1 else ()
    if len(c.variables) == 1:
        return Roles("wide", item, names, called=called, said=said_of_wide(c, names), joined=joined)
    said_ = (Note("question_per_rater", {"names": names, "raters": list(v.called)}),)
    others = tuple(p.name for w in c.variables if w is not v for p in w.columns)
    return Roles("wide", item, names, called=called, said=said_, question=v.name, joined=joined, aside=others)


SIMPLE: Mapping[str, Callable[[Candidate, Reading, Variable, Any], Roles]] = {
    "long": of_rows,
    "contingency": lambda c, r, v, item: Roles("contingency", said=(Note("square_table"),)),
    "counts": of_counts,
    "patterns": of_patterns,
}


def said_of_marks(grid: Grid) -> Note:
    some = [p.name for p in grid.column(grid.second[0])]
    return Note("marks_per_rater", {"raters": list(grid.first), "labels": list(grid.second), "names": some})


def variable(c: Candidate, question: str | None, source: str) -> Variable:
    """The variable that is asked for, or the only one."""
    if c.layout == "cells" or (len(c.variables) == 1 and (question is None or not c.variables[0].name)):
        return c.variables[0]
    counts = {v.name: labels_of(c, v) for v in c.variables}
    how = "each in a column" if c.layout == "long" else "each in columns of its own for every rater"
    how = f"in column {c.question.name!r}" if c.question is not None else how
    name = one_of(counts, question, source, how)
    return next(v for v in c.variables if v.name == name)


def labels_of(c: Candidate, v: Variable) -> int:
    """How many labels a variable has, in the rows that were inspected."""
    if v.value is not None and c.question is not None:
        code = c.question.written.index(v.value)
        return int(((c.question.codes == code) & (v.columns[0].codes >= 0)).sum())
    return sum(p.filled for p in v.columns)


def said_of_wide(c: Candidate, names: Sequence[str]) -> tuple[Note, ...]:
    """What was recognised where each rater has a column."""
    keys = [p.name for p in c.items]
    if len(keys) > 1:
        rows = Note("items_named_together", {"first": keys[0], "second": keys[1]})
    else:
        rows = Note("items_named_by", {"column": keys[0]}) if keys else Note("one_item_a_row")
    aside = [p.name for p in c.left]
    others = [Note("not_raters", {"columns": aside})] if aside else []
    how = Note("to_read_other_columns", {"names": list(names[:2])})
    return Note("column_per_rater", {"raters": list(names)}), rows, *others, how


def said_of_rows(c: Candidate) -> tuple[Note, ...]:
    assert c.rater is not None
    names = [p.name for p in c.items]
    aside = [p.name for p in c.left]
    columns = [p.name for p in c.facts.columns]
    return (
        Note("raters_in_rows", {"column": c.rater.name, "n": len(names), "columns": names}),
        *([Note("not_items", {"columns": aside})] if aside else []),
        Note("to_read_as_raters", {"columns": argument(names, columns)}),
    )


def said_of_long(c: Candidate, v: Variable, only: tuple[str, str] | None) -> tuple[Note, ...]:
    """What was recognised in a long table, and the columns that look like labels and are not read."""
    from raters.io.readings.names import named

    found = [Note("rows_of_value", {"question": only[1], "column": only[0]})] if only else []
    label = v.columns[0].name
    if len(c.variables) > 1 and only is None:
        found.append(Note("labels_from", {"column": label}))
    sure = c.rater is not None and named(c.rater.name, "rater") > 0 and all(named(p.name, "item") for p in c.items)
    if not (sure and (named(label, "label") or found)) and c.rater is not None:
        found.append(
            Note("row_per_annotation", {"item": ",".join(p.name for p in c.items), "who": c.rater.name, "label": label})
        )
    if c.rater is not None and c.rater.name == SHEET:
        found.append(Note("sheets_are_raters", {"raters": list(c.rater.written)}))
    if c.rater is None:
        found.append(Note("rows_without_raters", {"item": c.items[0].name}))
    if c.in_turn and c.rater is not None:
        found.append(Note("items_in_turn", {"item": c.items[0].name}))
    left = unused(c)
    if left:
        found.append(Note("not_used", {"columns": left}))
    return tuple(found)


def unused(c: Candidate) -> list[str]:
    """The columns that might be labels, and are not read."""
    if c.layout != "long":
        return []
    keys = tuple(c.items)
    upper = {p.name.partition(" | ")[0] for p in c.labels if " | " in p.name}
    beside = [p.name for p in c.facts.columns if p.column not in c.used and p.name.partition(" | ")[0] in upper]
    return beside or [
        p.name
        for p in c.left
        if p.label_like
        and p.distinct > 1
        and not (c.facts.determines(keys, p) or (c.rater and c.facts.determines((c.rater,), p)))
    ]


def said_of_cells(cells: Cells) -> tuple[Note, ...]:
    """Cells that hold the labels of several raters."""
    about = {"column": cells.label}
    if cells.counted:
        return (Note("counts_in_cells", {"column": cells.label, "labels": list(cells.who)}),)
    if not cells.named:
        who = Note("raters_without_names", about)
    elif cells.rater is not None:
        who = Note("raters_in_column", about | {"other": cells.rater})
    else:
        who = Note("raters_in_cells", about | {"raters": list(cells.who)})
    return who, Note("to_read_as_sets", about)


def pasted(names: Iterable[str], columns: Sequence[str] = ()) -> str:
    """Names of columns as one argument of the command line.

    >>> pasted(["a", "b c"])
    "'a,b c'"
    """
    found = argument(names, columns)
    return shlex.quote(found if isinstance(found, str) else ",".join(found))


def argument(names: Iterable[str], columns: Sequence[str] = ()) -> str | list[str]:
    """Names of columns as an argument; a long run of the table's columns as a range.

    >>> argument(["a", "b"]), argument(["q1", "q2", "q3", "q4", "q5"], ["id", "q1", "q2", "q3", "q4", "q5"])
    (['a', 'b'], 'q1:q5')
    """
    found, there = list(names), list(columns)
    ends = [there.index(name) for name in (found[0], found[-1])] if len(found) > 4 and {*found} <= {*there} else []
    if ends and there[ends[0] : ends[1] + 1] == found and not any(mark in name for name in found for mark in ":,-"):
        return f"{found[0]}:{found[-1]}"
    return found


def typed_options(options: Mapping[str, Any]) -> str:
    """Options as one types them."""
    other = {"raters": "--raters-as"}
    parts = []
    for name, value in options.items():
        text = quoted_names(value) if isinstance(value, list | tuple) else str(value)
        parts.append(f"{other.get(name, '--' + name)} {shlex.quote(text)}")
    return " ".join(parts)


def quoted_names(names: Iterable[str]) -> str:
    """Names separated by commas, as in CSV: a name with a comma in quotes."""
    return ",".join(f'"{n}"' if "," in n or '"' in n else n for n in names)


class InDoubt(NoColumn):
    """A table that can be read in several ways that give other figures, or in none that is sure."""

    def __init__(self, table: Table, readings: Sequence[Reading], asked: bool) -> None:
        lacking = [role for role in ROLES if not best(table.names, role)]
        role = lacking[0] if lacking and not asked else ""
        super().__init__(role, doubt(table, readings, asked, called))
        self.readings = tuple(readings)
        self.asked = asked
        """Whether one of the readings may be meant; otherwise the first is only the nearest."""
        self.table = table
        self.as_json = False
        """Whether a command was asked for JSON, and gives the readings so."""

    def typed(self) -> str:
        """The message with options as one types them."""
        return doubt(self.table, self.readings, self.asked, typed_options)

    def chosen(self, reading: Reading) -> Table:
        """The table, to be read in this way."""
        return replace(self.table, reading=reading)


def doubt(table: Table, shown: Sequence[Reading], asked: bool, written: Callable[[Mapping[str, Any]], str]) -> str:
    """The readings, their counts and reasons, and what to pass for each; or that there is none."""
    if not asked:
        return refusal(table, shown, written)
    n = len(shown)
    first = (
        f"{table.source} can be read in {n} ways that give other figures. Nothing was computed. Pass the options of the"
        " one that is meant:"
        if n > 1
        else f"{table.source} may be read as follows, but neither names nor values make it certain. Nothing was"
        " computed. If it is meant, pass its options:"
    )
    lines = [first]
    for i, r in enumerate(shown, 1):
        how = written(r.options) if r.options else "no options choose it"
        lines += [f"  {i}. {r}{' (likely)' if r.likely else ''}", f"     {r.reasons()}", f"     {how}"]
    return "\n".join(lines)


def called(options: Mapping[str, Any]) -> str:
    """The call that reads a table so."""
    return f"raters.read(..., {', '.join(f'{k}={v!r}' for k, v in options.items())})"


def refusal(table: Table, nearest: Sequence[Reading], written: Callable[[Mapping[str, Any]], str]) -> str:
    """A table that holds no labels by several raters, as far as can be seen."""
    columns = written({"item": "COLUMN", "rater": "COLUMN", "label": "COLUMN"})
    raters = written({"rater": ["COLUMN", "COLUMN"]})
    lacking = [role for role in ROLES if not best(table.names, role)]
    why = f": no column looks like the {lacking[0]}" if lacking else ""
    near = [f"  {r}\n     {r.reasons()}\n     {written(r.options)}" for r in nearest if r.options]
    return "\n".join(
        [
            f"{table.source}: this does not look like a table of labels by several raters{why}. If it is one, name its"
            f" columns: {columns}, or the columns of the raters: {raters}; columns found: {listed(table.names, 30)}.",
            *(
                f"Column {name!r} holds spans within objects: write a row for each span, with columns document, rater,"
                " start, end and label."
                for name in table.names
                if _of_spans(table, name)
            ),
            *(["The nearest readings, none of them likely:", *near] if near else []),
        ]
    )


def _of_spans(table: Table, name: str) -> bool:
    """Whether cells are objects with a start and an end."""
    cell = f"CAST({table.column(name)} AS STRING)"
    both = " AND ".join(f"{cell} LIKE '%\"{key}\"%'" for key in ("start", "end"))
    got = table.engine.query(f"SELECT count(*) AS n FROM annotations WHERE {both}")
    return int(got["n"][0]) > 0
