"""What K labels allow: the score that the true distributions would get, and that of K other raters.

Both are integrated over the distribution of items' label distributions (the NPMLE of the vote model), and averaged over
the numbers of labels that items have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from raters.reliability.krr.vote_model.mixture import Mixture
from raters.reliability.krr.vote_model.simplex import GRID, dirichlet, free_points, grid_points, log_points
from raters.reliability.soft.scores import Score, expected

Array = NDArray[Any]
MOST_PATTERNS = 3000
INWARD = (0.0, 0.03, 0.1, 0.2)
"""The points of the grid are also moved towards the centre by these shares."""
DRAWN = 4000
MOST_ITEMS = 20_000
SIMULATED = 100_000
"""About so many items are simulated for scores that are not means over items."""


@dataclass(frozen=True)
class Crowd:
    """The distribution of label distributions, for each question, and how many items have how many labels."""

    support: tuple[Array, ...]
    """For each question: (point, label)."""
    weight: tuple[Array, ...]
    """For each question: (point,), summing to 1."""
    k: Array
    """(item,)."""

    @property
    def known(self) -> bool:
        """Whether some item has two labels, without which nothing is known of the distributions."""
        return bool((self.k >= 2).any())

    def expected(self, score: Score, steps: Array | float, other: bool = False) -> float:
        """The floor of a score, or what K other raters would get; nan if nothing is known."""
        if not self.known or (other and score.another is None):
            return float("nan")
        sizes, n = np.unique(self.k, return_counts=True)
        each = [
            sum(
                m / n.sum() * float(w @ expected(score, int(k), p, steps, other)) for k, m in zip(sizes, n, strict=True)
            )
            for p, w in zip(self.support, self.weight, strict=True)
        ]
        return float(np.mean(each))

    def simulated(self, of: Callable[[Array, Array], float], seed: int) -> tuple[float, float]:
        """The floor and the score of other raters of a score of the whole table, by simulation."""
        if not self.known:
            return float("nan"), float("nan")
        rng = np.random.default_rng(seed)
        k = self.k if len(self.k) <= MOST_ITEMS else rng.choice(self.k, MOST_ITEMS)
        rounds, found = max(2, min(50, SIMULATED // len(k))), []
        for _ in range(rounds):
            parts = [_drawn(p, w, k, rng) for p, w in zip(self.support, self.weight, strict=True)]
            truth, one, two = (np.stack([part[i] for part in parts], 1) for i in range(3))
            found.append((of(one, truth), of(one, two)))
        a, b = np.mean(found, axis=0).tolist()
        return a, b


def _drawn(points: Array, weight: Array, k: Array, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Items' distributions, and the shares of two sets of k labels each."""
    p = points[rng.choice(len(points), len(k), p=weight)]
    one, two = (rng.multinomial(k, p) / k[:, None] for _ in range(2))
    return p, one, two


def crowd(tables: Array, k: Array, seed: int = 0) -> Crowd:
    """Estimate the distribution from (item, question, label) counts."""
    rng = np.random.default_rng(seed)
    each = [_mixing(tables[:, t], rng) for t in range(tables.shape[1])] if (k >= 2).any() else []
    return Crowd(tuple(p for p, _ in each), tuple(w for _, w in each), k.astype(int))


def _mixing(counts: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    given = counts[:, counts.sum(0) > 0]
    if given.shape[1] == 1:  # nobody ever gave another label
        return (counts.sum(0) > 0).astype(float)[None], np.ones(1)
    rows, n = np.unique(given, axis=0, return_counts=True)
    if len(rows) > MOST_PATTERNS:
        kept = rng.choice(len(rows), MOST_PATTERNS, replace=False, p=n / n.sum())
        rows, n = rows[kept], n[kept]
    points, found = _smooth_or_free(rows, n.astype(float), rng)
    support = np.zeros((len(points), counts.shape[1]))
    support[:, counts.sum(0) > 0] = points
    return support, found


def _smooth_or_free(rows: Array, weight: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """The NPMLE; or, if the labels do not contradict it, draws of the best Dirichlet distribution.

    The NPMLE has few points, which makes floors 2 to 5 % too low if the distribution is smooth. A Dirichlet is
    contradicted if its likelihood falls short by more than the parameters that it saves would explain, or if it misses
    the chance that two labels of an item agree, which the labels show without any model.
    """
    q = rows.shape[1]
    points = grid_points(q, int(rows.sum(1).max())) if q in GRID else free_points(rows, weight, rng)
    if q > min(GRID):  # coarse near the edges of the simplex
        points = np.unique(np.concatenate([(1 - e) * points + e / q for e in INWARD]).round(6), axis=0)
    mixture = Mixture(rows, weight, points)
    found = np.maximum(mixture.maximum, 0)
    there = found > 1e-6 * found.max()
    points, found = points[there], found[there] / found[there].sum()
    alpha, k = dirichlet(rows, weight), rows.sum(1)
    smooth = gammaln(alpha.sum()) - gammaln(k + alpha.sum()) + (gammaln(rows + alpha) - gammaln(alpha)).sum(1)
    free = np.log(np.exp(rows @ log_points(points).T) @ found)
    saved = int((found * weight.sum() >= 1).sum()) * q - 1 - q
    two = k >= 2
    agree = ((rows * (rows - 1)).sum(1) / np.maximum(k * (k - 1), 1))[two]
    mean, n = np.average(agree, weights=weight[two]), weight[two].sum()
    se = np.sqrt(np.average((agree - mean) ** 2, weights=weight[two]) / n)
    missed = abs((alpha * (alpha + 1)).sum() / (alpha.sum() * (alpha.sum() + 1)) - mean)
    if 2 * (weight @ (free - smooth)) > saved or missed > 2 * se:
        return points, found
    drawn = rng.gamma(alpha, size=(DRAWN, q)) + 1e-300
    return drawn / drawn.sum(1, keepdims=True), np.full(DRAWN, 1 / DRAWN)
