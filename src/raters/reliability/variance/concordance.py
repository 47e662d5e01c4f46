"""Alternatives to the intraclass correlations: Kendall's W and Lin's concordance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.coefficients.base import Parts, safe_divide
from raters.errors import UsageError
from raters.estimate import Estimate
from raters.inference.intervals import (
    MANY_ITEMS,
    NO_INTERVAL,
    Interval,
    Numbers,
    few_units,
    skewed_values,
)
from raters.inference.intervals import interval as interval_of
from raters.inference.limits import spec_for
from raters.inference.statistic import Linear, value_alone
from raters.io.any_table import Source, table
from raters.items.products import label_unit
from raters.notes.note import Note
from raters.options import asks, filled
from raters.options.declared import Inference
from raters.reliability.variance.components import Matrix, read_matrix, two_way, two_way_terms
from raters.reliability.variance.icc import check_numbers

Array = NDArray[Any]


@dataclass(frozen=True)
class Ranks:
    """Kendall's W as a function of item weights: the variance of rank sums divided by that under full concordance.

    Mid-ranks change with the weights, as in ordinal alpha, so a bootstrap sample is ranked again.
    """

    codes: Array
    """(item, rater)."""

    @property
    def weight(self) -> Array:
        return np.ones(len(self.codes))

    def parts(self, weights: Array) -> Parts:
        step = max(1, 4_000_000 // max(len(self.codes), 1))
        value = np.concatenate([self._value(weights[i : i + step]) for i in range(0, len(weights), step)])
        return value_alone(value)

    def _value(self, w: Array) -> Array:
        n = w.sum(-1, keepdims=True)
        total, own = np.zeros_like(w), np.zeros(len(w))
        for column in self.codes.T:
            order = np.argsort(column, kind="stable")
            start = np.flatnonzero(np.diff(column[order], prepend=-1))
            tied = np.add.reduceat(w[:, order], start, axis=1)
            rank = (np.cumsum(tied, 1) - tied / 2)[:, np.searchsorted(column[order][start], column)] - n / 2
            total += rank
            own += (w * rank**2).sum(1)
        return safe_divide((w * total**2).sum(1), self.codes.shape[1] * own)

    def influence(self) -> Array:
        raise UsageError("Kendall's W has no delta interval; use interval='bootstrap' or 'jackknife'.")

    def left_out(self) -> Array:
        n = len(self.codes)
        if n > 3000:
            raise UsageError(f"the jackknife of Kendall's W over {n:,} items is too slow; use interval='bootstrap'.")
        return self.parts(1 - np.eye(n)).value


@asks()
def kendall_w(
    ann: Source,
    **options: Unpack[Inference],
) -> Estimate:
    r"""Estimate Kendall's W: how far raters rank the items in the same order, corrected for ties.

    .. math:: W = \frac{12 S}{m^2 (n^3 - n) - m \sum_j T_j}, \quad T_j = \sum (t^3 - t)

    with S the sum of squared deviations of the n rank sums, m raters, t items tied for rater j. ``details``: ``chisq``
    (:math:`m (n - 1) W`), ``df``, ``p``, ``uncorrected`` (ignoring ties) and ``mean_spearman`` (:math:`(mW-1)/(m-1)`).

    >>> import raters
    >>> table = raters.read([[1, 2, 1], [2, 1, 2], [3, 3, 4], [4, 4, 3]], layout="wide", scale="ordinal")
    >>> round(kendall_w(table, interval=None).value, 3)
    0.822

    Kendall & Babington Smith (1939), Ann. Math. Stat. 10, 275-287.
    """
    ann = table(ann)
    if not ann.scale.ordered:
        raise UsageError(f"Kendall's W ranks labels, but the scale of {ann.source} is {ann.scale}; use krippendorff.")
    from scipy import stats  # slow to import, and seldom needed

    given = filled(Inference, options)
    spec = spec_for(given, lowest=-1.0)
    x = read_matrix(ann, "Kendall's W")
    n, m = x.codes.shape
    stat = Ranks(x.codes)
    value = float(stat.parts(stat.weight[None]).value[0]) if n > 1 else np.nan
    found = NO_INTERVAL if spec is None else interval_of(stat, value, spec)
    if given["interval"] == "auto" and n < MANY_ITEMS:
        found = replace(found, notes=(*found.notes, few_units()))
    rank = stats.rankdata(x.codes, axis=0) if n else np.zeros((0, m))
    rows = rank.sum(1)
    plain = 12 * float(((rows - rows.mean()) ** 2).sum()) / (m**2 * (n**3 - n)) if n > 1 else np.nan
    chisq = m * (n - 1) * value
    details = {
        "chisq": chisq,
        "df": n - 1,
        "p": float(special.chdtrc(n - 1, chisq)) if np.isfinite(value) else np.nan,
        "uncorrected": plain,
        "mean_spearman": (m * value - 1) / (m - 1),
    }
    why = () if np.isfinite(value) else (Note("no_order"),)
    return matrix_estimate("kendall_w", "Kendall's W", value, found, x, given["level"], details, (*x.notes, *why))


@asks()
def ccc(
    ann: Source,
    *,
    who: Sequence[Any] | None = None,
    **options: Unpack[Inference],
) -> Estimate:
    r"""Estimate Lin's concordance of two raters, or the overall concordance (Barnhart et al.) of more than two.

    .. math:: \rho_c = \frac{2 s_{xy}}{s_x^2 + s_y^2 + (\bar x - \bar y)^2}, \quad
        \rho_o = \frac{2 \sum_{j<l} s_{jl}}{\sum_{j<l} s_j^2 + s_l^2 + (\bar x_j - \bar x_l)^2}

    For two raters, variances are divided by n (Lin), and ``interval="auto"`` uses Lin's standard error on Fisher's z;
    ``details`` split the value into ``pearson`` (precision) and ``bias_correction`` (accuracy). For more raters,
    variances are divided by n - 1, and the interval is the bootstrap.

    >>> import raters
    >>> table = raters.read([[9, 2], [6, 1], [8, 4], [7, 1], [10, 5], [6, 2]], layout="wide", scale="interval")
    >>> round(ccc(table).value, 4)
    0.107

    Lin (1989), Biometrics 45, 255-268; Barnhart, Haber & Song (2002), Biometrics 58, 1020-1027.
    """
    ann = table(ann)
    check_numbers(ann, "a concordance correlation")
    x = read_matrix(ann, "a concordance correlation", who)
    values = (ann.keys.astype(float) / label_unit(ann))[x.codes]
    m = values.shape[1]
    values = values - values.mean()
    stat = Linear(np.ones(len(values)), two_way_terms(values), lambda sums: _concordance(sums, int(m > 2)))
    value = float(stat.parts(stat.weight[None]).value[0]) if len(values) > 1 else np.nan
    two = m == 2
    given = filled(Inference, options)
    spec, auto = spec_for(given, "auto", -1.0), given["interval"] == "auto"
    details: dict[str, Any] = {"n_pairs": m * (m - 1) // 2}
    found = NO_INTERVAL
    if two and len(values) > 1:
        lin, more = _lin(values, value, given["level"])
        details |= more
        found = lin if auto else found
    if spec is not None and not (two and auto):
        found = interval_of(stat, value, spec, small=Numbers(m, said=skewed_values(values.mean(1), stat.weight)))
    name = "Lin's concordance" if two else "Overall concordance"
    why = () if np.isfinite(value) else (Note("no_concordance"),)
    return matrix_estimate("ccc", name, value, found, x, given["level"], details, (*x.notes, *found.notes, *why))


def _concordance(sums: Array, ddof: int) -> Parts:
    """Twice the covariances divided by the squared differences, summed over pairs of raters."""
    t = two_way(sums)
    k, n = t.raters, t.items - ddof
    # rows holds k times the variance of item means; the pairs' covariances are its excess over the variances
    variances = safe_divide(t.rows + t.error, n)
    covariances = safe_divide(k * t.rows, n) - variances
    value = safe_divide(covariances, (k - 1) * variances + safe_divide(k * t.columns, t.items))
    return value_alone(value)


def _lin(values: Array, p: float, level: float) -> tuple[Interval, dict[str, Any]]:
    """Lin's asymptotic standard error, on Fisher's z."""
    x, y = values.T
    sx, sy = x.std(), y.std()
    if sx == 0 or sy == 0:
        return Interval(np.nan, np.nan, np.nan, "z", (Note("one_value_throughout"),)), {
            "pearson": np.nan,
            "bias_correction": np.nan,
        }
    r = float(np.mean((x - x.mean()) * (y - y.mean())) / (sx * sy))
    shift = float((x.mean() - y.mean()) / np.sqrt(sx * sy))
    more = {
        "pearson": r,
        "bias_correction": p / r if r else np.nan,
        "location_shift": shift,
        "scale_shift": float(sx / sy),
    }
    n = len(values)
    if n < 3 or r == 0 or abs(p) >= 1:
        return Interval(np.nan, np.nan, np.nan, "z", (Note("too_few_for_lin"),)), more
    u2 = shift**2
    spread = (1 - r**2) * p**2 * (1 - p**2) / r**2 + 2 * p**3 * (1 - p) * u2 / r - p**4 * u2**2 / (2 * r**2)
    se = float(np.sqrt(spread / (n - 2)))
    z, reach = np.arctanh(p), float(special.ndtri((1 + level) / 2)) * se / (1 - p**2)
    return Interval(float(np.tanh(z - reach)), float(np.tanh(z + reach)), se, "z"), more


def matrix_estimate(
    name: str,
    title: str,
    value: float,
    found: Interval,
    x: Matrix,
    level: float,
    details: dict[str, Any],
    notes: tuple[Note, ...],
) -> Estimate:
    n, m = x.codes.shape
    return Estimate(
        name,
        value,
        found.low,
        found.high,
        found.se,
        level,
        found.method or None,
        n_items=n,
        n_raters=m,
        n_annotations=n * m,
        coefficient=name,
        title=title,
        details=details,
        notes=tuple(dict.fromkeys((*notes, *found.notes))),
    )
