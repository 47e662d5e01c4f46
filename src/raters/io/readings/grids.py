"""Tables with a column for each rater and question, or for each rater and label: recognised by column names and
values.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raters.io.readings.names import AGAIN, SUFFIX, form
from raters.io.readings.profiles import Profile

SEPARATORS = (" | ", "__", "::", ":", "_", ".", "/", "-", " ")
MARKS = frozenset({"0", "1", "true", "false", "x", "✓", "✔", "yes", "no"})
TICKS = frozenset({"1", "true", "x", "✓", "✔", "yes"})
TOLD = 0.2
"""By how much one part of the names must have more the form of raters' names than the other has."""
ONE = 0.95
"""Share of rows in which a rater must have ticked exactly one label for marks to be read as single labels."""


@dataclass(frozen=True)
class Grid:
    """Columns by the two parts of their names."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    cells: Mapping[tuple[str, str], Profile]

    def turned(self) -> Grid:
        """The same with the parts exchanged."""
        return Grid(self.second, self.first, {(b, a): p for (a, b), p in self.cells.items()})

    def row(self, name: str) -> list[Profile]:
        """The columns with this first part."""
        return [self.cells[name, other] for other in self.second if (name, other) in self.cells]

    def column(self, name: str) -> list[Profile]:
        return [self.cells[other, name] for other in self.first if (other, name) in self.cells]


def splits(columns: Sequence[Profile]) -> Iterator[Grid]:
    """The grids that two-part column names form, by every way to part them: raters or questions first, some cells may
    lack.
    """
    seen = set()
    pairs = [{p: found for p in columns if (found := way(p.name)) is not None and all(found)} for way in WAYS]
    for parts in [*pairs, *with_suffix(columns)]:
        again = Counter(b for _, b in parts.values())
        firsts = Counter(a for a, b in parts.values() if again[b] > 1)
        cells = {ab: p for p, ab in parts.items() if again[ab[1]] > 1 and firsts[ab[0]] > 1}
        grid = Grid(tuple(dict.fromkeys(a for a, _ in cells)), tuple(dict.fromkeys(b for _, b in cells)), cells)
        key = frozenset((a, b, p.column) for (a, b), p in cells.items())
        if min(len(grid.first), len(grid.second)) > 1 and key not in seen:
            seen.add(key)
            yield grid


def with_suffix(columns: Sequence[Profile]) -> list[dict[Profile, tuple[str, str]]]:
    """Parts of names such as tone, tone_2, topic, topic_2: several names stand alone and with the same ending."""
    ends: dict[str, dict[Profile, tuple[str, str]]] = {}
    by_name = {p.name: p for p in columns}
    for p in columns:
        for base in (p.name[:n] for n in range(2, len(p.name)) if p.name[:n] in by_name):
            end = p.name[len(base) :]
            if SUFFIX.fullmatch(end) or AGAIN.fullmatch(p.name):
                ends.setdefault(end, {}).update({p: (end.strip(" _.-#"), base), by_name[base]: ("1", base)})
    again = {p: ab for end, found in ends.items() if " #" in end for p, ab in found.items()}
    return [found for end, found in ends.items() if " #" not in end] + ([again] if again else [])


def grid_of(columns: Sequence[Profile]) -> Grid | None:
    """The first complete grid that two-part column names form; None if there is none."""
    found = (g for g in splits(columns) if len(g.cells) == len(g.first) * len(g.second))
    return next((g for g in found if len(g.cells) >= 0.75 * len(columns)), None)


def _split(mark: str, last: bool) -> Callable[[str], tuple[str, str] | None]:
    def way(name: str) -> tuple[str, str] | None:
        a, found, b = name.rpartition(mark) if last else name.partition(mark)
        return (a.strip(), b.strip()) if found else None

    return way


def _pattern(pattern: str) -> Callable[[str], tuple[str, str] | None]:
    compiled = re.compile(pattern)

    def way(name: str) -> tuple[str, str] | None:
        found = compiled.fullmatch(name)
        return (found[1].strip(), found[2].strip()) if found else None

    return way


WAYS: tuple[Callable[[str], tuple[str, str] | None], ...] = (
    *(_split(mark, last) for mark in SEPARATORS for last in (False, True)),
    _pattern(r"(.+?) ?[\[(](.+)[\])]"),
    _pattern(r"([A-Za-z]+[0-9]+)([A-Za-z]+[0-9]+)"),
    _pattern(r"(.*[^0-9 _.-])([0-9]+)"),
    _pattern(r"(.*[a-z])([A-Z]+)"),
    _pattern(r"([A-Z]{1,3})([a-z].+)"),
)
"""How a name may be parted: at a mark, in brackets, as two codes, before the number or the capitals at its end."""


def by_rater(grid: Grid) -> Grid | None:
    """The grid with raters first and questions second, if the form of the names shows which is which."""
    first, second = form(grid.first)[0], form(grid.second)[0]
    return None if abs(first - second) < TOLD else grid if first > second else grid.turned()


def marked(grid: Grid) -> bool:
    """Whether all columns hold only marks: 0 and 1, x, true and false."""
    return all({v.lower() for v in p.values} <= MARKS and p.filled for p in grid.cells.values()) and any(
        {v.lower() for v in p.values} & TICKS for p in grid.cells.values()
    )


def ticked(cell: Any) -> bool:
    return cell is not None and str(cell).strip().lower() in TICKS


def one_label(grid: Grid, rows: Sequence[Mapping[str, Any]]) -> Grid | None:
    """The grid with raters first and labels second, if each rater ticks at most one label in a row; otherwise None."""
    for way in (grid, grid.turned()):
        sums = [[sum(ticked(row[p.column]) for p in way.row(a)) for row in rows] for a in way.first]
        full = [n for found in sums for n in found if n]
        empty = all(
            p.filled < len(rows) or n
            for a, found in zip(way.first, sums, strict=True)
            for p in way.row(a)
            for n in found
        )
        if full and full.count(1) >= ONE * len(full) and (empty or len(full) >= ONE * len(rows) * len(way.first)):
            return way
    return None
