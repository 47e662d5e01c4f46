"""What the columns of a table hold and how they hang together: facts, from a sample of rows, that decide nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.io.labels.numbers import parsed
from raters.io.readings.names import PEOPLE, SUMS, TAIL, about, derived, single, words
from raters.io.table import Table, normal

ROWS, CELLS = 20_000, 400_000
"""At most so many rows, and cells, are inspected."""
EMPTY = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "--", ".", "?"})
"""Cells that carry no information about what a column holds; whether they are missing labels is decided elsewhere."""
DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?|\d{1,2}:\d{2}(:\d{2})?.*")
DECIMAL = re.compile(r"^([+-]?\d+),(\d+)$")
"""A number with a decimal comma."""
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Profile:
    """One column in a sample of rows."""

    name: str
    column: str
    codes: Codes
    """The number of each row's value; -1 where the cell is empty."""
    written: tuple[str, ...]
    """The distinct values, as they are written, by code."""
    number: NDArray[np.float64] | None
    """The same as numbers, if all of them are."""
    nested: bool

    @cached_property
    def filled(self) -> int:
        return int((self.codes >= 0).sum())

    @cached_property
    def values(self) -> frozenset[str]:
        """The distinct values as text, with numbers in one notation."""
        return frozenset(self.written) if self.number is None else frozenset(f"{x:g}" for x in self.number)

    @cached_property
    def numbers(self) -> tuple[float, ...] | None:
        """The distinct values if all of them are numbers."""
        return None if self.number is None else tuple(sorted(set(self.number.tolist())))

    @cached_property
    def distinct(self) -> int:
        return len(self.values)

    @cached_property
    def derived(self) -> bool:
        """Whether the name shows that the column was computed from others, or is the answer key."""
        return derived(self.name)

    @cached_property
    def about(self) -> bool:
        return about(self.name)

    @cached_property
    def unique(self) -> bool:
        """Whether nearly every row has a value of its own: an id, a text, a measurement; not labels."""
        return self.filled > 8 and self.distinct > 0.6 * self.filled

    @cached_property
    def full(self) -> bool:
        """Whether no cell is empty."""
        return self.filled == len(self.codes)

    @cached_property
    def key(self) -> bool:
        """Whether every row has a value of its own."""
        return self.full and self.distinct == self.filled > 0

    @cached_property
    def whole(self) -> bool:
        """Whether all values are whole numbers, 0 or more."""
        return self.number is not None and bool(((self.number >= 0) & (self.number == np.floor(self.number))).all())

    @cached_property
    def text(self) -> bool:
        """Whether the column holds sentences."""
        if self.number is not None or not self.written:
            return False
        long = sum(v.count(" ") >= 3 and len(v) > 20 for v in self.written)
        return long > 0.5 * len(self.written)

    @cached_property
    def dated(self) -> bool:
        """Whether the column holds dates or times."""
        return bool(self.written) and all(DATE.fullmatch(v) for v in self.written[:50])

    @cached_property
    def continuous(self) -> bool:
        """Whether the column measures something: numbers of which many are not whole, and few recur."""
        if self.number is None or self.distinct < 12:
            return False
        return self.distinct > 0.5 * self.filled or bool(
            (self.number != np.floor(self.number)).mean() > 0.5 and self.distinct > 40
        )

    @cached_property
    def label_like(self) -> bool:
        """Whether the column may hold labels: values that recur, and no dates, sentences or lists."""
        return self.measured_by_person or (
            self.distinct >= 1
            and not (self.nested or self.dated or self.text or self.continuous)
            and not (self.unique and (self.number is None or (self.filled > 30 and not self.small)))
            and (self.number is not None or self.distinct <= 200)
        )

    @cached_property
    def measured_by_person(self) -> bool:
        """Whether the column holds numbers and is called as a rater is: then they may be measurements."""
        said = words(self.name)
        person = any(single(w) in PEOPLE for w in said) and said[-1] not in TAIL
        return person and self.number is not None and not (self.derived or self.about)

    @cached_property
    def small(self) -> bool:
        """Whether numbers lie as close as the points of a scale do."""
        return (
            self.number is not None
            and bool(np.ptp(self.number) <= 20)
            and bool((self.number * 4 == np.floor(self.number * 4)).all())
        )


