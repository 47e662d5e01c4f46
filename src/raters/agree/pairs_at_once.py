"""Agreement of all pairs of raters at once: the same few patterns, and a row of weights for each pair.

Two raters who give an item one label each show it with at most labels x labels patterns, whoever they are. So the coefficient of every pair
is one call on their tables of counts, which are one product of the whole fold with itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.estimating import as_given, described, entering, statistic
from raters.agree.request import Request
from raters.estimate import Estimate
from raters.items import Items
from raters.scales import Kernel

Array = NDArray[Any]
MOST_LABELS, MOST_COLUMNS = 30, 2_000
"""Above so many labels, or raters times labels, pairs are looked at one by one."""


def pairs_at_once(
    req: Request, items: Items, kernel: Kernel, pairs: Sequence[tuple[int, int]], told: tuple[str, ...]
) -> dict[tuple[int, int], Estimate]:
    """The estimates of pairs of raters that have a value, without intervals; empty where pairs must be looked at one by one."""
    if req.spec is not None or req.sample != "items" or not _plain(items):
        return {}
    both = _patterns(items)
    if not len(pairs) or len(entering(req, both, kernel).weight) < len(both.weight):
        return {}
    tables = _tables(items, pairs)
    found = statistic(req, both, kernel, len(items.labels)).parts(tables)
    if found.skipped is not None:
        return {}
    n = tables.sum(1)
    return {
        pair: _estimate(req, items, kernel, pair, (value, found.observed[i], found.expected[i]), int(n[i]), told)
        for i, (pair, value) in enumerate(zip(pairs, found.value.tolist(), strict=True))
        if np.isfinite(value)
    }


def _plain(items: Items) -> bool:
    """Whether raters gave one label each, of few labels."""
    few = items.width <= MOST_LABELS and items.counts.shape[1] <= MOST_COLUMNS
    return few and items.moments is None and items.cluster is None and items.once


def _patterns(items: Items) -> Items:
    """One pattern for each label of the one and label of the other."""
    k = items.width
    one, other = np.divmod(np.arange(k * k), k)
    columns = np.stack([one, k + other], -1).ravel()
    counts = sparse.csr_array((np.ones(2 * k * k), columns, np.arange(0, 2 * k * k + 1, 2)), (k * k, 2 * k))
    return Items(np.ones(k * k), counts, items.labels, ("one", "other"), n_raters=2)


def _tables(items: Items, pairs: Sequence[tuple[int, int]]) -> Array:
    """(pair, label of the one * label of the other): on how many items both labels meet."""
    k, c = items.width, items.counts
    meet = (c.T @ sparse.diags_array(items.weight) @ c).toarray().reshape(len(items.groups), k, len(items.groups), k)
    one, other = np.array(pairs).T
    return np.asarray(meet[one, :, other, :]).reshape(len(pairs), -1)


def _estimate(
    req: Request,
    items: Items,
    kernel: Kernel,
    pair: tuple[int, int],
    parts: tuple[Any, Any, Any],
    n: int,
    told: tuple[str, ...],
) -> Estimate:
    a, b = (items.groups[g] for g in pair)
    return Estimate(
        value=parts[0], observed=as_given(parts[1], kernel), expected=as_given(parts[2], kernel), interval=None, warnings=told,
        n_items=n, n_raters=2, n_annotations=2 * n, details={"rater_a": a, "rater_b": b}, **described(req, kernel, f"{a} v. {b}"),
    )  # fmt: skip
