"""Intervals of cross-replication reliability over raters: one rater at a time is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.inference.family import Family, together
from raters.inference.intervals import Interval, IntervalSpec, student
from raters.reliability.xrr.pools import Pools
from raters.reliability.xrr.request import CrossRequest
from raters.reliability.xrr.statistics import RANGES, Maker, Pair

Array = NDArray[Any]
MOST_RATERS = 2000


def over_raters(
    asked: CrossRequest, pools: Pools, per_label: bool, pairs: Sequence[Pair], points: Array, spec: IntervalSpec
) -> list[Interval]:
    r"""The stratified jackknife: raters are units within their pools, and a rater leaves with all their labels.

    .. math:: v = \sum_p \frac{R_p - 1}{R_p} \sum_{r \in p} (\theta_{(r)} - \bar\theta_{(p)})^2

    with t on (number of raters - number of pools) degrees of freedom. A rater drawn twice would agree with their copy, so
    raters are left out instead of drawn with replacement. For ``sample="both"`` the variance over items is added.
    """
    if spec.method not in ("auto", "jackknife"):
        raise UsageError(
            "with raters as the sampling unit, xrr leaves one rater out at a time; use interval='jackknife'."
        )
    raters = np.flatnonzero(pools.pool_of >= 0)
    if len(raters) > MOST_RATERS:
        raise UsageError(f"{len(raters):,} raters are too many to leave out one at a time; use sample='items'.")
    left = {int(r): _without(asked, pools, per_label, pairs, int(r)) for r in raters}
    items = _over_items(pairs, points, spec) if asked.sample == "both" else np.zeros(len(points))
    found, size = [], len(RANGES)
    for i, pair in enumerate(pairs):
        own = [[left[int(r)][i] for r in np.flatnonzero(pools.pool_of == p)] for p in (pair.a, pair.b)]
        for j, (low, high) in enumerate(RANGES.values()):
            at = i * size + j
            of_items = float(items[at])
            found.append(_one(points[at], [np.array([row[j] for row in rows]) for rows in own], of_items,
                              replace(spec, lowest=low, highest=high)))  # fmt: skip
    return found


def _one(value: float, left: Sequence[Array], of_items: float, spec: IntervalSpec) -> Interval:
    if not np.isfinite(value):
        return Interval(np.nan, np.nan, np.nan, "jackknife")
    few = min(map(len, left)) < 2
    if few or not all(np.isfinite(x).all() for x in left):
        why = "a pool has only one rater" if few else "leaving out one rater makes the figure undefined"
        return Interval(np.nan, np.nan, np.nan, "jackknife", (f"no interval over raters: {why}",))
    variance = sum((len(x) - 1) / len(x) * float(((x - x.mean()) ** 2).sum()) for x in left) + of_items
    df = sum(len(x) - 1 for x in left)
    said = f"{df + len(left)} raters: one was left out at a time"
    found = student(float(value), float(np.sqrt(variance)), df + 1, spec, "jackknife")
    return replace(found, warnings=(*found.warnings, said))


def _without(asked: CrossRequest, pools: Pools, per_label: bool, pairs: Sequence[Pair], rater: int) -> list[Array]:
    """(pair, statistic): all figures without this rater."""
    pool_of = pools.pool_of.copy()
    pool_of[rater] = -1
    made = Maker(asked, replace(pools, pool_of=pool_of), per_label)
    found = []
    for pair in pairs:
        family = Family(list(made.pair(pair.a, pair.b).stats.values()))
        found.append(family.values(family.weight[None, :])[:, 0])
    return found


def _over_items(pairs: Sequence[Pair], points: Array, spec: IntervalSpec) -> Array:
    """(statistic,): the variance over items, one item left out at a time."""
    family = Family([s for pair in pairs for s in pair.stats.values()])
    ranges = [(-np.inf, np.inf)] * len(points)
    found = together(family, points, replace(spec, method="jackknife"), ranges)
    return np.array([i.se**2 for i in found])
