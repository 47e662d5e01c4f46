"""The nonparametric distribution over items' label distributions, for two or three labels.

An item has a point p of the simplex; its labels are drawn from p. The mixing distribution over points is estimated by
nonparametric maximum likelihood (NPMLE) on a grid. Its likelihood is concave in the weights of the points, so one
maximum exists; all weights whose likelihood is close to it show what the data leave open.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.reliability.krr.vote_model.simplex import dirichlet, log_points

Array = NDArray[Any]
STEEPEST = 40
"""Points of steepest gradient that a Newton step considers in addition to those in use."""
CLOSE = 1e-10
"""How much nearer, relative to the squared distance, a point must bring weights to be added to them."""


def likelihood_of(counts: Array, points: Array) -> Array:
    """(pattern, point): the likelihood of each pattern, divided by the maximum of its row."""
    log = counts @ log_points(points).T
    return np.asarray(np.exp(log - log.max(1, keepdims=True)))


def em_steps(likelihood: Array, weights: Array, mixing: Array, steps: int) -> Array:
    """(replicate, point): EM on the weights of fixed points, all replicates at once; never decreases the likelihood."""
    n = weights.sum(1, keepdims=True)
    for _ in range(steps):
        mixing = mixing * ((weights / np.maximum(mixing @ likelihood.T, 1e-300)) @ likelihood) / n
    return mixing


def squared_em(likelihood: Array, weights: Array, mixing: Array, cycles: int) -> Array:
    """(replicate, point): EM with squared extrapolation, all replicates at once; a step that lowers the likelihood is
    undone.

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
        better = log_rows(likelihood, weights, far) >= log_rows(likelihood, weights, two)
        mixing = np.where(better[:, None], far, two)
    return mixing


def log_rows(likelihood: Array, weights: Array, mixing: Array) -> Array:
    """(replicate,): the log-likelihood of each."""
    return np.asarray((weights * np.log(np.maximum(mixing @ likelihood.T, 1e-300))).sum(1))


def npmle(likelihood: Array, weight: Array, start: Array | None = None, tolerance: float = 1e-7) -> Array:
    """(point,): the mixing weights of greatest likelihood, by Newton steps with non-negative least squares.

    Each step considers the points in use and those of steepest gradient. At the maximum no point's gradient exceeds
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
    """Weights that minimise |rows x - 2 root|^2, x >= 0, sum x = 1; zeros, which mean no step, if none are found."""
    found = nearest(rows, 2 * root, 1e3 * np.sqrt(n), 30 * rows.shape[1])
    return np.zeros(rows.shape[1]) if found is None else found


def nearest(rows: Array, aim: Array, heavy: float, rounds: int, among: Array | None = None) -> Array | None:
    """Weights x >= 0 with sum 1 (by a heavy row) whose ``rows @ x`` is nearest to the aim; None if it does not
    converge.

    ``among``: points to begin with. Few points have weight, so those that would bring the rows nearer are added until
    there are none: by how much the best of them would bounds the distance to the solution.
    """
    from scipy.optimize import nnls  # slow to import

    every, goal = np.vstack([rows, np.full(rows.shape[1], heavy)]), np.append(aim, heavy)
    near, x = np.arange(rows.shape[1]) if among is None else among, np.zeros(rows.shape[1])
    while True:
        try:
            found, _ = nnls(every[:, near], goal, maxiter=rounds)
        except RuntimeError:
            return None
        x[near] = found / max(float(found.sum()), 1e-300)
        if len(near) == len(x):
            return x
        fit = rows @ x
        gain = (aim - fit) @ rows - (aim - fit) @ fit
        gain[near] = 0
        steepest = np.argpartition(gain, -min(STEEPEST, len(x)))[-STEEPEST:]
        steepest = steepest[gain[steepest] > CLOSE * (1 + (aim - fit) @ (aim - fit))]
        if not len(steepest):
            return x
        near = np.append(near, steepest)


SMOOTH = float(np.log(20))
"""The fit stops when the log-likelihood is this close to its maximum: the data are at least a twentieth as likely."""
MOST_STEPS = 5000
CYCLES = 20
"""Cycles of accelerated EM in each bootstrap replicate; standard errors then agree with those of the exact maximum."""
CELLS = 2_000_000


@dataclass(frozen=True)
class Mixture:
    """Patterns of label counts, support points, and the likelihood of one given the other."""

    limits = "likelihood"
    """The name of the range for what the data leave open."""

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
        """(pattern, point), each row divided by its likelihood at the maximum."""
        return self._solved[0]

    @property
    def maximum(self) -> Array:
        """(point,): the NPMLE."""
        return self._solved[1]

    def log_likelihood(self, mixing: Array) -> float:
        """Relative to the maximum: 0 there, and negative elsewhere."""
        return float(self.weight @ np.log(np.maximum(self.likelihood @ mixing, 1e-300)))

    @cached_property
    def fitted(self) -> tuple[Array, int]:
        """(point,) mixing weights, and the EM steps that led there from the best Dirichlet distribution.

        The maximum itself has a few support points and varies widely in what the data do not determine. EM from a
        smooth start stops at the first distribution that the data do not distinguish from the maximum.
        """
        mixing, steps = self.start, 0
        while steps < MOST_STEPS and (not steps or self.log_likelihood(mixing) < -SMOOTH):
            mixing = em_steps(self.likelihood, self.weight[None], mixing[None], 1)[0]
            steps += 1
        return mixing, steps

    @cached_property
    def start(self) -> Array:
        """(point,): the best Dirichlet distribution on the grid."""
        points, q = self.support.shape
        fine = 1 / self.support[self.support > 0].min()
        inside = (self.support * fine + 0.25) / (fine + 0.25 * q)  # a density may be infinite on the boundary
        log = np.log(inside) @ (dirichlet(self.counts, self.weight) - 1)
        density = np.exp(log - log.max())
        return np.asarray(0.99 * density / density.sum() + 0.01 / points)

    def serving(self, beyond: bool) -> Array:
        """(point,): the fit to use for a k; beyond what the data determine, the maximum would change with every
        label.
        """
        return self.fitted[0] if beyond else self.maximum

    def refit(self, weights: Array, beyond: bool) -> Array:
        """(replicate, point): the same fit for each row of pattern weights."""
        start = self.start if beyond else (self.maximum + self.fitted[0]) / 2
        rows = np.broadcast_to(start, (len(weights), len(start)))
        if beyond:
            return em_steps(self.likelihood, weights, rows, self.fitted[1])
        step = max(1, CELLS // len(start))
        return np.concatenate(
            [
                squared_em(self.likelihood, weights[i : i + step], rows[i : i + step], CYCLES)
                for i in range(0, len(weights), step)
            ]
        )

    @property
    def effort(self) -> int:
        """Cells that a bootstrap replicate processes."""
        return self.likelihood.size

    def extreme(self, slope: Array, level: float) -> Array:
        """(point,): the mixing weights that maximise ``slope @ mixing`` inside the likelihood's confidence set.

        The set: the data are at least 1 - level times as likely as at the maximum. The weights are an NPMLE themselves,
        of the data with one more observation, whose likelihood is the slope (shifted to be positive) and whose weight
        is chosen so that the likelihood of the data falls by exactly that factor.
        """
        deficit, spread = -float(np.log(1 - level)), np.ptp(slope)
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
            # near the maximum, the fall grows with the square of the pull; aim slightly inside
            pull = float(np.clip(pull * np.sqrt(0.985 * deficit / fall), pull / 10, pull * 10))
            if not low < pull < high:
                pull = float(np.sqrt(low * high)) if low else high / 2
        return best
