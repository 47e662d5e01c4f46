"""Do judges make the same errors? Correlations of their errors within classes, and how many independent judges they amount to."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from raters.judges.people_and_judges import Sides, plurality, tally

Array = NDArray[Any]
MOST_CLASSES = 60
LEAST = 30


def error_terms(errors: Array, classes: Array, k: int, rows: Array | None = None, n_items: int = 0) -> sparse.csr_array:
    """(item, k * (1 + J + J * J)): for each class its count, the errors, and the products of errors of two judges.

    ``rows``: which of ``n_items`` items these are, if not all. Errors are rare, so few products are stored.
    """
    n = len(errors)
    width = 1 + errors.shape[1] + errors.shape[1] ** 2
    parts = []
    for start in range(0, n, 20_000):
        e = errors[start : start + 20_000]
        own = np.concatenate([np.ones((len(e), 1)), e, (e[:, :, None] * e[:, None, :]).reshape(len(e), -1)], 1)
        parts.append(sparse.coo_array(own))
    table = sparse.vstack(parts, format="coo") if parts else sparse.coo_array((0, width))
    place = np.arange(n) if rows is None else rows
    shape = (n if rows is None else n_items, k * width)
    return sparse.coo_array((table.data, (place[table.row], classes[table.row] * width + table.col)), shape).tocsr()


def within_classes(sums: Array, k: int, j: int) -> Array:
    """(replicate, J, J): covariances of errors within classes, summed over classes, from the sums of ``error_terms``."""
    by = sums.reshape(len(sums), k, 1 + j + j * j)
    n, first, both = by[..., 0], by[..., 1 : 1 + j], by[..., 1 + j :].reshape(len(sums), k, j, j)
    centre = first[..., :, None] * first[..., None, :] / np.where(n > 0, n, 1)[..., None, None]
    return np.asarray((both - centre).sum(1))


def correlations(covariance: Array) -> Array:
    """(..., J, J): correlations; nan for a judge that never errs."""
    spread = np.sqrt(np.maximum(np.diagonal(covariance, axis1=-2, axis2=-1), 0))
    with np.errstate(invalid="ignore", divide="ignore"):
        r = covariance / (spread[..., :, None] * spread[..., None, :])
    return np.where((spread[..., :, None] > 1e-12) & (spread[..., None, :] > 1e-12), r, np.nan)


def mean_correlation(r: Array) -> Array:
    """The mean over pairs of different judges, without undefined pairs."""
    j = r.shape[-1]
    off = r[..., ~np.eye(j, dtype=bool)]
    there = np.isfinite(off)
    return np.asarray(np.where(there.any(-1), np.where(there, off, 0).sum(-1) / np.maximum(there.sum(-1), 1), np.nan))


def effective_number(mean: Array, k: int) -> Array:
    """k / (1 + (k - 1) r): for g copies of each of k / g independent judges, this is k / g.

    >>> float(effective_number(np.array(1.0), 5)), float(effective_number(np.array(0.0), 5))
    (1.0, 5.0)
    """
    return np.asarray(k / np.maximum(1 + (k - 1) * mean, 1e-9))


def best_weights(r: Array) -> float:
    """1' R^-1 1: the effective number with the best weights."""
    if not np.isfinite(r).all() or np.linalg.cond(r) > 1e10:
        return float("nan")
    return float(np.linalg.solve(r, np.ones(len(r))).sum())


def pair_p_values(errors: Array, classes: Array, k: int) -> Array:
    """(pair,): one-sided p-value for two judges making the same errors more than by chance within classes; errors permuted within
    classes.

    The permutation's mean and variance are known (Mantel and Haenszel), so nothing is drawn.
    """
    j = errors.shape[1]
    found = []
    for a, b in combinations(range(j), 2):
        both, mean, var = 0.0, 0.0, 0.0
        for c in range(k):
            own = errors[classes == c]
            n = len(own)
            if n < 2:
                continue
            x, y = own[:, a].sum(), own[:, b].sum()
            both += float((own[:, a] * own[:, b]).sum())
            mean += x * y / n
            var += x * y * (n - x) * (n - y) / (n**2 * (n - 1))
        found.append(float(special.ndtr(-(both - mean) / np.sqrt(var))) if var > 0 else 1.0)
    return np.array(found)


