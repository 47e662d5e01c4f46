"""Several statistics of the same items on the same weights, so that their ratios and differences have intervals.

Weights are drawn once; every statistic, and every function of statistics, sees the same replicates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.coefficients.base import Parts
from raters.inference.intervals import Interval, IntervalSpec, chosen, few_clusters, interval
from raters.inference.joint import Joint
from raters.inference.prior_item import MASS
from raters.inference.statistic import STEP, Linear, Statistic, value_alone
from raters.inference.weights import dirichlet_process, multinomial
from raters.items import dense

Array = NDArray[Any]
MOST_CELLS = 20_000_000
"""Maximum number of terms of all statistics together for one combined matrix."""


@dataclass(frozen=True, eq=False)
class Among:
    """A statistic of some of the patterns as a statistic of all patterns; the others have no effect."""

    weight: Array
    inner: Statistic
    at: Array
    """The patterns, in their order, that ``inner`` is a function of."""

    def parts(self, weights: Array) -> Parts:
        return self.inner.parts(weights if len(self.at) == len(self.weight) else weights[:, self.at])

    def influence(self) -> Array:
        return self._spread(self.inner.influence(), 0.0)

    def left_out(self) -> Array:
        return self._spread(self.inner.left_out(), float(self.inner.parts(self.inner.weight[None, :]).value[0]))

    def _spread(self, own: Array, rest: float) -> Array:
        every = np.full(len(self.weight), rest)
        every[self.at] = own
        return every


@dataclass(frozen=True, eq=False)
class Derived:
    """A smooth function of the values of other statistics: a ratio, a difference."""

    of: tuple[Statistic, ...]
    function: Callable[..., Array]

    @property
    def weight(self) -> Array:
        return self.of[0].weight

    def parts(self, weights: Array) -> Parts:
        return value_alone(self.combined([s.parts(weights).value for s in self.of]))

    def influence(self) -> Array:
        return self.chained([s.influence() for s in self.of])

    def left_out(self) -> Array:
        return self.combined([s.left_out() for s in self.of])

    def combined(self, values: Sequence[Array]) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.function(*values))

    def chained(self, slopes: Sequence[Array]) -> Array:
        """The chain rule, each partial derivative by a complex step."""
        at = [complex(s.parts(s.weight[None, :]).value[0]) for s in self.of]
        total = np.zeros(len(self.weight))
        for k, slope in enumerate(slopes):
            stepped = [np.array([v + (1j * STEP if j == k else 0)]) for j, v in enumerate(at)]
            total += float(self.combined(stepped)[0].imag) / STEP * slope
        return total


def part(stat: Linear, name: str) -> Linear:
    """Observed or expected *disagreement* of a coefficient, as a statistic of its own."""

    def function(flat: Array) -> Parts:
        found = stat.function(flat)
        x = getattr(found, name)
        return replace(found, mean=found.perfect - x if found.perfect else x)

    return replace(stat, function=function)


@dataclass(frozen=True)
class _Known:
    """A statistic for which everything that its interval needs is already known."""

    weight: Array
    draws: Array | None = None
    slope: Array | None = None
    left: Array | None = None

    def parts(self, weights: Array) -> Parts:
        raise NotImplementedError("only precomputed values are available")

    def influence(self) -> Array:
        return self.slope if self.slope is not None else np.zeros(len(self.weight))

    def left_out(self) -> Array:
        return self.left if self.left is not None else np.zeros(len(self.weight))


class Family:
    """Statistics that share their weights. The sums of all linear statistics are computed in one product."""

    def __init__(self, stats: Sequence[Statistic]) -> None:
        self.stats = stats
        self.weight = stats[0].weight
        self._columns, self._terms = _side_by_side(_bases(stats), len(self.weight))

    def influences(self) -> Sequence[Array]:
        """(statistic, pattern): the derivative of each by the weight of each pattern."""
        return _each(self.stats, lambda s: s.influence(), Derived.chained)

    def left_out(self) -> Sequence[Array]:
        """(statistic, pattern): each without one item of each pattern."""
        return _each(self.stats, lambda s: s.left_out(), Derived.combined)

    def values(self, weights: Array) -> Array:
        """(statistic, replicate): each on each row of ``weights``; statistics that others depend on are computed
        once.
        """
        flat = weights @ self._terms

        def value(stat: Statistic) -> Array:
            columns = self._columns.get(id(stat))
            return stat.parts(weights).value if columns is None else _linear(stat).function(flat[:, columns]).value

        return np.stack(_each(self.stats, value, Derived.combined))


def _linear(stat: Statistic) -> Any:
    return stat.inner if isinstance(stat, Among) else stat


def _bases(stats: Sequence[Statistic]) -> list[Statistic]:
    """The statistics that these depend on, without duplicates."""
    found: dict[int, Statistic] = {}
    _each(stats, lambda s: found.setdefault(id(s), s), lambda d, _: d)  # type: ignore[arg-type, return-value]
    return list(found.values())


def _side_by_side(stats: Sequence[Statistic], n: int) -> tuple[dict[int, slice], Array]:
    """The terms of linear statistics as one dense matrix over all patterns, as far as it stays small."""
    blocks: dict[tuple[int, int], tuple[slice, Array]] = {}
    columns: dict[int, slice] = {}
    width = 0
    for stat in stats:
        inner, at = _linear(stat), stat.at if isinstance(stat, Among) else np.arange(n)
        if not isinstance(inner, Linear):
            continue
        key, size = (id(inner.terms), len(at)), inner.terms.shape[1]
        if key not in blocks:
            if n * (width + size) > MOST_CELLS:
                continue
            block = np.zeros((n, size))
            block[at] = dense(inner.terms)
            blocks[key] = slice(width, width + size), block
            width += size
        columns[id(stat)] = blocks[key][0]
    return columns, np.concatenate([b for _, b in blocks.values()] or [np.zeros((n, 0))], 1)


@dataclass(frozen=True)
class Imagined:
    """The same statistics on observed and imaginary patterns, and the probability that the imaginary item shows
    each.
    """

    family: Family
    base: Array

    def values(self, spec: IntervalSpec) -> Array:
        """(statistic, replicate): draws of the population, given the items and one more."""
        rng = np.random.default_rng(spec.seed)
        rows = dirichlet_process(self.family.weight, self.base, MASS, spec.resamples, rng)
        return np.concatenate([self.family.values(w) for w in rows], 1)


def together(
    family: Family | Joint,
    points: Array,
    spec: IntervalSpec,
    ranges: Sequence[tuple[float, float]],
    members: sparse.csr_array | None = None,
    imagined: Imagined | None = None,
) -> list[Interval]:
    """Intervals of statistics that share their weights, from the same replicates.

    ``points``: their values. ``ranges``: lowest and highest value of each, to which delta and jackknife limits are
    clipped. ``members``: (cluster, pattern), if whole clusters are resampled. ``imagined``: the same with one imaginary
    item, for the intervals of small studies.
    """
    weight = family.weight if members is None else np.ones(members.shape[0])
    method = chosen(_Known(weight), spec)
    if imagined is not None and method in ("bootstrap", "imaginary") and spec.method in ("auto", "imaginary"):
        method, spec = "imaginary", replace(spec, method="imaginary")
    if method in ("delta", "jackknife") and isinstance(family, Joint) and not family.smooth:
        method, spec = "bootstrap", replace(spec, method="bootstrap")
    nothing: list[Any] = [None] * len(points)
    material = _material(family, method, spec, members, imagined) if weight.sum() >= 2 else {}
    kinds = (material.get(kind, nothing) for kind in ("draws", "slopes", "left_out"))
    known = [_Known(weight, *found) for found in zip(*kinds, strict=True)]
    hows = [replace(spec, lowest=low, highest=high) for low, high in ranges]
    return _over(members, [interval(k, float(v), h) for k, v, h in zip(known, points, hows, strict=True)])


def _material(
    family: Family | Joint,
    method: str,
    spec: IntervalSpec,
    members: sparse.csr_array | None,
    imagined: Imagined | None,
) -> dict[str, Any]:
    """What the method needs of each statistic: its draws, its slopes, or its values without each unit."""
    if method == "imaginary" and imagined is not None:
        return {"draws": imagined.values(spec)}
    if method == "delta":
        slopes = family.influences()
        return {"slopes": slopes if members is None else [np.asarray(members @ slope) for slope in slopes]}
    found = {}
    if method in ("bootstrap", "bca"):
        rng = np.random.default_rng(spec.seed)
        units = np.ones(members.shape[0]) if members is not None else family.weight
        drawn = multinomial(units, spec.resamples, rng)
        found["draws"] = np.concatenate(
            [family.values(w if members is None else np.asarray(w @ members)) for w in drawn], 1
        )
    if method in ("bca", "jackknife"):
        found["left_out"] = _left_out(family, members)
    return found


def _over(members: sparse.csr_array | None, found: list[Interval]) -> list[Interval]:
    """These intervals, with the warning about few clusters if clusters are the unit."""
    return found if members is None else [few_clusters(members.shape[0], i) for i in found]


def _left_out(family: Family | Joint, members: sparse.csr_array | None) -> Any:
    """(statistic, unit): each statistic without each item, or without each cluster."""
    if members is None:
        return family.left_out()
    total = np.asarray(np.ones(members.shape[0]) @ members)
    return np.concatenate([family.values(total - members[[i]].toarray()) for i in range(members.shape[0])], 1)


def _each(
    stats: Sequence[Statistic],
    base: Callable[[Statistic], Array],
    made: Callable[[Derived, Sequence[Array]], Array],
) -> list[Array]:
    """One array for each statistic; derived statistics are computed from the arrays of their components."""
    memo: dict[int, Array] = {}

    def find(stat: Statistic) -> Array:
        if id(stat) not in memo:
            memo[id(stat)] = made(stat, [find(s) for s in stat.of]) if isinstance(stat, Derived) else base(stat)
        return memo[id(stat)]

    return [find(stat) for stat in stats]
