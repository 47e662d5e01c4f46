"""Every plausible reading of a table: one small generator for each layout, which leaves out only what cannot be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, groupby
from typing import Any

import numpy as np

from raters.io.layouts.nested import Cells, by_keys, label_cells
from raters.io.readings.grids import Grid, marked, one_label, splits
from raters.io.readings.likeness import MOST, Both, alike, among, decided_from, is_mean, of_rows, within
from raters.io.readings.names import (
    ASKED,
    COUNTED,
    IDENTITY,
    SURVEY,
    form,
    key_named,
    named,
    one_person,
    people,
)
from raters.io.readings.profiles import Facts, Profile
from raters.io.table import normal, rank

ONCE = 0.98
"""Columns name each row once if they tell apart at least this share of the rows."""
PLACE = re.compile(r"(char|token)?(start|end|begin|stop|offset|from|to)(char|token|offset)?|arg[0-9]|(head|tail)(id)?")
"""Names of columns that say where in an item a label stands."""
WIDE = 30
"""In tables with more columns, only columns whose names or values say something are tried as items and raters."""


@dataclass(frozen=True, eq=False)
class Variable:
    """What raters answered about each item: one column of labels, or one for each rater."""

    name: str
    columns: tuple[Profile, ...]
    called: tuple[str, ...] = ()
    """The raters of the columns, where the names of these say more than that."""
    value: str | None = None
    """Which rows it has, by the column of questions."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A way to read a table, with the role of every column."""

    facts: Facts
    layout: str  # long wide counts patterns cells contingency marks
    items: tuple[Profile, ...] = ()
    rater: Profile | None = None
    variables: tuple[Variable, ...] = ()
    question: Profile | None = None
    rows: bool = False
    """Whether raters are the rows."""
    count: Profile | None = None
    cells: Cells | None = None
    marks: Grid | None = None
    in_turn: bool = False
    """Whether items are distinguished by their place among the rows of each rater."""
    aside: tuple[Profile, ...] = field(default=())

    @cached_property
    def used(self) -> frozenset[str]:
        """The columns that have a role."""
        roles = [*self.items, self.rater, self.question, self.count, *(p for v in self.variables for p in v.columns)]
        return frozenset(p.column.rstrip("#") for p in roles if p is not None)

    @cached_property
    def left(self) -> list[Profile]:
        """The columns that have none."""
        return [p for p in self.facts.columns if p.column not in self.used and p.filled]

    @cached_property
    def means(self) -> list[Profile]:
        """Columns without a role that are the mean of the raters' columns."""
        first = self.variables[0].columns if self.variables else ()
        return [p for p in self.left if is_mean(self.facts, p, first)]

    @cached_property
    def labels(self) -> list[Profile]:
        return [p for v in self.variables for p in v.columns]

    @cached_property
    def raters(self) -> list[str]:
        """The raters by name, where columns name them."""
        first = self.variables[0] if self.variables else None
        return [] if first is None else list(first.called or (p.name for p in first.columns))

    @cached_property
    def keys(self) -> tuple[Profile, ...]:
        """What names each item of a long table: with the question, if rows have one."""
        return (*self.items, *((self.question,) if self.question else ()))

    @cached_property
    def agreement(self) -> Both:
        """The highest agreement beyond chance among the variables, or within their items."""
        if self.layout == "long":
            found = [within(self.facts, self.keys, p) for p in self.labels]
        elif self.rows:
            found = [of_rows(self.labels)]
        else:
            found = [among(self.facts, v.columns) for v in self.variables]
        return max(found, key=lambda x: x[1], default=(0.0, 0.0))

    @cached_property
    def form(self) -> tuple[float, str]:
        """How surely raters are called so, or formed so."""
        if self.layout == "long":
            return people(self.rater.written) if self.rater is not None else (0.0, "")
        return form(self.raters, [p.name for p in (*self.items, *self.left)])

    @cached_property
    def once(self) -> float:
        """The share of rows that item, rater and question tell apart."""
        return self.facts.once(*self.keys, *((self.rater,) if self.rater else ()))

    @cached_property
    def sizes(self) -> Any:
        """The number of rows of each item."""
        codes, n = self.facts.together(*self.keys) if self.keys else (np.arange(self.facts.n), self.facts.n)
        return np.bincount(codes, minlength=n)

    @cached_property
    def shared(self) -> float:
        """The share of items with two rows or more."""
        return float((self.sizes > 1).mean()) if len(self.sizes) else 0.0

    def figures(self) -> Any:
        """What the figures of a reading depend on: readings that are equal in this are one."""
        if self.layout == "long":
            items = self.facts.together(*self.items)[0].tobytes()
            who = self.rater.codes.tobytes() if self.rater else b""
            return (
                "long",
                hash(items),
                hash(who),
                frozenset(p.column for p in self.labels),
                self.question and self.question.column,
            )
        named_ = frozenset(frozenset(p.column for p in v.columns) for v in self.variables)
        item = () if self.row_each else tuple(p.column for p in self.items)
        return self.layout, self.rows, named_, item, self.cells, self.count and self.count.column

    @property
    def row_each(self) -> bool:
        """Whether each row is an item of its own."""
        return not self.items or self.facts.once(*self.items) == 1.0


