"""The difference of a multi-label measure between two tables, each with an imaginary item of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.inference.differences import paired, unpaired
from raters.inference.family import Among, Derived
from raters.inference.intervals import Interval, IntervalSpec, interval
from raters.inference.prior_item import Posterior, imagine
from raters.inference.statistic import Statistic
from raters.items import Items
from raters.reliability.sets.statistics import statistics
from raters.reliability.sets.terms import Options, Sets, crowd

Array = NDArray[Any]


def within_table(items: Items, sets: Sets, measure: str) -> Statistic:
    """A measure of interchangeable raters as a function of the weights of all rows; rows without a set have no effect."""
    at = np.flatnonzero(items.per_item > 0)
    found = statistics(crowd(items.where(at), sets, Options()), Options())[0][measure]
    return Among(items.weight, found, at)


def imagined_table(items: Items, sets: Sets, measure: str, seed: int) -> Posterior:
    """The same with an imaginary item, whose sets come after all rows."""
    here = np.flatnonzero(items.per_item > 0)
    wide, base = imagine(items.where(here), False, seed)
    n, more = len(items.weight), len(base) - len(here)
    inner = statistics(crowd(wide, sets, Options()), Options())[0][measure]
    weight = np.append(items.weight, np.zeros(more))
    at = np.append(here, np.arange(n, n + more))
    return Posterior(Among(weight, inner, at), np.append(np.zeros(n), base[len(here) :]))


def with_imaginary(
    tables: Sequence[Items], sets: Sets, measure: str, shared: int, spec: IntervalSpec
) -> tuple[list[Interval], Interval, float]:
    """The intervals of both figures and of their difference, and the p of no difference, by the default method."""
    if not shared:  # each table has its own items
        tables = [x.where(np.flatnonzero(x.per_item > 0)) for x in tables]
    stats = [within_table(x, sets, measure) for x in tables]
    values = [float(s.parts(s.weight[None]).value[0]) for s in stats]
    small = [imagined_table(x, sets, measure, spec.seed) for x in tables]
    each = [interval(s, v, spec, small=one) for s, v, one in zip(stats, values, small, strict=True)]
    free = replace(spec, lowest=-np.inf, highest=np.inf)
    value = values[0] - values[1]
    if shared:
        found, p = paired(Derived(tuple(stats), np.subtract), value, free, (small[0], small[1]))
    else:
        found, p = unpaired(stats[0], stats[1], value, free, (small[0], small[1]))
    return each, found, p
