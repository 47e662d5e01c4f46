"""Two-way random effects by REML, for any pattern of cells: items, raters, and the rest.

The likelihood needs counts, sums of items, sums of raters and a sum of squares. The larger of the two sides is
eliminated in closed form, so the cost is one Cholesky factor of the smaller side for each value of the criterion; no
matrix is ratings x ratings.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from raters.annotations import Annotations
from raters.estimate import Estimate
from raters.inference.intervals import IntervalSpec
from raters.items.align import align
from raters.items.products import label_unit
from raters.notes.note import Note
from raters.reliability.variance.components import spearman_brown, titled
from raters.spans.sweeps import linked

Array = NDArray[Any]
MOST_SIDE = 2_000
"""Largest size of the smaller side, whose matrix is dense."""
NO_PROFILE = 400
"""Above this size, limits use the delta method on the logit scale, since a profile needs about 500 refits."""
EDGE = 1e-8
WIDEST = 1e4
"""The greatest standard deviation of items or of raters, in units of the noise's: beyond it, there is no noise."""
DENSE = 10_000_000
"""Up to this many cells, dense tables are faster."""


@dataclass(frozen=True)
class _Sides:
    """Sums over the larger side, by the number of ratings: the criterion weights its rows by that number alone, so that
    it costs the same for a million items as for a thousand."""

    n: Array
    """(size,): the different numbers of ratings of a row; everything with this axis is summed over the rows with that
    number.
    """
    count: Array
    sums: Array
    squares: Array
    columns: Array
    """(size, small): how many of these rows have a rating in each column."""
    crossed: Array
    """(size, small): the sums of the ratings of these rows, in each column in which they have one."""
    products: Any
    """(size, small * small): how many of these rows have a rating in both columns; sparse if it is large."""
    n_small: Array
    sums_small: Array
    by_rater: bool
    """Whether raters are the smaller side."""

    @classmethod
    def of(
        cls, table: sparse.csr_array, n: Array, n_small: Array, sums: Array, sums_small: Array, by_rater: bool
    ) -> _Sides:
        sizes, which = np.unique(n, return_inverse=True)
        rows = sparse.csr_array((np.ones(len(n)), (which, np.arange(len(n)))), (len(sizes), len(n)))
        crossed = sparse.csr_array((sums, (which, np.arange(len(n)))), rows.shape)
        products = []
        for i in range(len(sizes)):
            part = table[np.flatnonzero(which == i)]
            both = part.T @ part
            products.append(both.reshape(1, -1))
        stacked = sparse.vstack(products, format="csr")
        columns, across = ((x @ table).toarray() for x in (rows, crossed))
        return cls(
            sizes,
            rows @ np.ones(len(n)),
            rows @ sums,
            rows @ sums**2,
            columns,
            across,
            stacked.toarray() if math.prod(stacked.shape) <= DENSE else stacked,
            n_small,
            sums_small,
            by_rater,
        )

    def weighted(self, weight: Array) -> Array:
        """(small, small): sums of products of columns, the rows weighted by their size."""
        return np.asarray(weight @ self.products).reshape(len(self.n_small), -1)