def candidates(facts: Facts) -> list[Candidate]:
    """All of them, the same one once."""
    found = [c for make in GENERATORS for c in make(facts)]
    return list({id(c): c for c in found}.values())


# one row per annotation


def long(facts: Facts) -> Iterator[Candidate]:
    """A column of items and one of raters, that name each row once: alone, with a question, or with a second column of
    items.
    """
    able = [i for i in facts.columns if may_name_items(facts, i)]
    for rater in (p for p in facts.columns if may_name_raters(facts, p)):
        ways = [i for i in able if i is not rater]
        for item in ways:
            if named(rater.name, "rater") < 1 and facts.determines((item,), rater):
                continue
            yield from crossed(facts, item, rater, ways)


def crossed(facts: Facts, item: Profile, rater: Profile, others: Sequence[Profile]) -> Iterator[Candidate]:
    share = facts.once(item, rater)
    if share >= ONCE or named(item.name, "item") * named(rater.name, "rater") >= 0.8:
        yield from with_labels(facts, (item,), rater)
    for q in thirds(facts, item, rater) if share < ONCE else ():
        if (
            q.distinct <= 100
            and not (q.continuous or q.text)
            and (normal(q.name) in ASKED or recurs(facts, item, q, rater))
        ):
            yield from with_labels(facts, (item,), rater, q)
        able = q in others and not (q.about or PLACE.fullmatch(normal(q.name))) and order(facts, item) < order(facts, q)
        if able and says_rater(rater):
            yield from with_labels(facts, (item, q), rater)


def says_rater(p: Profile) -> bool:
    """Whether the name or the values of a column are those of raters."""
    return bool(named(p.name, "rater")) or people(p.written)[0] > 0.4


def thirds(facts: Facts, item: Profile, rater: Profile) -> Iterator[Profile]:
    """The columns that name each row with these two, and not with the rater alone, and are no attributes of them."""
    for q in facts.thirds(item, rater, ONCE):
        if q in (item, rater) or facts.once(item, rater, q) < ONCE or facts.once(q, rater) >= ONCE:
            continue
        if not (facts.determines((q,), item) or facts.determines((item,), q) or facts.determines((rater,), q)):
            yield q


def question_of(
    facts: Facts, items: tuple[Profile, ...], rater: Profile | None, label: Profile | None
) -> Profile | None:
    """The column that says which question a row answers, where raters would otherwise label items several times."""
    roles = (*items, *((rater,) if rater else ()))
    if facts.once(*roles) >= ONCE:
        return None
    able = [
        q for q in facts.columns
        if q not in (*roles, label) and q.full and not q.nested and 1 < q.distinct <= 100 and (rater is None or facts.once(*roles, q) >= ONCE)
        and not facts.determines(items, q)
    ]  # fmt: skip
    found = [q for q in able if normal(q.name) in ASKED] or [
        q for q in able if rater is not None and q.label_like and not q.about and asked_of_all(facts, items, rater, q)
    ]
    return found[0] if len(found) == 1 else None


def asked_of_all(facts: Facts, items: tuple[Profile, ...], rater: Profile, q: Profile) -> bool:
    """Whether nearly every item has each of the questions, of which there are fewer than items, and each has answers of
    several raters: what one rater alone did again is no question.
    """
    n = facts.together(*items)[1]
    answered = np.unique(np.stack([q.codes, rater.codes]), axis=1)[0]
    if np.bincount(answered).min() < 2:
        return False
    return q.distinct <= min(30, n) and facts.together(*items, q)[1] >= 0.9 * n * q.distinct


