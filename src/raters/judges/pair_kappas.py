"""Kappas of many pairs of raters as functions of sums over items, so that all use the same bootstrap samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.judges.people_and_judges import Sides
from raters.scales import agreement_kernel

Array = NDArray[Any]
FEW = 20
"""Up to this many different values, numbers are compared as labels (plain kappa); beyond that, by squared differences."""


@dataclass(frozen=True, eq=False)
class PairKappa:
    """Cohen's kappa of two columns of codes, plain or weighted."""

    name: str
    k: int
    values: Array
    matrix: Array | None
    """(label, label): agreement weights; None for squared differences of the values."""

    @property
    def width(self) -> int:
        return 6 if self.matrix is None else 2 + 2 * self.k

    def terms(self, a: Array, b: Array, rows: Array, n: int) -> sparse.csr_array:
        """(item, sum) for two columns of codes of the items ``rows``; -1 means no label."""
        both = (a >= 0) & (b >= 0)
        a, b, rows = a[both], b[both], rows[both]
        one = np.ones(len(rows))
        if self.matrix is None:
            x, y = self.values[a], self.values[b]
            cells = np.stack([one, (x - y) ** 2, x, y, x**2, y**2], 1)
            at = np.broadcast_to(np.arange(6), cells.shape)
        else:
            cells = np.stack([one, self.matrix[a, b], one, one], 1)
            at = np.stack([0 * a, 0 * a + 1, 2 + a, 2 + self.k + b], 1)
        place = (np.repeat(rows, cells.shape[1]), at.ravel())
        return sparse.coo_array((cells.ravel(), place), (n, self.width)).tocsr()

    def kappas(self, flat: Array) -> tuple[Array, Array, Array]:
        """(replicate, pair) each: items, observed agreement, kappa, from (replicate, pair * width) sums."""
        sums = flat.reshape(len(flat), -1, self.width)
        n = sums[..., 0]
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.matrix is None:
                d, x, y, xx, yy = (sums[..., i] / n for i in range(1, 6))
                expected = xx + yy - 2 * x * y
                return n, 1 - d, np.where(expected > 1e-12, 1 - d / expected, np.nan)
            observed = sums[..., 1] / n
            left, right = (sums[..., 2 + i * self.k : 2 + (i + 1) * self.k] / n[..., None] for i in (0, 1))
            expected = ((left @ self.matrix) * right).sum(-1)
            room = 1 - expected
            return n, observed, np.where(room > 1e-12, (observed - expected) / room, np.nan)


def pair_kappa(s: Sides, weights: Any) -> PairKappa:
    """The kappa by which pairs are compared: as requested; by default plain for labels and few numbers, MASI for sets."""
    k = len(s.labels)
    if weights is None and s.scale == "sets":
        weights = "masi"
    if weights is None and s.scale != "nominal" and k > FEW:
        return PairKappa("quadratic", k, s.values - s.values.mean(), None)
    if weights in (None, "identity"):
        return PairKappa("identity", k, s.values, np.eye(k))
    kernel = agreement_kernel(weights, s.values, s.labels, None)
    return PairKappa(kernel.name, k, s.values, np.asarray(full(kernel, k)))


def full(kernel: Any, k: int) -> Array:
    """(label, label): the matrix of a kernel."""
    features = np.eye(k) if kernel.features is None else kernel.features
    form = np.eye(features.shape[1]) if kernel.form is None else kernel.form
    return np.asarray((features @ form) @ features.T)


@dataclass(frozen=True)
class Correlation:
    """Pearson's correlation with the mean of the others, for numbers."""

    width: int = 6

    def terms(self, x: Array, y: Array, rows: Array, n: int) -> sparse.csr_array:
        """(item, sum) for two columns of numbers."""
        cells = np.stack([np.ones(len(rows)), x * y, x, y, x**2, y**2], 1)
        at = np.broadcast_to(np.arange(6), cells.shape)
        return sparse.coo_array((cells.ravel(), (np.repeat(rows, 6), at.ravel())), (n, 6)).tocsr()

    def kappas(self, flat: Array) -> tuple[Array, Array, Array]:
        sums = flat.reshape(len(flat), -1, 6)
        n = sums[..., 0]
        with np.errstate(invalid="ignore", divide="ignore"):
            xy, x, y, xx, yy = (sums[..., i] / n for i in range(1, 6))
            spread = (xx - x**2) * (yy - y**2)
            return n, n * np.nan, np.where(spread > 1e-14, (xy - x * y) / np.sqrt(np.maximum(spread, 1e-300)), np.nan)


def mean_by_items(n: Array, kappa: Array) -> Array:
    """The mean over pairs, weighted by their items, without undefined pairs."""
    there = np.isfinite(kappa) & (n > 0)
    total = (n * there).sum(-1)
    return np.asarray(np.where(total > 0, (n * np.where(there, kappa, 0)).sum(-1) / np.maximum(total, 1), np.nan))


def mean_of(kappa: Array) -> Array:
    """The unweighted mean, without undefined values."""
    there = np.isfinite(kappa)
    return np.asarray(np.where(there.any(-1), np.where(there, kappa, 0).sum(-1) / np.maximum(there.sum(-1), 1), np.nan))
