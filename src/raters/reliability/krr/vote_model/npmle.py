"""Weights of a mixture over fixed points: EM, and the nonparametric maximum of the likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.reliability.krr.vote_model.simplex import log_points

Array = NDArray[Any]
STEEPEST = 40
"""Points of steepest gradient that a Newton step considers in addition to those in use."""


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
    """(replicate, point): EM with squared extrapolation, all replicates at once; a step that lowers the likelihood is undone.

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


def nearest(rows: Array, aim: Array, heavy: float, rounds: int) -> Array | None:
    """Weights x >= 0 with sum 1 (by a heavy row) whose ``rows @ x`` is nearest to the aim; None if it does not converge."""
    from scipy.optimize import nnls  # slow to import

    try:
        x, _ = nnls(np.vstack([rows, np.full(rows.shape[1], heavy)]), np.append(aim, heavy), maxiter=rounds)
    except RuntimeError:
        return None
    return np.asarray(x / max(float(x.sum()), 1e-300))
