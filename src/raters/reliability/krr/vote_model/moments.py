"""Estimable moments: moments of an item's label distribution that have unbiased estimates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.agreement_spec import Request
from raters.annotations import Annotations
from raters.inference.statistic import Linear
from raters.items import Items, dense
from raters.reliability.krr.aggregates import Aggregate, as_good_as
from raters.reliability.krr.outcomes import of_labels
from raters.reliability.krr.resampling import answered_pairs, once, split
from raters.reliability.krr.vote_model.answers import answer_shares, drawn_numbers
from raters.reliability.krr.vote_model.tilted import Moments

Array = NDArray[Any]
MOST_K = 5
FREQUENT = 3
LEAST_DRAWS, MOST_DRAWS, ALL_DRAWS = 100, 4000, 400_000
"""Draws of disjoint labels from an item, more if there are few items. Moments of two k are almost the same, so the noise of 100 draws
from 60 items changed the figure by .04 between seeds."""


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
    """How often each label occurs, and what two labels contribute to the coefficient; the same for two aggregates of k labels.

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
    elif agg.name != "mean":  # for means, any k follows from single labels
        values = ann.keys.astype(float)
        for k in ks:
            a, b = (drawn_numbers(support, k, agg, values, rng) for _ in range(2))
            found.append((_numbers(ann, agg, items, k, seed), _of_numbers(a - values.mean(), b - values.mean())))
    return Moments(*(np.column_stack([pair[i] for pair in found]) for i in (0, 1)))


def pair_terms(req: Request, ann: Annotations, margin: Array, frequent: Array) -> Array:
    """(pair of labels, term): what a pair adds to the sums of the coefficient, with margins of frequent labels only.

    If the sums are not fixed (ranks that depend on the data), the terms are the count of the pair, whether it agrees, and its ranks.
    """
    q = len(margin)
    pairs = np.stack(np.divmod(np.arange(q * q), q), -1)
    if ann.scale in ("interval", "ratio"):
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
    """(pattern, term): the mean over pairs of answers of disjoint draws of k labels; a pair without an answer adds nothing."""
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
    """How often each frequent label is the answer of k labels of a pattern: of all its labels, or of draws if it has more."""
    found = np.full((len(items.weight), len(frequent)), np.nan)
    at = np.flatnonzero(items.per_item > k)
    if len(at):
        for units, one, _ in answered_pairs(ann, agg, *once(items.where(at), k), enough_draws(items), seed)[0]:
            found[at[units]] = np.stack([(one == label).mean(0) for label in frequent], 1)
    if agg.shares is not None:
        just = np.flatnonzero(items.per_item == k)
        found[just] = agg.shares(items.counts[just].toarray(), agg.ties)[:, frequent]
    return found
