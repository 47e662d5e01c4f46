"""Recognise the layout of a table from the names and values of its columns; guesses are checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import Any

from raters.errors import UsageError, listed
from raters.io.layouts.nested import Cells, label_cells, listed_in, said_in
from raters.io.readings.by_question import by_question
from raters.io.readings.computed import without_computed
from raters.io.readings.long_tables import asked_in_rows, by_pairs, may_hold_several, named_twice
from raters.io.readings.profiles import COUNTED, SAMPLE, Profile, profiles, words
from raters.io.readings.reading import Reading, alike, pasted, wide_said, with_constant
from raters.io.readings.surveys import transposed
from raters.io.table import NoSuchQuestion, Table, best, find, long_by_name, normal, rank
from raters.notes.note import Note

CONSTANT = 0.95
"""At least this share of the rows of a count table must have the same sum."""
MANY = 8
"""In this many rows, the labels of raters do not have the same sum by chance."""


def recognise(table: Table, item: Any, rater: Any, label: Any, question: str | None = None) -> Reading:
    """The layout of a table, from what was given and what the columns hold.

    Names that identify item, rater and label make a long table. Otherwise columns that share their labels are raters,
    each the column of one; a column whose labels nobody else uses, that is nearly all distinct or constant, is an id or
    an attribute, and one with a derived name (mean, majority, gold) is not a rater.
    """
    if isinstance(rater, list | tuple):
        return Reading("wide", item, list(rater), said=wide_said([str(r) for r in rater], item, ()))
    try:
        roles = find(table.names, {"item": item, "rater": rater, "label": label}, table.source)
    except UsageError as error:
        untold = error
    else:
        return told_by_names(table, roles, rater, label, question)
    asked = None if rater is not None or question is not None else as_question(table, item, label)
    if asked is not None:
        return asked
    if rater is not None or label is not None:
        raise untold
    found, rows = profiles(table)
    if long_by_name(table.names, item) and label_cells(found, rows) is None:
        raise untold
    return Case(table, found, rows, item, question).reading(untold)


def told_by_names(table: Table, roles: dict[str, str], rater: Any, label: Any, question: str | None) -> Reading:
    """A long table, whose columns of items, raters and labels are known; cells may hold the labels of several
    raters.
    """
    if label is None and rater is None and may_hold_several(table, roles):
        found, rows = profiles(table)
        cells = label_cells(found, rows)
        beside = cells is not None and cells.rater is None and cells.named and rank(roles["rater"], "rater") is not None
        if cells is not None and beside and not lists_keys(table, rows, cells.label, roles["rater"]):
            raise answers_in_a_cell(table.source, roles)
        if cells is not None:
            return several_in_a_cell(roles["item"], cells, question)
    only = asked_in_rows(table, roles, question) if label is None or question is not None else None
    said = (Note("rows_of_value", {"question": only[1], "column": only[0]}),) if only else ()
    return Reading("long", roles["item"], roles["rater"], roles["label"], only=only, said=said)


def lists_keys(table: Table, rows: Sequence[Mapping[str, Any]], label: str, rater: str) -> bool:
    """Whether a column only lists the raters who are the keys of the objects beside it, as in LeWiDi's files."""
    for row in rows:
        keys = {str(who) for who, _, _ in said_in(row[table.column(label)]) or ()}
        cell = row[table.column(rater)]
        if not keys <= set(map(str, listed_in(cell) or [cell])):
            return False
    return True


def as_question(table: Table, item: Any, label: Any) -> Reading | None:
    """``label=`` that is not a column but a question, whose labels are in a column for each rater; None if it is
    neither.
    """
    if not isinstance(label, str) or label in table.names:
        return None
    found, rows = profiles(table)
    try:
        return by_question(Case(table, found, rows, item, label))
    except NoSuchQuestion:
        return None


def answers_in_a_cell(source: str, roles: dict[str, str]) -> UsageError:
    """An error for objects in cells next to a column of raters: their keys are questions, not raters."""
    return UsageError(
        f"{source}: column {roles['label']!r} holds objects with several answers each, and column {roles['rater']!r}"
        " names who gave them. Make a column for each answer and name one: raters.read(..., label='COLUMN'); or, if the keys are"
        f" the raters, leave {roles['rater']!r} out."
    )


