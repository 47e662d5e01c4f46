"""Tables with a column for each rater and question, or for each rater and label: recognised by column names and
values.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from raters.io.readings.profiles import WHO, Profile
from raters.io.table import normal

SEPARATORS = (" | ", "__", "::", ":", "_", ".", "/", "-", " ")
TWO_CODES = re.compile(r"([A-Za-z]+[0-9]+)([A-Za-z]+[0-9]+)")
"""Two codes in one name: R1Q2."""
ASKED = re.compile(
    r"(q|question|item|turn|round|time|wave|session|task|aspect|dimension|part|criterion|frage|phase)s?[0-9]+[a-z]?"
)
MARKS = frozenset({"0", "1", "true", "false", "x", "✓", "✔", "yes", "no"})
TICKS = frozenset({"1", "true", "x", "✓", "✔", "yes"})
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
        return [self.cells[name, other] for other in self.second]

    def column(self, name: str) -> list[Profile]:
        return [self.cells[other, name] for other in self.first]


def grid_of(columns: Sequence[Profile]) -> Grid | None:
    """The complete grid formed by two-part column names, with two or more values for each part; None if there is
    none.
    """
    ways: list[Callable[[str], tuple[str, str] | None]] = [
        *(_split(mark, last) for mark in SEPARATORS for last in (False, True)),
        _codes,
    ]
    for way in ways:
        pairs = {p: parts for p in columns if (parts := way(p.name)) is not None and all(parts)}
        by_first: dict[str, dict[str, Profile]] = {}
        for p, (a, b) in pairs.items():
            by_first.setdefault(a, {})[b] = p
        whole = Counter(tuple(sorted(found)) for found in by_first.values()).most_common(1)
        if not whole or len(whole[0][0]) < 2 or whole[0][1] < 2:
            continue
        kept = {a: found for a, found in by_first.items() if tuple(sorted(found)) == whole[0][0]}
        if sum(map(len, kept.values())) < 0.75 * len(pairs):
            continue
        second = tuple(next(iter(kept.values())))
        return Grid(tuple(kept), second, {(a, b): kept[a][b] for a in kept for b in second})
    return None


def _split(mark: str, last: bool) -> Callable[[str], tuple[str, str] | None]:
    def way(name: str) -> tuple[str, str] | None:
        a, found, b = name.rpartition(mark) if last else name.partition(mark)
        return (a.strip(), b.strip()) if found else None

    return way


def _codes(name: str) -> tuple[str, str] | None:
    found = TWO_CODES.fullmatch(name)
    return (found[1], found[2]) if found else None


def by_rater(grid: Grid, alike: Callable[[Profile, Profile], bool]) -> Grid | None:
    """The grid with raters first and questions second, if names or values show which is which; otherwise None."""
    for way in (grid, grid.turned()):
        if _people(way.first) and not _people(way.second):
            return way
    for way in (grid, grid.turned()):
        if _asked(way.second) and not _asked(way.first):
            return way
    apart = [way for way in (grid, grid.turned()) if _labels_tell(way, alike)]
    return apart[0] if len(apart) == 1 else None


def _people(names: Sequence[str]) -> bool:
    return all(WHO.fullmatch(normal(name)) for name in names)


def _asked(names: Sequence[str]) -> bool:
    return all(ASKED.fullmatch(normal(name)) for name in names)


def _labels_tell(grid: Grid, alike: Callable[[Profile, Profile], bool]) -> bool:
    """Whether columns of one question (second part) share their labels, and those of different questions do not."""
    same = all(alike(p, q) for b in grid.second for p, q in combinations(grid.column(b), 2))
    other = any(not alike(p, q) for a in grid.first for p, q in combinations(grid.row(a), 2))
    return same and other


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