def in_turn(facts: Facts) -> Iterator[Candidate]:
    """Items that recur within raters: where every rater has the same ones in the same order, each row is one."""
    for rater in (p for p in facts.columns if may_name_raters(facts, p) and p.distinct <= 50 and says_rater(p)):
        orders = [np.flatnonzero(rater.codes == k) for k in range(len(rater.written))]
        n = len(orders[0])
        if n < 5 or any(len(rows) != n for rows in orders):
            continue
        for item in (p for p in facts.columns if p is not rater and p.full and p.distinct >= 0.5 * n):
            same = all(np.array_equal(item.codes[rows], item.codes[orders[0]]) for rows in orders[1:])
            if not same or named_otherwise(facts, item, rater):
                continue
            for c in with_labels(facts, (by_place(facts, item, orders),), rater):
                yield replace(c, in_turn=True)


def by_place(facts: Facts, item: Profile, orders: Sequence[Any]) -> Profile:
    """What each row shows of a column of items, by its place among the rows of its rater."""
    turn = np.zeros(facts.n, dtype=np.int64)
    for rows in orders:
        turn[rows] = np.arange(len(rows))
    return Profile(item.name, f"{item.column}#", turn, tuple(map(str, range(len(orders[0])))), None, False)


def named_otherwise(facts: Facts, item: Profile, rater: Profile) -> bool:
    """Whether item and rater name each row, alone or with one more column."""
    more = (q for q in facts.columns if 1 < q.distinct <= 100 and q.full)
    return facts.once(item, rater) >= ONCE or any(facts.once(item, rater, q) >= ONCE for q in more)


def recurs(facts: Facts, item: Profile, q: Profile, rater: Profile) -> bool:
    """Whether most items have several of the questions, and each question many items."""
    return (
        facts.together(item, q)[1] > 1.5 * facts.together(item)[1]
        and facts.together(q)[1] <= 30
        and facts.n > 3 * q.distinct
    )


def order(facts: Facts, p: Profile) -> int:
    return facts.columns.index(p)


def with_labels(
    facts: Facts, items: tuple[Profile, ...], rater: Profile | None, q: Profile | None = None
) -> Iterator[Candidate]:
    found = labels_of_rows(facts, items, rater, q)
    if not found:
        return
    if q is not None:
        label = max(found, key=lambda p: (named(p.name, "label"), p.filled))
        variables = tuple(Variable(v, (label,), value=v) for v in q.written)
    else:
        variables = tuple(Variable(p.name, (p,)) for p in found)
    yield Candidate(facts, "long", items, rater, variables, q)


def labels_of_rows(
    facts: Facts, items: tuple[Profile, ...], rater: Profile | None, q: Profile | None = None
) -> list[Profile]:
    """The columns that differ within items and within raters: labels, of which those called so are preferred."""
    keys = (*items, *((q,) if q else ()))
    rest = [p for p in facts.columns if p not in keys and p is not rater]
    able = [p for p in rest if may_be_labels(facts, p) and not belongs(facts, p, keys, rater)]
    able = [p for p in able if p.distinct <= 2 or len(items) > 1 or not facts.determines((p,), items[0])]
    able = with_upper_names(able, rest) or predicted(facts, items, rest)
    if not able and rater is not None and named(rater.name, "rater") == 1:
        able = measured(facts, keys, rest)
    best = [p for p in able if (place := rank(p.name, "label")) is not None and place < 2]
    return best or able


def measured(facts: Facts, keys: tuple[Profile, ...], rest: Sequence[Profile]) -> list[Profile]:
    """Measurements, which are read where raters are named and nothing else is there: items differ more than raters."""
    told = [p for p in rest if p.continuous and not (p.key and p.whole) and not p.about and not p.derived]
    return [p for p in told if within(facts, keys, p)[0] > 0.5]


def predicted(facts: Facts, items: tuple[Profile, ...], rest: Sequence[Profile]) -> list[Profile]:
    """What models predicted, which is read where nothing else is there."""
    told = [p for p in rest if p.label_like and p.derived and p.number is None]
    return [p for p in told if not facts.determines(items, p)]


