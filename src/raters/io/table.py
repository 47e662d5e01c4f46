"""A table as it was found, before its columns are interpreted."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from raters.engines import Source
from raters.errors import DataError, brief, listed

MOST_COLUMNS = 5000
"""A wider table takes a gigabyte and half a minute to reshape; the long layout has no such limit."""


@dataclass(frozen=True)
class Table:
    """A source behind an engine. The view has ``row`` and the columns c0, c1, ... by position, so that no
    name a source gives to a column can clash with another, or with SQL.
    """

    engine: Source
    names: tuple[str, ...]  # of c0, c1, ...
    source: str  # its name in messages
    from_text: bool = False  # a text file, in which numbers are text that parses
    mixed: dict[str, str] = field(default_factory=dict)  # name -> note about numbers and text in one column
    numbered: bool = False  # the names are only positions
    nested: tuple[str, ...] = ()  # names of columns that hold lists, written out as text
    orders: dict[str, tuple[Any, ...]] = field(default_factory=dict)  # name -> its categories, where these are ordered
    notes: tuple[str, ...] = ()  # notes about how the file was read
    kinds: dict[str, str] = field(init=False)  # c0, c1, ... -> bool int big float text nested

    def __post_init__(self) -> None:
        lists = {self.column(name): "nested" for name in self.nested}
        object.__setattr__(self, "kinds", self.engine.kinds() | lists)

    def __len__(self) -> int:
        return len(self.names)

    def column(self, name: str) -> str:
        """The engine's name (c0, c1, ...) of a column of the source."""
        return f"c{self.names.index(name)}"

    def name(self, column: str) -> str:
        """The source's name of a column c0, c1, ..."""
        return self.names[int(column[1:])]

    def named(self) -> dict[str, str]:
        """c0, c1, ... -> name in the source."""
        return {f"c{i}": name for i, name in enumerate(self.names)}


def with_notes(table: Table, notes: tuple[str, ...]) -> Table:
    """The table with further notes about how it was read."""
    return replace(table, notes=(*table.notes, *notes))


def positions(n: int) -> list[str]:
    """The engine's names of n columns."""
    return [f"c{i}" for i in range(n)]


def unique_names(names: Iterable[object], source: str) -> tuple[str, ...]:
    """Column names as text, with an error for duplicates."""
    found = [str(name) for name in names]
    if not found:
        raise DataError(f"{source}: the table has no columns.")
    if len(found) > MOST_COLUMNS:
        raise DataError(
            f"{source}: {len(found):,} columns, more than the maximum of {MOST_COLUMNS:,}. Use the long layout, with one row per annotation: "
            "item, rater, label."
        )
    broken = next((name for name in found if not name.isascii() and not is_unicode(name)), None)
    if broken is not None:
        raise DataError(f"{source}: the column name {brief(broken)} is not valid Unicode text. Rename the column.")
    twice = sorted({name for name in found if found.count(name) > 1}) if len(set(found)) < len(found) else []
    if twice:
        raise DataError(f"{source}: column name {listed(twice)} occurs twice. Rename one; found: {listed(found, 20)}.")
    return tuple(found)


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8; half a surrogate pair cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
