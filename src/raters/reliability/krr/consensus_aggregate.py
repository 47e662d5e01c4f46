"""Aggregates that look at the whole table: a consensus model is fitted to each half of the labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.agree.request import Request
from raters.annotations import Annotations
from raters.errors import UsageError
from raters.inference.statistic import Statistic
from raters.io import read
from raters.items.fold import Query
from raters.items.repeats import check_repeats
from raters.reliability.krr.aggregates import Aggregate
from raters.reliability.krr.resampling import collected

Array = NDArray[Any]
ByTable = Callable[[Annotations], Mapping[Any, Any]]
"""A table of annotations -> the label of every item."""
HOME = "raters.models.fit_consensus"
"""Where models live: above this package, so that it is looked up by name, and only when a model is asked for."""
DRAWS = 10


def model_aggregate(name: str, ties: str) -> Aggregate | None:
    """The consensus model of this name as an aggregate; None if there is no such model."""
    registry = import_module("raters.models.families.registry")
    if name not in registry.names(numbers=False):
        return None

    def labels(ann: Annotations) -> Mapping[Any, Any]:
        found: Mapping[Any, Any] = import_module(HOME).consensus(ann, model=name, restarts=0).labels
        return found

    return Aggregate(name, ties, table=labels)


def split_tables(
    req: Request, ann: Annotations, agg: Aggregate, k: int, draws: int | None, seed: int
) -> tuple[Statistic, int]:
    """Two disjoint draws of k labels of each item, raters kept; the model of each half; the coefficient between them."""
    if agg.table is None:
        raise UsageError(f"{agg.name} does not look at the whole table.")
    check_repeats(ann, None, None)
    query = Query(ann)
    rows, tables = query.coded("label_codes.code AS k, b.who AS who")
    got = query.run(f"SELECT item, who, k FROM ({rows}) AS r ORDER BY item, who, k", tables)
    new = np.ones(len(got["k"]), bool)
    new[1:] = got["item"][1:] != got["item"][:-1]
    item = np.cumsum(new) - 1
    size = np.bincount(item)
    kept = size >= 2 * k
    n, rng = draws or DRAWS, np.random.default_rng(seed)
    units = np.flatnonzero(kept)
    a, b = np.full((n, len(units)), -1), np.full((n, len(units)), -1)
    for d in range(n):
        order = np.lexsort((rng.random(len(item)), item))
        place = np.arange(len(item)) - np.repeat(np.cumsum(size) - size, size)
        for half, low in ((a, 0), (b, k)):
            at = order[(place >= low) & (place < low + k) & kept[item]]
            half[d] = _labels(ann, agg.table, item[at], got["who"][at], got["k"][at])[units]
    return collected(req, ann, agg, np.ones(len(units)), [(np.arange(len(units)), a, b)]), n


def _labels(ann: Annotations, table: ByTable, item: Array, rater: Array, code: Array) -> Array:
    """(item,): the code of each item's label, -1 where it has none."""
    half = read(
        {"item": item, "rater": rater, "label": code}, scale="nominal", labels=range(len(ann.labels)), duplicates="keep"
    )
    found = table(half)
    out = np.full(int(item.max()) + 1, -1)
    names = np.fromiter(found.keys(), np.int64, len(found))
    out[names] = [-1 if v is None else int(v) for v in found.values()]
    return out
