"""Locate the header of a table: below a title, in one row or two, or nowhere. The first rows are compared with those
below.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from raters.errors import UsageError
from raters.io.labels.numbers import parsed
from raters.io.table import ROLES, rank
from raters.notes.note import Note

SAMPLE = 200
"""Number of rows that are inspected."""
FEW = 0.5
"""A column whose distinct values are at most this share of its rows has repeating values, and its name is not one of
them.
"""
NUMBER = re.compile(r"[0-9]+")
BETWEEN = " | "
"""What joins a name of the upper row to one of the lower."""
Row = Sequence[Any]


@dataclass(frozen=True)
class Header:
    """The names of columns, and the number of rows above the first one that holds labels."""

    names: tuple[str, ...]
    above: int
    """Rows with anything in them: titles and names."""
    notes: tuple[Note, ...] = ()


def find_header(rows: Sequence[Row], asked: int | None = None, skip: int = 0) -> Header:
    """Find the header in the first non-empty rows of a table; ``asked``: the number of header rows, if given; ``skip``:
    rows to leave out above it.

    >>> find_header([["My study"], ["id", "ann", "bob"], ["1", "no", "yes"]]).names
    ('id', 'ann', 'bob')
    >>> find_header([[str(i), "no", "yes"] for i in range(1, 8)]).names
    ('column 1', 'column 2', 'column 3')
    """
    if skip and skip > len(rows) - 2:
        raise UsageError(f"skip={skip} leaves no header with rows below it; the first rows read were {len(rows)}.")
    titles = skip or above_the_table(rows)
    said = [Note("rows_above", {"n": titles})] if titles and not skip else []
    left = rows[titles:]
    width = len(left[0])
    if asked is None:
        asked = names_in(left, width)
        said += note(asked, left, width)
    body = left[asked:]
    more = explanations(body, width) if asked else 0
    said += [Note("header_explained", {"n": more})] if more else []
    titles += more
    if not asked:
        return Header(numbered(width), titles, tuple(said))
    if asked == 1:
        return Header(tuple(called(left[0], width)), titles + 1, tuple(said))
    if described(left, width):
        return Header(tuple(called(left[0], width)), titles + asked, tuple(said))
    return Header(joined(left[:asked], width), titles + asked, tuple(said))


LONGER, SHORT, MOST = 25, 12, 4


def explanations(body: Sequence[Row], width: int) -> int:
    """How many rows under the names explain the columns: long texts, or marks of a survey tool, over short cells."""
    if len(body) < 8:
        return 0
    below = [[len(x) for r in body[MOST : SAMPLE + MOST] if (x := cell(r, j))] for j in range(width)]
    short = [
        j
        for j, sizes in enumerate(below)
        if sizes and sorted(sizes)[len(sizes) // 2] <= SHORT and max(sizes) < 3 * LONGER
    ]
    found = 0
    for row in body[:MOST]:
        tool = sum(cell(row, j).startswith('{"ImportId"') for j in range(width))
        long = sum(len(cell(row, j)) > LONGER for j in short)
        if not (tool >= 2 or (long >= 3 and long > 0.2 * len(short))):
            break
        found += 1
    return found


def note(asked: int, rows: Sequence[Row], width: int) -> list[Note]:
    """A note about column names that are not simply the first row."""
    if not asked:
        return [Note("no_header", {"columns": list(numbered(width))})]
    if asked == 1:
        return []
    return [Note("header_described" if described(rows, width) else "header_of_two_rows")]


def above_the_table(rows: Sequence[Row]) -> int:
    """The number of rows at the top that are titles or remarks: a single cell, although the table has several
    columns.
    """
    usual = Counter(count(row) for row in rows).most_common(1)[0][0] if rows else 0
    for place, row in enumerate(rows):
        if usual < 2 or place == len(rows) - 1 or not (count(row) == 1 or remark(row, usual)):
            return place
    return 0


def remark(row: Row, usual: int) -> bool:
    """Whether a short row is a remark about the file: ``# made 2024``, ``Project:, tone``."""
    first = text(row[0]) if row else ""
    return count(row) < usual and (first.startswith("#") or first.endswith(":"))


def names_in(rows: Sequence[Row], width: int) -> int:
    """The number of header rows: 0, 1 or 2."""
    if len(rows) > 2 and (two_rows(rows, width) or described(rows, width)):
        return 2
    return 0 if like_the_others(rows, width) else 1


