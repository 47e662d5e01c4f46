"""The statistics of two pools: kappa_x, both IRRs, and what is derived from them, all as functions of the same weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.agree.agreement_spec import Request
from raters.agree.estimating import kernel_of, nothing_to_compare, statistic
from raters.coefficients import REGISTRY, Parts
from raters.errors import UsageError
from raters.inference.family import Among, Derived, part
from raters.inference.ranks import cross_ranks
from raters.inference.statistic import Linear, Statistic, value_alone
from raters.items import Items
from raters.reliability.xrr.item_means import MEANS, correlation, numbers
from raters.reliability.xrr.pools import Pools
from raters.reliability.xrr.request import CrossRequest, of_pools
from raters.scales import Kernel, weights_of_scale

Array = NDArray[Any]
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
    why: dict[str, str]
    used: dict[str, Items]
    shared: Array


class Maker:
    """Computes the statistics of one slice; the agreement within a pool is computed once."""

    def __init__(self, asked: CrossRequest, pools: Pools, per_label: bool) -> None:
        self.asked, self.pools = asked, pools
        self.weight = pools.items.weight
        self.q = len(pools.items.labels)
        self.one_label = per_label
        self._own: dict[Any, tuple[Statistic, Items, str | None]] = {}
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
        why: dict[str, str] = {}
        if len(two.weight):
            stats |= self._between(two, shared, why)
        else:
            none = f"{self.pools.names[a]} and {self.pools.names[b]} share no item"
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
            "normalized": Derived((k, ix, iy), _normalized), "normalized_by_x": Derived((k, ix), _ratio),
            "normalized_by_y": Derived((k, iy), _ratio), "difference": Derived((k, ix, iy), _less_mean),
            "difference_x": Derived((k, ix), np.subtract), "difference_y": Derived((k, iy), np.subtract),
        }  # fmt: skip
        stats["rho"] = self._rho(a, b, shared, why)
        return Pair(a, b, {name: stats[name] for name in RANGES}, why, {"kappa_x": two, **used}, shared)

    def _between(self, two: Items, shared: Array, why: dict[str, str]) -> dict[str, Statistic]:
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

    def _gwet(self, two: Items, among: Any, why: dict[str, str]) -> Statistic:
        asked, ann = self.asked.gwet, self.pools.meaning
        if asked.weights is None and not self.one_label:
            asked = replace(asked, weights=weights_of_scale(ann.scale))
        if ann.scale == "sets":
            why["gwet_x"] = "AC1 and AC2 need the number of possible labels, which is unknown for sets of labels"
            return self._nowhere()
        if two.moments is not None or len(ann.labels) > MANY_LABELS or self.asked.cross.distance is not None:
            why["gwet_x"] = "AC1 and AC2 need agreement weights on a limited number of labels"
            return self._nowhere()
        found: Statistic = among(statistic(asked, two, self.kernel(asked), self.q))
        return found

    def _irr(self, key: Any, p: int, within: Array) -> tuple[Statistic, Items, str | None]:
        """Agreement within a pool, on its items with two or more labels."""
        if key in self._own:
            return self._own[key]
        req, name = self.asked.irr, self.pools.names[p]
        at = within & (self.pools.n[:, p] >= 2)
        grouped = req.coefficient.compares == "groups"
        items = self.pools.raters_of(at, p) if grouped else self.pools.of(at, p)
        reason = nothing_to_compare(items) if len(items.weight) else f"no item has two labels in {name}"
        if req.coefficient.exactly is not None and len(items.groups) > req.coefficient.exactly:
            others = " or ".join(repr(n) for n in of_pools() if REGISTRY[n].exactly is None)
            raise UsageError(
                f"irr={req.coefficient.name!r} compares two raters, but {name} has {len(items.groups):,}. Use irr={others}."
            )
        if reason is not None:
            stat: Statistic = self._nowhere()
        else:
            stat = Among(self.weight, statistic(req, items, self.kernel(req), self.q), np.flatnonzero(at))
        self._own[key] = stat, items, reason
        return self._own[key]

    def _rho(self, a: int, b: int, shared: Array, why: dict[str, str]) -> Statistic:
        of = self.numbers
        if of is None or not shared.any():
            why["rho"] = (
                "means need numbers, ordered labels or two labels; per_label=True gives rho for each"
                if of is None
                else "no item is shared"
            )
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
