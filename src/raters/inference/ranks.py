"""kappa_x on ordinal scales: Krippendorff's ordinal distance between two groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.coefficients.base import Parts
from raters.inference.statistic import through_ranks, without_each
from raters.items import Items

Array = NDArray[Any]
CELLS = 4_000_000


@dataclass(frozen=True)
class CrossRanks:
    r"""Squared differences of the mid-ranks of both groups' labels together, which change with the weights.

    Ranks are shares of all labels, in [0, 1], so that disagreement does not grow with the number of items.

    .. math:: D_o = \frac{\sum_i (R_i + S_i) \overline{(\rho_x - \rho_y)^2}_i}{R + S}, \quad
        D_e = \overline{(\rho_x - \rho_y)^2}

    the first mean over pairs of an item, the second over all pairs of a label of one group and one of the other.
    """

    weight: Array
    counts: tuple[sparse.csr_array, sparse.csr_array]
    """For each group: (pattern, label), with labels in order; every pattern has labels of both groups."""
    value: str = "value"
    """Which statistic it is: ``value``, ``observed`` or ``expected``."""

    def _shares(self) -> tuple[Array, Array, Array]:
        """Labels per item, and the label shares of each group."""
        each = [np.asarray(c.sum(1)).ravel() for c in self.counts]
        x, y = (sparse.diags_array(1 / n) @ c for n, c in zip(each, self.counts, strict=True))
        return each[0] + each[1], x, y

    def parts(self, weights: Array) -> Parts:
        chunk = max(1, CELLS // max(self.counts[0].shape))
        done = [self._parts(weights[i : i + chunk]) for i in range(0, len(weights), chunk)]
        found = Parts(np.concatenate([d[0] for d in done]), np.concatenate([d[1] for d in done]), 0.0)
        return (
            found
            if self.value == "value"
            else Parts(found.observed, found.expected, 0.0, 1.0, getattr(found, self.value))
        )

    def _parts(self, weights: Array) -> tuple[Array, Array]:
        n, x, y = self._shares()
        margins = [np.asarray(weights @ c) for c in self.counts]
        rank = _mid_ranks(margins[0] + margins[1])
        mean_x, mean_y = x @ rank.T, y @ rank.T  # (pattern, replicate)
        apart = (x + y) @ (rank**2).T - 2 * mean_x * mean_y
        with np.errstate(invalid="ignore", divide="ignore"):
            p, q = (m / m.sum(-1, keepdims=True) for m in margins)
            observed = (weights * n * apart.T).sum(-1) / (weights @ n)
            expected = ((p + q) * rank**2).sum(-1) - 2 * (p * rank).sum(-1) * (q * rank).sum(-1)
        # all labels equal: the difference of two large numbers is noise
        one = ((margins[0] + margins[1]) > 0).sum(-1) < 2
        return np.where(one, 0.0, observed), np.where(one, 0.0, expected)

    def influence(self) -> Array:
        """By the chain rule: the direct terms, and the change of the ranks with the margin."""
        n, x, y = self._shares()
        w, (c, d) = self.weight, self.counts
        m, k = w @ c, w @ d
        rank = _mid_ranks(m + k)
        mean_x, mean_y = x @ rank, y @ rank
        apart = (x + y) @ rank**2 - 2 * mean_x * mean_y
        total, wn = float(w @ n), w * n
        observed = float(wn @ apart) / total
        slope = 2 * (rank * (wn @ (x + y)) - (wn * mean_y) @ x - (wn * mean_x) @ y) / total
        of_observed = n * (apart - observed) / total + self._moved(slope, rank, m + k)
        p, q = m / m.sum(), k / k.sum()
        a, b = float(p @ rank), float(q @ rank)
        slope = 2 * (rank * (p + q) - p * b - q * a)
        # the derivative of a share p_k by the weight of an item: (c_k - p_k R_i) / R
        direct = _of_share(c, p, rank**2 - 2 * b * rank, m.sum()) + _of_share(d, q, rank**2 - 2 * a * rank, k.sum())
        of_expected = direct + self._moved(slope, rank, m + k)
        expected = float((p + q) @ rank**2 - 2 * a * b)
        if self.value != "value":
            return np.asarray(of_observed if self.value == "observed" else of_expected)
        return np.asarray(-of_observed / expected + observed * of_expected / expected**2)

    def _moved(self, slope: Array, rank: Array, margin: Array) -> Array:
        """(pattern,): the effect of an item through the ranks, given the derivative by each rank."""
        both = self.counts[0] + self.counts[1]
        n = np.asarray(both.sum(1)).ravel()
        return np.asarray((both @ through_ranks(slope) - n * (slope @ rank)) / margin.sum())

    def left_out(self) -> Array:
        return without_each(self)


def _mid_ranks(margin: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((np.cumsum(margin, -1) - margin / 2) / margin.sum(-1, keepdims=True))


def _of_share(counts: sparse.csr_array, share: Array, score: Array, total: float) -> Array:
    n = np.asarray(counts.sum(1)).ravel()
    return np.asarray((counts @ score - n * (share @ score)) / total)


def cross_ranks(items: Items) -> CrossRanks:
    """The statistic on items of two groups, each with labels of both."""
    k = items.width
    return CrossRanks(items.weight, (items.counts[:, :k].tocsr(), items.counts[:, k:].tocsr()))