def with_upper_names(able: Sequence[Profile], rest: Sequence[Profile]) -> list[Profile]:
    """The columns of labels with those under the same upper name, which are labels also where all agree."""
    uppers = {upper for p in able if (upper := p.name.partition(" | ")[0]) != p.name}
    under = [p for p in rest if p.name.partition(" | ")[0] in uppers and p.label_like and not p.about and p.filled > 1]
    return [p for p in rest if p in able or p in under]


def may_be_labels(facts: Facts, p: Profile) -> bool:
    """Whether a column of a long table may hold labels, by itself."""
    told = named(p.name, "label")
    if p.derived or p.about or p.filled < 2 or p.column in facts.unnamed or (p.distinct < 2 and told < 0.7):
        return False
    if named(p.name, "rater") >= 1 or (named(p.name, "item") >= 0.5 and told < 0.6 and p.number is None):
        return False
    return p.label_like or (told >= 0.7 and not (p.nested or p.dated or p.text))


def belongs(facts: Facts, p: Profile, keys: tuple[Profile, ...], rater: Profile | None) -> bool:
    """Whether a column is an attribute of the raters or the items, and is not called as labels are."""
    told = named(p.name, "label")
    if rater is not None and p.distinct > 1 and facts.determines((rater,), p) and told < 1:
        return True
    filled = rater is not None and told < 0.7 and some_filled(facts, keys, p)
    return told < 0.7 and not filled and facts.determines(keys, p)


def some_filled(facts: Facts, items: tuple[Profile, ...], p: Profile) -> bool:
    """Whether a column is filled in some rows of an item and empty in others, as labels are and attributes are not."""
    codes, n = facts.together(*items)
    here = np.bincount(codes[p.codes >= 0], minlength=n)
    part = (here > 0) & (here < np.bincount(codes, minlength=n))
    return bool(part.mean() > 0.2)


def may_name_raters(facts: Facts, p: Profile) -> bool:
    measured = p.continuous and not (p.whole and named(p.name, "rater") == 1)
    if p.nested or p.text or p.dated or measured or p.distinct < 2 or p.filled < 0.9 * len(p.codes):
        return False
    if p.distinct > 0.9 * p.filled and named(p.name, "rater") < 1:
        return False
    said = len(facts.columns) <= WIDE or p.name in facts.asked or named(p.name, "rater") > 0
    return said or people(p.written)[0] >= 0.3


def may_name_items(facts: Facts, p: Profile) -> bool:
    if (
        p.nested
        or PLACE.fullmatch(normal(p.name))
        or p.distinct < 1 + (named(p.name, "item") < 0.7)
        or p.filled < 0.9 * len(p.codes)
        or (p.continuous and not p.whole)
    ):
        return False
    return len(facts.columns) <= WIDE or bool(named(p.name, "item")) or p.text or p.distinct > 0.05 * facts.n


def anonymous(facts: Facts) -> Iterator[Candidate]:
    """Items that recur, and nothing that names raters."""
    for item in facts.columns:
        if item.nested or not item.full or item.distinct < 2 or (named(item.name, "item") < 0.5 and not item.text):
            continue
        if not 0.01 < facts.once(item) < 0.9:
            continue
        yield from with_labels(facts, (item,), None)
        for q in facts.columns:
            asks = normal(q.name) in ASKED and q is not item and q.full and 1 < q.distinct <= 30
            if asks and facts.together(item, q)[1] < facts.n and not facts.determines((item,), q):
                yield from with_labels(facts, (item,), None, q)


# one column per rater


def able(p: Profile) -> bool:
    """Whether a column could hold the labels of a rater."""
    return p.label_like and not p.derived and bool(p.filled) and normal(p.name) not in COUNTED


def groups(facts: Facts) -> list[list[Profile]]:
    """Columns that hold labels of one kind, the largest group first."""
    kept = [p for p in facts.columns if able(p) and p.column not in facts.unnamed and not numbers_rows(p)]
    made: list[list[Profile]] = []
    for p in kept:
        home = next((g for g in made if all(alike(p, other) for other in g)), None)
        if home is None:
            made.append([p])
        else:
            home.append(p)
    lean = [[p for p in g if not is_mean(facts, p, [q for q in g if q is not p])] for g in with_constants(made)]
    return sorted((sorted(g, key=kept.index) for g in lean if len(g) > 1), key=len, reverse=True)


