"""The reliability of an aggregate of k labels from one dataset, at any k: the method ``model`` of kRR.

.. math:: 1 - \\frac{D_o}{D_e}, \\quad D_o = 1 - E\\Big[\\sum_c q_c(p)^2\\Big], \\quad D_e = 1 - \\sum_c E[q_c(p)]^2

with q_c(p) the probability that the majority of k labels drawn from p is c, and the expectation over the mixing
distribution of p. Other coefficients and aggregates work alike: pairs of answers are (c, d) with probability E[q_c
q_d].
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.agreement_spec import Request
from raters.annotations import Annotations
from raters.coefficients.base import Parts
from raters.errors import UsageError
from raters.inference.intervals import Interval
from raters.inference.statistic import Linear, Statistic
from raters.items import Items
from raters.reliability.krr.aggregates import Aggregate, Through, of_labels, of_values
from raters.reliability.krr.vote_model.mixture import Mixture
from raters.reliability.krr.vote_model.simplex import (
    DRAWS,
    GRID,
    answer_shares,
    drawn_numbers,
    exact,
    free_points,
    grid_points,
    middle_shares,
)
from raters.reliability.krr.vote_model.tilted import Calibrated, moments

Array = NDArray[Any]
MOST_LABELS = 60
BATCHES = 10
"""Batches of draws from which the Monte Carlo error is estimated."""
MANY = 1e6
"""Number of items that a mixing distribution represents: large, so that alpha's small-sample term vanishes."""


