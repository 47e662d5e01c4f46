"""Limits of agreement of two raters: Bland and Altman's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.coefficients.base import Parts, safe_divide
from raters.errors import UsageError
from raters.estimate import EstimateTable
from raters.inference.intervals import NO_INTERVAL, Interval, IntervalSpec, around
from raters.inference.intervals import interval as interval_of
from raters.inference.limits import spec_for
from raters.inference.statistic import Linear, value_alone
from raters.io.any_table import Source, table
from raters.items.products import label_unit
from raters.notes.note import Note
from raters.options import asks, filled
from raters.options.declared import Inference
from raters.reliability.variance.components import read_matrix
from raters.reliability.variance.concordance import matrix_estimate
from raters.reliability.variance.icc import check_numbers

Array = NDArray[Any]


@asks()
def bland_altman(
    ann: Source,
    *,
    who: Sequence[Any] | None = None,
    limits: float = 0.95,
    **options: Unpack[Inference],
) -> EstimateTable:
    r"""Estimate the limits of agreement of two raters: the range that contains the share ``limits`` of their
    differences.

    .. math:: \bar d \pm z\, s_d

    where d is the first rater minus the second. Three estimates, ``bias``, ``lower limit``, ``upper limit``, each with
    its interval: Student's for the bias, exact under normality (noncentral t) for the limits; ``interval="bootstrap"``,
    ``"bca"``, ``"delta"`` and ``"jackknife"`` are over items. ``who``: the two raters, in order. ``details``: ``sd``,
    and the ``slope`` of differences on means with its ``slope_p``, which shows whether the limits hold along the whole
    scale.

    >>> import raters
    >>> table = raters.read([[10, 11], [12, 12], [9, 11], [14, 13]], layout="wide", scale="interval")
    >>> [(e.name, round(e.value, 2)) for e in bland_altman(table)]
    [('bias', -0.5), ('lower limit', -3.03), ('upper limit', 2.03)]

    Bland & Altman (1986), Lancet 327, 307-310; Carkeet (2015), Optom. Vis. Sci. 92, e71-e80.
    """
    given = filled(Inference, options)
    interval, level = given["interval"], given["level"]
    for name, share in (("limits", limits), ("level", level)):
        if not 0 < share < 1:
            raise UsageError(f"{name}={share} is not between 0 and 1; 0.95 is usual.")
    ann = table(ann)
    check_numbers(ann, "Bland and Altman's limits")
    spec = spec_for(given, "auto", -1.0)
    x = read_matrix(ann, "a comparison by Bland and Altman's limits", who, exactly=2)
    unit = label_unit(ann)
    values = (ann.keys.astype(float) / unit)[x.codes]
    d = values[:, 0] - values[:, 1]
    why = () if len(d) > 1 else (Note("two_items_needed"),)
    details = {
        "sd": unit * float(d.std(ddof=1)) if len(d) > 1 else np.nan,
        "rater_a": x.raters[0],
        "rater_b": x.raters[1],
    }
    details |= _slope(d, values.mean(1))
    names, rows = ("bias", "lower limit", "upper limit"), limits_of(d, limits, level)
    if interval is None:
        rows = [(value, NO_INTERVAL) for value, _ in rows]
    elif spec is not None and interval != "auto" and len(d) > 1:
        rows = _resampled_limits(d, limits, spec)
    return EstimateTable(
        tuple(
            matrix_estimate(
                name, f"Bland-Altman {name}", unit * value, in_unit(found, unit), x, level, details, (*x.notes, *why)
            )
            for name, (value, found) in zip(names, rows, strict=True)
        ),
        of="figure",
    )


def in_unit(found: Interval, unit: float) -> Interval:
    """An interval of figures that were divided by a unit, in the original unit."""
    return replace(found, low=unit * found.low, high=unit * found.high, se=unit * found.se)


def limits_of(d: Array, limits: float, level: float) -> list[tuple[float, Interval]]:
    """Bias, lower and upper limit of these differences, each with its interval."""
    n = len(d)
    if n < 2:
        return [(np.nan, Interval(np.nan, np.nan, np.nan, "t"))] * 3
    bias, sd, root = float(d.mean()), float(d.std(ddof=1)), float(np.sqrt(n))
    z = float(special.ndtri((1 + limits) / 2))
    tail = np.array([(1 - level) / 2, (1 + level) / 2])
    reach = sd * special.stdtrit(n - 1, tail) / root
    beyond = sd * special.nctdtrit(n - 1, z * root, tail) / root
    se = sd * float(np.sqrt(1 / n + z**2 / (2 * (n - 1))))  # Bland & Altman 1999, section 2.1
    found = (
        (bias, Interval(bias + reach[0], bias + reach[1], sd / root, "t")),
        (bias - z * sd, Interval(bias - beyond[1], bias - beyond[0], se, "noncentral t")),
        (bias + z * sd, Interval(bias + beyond[0], bias + beyond[1], se, "noncentral t")),
    )
    return [(value, around(limits, value)) for value, limits in found]


def _resampled_limits(d: Array, limits: float, spec: IntervalSpec) -> list[tuple[float, Interval]]:
    """The same three figures with intervals over items, as functions of the sums of 1, d and d squared."""
    z = float(special.ndtri((1 + limits) / 2))
    terms = np.stack([np.ones(len(d)), d, d**2], -1)
    spec = replace(spec, lowest=-np.inf, highest=np.inf)

    def figure(reach: float) -> Linear:
        def parts(sums: Array) -> Parts:
            n, total, squares = np.moveaxis(sums, -1, 0)
            spread = safe_divide(squares - total**2 / n, n - 1)
            return value_alone(total / n + reach * np.sqrt(spread))

        return Linear(np.ones(len(d)), terms, parts)

    stats_ = [figure(reach) for reach in (0.0, -z, z)]
    values = [float(s.parts(s.weight[None]).value[0]) for s in stats_]
    return [(value, interval_of(s, value, spec)) for s, value in zip(stats_, values, strict=True)]


def _slope(d: Array, mean: Array) -> dict[str, Any]:
    if len(d) < 3 or np.ptp(mean) == 0:
        return {"slope": np.nan, "slope_p": np.nan}
    from scipy import stats  # slow to import

    line = stats.linregress(mean, d)
    return {"slope": float(line.slope), "slope_p": float(line.pvalue)}