@dataclass(frozen=True)
class Cells:
    """Ratings as items by raters, any pattern; centred and scaled, so that floats can hold the squares."""

    where: sparse.csr_array
    """(item, rater): 1 if there is a rating."""
    items: Array
    raters: Array
    """Sums of the ratings of each item, and of each rater."""
    squares: float
    unit: float
    """The number by which ratings were divided after the mean was subtracted."""
    mean: float

    @classmethod
    def of(cls, item: Array, rater: Array, rating: Array) -> Cells:
        mean, unit = float(rating.mean()), float(rating.std()) or 1.0
        y = (rating - mean) / unit
        shape = int(item.max()) + 1, int(rater.max()) + 1
        where = sparse.csr_array((np.ones(len(y)), (item, rater)), shape)
        return cls(where, np.bincount(item, y), np.bincount(rater, y), float(y @ y), unit, mean)

    @property
    def n(self) -> int:
        return int(self.where.nnz)

    @cached_property
    def per_item(self) -> Array:
        return np.asarray(self.where.sum(1)).ravel()

    @cached_property
    def per_rater(self) -> Array:
        return np.asarray(self.where.sum(0)).ravel()

    @cached_property
    def _sides(self) -> _Sides:
        by_rater = self.where.shape[1] <= self.where.shape[0]
        table = self.where if by_rater else sparse.csr_array(self.where.T)
        sums = (self.items, self.raters) if by_rater else (self.raters, self.items)
        n = (self.per_item, self.per_rater) if by_rater else (self.per_rater, self.per_item)
        return _Sides.of(table, n[0], n[1], sums[0], sums[1], by_rater)

    @cached_property
    def criterion(self) -> Callable[[float, float], float]:
        """-2 log restricted likelihood, with the noise profiled out, as a function of the two ratios of standard
        deviations: items, raters.
        """
        found = self._of_ratios
        memory: dict[tuple[float, float], float] = {}

        def value(items: float, raters: float) -> float:
            key = (items, raters)
            if key not in memory:
                memory[key] = found(items, raters)[0]
            return memory[key]

        return value

    def _of_ratios(self, items: float, raters: float) -> tuple[float, float]:
        """The criterion and the variance of the noise (in units squared)."""
        from scipy import linalg  # slow to import

        sides = self._sides
        large, small = (items, raters) if sides.by_rater else (raters, items)
        ratio = large**2
        left = 1 / (1 + ratio * sides.n)  # (size,)
        shrunk = ratio * left
        u = left @ sides.columns  # sums of what is left, since a difference of large numbers would lose it
        v = sides.sums_small - shrunk @ sides.crossed
        inner = -(small**2) * sides.weighted(shrunk)
        inner[np.diag_indices(len(u))] += 1 + small**2 * sides.n_small
        factor = linalg.cho_factor(inner, lower=True, check_finite=False)
        solved = linalg.cho_solve(factor, np.column_stack([u, v]), check_finite=False)
        one_one = left @ (sides.n * sides.count) - small**2 * u @ solved[:, 0]
        one_y = sides.sums.sum() - shrunk @ (sides.n * sides.sums) - small**2 * u @ solved[:, 1]
        y_y = self.squares - shrunk @ sides.squares - small**2 * v @ solved[:, 1]
        rest = max(float(y_y - one_y**2 / one_one), 1e-300)
        df = self.n - 1
        log_v = sides.count @ np.log1p(ratio * sides.n) + 2 * np.log(np.diag(factor[0])).sum()
        value = log_v + math.log(one_one) + df * (1 + math.log(2 * math.pi * rest / df))
        return float(value), rest / df


@dataclass(frozen=True)
class Fit:
    """The REML estimate: components in the squared unit of the ratings, and the criterion (lme4's REMLcrit)."""

    cells: Cells
    ratios: tuple[float, float]
    """Standard deviations of items and of raters, in units of the noise's."""

    @cached_property
    def components(self) -> tuple[float, float, float]:
        """Variances of items, of raters, and of the rest."""
        noise = self.cells._of_ratios(*self.ratios)[1] * self.cells.unit**2
        return self.ratios[0] ** 2 * noise, self.ratios[1] ** 2 * noise, noise

    @property
    def least(self) -> float:
        """The criterion of the centred and scaled ratings."""
        return self.cells.criterion(*self.ratios)

    @property
    def noiseless(self) -> bool:
        """Whether items and raters explain every rating, so that the likelihood has no maximum and gives no limits."""
        return max(self.ratios) > 0.999 * WIDEST

    @property
    def criterion(self) -> float:
        return self.least + 2 * (self.cells.n - 1) * math.log(self.cells.unit)

    @cached_property
    def curvature(self) -> Array:
        """(2, 2): covariance of the logarithms of the two variance ratios, from the curvature of the criterion."""
        at = np.log(np.maximum(np.array(self.ratios) ** 2, EDGE))

        def f(x: Array) -> float:
            return self.cells.criterion(*np.exp(x / 2).tolist())

        h, hessian = 1e-3, np.zeros((2, 2))
        for i in range(2):
            for j in range(i, 2):
                a, b = np.eye(2)[i] * h, np.eye(2)[j] * h
                hessian[i, j] = hessian[j, i] = (f(at + a + b) - f(at + a - b) - f(at - a + b) + f(at - a - b)) / (
                    4 * h * h
                )
        if not np.isfinite(hessian).all() or not np.linalg.eigvalsh(hessian)[0] > 0:
            return np.full((2, 2), np.nan)
        return np.asarray(2 * np.linalg.inv(hessian))


def fit(cells: Cells, start: tuple[float, float] = (1.0, 0.5)) -> Fit:
    """Minimise the criterion over the two ratios, both at least 0."""
    from scipy import optimize  # slow to import

    def within(x: Array) -> list[float]:
        """Both ratios in their proportion, neither beyond what can be told from a table without noise."""
        return [float(r) for r in np.abs(x) * min(1.0, WIDEST / max(*np.abs(x), 1e-300))]

    def f(x: Array) -> float:
        return cells.criterion(*within(x))

    rough = optimize.minimize(f, start, method="L-BFGS-B", bounds=[(0, WIDEST)] * 2)
    if min(cells.where.shape) <= NO_PROFILE:
        rough = optimize.minimize(
            f, rough.x, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-11, "maxiter": 2000}
        )
    found = within(rough.x)
    for i in range(2):  # on the boundary, if the criterion is no better inside
        at_zero = [0.0 if i == j else x for j, x in enumerate(found)]
        if found[i] < 1e-2 and f(np.array(at_zero)) <= f(np.array(found)) + 1e-7:
            found = at_zero
    return Fit(cells, (found[0], found[1]))


