"""Other units of sampling than the item: clusters of items, raters, or items and raters at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.coefficients import REGISTRY
from raters.coefficients.base import Coefficient, Parts, Sums
from raters.errors import UsageError
from raters.inference.intervals import (
    Interval,
    IntervalSpec,
    Numbers,
    Small,
    around,
    by_jackknife,
    by_percentile,
    few_clusters,
    interval,
    student,
)
from raters.inference.prior_item import Posterior
from raters.inference.statistic import Statistic, without_each
from raters.inference.weights import multinomial
from raters.items import Items, features
from raters.notes.note import Note
from raters.scales import Kernel

Array = NDArray[Any]
MANY_RATERS = 31
"""With fewer raters than this, one is left out at a time instead of resampling, which gives better coverage."""
CELLS = 4_000_000
POOLED_TERMS = frozenset(
    {
        "labelled",
        "paired",
        "agree",
        "annotations",
        "pairings",
        "pairings_agree",
        "pairable_n",
        "pairable_agree",
        "pairable_own",
        "shares",
        "label_shares",
        "pooled",
        "label_pooled",
        "pairable",
    }
)


@dataclass(frozen=True)
class Clustered:
    """A statistic whose units are clusters of items: they are resampled, or omitted, as a whole (the block
    bootstrap).
    """

    inner: Statistic
    members: sparse.csr_array
    """(cluster, pattern): how many items of each pattern a cluster has."""
    imaginary: int = 0
    """Number of imaginary clusters, which are the last ones."""

    @property
    def weight(self) -> Array:
        real = self.members.shape[0] - self.imaginary
        return np.append(np.ones(real), np.zeros(self.imaginary))

    def parts(self, weights: Array) -> Parts:
        return self.inner.parts(np.asarray(weights @ self.members))

    def influence(self) -> Array:
        return np.asarray(self.members @ self.inner.influence())

    def left_out(self) -> Array:
        return without_each(self)


def clustered(stat: Statistic, items: Items) -> Clustered:
    """The statistic with the clusters of these items (pattern by pattern those of ``stat``) as units."""
    members = cluster_members(items)
    if members is None:
        raise UsageError("the items were folded without clusters.")
    return Clustered(stat, members)


def cluster_members(items: Items) -> sparse.csr_array | None:
    """(cluster, pattern): how many items of each pattern a cluster has; None if items are the unit."""
    if items.cluster is None:
        return None
    codes, at = np.unique(items.cluster, return_inverse=True)
    shape = (len(codes), len(items.weight))
    return sparse.coo_array((items.weight, (at.ravel(), np.arange(shape[1]))), shape).tocsr()


def cluster_interval(stat: Statistic, items: Items, value: float, spec: IntervalSpec, small: Small | None) -> Interval:
    """The interval with whole clusters resampled; an imaginary cluster is an imaginary item repeated as often as a
    cluster has items.
    """
    whole = clustered(stat, items)
    n = len(whole.weight)
    wide: Posterior | None = None
    rests = small.otherwise if isinstance(small, Numbers) else small
    if rests is not None:
        shown = len(stat.weight)
        more = len(rests.base) - shown
        each = float(stat.weight.sum()) / n * sparse.eye_array(more)
        members = sparse.block_array([[whole.members, None], [None, each]]).tocsr()
        base = np.append(np.zeros(n), rests.base[shown:])
        wide = Posterior(Clustered(rests.stat, members, more), base, rests.mass)
    found = interval(whole, value, spec, small=replace(small, otherwise=wide) if isinstance(small, Numbers) else wide)
    return few_clusters(n, found)


@dataclass(frozen=True)
class ByRater:
    """A pooled coefficient as a function of one weight per rater (and one per pattern).

    A pair of labels is weighted by the product of its raters' weights, and only labels of different raters are paired:
    a rater who is drawn twice is never compared with themselves.
    """

    coefficient: Coefficient
    items: Items
    """Folded with raters as groups."""
    kernel: Kernel

    @property
    def weight(self) -> Array:
        return np.ones(len(self.items.groups))

    @cached_property
    def _features(self) -> sparse.csr_array:
        """(pattern * feature, rater)."""
        x = sparse.coo_array(features(self.items, self.kernel))
        f = x.shape[1] // len(self.items.groups)
        return sparse.coo_array(
            (x.data, (x.row * f + x.col % f, x.col // f)), (x.shape[0] * f, x.shape[1] // f)
        ).tocsr()

    @cached_property
    def _own(self) -> tuple[sparse.csr_array, sparse.csr_array]:
        """(pattern, rater): ordered pairs of a rater's labels with themselves, and the kernel summed over these."""
        n = self.items.per_group.astype(float)
        pairs = n.multiply(n).tocsr()
        if n.data.max(initial=0) <= 1:
            return pairs, pairs * self.kernel.perfect
        raise UsageError(
            "raters who label an item more than once cannot be resampled yet; read the data with duplicates='first'."
        )

    def parts(self, weights: Array) -> Parts:
        rows = np.broadcast_to(self.items.weight, (len(weights), len(self.items.weight)))
        return self.both(weights, rows)

    def both(self, rater: Array, item: Array) -> Parts:
        """Observed, expected and value for each row of weights: (replicate, rater) and (replicate, pattern)."""
        chunk = max(1, CELLS // self._features.shape[0])
        done = [self._chunk(rater[i : i + chunk], item[i : i + chunk]) for i in range(0, len(rater), chunk)]
        joined = [np.concatenate([getattr(p, name) for p in done]) for name in ("observed", "expected")]
        return Parts(joined[0], joined[1], done[0].perfect, done[0].unit)

    def _chunk(self, rater: Array, item: Array) -> Parts:
        n_patterns = len(self.items.weight)
        own_pairs, own = self._own
        s = (self._features @ rater.T).T.reshape(len(rater), n_patterns, -1)
        many = (self.items.per_group @ rater.T).T
        room = many**2 - (own_pairs @ (rater**2).T).T
        if self.kernel.by_ranks:
            return _ordinal(s, many, room, item)
        pair = self.kernel.product(s, s) - (own @ (rater**2).T).T
        paired = room > 1e-9
        agree = np.where(paired, pair / np.where(paired, room, 1), 0.0)
        share = np.where(many > 0, 1 / np.where(many > 0, many, 1), 0.0)
        each = {
            "labelled": many > 0,
            "paired": paired,
            "agree": agree,
            "annotations": many,
            "pairings": room,
            "pairings_agree": pair,
            "pairable_n": many * paired,
            "pairable_agree": many * agree,
            "pairable_own": self.kernel.perfect * many * paired,
        }
        flat = [(item * x).sum(-1)[:, None] for x in each.values()]
        for by in (share, np.ones_like(share), paired.astype(float)):
            flat.append(np.einsum("bp,bpf->bf", item * by, s))
        f = s.shape[-1]
        start = len(each)
        layout: dict[str, slice | int] = {name: i for i, name in enumerate(each)}
        wide = {"shares": 0, "label_shares": 0, "pooled": 1, "label_pooled": 1, "pairable": 2}
        layout |= {name: slice(start + at * f, start + (at + 1) * f) for name, at in wide.items()}
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.coefficient.function(Sums(np.concatenate(flat, 1), layout), self.kernel, len(self.items.labels))

    def influence(self) -> Array:
        raise UsageError("with raters as the sampling unit, use interval='bootstrap' or 'jackknife'.")

    def left_out(self) -> Array:
        return without_each(self)


def _ordinal(s: Array, many: Array, room: Array, item: Array) -> Parts:
    """Ordinal alpha with rater weights: a rater's own pairs lie at distance 0, so only their number matters."""
    paired = (room > 1e-9).astype(float)
    use = item * paired
    margin = np.einsum("bp,bpk->bk", use, s)
    n = margin.sum(-1)
    rank = np.cumsum(margin, -1) - margin / 2
    squares, total = np.einsum("bpk,bk->bp", s, rank**2), np.einsum("bpk,bk->bp", s, rank)
    within = 2 * (many * squares - total**2) * many / np.where(paired > 0, room, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = (use * within).sum(-1) / n
        expected = 2 * (n * (margin * rank**2).sum(-1) - (margin * rank).sum(-1) ** 2) / (n * (n - 1))
    return Parts(observed, np.where((margin > 1e-9).sum(-1) < 2, 0.0, expected), 0.0)


def by_rater(coefficient: Coefficient, items: Items, kernel: Kernel) -> ByRater:
    """The coefficient with raters as units; those that hold named raters' margins fixed are refused."""
    if not set(coefficient.terms) <= POOLED_TERMS:
        others = ", ".join(n for n, row in REGISTRY.items() if set(row.terms) <= POOLED_TERMS and row.exactly is None)
        raise UsageError(
            f"{coefficient.name} describes these particular raters, so they cannot be resampled; with sample='raters'"
            f" or 'both', use one of {others}."
        )
    if (
        items.moments is None
        and kernel.features is not None
        and {"label_shares", "label_pooled"} & set(coefficient.terms)
    ):
        raise UsageError(f"{coefficient.name} cannot resample raters with this many distinct labels.")
    return ByRater(coefficient, items, kernel)


def rater_interval(stat: ByRater, value: float, spec: IntervalSpec, both: bool, over_items: Statistic) -> Interval:
    """The interval over raters, or over items and raters: few raters are left out one at a time, many are resampled."""
    n_raters = len(stat.items.groups)
    if n_raters < 3 or not np.isfinite(value):
        return Interval(
            np.nan,
            np.nan,
            np.nan,
            "jackknife",
            (Note("two_raters" if n_raters == 2 else "single_rater"),) if n_raters < 3 else (),
        )
    if spec.method not in ("auto", "bootstrap", "jackknife"):
        raise UsageError("with raters as the sampling unit, use interval='bootstrap' or 'jackknife'.")
    if spec.method == "bootstrap" or (spec.method == "auto" and n_raters >= MANY_RATERS):
        return around(by_percentile(_draws(stat, spec, both), spec), value)
    found = by_jackknife(stat, value, spec)
    if both and np.isfinite(found.se):
        items = by_jackknife(over_items, value, spec)
        found = student(value, float(np.hypot(found.se, items.se)), n_raters, spec, "jackknife")
    return replace(around(found, value), notes=(*found.notes, Note("left_out_raters", {"n": n_raters})))


def _draws(stat: ByRater, spec: IntervalSpec, both: bool) -> Array:
    rng = np.random.default_rng(spec.seed)
    raters = np.concatenate(list(multinomial(stat.weight, spec.resamples, rng)))
    if not both:
        return stat.parts(raters).value
    values, at = [], 0
    for item in multinomial(stat.items.weight, spec.resamples, rng):
        values.append(stat.both(raters[at : at + len(item)], item).value)
        at += len(item)
    return np.concatenate(values)