def numbers_rows(p: Profile) -> bool:
    return p.key and p.number is not None and p.distinct > 20 and not p.measured_by_person


def with_constants(made: Sequence[list[Profile]]) -> list[list[Profile]]:
    """The groups of several columns, with the one who always says yes: he shares no label with one who always says no."""
    several = [g for g in made if len(g) > 1]
    for (p,) in (g for g in made if len(g) == 1):
        homes = [g for g in several if p.number is None and p.distinct == 1 and any(p.values <= q.values for q in g)]
        if len(homes) == 1:
            homes[0].append(p)
    return several


def key_above_tallies(p: Profile, left: Sequence[Profile]) -> bool:
    """Whether a column names every row but the last few, which are no items: a tally below the table, in which no
    column but the raters' has anything.
    """
    last = p.filled - 1
    if not (0 < len(p.codes) - 1 - last <= 10 and last > 20 and p.filled == p.distinct and p.codes[last] >= 0):
        return False
    return bool((p.codes[: last + 1] >= 0).all()) and all(bool((q.codes[last + 1 :] < 0).all()) for q in left)


def key_of(facts: Facts, raters: Iterable[Profile]) -> tuple[Profile, ...]:
    """What names the rows: a column, or two texts together; nothing if each row is an item."""
    taken = set(raters)
    left = [p for p in facts.columns if p not in taken and not p.derived and normal(p.name) not in COUNTED]
    own = [p for p in left if (p.key or key_above_tallies(p, left)) and (p.whole or not p.continuous)]
    if own:
        return (
            max(
                own,
                key=lambda p: (
                    bool(p.name) and not p.name.startswith("Unnamed"),
                    named(p.name, "item"),
                    -order(facts, p),
                ),
            ),
        )
    full = [p for p in left if p.full and p.number is None and not p.nested]
    pairs = [(p, q) for p, q in combinations(full[:8], 2) if facts.once(p, q) == 1.0]
    return pairs[0] if len(pairs) == 1 and len(facts.rows) < 1000 else ()


def wide(facts: Facts) -> Iterator[Candidate]:
    """Columns that share their labels, as a whole and by what their names have in common."""
    for group in groups(facts):
        ways = [group]
        lean = [
            p
            for p in group
            if not (p.about or key_named(p.name)) and named(p.name, "item") < 0.8 and named(p.name, "label") < 1
        ]
        rater_like = [p for p in group if form([p.name])[1] == "called as raters are"]
        for some in (lean, rater_like, *by_stem(group), *without_one(facts, group)):
            if 1 < len(some) < len(group) and some not in ways:
                ways.append(some)
        for way in ways:
            yield of_columns(facts, way)
            counter = [p for p in facts.columns if normal(p.name) in COUNTED and p.whole and p not in way]
            if len(counter) == 1 and not key_of(facts, way) and facts.once(*way) == 1.0:
                yield Candidate(facts, "patterns", (), None, (Variable("", tuple(way)),), count=counter[0])


def of_columns(facts: Facts, way: Sequence[Profile]) -> Candidate:
    return Candidate(facts, "wide", key_of(facts, way), None, (Variable("", tuple(way)),))


def without_one(facts: Facts, group: Sequence[Profile]) -> list[list[Profile]]:
    """The columns without one whose name lacks the form of all others, or that was decided from the others."""
    ends = sorted(p.name[len(p.name.rstrip("0123456789")) :] for p in group)
    if not 2 < len(group) <= MOST or ends == [str(i) for i in range(1, len(group) + 1)]:
        return []  # a numbered rater is not left out for unusual labels
    whole = form([p.name for p in group])[0]
    rest = [[q for q in group if q is not p] for p in group]
    one = one_person([p.name for p in group])
    told = [
        p.name == one or form([q.name for q in some])[0] >= max(0.4, whole + 0.2)
        for p, some in zip(group, rest, strict=True)
    ]
    made = [x > 0 for x in decided_from(facts, group)]
    return [some for some, a, b in zip(rest, told, made, strict=True) if a or b]


def by_stem(group: Sequence[Profile]) -> list[list[Profile]]:
    """Columns whose names differ only in a number or a letter at their end."""
    stems: dict[str, list[Profile]] = {}
    for p in group:
        stem = p.name.rstrip("0123456789")
        stems.setdefault(stem if stem != p.name else p.name[:-1], []).append(p)
    return [some for some in stems.values() if len(some) > 1]


