"""How to read a table, and when two columns hold labels of one kind."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from raters.io.layouts.nested import Cells
from raters.io.readings.grids import Grid
from raters.io.readings.profiles import Profile
from raters.notes.note import Note

SHARED = 0.5
"""Two columns hold labels of one kind if at least this share of the smaller one's labels is also in the other."""


@dataclass(frozen=True)
class Reading:
    """How a table is to be read."""

    layout: str  # long wide counts patterns cells contingency marks
    item: Any = None
    rater: Any = None
    label: str | None = None
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
    aside: tuple[str, ...] = ()
    """Columns of other questions: neither labels here nor attributes of items."""


def alike(p: Profile, other: Profile) -> bool:
    """Whether two columns hold labels of one kind: values that both have, or numbers over the same range."""
    if (p.numbers is None) != (other.numbers is None) or p.unique != other.unique:
        return False
    small, large = sorted((p.values, other.values), key=len)
    shared = len(small & large) >= SHARED * len(small) and (len(small) > 1 or small <= large)
    if shared or p.numbers is None or other.numbers is None:
        return shared
    low, high = max(p.numbers[0], other.numbers[0]), min(p.numbers[-1], other.numbers[-1])
    whole = all(float(x).is_integer() for q in (p.numbers, other.numbers) for x in q)
    few = 5 if whole else 1  # halves and tenths recur less often than whole numbers
    return len(small) > few and high - low >= SHARED * max(q[-1] - q[0] for q in (p.numbers, other.numbers))


def with_constant(groups: Sequence[Sequence[Profile]], order: Sequence[Profile]) -> list[list[Profile]]:
    """The groups, with each text column of a single label in the group that has this label: a rater who always says yes
    shares no label with one who always says no, but both are raters if a third uses both labels.
    """
    made = [list(g) for g in groups if len(g) > 1]
    for p in (g[0] for g in groups if len(g) == 1):
        homes = [g for g in made if p.numbers is None and len(p.values) == 1 and any(p.values <= q.values for q in g)]
        if len(homes) == 1:
            homes[0].append(p)
    return [sorted(g, key=order.index) for g in made]


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


def wide_said(names: Sequence[str], key: Any, aside: Sequence[str]) -> tuple[Note, ...]:
    """What was recognised where each rater has a column."""
    if isinstance(key, tuple):
        rows = Note("items_named_together", {"first": key[0], "second": key[1]})
    else:
        rows = Note("one_item_a_row") if key is None else Note("items_named_by", {"column": key})
    others = [Note("not_raters", {"columns": list(aside)})] if aside else []
    how = Note("to_read_other_columns", {"names": list(names[:2])})
    return Note("column_per_rater", {"raters": list(names)}), rows, *others, how
