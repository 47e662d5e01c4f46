"""The vote model for many labels: a smooth fit, calibrated to estimable moments.

With four labels or more, almost every item has its own pattern, and the maximum of the likelihood mistakes their noise
for differences between items: with 8 labels, and 10 on each of 1,000 items, it lies 100 to 200 above the truth. What
the data do say is in a few *moments*, means over items of polynomials in p that have unbiased estimates: how often
labels occur, and how often two replications of a vote of k agree, for each k up to half the labels of an item. So

- EM on many points stops where the likelihood of held-out items is highest;
- the weights are then moved, as little as possible (in relative entropy), until the moments match those of the data
  within their error: exponential tilting, a Newton search in as many dimensions as there are moments;
- what the data leave open is the range over all weights whose moments lie inside their confidence set.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.agreement_spec import Request
from raters.annotations import Annotations
from raters.inference.statistic import Linear
from raters.items import Items, dense
from raters.reliability.krr.aggregates import Aggregate, as_good_as, of_labels
from raters.reliability.krr.resampling import answered_pairs, once, split
from raters.reliability.krr.vote_model.mixture import em_steps, likelihood_of, log_rows, nearest
from raters.reliability.krr.vote_model.simplex import answer_shares, drawn_numbers

Array = NDArray[Any]
FOLDS = 5
STEPS = (0, 1, 2, 4, 8, 16, 32, 64)
"""EM steps that are tried."""
MOST_PATTERNS = 3000
"""If there are more patterns than this, the smooth fit uses a sample of them; moments use all items."""
CELLS = 4_000_000
NEWTON = 60
CLOSE = 0.05
"""The share of the moments' errors that the tilt allows for."""
PULL = 30.0
"""How many errors of a moment the whole spread of a slope is traded for."""


@dataclass(frozen=True)
class Moments:
    """Polynomials in p that the labels of an item estimate without bias."""

    of_patterns: Array
    """(pattern, moment): the estimate; nan if the pattern has too few labels."""
    of_points: Array
    """(point, moment): the value there."""

    def means(self, weights: Array) -> Array:
        """(row, moment): for rows of pattern weights."""
        known = ~np.isnan(self.of_patterns)
        return np.asarray((weights @ np.where(known, self.of_patterns, 0)) / np.maximum(weights @ known, 1e-300))

    def covariance(self, weight: Array) -> Array:
        """(moment, moment): of the means, over items."""
        known = ~np.isnan(self.of_patterns)
        share = np.maximum(weight @ known, 1e-300)
        off = np.where(known, self.of_patterns - self.means(weight[None]), 0) / share
        return np.asarray((off * weight[:, None]).T @ off)

    def scaled(self, weight: Array) -> Moments:
        """Moments in units of their standard errors around their means, without those that have no error (a label never
        given).
        """
        mean, se = self.means(weight[None])[0], np.sqrt(np.diag(self.covariance(weight)))
        kept = se > 1e-9
        return Moments(
            ((self.of_patterns - mean) / np.where(kept, se, 1))[:, kept],
            ((self.of_points - mean) / np.where(kept, se, 1))[:, kept],
        )