def grids(facts: Facts) -> Iterator[Candidate]:
    """A column for each rater and variable, both ways round."""
    columns = [p for p in facts.columns if p.filled and not p.derived and not p.dated]
    for grid in splits(columns):
        for way in (grid, grid.turned()):
            variables = tuple(v for name in way.second if (v := variable_of(way, name)) is not None)
            if variables:
                key = key_of(facts, [p for v in variables for p in v.columns])
                yield Candidate(facts, "wide", key, None, variables, marks=grid if len(variables) > 1 else None)
        if set(grid.cells) == {(a, b) for a in grid.first for b in grid.second} and marked(grid):
            one = one_label(grid, facts.rows)
            if one is not None:
                cells = tuple(grid.cells.values())
                v = Variable("", cells, tuple(one.first))
                yield Candidate(facts, "marks", key_of(facts, cells), None, (v,), marks=one)


def variable_of(way: Grid, name: str) -> Variable | None:
    """The columns of one variable in a grid; None if they are not several, or hold ids of raters."""
    some = [(who, p) for who in way.first if (p := way.cells.get((who, name))) is not None and p.label_like]
    if len(some) < 2 or all(people(p.written)[0] >= 0.5 for _, p in some):
        return None
    return Variable(name, tuple(p for _, p in some), tuple(who for who, _ in some))


# other layouts


def counts(facts: Facts) -> Iterator[Candidate]:
    """How often each label was given to an item."""
    kept = [
        p for p in facts.columns if p.whole and not p.derived and p.filled == facts.n and normal(p.name) not in COUNTED
    ]
    kept = [p for p in kept if not (p.key and p.distinct > 20) and named(p.name, "item") < 0.8 and not p.about]
    ways = ([kept] if len(kept) > 1 else []) + [g for g in by_word(kept) if len(g) < len(kept)]
    for way in [*ways, *(g for g in below_total(facts) if g not in ways)]:
        key = key_of(facts, way)
        yield Candidate(facts, "counts", key, None, (Variable("", tuple(way)),))


UNANIMOUS = 0.1
"""The least share of items with a single label, where a column of totals is to show that others are counts."""


def below_total(facts: Facts) -> list[list[Profile]]:
    """Neighbouring columns of whole numbers whose sum is another column's, the same in many rows, whatever they are
    called.
    """
    able = [p for p in facts.columns if p.whole and p.full][:WIDE]
    numbers = {p: p.number[p.codes] for p in able if p.number is not None}
    found = []
    for total in filter(often, able):
        rest = [p for p in able if p is not total]
        for i in range(len(rest)):
            sums = np.cumsum([numbers[p] for p in rest[i:]], axis=0)
            n = next((j for j, x in enumerate(sums) if j and np.array_equal(x, numbers[total])), 0)
            parts = [numbers[p] for p in rest[i : i + n + 1]]
            if n and all(x.any() for x in parts) and (np.max(parts, axis=0) == sums[n]).mean() >= UNANIMOUS:
                found.append(rest[i : i + n + 1])
    return found


def often(p: Profile) -> bool:
    """Whether one number above 1 stands in many rows, as the number of an item's votes does."""
    count = np.bincount(p.codes)
    return p.number is not None and bool(count.max() >= max(5, 0.3 * len(p.codes)) and p.number[count.argmax()] > 1)


def by_word(columns: Sequence[Profile]) -> list[list[Profile]]:
    """Columns whose names begin, or end, with the same word."""
    made: dict[str, list[Profile]] = {}
    for p in columns:
        parts = [x for x in p.name.replace("-", "_").replace(" ", "_").replace(".", "_").split("_") if x]
        for part in {parts[0], parts[-1]} if len(parts) > 1 else set():
            made.setdefault(part.lower(), []).append(p)
    return [g for g in made.values() if len(g) > 1]


def contingency(facts: Facts) -> Iterator[Candidate]:
    """A square table of two raters: rows and columns are named by labels, and cells hold counts."""
    first, rest = facts.columns[0], facts.columns[1:]
    rows = [row[first.column] for row in facts.rows]
    if (
        len(rest) > 1
        and sorted(map(str, rows)) == sorted(p.name for p in rest)
        and all(p.whole and p.full for p in rest)
    ):
        yield Candidate(facts, "contingency", (), None, (Variable("", rest),))


