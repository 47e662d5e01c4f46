"""Components of variance: sums of squares, and the intraclass correlations that they give.

Sums may carry leading axes (replicates), so that the same functions serve the estimate and its bootstrap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.coefficients.base import safe_divide
from raters.errors import DataError, UsageError, listed
from raters.items.align import align
from raters.items.folding import check_repeats
from raters.notes.note import Note

Array = NDArray[Any]


def spearman_brown(single: Any, k: Any) -> Any:
    r"""The reliability of the mean of k ratings, given that of one: the Spearman-Brown prophecy formula.

    .. math:: r_k = \frac{k\, r}{1 + (k - 1)\, r}

    >>> round(float(spearman_brown(0.590497, 13)), 4)
    0.9494

    Undefined (nan) from -1 / (k - 1) downward, where the mean would have no variance; beyond it the formula would give
    figures above 1. Spearman (1910), Brown (1910), Br. J. Psychol. 3.
    """
    single = np.asarray(single)
    variance = 1 + (k - 1) * single
    return safe_divide(k * single, np.where(np.real(variance) > 0, variance, 0))


def of_means(single: Any, k: Any) -> Any:
    """The reliability of the mean of any k ratings: the prophecy formula, or that of one rating where it is not above 0.

    Averaging does not make noise reliable, and does not make it less reliable either: means never fall with k.

    >>> of_means([-0.1, 0.0, 0.5], 15).tolist()
    [-0.1, 0.0, 0.9375]
    """
    single = np.asarray(single)
    return np.where(np.real(single) > 0, spearman_brown(single, k), single)


def ratings_needed(single: float, target: float) -> float:
    r"""How many ratings the mean needs for a target: the prophecy formula solved for k.

    .. math:: k = \frac{t (1 - r)}{r (1 - t)}

    >>> ratings_needed(0.5, 0.8)
    4.0
    """
    if not single > 0:
        return float("inf")
    return round(target * (1 - single) / (single * (1 - target)), 9)


IN_WORDS = {
    "ICC(1)": "one-way, single rating",
    "ICC(k)": "one-way, mean of k ratings",
    "ICC(C,1)": "consistency of a single rating",
    "ICC(C,k)": "consistency of the mean of k ratings",
    "ICC(A,1)": "agreement of a single rating",
    "ICC(A,k)": "agreement of the mean of k ratings",
    "ICC(Q,k)": "the item means of this design",
}
"""What each intraclass correlation describes."""


def titled(name: str) -> str:
    """The title of an intraclass correlation.

    >>> titled("ICC(1)")
    'ICC(1), one-way, single rating'
    """
    return f"{name}, {IN_WORDS[name]}"


@dataclass(frozen=True)
class OneWay:
    """Only items explain the ratings: raters are not distinguished."""

    items: Array
    n: Array
    """Total number of ratings."""
    squared_n: Array
    """The sum over items of their number of ratings, squared."""
    between: Array
    within: Array
    """Sums of squares."""

    @property
    def df(self) -> tuple[Array, Array]:
        return self.items - 1, self.n - self.items

    @property
    def k0(self) -> Array:
        """Ratings per item; if they are unequal, the mean for which E[MSB] = within + k0 * item variance."""
        return safe_divide(self.n - safe_divide(self.squared_n, self.n), self.items - 1)

    @property
    def f(self) -> Array:
        """MSB / MSW."""
        df1, df2 = self.df
        return safe_divide(safe_divide(self.between, df1), safe_divide(self.within, df2))

    def components(self, unit: float = 1.0) -> dict[str, float]:
        r"""Sums of squares, mean squares and the components :math:`\sigma^2_{item} = (MSB - MSW) / k_0`,
        :math:`\sigma^2_{noise} = MSW`.

        A negative item component is reported unchanged: items then differ less than noise alone would make them.
        """
        df1, df2 = self.df
        b, w = float(safe_divide(self.between, df1)), float(safe_divide(self.within, df2))
        k0 = float(self.k0)
        found = {"SSB": float(self.between), "SSW": float(self.within), "MSB": b, "MSW": w, "var_noise": w}
        found["var_item"] = float(safe_divide(np.asarray(b - w), self.k0))
        return {"k0": k0, **{name: x * unit for name, x in found.items()}}

    def single(self) -> Array:
        r"""ICC(1): :math:`(MSB - MSW) / (MSB + (k_0 - 1) MSW)`."""
        df1, df2 = self.df
        b, w = safe_divide(self.between, df1), safe_divide(self.within, df2)
        return safe_divide(b - w, b + (self.k0 - 1) * w)


@dataclass(frozen=True)
class TwoWay:
    """Items and raters explain the ratings; every rater rated every item once."""

    items: Array
    raters: int
    rows: Array
    columns: Array
    error: Array
    """Sums of squares."""

    @property
    def df(self) -> tuple[Array, Array]:
        return self.items - 1, (self.items - 1) * (self.raters - 1)

    @property
    def squares(self) -> tuple[Array, Array, Array]:
        """Mean squares of items, raters and error."""
        df1, df2 = self.df
        return safe_divide(self.rows, df1), self.columns / (self.raters - 1), safe_divide(self.error, df2)

    @property
    def f(self) -> Array:
        """MSR / MSE."""
        r, _, e = self.squares
        return safe_divide(r, e)

    def components(self, unit: float = 1.0) -> dict[str, float]:
        """Variances of items, of raters, and of interaction and error together; negative ones are reported
        unchanged.
        """
        r, c, e = (float(x) for x in self.squares)
        return {
            "var_item": (r - e) / self.raters * unit,
            "var_rater": (c - e) / float(self.items) * unit,
            "var_error": e * unit,
        }

    def consistency(self) -> Array:
        r"""ICC(C,1): :math:`(MSR - MSE) / (MSR + (k - 1) MSE)`."""
        r, _, e = self.squares
        return safe_divide(r - e, r + (self.raters - 1) * e)

    def agreement(self) -> Array:
        r"""ICC(A,1): :math:`(MSR - MSE) / (MSR + (k - 1) MSE + \frac{k}{n} (MSC - MSE))`."""
        r, c, e = self.squares
        k = self.raters
        return safe_divide(r - e, r + (k - 1) * e + k * (c - e) / self.items)


ONE_WAY = ("items", "n", "squared_n", "sum", "squares", "item_squares")


def one_way_terms(n: Array, total: Array, squares: Array) -> Array:
    """(item, sum): what an item with n ratings adds, in the order of ``ONE_WAY``."""
    return np.stack([np.ones_like(n), n, n**2, total, squares, total**2 / n], -1)


def one_way(sums: Array) -> OneWay:
    """From the sums over items of ``one_way_terms``."""
    items, n, nn, total, squares, item_squares = np.moveaxis(sums, -1, 0)
    return OneWay(items, n, nn, item_squares - safe_divide(total**2, n), squares - item_squares)


def two_way_terms(matrix: Array) -> Array:
    """(item, sum): 1, each rater's rating, the sum of squares, the square of the sum. ``matrix``: (item, rater)."""
    total = matrix.sum(1)
    return np.column_stack([np.ones(len(matrix)), matrix, (matrix**2).sum(1), total**2])


