r"""Blind raters: the bits that a rater would reach without looking at the items.

The plug-in estimate of mutual information is never negative and is biased upwards, so a rater is compared with a blind one who has as many
labels and the same margin. For n labels, :math:`2 n \ln 2\, I` is asymptotically chi-squared; its mean in finite samples is

.. math:: (K-1)(L-1) + \frac{(L-1)(P - 2K + 1) + (S-1)(P-1)/6}{n}, \qquad P = \sum_k 1/\pi_k, \quad S = \sum_l 1/m_l

to the second order, for prevalence :math:`\pi` held fixed and margin :math:`m` over the L labels that the rater uses (as Williams
1976, Biometrika 63, 33-37, for the G test). Scaled to this mean, quantiles are right within 2 % where every cell is expected
at least 8 times; with fewer, labels are simulated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import chdtrc, chdtri

from raters.models.entropy import mutual
from raters.models.families.probabilities import LEAST, log, normalised, rows_to_one
from raters.models.families.spec import Vote, had, of_items
from raters.models.fitted_model import FittedModel
from raters.models.votes import Votes

Array = NDArray[Any]
CELLS = 4_000_000
"""Random numbers drawn at a time."""
ENOUGH = 8.0
"""Expected labels per cell above which the chi-squared distribution is accurate enough."""
SMALL = 0.05
"""Smoothing up to which it is: more smoothing pulls all raters towards 0 bits."""

CLEAR = 1e-9
"""Chi-squared p value below which nothing is simulated: sparse cells, and smoothing, which lowers the bits, cannot raise it
to one that matters."""


def beside_blind(c: FittedModel, rng: np.random.Generator, plain: float = 0.0) -> tuple[Array, Array, Array]:
    """(rater,): the bits that a label carries about the truth as the others' labels suggest it; and, of a blind rater, the 95 % quantile and p values.

    How common each label is follows from the same items. Some models take all labels to be equally common; where they are not, blind raters
    would seem to carry information.
    """
    counts = by_others(c)
    share = rows_to_one(counts.sum((0, 2)) + c.settings.smoothing)  # (true label,)
    seen = mutual(rows_to_one(counts + c.settings.smoothing), share)
    return seen, *by_chance(c, seen, share, rng, plain)


def by_chance(
    c: FittedModel, value: Array, prevalence: Array, rng: np.random.Generator, plain: float = 0.0
) -> tuple[Array, Array]:
    """The 95 % quantile of the bits of a blind rater with as many labels and the same margin; and p values.

    ``plain``: the chi-squared p value below which nothing is simulated.
    """
    given = c.votes.per_rater  # (rater, label)
    quantile, p = by_chi_squared(given, prevalence, value)
    least = np.where(given > 0, given, np.inf).min(1) * prevalence.min()
    few = np.flatnonzero(((least < ENOUGH) | (c.settings.smoothing > SMALL)) & (p >= max(plain, CLEAR)))
    if len(few):
        quantile[few], p[few] = by_simulation(given[few], prevalence, c.settings.smoothing, value[few], rng)
    return quantile, p


def by_chi_squared(given: Array, prevalence: Array, value: Array) -> tuple[Array, Array]:
    """(rater,): quantile and p value by the scaled chi-squared distribution."""
    k, n = len(prevalence), np.maximum(given.sum(1), 1)
    used = (given > 0).sum(1)
    shares = np.where(given > 0, given, np.inf) / n[:, None]
    s, p = (1 / shares).sum(1), float((1 / np.maximum(prevalence, 1e-300)).sum())
    free = (k - 1) * (used - 1)
    mean = free + ((used - 1) * (p - 2 * k + 1) + (s - 1) * (p - 1) / 6) / n
    scale = np.where(free > 0, mean / np.maximum(free, 1), 1) / (2 * n * np.log(2))  # bits to one chi-squared unit
    at = np.maximum(free, 1)
    quantile = np.where(free > 0, chdtri(at, 0.05) * scale, 0)
    return quantile, np.where(free > 0, chdtrc(at, np.maximum(value, 0) / scale), 1.0)


def by_simulation(
    given: Array, prevalence: Array, smoothing: float, value: Array, rng: np.random.Generator
) -> tuple[Array, Array]:
    """(rater,): the same from simulated labels; raters with the same label counts share the draws."""
    k = len(prevalence)
    _, margin = np.unique(given, axis=0, return_inverse=True)
    margin = margin.ravel()
    order = np.argsort(margin, kind="stable")
    draws = int(np.clip(2e7 / max((int(margin.max()) + 1) * k * k, 1), 200, 1000))
    quantile, p = np.zeros(len(value)), np.ones(len(value))
    step = max(1, CELLS // (draws * k * k))
    for j in range(0, len(order), step):
        at = order[j : j + step]
        _, first, same = np.unique(margin[at], return_index=True, return_inverse=True)
        one = given[at[first]]
        joint = (prevalence[:, None] * rows_to_one(one)[:, None, :]).reshape(len(one), -1)  # (margin, true * given)
        joint = joint / joint.sum(1, keepdims=True)
        drawn = rng.multinomial(one.sum(1).astype(np.int64), joint, (draws, len(one))).reshape(draws, len(one), k, k)
        null = mutual(rows_to_one(drawn + smoothing), prevalence)[:, same.ravel()]  # (draw, rater)
        quantile[at] = np.quantile(null, 0.95, axis=0)
        p[at] = (1 + (null >= value[at] - 1e-12).sum(0)) / (draws + 1)
    return quantile, p


def by_others(c: FittedModel) -> Array:
    """(rater, true label, given label): counts of each rater's labels by the truth that the item's *other* labels suggest.

    A rater's own labels shape the posterior, so even a guesser seems to know something; leaving them out avoids that.
    """
    k = c.votes.n_labels
    counts = np.zeros((c.votes.n_raters * k, k))  # (rater * given, true)
    for at, part in c.votes.parts():
        q = without_own(c, part, at)
        cells = (part.table.data, part.table.indices, np.arange(len(q) + 1))
        counts += sparse.csr_array(cells, (len(q), len(counts))).T @ q
    return counts.reshape(-1, k, k).swapaxes(1, 2)


def without_own(c: FittedModel, votes: Votes, at: slice) -> Array:
    """(cell, label): the posterior of each cell's item without any label of the cell's rater; ``votes`` are those of ``at``."""
    pair = votes.item_of.astype(np.int64) * votes.n_raters + votes.rater_of
    new = np.diff(pair, prepend=-1) != 0  # cells of one rater on one item are adjacent
    first, group = np.flatnonzero(new), np.cumsum(new) - 1
    row = c.definition
    if isinstance(row.method, Vote):
        weights = counted_cells(c, votes) * row.method.weigh(c.params, votes)
        own = np.zeros((len(pair), votes.n_labels))
        own[np.arange(len(pair)), votes.label_of] = weights
        return row.method.decide(votes.summed(weights)[votes.item_of] - np.add.reduceat(own, first)[group])
    params = of_items(c.params, at, row.by_item)
    logs = np.maximum(had(row.cells)(params, votes), LEAST) * counted_cells(c, votes)[:, None]
    total = np.zeros((votes.n_items, votes.n_labels))
    some = np.flatnonzero(np.diff(votes.table.indptr))
    total[some] = np.add.reduceat(logs, votes.table.indptr[some])
    scores = log(c.prevalence) + total[votes.item_of] - np.add.reduceat(logs, first)[group]
    gold = None if c.gold is None else c.gold[at][votes.item_of]
    return normalised(scores, gold)[0]


def counted_cells(c: FittedModel, votes: Votes) -> Array:
    """(cell,): how much each label counts; labels of raters whom the fit did not count say nothing about the truth."""
    out = () if c.choice is None else (*c.choice.blind, *(copy for _, copy in c.choice.copies))
    if not out:
        return np.asarray(votes.table.data)
    code = {name: j for j, name in enumerate(votes.raters)}
    return np.asarray(np.where(np.isin(votes.rater_of, [code[r] for r in out if r in code]), 0.0, votes.table.data))


def discoveries(p: Array, rate: float) -> Array:
    """Benjamini-Hochberg: which hypotheses are rejected at this false discovery rate.

    >>> discoveries(np.array([0.001, 0.04, 0.9]), 0.05).tolist()
    [True, False, False]
    """
    order = np.argsort(p, kind="stable")
    passed = np.flatnonzero(p[order] <= rate * np.arange(1, len(p) + 1) / max(len(p), 1))
    found = np.zeros(len(p), bool)
    found[order[: passed[-1] + 1 if len(passed) else 0]] = True
    return found
