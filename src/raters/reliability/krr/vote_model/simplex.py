"""Points of the simplex on which the distribution over items' label distributions may put weight."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.errors import UsageError
from raters.models.base.ties import TIES
from raters.reliability.krr.aggregates import Aggregate, median

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
    """(point, label): a grid with steps of .01 for two labels; for three a triangular one, finer if items have many
    labels.
    """
    fine = max(GRID[q], int(np.ceil(2 * np.sqrt(most))))
    while comb(fine + q - 1, q - 1) > MOST_POINTS:
        fine -= 1
    return np.asarray(lattice(q, fine) / fine)


def free_points(counts: Array, weight: Array, rng: np.random.Generator) -> Array:
    """(point, label): points where items like these may lie, if there are too many labels for a grid.

    Some are drawn around the items (from Dirichlet posteriors); others lie on rays from the centre to the corners
    (items with a right label, and noise) and around the middles between two frequent labels (items with two).
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


MOST_CELLS = 4_000_000
DRAWS = 400


def exact(support: Array, k: int, agg: Aggregate) -> bool:
    """Whether the answers of k labels are computed instead of drawn: by a formula, or since their counts are few."""
    points, q = support.shape
    return agg.in_the_middle or bool(comb(k + q - 1, q - 1) * points <= MOST_CELLS)


def middles(support: Array, k: int) -> Array:
    """(point, label, label): the probability that these are the two labels in the middle of k, the lower one first (one
    label twice for odd k).

    The label in the middle is c or below if more than half of the labels are, which is a binomial tail. For two labels
    a < b, half of the labels are at most a, and of these some are a; the other half are at least b, and some are b.
    """
    half, q = (k + 1) // 2, support.shape[1]
    below = np.minimum(np.cumsum(support, 1), 1.0)
    below[:, -1] = 1.0
    lower = np.diff(special.betainc(half, k - half + 1, below), axis=1, prepend=0)  # (point, label)
    found = np.zeros((len(support), q, q))
    if k % 2 == 0:
        ends = np.pad(below, ((0, 0), (1, 0)))
        both = 4 * ends[:, :, None] * (1 - ends)[:, None, :]
        ways = special.gammaln(k + 1) - 2 * special.gammaln(half + 1) - half * np.log(4)
        found = np.exp(ways) * -np.diff(np.diff(np.clip(both, 0, 1) ** half, axis=1), axis=2)
        found = np.triu(np.maximum(found, 0), 1)
    at = np.arange(q)
    found[:, at, at] = np.maximum(lower - found.sum(2), 0)
    return found


def middle_shares(support: Array, k: int, values: Array) -> tuple[Array, Array] | None:
    """The medians that k numbers may have, and (point, median, median): how often two replications give each pair; None
    if that is too many.
    """
    a, b = np.triu_indices(len(values))
    given, which = np.unique((values[a] + values[b]) / 2, return_inverse=True)
    if len(support) * len(given) ** 2 > MOST_CELLS:
        return None
    one = middles(support, k)[:, a, b] @ np.eye(len(given))[which.ravel()]
    return given, one[:, :, None] * one[:, None, :]


def answer_shares(
    support: Array, k: int, agg: Aggregate, rng: np.random.Generator, draws: int = DRAWS
) -> tuple[Array, Array]:
    """(point, label, label): the probability that two replications answer (c, d), and (point, label) that one does.

    Exact for the median, and by enumeration of all counts of k labels, up to some millions of cells; beyond that, from
    draws, corrected for their bias, at those points where the answer is not certain.
    """
    q = support.shape[1]
    if agg.shares is None:
        raise UsageError(f"{agg.name} does not give labels.")
    if agg.in_the_middle:
        a, b = np.triu_indices(q)
        tied = np.zeros((len(a), q), bool)
        tied[np.arange(len(a)), a] = tied[np.arange(len(a)), b] = True
        one = middles(support, k)[:, a, b] @ TIES[agg.ties].shares(tied)
        return one[:, :, None] * one[:, None, :], one
    one, open_ = np.eye(q)[support.argmax(1)], np.flatnonzero(~decided(support, k))
    some = support[open_]
    if exact(support, k, agg):
        counts = lattice(q, k)
        one[open_] = chances(counts, some).T @ agg.shares(counts, agg.ties)
        return one[:, :, None] * one[:, None, :], one
    both = one[:, :, None] * one[:, None, :]
    drawn = rng.multinomial(k, some / some.sum(1, keepdims=True), (draws, len(some)))
    got = agg.shares(drawn.reshape(-1, q), agg.ties).reshape(draws, -1, q).swapaxes(0, 1)  # (point, draw, label)
    one[open_] = mean = got.mean(1)
    both[open_] = (draws * mean[:, :, None] * mean[:, None, :] - got.swapaxes(1, 2) @ got / draws) / (draws - 1)
    return both, one


CERTAIN = 1e-12


def decided(support: Array, k: int) -> Array:
    """(point,): whether the most probable label wins a vote of k but for a probability of ``CERTAIN``, by Chernoff's
    bound on each of the others.
    """
    root = np.sqrt(support)
    lost = (1 - (root.max(1, keepdims=True) - root) ** 2) ** k
    return np.asarray(lost.sum(1) - 1 < CERTAIN)


def drawn_numbers(
    support: Array, k: int, agg: Aggregate, values: Array, rng: np.random.Generator, draws: int = DRAWS
) -> Array:
    """(draw, point): the mean or median of k ratings. Counts are drawn instead of ratings, so any k costs the same."""
    shares, step = support / support.sum(1, keepdims=True), max(1, MOST_CELLS // support.size)
    found = []
    for i in range(0, draws, step):
        counts = rng.multinomial(k, shares, (min(step, draws - i), len(support))).reshape(-1, support.shape[1])
        # two ratings in the middle: their mean
        part = median(counts, "random") if agg.name == "median" else counts / k
        found.append((part @ values).reshape(-1, len(support)))
    return np.concatenate(found)