def several_in_a_cell(item: str | None, cells: Cells, question: str | None) -> Reading:
    """Cells that hold the labels of several raters."""
    if cells.counted:
        said = (Note("counts_in_cells", {"column": cells.label, "labels": list(cells.who)}),)
        return Reading("cells", item, None, cells.label, said=said, cells=cells, question=question)
    about = {"column": cells.label}
    if not cells.named:
        who = Note("raters_without_names", about)
    elif cells.rater is not None:
        who = Note("raters_in_column", about | {"other": cells.rater})
    else:
        who = Note("raters_in_cells", about | {"raters": list(cells.who)})
    both = who, Note("to_read_as_sets", about)
    return Reading("cells", item, cells.rater, cells.label, said=both, cells=cells, question=question)


def rater_columns(table: Table, item: Any) -> Reading:
    """A table declared to be wide: which of its columns are raters."""
    found, rows = profiles(table)
    case = Case(table, found, rows, item)
    groups = case.groups()
    names = [p.name for p in groups[0]] if groups else []
    key = case.key(groups[0]) if groups else None
    others = [n for n in table.names if n not in names and n != key]
    if not groups:
        return Reading("wide", item)
    if not others:
        return Reading("wide", key, names)
    if len(groups) > 1 and not case.clearly(*groups[:2]):
        raise case.several(groups)
    return Reading("wide", key, names, said=wide_said(names, key, others))


