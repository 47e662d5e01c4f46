"""The statistics of pools with one imaginary item that both pools, or one of them, labelled like the items here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.agree.estimating import FEW_VALUES, many_numbers, n_used
from raters.inference.family import Family, Imagined, together
from raters.inference.intervals import FEW_ITEMS, MANY_ITEMS, Interval, IntervalSpec, for_small
from raters.inference.prior_item import imagine
from raters.reliability.xrr.pools import Pools
from raters.reliability.xrr.request import CrossRequest
from raters.reliability.xrr.statistics import Maker
from raters.scales import along

Array = NDArray[Any]

RATIOS = ("normalized", "normalized_by_x", "normalized_by_y", "rho")
"""Figures that an imaginary item biases downwards by more than the error of the bootstrap: its interval covered normalised kappa_x in .82 of studies, the bootstrap in .90."""


def with_ratios(
    family: Family,
    points: Array,
    spec: IntervalSpec,
    ranges: Sequence[tuple[float, float]],
    found: Sequence[Interval],
    names: Sequence[str],
) -> list[Interval]:
    """These intervals, with those of ratios by the bootstrap; on few items, a warning states their coverage."""
    if spec.method != "auto":
        return list(found)
    again = together(family, points, replace(spec, method="bootstrap"), ranges)
    if family.weight.sum() < MANY_ITEMS:
        again = [replace(i, warnings=(*i.warnings, FEW_ITEMS)) if np.isfinite(i.low) else i for i in again]
    return [b if name in RATIOS else a for a, b, name in zip(found, again, names, strict=True)]


def imagined_pools(asked: CrossRequest, pools: Pools, family: Family, per_label: bool) -> Imagined | None:
    """None if another kind of interval was requested, and for many different numbers."""
    made = Maker(asked, pools, per_label)
    kernel = made.kernel(asked.cross)
    numbers = many_numbers(kernel, pools.items) or (made.by_ranks and n_used(pools.items) > FEW_VALUES)
    if not for_small(family.stats[0], asked.spec) or numbers:
        return None
    items, base = imagine(pools.items, along(kernel) or made.by_ranks, asked.spec.seed if asked.spec else 0)
    if items.width != pools.items.width:
        return None
    wide = Maker(asked, replace(pools, items=items), per_label)
    pairs = [wide.pair(a, b) for a, b in combinations(range(len(pools.names)), 2)]
    return Imagined(Family([s for pair in pairs for s in pair.stats.values()]), base)
