r"""Evidence against a rater: labels unlike those that an honest rater of this crowd would give to the same items.

A rater's score is the log-likelihood ratio of their labels between an honest rater of mean skill and a blind one,

.. math:: s_j = \sum_i \log \frac{\bar\lambda\, q_{i,-j}(y_{ij}) + (1 - \bar\lambda)\, m_j(y_{ij})}{m_j(y_{ij})}

It is compared with the scores of honest raters whose skills vary as those of the crowd
(:mod:`raters.models.rater_quality.skill`) and who label the same items. Given a skill, mean, variance and skewness of
the score are known, and its distribution follows by Edgeworth's expansion; over skills it is averaged. The sum of few
labels' scores has steps; as with binomial counts, it is moved by half a step (the standard deviation of one label's
score), beyond ten labels by less, because the scores of different items then fill the steps. A rater has evidence
against them if

- at most one honest rater in twenty would score as low (or the next probability is at least .95),
- the probability that they label blindly, given the share of such raters in the crowd, is at least one in four, and
- the upper 95 % limit of their skill is below .5, whatever the crowd's.

On an ordered scale, someone whose labels rise with the others' has skill, even if they hardly ever give the same label:
they may give one degree more. Such a rater is not named.

By the first, at most 5 % of honest raters are named, also if skills vary; by the second, fewer in crowds without blind
raters; by the third, someone who is weak in a crowd of experts is named only if their own labels exclude that they are
of use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr

from raters.models.base.fit import FittedModel
from raters.models.base.votes import Votes
from raters.models.rater_quality.skill import GRID, NEVER, Skills, skills

Array = NDArray[Any]
LEVEL = 0.05
"""The share of honest raters who may be named."""
LIKELY, MORE_LIKELY = 0.25, 0.5
"""The least probability that a named rater labels blindly, and that of a rater whose labels are to be set aside."""
SURE = 0.95
"""At this probability a rater is named, even if the few honest raters of the crowd leave open how low they may
score.
"""
HIGHEST = 0.5
"""The upper limit of a named rater's skill is below this, which for two equally common labels means 75 % right."""
RISING = 0.01
"""A rater is not named if at most this share of blind raters has labels that rise as much with those of the others."""
FEW = 10
"""Labels up to which the sum of their scores has steps."""
DECIDED = 0.8
"""The probability of a decision with as many labels as are said to be needed."""
MOST_LABELS = 10_000
"""No larger number of labels is tried."""
HALVINGS = 11


@dataclass(frozen=True)
class Evidence:
    """How each rater compares with an honest rater of the crowd."""

    skills: Skills
    tail: Array
    """(rater,): the share of honest raters who would score as low."""
    blind: Array
    """(rater,): the probability that the rater labels blindly."""
    label_score: tuple[Array, Array]
    """(rater, skill): mean and variance of the score of one label on such items."""
    below_chance: Array
    """(rater,): the share of blind raters who would score as low; if it is small, the rater contradicts the others
    instead of labelling blindly.
    """

    above_chance: Array
    """(rater,): the share of blind raters who would agree as much with the others."""
    rising: Array
    """(rater,): the share of blind raters whose labels would rise as much with those of the others, on an ordered scale
    of three labels or more; else 1.
    """

    contrary: Array
    """(rater,): whether hardly one blind rater in twenty would agree so little with the others; this only adds a hint,
    so half a step is not allowed for.
    """

    @property
    def needed(self) -> Array:
        """(rater,): with how many labels a rater like this one would be named, or shown to carry information, in 80 of
        100 cases; else infinite.
        """
        return _needed(self.skills, *self.label_score)

    @property
    def named(self) -> Array:
        """(rater,): whether there is evidence that the rater's labels carry no information."""
        return self._shown((self.tail <= LEVEL) | (self.blind >= SURE), LIKELY)

    @property
    def beyond_doubt(self) -> Array:
        """(rater,): the same, so clearly that at most one crowd in twenty has an honest rater of whom it is said."""
        return self._shown(self.tail <= LEVEL / max(len(self.tail), 1), MORE_LIKELY)

    def _shown(self, low: Array, likely: float) -> Array:
        return np.asarray(low & (self.blind >= likely) & (self.skills.high < HIGHEST) & (self.rising > RISING))


def evidence(c: FittedModel) -> Evidence:
    """Every rater of ``c.votes`` beside an honest one.

    >>> import raters
    >>> found = evidence(raters.consensus(raters.examples.demo(), "dawid_skene"))
    >>> found.named.any()
    np.False_
    """
    known, votes = skills(c), c.votes
    scores = _scores(known, known.habit[votes.rater_of], known.mean)
    seen = _by_rater(votes, votes.table.data * scores[np.arange(len(scores)), votes.label_of])
    mean, variance, third = _moments(votes, known, scores)
    given = np.maximum(_by_rater(votes, votes.table.data), 1)[:, None]
    one = (mean / given, np.maximum(variance, 0) / given)
    step = np.sqrt(one[1])
    as_low = _below(seen[:, None] + step * np.minimum(1, FEW / given), mean, variance, third)
    of_blind = (mean[:, 0], variance[:, 0], third[:, 0])
    lower, middle, upper = (_below(seen + x * step[:, 0], *of_blind) for x in (-1, 0, 1))
    tail = (as_low * known.without).sum(1)
    rising = _rising(votes, known.of_others)
    contrary = (middle <= LEVEL) & (rising > RISING)
    return Evidence(known, tail, known.blind, one, upper, 1 - lower, rising, contrary)