def two_way(sums: Array) -> TwoWay:
    """From the sums over items of ``two_way_terms``."""
    items, columns, squares, rows = sums[..., 0], sums[..., 1:-2], sums[..., -2], sums[..., -1]
    k = columns.shape[-1]
    whole = safe_divide(columns.sum(-1) ** 2, items * k)
    row, column = rows / k - whole, safe_divide((columns**2).sum(-1), items) - whole
    return TwoWay(items, k, row, column, squares - whole - row - column)


@dataclass(frozen=True)
class Matrix:
    """Label codes of the items that all these raters labelled."""

    codes: Array
    """(item, rater)."""
    raters: tuple[Any, ...]
    labels: tuple[Any, ...]
    left_out: int
    """Items that some of these raters did not label."""

    @property
    def notes(self) -> tuple[Note, ...]:
        n = len(self.codes)
        if not self.left_out:
            return ()
        return (Note("complete_items", {"n": n, "of": n + self.left_out, "raters": len(self.raters)}),)


def read_matrix(ann: Annotations, what: str, raters: Sequence[Any] | None = None, exactly: int | None = None) -> Matrix:
    """The complete part of a table, for all raters or the named ones."""
    if ann.repeats and ann.duplicates == "keep":
        raise DataError(f"{what} needs one label per rater and item; read the data with duplicates='first' or 'last'.")
    check_repeats(ann, None, None)
    _, (items,) = align([ann], group="rater")
    chosen = tuple(items.groups) if raters is None else tuple(raters)
    unknown = [r for r in chosen if r not in items.groups]
    if unknown:
        raise UsageError(f"no rater {listed(unknown)}; there are: {listed(items.groups)}.")
    if len(set(chosen)) < 2 or (exactly is not None and len(set(chosen)) != exactly):
        need = f"{exactly} raters" if exactly else "two or more raters"
        raise UsageError(
            f"{what} compares {need}, but there are {len(set(chosen))}: {listed(chosen)}. Name them with who=[...]."
        )
    if raters is not None:
        column = {name: j for j, name in enumerate(chosen)}
        items = items.regrouped(np.array([column.get(g, -1) for g in items.groups]), chosen)
    counts = items.counts
    counts.sort_indices()
    full = np.diff(counts.indptr) == len(chosen)
    codes = (counts[np.flatnonzero(full)].indices % items.width).reshape(-1, len(chosen))
    return Matrix(codes, chosen, items.labels, int((~full).sum()))
