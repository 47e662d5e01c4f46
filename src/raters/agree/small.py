"""The basis of intervals in small studies: an imaginary item, or the jackknife for many different numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from raters.agree.request import Request
from raters.inference.imaginary import posterior
from raters.inference.intervals import Numbers, Small
from raters.inference.statistic import Statistic
from raters.items import Items, lift
from raters.scales import Kernel, along, row_of

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
    return Numbers(float(several @ r / several.sum()), posterior(used, along(kernel), seed, made))


def many_numbers(kernel: Kernel, items: Items) -> bool:
    """Whether labels are compared as numbers, and more than a few are in use."""
    row = row_of(kernel)
    return (kernel.by_ranks or (row is not None and row.of == "numbers")) and n_used(items) > FEW_VALUES


def n_used(items: Items) -> int:
    """How many different labels were given."""
    return len(items.labels) if items.moments is not None else len(np.unique(items.counts.indices % items.width))