def _scores(known: Skills, habit: Array, skill: float) -> Array:
    """(cell, label): the log-likelihood ratio of each label between a rater of this skill and a blind one."""
    return np.asarray(np.log(np.maximum(1 + skill * (known.of_others / habit - 1), NEVER)))


def _by_rater(votes: Votes, x: Array) -> Array:
    return np.bincount(votes.rater_of, x, votes.n_raters)


def _rising(votes: Votes, of_others: Array) -> Array:
    """(rater,): one-sided p values of the correlation between a rater's labels and the degree that the others
    suggest.
    """
    if not votes.ordered or votes.n_labels < 3:
        return np.ones(votes.n_raters)
    n, degree = np.maximum(votes.per_rater.sum(1), 1), of_others @ np.arange(votes.n_labels)
    mine, theirs = (
        x - (_by_rater(votes, votes.table.data * x) / n)[votes.rater_of] for x in (votes.label_of, degree)
    )  # (cell,): from the rater's mean
    both, one, other = (_by_rater(votes, votes.table.data * x) for x in (mine * theirs, mine * mine, theirs * theirs))
    scale = np.sqrt(one * other)
    r = np.clip(np.where(scale > 1e-9, both / np.where(scale > 1e-9, scale, 1), 0), -1 + 1e-9, 1 - 1e-9)
    free = np.maximum(n - 2, 1)
    return np.where(n > 2, stdtr(free, -r * np.sqrt(free / (1 - r**2))), 1.0)


def _moments(votes: Votes, known: Skills, scores: Array) -> tuple[Array, Array, Array]:
    """(rater, skill): mean, variance and third cumulant of the score of a rater of each skill on the same items."""
    habit, one = known.habit[votes.rater_of], np.ones(votes.n_labels)
    powers = (scores, (square := scores * scores), square * scores)
    blind = [(habit * x) @ one for x in powers]  # (cell,): moments of the score of a blind rater ...
    more = [(known.of_others * x) @ one - b for x, b in zip(powers, blind, strict=True)]  # ... of one who knows, beyond
    mean, variance, third = (
        np.stack([_by_rater(votes, votes.table.data * x) for x in terms], -1) @ (GRID ** np.arange(len(terms))[:, None])
        for terms in _cumulants(*blind, *more)
    )
    return mean, variance, third


def _needed(known: Skills, mean: Array, variance: Array) -> Array:
    """(rater,): the fewest labels on such items with which a decision is probable; infinite if there is no such number.

    ``mean``, ``variance``: (rater, skill), of the score of one label. The number is found by halving on a logarithmic
    scale.
    """
    skill = known.posterior
    few, many = np.zeros(len(mean)), np.full(len(mean), np.log(MOST_LABELS))
    never = _decided(np.full(len(mean), MOST_LABELS), known.without, skill, mean, variance) < DECIDED
    for _ in range(HALVINGS):
        middle = (few + many) / 2
        enough = _decided(np.exp(middle), known.without, skill, mean, variance) >= DECIDED
        few, many = np.where(enough, few, middle), np.where(enough, middle, many)
    return np.where(never, np.inf, np.exp(many))


def _decided(n: Array, honest: Array, skill: Array, mean: Array, variance: Array) -> Array:
    """(rater,): the probability that n labels show a rater to be blind, or not to be."""
    step = np.sqrt(np.maximum(variance, 1e-12))
    centre, sd = n[:, None] * mean, np.sqrt(n)[:, None] * step
    low, high = (centre - 6 * sd).min(1), (centre + 6 * sd).max(1)
    for _ in range(HALVINGS):  # the score below which a rater is named
        x = (low + high) / 2
        rare = (honest * ndtr((x[:, None] - centre) / sd)).sum(1) <= LEVEL
        low, high = np.where(rare, x, low), np.where(rare, high, x)
    informed = centre[:, :1] + ndtri(1 - LEVEL) * sd[:, :1] + step[:, :1]
    named = np.minimum(low[:, None], informed)
    return np.asarray((skill * (ndtr((named - centre) / sd) + ndtr((centre - informed) / sd))).sum(1))


def _cumulants(b: Array, b2: Array, b3: Array, d: Array, d2: Array, d3: Array) -> tuple[tuple[Array, ...], ...]:
    """Mean, variance and third cumulant of each label's score, as coefficients of the powers of the skill.

    The moments of a rater of skill x are b + x d: with probability x they know the label, and otherwise they label by
    habit.
    """
    return (
        (b, d),
        (b2 - b**2, d2 - 2 * b * d, -(d**2)),
        (b3 - 3 * b * b2 + 2 * b**3, d3 - 3 * (b * d2 + d * b2) + 6 * b**2 * d, 6 * b * d**2 - 3 * d * d2, 2 * d**3),
    )


def _below(x: Array, mean: Array, variance: Array, third: Array) -> Array:
    """The probability of at most x, by Edgeworth's expansion to the skewness."""
    sd = np.sqrt(np.maximum(variance, 1e-12))
    z, skew = (x - mean) / sd, np.clip(third / sd**3, -1, 1)
    return np.asarray(np.clip(ndtr(z) - skew * (z**2 - 1) * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) / 6, 0, 1))
