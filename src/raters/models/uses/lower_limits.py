"""Lower limits of the information that raters carry: a few lucky labels do not prove an expert."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.entropy import mutual
from raters.models.families.probabilities import rows_to_one
from raters.models.fitted_model import FittedModel

Array = NDArray[Any]
CELLS = 4_000_000
"""Random numbers drawn at a time."""
BISECTIONS, DRAWS = 30, 200
LIKE_THE_CROWD = 20.0
"""Prior labels in each row of a rater's matrix, distributed like the crowd's."""


def crowd(c: FittedModel) -> Array:
    """(true, given): the matrix of the whole crowd, raters weighted by their labels."""
    return rows_to_one(c.expected_counts.sum(0) + c.settings.smoothing)


def careful(c: FittedModel) -> Array:
    """(rater, true, given): matrices shrunk towards the rater's margin until they carry the lower 95 % limit of their bits."""
    value = mutual(c.confusion, c.prevalence)
    low = np.minimum(lower_bits(c), value)
    margin = np.einsum("k,rkl->rl", c.prevalence, c.confusion)[:, None, :]
    least, most = np.zeros(len(value)), np.ones(len(value))
    for _ in range(BISECTIONS):
        part = (least + most) / 2
        over = mutual(mixed(c.confusion, margin, part), c.prevalence) > low
        least, most = np.where(over, least, part), np.where(over, part, most)
    return mixed(c.confusion, margin, np.where(low >= value, 1.0, most))


def lower_bits(c: FittedModel) -> Array:
    """(rater,): the lower 95 % limit of the bits of a label; the prior is the crowd's matrix, worth a few labels in each row."""
    rng, shape = np.random.default_rng(c.settings.seed), c.expected_counts + LIKE_THE_CROWD * crowd(c)
    low = np.empty(len(shape))
    step = max(1, CELLS // (DRAWS * shape[0].size))
    for j in range(0, len(shape), step):
        drawn = rows_to_one(
            rng.standard_gamma(np.maximum(shape[j : j + step], 1e-6), (DRAWS, *shape[j : j + step].shape))
        )
        low[j : j + step] = np.quantile(mutual(drawn, c.prevalence), 0.05, axis=0)
    return low


def mixed(matrices: Array, margin: Array, part: Array) -> Array:
    """Mix this part of the matrices with the margin."""
    share = part[:, None, None]
    return np.asarray(share * matrices + (1 - share) * margin)
