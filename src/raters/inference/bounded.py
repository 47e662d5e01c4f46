"""The interval of a figure that ends at 1: the jackknife on a scale on which the end is far away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.inference.limits import Interval, IntervalSpec
from raters.inference.statistic import Statistic
from raters.notes.note import Note

Array = NDArray[Any]
LEAST = 5
"""With fewer units of sampling there is no interval, unless all of them agree."""


@dataclass(frozen=True)
class Bounded:
    """A scale for figures that end at 1, and at ``floor`` if that is not infinite."""

    to: Callable[[Array], Array]
    back: Callable[[Array], Array]
    slope: Callable[[float], float]
    """The derivative of ``back`` where the figure has this value."""
    floor: float = -np.inf
    lowest: float = -np.inf
    """Lower limits are cut here."""


LOGIT = Bounded(special.logit, special.expit, lambda x: x * (1 - x), floor=0.0, lowest=0.0)
LOG_REST = Bounded(lambda x: -np.log(1 - x), lambda z: 1 - np.exp(-z), lambda x: 1 - x, lowest=-1.0)
"""For shares, and for figures corrected for chance."""


def by_bounded(stat: Statistic, value: float, spec: IntervalSpec, scale: Bounded, n: float, unit: str) -> Interval:
    """Leave out one unit at a time; t with one degree of freedom less than there are units. Values are kept 1 / (2 n)
    from the ends of the scale. Where all units agree, or disagree, completely, the limit is that of a proportion.
    """
    d, miss = float(stat.weight.sum()), (1 - spec.level) / 2
    if not np.isfinite(value) or d < 2:
        why = () if not np.isfinite(value) else (Note("few_documents", {"n": int(d), "least": LEAST, "unit": unit}),)
        return Interval(np.nan, np.nan, np.nan, "stabilised", why)
    if value == 1:
        return Interval(miss ** (1 / d), 1.0, np.nan, "stabilised")
    if value == scale.floor:
        return Interval(scale.floor, 1 - miss ** (1 / d), np.nan, "stabilised")
    if d < LEAST:
        few = Note("few_documents", {"n": int(d), "least": LEAST, "unit": unit})
        return Interval(np.nan, np.nan, np.nan, "stabilised", (few,))
    left = stat.left_out()
    if not np.isfinite(left).all():
        return Interval(np.nan, np.nan, np.nan, "stabilised", (Note("one_document_matters", {"unit": unit}),))
    room = 1 / (2 * n)
    each = scale.to(np.clip(left, scale.floor + room, 1 - room))
    z = float(scale.to(np.clip(np.array(value), scale.floor + room, 1 - room)))
    gap = each - np.average(each, weights=stat.weight)
    se = float(np.sqrt((d - 1) / d * (stat.weight @ gap**2)))
    reach = float(special.stdtrit(d - 1, (1 + spec.level) / 2)) * se
    low, high = (float(scale.back(np.array(x))) for x in (z - reach, z + reach))
    return Interval(max(low, scale.lowest), high, se * scale.slope(value), "stabilised")