@dataclass(frozen=True)
class Case:
    """A table whose names do not indicate a long layout."""

    table: Table
    columns: list[Profile]
    rows: list[dict[str, Any]]
    item: str | None
    question: str | None = None

    def reading(self, error: UsageError) -> Reading:
        cells = label_cells(self.columns, self.rows)
        if cells is not None:
            return several_in_a_cell(self.key(()), cells, self.question)
        for way in (square, transposed, named_twice, by_question):
            found = way(self)
            if found is not None:
                return found
        groups = self.groups()
        if not groups:
            return by_pairs(self, error)
        top = groups[0]
        if len(groups) > 1 and len(groups[1]) >= 2 and not self.clearly(top, groups[1]):
            raise self.several(groups)
        if self.adds_up(top) and (not self.people(top) or self.total_beside(top)):
            return self.counts(self.key(top), top)
        return self.wide(top)

    def wide(self, top: Sequence[Profile]) -> Reading:
        """One column per rater, or patterns with a count."""
        key, aside = self.key(top), [p.name for p in self.columns if p not in top and p.name != self.item]
        often = self.often(key, top)
        names = [p.name for p in top]
        both = self.together(top) if key is None and often is None else ()
        key = " / ".join(both) if both else key
        said = wide_said(names, both or key, [n for n in aside if n not in (key, often, *both)])
        if often:
            said = Note("counted_rows", {"column": often}), *said
        return Reading("patterns" if often else "wide", key, names, count=often, said=said, joined=both)

    def groups(self) -> list[list[Profile]]:
        """Columns that hold labels of one kind, the largest group first."""
        able = [p for p in self.columns if self.able(p)]
        made: list[list[Profile]] = []
        for p in able:
            home = next((g for g in made if all(alike(p, other) for other in g)), None)
            if home is None:
                made.append([p])
            else:
                home.append(p)
        made = with_constant(made, able)
        made = [without_computed(g, self.rows) for g in made]
        return sorted((g for g in made if len(g) >= 2), key=lambda g: (-len(g), -sum(p.like_a_person for p in g)))

    def able(self, p: Profile) -> bool:
        """Whether a column could hold the labels of a rater."""
        named = p.name == self.item or (rank(p.name, "item") is not None and (p.unique or p.distinct == p.filled))
        return not (
            named or p.derived or p.nested or self.counter(p) or p.filled == 0 or (p.unique and p.numbers is None)
        )

    def counter(self, p: Profile) -> bool:
        """Whether a column counts rows, by its name."""
        return "".join(words(p.name)) in COUNTED and p.whole

    def clearly(self, first: Sequence[Profile], second: Sequence[Profile]) -> bool:
        """Whether the first group is the raters by its names, and the second is not."""
        by_name = [sum(p.like_a_person for p in g) / len(g) for g in (first, second)]
        return by_name[0] == 1 and by_name[1] == 0

    def key(self, raters: Sequence[Profile]) -> str | None:
        """The column that identifies the rows: given, well named, or the only one with a distinct value in every
        row.
        """
        if self.item is not None:
            return self.item
        left = [p for p in self.columns if p not in raters and not p.derived and not self.counter(p)]
        own = [p.name for p in left if p.filled and p.distinct == p.filled == len(self.rows)]
        named = best([name for name in own if not name.startswith("Unnamed")], "item")
        return next(iter([*named, *own]), None)

    def together(self, raters: Sequence[Profile]) -> tuple[str, ...]:
        """Two columns of text that name the rows only together, such as the two words of a pair; none where another two
        do too.
        """
        left = [p for p in self.columns if p not in raters and not p.derived and not p.nested and p.numbers is None]
        full = [p for p in left if p.filled == len(self.rows)]
        found = [
            (p, q)
            for p, q in combinations(full, 2)
            if len({(row[p.column], row[q.column]) for row in self.rows}) == len(self.rows)
        ]
        names = tuple(p.name for p in found[0]) if len(found) == 1 else ()
        return names if names and len(self.rows) < SAMPLE and " / ".join(names) not in self.table.names else ()

    def adds_up(self, top: Sequence[Profile]) -> bool:
        """Whether all rows have the same sum, as counts of labels do."""
        if not all(p.whole for p in top):
            return False
        sums = [sum(float(row[p.column] or 0) for p in top) for row in self.rows]
        common = max(set(sums), key=sums.count)
        return common >= 2 and sums.count(common) >= CONSTANT * len(sums) and len(self.rows) > 2

    def people(self, top: Sequence[Profile]) -> list[Profile]:
        """Columns that are called as raters are; in a long table a single letter is as likely a label."""
        short = len(self.rows) >= MANY
        return [p for p in top if p.like_a_person and not (short and len(normal(p.name)) == 1)]

    def total_beside(self, top: Sequence[Profile]) -> bool:
        """Whether a column that is not a rater holds the sum of the others."""
        sums = [sum(float(row[p.column] or 0) for p in top) for row in self.rows]
        others = [p for p in self.columns if p not in top and p.numbers is not None and p.derived]
        return any(
            all(row[p.column] is not None and float(row[p.column]) == s for row, s in zip(self.rows, sums, strict=True))
            for p in others
        )

    def counts(self, key: str | None, top: Sequence[Profile]) -> Reading:
        names = [p.name for p in top]
        said = Note("counts_of_labels", {"labels": names, "columns": names})
        return Reading("counts", key, names, said=(said,))

    def often(self, key: str | None, top: Sequence[Profile]) -> str | None:
        """The column that counts patterns, if no column identifies the rows and no pattern occurs twice."""
        counters = [p for p in self.columns if p not in top and self.counter(p)]
        patterns = [tuple(row[p.column] for p in top) for row in self.rows]
        if key is not None or len(counters) != 1 or len(set(patterns)) < len(patterns):
            return None
        return counters[0].name

    def several(self, groups: Sequence[Sequence[Profile]]) -> UsageError:
        """An error if two readings are plausible: both as commands to paste."""
        shown = [f"--rater {pasted(p.name for p in g)}" for g in groups[:3]]
        what = " or ".join(shown)
        return UsageError(
            f"{self.table.source}: several groups of columns could be raters ({listed([g[0].name for g in groups], 4)}"
            f" and others like them). Say which: {what}."
        )


def square(case: Case) -> Reading | None:
    """A square table of two raters: rows and columns are named by labels, and cells hold counts."""
    first, *rest = case.columns
    names = [p.name for p in rest]
    rows = [row[first.column] for row in case.rows]
    if len(rest) < 2 or sorted(map(str, rows)) != sorted(names) or not all(p.whole for p in rest):
        return None
    return Reading("contingency", said=(Note("square_table"),))


def spans(given: str, names: Sequence[str]) -> list[str]:
    """``ann1,ann2`` or the range ``ann1:ann4`` or ``ann1-ann4`` expanded to a list of columns.

    >>> spans("a1:a3,b", ["id", "a1", "a2", "a3", "b"])
    ['a1', 'a2', 'a3', 'b']
    """
    chosen: list[str] = []
    for part in (p.strip() for p in given.split(",")):
        ends = next(
            (part.split(mark) for mark in (":", "..", "-") if part not in names and part.count(mark) == 1), None
        )
        if part not in names and ends is not None and all(e.strip() in names for e in ends):
            first, last = (list(names).index(e.strip()) for e in ends)
            chosen += names[min(first, last) : max(first, last) + 1]
        else:
            chosen.append(part)
    return [name for name, _ in groupby(chosen)]