def two_rows(rows: Sequence[Row], width: int) -> bool:
    """Whether the upper row names groups of columns (cells that were merged, or names that repeat), and the lower its
    columns.
    """
    upper = [cell(rows[0], j) for j in range(width)]
    named = [name for name in upper if name]
    start = next((j for j, name in enumerate(upper) if name), width)
    gaps = any(not upper[j] and cell(rows[1], j) for j in range(start, width))
    roles = all(any(rank(name, role) is not None for name in named) for role in ROLES)
    if not gaps and (roles or len(named) == len(set(named))):  # a duplicate column is an error, not a group
        return False
    names = joined(rows[:2], width)
    return len(set(names)) == len(names) and are_names(rows[1], rows[2:], width, 1)


def described(rows: Sequence[Row], width: int) -> bool:
    """Whether a second row describes each column, as survey tools write: unlike the row above and all below."""
    if len(rows) < 7 or len({cell(rows[0], j) for j in range(width)}) < width or like_the_others(rows, width):
        return False
    return are_names(rows[1], rows[2:], width, 2) and sum(len(cell(rows[1], j)) > 12 for j in range(width)) > width / 2


def are_names(row: Row, body: Sequence[Row], width: int, least: int) -> bool:
    """Whether no cell of a row resembles those below it, in at least ``least`` columns in which this can be judged."""
    told = [fits(cell(row, j), [cell(r, j) for r in body]) for j in range(width) if cell(row, j)]
    return True not in told and told.count(False) >= least


def like_the_others(rows: Sequence[Row], width: int) -> bool:
    """Whether the first row looks like the rows below it and so is not a header."""
    first = [cell(rows[0], j) for j in range(width)]
    body = rows[1 : SAMPLE + 1]
    if len(body) < 3 or any(rank(name, role) is not None for name in first if name for role in ROLES):
        return False
    numbers = [parsed(name) for name in first if name]
    if numbers and numbers in (list(range(len(numbers))), list(range(1, len(numbers) + 1))):
        return False  # raters or labels that are numbered
    told = [fits(name, [cell(r, j) for r in body]) for j, name in enumerate(first) if name]
    return told.count(True) >= 2 and False not in told


def fits(name: str, below: Sequence[str]) -> bool | None:
    """Whether a cell resembles those below it; None if this cannot be judged."""
    full = [value for value in below[:SAMPLE] if value]
    numbers = [n for value in full if (n := parsed(value.replace(",", "."))) is not None]
    if full and len(numbers) == len(full):
        own = parsed(name.replace(",", "."))
        step = (max(numbers) - min(numbers)) / len(numbers)
        return own is not None and min(numbers) - step - 1 <= own <= max(numbers) + step
    if len(full) < 4:
        return None
    shapes = {NUMBER.sub("0", value) for value in full}
    if len(shapes) == 1 and len(set(full)) > 1 and "0" in shapes.pop():  # d1, d2, d3 under d0
        return NUMBER.sub("0", name) == NUMBER.sub("0", full[0])
    if name in full:
        return True if len(set(full)) <= FEW * len(full) else None
    once = sum(n == 1 for n in Counter(full).values())  # as many of the next values are new ones
    return None if len(set(full)) > FEW * len(full) or once > 0.1 * len(full) else False


def joined(upper: Sequence[Row], width: int) -> tuple[str, ...]:
    """Names of two rows: the upper one extended over the gaps to its right, followed by the lower one."""
    top = ""
    tops = []
    for j in range(width):
        below = " ".join(cell(row, j) for row in upper[1:]).strip()
        top = cell(upper[0], j) or (top if below else "")
        tops.append((top, below))
    groups = {top for top, below in tops if below and top}
    names = [below if len(groups) == 1 and below else BETWEEN.join(p for p in (top, below) if p) for top, below in tops]
    return tuple(name or f"column {j}" for j, name in enumerate(names, 1))


def called(row: Row, width: int) -> list[str]:
    """The names in one row; a column without one is named by its position; only the first may lack one."""
    return [cell(row, j) or ("" if j == 0 else f"column {j + 1}") for j in range(width)]


def numbered(width: int) -> tuple[str, ...]:
    return tuple(f"column {j}" for j in range(1, width + 1))


def cell(row: Row, place: int) -> str:
    """A cell as text; empty if the row is shorter."""
    return text(row[place]) if place < len(row) else ""


def text(value: Any) -> str:
    return "" if value is None else str(value).strip()


def count(row: Row) -> int:
    """The number of non-empty cells."""
    return sum(bool(text(value)) for value in row)
