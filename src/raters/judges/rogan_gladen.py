"""Class shares from a judge's labels when the judge's errors are known from another set of items.

Rogan & Gladen (1978), Am. J. Epidemiol. 107, 71-76: the judge's shares are q = C p, with C[j, k] = P(judge j | human k).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[Any]
MOST_CONDITION = 20.0
"""Above this condition number of C, the judge cannot distinguish the classes."""
LEAST_DRAWS = 0.02
DRAWS = 8000
ERRORS = 1.2
"""Total prior count for the draws of each class's errors. With 1, as for the judge's shares, 25 labels of each class from
a judge that is right 9 times in 10 gave a coverage of .930 for classes balanced on purpose; with 1.2, .947."""


@dataclass(frozen=True, eq=False)
class Corrected:
    """Shares of the classes as people would label them, corrected for the judge's errors."""

    raw: Array
    """(class,): C^-1 q, which may leave the simplex; nan if it is undefined."""
    value: Array
    """(class,): raw, moved to the nearest point of the simplex (or to the maximum-likelihood one)."""
    covariance: Array
    low: Array
    high: Array
    shares: Array
    """(1 + class,): the parts of the variance (of the first class) that come from the judged items and from each class's errors."""
    condition: float
    dropped: float
    """Share of draws that were discarded, because the judge would be no better than chance in them."""
    drawn: Array
    """(draw, class): draws of the shares, whose percentiles are the limits; empty for delta limits."""
    why: str = ""
    """Why the value is undefined or doubtful."""


def corrected(
    table: Array,
    judged: Array,
    *,
    method: str = "projection",
    interval: str = "draws",
    level: float = 0.95,
    seed: int = 0,
    draws: int = DRAWS,
) -> Corrected:
    """``table``: (judge label, human class) counts of the items with both; ``judged``: (judge label,) counts of the others.

    Judge labels are in the order of the human classes, followed by those that only the judge uses (such as a refusal).

    >>> found = corrected(np.array([[40, 6], [10, 44]]), np.array([380, 620]))
    >>> float(found.value[0].round(8))
    0.38235294
    """
    table, judged = np.asarray(table, float), np.asarray(judged, float)
    k = table.shape[1]
    n_k, n = table.sum(0), judged.sum()
    limits = _limits(table, judged, interval, level, seed, draws) if interval != "delta" else None
    nothing = np.full(k, np.nan)
    low, high, dropped, outside, drawn = limits if limits else (nothing, nothing, 0.0, False, np.zeros((0, k)))
    empty = np.full((k, k), np.nan)
    if (n_k == 0).any():
        why = "a class of people's labels is absent from the items with both labels, so its errors are unknown"
        return Corrected(nothing, nothing, empty, low, high, np.full(1 + k, np.nan), np.nan, dropped, drawn, why)
    c, q = table / n_k, judged / n
    condition = float(np.linalg.cond(c))
    if condition > MOST_CONDITION or np.linalg.det(c[:k]) <= 0:
        why = (
            "the judge cannot distinguish these classes: it is hardly better than chance on the items with both labels"
        )
        return Corrected(nothing, nothing, empty, low, high, np.full(1 + k, np.nan), condition, dropped, drawn, why)
    inverse = np.linalg.inv(c) if c.shape[0] == k else np.linalg.pinv(c)
    raw = inverse @ q
    parts = [spread(q) / n, *(raw[j] ** 2 * spread(c[:, j]) / n_k[j] for j in range(k))]
    covs = [inverse @ part @ inverse.T for part in parts]
    cov = sum(covs)
    first = np.array([part[0, 0] for part in covs])
    se = np.sqrt(np.diagonal(cov))
    value = projected(raw) if method == "projection" else likeliest(c, q)
    z = float(special.ndtri((1 + level) / 2))
    if limits is None:
        low, high = np.clip(raw - z * se, 0, 1), np.clip(raw + z * se, 0, 1)
        outside = bool(((raw < -z * se) | (raw > 1 + z * se)).any())
    why = OFF if outside else ""
    share = first / first.sum() if first.sum() > 0 else first * np.nan
    return Corrected(raw, value, np.asarray(cov), low, high, share, condition, dropped, drawn, why)


OFF = "the judge's errors do not carry over to these items: its shares lie further outside the range that the observed errors allow than chance explains"


def spread(p: Array) -> Array:
    """The covariance of one draw from a distribution: diag(p) - pp'."""
    return np.asarray(np.diag(p) - np.outer(p, p))


def projected(raw: Array) -> Array:
    """The nearest point of the simplex, over the last axis: sort, shift, cut.

    >>> projected(np.array([0.91371141, 0.22788945, -0.14160086])).round(8).tolist()
    [0.84291098, 0.15708902, 0.0]
    """
    order = -np.sort(-raw, -1)
    k = np.arange(1, raw.shape[-1] + 1)
    above = (np.cumsum(order, -1) - 1) / k
    last = np.where(order > above, k, 0).max(-1, keepdims=True)
    shift = np.take_along_axis(above, last - 1, -1)
    return np.asarray(np.maximum(raw - shift, 0))


def likeliest(c: Array, q: Array, rounds: int = 20_000) -> Array:
    """The maximum-likelihood shares, by EM; equal to the raw values if those are shares."""
    p = np.full(c.shape[1], 1 / c.shape[1])
    for _ in range(rounds):
        expected = c @ p
        new = p * ((q / np.where(expected > 0, expected, 1)) @ c)
        if np.abs(new - p).max() < 1e-13:
            return new
        p = new
    return p


def _limits(
    table: Array, judged: Array, interval: str, level: float, seed: int, draws: int
) -> tuple[Array, Array, float, bool, Array]:
    """Percentiles of draws of both samples (posterior draws, or bootstrap samples), the share that was discarded, and whether all
    draws lie outside the possible shares, in which case the errors do not carry over.
    """
    rng = np.random.default_rng(seed)
    rows, k = table.shape
    n_k = table.sum(0)
    if interval == "bootstrap":
        n = round(float(table.sum()))
        cells = rng.multinomial(n, (table / table.sum()).ravel(), draws).reshape(draws, rows, k).astype(float)
        q = rng.multinomial(int(judged.sum()), judged / judged.sum(), draws) / judged.sum()
        with np.errstate(invalid="ignore", divide="ignore"):
            c = cells / cells.sum(1, keepdims=True)
    else:
        c = np.stack([rng.dirichlet(table[:, j] + ERRORS / rows, draws) for j in range(k)], 2)
        q = rng.dirichlet(judged + 1 / rows, draws)
    known = np.isfinite(c).all((1, 2))
    known[known] = np.linalg.det(c[known][:, :k]) > 1e-6
    dropped = float(1 - known.mean())
    if known.mean() < LEAST_DRAWS or (interval == "bootstrap" and (n_k == 0).any()):
        return np.zeros(k), np.ones(k), dropped, False, np.zeros((0, k))
    c, q = c[known], q[known]
    raw = np.linalg.solve(c, q[..., None])[..., 0] if rows == k else np.einsum("bkj,bj->bk", np.linalg.pinv(c), q)
    tail = (1 - level) / 2
    drawn = projected(raw)
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    free = np.quantile(raw, [tail, 1 - tail], axis=0)
    return low, high, dropped, bool(((free[0] > 1) | (free[1] < 0)).any()), drawn
