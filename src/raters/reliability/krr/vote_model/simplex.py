"""Points of the simplex on which the distribution over items' label distributions may put weight."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[Any]
GRID = {2: 100, 3: 20}
"""Steps of the grid on the simplex, by number of labels; with more labels, free points are used."""
MOST_POINTS = 1500
DRAWN = 500
RAYS = 20
"""Steps from a centre of the simplex to each corner."""
PAIRED = 8
"""The number of most frequent labels for which there are also points between each pair."""


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


def log_points(points: Array) -> Array:
    """Logarithms of points, finite at the edge of the simplex."""
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(points), -700.0)


def chances(counts: Array, points: Array) -> Array:
    """(pattern, point): the multinomial probability of each pattern of label counts at each point."""
    ways = special.gammaln(counts.sum(1) + 1) - special.gammaln(counts + 1).sum(1)
    return np.asarray(np.exp(ways[:, None] + counts @ log_points(points).T))


def dirichlet(counts: Array, weight: Array) -> Array:
    """(label,): the best-fitting Dirichlet distribution, from which the fit of the mixing distribution starts.

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


def grid_points(q: int, most: int) -> Array:
    """(point, label): a grid with steps of .01 for two labels; for three a triangular one, finer if items have many labels."""
    fine = max(GRID[q], int(np.ceil(2 * np.sqrt(most))))
    while comb(fine + q - 1, q - 1) > MOST_POINTS:
        fine -= 1
    return np.asarray(lattice(q, fine) / fine)


def free_points(counts: Array, weight: Array, rng: np.random.Generator) -> Array:
    """(point, label): points where items like these may lie, if there are too many labels for a grid.

    Some are drawn around the items (from Dirichlet posteriors); others lie on rays from the centre to the corners (items
    with a right label, and noise) and around the middles between two frequent labels (items with two).
    """
    q = counts.shape[1]
    which = rng.choice(len(counts), DRAWN, p=weight / weight.sum())
    drawn = rng.gamma(counts[which] + dirichlet(counts, weight)) + 1e-12
    margin = weight @ (counts / np.maximum(counts.sum(1, keepdims=True), 1)) / weight.sum()
    centres = [margin, np.full(q, 1 / q)] if q <= 2 * PAIRED else [margin]
    corners = np.eye(q)
    frequent = corners[np.sort(np.argsort(-margin, kind="stable")[:PAIRED])]
    between = np.array([s * a + (1 - s) * b for a, b in combinations(frequent, 2) for s in (1 / 3, 1 / 2, 2 / 3)])
    steps = RAYS if q <= 2 * PAIRED else RAYS // 2
    rays = [_towards(corners, c, np.arange(steps + 1) / steps) for c in centres]
    rays += [_towards(between, c, np.array([0.4, 0.6, 0.8, 1])) for c in centres]
    return np.unique(np.concatenate([drawn / drawn.sum(1, keepdims=True), *rays]), axis=0)


def _towards(ends: Array, centre: Array, shares: Array) -> Array:
    """Points on the way from the centre to each end."""
    at = shares[:, None, None]
    return np.asarray((at * ends + (1 - at) * centre).reshape(-1, len(centre)))
