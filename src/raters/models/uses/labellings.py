"""Whole labellings drawn from the posterior."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.fitted_model import FittedModel
from raters.models.uses.requests import whole

Array = NDArray[Any]


def labellings(c: FittedModel, n: int, seed: int) -> Array:
    """(n, item): a label for each item, drawn by its probability; for numbers, a value. None (nan) if an item has no label."""
    n, seed = whole("n", n, 1), whole("seed", seed, 0)
    rng = np.random.default_rng(seed)
    if c.numeric:
        mean, sd = c.posterior.T
        values = mean + sd * rng.standard_normal((n, len(mean)))
        return np.asarray(np.where(c._labelled, values, np.nan))
    upto = np.cumsum(c.posterior, 1)
    codes = (upto[None] < rng.random((n, len(upto), 1))).sum(-1).clip(max=c.votes.n_labels - 1)
    names = np.empty(c.votes.n_labels + 1, dtype=object)
    names[:-1] = c.votes.labels
    return np.asarray(names[np.where(c._labelled, codes, -1)])