def holm(p: Array) -> Array:
    """Holm's adjusted p-values.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p)
    steps = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    out = np.empty(len(p))
    out[order] = np.minimum(steps, 1)
    return out


def person_accuracy(s: Sides, classes: Array) -> float:
    """How often one person is right, if people's errors are independent and equally frequent: from how often two of them agree, on the
    items where all their labels are among these classes.

    agreement = a^2 + (1 - a)^2 / (K - 1); for two classes a = (1 + sqrt(2 agreement - 1)) / 2.
    """
    counts = s.counts
    n = np.asarray(counts.sum(1)).ravel()
    squares = np.asarray(counts.multiply(counts).sum(1)).ravel()
    inside = np.asarray(counts[:, classes].sum(1)).ravel()
    at = (n >= 2) & (inside == n)
    pairs = (n * (n - 1))[at].sum()
    if not pairs:
        return float("nan")
    agree = float((squares - n)[at].sum() / pairs)
    k = len(classes)
    room = 1 / k**2 - (1 / (k - 1) - agree) * (k - 1) / k
    return float("nan") if room < 0 else float(1 / k + np.sqrt(room))


def consensus_error(accuracy: float, k: int, people: Sequence[int] | Array, seed: int = 0) -> float:
    """How often an untied consensus of this many people is wrong, averaged over items.

    >>> round(consensus_error(0.85, 2, [3]), 5)
    0.06075
    """
    if not np.isfinite(accuracy):
        return float("nan")
    sizes, share = np.unique(np.asarray(people), return_counts=True)
    wrong = [_wrong(accuracy, k, int(m), seed) for m in sizes]
    return float(np.average(wrong, weights=share))


def _wrong(a: float, k: int, m: int, seed: int) -> float:
    if k == 2:
        votes = np.arange(m + 1)
        p = (
            np.exp(special.gammaln(m + 1) - special.gammaln(votes + 1) - special.gammaln(m - votes + 1))
            * a**votes
            * (1 - a) ** (m - votes)
        )
        right, wrong = p[votes > m / 2].sum(), p[votes < m / 2].sum()
        return float(wrong / (right + wrong))
    rng = np.random.default_rng([seed, m, k])
    votes = rng.multinomial(m, [a, *([(1 - a) / (k - 1)] * (k - 1))], 20_000)
    best = votes.max(1)
    clear = (votes == best[:, None]).sum(1) == 1
    return float((votes[clear].argmax(1) != 0).mean())


def deconvolved(sums: Array, k: int, j: int, delta: float) -> Array:
    """(replicate, J, J): covariances within classes of the *truth*, if the consensus is wrong with probability delta.

    ``sums``: (replicate, class of consensus, ...) counts of (label a, label b), in the form of ``label_terms``. The joint
    counts of (consensus, a, b) become those of (truth, a, b) by the inverse of the consensus' own confusion.
    """
    joint = sums.reshape(len(sums), k, j, k, j, k)  # consensus, judge a, label of a, judge b, label of b
    m = np.full((k, k), delta / (k - 1))
    np.fill_diagonal(m, 1 - delta)
    truth = np.einsum("tc,bcxyzw->btxyzw", np.linalg.inv(m), joint)
    total = truth[:, :, 0, :, 0, :].sum((-2, -1))  # (replicate, truth)
    single = np.einsum("btxyxw->btxy", truth)  # judge a with itself: label counts given the truth
    right_a = np.stack([single[:, c, :, c] for c in range(k)], 1)  # (replicate, truth, judge)
    right_ab = np.stack([truth[:, c, :, c, :, c] for c in range(k)], 1)  # (replicate, truth, a, b)
    # errors: P(both wrong) = 1 - right_a - right_b + right_ab
    wrong = total[..., None] - right_a
    both = total[..., None, None] - right_a[..., :, None] - right_a[..., None, :] + right_ab
    idx = np.arange(j)
    both[..., idx, idx] = wrong
    n = np.where(np.abs(total) > 0, total, 1)[..., None, None]
    return np.asarray((both - wrong[..., :, None] * wrong[..., None, :] / n).sum(1))


def label_terms(said: Array, classes: Array, k: int) -> Array:
    """(class, J, k, J, k): how often each pair of judges gave each pair of labels, for each class of the consensus."""
    j = said.shape[1]
    out = np.zeros((k, j, k, j, k))
    for a in range(j):
        for b in range(j):
            cell = (classes * k + said[:, a]) * k + said[:, b]
            out[:, a, :, b, :] = np.bincount(cell, minlength=k**3).reshape(k, k, k)
    return out


def numeric_covariance(errors: Array, noise: float = 0.0) -> Array:
    """(J, J): covariances of errors, minus the variance of people's mean, which all judges share."""
    return np.asarray(np.cov(errors.T, ddof=1).reshape(errors.shape[1], -1) - noise)


def noise_of_means(s: Sides, rows: Array) -> float:
    """The mean over items of s_i^2 / m_i, the variance of the mean of an item's human labels."""
    counts = s.counts[rows]
    n = np.asarray(counts.sum(1)).ravel()
    first, second = counts @ s.values, counts @ s.values**2
    with np.errstate(invalid="ignore", divide="ignore"):
        var = (second - first**2 / n) / (n - 1)
    several = n >= 2
    return float((var[several] / n[several]).mean()) if several.any() else float("nan")


def others_consensus(s: Sides, without: Sequence[int]) -> Array:
    """(item,): the consensus of all people except these; -1 if there is none."""
    rest = s.given.copy()
    rest[:, list(without)] = -1
    return plurality(tally(rest, len(s.labels)))