@dataclass(frozen=True)
class Ratio:
    """An intraclass correlation: s / (s + r of the raters' variance + e of the rest)."""

    r: float
    e: float

    def value(self, components: tuple[float, float, float]) -> float:
        s, r, e = components
        whole = s + self.r * r + self.e * e
        return s / whole if whole > 0 else math.nan

    def se(self, found: Fit) -> float:
        """By the delta method."""
        return self._slope(found)[1]

    def _slope(self, found: Fit) -> tuple[float, float]:
        s, r = (x**2 for x in found.ratios)
        whole = s + self.r * r + self.e
        slope = np.array([s * (whole - s), -s * self.r * r]) / whole**2
        spread = slope @ found.curvature @ slope
        return s / whole, math.sqrt(spread) if spread > 0 else math.nan

    def limits(self, found: Fit, level: float) -> tuple[float, float]:
        """Where the criterion, minimised for each value of the correlation, has risen by the chi-squared quantile."""
        from scipy import optimize  # slow to import

        here = self.value(found.components)
        if not math.isfinite(here):
            return math.nan, math.nan
        if min(found.cells.where.shape) > NO_PROFILE:
            return self._by_logit(found, level)
        rise = math.sqrt(float(special.chdtri(1, 1 - level)))
        near = found.ratios[1]

        @cache
        def above(rho: float) -> float:
            """Of square roots, since these are nearly straight lines: the search ends in half as many steps."""
            nonlocal near
            least, near = self._profile(found, rho, near)
            return math.sqrt(max(least - found.least, 0.0)) - rise

        low, high = 0.0, 1.0
        if here > EDGE and above(0.0) > 0:
            low = float(optimize.brentq(above, 0.0, here, xtol=1e-9))
        if above(1 - EDGE) > 0:
            high = float(optimize.brentq(above, here, 1 - EDGE, xtol=1e-9))
        return low, high

    def _profile(self, found: Fit, rho: float, near: float) -> tuple[float, float]:
        """The minimum of the criterion over the raters' ratio, given the correlation, and where it is: ``near`` the last
        one, or else in a range that is widened until it holds the minimum.
        """
        from scipy import optimize  # slow to import

        def at(raters: float) -> float:
            items = rho / (1 - rho) * (self.r * raters**2 + self.e)
            return found.cells.criterion(math.sqrt(items), raters)

        top = max(2.0, 4 * found.ratios[1])
        low, high = (0.5 * near, min(1.5 * near, WIDEST)) if near > 1e-3 else (0.0, top)
        while True:
            inner = optimize.minimize_scalar(at, bounds=(low, high), method="bounded", options={"xatol": 1e-5})
            if inner.x >= 1.1 * low and (inner.x <= 0.95 * high or high >= WIDEST):
                return min((float(inner.fun), float(inner.x)), (at(0.0), 0.0))
            low, high, top = 0.0, top, 4 * top

    def _by_logit(self, found: Fit, level: float) -> tuple[float, float]:
        value, se = self._slope(found)
        if not (0 < value < 1 and math.isfinite(se)):
            return math.nan, math.nan
        reach = float(special.ndtri((1 + level) / 2)) * se / (value * (1 - value))
        centre = math.log(value / (1 - value))
        return tuple(1 / (1 + math.exp(-x)) for x in (centre - reach, centre + reach))  # type: ignore[return-value]


def harmonic_k(per_item: Array) -> float:
    """Ratings per item: the harmonic mean, which the mean of the items' error variances requires."""
    return float(len(per_item) / (1 / per_item).sum())


def rater_share(where: sparse.csr_array, per_item: Array) -> float:
    """q: the share of the raters' variance that remains in a comparison of two item means; 0 if complete, 1/k if no
    rater recurs.

    Putka, Le, McCloy & Diaz (2008), J. Appl. Psychol. 93, 959-981; ten Hove, Jorgensen & van der Ark (2022, 2024),
    Psychol. Methods.
    """
    n = len(per_item)
    first, second = where.T @ (1 / per_item), where.T @ (1 / per_item**2)
    shared = float((first**2 - second).sum())
    return max(0.0, 1 / harmonic_k(per_item) - shared / (n * (n - 1))) if n > 1 else math.nan


TWO_WAY_ROWS = ("ICC(C,1)", "ICC(C,k)", "ICC(A,1)", "ICC(A,k)", "ICC(Q,k)")


