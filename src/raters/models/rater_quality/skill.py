r"""Blind raters: the bits that a rater would reach without looking at the items.

The plug-in estimate of mutual information is never negative and is biased upwards, so a rater is compared with a blind
one who has as many labels and the same margin. For n labels, :math:`2 n \ln 2\, I` is asymptotically chi-squared; its
mean in finite samples is

.. math:: (K-1)(L-1) + \frac{(L-1)(P - 2K + 1) + (S-1)(P-1)/6}{n}, \qquad P = \sum_k 1/\pi_k, \quad S = \sum_l 1/m_l

to the second order, for prevalence :math:`\pi` held fixed and margin :math:`m` over the L labels that the rater uses
(as Williams 1976, Biometrika 63, 33-37, for the G test). Scaled to this mean, quantiles are right within 2 % where
every cell is expected at least 8 times; with fewer, labels are simulated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import chdtrc, chdtri

from raters.models.base.fit import FittedModel
from raters.models.base.probabilities import LEAST, log, mutual, normalised, rows_to_one
from raters.models.base.votes import Votes
from raters.models.families.spec import Vote, had, of_items

Array = NDArray[Any]
CELLS = 4_000_000
"""Random numbers drawn at a time."""
ENOUGH = 8.0
"""Expected labels per cell above which the chi-squared distribution is accurate enough."""
SMALL = 0.05
"""Smoothing up to which it is: more smoothing pulls all raters towards 0 bits."""

CLEAR = 1e-9
"""Chi-squared p value below which nothing is simulated: sparse cells, and smoothing, which lowers the bits, cannot
raise it to one that matters."""


def beside_blind(c: FittedModel, rng: np.random.Generator, plain: float = 0.0) -> tuple[Array, Array, Array]:
    """(rater,): the bits that a label carries about the truth as the others' labels suggest it; and, of a blind rater,
    the 95 % quantile and p values.

    How common each label is follows from the same items. Some models take all labels to be equally common; where they
    are not, blind raters would seem to carry information.
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
    """(rater, true label, given label): counts of each rater's labels by the truth that the item's *other* labels
    suggest.

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
    """(cell, label): the posterior of each cell's item without any label of the cell's rater; ``votes`` are those of
    ``at``.
    """
    pair = votes.item_of.astype(np.int64) * votes.n_raters + votes.rater_of
    new = np.diff(pair, prepend=-1) != 0  # cells of one rater on one item are adjacent
    first, group = np.flatnonzero(new), np.cumsum(new) - 1
    row = c.definition
    if isinstance(row.method, Vote):
        weights = votes.table.data * row.method.weigh(c.params, votes)
        own = np.zeros((len(pair), votes.n_labels))
        own[np.arange(len(pair)), votes.label_of] = weights
        return row.method.decide(votes.summed(weights)[votes.item_of] - np.add.reduceat(own, first)[group])
    params = of_items(c.params, at, row.by_item)
    logs = np.maximum(had(row.cells)(params, votes), LEAST) * votes.table.data[:, None]
    total = np.zeros((votes.n_items, votes.n_labels))
    some = np.flatnonzero(np.diff(votes.table.indptr))
    total[some] = np.add.reduceat(logs, votes.table.indptr[some])
    scores = log(c.prevalence) + total[votes.item_of] - np.add.reduceat(logs, first)[group]
    gold = None if c.gold is None else c.gold[at][votes.item_of]
    return normalised(scores, gold)[0]


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


GRID = np.linspace(0, 0.98, 41)
"""Skills at which likelihoods are computed."""
MEANS, SPREADS = np.linspace(0.06, 0.96, 31), np.array([0.02, 0.05, 0.08, 0.12, 0.16, 0.2, 0.25, 0.3, 0.36, 0.42])
SHARES = np.array([0, 0.03, 0.07, 0.12, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 0.9, 0.97])
"""Means and standard deviations of the honest raters' skills, and shares of blind raters, that are tried. Over skills
from 0 to 1, the widest is nearly uniform: raters cannot differ more."""
USUAL_SPREAD, USUAL_SHARE = 0.29, 0.3
"""Scales of what is expected of the spread (half-normal) and of the share (exponential) before any label is seen.
Skills that are spread evenly from 0 to 1 have a standard deviation of .29. With few labels, weak raters should not pass
for blind ones."""
TURNS = 4
START = 0.5
CLEARLY = 15.0
"""Log-likelihood that the second start must gain: in 36 crowds whose raters are right 60 to 75 times in 100, chance
gained up to 11.
"""
MOST = 0.95
"""The highest skill by which a label is weighted."""
NEVER = 1e-6
ONE_SIDED = 2.706
"""Drop in twice the log-likelihood that a 95 % one-sided limit allows."""


def _shapes() -> Array:
    """(skill, mean * spread): the distributions of honest skills that are tried."""
    away = (GRID[:, None, None] - MEANS[:, None]) / SPREADS
    p = np.exp(-0.5 * away**2).reshape(len(GRID), -1)
    return np.asarray(p / p.sum(0))


SHAPES = _shapes()
EXPECTED = -0.5 * np.tile((SPREADS / USUAL_SPREAD) ** 2, len(MEANS)) - SHARES[:, None] / USUAL_SHARE
"""(share, mean * spread): log prior."""


@dataclass(frozen=True)
class Skills:
    """What the labels of a crowd say about the skill of its raters."""

    of_others: Array
    """(cell, label): the posterior of the item without the labels of the cell's rater."""
    habit: Array
    """(rater, label): how often each rater gives each label."""
    log_likelihood: Array
    """(rater, skill): minus that of a blind rater."""
    honest: Array
    """(skill,): how the skills of honest raters are distributed."""
    share: float
    """The share of blind raters."""
    without: Array = field(default_factory=lambda: np.zeros((0, len(GRID))))
    """(rater, skill): how honest skills are distributed by the labels of the other raters alone."""

    @property
    def value(self) -> Array:
        """(rater,): the most likely skill."""
        return np.asarray(GRID[self.log_likelihood.argmax(1)])

    @property
    def high(self) -> Array:
        """(rater,): the upper 95 % limit of the skill."""
        total = self.log_likelihood
        top = total.max(1)
        inside = 2 * (top[:, None] - total) <= ONE_SIDED
        return _finer(total, top, np.where(inside, GRID, 0).max(1))

    @property
    def mean(self) -> float:
        """The mean skill of honest raters."""
        return float(self.honest @ GRID)

    @property
    def log_odds(self) -> Array:
        """(rater,): the log-likelihood of the labels as those of an honest rater, minus that as those of a blind
        one.
        """
        return _mixed(self.log_likelihood, self.honest[:, None])[:, 0]

    @property
    def posterior(self) -> Array:
        """(rater, skill): what is known of each rater's skill; that of a blind rater is 0."""
        total = self.log_likelihood
        p = rows_to_one(np.exp(total - total.max(1, keepdims=True)) * self.honest) * (1 - self.blind)[:, None]
        p[:, 0] += self.blind
        return np.asarray(p)

    @property
    def blind(self) -> Array:
        """(rater,): the probability that a rater labels blindly, given the share of such raters."""
        share = min(max(self.share, 1e-9), 1 - 1e-9)
        return np.asarray(1 / (1 + np.exp(np.clip(self.log_odds + np.log((1 - share) / share), -700, 700))))


