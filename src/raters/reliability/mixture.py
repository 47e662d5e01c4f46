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
from scipy import optimize, special

Array = NDArray[Any]
SMOOTH = 1.92
"""The fit stops where the log-likelihood is this near its maximum: half the 95 % quantile of chi-square, 1 df."""
GRID = {2: 100, 3: 20}
"""Steps of the grid on the simplex, by number of labels; more labels take free points."""
FREE_POINTS = 500
ROUNDS = 2
MOST_POINTS = 1500
MOST_STEPS = 5000
CYCLES = 20
"""Of accelerated EM in each bootstrap replicate; standard errors then agree with those of the exact maximum."""
CELLS = 2_000_000
STEEPEST = 40
"""Points of steepest gradient that a Newton step looks at beside those in use."""


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
    drawn = rng.gamma(counts[which] + dirichlet(counts, weight)) + 1e-12
    corners = lattice(q, 2) / 2 if q <= 8 else np.eye(q)
    points = np.concatenate([drawn / drawn.sum(1, keepdims=True), corners])
    for _ in range(ROUNDS):
        points = np.concatenate([points, _moved(counts, weight, points)])
    return points


def _moved(counts: Array, weight: Array, points: Array) -> Array:
    """The points that the maximum uses, moved by EM to where they fit best."""
    likelihood = likelihood_of(counts, points)
    mixing = npmle(likelihood, weight, tolerance=1e-4)
    used = np.flatnonzero(mixing > 1e-5)
    p, mixing = points[used], mixing[used] / mixing[used].sum()
    for _ in range(100):
        joint = likelihood_of(counts, p) * mixing
        share = weight[:, None] * joint / joint.sum(1, keepdims=True)
        mixing = share.sum(0) / weight.sum()
        p = share.T @ counts + 1e-9
        p = p / p.sum(1, keepdims=True)
    return np.asarray(p)


def likelihood_of(counts: Array, points: Array) -> Array:
    """(pattern, point): the likelihood of each pattern, over the greatest of its row."""
    with np.errstate(divide="ignore"):
        log = counts @ np.maximum(np.log(points), -700.0).T
    return np.asarray(np.exp(log - log.max(1, keepdims=True)))


