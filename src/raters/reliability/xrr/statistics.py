"""The statistics of two pools: kappa_x, both IRRs, and what is derived from them, all as functions of the same
weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.agreement_spec import Request
from raters.agree.estimating import kernel_of, nothing_to_compare, statistic
from raters.coefficients import REGISTRY, Parts
from raters.errors import UsageError
from raters.inference.family import Among, Derived, part
from raters.inference.statistic import Linear, Statistic, through_ranks, value_alone, without_each
from raters.items import Items
from raters.notes.note import Note
from raters.reliability.xrr.item_means import MEANS, correlation, numbers
from raters.reliability.xrr.pools import CrossRequest, Pools, of_pools
from raters.scales import Kernel

Array = NDArray[Any]
CELLS = 4_000_000


@dataclass(frozen=True)
class CrossRanks:
    r"""Squared differences of the mid-ranks of both groups' labels together, which change with the weights.

    Ranks are shares of all labels, in [0, 1], so that disagreement does not grow with the number of items.

    .. math:: D_o = \frac{\sum_i (R_i + S_i) \overline{(\rho_x - \rho_y)^2}_i}{R + S}, \quad
        D_e = \overline{(\rho_x - \rho_y)^2}

    the first mean over pairs of an item, the second over all pairs of a label of one group and one of the other.
    """

    weight: Array
    counts: tuple[sparse.csr_array, sparse.csr_array]
    """For each group: (pattern, label), with labels in order; every pattern has labels of both groups."""
    value: str = "value"
    """Which statistic it is: ``value``, ``observed`` or ``expected``."""

    def _shares(self) -> tuple[Array, Array, Array]:
        """Labels per item, and the label shares of each group."""
        each = [np.asarray(c.sum(1)).ravel() for c in self.counts]
        x, y = (sparse.diags_array(1 / n) @ c for n, c in zip(each, self.counts, strict=True))
        return each[0] + each[1], x, y

    def parts(self, weights: Array) -> Parts:
        chunk = max(1, CELLS // max(self.counts[0].shape))
        done = [self._parts(weights[i : i + chunk]) for i in range(0, len(weights), chunk)]
        found = Parts(np.concatenate([d[0] for d in done]), np.concatenate([d[1] for d in done]), 0.0)
        return (
            found
            if self.value == "value"
            else Parts(found.observed, found.expected, 0.0, 1.0, getattr(found, self.value))
        )

    def _parts(self, weights: Array) -> tuple[Array, Array]:
        n, x, y = self._shares()
        margins = [np.asarray(weights @ c) for c in self.counts]
        rank = _mid_ranks(margins[0] + margins[1])
        mean_x, mean_y = x @ rank.T, y @ rank.T  # (pattern, replicate)
        apart = (x + y) @ (rank**2).T - 2 * mean_x * mean_y
        with np.errstate(invalid="ignore", divide="ignore"):
            p, q = (m / m.sum(-1, keepdims=True) for m in margins)
            observed = (weights * n * apart.T).sum(-1) / (weights @ n)
            expected = ((p + q) * rank**2).sum(-1) - 2 * (p * rank).sum(-1) * (q * rank).sum(-1)
        # all labels equal: the difference of two large numbers is noise
        one = ((margins[0] + margins[1]) > 0).sum(-1) < 2
        return np.where(one, 0.0, observed), np.where(one, 0.0, expected)

    def influence(self) -> Array:
        """By the chain rule: the direct terms, and the change of the ranks with the margin."""
        n, x, y = self._shares()
        w, (c, d) = self.weight, self.counts
        m, k = w @ c, w @ d
        rank = _mid_ranks(m + k)
        mean_x, mean_y = x @ rank, y @ rank
        apart = (x + y) @ rank**2 - 2 * mean_x * mean_y
        total, wn = float(w @ n), w * n
        observed = float(wn @ apart) / total
        slope = 2 * (rank * (wn @ (x + y)) - (wn * mean_y) @ x - (wn * mean_x) @ y) / total
        of_observed = n * (apart - observed) / total + self._moved(slope, rank, m + k)
        p, q = m / m.sum(), k / k.sum()
        a, b = float(p @ rank), float(q @ rank)
        slope = 2 * (rank * (p + q) - p * b - q * a)
        # the derivative of a share p_k by the weight of an item: (c_k - p_k R_i) / R
        direct = _of_share(c, p, rank**2 - 2 * b * rank, m.sum()) + _of_share(d, q, rank**2 - 2 * a * rank, k.sum())
        of_expected = direct + self._moved(slope, rank, m + k)
        expected = float((p + q) @ rank**2 - 2 * a * b)
        if self.value != "value":
            return np.asarray(of_observed if self.value == "observed" else of_expected)
        return np.asarray(-of_observed / expected + observed * of_expected / expected**2)

    def _moved(self, slope: Array, rank: Array, margin: Array) -> Array:
        """(pattern,): the effect of an item through the ranks, given the derivative by each rank."""
        both = self.counts[0] + self.counts[1]
        n = np.asarray(both.sum(1)).ravel()
        return np.asarray((both @ through_ranks(slope) - n * (slope @ rank)) / margin.sum())

    def left_out(self) -> Array:
        return without_each(self)


def _mid_ranks(margin: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((np.cumsum(margin, -1) - margin / 2) / margin.sum(-1, keepdims=True))


def _of_share(counts: sparse.csr_array, share: Array, score: Array, total: float) -> Array:
    n = np.asarray(counts.sum(1)).ravel()
    return np.asarray((counts @ score - n * (share @ score)) / total)


def cross_ranks(items: Items) -> CrossRanks:
    """The statistic on items of two groups, each with labels of both."""
    k = items.width
    return CrossRanks(items.weight, (items.counts[:, :k].tocsr(), items.counts[:, k:].tocsr()))


PARTS = ("observed", "expected")
MANY_LABELS = 3000
TWO_LABELS = Kernel("identity", 1.0, total=2.0)
BELOW_ONE, POSITIVE, ANY = (-np.inf, 1.0), (0.0, np.inf), (-np.inf, np.inf)


RANGES: dict[str, tuple[float, float]] = {
    "kappa_x": BELOW_ONE, "irr_x": BELOW_ONE, "irr_y": BELOW_ONE, "normalized": ANY, "normalized_by_x": ANY,
    "normalized_by_y": ANY, "difference": ANY, "difference_x": ANY, "difference_y": ANY, "rho": ANY, "observed": POSITIVE,
    "expected": POSITIVE, "alpha_x": BELOW_ONE, "gwet_x": BELOW_ONE,
}  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """The statistics of two pools, why some are undefined, and the items that they are based on."""

    a: int
    b: int
    stats: dict[str, Statistic]
    why: dict[str, Note]
    used: dict[str, Items]
    shared: Array


class Maker:
    """Computes the statistics of one slice; the agreement within a pool is computed once."""

    def __init__(self, asked: CrossRequest, pools: Pools, per_label: bool) -> None:
        self.asked, self.pools = asked, pools
        self.weight = pools.items.weight
        self.q = len(pools.items.labels)
        self.one_label = per_label
        self._own: dict[Any, tuple[Statistic, Items, Note | None]] = {}
        self._reliable: dict[Any, Statistic] = {}

    def kernel(self, req: Request) -> Kernel:
        return TWO_LABELS if self.one_label else kernel_of(req, self.pools.meaning)

    @cached_property
    def by_ranks(self) -> bool:
        """Whether to use alpha's ordinal distance: kappa_x must use the same distance as the IRRs."""
        return self.kernel(self.asked.irr).by_ranks

    @cached_property
    def numbers(self) -> Array | None:
        return numbers(self.pools.meaning, self.pools.items.labels)

    def pair(self, a: int, b: int) -> Pair:
        n = self.pools.n
        shared = (n[:, a] > 0) & (n[:, b] > 0)
        two = self.pools.of(shared, a, b)
        stats: dict[str, Statistic] = {}
        why: dict[str, Note] = {}
        if len(two.weight):
            stats |= self._between(two, shared, why)
        else:
            none = Note("pools_apart", {"x": self.pools.names[a], "y": self.pools.names[b]})
            for name in ("kappa_x", "observed", "expected", "alpha_x", "gwet_x"):
                stats[name], why[name] = self._nowhere(), none
        used = {}
        for side, p in (("x", a), ("y", b)):
            within = shared if self.asked.irr_items == "shared" else np.ones(len(n), bool)
            key = (p, None if self.asked.irr_items == "all" else (a, b))
            stats[f"irr_{side}"], used[f"irr_{side}"], reason = self._irr(key, p, within)
            if reason:
                why[f"irr_{side}"] = reason
        k, ix, iy = stats["kappa_x"], stats["irr_x"], stats["irr_y"]
        stats |= {
            "normalized": Derived((k, ix, iy), _normalized),
            "normalized_by_x": Derived((k, ix), _ratio),
            "normalized_by_y": Derived((k, iy), _ratio),
            "difference": Derived((k, ix, iy), _less_mean),
            "difference_x": Derived((k, ix), np.subtract),
            "difference_y": Derived((k, iy), np.subtract),
        }
        stats["rho"] = self._rho(a, b, shared, why)
        return Pair(a, b, {name: stats[name] for name in RANGES}, why, {"kappa_x": two, **used}, shared)

    def _between(self, two: Items, shared: Array, why: dict[str, Note]) -> dict[str, Statistic]:
        asked, at = self.asked, np.flatnonzero(shared)

        def among(stat: Statistic) -> Statistic:
            return Among(self.weight, stat, at)

        if self.by_ranks:
            ranks = cross_ranks(two)
            found: Mapping[str, Statistic] = {"kappa_x": ranks} | {n: replace(ranks, value=n) for n in PARTS}
        else:
            kappa = statistic(asked.cross, two, self.kernel(asked.cross), self.q)
            if not isinstance(kappa, Linear):
                raise TypeError("kappa_x is a function of sums")
            found = {"kappa_x": kappa} | {n: part(kappa, n) for n in PARTS}
        stats = {name: among(stat) for name, stat in found.items()}
        stats["alpha_x"] = among(statistic(asked.alpha, two, self.kernel(asked.alpha), self.q))
        stats["gwet_x"] = self._gwet(two, among, why)
        return stats

    def _gwet(self, two: Items, among: Any, why: dict[str, Note]) -> Statistic:
        asked, ann = self.asked.gwet, self.pools.meaning
        if asked.weights is None and not self.one_label:
            asked = replace(asked, weights=ann.scale.weights)
        if ann.scale.of_sets:
            why["gwet_x"] = Note("ac_of_sets")
            return self._nowhere()
        if two.moments is not None or len(ann.labels) > MANY_LABELS or self.asked.cross.distance is not None:
            why["gwet_x"] = Note("ac_of_many_labels")
            return self._nowhere()
        found: Statistic = among(statistic(asked, two, self.kernel(asked), self.q))
        return found

    def _irr(self, key: Any, p: int, within: Array) -> tuple[Statistic, Items, Note | None]:
        """Agreement within a pool, on its items with two or more labels."""
        if key in self._own:
            return self._own[key]
        req, name = self.asked.irr, self.pools.names[p]
        at = within & (self.pools.n[:, p] >= 2)
        grouped = req.coefficient.between_groups
        items = self.pools.raters_of(at, p) if grouped else self.pools.of(at, p)
        reason = nothing_to_compare(items) if len(items.weight) else Note("no_item_of_two_labels_in", {"pool": name})
        if req.coefficient.exactly is not None and len(items.groups) > req.coefficient.exactly:
            others = " or ".join(repr(n) for n in of_pools() if REGISTRY[n].exactly is None)
            raise UsageError(
                f"irr={req.coefficient.name!r} compares two raters, but {name} has {len(items.groups):,}. Use"
                f" irr={others}."
            )
        if reason is not None:
            stat: Statistic = self._nowhere()
        else:
            stat = Among(self.weight, statistic(req, items, self.kernel(req), self.q), np.flatnonzero(at))
        self._own[key] = stat, items, reason
        return self._own[key]

    def _rho(self, a: int, b: int, shared: Array, why: dict[str, Note]) -> Statistic:
        of = self.numbers
        if of is None or not shared.any():
            why["rho"] = Note("means_need_numbers" if of is None else "no_item_shared")
            return self._nowhere()
        x, y = (self.pools.of(shared, p) for p in (a, b))
        r = Among(self.weight, correlation(x, y, of), np.flatnonzero(shared))
        each = []
        for p in (a, b):
            key = (p, None if self.asked.irr_items == "all" else (a, b))
            if key not in self._reliable:
                at = (self.pools.n[:, p] > 0) & (shared | (self.asked.irr_items == "all"))
                self._reliable[key] = Among(
                    self.weight, MEANS[self.asked.means](self.pools.of(at, p), of), np.flatnonzero(at)
                )
            each.append(self._reliable[key])
        return Derived((r, *each), _normalized)

    def _nowhere(self) -> Statistic:
        """A statistic that is undefined whatever the weights."""

        def function(flat: Array) -> Parts:
            return value_alone(np.full(flat.shape[:-1], np.nan))

        return Linear(self.weight, np.zeros((len(self.weight), 1)), function)


def _root(x: Array) -> Array:
    return np.asarray(np.sqrt(np.where(x.real > 0, x, np.nan)))


def _normalized(k: Array, x: Array, y: Array) -> Array:
    return np.asarray(k / (_root(x) * _root(y)))


def _ratio(k: Array, x: Array) -> Array:
    return np.asarray(k / np.where(x.real > 0, x, np.nan))


def _less_mean(k: Array, x: Array, y: Array) -> Array:
    return np.asarray(k - (x + y) / 2)