@dataclass(frozen=True, eq=False)
class Facts:
    """The columns of a table, and how they hang together."""

    columns: tuple[Profile, ...]
    n: int
    """Rows that were inspected."""
    whole: bool
    """Whether these are all rows."""
    asked: frozenset[str] = frozenset()
    """The columns that the user named."""
    _made: dict[Any, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Profile:
        return next(p for p in self.columns if p.name == name)

    @cached_property
    def unnamed(self) -> frozenset[str]:
        """The columns without a name, in a table whose columns have names."""
        found = frozenset(p.column for p in self.columns if re.fullmatch(r"column [0-9]+", p.name))
        return found if len(found) < len(self.columns) / 2 else frozenset()

    @cached_property
    def rows(self) -> list[dict[str, str | None]]:
        """The cells by c0, c1, ..., for what is looked for in cells."""
        cells = {p.column: [p.written[c] if c >= 0 else None for c in p.codes[:1000].tolist()] for p in self.columns}
        return [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]

    def together(self, *names: Profile) -> tuple[Codes, int]:
        """The number of each row's combination of values, and how many combinations there are."""
        key = ("together", *(p.column for p in names))
        if key not in self._made:
            codes = self._crossed(*names)
            _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
            rank = np.empty(len(first), dtype=np.int64)
            rank[np.argsort(first)] = np.arange(len(first))
            self._made[key] = rank[codes], len(first)  # numbered by where they first occur
        found: tuple[Codes, int] = self._made[key]
        return found

    def _crossed(self, *names: Profile) -> Codes:
        """Numbers that are equal where all of these columns are."""
        if not names:
            return np.zeros(self.n, dtype=np.int64)
        *others, p = names
        return (self.together(*others)[0] * (len(p.written) + 1) if others else 0) + p.codes + 1

    def once(self, *names: Profile) -> float:
        """The share of rows that these columns tell apart."""
        names = tuple(sorted(names, key=lambda p: p.column))
        key = ("once", *(p.column for p in names))
        if key not in self._made:
            codes = np.sort(self._crossed(*names))
            self._made[key] = (bool(self.n) + int(np.count_nonzero(codes[1:] != codes[:-1]))) / max(self.n, 1)
        return float(self._made[key])

    def thirds(self, a: Profile, b: Profile, least: float) -> list[Profile]:
        """The columns with enough values to tell apart, with these two, this share of the rows: a value each at most
        for the rows that are alike in these.
        """
        a, b = sorted((a, b), key=lambda p: p.column)
        key = ("thirds", a.column, b.column)
        if key not in self._made:
            sizes = np.sort(np.bincount(self.together(a, b)[0]))[::-1]
            values = (np.cumsum(sizes) - (1 - least) * self.n) / np.arange(1, len(sizes) + 1)
            self._made[key] = self._with_values(math.ceil(values.max(initial=1e-6) - 1e-6))
        found: list[Profile] = self._made[key]
        return found

    def _with_values(self, least: int) -> list[Profile]:
        """The columns without gaps that have at least so many values, and 2."""
        if ("values", least) not in self._made:
            full = [p for p in self.columns if p.full and not p.nested and p.distinct >= 2]
            self._made["values", least] = [p for p in full if len(p.written) >= least]
        found: list[Profile] = self._made["values", least]
        return found

    def determines(self, a: tuple[Profile, ...], b: Profile) -> bool:
        """Whether b is an attribute of a: the same wherever a is; for at most 2 % of a's values it is not."""
        key = ("determines", tuple(p.column for p in a), b.column)
        if key not in self._made:
            codes, n = self.together(*a)
            there = b.codes >= 0
            pairs = np.unique(codes[there] * (len(b.written) + 1) + b.codes[there]) // (len(b.written) + 1)
            several = (np.unique(pairs, return_counts=True)[1] > 1).sum()
            recur = (np.bincount(codes[there], minlength=n) > 1).sum()
            self._made[key] = bool(several <= 0.02 * max(recur, 1)) and bool(recur)
        return bool(self._made[key])


def profiles(table: Table) -> Facts:
    """The profile of every column, from all rows or a sample of whole items."""
    columns = list(table.named())
    most = max(200, min(ROWS, CELLS // max(len(columns), 1)))
    casts = ", ".join(f"CAST({c} AS STRING) AS {c}" for c in columns)
    total = int(table.engine.query("SELECT count(*) AS n FROM annotations")["n"][0])
    part = "" if total <= most else sampled(table, columns, total, most)
    got = table.engine.query(f"SELECT {casts} FROM annotations {part} LIMIT {most}")
    cells = {c: [text_of(v) for v in got[c].tolist()] for c in columns}
    below = footer(list(zip(*(v[-10:] for v in cells.values()), strict=True))) if not part else 0
    cells = {c: values[: len(values) - below] for c, values in cells.items()}
    made = tuple(profile(table.name(c), c, cells[c], table.kinds.get(c) == "nested") for c in columns)
    return Facts(made, len(made[0].codes) if made else 0, not part)


def sampled(table: Table, columns: Sequence[str], total: int, most: int) -> str:
    """SQL for a part of the rows: all rows of some values of the column that has most values among those that recur,
    so that items, or raters, are there with all their rows.
    """
    if table.engine.name == "spark":
        return ""
    counts = ", ".join(f"approx_count_distinct({c}) AS {c}" for c in columns)
    found = {c: int(v[0]) for c, v in table.engine.query(f"SELECT {counts} FROM annotations").items()}
    recur = {c: n for c, n in found.items() if 50 < n < 0.6 * total}
    by = f"CAST({max(recur, key=lambda c: recur[c])} AS STRING)" if recur else "row"
    return f"WHERE hash({by}) % {max(2, round(total / most))} = 0"


def footer(rows: Sequence[Sequence[str | None]]) -> int:
    """How many of the last rows do not belong to the table: totals, a remark in one cell, or empty rows.

    >>> rows = [("q1", "no", "yes"), ("q2", "no", "no"), ("q3", "no", "no")]
    >>> footer([*rows, (None, None, None), ("Note: two coders", None, None)])
    2
    """
    found = 0
    for row in reversed(rows):
        full = [cell for cell in row if cell is not None]
        if not (any(normal(cell) in SUMS for cell in full) or (len(row) > 2 and len(full) < 2)):
            break
        found += 1
    return found if found < len(rows) / 2 else 0


def text_of(value: Any) -> str | None:
    """A cell as text; None if it carries no information."""
    if value is None or value != value:
        return None
    text = str(value).strip()
    return None if text.lower() in EMPTY else text


def profile(name: str, column: str, cells: Sequence[str | None], nested: bool) -> Profile:
    """What one column holds."""
    known: dict[str, int] = {}
    codes = np.array([-1 if c is None else known.setdefault(c, len(known)) for c in cells], dtype=np.int64)
    found = [n if (n := parsed(DECIMAL.sub(r"\1.\2", c))) is not None and abs(n) < 1e300 else None for c in known]
    numbers = None if None in found or not found else np.array([float(n) for n in found if n is not None])
    lists = nested or (bool(known) and all(c[:1] in "[{" and c[-1:] in "]}" for c in known))
    if numbers is not None and len(set(numbers.tolist())) < len(numbers):  # 1 and 1.0 are one value
        values, again = np.unique(numbers, return_inverse=True)
        codes = np.where(codes >= 0, again[codes], -1)
        return Profile(name, column, codes, tuple(f"{x:g}" for x in values), values, lists)
    return Profile(name, column, codes, tuple(known), numbers, lists)
