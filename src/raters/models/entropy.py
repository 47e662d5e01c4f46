"""Entropy and mutual information in bits, and the quantiles of an interval."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError

Array = NDArray[Any]


def tails(level: float) -> tuple[float, float]:
    """The two quantiles of an equal-tailed interval.

    >>> [round(x, 3) for x in tails(0.95)]
    [0.025, 0.975]
    """
    if not 0 < level < 1:
        raise UsageError(f"level={level} is not between 0 and 1; 0.95 is usual.")
    return (1 - level) / 2, (1 + level) / 2


def bits(p: Array) -> Array:
    """Entropy over the last axis, in bits; 0 log 0 = 0.

    >>> bits(np.array([[0.5, 0.5], [1.0, 0.0]])).tolist()
    [1.0, 0.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(-np.where(p > 0, p * np.log2(np.where(p > 0, p, 1)), 0).sum(-1) + 0.0)


def mutual(confusion: Array, prevalence: Array) -> Array:
    """(...,): mutual information of a label and the truth, in bits, for (..., true, given) matrices.

    >>> theta = np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> round(float(mutual(theta, np.array([0.2, 0.8]))), 3)
    0.253
    """
    margin = np.einsum("k,...kl->...l", prevalence, confusion)
    return np.asarray(np.maximum(bits(margin) - np.einsum("k,...k->...", prevalence, bits(confusion)), 0))


def expected_bits(q: Array, confusion: Array) -> Array:
    """(item, ...): expected bits that a label from each (..., true, given) matrix carries about items with posterior q.

    >>> expected_bits(np.array([[0.5, 0.5], [1.0, 0.0]]), np.eye(2)).tolist()
    [1.0, 0.0]
    """
    k = q.shape[-1]
    flat = np.moveaxis(confusion, -2, 0).reshape(k, -1)  # (true, ... * given): one product for all matrices
    margin = (q @ flat).reshape(len(q), *confusion.shape[:-2], confusion.shape[-1])
    return np.asarray(np.maximum(bits(margin) - q @ np.moveaxis(bits(confusion), -1, 0), 0))