@dataclass(frozen=True)
class Design:
    """Who rated what, and its consequences for a mean: the harmonic mean of the number of ratings, and q."""

    cells: Cells
    unit: float
    k: float
    q: float
    blocks: int
    """The number of disconnected blocks of raters and items."""

    @property
    def reason(self) -> Note | None:
        """Why nothing can be estimated; None if it can."""
        if self.cells.per_item.max(initial=0) < 2:
            return Note("no_item_rated_twice")
        if self.cells.per_rater.max(initial=0) < 2:
            return Note("no_rater_of_two_items")
        if self.cells.squares == 0:
            return Note("equal_ratings")
        if min(self.cells.where.shape) > MOST_SIDE:
            return Note("reml_too_large", {"limit": MOST_SIDE})
        return None


def read_design(ann: Annotations) -> Design:
    """The cells of a table."""
    _, (items,) = align([ann], group="rater")
    counts = items.counts.tocoo()
    unit = label_unit(ann)
    rating = (ann.keys.astype(float) / unit)[counts.col % items.width]
    _, rater = np.unique(counts.col // items.width, return_inverse=True)
    cells = Cells.of(counts.row, rater, rating)
    n, k = cells.where.shape
    given = cells.where.tocoo()
    n_blocks = 1 + int(linked(n + k, given.row, n + given.col).max(initial=-1))
    return Design(cells, unit, harmonic_k(cells.per_item), rater_share(cells.where, cells.per_item), n_blocks)


def reml_rows(ann: Annotations, k: float | None, interval: str | None, spec: IntervalSpec) -> list[Estimate]:
    """The two-way forms of a table with empty cells, and the reliability of its item means."""
    design = read_design(ann)
    counts: dict[str, Any] = {
        "n_items": ann.n_items,
        "n_raters": ann.n_raters,
        "n_annotations": design.cells.n,
        "level": spec.level,
        "coefficient": "icc",
    }
    if design.reason:
        return [Estimate(name, math.nan, title=titled(name), notes=(design.reason,), **counts) for name in TWO_WAY_ROWS]
    found, mean_of = fit(design.cells), design.k if k is None else float(k)
    said = _said(design, found, k, interval)
    single = {"C": Ratio(0.0, 1.0), "A": Ratio(1.0, 1.0)}
    limits = {name: _limits(ratio, found, interval, spec.level) for name, ratio in single.items()}
    details = _details(design, found)
    rows = []
    for name in TWO_WAY_ROWS:
        kind, many = name[4], name.endswith("k)")
        if kind == "Q":
            ratio = Ratio(design.q, 1 / design.k)
            low, high = _limits(ratio, found, interval, spec.level)
        else:
            ratio = Ratio(single[kind].r / mean_of, 1 / mean_of) if many else single[kind]
            low, high = (float(spearman_brown(x, mean_of)) if many else x for x in limits[kind])
        own = {**details, "k": design.k if kind == "Q" else mean_of if many else 1.0}
        rows.append(
            Estimate(
                name,
                ratio.value(found.components),
                low,
                high,
                math.nan if found.noiseless else ratio.se(found),
                title=titled(name),
                notes=said,
                interval=_method(design) if math.isfinite(low) else None,
                sampled="items and raters",
                details=own,
                **counts,
            )
        )
    return rows


def _method(design: Design) -> str:
    return "profile" if min(design.cells.where.shape) <= NO_PROFILE else "delta"


def _limits(ratio: Ratio, found: Fit, interval: str | None, level: float) -> tuple[float, float]:
    return (math.nan, math.nan) if interval is None or found.noiseless else ratio.limits(found, level)


def _details(design: Design, found: Fit) -> dict[str, Any]:
    """Components in the squared unit of the labels; both averages of the number of ratings."""
    scale = design.unit * design.unit
    s, r, e = (x * scale for x in found.components)
    return {
        "var_item": s,
        "var_rater": r,
        "var_error": e,
        "reml_criterion": found.criterion + 2 * (design.cells.n - 1) * math.log(design.unit),
        "k_harmonic": design.k,
        "q": design.q,
        "estimator": "REML",
    }


def _said(design: Design, found: Fit, k: float | None, interval: str | None) -> tuple[Note, ...]:
    items, raters = design.cells.where.shape
    empty = items * raters - design.cells.n
    cells = {"n": empty, "of": items * raters}
    said = [Note("by_reml", {**cells, "k": design.k}) if k is None else Note("by_reml_asked", {**cells, "k": k})]
    if design.blocks > 1:
        said.append(Note("separate_blocks", {"n": design.blocks}))
    if found.noiseless:
        said.append(Note("no_noise"))
    for ratio, what in zip(found.ratios, ("items", "raters"), strict=True):
        if ratio == 0:
            said.append(Note("variance_zero", {"of": what}))
    if interval not in (None, "auto"):
        said.append(Note("by_profile"))
    return tuple(said)
