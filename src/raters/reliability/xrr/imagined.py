"""The statistics of pools with one imaginary item that both pools, or one of them, labelled as items here are."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from raters.agree.small import FEW_VALUES, many_numbers, n_used
from raters.inference.family import Family, Imagined
from raters.inference.imaginary import imagine
from raters.inference.intervals import for_small
from raters.reliability.xrr.pools import Pools
from raters.reliability.xrr.statistics import CrossRequest, Maker
from raters.scales import along


def imagined_pools(asked: CrossRequest, pools: Pools, family: Family, per_label: bool) -> Imagined | None:
    """None where the interval is of another kind, and for many different numbers."""
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