@dataclass
class VoteModel:
    """The fitted mixing distribution of a dataset, and what follows from it at any k."""

    req: Request
    ann: Annotations
    agg: Aggregate
    mixture: Mixture | Calibrated
    seed: int
    kept: dict[Any, Any] = field(default_factory=dict)
    """Cached results: refits by their weights, goodness of fit."""

    @property
    def weight(self) -> Array:
        return self.mixture.weight

    def at(self, k: int, beyond: bool) -> AtK:
        """The reliability at k as a statistic of pattern weights; ``beyond``: whether k is beyond what the labels per
        item determine.
        """
        if ("points", k) not in self.kept:
            self.kept["points", k] = self._points(k)
        return AtK(self, self.kept["points", k], beyond)

    def _points(self, k: int, rng: np.random.Generator | None = None, draws: int = DRAWS) -> Linear | Through:
        """The coefficient as a function of the weights of the support points."""
        rng = np.random.default_rng(self.seed) if rng is None else rng
        points, ann = self.mixture.support, self.ann
        ones = np.ones(len(points))
        stat: Statistic
        medians = self._between(k)
        if self.agg.shares is None or (self._halves(k) and medians is None):
            a, b = (drawn_numbers(points, k, self.agg, ann.keys.astype(float), rng, draws) for _ in range(2))
            stat = of_values(self.req, ann, ones, a, b)
        else:
            if medians is not None:
                values, both = medians
                ann = replace(ann, labels=tuple(values.tolist()), keys=values)
            else:
                both, _ = answer_shares(points, k, self.agg, rng, draws)
            q = len(ann.labels)
            pairs = np.stack(np.divmod(np.arange(q * q), q), -1)
            stat = of_labels(self.req, ann, ones, sparse.csr_array(both.reshape(len(points), -1)), pairs)
        return stat  # type: ignore[return-value]

    def _halves(self, k: int) -> bool:
        """Whether the answer may lie between two labels, as the median of even k does."""
        return self.agg.shares is not None and self.agg.numbers is not None and k % 2 == 0

    def _between(self, k: int) -> tuple[Array, Array] | None:
        """Such answers, and how often two replications give each pair; None if there are none, or too many."""
        return middle_shares(self.mixture.support, k, self.ann.keys.astype(float)) if self._halves(k) else None

    def shares(self, k: int, beyond: bool) -> tuple[Array, Array]:
        """(label,): how often each label is given, and how often it is the answer of k labels."""
        points, mixing = self.mixture.support, self.mixture.serving(beyond)
        return mixing @ points, mixing @ answer_shares(points, k, self.agg, np.random.default_rng(self.seed))[1]

    def drawing_error(self, k: int, at: AtK) -> float | None:
        """The Monte Carlo standard error of the figure of k labels; None if every outcome was enumerated."""
        exactly = self._between(k) is not None if self._halves(k) else exact(self.mixture.support, k, self.agg)
        if self.agg.shares is not None and exactly:
            return None
        if ("error", k) not in self.kept:
            each = np.random.default_rng((self.seed, k)).spawn(BATCHES)
            parts = [self._points(k, rng, DRAWS // BATCHES) for rng in each]
            values = [float(replace(at, points=p).of_mixing(at.mixing[None]).value[0]) for p in parts]
            self.kept["error", k] = float(np.std(values, ddof=1) / np.sqrt(BATCHES))
        found: float = self.kept["error", k]
        return found

    def refit(self, weights: Array, beyond: bool) -> Array:
        """(replicate, point): mixing weights; the same weights are fitted once for all k."""
        key = hash(weights.tobytes()), beyond
        if key not in self.kept:
            self.kept[key] = self.mixture.refit(weights, beyond)
        refitted: Array = self.kept[key]
        return refitted


@dataclass(frozen=True)
class AtK:
    """The reliability at one k: a function of the patterns' weights, via the fitted mixing distribution."""

    votes: VoteModel
    points: Linear | Through
    beyond: bool
    """Whether k is beyond what the labels per item determine."""

    @property
    def weight(self) -> Array:
        return self.votes.weight

    def of_mixing(self, mixing: Array) -> Parts:
        """The coefficient for rows of mixing weights."""
        return self.points.parts(mixing * MANY)

    @property
    def mixing(self) -> Array:
        """(point,): the fit to use for this k."""
        return self.votes.mixture.serving(self.beyond)

    @property
    def value(self) -> Parts:
        found = self.of_mixing(self.mixing[None])
        if isinstance(self.points, Linear):
            return found
        unit = (self.weight.sum() / MANY) ** 2  # squared ranks, which scale with the number of items
        return replace(found, observed=found.observed * unit, expected=found.expected * unit)

    def parts(self, weights: Array) -> Parts:
        return self.of_mixing(self.votes.refit(weights, self.beyond))

    def influence(self) -> Array:
        """By central differences; the fit is smooth in the weights."""
        step = 0.01
        n = len(self.weight)
        move = step * np.eye(n)
        at = [self.of_mixing(self.votes.refit(self.weight + sign * move, self.beyond)).value for sign in (1, -1)]
        return np.asarray((at[0] - at[1]) / (2 * step))

    def left_out(self) -> Array:
        rows = np.maximum(self.weight - np.eye(len(self.weight)), 0)
        return self.of_mixing(self.votes.refit(rows, self.beyond)).value

    def range(self, level: float, ends: tuple[int, ...] = (-1, 1)) -> Interval:
        """The smallest and the largest value over the mixing distributions that the data do not exclude; of one end
        alone (-1: low, 1: high), the other is the figure itself.
        """
        kept, found = self.votes.kept, []
        for sign in ends:
            key = "range", id(self.points), self.beyond, level, sign
            if key not in kept:
                kept[key] = self._reach(sign, level)
            found.append(kept[key])
        if len(found) < 2:
            found.append(float(self.value.value[0]))
        return Interval(min(found), max(found), np.nan, self.votes.mixture.limits)

    def _reach(self, sign: int, level: float) -> float:
        """Climb repeatedly: find the best mixing distribution for the current slope, and move towards it as far as that
        helps.

        The set is convex and the coefficient nearly linear on it, so a few rounds suffice.
        """
        mixture = self.votes.mixture
        at = self.mixing
        value = float(self.of_mixing(at[None]).value[0])
        if not np.isfinite(value):
            return value
        shares = np.array([1.0, 0.75, 0.5, 0.25, 0.1])[:, None]
        for _ in range(5):
            slope = MANY * replace(self.points, weight=at * MANY).influence()
            aim = mixture.extreme(sign * slope, level)
            along = at + shares * (aim - at)
            found = np.nan_to_num(sign * self.of_mixing(along).value, nan=-np.inf)
            best = int(found.argmax())
            if found[best] <= sign * value + 1e-4:
                break
            at, value = along[best], sign * float(found[best])
        return value


def fit_votes(req: Request, ann: Annotations, agg: Aggregate, items: Items, n: int, seed: int) -> VoteModel:
    """Fit the mixing distribution to these items; all of them count, including those with one label. ``n``: labels per
    item.
    """
    if len(ann.labels) > MOST_LABELS:
        raise UsageError(
            f"method='model' takes up to {MOST_LABELS} labels, but there are {len(ann.labels):,}: merge rare labels, or"
            " use method='split'" + (", or aggregate='mean' with method='icc'." if ann.numeric else ".")
        )
    if agg.own is not None:
        raise UsageError("method='model' takes majority, median or mean; for your own function, use method='split'.")
    items = items.merged()
    counts, weight = items.counts.toarray(), items.weight
    q = counts.shape[1]
    if q in GRID:
        mixture: Mixture | Calibrated = Mixture(counts, weight, grid_points(q, int(items.per_item.max(initial=1))))
    else:
        support = free_points(counts, weight, np.random.default_rng(seed))
        labels = replace(agg, numbers=None) if agg.shares is not None else agg  # calibrated on answers that are labels
        mixture = Calibrated(counts, weight, support, moments(req, ann, labels, items, support, n, seed), seed)
    return VoteModel(req, ann, agg, mixture, seed)