def dirichlet(counts: Array, weight: Array) -> Array:
    """(label,): the Dirichlet distribution that fits best, where the fit of the mixing distribution starts from.

    Minka (2000), Estimating a Dirichlet distribution, equation 55.
    """
    n, alpha = counts.sum(1), np.full(counts.shape[1], 1.0)
    for _ in range(300):
        seen = weight @ (special.digamma(counts + alpha) - special.digamma(alpha))
        new = alpha * seen / (weight @ (special.digamma(n + alpha.sum()) - special.digamma(alpha.sum())))
        new = np.clip(new, 1e-3, 1e3)
        done = np.abs(new - alpha).max() < 1e-4 * alpha.sum()
        alpha = new
        if done:
            break
    return np.asarray(alpha)


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
    def _solved(self) -> tuple[Array, Array]:
        scaled = likelihood_of(self.counts, self.support)
        mixing = npmle(scaled, self.weight)
        return scaled / (scaled @ mixing)[:, None], mixing

    @property
    def likelihood(self) -> Array:
        """(pattern, point), each row over its likelihood at the maximum."""
        return self._solved[0]

    @property
    def maximum(self) -> Array:
        """(point,): the NPMLE."""
        return self._solved[1]

    def log_likelihood(self, mixing: Array) -> float:
        """Against the maximum: 0 there, and negative elsewhere."""
        return float(self.weight @ np.log(np.maximum(self.likelihood @ mixing, 1e-300)))

    @cached_property
    def fitted(self) -> tuple[Array, int]:
        """(point,) mixing weights, and the EM steps that led there from the best Dirichlet distribution.

        The maximum itself sits on a few points and swings widely in what the data do not determine. EM from a smooth
        start stops at the first distribution that the data do not tell from the maximum.
        """
        mixing, steps = self.start, 0
        while steps < MOST_STEPS and (not steps or self.log_likelihood(mixing) < -SMOOTH):
            mixing = em_steps(self.likelihood, self.weight[None], mixing[None], 1)[0]
            steps += 1
        return mixing, steps

    @cached_property
    def start(self) -> Array:
        """(point,): the best Dirichlet distribution on the grid; free points are drawn by it, and start equal."""
        points, q = self.support.shape
        if q not in GRID:
            return np.full(points, 1 / points)
        fine = 1 / self.support[self.support > 0].min()
        inside = (self.support * fine + 0.25) / (fine + 0.25 * q)  # a density may be infinite on the edge
        log = np.log(inside) @ (dirichlet(self.counts, self.weight) - 1)
        density = np.exp(log - log.max())
        return np.asarray(0.99 * density / density.sum() + 0.01 / points)

    def refit(self, weights: Array, smooth: bool) -> Array:
        """(replicate, point): the same fit for each row of pattern weights: smooth, or the maximum."""
        start = self.start if smooth else (self.maximum + self.fitted[0]) / 2
        rows = np.broadcast_to(start, (len(weights), len(start)))
        if smooth:
            return em_steps(self.likelihood, weights, rows, self.fitted[1])
        step = max(1, CELLS // len(start))
        return np.concatenate([
            squared_em(self.likelihood, weights[i : i + step], rows[i : i + step], CYCLES) for i in range(0, len(weights), step)
        ])  # fmt: skip

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
        mixing = best
        for _ in range(12):
            mixing = npmle(extra, np.append(self.weight, pull), mixing, 1e-6)
            fall = max(-self.log_likelihood(mixing), 1e-9)
            if fall <= deficit:
                best, low = mixing, pull
            else:
                high = pull
            if 0.97 * deficit < fall <= deficit:
                break
            # the fall grows with the square of the pull near the maximum; aim a little inside
            pull = float(np.clip(pull * np.sqrt(0.985 * deficit / fall), pull / 10, pull * 10))
            if not low < pull < high:
                pull = float(np.sqrt(low * high)) if low else high / 2
        return best


def em_steps(likelihood: Array, weights: Array, mixing: Array, steps: int) -> Array:
    """(replicate, point): EM on the weights of fixed points, all replicates at once; never decreases the likelihood."""
    n = weights.sum(1, keepdims=True)
    for _ in range(steps):
        mixing = mixing * ((weights / np.maximum(mixing @ likelihood.T, 1e-300)) @ likelihood) / n
    return mixing


def squared_em(likelihood: Array, weights: Array, mixing: Array, cycles: int) -> Array:
    """(replicate, point): EM with squared extrapolation, all replicates at once; a step that loses is taken back.

    Varadhan & Roland (2008), Scand. J. Stat. 35, 335-353.
    """
    for _ in range(cycles):
        one = em_steps(likelihood, weights, mixing, 1)
        two = em_steps(likelihood, weights, one, 1)
        first, bend = one - mixing, two - 2 * one + mixing
        norm = np.linalg.norm(bend, axis=1, keepdims=True)
        length = np.clip(np.linalg.norm(first, axis=1, keepdims=True) / np.maximum(norm, 1e-300), 1, 64)
        far = np.maximum(mixing + 2 * length * first + length**2 * bend, 1e-14)
        far = em_steps(likelihood, weights, far / far.sum(1, keepdims=True), 1)
        better = _log_rows(likelihood, weights, far) >= _log_rows(likelihood, weights, two)
        mixing = np.where(better[:, None], far, two)
    return mixing


def _log_rows(likelihood: Array, weights: Array, mixing: Array) -> Array:
    return np.asarray((weights * np.log(np.maximum(mixing @ likelihood.T, 1e-300))).sum(1))


def npmle(likelihood: Array, weight: Array, start: Array | None = None, tolerance: float = 1e-7) -> Array:
    """(point,): the mixing weights of greatest likelihood, by Newton steps with non-negative least squares.

    Each step looks at the points in use and at those of steepest gradient. At the maximum no point's gradient exceeds
    the number of items; by how much it does bounds the distance to the maximum, which is the stopping rule.
    Wang (2007), J. R. Stat. Soc. B 69, 185-198; Lindsay (1983), Ann. Stat. 11, 86-94.
    """
    n, points = weight.sum(), likelihood.shape[1]
    root = np.sqrt(weight)
    mixing = np.full(points, 1 / points) if start is None else 0.999 * start + 0.001 / points
    mixing = em_steps(likelihood, weight[None], mixing[None], 20 if start is None else 2)[0]
    fit = likelihood @ mixing
    for _ in range(300):
        ratio = likelihood / fit[:, None]
        slope = weight @ ratio
        if slope.max() - n < tolerance * n:
            break
        near = np.union1d(np.flatnonzero(mixing > 1e-6), np.argpartition(slope, -min(STEEPEST, points))[-STEEPEST:])
        if len(near) > 3 * STEEPEST:
            near = near[np.argpartition(mixing[near] + slope[near] / n, -3 * STEEPEST)[-3 * STEEPEST :]]
        toward = np.zeros(points)
        toward[near] = _newton(root[:, None] * ratio[:, near], root, n)
        step, at, gain = 1.0, weight @ np.log(fit), float(slope @ (toward - mixing))
        aim = likelihood @ toward
        while step > 1e-6:
            new = fit + step * (aim - fit)
            if (new > 0).all() and weight @ np.log(new) >= at + 1e-4 * step * gain:
                break
            step /= 2
        if step <= 1e-6:  # not a direction of ascent: EM always is
            mixing = em_steps(likelihood, weight[None], mixing[None], 20)[0]
        else:
            mixing = mixing + step * (toward - mixing)
        fit = likelihood @ mixing
    return np.asarray(mixing)


def _newton(rows: Array, root: Array, n: float) -> Array:
    """Weights that minimise |rows x - 2 root|^2, x >= 0, sum x = 1 (by a heavy row)."""
    heavy = 1e3 * np.sqrt(n)
    try:
        x, _ = optimize.nnls(
            np.vstack([rows, np.full(rows.shape[1], heavy)]), np.append(2 * root, heavy), maxiter=30 * rows.shape[1]
        )
    except RuntimeError:  # it does not settle: no step
        return np.zeros(rows.shape[1])
    return np.asarray(x / max(float(x.sum()), 1e-300))