def skills(c: FittedModel) -> Skills:
    """The skills of the raters of ``c.votes``, with its gold labels; labels that the fit did not count say nothing
    about the truth.

    >>> import raters
    >>> found = skills(raters.consensus(raters.examples.demo(), "dawid_skene"))
    >>> bool((found.high >= found.value).all())
    True
    """
    found, fit = _in_turns(c, np.full(c.votes.n_raters, START))
    other, better = _in_turns(c, _of_fit(c))
    return other if better > fit + CLEARLY else found


def _of_fit(c: FittedModel) -> Array:
    """(rater,): how far each rater is right beyond chance, by the fit."""
    chance = np.einsum("k,rkl->rl", c.prevalence, c.confusion) @ c.prevalence
    return np.asarray(np.nan_to_num(np.clip((c.accuracy - chance) / np.maximum(1 - chance, 1e-9), 0, 1)))


def _in_turns(c: FittedModel, skill: Array) -> tuple[Skills, float]:
    """From these skills, weights and skills in turns; and how probable all labels are."""
    votes, gold = c.votes, c.gold
    counted, cells = votes.table.data, np.arange(len(votes.table.data))
    habit = rows_to_one(votes.per_rater + 0.5)
    own = habit[votes.rater_of, votes.label_of]  # (cell,)
    prior = rows_to_one(votes.per_rater.sum(0) + 1)
    for _ in range(TURNS):
        known = np.minimum(skill, MOST)[votes.rater_of]
        q = of_others(votes, counted * np.log1p(known / ((1 - known) * own)), prior, gold)
        total = _likelihoods(votes, q[cells, votes.label_of] / own)
        ratio, weight, fit = _crowd(total)
        honest, share = SHAPES @ weight.sum(0), float(weight.sum(1) @ SHARES)
        skill = _expected(total, honest, share)
        prior = rows_to_one(np.maximum(q.sum(0), 1e-3 * max(len(q), 1)))
    return Skills(q, habit, total, honest, share, _without(ratio, weight)), fit


