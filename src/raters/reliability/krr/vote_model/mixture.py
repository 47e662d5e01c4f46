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

from raters.reliability.krr.vote_model.npmle import em_steps, likelihood_of, npmle, squared_em
from raters.reliability.krr.vote_model.simplex import dirichlet

Array = NDArray[Any]
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

        The maximum itself has a few support points and varies widely in what the data do not determine. EM from a smooth
        start stops at the first distribution that the data do not distinguish from the maximum.
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
        """(point,): the fit to use for a k; beyond what the data determine, the maximum would change with every label."""
        return self.fitted[0] if beyond else self.maximum

    def refit(self, weights: Array, beyond: bool) -> Array:
        """(replicate, point): the same fit for each row of pattern weights."""
        start = self.start if beyond else (self.maximum + self.fitted[0]) / 2
        rows = np.broadcast_to(start, (len(weights), len(start)))
        if beyond:
            return em_steps(self.likelihood, weights, rows, self.fitted[1])
        step = max(1, CELLS // len(start))
        return np.concatenate([
            squared_em(self.likelihood, weights[i : i + step], rows[i : i + step], CYCLES) for i in range(0, len(weights), step)
        ])  # fmt: skip

    @property
    def effort(self) -> int:
        """Cells that a bootstrap replicate processes."""
        return self.likelihood.size

    def extreme(self, slope: Array, level: float) -> Array:
        """(point,): the mixing weights that maximise ``slope @ mixing`` inside the likelihood's confidence set.

        The set: the data are at least 1 - level times as likely as at the maximum. The weights are an NPMLE themselves, of
        the data with one more observation, whose likelihood is the slope (shifted to be positive) and whose weight is chosen so
        that the likelihood of the data falls by exactly that factor.
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
