"""The items whose labels are farthest apart; among many items, they are found by their patterns, and only they are
fetched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.agreement import item_rows
from raters.agree.agreement_spec import request
from raters.agree.estimating import fixed, kernel_of, whole
from raters.annotations import Annotations
from raters.coefficients import DEFAULT
from raters.engines.patterns import Packing
from raters.estimate import Estimate
from raters.items import Items, fold, lift, python_values
from raters.items.bag import WIDE
from raters.items.folding import Query

Array = NDArray[Any]
MANY_ITEMS = 100_000
"""Above this number, items with few labels are not all fetched."""


@dataclass(frozen=True)
class HardItems:
    """The hardest items, the worst first, with the number of items that have two labels, and two that differ."""

    paired: int
    differ: int
    names: tuple[Any, ...]
    items: Items
    """The labels of each, in the order of ``names``."""


def hard_items(ann: Annotations, most: int) -> HardItems:
    """Up to ``most`` items whose labels differ, those with labels farthest apart first, ties in the order of the items'
    names.

    >>> from raters import examples
    >>> found = hard_items(examples.four_raters(), 2)
    >>> found.paired, found.differ, found.names
    (11, 3, (6, 2))
    """
    return _by_patterns(ann, most) if many_of_few_labels(ann) else _by_item(ann, most)


def many_of_few_labels(ann: Annotations) -> bool:
    """Whether the hardest of many items can be found by their patterns."""
    return ann.n_items > MANY_ITEMS and len(ann.labels) <= WIDE and _packing(ann).possible and not ann.scale.of_sets


def _by_item(ann: Annotations, most: int) -> HardItems:
    found = item_rows(ann)
    differ = np.diff(found.items.counts.indptr) > 1
    at = np.flatnonzero(differ)
    order = at[np.argsort(_closeness(found.observed[at], found.overall), kind="stable")][:most]
    names = tuple(found.names[i] for i in order)
    return HardItems(int(np.sum(found.r >= 2)), len(at), names, found.items.where(order))


def _closeness(observed: Array, overall: Estimate) -> Array:
    """Agreement, or disagreement with its sign reversed: the lowest value is the hardest item."""
    return observed if overall.parts == "agreement" else -observed


def _by_patterns(ann: Annotations, most: int) -> HardItems:
    """The same from the fold: find the hardest patterns, then the first items that show them."""
    req = request(DEFAULT, interval=None)
    bag = fold(ann)[None]
    x = lift(bag, fixed(kernel_of(req, ann), bag))
    at = np.flatnonzero(np.diff(bag.counts.indptr) > 1)
    observed = x.pair[at] / (x.r[at] * (x.r[at] - 1))
    level = np.unique(np.round(_closeness(observed, whole(req, ann)), 12), return_inverse=True)[1].ravel()
    shown = np.cumsum(np.bincount(level, bag.weight[at]))  # items up to each level
    kept = level <= np.searchsorted(shown, most)
    names, rows = _first_items(ann, bag.counts[at[kept]], level[kept], most)
    paired, differ = int(bag.weight[x.r >= 2].sum()), int(bag.weight[at].sum())
    return HardItems(paired, differ, names, Items(np.ones(rows.shape[0]), rows, ann.labels))


def _packing(ann: Annotations) -> Packing:
    return Packing(1, len(ann.labels), int(ann.per_item[2]).bit_length())


def _first_items(
    ann: Annotations, patterns: sparse.csr_array, level: Array, most: int
) -> tuple[tuple[Any, ...], sparse.csr_array]:
    """Names of the first items that show these patterns, by level and name, and the pattern of each."""
    if not patterns.shape[0] or most < 1:
        return (), patterns[:0]
    packing, query = _packing(ann), Query(ann)
    weights = packing.label_weights()
    words = {f"w{i}": patterns.toarray() @ weights[f"p{i}"] for i in range(packing.words)}
    rows, tables = query.coded(", ".join(f"label_codes.{p}" for p in weights), {"label": weights})
    of_item = f"SELECT item, {', '.join(packing.sums())} FROM ({rows}) AS r GROUP BY item"
    same = " AND ".join(f"i.{w} = hard.{w}" for w in words)
    got = query.run(
        f"SELECT i.item, hard.at FROM ({of_item}) AS i JOIN hard ON {same} ORDER BY hard.level, i.item LIMIT {most}",
        {**tables, "hard": {**words, "level": level, "at": np.arange(len(level))}},
    )
    return tuple(python_values(got["item"])), patterns[got["at"].astype(np.int64)]