def of_others(votes: Votes, weight: Array, prior: Array, gold: Array | None) -> Array:
    """(cell, label): posteriors if each label adds its weight to the score of the label it names, without those of the
    cell's own rater.
    """
    scores = votes.summed(weight)[votes.item_of] + log(prior)
    pair = votes.item_of.astype(np.int64) * votes.n_raters + votes.rater_of
    new = np.diff(pair, prepend=-1) != 0  # cells of one rater on one item are adjacent
    if new.all():
        scores[np.arange(len(scores)), votes.label_of] -= weight
    else:
        own = np.zeros_like(scores)
        own[np.arange(len(own)), votes.label_of] = weight
        scores -= np.add.reduceat(own, np.flatnonzero(new))[np.cumsum(new) - 1]
    return normalised(scores, None if gold is None else gold[votes.item_of])[0]


def _likelihoods(votes: Votes, ratio: Array) -> Array:
    """(rater, skill); ``ratio``: (cell,), how much more probable a label is by the others than by habit."""
    n, rater, less = votes.table.data, votes.rater_of, ratio - 1
    logs = (n * np.log(np.maximum(1 + g * less, NEVER)) for g in GRID)  # (cell,) at each skill
    return np.stack([np.bincount(rater, x, votes.n_raters) for x in logs], -1)


def _mixed(total: Array, shapes: Array) -> Array:
    """(rater, shape): the log-likelihood of each rater's labels if skills have this distribution."""
    top = total.max(1, keepdims=True)
    return np.asarray(log(np.maximum(np.exp(total - top) @ shapes, 1e-300)) + top)


def _crowd(total: Array) -> tuple[Array, Array, float]:
    """(rater, mean * spread): how much more probable each rater's labels are from an honest rater than from a blind
    one; (share, mean * spread): the posterior of all crowds that are tried; and the log-likelihood of all labels."""
    ratio = np.exp(np.clip(_mixed(total, SHAPES), -300, 300))
    fit = np.stack([np.log(x + (1 - x) * ratio).sum(0) for x in SHARES]) + EXPECTED
    weight = np.exp(fit - fit.max())
    size = weight.sum()
    return ratio, weight / size, float(fit.max() + np.log(size))


def _without(ratio: Array, weight: Array) -> Array:
    """(rater, skill): the distribution of honest skills if the labels of this rater are left out.

    With them, someone who scores low makes blind raters more and weak honest ones less probable, and is then judged by
    that.
    """
    left = sum(w / (x + (1 - x) * ratio) for x, w in zip(SHARES, weight, strict=True))  # (rater, mean * spread)
    return np.asarray(rows_to_one(left) @ SHAPES.T)


def _expected(total: Array, honest: Array, share: float) -> Array:
    """(rater,): the skill to be expected, given the labels and the crowd."""
    p = np.exp(total - total.max(1, keepdims=True)) * honest * (1 - share)
    p[:, 0] += share * np.exp(total[:, 0] - total.max(1))
    return np.asarray(rows_to_one(p) @ GRID)


def _finer(total: Array, top: Array, high: Array) -> Array:
    """The limit between two points of the grid, by a straight line."""
    step = GRID[1] - GRID[0]
    at = np.rint(high / step).astype(int)
    after = np.minimum(at + 1, len(GRID) - 1)
    rows = np.arange(len(total))
    a, b = (2 * (top - total[rows, x]) - ONE_SIDED for x in (at, after))
    part = np.where(b > a, -a / np.where(b > a, b - a, 1), 0)
    return np.asarray(np.clip(high + part * step * (after > at), 0, 1))