@dataclass(frozen=True)
class Calibrated:
    """Patterns of label counts, support points, and the moments that the fit must match."""

    limits = "moments"
    """The name of the range for what the data leave open."""

    counts: Array
    """(pattern, label)."""
    weight: Array
    """(pattern,): how many items show it."""
    support: Array
    """(point, label)."""
    moments: Moments
    seed: int

    @cached_property
    def base(self) -> tuple[Array, int]:
        """(point,): the smooth fit, and its EM steps: those after which held-out items are predicted best."""
        rng = np.random.default_rng(self.seed)
        counts, weight = self.counts, self.weight
        if len(weight) > MOST_PATTERNS:
            at, times = np.unique(rng.choice(len(weight), MOST_PATTERNS, p=weight / weight.sum()), return_counts=True)
            counts, weight = counts[at], times.astype(float)
        likelihood = likelihood_of(counts, self.support)
        start = np.full(len(self.support), 1 / len(self.support))
        steps = _best_steps(likelihood, weight, start, rng)
        return em_steps(likelihood, weight[None], start[None], steps)[0], steps

    @cached_property
    def _scaled(self) -> tuple[Moments, Array]:
        """Moments in units of their errors, and the correlation of those errors."""
        scaled = self.moments.scaled(self.weight)
        return scaled, scaled.covariance(self.weight)

    @property
    def _slack(self) -> Array:
        """The tolerance of the tilt: above 0, but below the errors of the moments, which it must match."""
        return CLOSE * self._scaled[1]

    @cached_property
    def _independent(self) -> Array:
        """(combination, point): moments combined so that their errors are independent, in units of these errors."""
        scaled, errors = self._scaled
        size, axes = np.linalg.eigh(errors)
        kept = size > 1e-9 * size.max(initial=1e-300)
        return np.asarray((scaled.of_points @ axes[:, kept] / np.sqrt(size[kept])).T)

    @cached_property
    def _least(self) -> float:
        """The smallest squared distance to the moments that weights on these points can reach: noise may put the
        moments out of reach.
        """
        closest = _weights(self._independent, np.zeros(len(self._independent)))
        return float(((self._independent @ closest) ** 2).sum())

    @cached_property
    def _tilt(self) -> Array:
        """(moment,): the slope of the tilt."""
        scaled, _ = self._scaled
        none = np.zeros((1, scaled.of_points.shape[1]))
        _, tilt = tilted(self.base[0], scaled.of_points, scaled.means(self.weight[None]), self._slack, none)
        return np.asarray(tilt[0])

    @cached_property
    def fitted(self) -> tuple[Array, int]:
        """(point,) mixing weights, and the EM steps behind them."""
        return self.refit(self.weight[None], True)[0], self.base[1]

    def serving(self, beyond: bool) -> Array:
        """(point,): the same fit for every k."""
        return self.fitted[0]

    def refit(self, weights: Array, beyond: bool) -> Array:
        """(replicate, point): the same smooth fit, moved to the moments of each row of pattern weights."""
        scaled, _ = self._scaled
        step = max(1, CELLS // max(len(self.support), scaled.of_points.shape[1] ** 2))
        begin = np.broadcast_to(self._tilt, (len(weights), len(self._tilt)))
        return np.concatenate(
            [
                tilted(
                    self.base[0],
                    scaled.of_points,
                    scaled.means(weights[i : i + step]),
                    self._slack,
                    begin[i : i + step],
                )[0]
                for i in range(0, len(weights), step)
            ]
        )

    @property
    def effort(self) -> int:
        """Cells that a bootstrap replicate processes."""
        return len(self.support)

    def extreme(self, slope: Array, level: float) -> Array:
        """(point,): the weights that maximise ``slope @ mixing`` among those whose moments lie in their confidence set.

        The set is an ellipsoid of the moments' errors: the data are at least 1 - level times as likely as at the
        weights whose moments are nearest, with normal errors. Weights on its boundary are non-negative least-squares
        solutions that trade the distance of the moments for an ever larger slope.
        """
        apart, spread = self._independent, np.ptp(slope)
        if not spread > 0:
            return self.fitted[0]
        limit = self._least - 2 * float(np.log(1 - level))
        up = (slope - slope.min()) / spread
        best, begin = self.fitted[0], float(up @ self.fitted[0])
        low, high, step, rows, among = 0.0, np.inf, 0.1, np.vstack([apart, PULL * up]), None
        for _ in range(14):
            mixing = _weights(rows, np.append(np.zeros(len(apart)), PULL * (begin + step)), among)
            among = np.flatnonzero(mixing)
            if float(((apart @ mixing) ** 2).sum()) <= limit:
                low = step
                if up @ mixing > up @ best:
                    best = mixing
                if up @ mixing > 1 - 1e-9:
                    break
            else:
                high = step
            step = (low + high) / 2 if np.isfinite(high) else 4 * step
            if high - low < 0.02 * high:
                break
        return best


def _weights(rows: Array, aim: Array, among: Array | None = None) -> Array:
    """The weights whose mean of the rows is nearest to the aim; equal weights if none are found."""
    found = nearest(rows, aim, 1e3 * (1 + np.abs(rows).max(initial=0.0)), 3000, among)
    return np.full(rows.shape[1], 1 / rows.shape[1]) if found is None else found


def _best_steps(likelihood: Array, weight: Array, start: Array, rng: np.random.Generator) -> int:
    """How many EM steps predict held-out items best."""
    items = np.repeat(np.arange(len(weight)), weight.astype(np.int64))
    fold = rng.permutation(len(items)) % FOLDS
    out = np.stack([np.bincount(items[fold == f], minlength=len(weight)) for f in range(FOLDS)]).astype(float)
    rows, done, best, steps = np.broadcast_to(start, (FOLDS, len(start))), 0, -np.inf, 0
    for n in STEPS:
        rows = em_steps(likelihood, weight - out, rows, n - done)
        done, score = n, float(log_rows(likelihood, out, rows).sum())
        if score > best:
            best, steps = score, n
        elif n > 4 * max(steps, 1):
            break
    return steps


def tilted(base: Array, points: Array, means: Array, errors: Array, tilt: Array) -> tuple[Array, Array]:
    """(row, point) weights base * exp(tilt . points) whose moments are near the ``means``, and (row, moment) the tilts.

    The tilt minimises log sum(base exp(tilt . (points - mean))) + tilt . errors . tilt / 2, which is convex; its
    weights minimise relative entropy to the base plus half the squared distance of the moments, in units of their
    errors. Newton steps, all rows at once; a step that does not gain is halved.
    """
    d = points.shape[1]
    squares = (points[:, :, None] * points[:, None, :]).reshape(len(points), -1)
    log_base = np.log(np.maximum(base, 1e-12 / len(base)))

    def at(tilt: Array) -> tuple[Array, Array]:
        score = log_base + tilt @ points.T
        top = score.max(1, keepdims=True)
        mixing = np.exp(score - top)
        total = mixing.sum(1, keepdims=True)
        value = (top + np.log(total))[:, 0] - (tilt * means).sum(1) + ((tilt @ errors) * tilt).sum(1) / 2
        return mixing / total, value

    mixing, value = at(tilt)
    for _ in range(NEWTON):
        mean = mixing @ points
        slope = mean - means + tilt @ errors
        if np.abs(slope).max(initial=0) < 1e-6:
            break
        bend = (mixing @ squares).reshape(-1, d, d) - mean[:, :, None] * mean[:, None, :] + errors + 1e-9 * np.eye(d)
        move = np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
        gain = (slope * move).sum(1)
        length = np.ones((len(tilt), 1))
        for _ in range(30):
            new, found = at(tilt - length * move)
            worse = ~(found <= value - 1e-4 * length[:, 0] * gain + 1e-12)
            if not worse.any():
                break
            length[worse] /= 2
        tilt, mixing, value = tilt - length * move, new, found
    return mixing, tilt


MOST_K = 5
FREQUENT = 3
LEAST_DRAWS, MOST_DRAWS, ALL_DRAWS = 100, 4000, 400_000
"""Draws of disjoint labels from an item, more if there are few items. Moments of two k are almost the same, so the
noise of 100 draws from 60 items changed the figure by .04 between seeds."""


def checkable(agg: Aggregate, n: int, labels: int) -> list[int]:
    """A few k from 2 to n/2, evenly spaced on a log scale; the reliability is nearly linear between them.

    >>> from raters.reliability.krr.aggregates import majority
    >>> vote = Aggregate("majority", "random", shares=majority)
    >>> checkable(vote, 10, 2), checkable(vote, 123, 2), checkable(vote, 5, 2), checkable(vote, 8, 4)
    ([3, 5], [3, 7, 15, 29, 61], [], [3, 4])
    """
    ks = np.array([k for k in range(2, n // 2 + 1) if as_good_as(agg, k, labels) == k], np.int64)
    if len(ks) <= MOST_K:
        return [int(k) for k in ks]
    at = np.searchsorted(ks, np.geomspace(ks[0], ks[-1], MOST_K) - 1e-6)
    return sorted({int(ks[i]) for i in at})


def enough_draws(items: Items) -> int:
    """How often labels are drawn from each item."""
    return int(np.clip(ALL_DRAWS // max(len(items.weight), 1), LEAST_DRAWS, MOST_DRAWS))


def moments(req: Request, ann: Annotations, agg: Aggregate, items: Items, support: Array, n: int, seed: int) -> Moments:
    """How often each label occurs, and what two labels contribute to the coefficient; the same for two aggregates of k
    labels.

    Also how often frequent labels are the answer of all n.
    """
    counts = items.counts.toarray()
    q = counts.shape[1]
    total = counts.sum(1, keepdims=True)
    shares = counts / np.where(total > 0, total, np.nan)
    margin = items.weight @ np.nan_to_num(shares)
    frequent = np.argsort(-margin, kind="stable")[: min(FREQUENT, q - 1)]
    adds = pair_terms(req, ann, margin / margin.sum(), frequent)
    single = support[:, :, None] * support[:, None, :]
    found = [(shares[:, :-1], support[:, :-1]), (_single(counts, adds), single.reshape(len(support), -1) @ adds)]
    rng = np.random.default_rng(seed)
    ks = checkable(agg, n, q)
    if agg.shares is not None:
        for k in ks:
            both, _ = answer_shares(support, k, agg, rng)
            found.append((_votes(ann, agg, items, k, seed, adds), both.reshape(len(support), -1) @ adds))
        _, one = answer_shares(support, n, agg, rng)
        found.append((_whole(ann, agg, items, n, seed, frequent), one[:, frequent]))
    elif not agg.averages:  # for means, any k follows from single labels
        values = ann.keys.astype(float)
        for k in ks:
            a, b = (drawn_numbers(support, k, agg, values, rng) for _ in range(2))
            found.append((_numbers(ann, agg, items, k, seed), _of_numbers(a - values.mean(), b - values.mean())))
    return Moments(*(np.column_stack([pair[i] for pair in found]) for i in (0, 1)))


def pair_terms(req: Request, ann: Annotations, margin: Array, frequent: Array) -> Array:
    """(pair of labels, term): what a pair adds to the sums of the coefficient, with margins of frequent labels only.

    If the sums are not fixed (ranks that depend on the data), the terms are the count of the pair, whether it agrees,
    and its ranks.
    """
    q = len(margin)
    pairs = np.stack(np.divmod(np.arange(q * q), q), -1)
    if ann.scale.amounts:
        return _of_numbers(*(ann.keys.astype(float)[pairs] - ann.keys.astype(float).mean()).T[:, None])
    stat = of_labels(req, ann, np.ones(len(pairs)), sparse.eye_array(len(pairs), format="csr"), pairs)
    if isinstance(stat, Linear):
        terms = dense(stat.terms)
        last = terms.shape[1] - q  # the margins come last, if chance needs them
        return np.asarray(terms if last < 0 else terms[:, [*range(min(last, FREQUENT)), *(last + frequent)]])
    ranks = (np.cumsum(margin) - margin / 2)[pairs].T[:, None]
    return np.column_stack([np.ones(len(pairs)), pairs[:, 0] == pairs[:, 1], _of_numbers(*ranks)])


def _single(counts: Array, adds: Array) -> Array:
    """(pattern, term): the mean over all pairs of two labels of a pattern."""
    q, n = counts.shape[1], counts.sum(1)
    table = adds.reshape(q, q, -1)
    both = np.stack([((counts @ table[:, :, j]) * counts).sum(1) for j in range(adds.shape[1])], 1)
    own = counts @ np.diagonal(table).T
    return np.asarray((both - own) / np.where(n > 1, n * (n - 1), np.nan)[:, None])


def _votes(ann: Annotations, agg: Aggregate, items: Items, k: int, seed: int, adds: Array) -> Array:
    """(pattern, term): the mean over pairs of answers of disjoint draws of k labels; a pair without an answer adds
    nothing.
    """
    b, drawn = split(items, k)
    q = items.counts.shape[1]
    found = np.full((len(items.weight), adds.shape[1]), np.nan)
    at = np.flatnonzero(items.per_item >= 2 * k)
    for units, one, other in answered_pairs(ann, agg, b, drawn, enough_draws(items), seed)[0]:
        unit = np.broadcast_to(np.arange(len(units)), one.shape)
        kept = (one >= 0) & (other >= 0)
        pair = (one.astype(np.int64) * q + other)[kept]
        share = np.full(len(pair), 1 / len(one))
        found[at[units]] = sparse.coo_array((share, (unit[kept], pair)), (len(units), q * q)).tocsr() @ adds
    return found


def _numbers(ann: Annotations, agg: Aggregate, items: Items, k: int, seed: int) -> Array:
    """(pattern, term): the same for aggregates that are numbers."""
    b, drawn = split(items, k)
    found = np.full((len(items.weight), 3), np.nan)
    at = np.flatnonzero(items.per_item >= 2 * k)
    centre = ann.keys.astype(float).mean()
    for units, one, other in answered_pairs(ann, agg, b, drawn, enough_draws(items), seed)[0]:
        found[at[units]] = _of_numbers(one - centre, other - centre)
    return found


def _of_numbers(a: Array, b: Array) -> Array:
    """(unit, 3): squared distance, sum, and sum of squares of two numbers, (draw, unit) each, over draws."""
    return np.stack([((a - b) ** 2).mean(0), (a + b).mean(0), (a**2 + b**2).mean(0)], 1)


def _whole(ann: Annotations, agg: Aggregate, items: Items, k: int, seed: int, frequent: Array) -> Array:
    """How often each frequent label is the answer of k labels of a pattern: of all its labels, or of draws if it has
    more.
    """
    found = np.full((len(items.weight), len(frequent)), np.nan)
    at = np.flatnonzero(items.per_item > k)
    if len(at):
        for units, one, _ in answered_pairs(ann, agg, *once(items.where(at), k), enough_draws(items), seed)[0]:
            found[at[units]] = np.stack([(one == label).mean(0) for label in frequent], 1)
    if agg.shares is not None:
        just = np.flatnonzero(items.per_item == k)
        found[just] = agg.shares(items.counts[just].toarray(), agg.ties)[:, frequent]
    return found
