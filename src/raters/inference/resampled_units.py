"""Other units of sampling than the item: clusters of items, raters, or items and raters at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from raters.coefficients import REGISTRY
from raters.coefficients.base import Coefficient, Parts, Sums
from raters.errors import UsageError
from raters.inference.intervals import (
    OF_BOTH,
    Interval,
    IntervalSpec,
    Numbers,
    Small,
    around,
    by_jackknife,
    by_percentile,
    few_clusters,
    interval,
)
from raters.inference.prior_item import Posterior
from raters.inference.statistic import STEP, Statistic, without_each
from raters.inference.weights import multinomial
from raters.items import Items, cell_shares, dense, features
from raters.notes.note import Note
from raters.scales import Kernel

Array = NDArray[Any]
MANY_RATERS = 31
"""With fewer raters than this, one is left out at a time instead of resampling, which gives better coverage."""
CELLS = 4_000_000
NUDGE = 1e-4
"""By how much the weight of one label is changed to see its influence."""
SINGLE = (
    "labelled",
    "paired",
    "agree",
    "annotations",
    "pairings",
    "pairings_agree",
    "pairable_n",
    "pairable_agree",
    "pairable_own",
)
"""Sums of a number for each item, in their order."""
WIDE = {"shares": 0, "label_shares": 0, "pooled": 1, "label_pooled": 1, "pairable": 2}
"""Sums of a number for each item and label: the factor of the item's features."""
POOLED_TERMS = frozenset({*SINGLE, *WIDE})


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
        own_pairs, own = self._own
        s = (self._features @ rater.T).T.reshape(len(rater), len(self.items.weight), -1)
        many = (self.items.per_group @ rater.T).T
        room = many**2 - (own_pairs @ (rater**2).T).T
        if self.kernel.by_ranks:
            return _ordinal(s, many, room, item)
        each, wide = self._terms(s, many, room, (own @ (rater**2).T).T)
        flat = [(item * x).sum(-1)[:, None] for x in each.values()]
        flat += [np.einsum("bp,bpf->bf", item * by, s) for by in wide]
        return self._of_sums(np.concatenate(flat, 1))

    def _terms(self, s: Array, many: Array, room: Array, own: Array) -> tuple[dict[str, Array], tuple[Array, ...]]:
        """What items add to the sums: (..., pattern) by name, and the factors of their features ``s``."""
        pair = self.kernel.product(s, s) - own
        paired = room > 1e-9
        agree = np.where(paired, pair / np.where(paired, room, 1), 0.0)
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
        share = np.where(many > 0, 1 / np.where(many > 0, many, 1), 0.0)
        return {name: np.asarray(x, float) for name, x in each.items()}, (share, np.ones_like(share), paired * 1.0)

    def _of_sums(self, flat: Array) -> Parts:
        start = len(SINGLE)
        f = (flat.shape[-1] - start) // 3
        layout: dict[str, slice | int] = {name: i for i, name in enumerate(SINGLE)}
        layout |= {name: slice(start + at * f, start + (at + 1) * f) for name, at in WIDE.items()}
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.coefficient.function(Sums(flat, layout), self.kernel, len(self.items.labels))

    def cells(self) -> tuple[Array, Array, Array]:
        """(cell,): the influence of the weight of one label, its pattern, and its rater."""
        shares, row = cell_shares(self.items, self.kernel)
        x, rater = dense(shares), np.asarray(self.items.per_group.indices)
        self._own  # noqa: B018  raters who label an item more than once are refused
        s = np.zeros((len(self.items.weight), x.shape[1]))
        np.add.at(s, row, x)
        many = np.bincount(row, minlength=len(s)).astype(float)
        influence = _ordinal_cells if self.kernel.by_ranks else self._cells
        return influence(s, many, x, row, self.items.weight), row, rater

    def _cells(self, s: Array, many: Array, x: Array, row: Array, item: Array) -> Array:
        def added(s: Array, many: Array, room: Array, own: Array) -> Array:
            each, wide = self._terms(s, many, room, own)
            return np.concatenate([np.stack(list(each.values()), -1), *(by[:, None] * s for by in wide)], 1)

        perfect, room = self.kernel.perfect, many**2 - many
        total = item @ added(s, many, room, perfect * many)
        slope = self._of_sums(total + 1j * STEP * np.eye(len(total))).value.imag / STEP
        found = np.empty(len(row))
        chunk = max(1, CELLS // len(total))
        for i in range(0, len(row), chunk):
            at = row[i : i + chunk]
            moved = []
            for h in (NUDGE, -NUDGE):
                own = many[at] + (1 + h) ** 2 - 1
                n = many[at] + h
                moved.append(added(s[at] + h * x[i : i + chunk], n, n**2 - own, perfect * own))
            found[i : i + chunk] = (moved[0] - moved[1]) @ slope / (2 * NUDGE)
        return found

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


def _ordinal_cells(s: Array, many: Array, x: Array, row: Array, item: Array) -> Array:
    """(cell,): the influence of the weight of one label on ordinal alpha: directly, and through the mid-ranks."""
    paired = many > 1
    item = np.where(paired, item, 0.0)
    k = s.shape[1]

    def value(margin: Array) -> tuple[Array, Array]:
        """(row,): alpha with these margins, and (row, label): the mid-ranks, with what items add unchanged."""
        n = margin.sum(-1, keepdims=True)
        rank = np.cumsum(margin, -1) - margin / 2
        squares, total = s @ (rank**2).T, s @ rank.T
        within = 2 * (many[:, None] * squares - total**2) / np.where(paired, many - 1, 1)[:, None]
        expected = 2 * (n[:, 0] * (margin * rank**2).sum(-1) - (margin * rank).sum(-1) ** 2) / n[:, 0] ** 2
        return 1 - (item @ within) / n[:, 0] / expected, rank

    margin = item @ s
    step = NUDGE * margin.sum() * np.eye(k)
    (up, _), (down, _), (_, ranks) = value(margin + step), value(margin - step), value(margin[None])
    slope = (up - down) / (2 * NUDGE * margin.sum())
    rank, n = ranks[0], margin.sum()
    expected = 2 * (n * (margin @ rank**2) - (margin @ rank) ** 2) / n**2

    def within(h: float) -> Array:
        """(cell,): what the item of a cell adds, the weight of its label changed by h."""
        own, here = many[row] + (1 + h) ** 2 - 1, many[row] + h
        squares, total = (s[row] + h * x) @ rank**2, (s[row] + h * x) @ rank
        return np.asarray(2 * (here * squares - total**2) * here / np.where(paired[row], here**2 - own, 1))

    direct = -(within(NUDGE) - within(-NUDGE)) / (2 * NUDGE) / n / expected
    return np.where(paired[row], direct + x @ slope, 0.0)


def any_raters(coefficient: Coefficient) -> bool:
    """Whether it holds no named rater's margin fixed, so that raters can be resampled."""
    return set(coefficient.terms) <= POOLED_TERMS


def by_rater(coefficient: Coefficient, items: Items, kernel: Kernel) -> ByRater:
    """The coefficient with raters as units; those that hold named raters' margins fixed are refused."""
    if not any_raters(coefficient):
        others = ", ".join(n for n, row in REGISTRY.items() if any_raters(row) and row.exactly is None)
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


def rater_interval(
    stat: ByRater,
    value: float,
    spec: IntervalSpec,
    both: bool,
    over_items: Statistic,
    by_items: Callable[[], Interval],
) -> Interval:
    """The interval over raters, or over items and raters: few raters are left out one at a time, many are resampled.

    ``by_items``: the interval over items alone.
    """
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
    if both and not over_items.weight.sum() > 1:
        return Interval(np.nan, np.nan, np.nan, OF_BOTH.name, (Note("single_item"),))
    if both and spec.method != "bootstrap":
        return _over_both(stat, value, spec, over_items, by_items)
    if spec.method == "bootstrap" or n_raters >= MANY_RATERS:
        return around(by_percentile(_draws(stat, spec, both), spec), value)
    found = by_jackknife(stat, value, spec)
    return replace(around(found, value), notes=(*found.notes, Note("left_out_raters", {"n": n_raters})))


def _over_both(
    stat: ByRater, value: float, spec: IntervalSpec, over_items: Statistic, by_items: Callable[[], Interval]
) -> Interval:
    """Student's t with the variances over items and over raters added, by linearisation.

    What remains when item and rater are known varies with both: it is in both variances, and counts once. Degrees of
    freedom by Satterthwaite; limits on the scale of Fisher's z, on which the variance hardly depends on the value; and
    never narrower than over items alone, which is what an imaginary item adds near full agreement. Owen (2007), Ann.
    Appl. Stat. 1, 386-411; Satterthwaite (1946), Biometrics Bull. 2, 110-114.
    """
    n, raters = float(over_items.weight.sum()), len(stat.items.groups)
    slope = over_items.influence()
    items = n / (n - 1) * float(over_items.weight @ slope**2)
    cell, row, rater = stat.cells()
    weight, many = stat.items.weight[row], np.bincount(row)
    cell = cell - (np.bincount(row, cell) / many)[row]  # what an item is by itself varies with items alone
    each = np.bincount(rater, weight * cell, raters)
    beyond = max(raters / (raters - 1) * float(each @ each) - float(weight @ cell**2), 0.0)
    total = items + beyond
    alone = by_items()
    if not total > 0 or not -1 < value < 1:
        return replace(alone, method=OF_BOTH.name)
    df = total**2 / (items**2 / (n - 1) + beyond**2 / (raters - 1))
    reach = float(special.stdtrit(df, (1 + spec.level) / 2)) * np.sqrt(total) / (1 - value**2)
    low, high = (float(np.tanh(np.arctanh(value) + sign * reach)) for sign in (-1, 1))
    low, high = max(low, min(spec.lowest, value)), min(high, spec.highest)
    if np.isfinite(alone.low):
        low, high = min(low, alone.low), max(high, alone.high)
    return around(Interval(low, high, float(np.sqrt(total)), OF_BOTH.name), value)


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
