"""The basis of intervals in small studies: an imaginary item, or the jackknife for many different numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.agree.request import Request
from raters.inference.intervals import Interval, Numbers, Small, skewed_values
from raters.inference.prior_item import posterior
from raters.inference.statistic import Statistic
from raters.items import Items, lift
from raters.items.bag import collapse
from raters.scales import Kernel, along, row_of

Array = NDArray[Any]
FEW_VALUES = 20
"""Up to this many distinct numbers count as points of a scale, and an imaginary item can be added."""


def small_study(req: Request, used: Items, kernel: Kernel, make: Callable[[Items, Kernel], Statistic]) -> Small:
    """An imaginary item for labels, the jackknife for many different numbers; ``make``: from items to the statistic."""
    seed = req.spec.seed if req.spec else 0

    def made(items: Items) -> Statistic:
        return make(items, kernel if len(items.labels) == len(used.labels) else Kernel("identity", 1.0, total=2.0))

    if not many_numbers(kernel, used):
        return posterior(used, along(kernel), seed, made)
    r = lift(used, kernel, between_groups=len(used.groups) > 1).r
    several = used.weight * (r >= 2)
    said = () if kernel.by_ranks else skewed_values(item_means(used)[r >= 2], used.weight[r >= 2])
    return Numbers(float(several @ r / several.sum()), posterior(used, along(kernel), seed, made), said)


def item_means(items: Items) -> Array:
    """(pattern,): the mean of an item's numbers; from moments, relative to their common centre."""
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        if items.moments is not None:
            total = np.asarray(items.counts[:, 1 :: items.width].sum(1)).ravel()
        else:
            named = any(isinstance(x, str) for x in items.labels)  # points of a scale that have names
            values = np.arange(len(items.labels), dtype=float) if named else np.array(items.labels, float)
            total = np.asarray(collapse(items.counts, items.width) @ values).ravel()
        return np.asarray(total / items.per_item)


def without_disagreement(used: Items, value: float, found: Interval) -> tuple[str, ...]:
    """The warning for two labels and two raters who never differ: the lower limit then fails more often than stated."""
    if value < 1 or found.method != "imaginary" or not np.isfinite(found.low) or found.low >= 1:
        return ()
    if used.moments is not None or n_used(used) > 2 or used.per_item.max(initial=0) > 2:
        return ()
    return (
        "no two labels differ: if the true value were just below the interval, one study in 8 would still show no disagreement",
    )


def many_numbers(kernel: Kernel, items: Items) -> bool:
    """Whether labels are compared as numbers, and more than a few are in use."""
    row = row_of(kernel)
    return (kernel.by_ranks or (row is not None and row.of == "numbers")) and n_used(items) > FEW_VALUES


def n_used(items: Items) -> int:
    """How many different labels were given."""
    return len(items.labels) if items.moments is not None else len(np.unique(items.counts.indices % items.width))
