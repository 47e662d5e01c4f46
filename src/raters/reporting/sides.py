"""Two sides of raters, named groups or camps that the data show, and the items that split exactly between them."""

from __future__ import annotations

from dataclasses import dataclass

from raters.agree.camps import SplitItems, split_items
from raters.annotations import counted
from raters.estimate import name_of
from raters.items import python_values
from raters.reporting.context import Context

MOST_WAYS = 2
MOST_NAMED = 3
LEAST = 5
"""Fewer items that split are no finding for the first screen."""


@dataclass(frozen=True)
class Sides:
    """Two groups of raters, with what each is called."""

    what: str
    """group, where a column names them; camp, where the labels show them."""
    names: tuple[str, str]
    raters: tuple[tuple[str, ...], tuple[str, ...]]

    @property
    def called(self) -> tuple[str, str]:
        """Each with a few of its raters, where its name does not say who that is."""
        if self.what == "group":
            return self.names
        one, two = (
            f"{name}: {', '.join(map(repr, who[:MOST_NAMED]))}{' and others' if len(who) > MOST_NAMED else ''}"
            for name, who in zip(self.names, self.raters, strict=True)
        )
        return one, two


def sides(c: Context) -> Sides | None:
    """The two groups of the table, where every rater belongs to one; else the camps, if there are any."""
    column = c.pool_column
    if column is None or not c.part.n_raters:
        return None if c.camps is None else Sides("camp", ("the first camp", "the second camp"), c.camps.camps)
    engine = c.part.engine
    got = engine.query(f"SELECT DISTINCT rater, {engine.quote(column)} AS side FROM annotations")
    of: dict[str, set[str]] = {}
    for rater, side in zip(python_values(got["rater"]), python_values(got["side"]), strict=True):
        of.setdefault(name_of(rater), set()).add(name_of(side))
    names = sorted({side for each in of.values() for side in each})
    if len(names) != 2 or any(len(each) > 1 for each in of.values()):
        return None
    one, two = (tuple(sorted(r for r, each in of.items() if name in each)) for name in names)
    return Sides("group", (names[0], names[1]), (one, two))


def split(c: Context) -> tuple[Sides, SplitItems] | None:
    """The sides and the items that split exactly between them; None if there are no sides or no such items."""
    found = sides(c)
    if found is None or c.part is not c.ann:
        return None
    items = c.ann.once(("split items", found.raters), lambda: split_items(c.ann, found.raters), lambda _: 1)
    return (found, items) if items is not None and items.items else None


def split_sentence(c: Context) -> str:
    """How many items split exactly by group or camp, which way, and how many would by chance; empty if none does."""
    there = split(c)
    if there is None:
        return ""
    found, items = there
    one, two = found.names if found.what == "group" else ("the first", "the second")
    only = len(items.ways) == 1
    ways = [
        f"{'' if only else f'on {n:,}, '}all of {one} say {a!r} and all of {two} {b!r}"
        for (a, b), n in items.ways[:MOST_WAYS]
    ]
    rest = len(items.items) - sum(n for _, n in items.ways[:MOST_WAYS])
    more = f"; {rest:,} more {'splits' if rest == 1 else 'split'} between other labels" if rest else ""
    n = counted(len(items.items), "item")
    return (
        f"Of {items.compared:,} items on which labels differ, {n} {'splits' if len(items.items) == 1 else 'split'} exactly by {_by(found)}: {'; '.join(ways)}{more}. "
        f"If labels had been assigned to raters at random, {_about(items.by_chance)} would."
    )


def _by(found: Sides) -> str:
    """What the sides are, with some of the raters of each where names do not say who that is."""
    return found.what if found.what == "group" else f"camp ({' and '.join(found.called)})"


def _about(n: float) -> str:
    return "fewer than one" if n < 0.5 else f"about {n:.0f}"


def split_briefly(c: Context) -> str:
    """The same for the first screen."""
    there = split(c)
    if there is None or len(there[1].items) < max(LEAST, 2 * there[1].by_chance):
        return ""
    found, items = there
    (a, b), n = items.ways[0]
    one, two = found.names
    one, two = (repr(x) if found.what == "group" else x for x in (one, two))
    return f" On {counted(n, 'item')}, all of {one} say {a!r} and all of {two} say {b!r}."


def split_note(c: Context, item: str) -> str:
    """What a card adds about an item that splits so."""
    there = split(c)
    if there is None or item not in there[1].items:
        return ""
    found, items = there
    (one, two), (a, b) = found.names, items.items[item]
    return f"Splits by {found.what}: {one} says {a}, {two} says {b}."
