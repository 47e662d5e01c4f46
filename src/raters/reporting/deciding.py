"""What decides the label that a model gives to an item, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from raters.models.follow_up.why import Contribution, Why
from raters.reporting.cells import percent
from raters.reporting.context import SETTLED, Context
from raters.reporting.sides import LEAST, split

PREVALENCE, NOTHING, BETWEEN, WEIGHT = "prevalence", "nothing", "between", "weight"


def strongest(why: Why) -> Contribution | None:
    """The label with the most weight."""
    return max(why.contributions, key=lambda x: x.weight, default=None)


def between(why: Why, order: Sequence[Any]) -> bool:
    """Whether the model's label of an ordered scale lies between labels that raters gave, so that both sides speak for it."""
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
    """What decides about an item, for a table: its prevalence, or the rater whose label weighs most; ``order``: of an ordered scale."""
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
        return f"The model takes the side of {side}: {why.label} with a probability of {sure}. Which view counts is your decision."
    told = f"The model says {why.label} with a probability of {sure}"
    most = strongest(why)
    if why.by_prevalence:
        return f"{told}, mainly because {why.label} is the more common label."
    if most is None:
        return f"{told}."
    if most.label == why.label:
        return f"{told}; the rater with the most weight is {most.rater}, who says {most.label}."
    if c.ann.scale == "ordinal" and between(why, c.ann.labels):
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
    """Items that split exactly between two sides, but which a model calls settled: it has then chosen a side. Few are no finding."""
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
        f"{len(found):,} of the settled items split exactly by {there[0].what}{whose}. The model calls them settled because it gives some raters more weight than "
        "others; if the other view counts, they have the other label."
    ]
