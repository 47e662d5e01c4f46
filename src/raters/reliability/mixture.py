"""The distribution over items' label distributions, without a formula for its shape.

An item has a point p of the simplex; its labels are drawn from p. The mixing distribution over points is estimated by
nonparametric maximum likelihood (NPMLE) on a set of support points. Its likelihood is concave in the weights of the
points, so that one maximum exists; what it leaves open is said by all weights whose likelihood is near.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

Array = NDArray[Any]
SMOOTH = 1.92
"""The fit stops where the log-likelihood is this near its maximum: half the 95 % quantile of chi-square, 1 df."""
GRID = {2: 100, 3: 20}
"""Steps of the grid on the simplex, by number of labels; more labels take free points."""
FREE_POINTS = 800
MOST_POINTS = 1500
MOST_STEPS = 5000


def lattice(q: int, steps: int) -> Array:
    """(point, label): all ways to put ``steps`` balls in q boxes, in order.

    >>> lattice(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    if q == 1:
        return np.full((1, 1), steps)
    bars = np.array(list(combinations_with_replacement(range(steps + 1), q - 1)), np.int64)
    edges = np.concatenate([np.zeros((len(bars), 1), np.int64), bars, np.full((len(bars), 1), steps)], 1)
    return np.diff(edges, axis=1)


def support_points(counts: Array, weight: Array, rng: np.random.Generator) -> Array:
    """(point, label): where the mixing distribution may put weight.

    Two labels: a grid with steps of .01; three: a triangular grid, finer where items have many labels. More: points
    drawn around the items (from Dirichlet posteriors), the corners, and the middles between corners.
    """
    q = counts.shape[1]
    if q in GRID:
        fine = max(GRID[q], int(np.ceil(2 * np.sqrt(counts.sum(1).max(initial=1)))))
        while comb(fine + q - 1, q - 1) > MOST_POINTS:
            fine -= 1
        return lattice(q, fine) / fine
    which = rng.choice(len(counts), FREE_POINTS, p=weight / weight.sum())
    margin = weight @ counts / (weight @ counts).sum()
    drawn = rng.gamma(counts[which] + np.maximum(2 * margin, 0.02))
    corners = lattice(q, 2) / 2 if q <= 12 else np.eye(q)
    return np.concatenate([drawn / drawn.sum(1, keepdims=True), corners])


@dataclass(frozen=True)
class Mixture:
    """Patterns of label counts, support points, and the likelihood of one given the other."""

    counts: Array
    """(pattern, label)."""
    weight: Array
    """(pattern,): how many items show it."""
    support: Array
    """(point, label)."""

    @cached_property
    def likelihood(self) -> Array:
        """(pattern, point), each row up to a factor of its own: 1 at the maximum of the row's fitted mixture."""
        with np.errstate(divide="ignore"):
            log_p = np.maximum(np.log(self.support), -700.0)
        log = self.counts @ log_p.T
        scaled = np.exp(log - log.max(1, keepdims=True))
        return np.asarray(scaled / (scaled @ npmle(scaled, self.weight))[:, None])

    @cached_property
    def maximum(self) -> Array:
        """(point,): the NPMLE."""
        return npmle(self.likelihood, self.weight)

    def log_likelihood(self, mixing: Array) -> float:
        """Against the maximum: 0 there, and negative elsewhere."""
        return float(self.weight @ np.log(np.maximum(self.likelihood @ mixing, 1e-300)))

    @cached_property
    def fitted(self) -> tuple[Array, int]:
        """(point,) mixing weights, and the EM steps that led there from equal weights.

        The maximum itself sits on a few points and swings widely in what the data do not determine. EM from equal
        weights stops at the first distribution that the data do not tell from the maximum.
        """
        mixing, steps = np.full(len(self.support), 1 / len(self.support)), 0
        while steps < MOST_STEPS and (not steps or self.log_likelihood(mixing) < -SMOOTH):
            mixing = em_steps(self.likelihood, self.weight[None], mixing[None], 1)[0]
            steps += 1
        return mixing, steps

    def refit(self, weights: Array) -> Array:
        """(replicate, point): the same fit for each row of pattern weights."""
        start = np.full((len(weights), len(self.support)), 1 / len(self.support))
        return em_steps(self.likelihood, weights, start, self.fitted[1])

    def extreme(self, slope: Array, deficit: float) -> Array:
        """(point,): the mixing weights that maximise ``slope @ mixing`` among those whose likelihood is this near.

        They are an NPMLE themselves, of the data with one more observation, whose likelihood is the slope (shifted to
        be positive) and whose weight is chosen so that the likelihood of the data falls by just ``deficit``.
        """
        spread = np.ptp(slope)
        if not spread > 0:
            return self.maximum
        extra = np.vstack([self.likelihood, (slope - slope.min()) / spread + 1e-9])
        best, low, high, pull = self.maximum, 0.0, np.inf, float(np.sqrt(deficit * len(self.weight)))
        for _ in range(16):
            mixing = npmle(extra, np.append(self.weight, pull), 1e-6)
            fall = -self.log_likelihood(mixing)
            if fall <= deficit:
                best, low = mixing, pull
            else:
                high = pull
            if abs(fall - deficit) < 0.01 * deficit:
                break
            pull = np.sqrt(low * high) if low and np.isfinite(high) else pull * 3 if low else pull / 3
        return best


def em_steps(likelihood: Array, weights: Array, mixing: Array, steps: int) -> Array:
    """(replicate, point): EM on the weights of fixed points, all replicates at once; never decreases the likelihood."""
    n = weights.sum(1, keepdims=True)
    for _ in range(steps):
        mixing = mixing * ((weights / np.maximum(mixing @ likelihood.T, 1e-300)) @ likelihood) / n
    return mixing


def npmle(likelihood: Array, weight: Array, tolerance: float = 1e-8) -> Array:
    """(point,): the mixing weights of greatest likelihood, by Newton steps with non-negative least squares.

    At the maximum no point's gradient exceeds the number of items, which is the stopping rule (a bound on how far the
    likelihood is from its maximum). Wang (2007), J. R. Stat. Soc. B 69, 185-198; Lindsay (1983), Ann. Stat. 11, 86-94.
    """
    n, points = weight.sum(), likelihood.shape[1]
    root = np.sqrt(weight)
    mixing = np.full(points, 1 / points)
    fit = likelihood @ mixing
    for _ in range(200):
        ratio = likelihood / fit[:, None]
        slope = weight @ ratio
        if slope.max() - n < tolerance * n:
            break
        toward = _newton(root[:, None] * ratio, root, n)
        if toward is None:
            mixing = em_steps(likelihood, weight[None], mixing[None], 50)[0]
            fit = likelihood @ mixing
            continue
        step, at, gain = 1.0, weight @ np.log(fit), float(slope @ (toward - mixing))
        aim = likelihood @ toward
        while step > 1e-9:
            new = fit + step * (aim - fit)
            if (new > 0).all() and weight @ np.log(new) >= at + 1e-4 * step * gain:
                break
            step /= 2
        mixing = mixing + step * (toward - mixing)
        fit = likelihood @ mixing
        if step <= 1e-9:
            break
    return mixing


def _newton(rows: Array, root: Array, n: float) -> Array | None:
    """Weights that minimise |rows x - 2 root|^2, x >= 0, sum x = 1 (by a heavy row); None where it does not settle."""
    heavy = 1e3 * np.sqrt(n)
    try:
        x, _ = optimize.nnls(
            np.vstack([rows, np.full(rows.shape[1], heavy)]), np.append(2 * root, heavy), maxiter=20 * rows.shape[1]
        )
    except RuntimeError:
        return None
    return np.asarray(x / x.sum()) if x.sum() > 0 else None