def transposed(facts: Facts) -> Iterator[Candidate]:
    """Raters in rows, each with a row of answers, as survey tools write them."""
    if facts.n > 400:
        return
    for rater in persons(facts)[:2]:
        rest = [p for p in facts.columns if p.column != rater.column and p.filled and normal(p.name) not in SURVEY]
        items = shared_values([p for p in rest if not (p.derived or p.nested or p.dated or p.about or p.text)])
        if len(items) > 1:
            yield Candidate(facts, "wide", tuple(items), rater, (Variable("", tuple(items)),), rows=True)


def persons(facts: Facts) -> list[Profile]:
    """The columns that name each row by a person, or by what a survey tool calls one."""
    keys = [p for p in facts.columns if p.key and not p.continuous and not p.text]
    found = [p for p in keys if named(p.name, "rater") or normal(p.name) in IDENTITY or people(p.written)[0] >= 0.5]
    survey = [p for p in facts.columns if normal(p.name) in SURVEY]
    if found or not (survey or any(p.dated and ":" in p.written[0] for p in facts.columns)):
        return found
    return [p for p in keys if not p.dated and (p not in survey or normal(p.name) == "responseid")][:1]


def shared_values(cells: Sequence[Profile]) -> list[Profile]:
    """The columns that share their values with others, and those numbered like them in which all are equal."""
    found = []
    for p in cells:
        others = frozenset().union(*(q.values for q in cells if q is not p))
        if len(p.values & others) >= 0.5 * len(p.values) and not (p.number is not None and p.distinct > 20):
            found.append(p)
    stems = {p.name.rstrip("0123456789") for p in found}
    same = [
        p
        for p in cells
        if len(stems) == 1 and p.distinct == 1 and p.filled > 1 and p.name.rstrip("0123456789") in stems
    ]
    return [p for p in cells if p in found or p in same]


SHEET = "sheet"
"""The column that says on which sheet a row stood, where several sheets have the same columns."""


def questions_in_rows(facts: Facts) -> list[tuple[Profile, tuple[Profile, ...]]]:
    """Columns that say which question a row answers, each with what names the items beside it: the sheet on which a row
    stood, or a column called as questions are that every item has nearly all of.
    """
    if "questions" not in facts._made:
        found = []
        for q in facts.columns:
            if (q.name != SHEET and normal(q.name) not in ASKED) or not q.full or not 1 < q.distinct <= 100 or q.text:
                continue
            keys = [p for p in facts.columns if p is not q and p.full and facts.once(q, p) == 1.0 and not p.continuous]
            if q.name != SHEET:
                keys = [p for p in keys if q.distinct <= (n := facts.together(p)[1]) and facts.n > 0.9 * n * q.distinct]
            if keys or q.name == SHEET:
                found.append((q, tuple(sorted(keys, key=lambda p: -named(p.name, "item"))[:1])))
        facts._made["questions"] = found
    made: list[tuple[Profile, tuple[Profile, ...]]] = facts._made["questions"]
    return made


def each_question(facts: Facts) -> Iterator[Candidate]:
    """Rows, or a sheet, for each variable, with a column for each rater."""
    for q, items in questions_in_rows(facts):
        for group in groups(facts):
            cells = [p for p in group if p is not q and p not in items and not p.about]
            for some in (cells, *by_stem(cells)):
                if len(some) > 1:
                    yield in_rows(facts, q, items, some)


def in_rows(facts: Facts, q: Profile, items: tuple[Profile, ...], some: Sequence[Profile]) -> Candidate:
    who = tuple(p.name for p in some)
    return Candidate(facts, "wide", items, None, tuple(Variable(v, tuple(some), who, v) for v in q.written), q)


def in_cells(facts: Facts) -> Iterator[Candidate]:
    """Cells that hold the labels of several raters."""
    one = label_cells(facts.columns, facts.rows)
    for cells in by_keys(facts.columns, facts.rows) if one is None else [one]:
        item = key_of(facts, [facts[cells.label]])
        yield Candidate(facts, "cells", item, None, (Variable("", (facts[cells.label],)),), cells=cells)


GENERATORS: tuple[Callable[[Facts], Iterator[Candidate]], ...] = (
    long, in_turn, anonymous, wide, grids, counts, contingency, transposed, in_cells, each_question,
)  # fmt: skip


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
