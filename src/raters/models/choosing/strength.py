r"""How alike raters are: the strength s of a prior :math:`\mathrm{Dirichlet}(s \mu)` around the crowd's shares, learned
from the counts of all of them.

Counts are expected ones. They make raters look more alike than they are, so for rates that are hidden the evidence
includes what the spread of a count adds (Teh, Newman & Welling 2007): with :math:`n^+` and :math:`v^+` the mean and
variance of a count that is not zero,
:math:`\mathrm{E} \log\Gamma(n + a) \approx P(n = 0) \log\Gamma(a) + P(n > 0) [\log\Gamma(n^+ + a) + \tfrac12 v^+
\psi'(n^+ + a)]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.families.hierarchical import log_gamma, trigamma

Array = NDArray[Any]
GRID = np.geomspace(0.25, 400, 25)
"""The strengths over whose logarithm the mean is taken."""
MOST = 50_000
"""Numbers that are looked at together."""
COARSE, FAR = 6, 40.0
"""With many counts every sixth strength is tried, then those beside the ones within so many nats of the best: the rest
weigh nothing."""


def strength(counts: Array, mean: Array, centre: float, spread: tuple[Array, Array] | None = None) -> float:
    """The geometric mean of s given (row, label) counts, with log s ~ N(log centre, 1) before them.

    ``spread``: the variance of each count, and the log probability that it is zero.

    >>> alike, apart = np.tile([80.0, 20.0], (9, 1)), np.array([[99.0, 1.0], [1.0, 99.0]] * 5)
    >>> strength(apart, np.array([0.5, 0.5]), 12) < 2 < 50 < strength(alike, np.array([0.8, 0.2]), 12)
    True
    """
    total = counts @ np.ones(counts.shape[1])
    rows = np.flatnonzero(total > 0)  # the others say nothing
    counts, total = counts[rows], total[rows]
    some, count, spare = np.ones(counts.shape), counts, np.zeros(counts.shape)
    if spread is not None:
        variance, none = (x[rows] for x in spread)
        some = np.maximum(-np.expm1(none), 1e-12)
        count = np.maximum(counts / some, 1.0)
        spare = np.maximum((variance + counts**2) / some - count**2, 0)
    steps = np.log(GRID)
    logs = np.full(len(GRID), -np.inf)
    at_once = max(1, MOST // max(counts.size, 1))
    wanted = list(range(0, len(GRID), COARSE if at_once < len(GRID) else 1))
    while wanted:
        at, wanted = wanted[:at_once], wanted[at_once:]
        s = GRID[at]
        shape = s[:, None, None] * mean
        gain = log_gamma(count + shape) - log_gamma(shape)
        if spread is not None:
            gain += 0.5 * spare * trigamma(count + shape)
        gain *= some
        logs[at] = gain.reshape(len(at), -1).sum(1) - (log_gamma(total + s[:, None]) - log_gamma(s)[:, None]).sum(1)
        logs[at] -= 0.5 * (steps[at] - np.log(centre)) ** 2
        if not wanted:
            near = np.flatnonzero(logs > logs.max() - FAR)
            beside = {*(near - 1).tolist(), *(near + 1).tolist()}
            wanted = sorted(beside.intersection(np.flatnonzero(np.isneginf(logs)).tolist()))
    p = np.exp(logs - logs.max())
    return float(np.exp(p @ steps / p.sum()))
