"""Two sides of raters, named groups or camps that the data show, and the items that split exactly between them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from raters.agree.camps import SplitItems, split_items
from raters.annotations import counted
from raters.errors import RatersError
from raters.estimate import Estimate, EstimateTable, name_of, shown
from raters.items import python_values
from raters.models.follow_up.why import Contribution, Why
from raters.reliability.variance.bland_altman import bland_altman
from raters.reporting.context import SETTLED, Context
from raters.reporting.document import OPEN, Figure, percent

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
        f"Of {items.compared:,} items on which labels differ, {n} {'splits' if len(items.items) == 1 else 'split'}"
        f" exactly by {_by(found)}: {'; '.join(ways)}{more}. If labels had been assigned to raters at random,"
        f" {_about(items.by_chance)} would."
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


PREVALENCE, NOTHING, BETWEEN, WEIGHT = "prevalence", "nothing", "between", "weight"


def strongest(why: Why) -> Contribution | None:
    """The label with the most weight."""
    return max(why.contributions, key=lambda x: x.weight, default=None)


def between(why: Why, order: Sequence[Any]) -> bool:
    """Whether the model's label of an ordered scale lies between labels that raters gave, so that both sides speak for
    it.
    """
    place = {label: i for i, label in enumerate(order)}
    at = place.get(why.label)
    given = [place[c.label] for c in why.contributions if c.label in place]
    return at is not None and bool(given) and min(given) < at < max(given)


def kind_of_reason(why: Why, order: Sequence[Any] = ()) -> str:
    """What decides about an item, in a word; ``order``: of an ordered scale."""
    most = strongest(why)
    if why.by_prevalence:
        return PREVALENCE
    if most is None:
        return NOTHING
    return BETWEEN if most.label != why.label and between(why, order) else WEIGHT


def reason(why: Why, order: Sequence[Any] = ()) -> str:
    """What decides about an item, for a table: its prevalence, or the rater whose label weighs most; ``order``: of an
    ordered scale.
    """
    most = strongest(why)
    said = {
        PREVALENCE: f"{why.label} is much the more common label, and each label counts for {why.power:.1g} of one",
        NOTHING: "no label was counted",
        BETWEEN: f"{why.label} lies between the labels given",
        WEIGHT: "" if most is None else f"most weight: {most.rater} said {most.label}",
    }
    return said[kind_of_reason(why, order)]


def model_note(c: Context, item: Any) -> str:
    """What the model of the raters says of an item, and why; where two sides disagree, whose side it takes."""
    fit = c.fit
    if isinstance(fit, str) or not fit.definition.likelihood or item not in fit.labels:
        return ""
    why = fit.why(item)
    sure = percent(float(why.certainty))
    if (side := _side(c, str(item), why.label)) is not None:
        return (
            f"The model takes the side of {side}: {why.label} with a probability of {sure}. Which view counts is your"
            " decision."
        )
    told = f"Model: {why.label} ({sure})"
    most = strongest(why)
    if why.by_prevalence:
        return f"{told}, mainly because {why.label} is the more common label."
    if most is None:
        return f"{told}."
    if most.label == why.label:
        return f"{told}; most weight: {most.rater}."
    if c.ann.scale.ranks and between(why, c.ann.labels):
        given = Counter(x.label for x in why.contributions)
        usual = given[why.label] == max(given.values())
        return f"{told}." if usual else f"{told}, because {why.label} lies between the labels given."
    return f"{told}; the strongest evidence for it is that {most.rater} says {most.label}."


def _side(c: Context, item: str, label: Any) -> str | None:
    """The side whose label the model gives to an item that splits exactly."""
    there = split(c)
    if there is None or item not in there[1].items:
        return None
    found, items = there
    return next(
        (name for name, own in zip(found.names, items.items[item], strict=True) if str(own) == str(label)), None
    )


def split_yet_settled(c: Context) -> list[str]:
    """Items that split exactly between two sides, but which a model calls settled: it has then chosen a side. Few are
    no finding.
    """
    there = split(c)
    if there is None or isinstance(c.fit, str) or not c.fit.definition.likelihood:
        return []
    sure = {str(x): bool(p >= SETTLED) for x, p in zip(c.fit.items, np.nan_to_num(c.fit.certainty), strict=True)}
    found = [x for x in there[1].items if sure.get(x)]
    return found if len(found) >= LEAST else []


def settled_by_side(c: Context) -> list[str]:
    """How many settled labels are the view of one side alone."""
    found, there = split_yet_settled(c), split(c)
    if not found or there is None or isinstance(c.fit, str):
        return []
    given = {str(x): label for x, label in c.fit.labels.items()}
    taken = {_side(c, x, given[x]) for x in found}
    one = next(iter(taken)) if len(taken) == 1 else None
    whose = "" if one is None else f", and their label is that of {one}"
    return [
        f"{len(found):,} of the settled items split exactly by {there[0].what}{whose}. The model calls them settled"
        " because it gives some raters more weight than others; if the other view counts, they have the other label."
    ]


def limits_of_two(c: Context) -> EstimateTable | None:
    """The limits of agreement; None unless there are two raters, whose labels are numbers."""
    if not c.ann.scale.amounts or c.ann.n_raters != 2:
        return None
    try:
        found = bland_altman(c.ann, level=c.level, interval=c.interval and "auto")
    except RatersError:
        return None
    return found if all(math.isfinite(e.value) for e in found) else None


def apart(c: Context) -> Figure | None:
    """The same as a figure of the first screen."""
    found = limits_of_two(c)
    if found is None:
        return None
    bias, low, high = (found[name] for name in ("bias", "lower limit", "upper limit"))
    one, other = (str(bias.details[k]) for k in ("rater_a", "rater_b"))
    more = "higher" if bias.value > 0 else "lower"
    shift = (
        f"On average, {one!r} gives labels that are {shown(abs(bias.value), 2)} {more} than those of {other!r}."
        if bias.low > 0 or bias.high < 0 or not math.isfinite(bias.low)
        else (
            f"Neither is shown to give higher labels than the other (mean difference {shown(bias.value, 2)};"
            f" {bias.level:.0%} interval {shown(bias.low, 2)} to {shown(bias.high, 2)})."
        )
    )
    text = f"Limits of agreement: about 95% of the differences ({one!r} minus {other!r}) lie between them. {shift}"
    shows = f"{shown(low.value, 2)} to {shown(high.value, 2)}"
    return Figure("How far two labels lie apart", shows, "95% of the differences", OPEN, text)


def settled_and_right(c: Context) -> str:
    """How many of the settled labels are right, and how many of all, where a gold column says so."""
    if c.gold is None:
        return "only gold labels can show that."
    check = c.gold[1]
    settled, all_ = check.settled, f"of all {check.n_items:,} labels that have a gold label, {_right(check[0])}."
    if settled is None:
        return all_
    return f"of the {settled.n_items:,} settled labels that have a gold label, {_right(settled)}; {all_}"


def _right(e: Estimate) -> str:
    return f"{e.value:.0%} are right ({e.low:.0%} to {e.high:.0%})"


def gold_sentence(c: Context) -> str:
    """How many labels are right, where a column of the table knows."""
    if c.gold is None:
        return ""
    column, check = c.gold
    all_, top = check[0], check.settled
    said = (
        f"Against the {check.n_items:,} gold labels in column {column.name!r}, which were not used to fit the model,"
        f" {all_.value:.1%} of the labels are right ({all_.low:.1%} to {all_.high:.1%})"
    )
    if top is None:
        return f"{said}."
    return (
        f"{said}, and of the {top.n_items:,} that are settled at {SETTLED:.0%}, {top.value:.1%} ({top.low:.1%} to"
        f" {top.high:.1%})."
    )
