"""Arithmetic that all families share: logarithms, posteriors from scores, shares from counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from raters.errors import UsageError
from raters.models.base.votes import Votes

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
    p = np.fmax(p, 0)  # nan, of which nothing is known, is 0
    each = np.log2(np.maximum(p, np.finfo(float).tiny))
    each *= p
    return np.asarray(-row_sums(each.reshape(math.prod(p.shape[:-1]), p.shape[-1])).reshape(p.shape[:-1]) + 0.0)


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


Params = Mapping[str, Array]
"""The parameters of a model, by name."""
CHUNK = 1 << 16
"""Cells of a table processed at a time."""
MOST_STATED = 0.9999
"""Beyond this nothing is said to be settled: no model holds to the fifth decimal."""
FEW_COLUMNS = 8
"""Rows shorter than this are summed column by column: numpy adds them in the same order, so the sums are the same to
the last bit.
"""
LEAST = -1e4
"""Replaces log 0, which a perfect rater has without smoothing, so that differences stay defined."""


def log(x: Array) -> Array:
    """Logarithm with log 0 = -inf, without numpy's warning."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(x))


def normalised(scores: Array, gold: Array | None = None, weight: Array | None = None) -> tuple[Array, float]:
    """(item, label) log joint probabilities as posteriors, and their log-likelihood.

    ``gold``: (item,) codes, -1 for none; a gold item is certain, and counts by the joint probability of its label.
    Computed in place, in log space, so that 500 labels per item do not underflow.

    >>> q, log_likelihood = normalised(np.log([[0.00975, 0.0768]]))
    >>> q.round(2).tolist()
    [[0.11, 0.89]]
    """
    if gold is not None:
        at = np.flatnonzero(gold >= 0)
        known = scores[at, gold[at]]
        scores[at] = -np.inf
        scores[at, gold[at]] = known
    total = 0.0
    step = max(1, CHUNK // max(scores.shape[1], 1))
    for i in range(0, len(scores), step):
        t = scores[i : i + step].T.copy()  # (label, item): reductions over the long axis are much faster
        top = t.max(0)
        possible = np.isfinite(top)
        if not (every := bool(possible.all())):
            top[~possible] = 0
        t -= top
        np.exp(t, out=t)
        size = t.sum(0)
        logs = top + (np.log(size) if every else log(size))  # at least 1 if every item is possible
        if weight is not None:  # an item with weight 0 may be impossible
            logs = np.where(weight[i : i + step] > 0, logs, 0) * weight[i : i + step]
        total += float(logs.sum())
        if every:
            t /= size
        else:
            t[:, size == 0] = 1 / len(t)
            t /= np.where(size > 0, size, 1)
        scores[i : i + step] = t.T
    return scores, total


def row_sums(x: Array) -> Array:
    """(row,): sums over a second axis that is usually short, column by column: numpy's own sum of rows takes ten times
    as long.

    >>> row_sums(np.array([[1.0, 3.0], [0.0, 2.0]])).tolist()
    [4.0, 2.0]
    """
    if not 0 < x.shape[1] < FEW_COLUMNS:
        return np.asarray(x.sum(1))
    total = x[:, 0].copy()
    for k in range(1, x.shape[1]):
        total += x[:, k]
    return total


def rows_to_one(counts: Array) -> Array:
    """Counts as shares over the last axis; equal shares if all counts are zero.

    >>> rows_to_one(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    total = counts.sum(-1, keepdims=True)
    if (total > 0).all():
        return np.asarray(counts / total)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(total > 0, counts / total, 1 / counts.shape[-1]))


def winners(counts: Array) -> Array:
    """(item, label): 1 for the label with the most votes, split among tied labels.

    >>> winners(np.array([[2.0, 1.0, 0.0], [1.0, 0.0, 1.0]])).tolist()
    [[1.0, 0.0, 0.0], [0.5, 0.0, 0.5]]
    """
    best = counts == counts.max(1, keepdims=True, initial=0)
    return np.asarray(best / np.maximum(best.sum(1, keepdims=True), 1))


def expected_counts(votes: Votes, q: Array) -> Array:
    """(rater, true label, given label): how often each label was given for each truth, in expectation."""
    k = votes.n_labels
    return np.asarray(votes.columns @ votes.weighted_items(q)).reshape(votes.n_raters, k, k).swapaxes(1, 2)


def limits(shape: Array, level: float) -> tuple[Array, Array]:
    """Equal-tailed limits of each share whose row is Dirichlet(shape), from its Beta margin."""
    if shape.shape[-1] == 1:
        return np.ones_like(shape), np.ones_like(shape)
    rest, (low, high) = shape.sum(-1, keepdims=True) - shape, tails(level)
    return np.asarray(betaincinv(shape, rest, low)), np.asarray(betaincinv(shape, rest, high))


def stated(sure: Array, gold: Array | None, n: Array, labels: int) -> Array:
    """(item,): how far a label is said to be settled: never in full, unless gold says it.

    Where there is only one label so far, one that nobody has given yet might win: with all shares of it alike before
    the data, the chance that it does not is
    :math:`1 - 2^{-(n + 1)}` after n labels.

    >>> stated(np.array([1.0, 0.7]), None, np.array([3, 3]), 2).tolist()
    [0.9999, 0.7]
    >>> stated(np.array([1.0]), None, np.array([3]), 1).tolist()
    [0.9375]
    """
    most = np.minimum(1 - 0.5 ** (n + 1.0), MOST_STATED) if labels == 1 else np.full(len(sure), MOST_STATED)
    return np.asarray(np.minimum(sure, most if gold is None else np.where(gold >= 0, 1.0, most)))
