"""Intraclass correlations: McGraw and Wong's family with F tests and intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.agree.estimating import item_means
from raters.annotations import Annotations
from raters.coefficients.base import Parts, safe_divide
from raters.engines.patterns import PatternEngine
from raters.errors import UsageError
from raters.estimate import Estimate, EstimateTable
from raters.inference.intervals import NO_INTERVAL, Interval, IntervalSpec, interval, skewed_values
from raters.inference.limits import spec_for
from raters.inference.statistic import Linear, value_alone
from raters.io.any_table import Source, table
from raters.items import fold
from raters.items.folding import Query, check_repeats
from raters.items.products import in_units, label_unit
from raters.notes.note import Note
from raters.options import asks, filled
from raters.options.declared import Inference
from raters.reliability.variance.components import (
    OneWay,
    TwoWay,
    one_way,
    one_way_terms,
    read_matrix,
    spearman_brown,
    titled,
    two_way,
    two_way_terms,
)
from raters.reliability.variance.reml import reml_rows

Array = NDArray[Any]
MANY_ITEMS = 1000
"""With more items, skewed values hardly affect an interval and are not checked."""


def over_items(
    ann: Annotations,
    m: OneWay | TwoWay,
    value_of: Callable[[Any], Array],
    average: bool,
    value: float,
    spec: IntervalSpec,
) -> Interval:
    """The interval of one form by ``spec``: bootstrap, BCa, delta or jackknife, all over items."""
    if not np.isfinite(value):
        return NO_INTERVAL
    from_sums: Callable[[Array], Any]
    if isinstance(m, OneWay):
        items = fold(ann, moments=True)[None]
        n, total, squares = items.counts.toarray().T
        weight, terms, from_sums, k = items.weight, one_way_terms(n, total, squares), one_way, float(m.k0)
    else:
        values = ann.keys.astype(float)[read_matrix(ann, "a two-way form").codes]
        weight, terms, from_sums, k = np.ones(len(values)), two_way_terms(values - values.mean()), two_way, m.raters

    def parts(sums: Array) -> Parts:
        single = value_of(from_sums(sums))
        return value_alone(spearman_brown(single, k) if average else single)

    return interval(Linear(weight, terms, parts), value, spec)


def not_normal(ann: Annotations) -> tuple[Note, ...]:
    """The warning about skewed values in a study that is not large; the limits of F assume normal ones."""
    if ann.n_items > MANY_ITEMS:
        return ()
    items = fold(ann)[None].merged()
    return skewed_values(item_means(items), items.weight, normal=True)


Limits = tuple[float, float]
INCOMPLETE = ("reml", "complete", "refuse")


@dataclass(frozen=True)
class Form:
    """One estimator: its name, the designs it applies to, and how it is computed."""

    name: str
    shrout_fleiss: str
    cases: tuple[str, ...]
    """McGraw and Wong's cases: 1 one-way random; 2 two-way random, 2A without interaction; 3, 3A the same, mixed."""
    value: Callable[[Any], Array]
    limits: Callable[[Any, float, float], Limits]
    average: bool = False
    interval: str = "F"


def _one_way_limits(m: OneWay, value: float, level: float) -> Limits:
    low, high = _ratio_limits(float(m.f), float(m.k0), float(m.df[0]), float(m.df[1]), level)
    return float(np.maximum(low, min(value, -1.0))), high  # it is a correlation, also where k0 is below 2


def _consistency_limits(m: TwoWay, value: float, level: float) -> Limits:
    return _ratio_limits(float(m.f), m.raters, float(m.df[0]), float(m.df[1]), level)


def _ratio_limits(f: float, k: float, df1: float, df2: float, level: float) -> Limits:
    """Exact under normality: F divided by its quantiles; with unequal numbers of ratings, k0 replaces k and the limits
    are approximate.
    """
    if not np.isfinite(f):
        return np.nan, np.nan
    tail = (1 + level) / 2
    low, high = f / special.fdtri(df1, df2, tail), f * special.fdtri(df2, df1, tail)
    return (low - 1) / (low + k - 1), (high - 1) / (high + k - 1)


def _agreement_limits(m: TwoWay, value: float, level: float) -> Limits:
    """Satterthwaite's degrees of freedom for the mixture of rater and error variance (McGraw & Wong 1996, Table 7)."""
    n, k = float(m.items), m.raters
    r, c, e = (float(x) for x in m.squares)
    if not np.isfinite(value) or value >= 1:
        return np.nan, np.nan
    a = k * value / (n * (1 - value))
    b = 1 + k * value * (n - 1) / (n * (1 - value))
    spread = (a * c) ** 2 / (k - 1) + (b * e) ** 2 / ((n - 1) * (k - 1))
    v = (a * c + b * e) ** 2 / spread if spread > 0 else np.nan
    tail = (1 + level) / 2
    rest = k * c + (k * n - k - n) * e
    f_low, f_high = special.fdtri(n - 1, v, tail), special.fdtri(v, n - 1, tail)
    low = safe_divide(np.asarray(n * (r - f_low * e)), np.asarray(f_low * rest + n * r))
    high = safe_divide(np.asarray(n * (f_high * r - e)), np.asarray(rest + n * f_high * r))
    return float(low), float(high)


FORMS = (
    Form("ICC(1)", "ICC(1,1)", ("1",), OneWay.single, _one_way_limits),
    Form("ICC(k)", "ICC(1,k)", ("1",), OneWay.single, _one_way_limits, True),
    Form("ICC(C,1)", "ICC(3,1)", ("2", "2A", "3", "3A"),
         TwoWay.consistency, _consistency_limits),
    Form("ICC(C,k)", "ICC(3,k)", ("2", "2A", "3A"),
         TwoWay.consistency, _consistency_limits, True),
    Form("ICC(A,1)", "ICC(2,1)", ("2", "2A", "3", "3A"),
         TwoWay.agreement, _agreement_limits, interval="satterthwaite"),
    Form("ICC(A,k)", "ICC(2,k)", ("2", "2A", "3A"),
         TwoWay.agreement, _agreement_limits, True, "satterthwaite"),
)  # fmt: skip


@asks()
def icc(
    ann: Source,
    *,
    k: float | None = None,
    incomplete: str = "reml",
    **options: Unpack[Inference],
) -> EstimateTable:
    r"""Estimate the six intraclass correlations, each with F, both degrees of freedom, p and an interval.

    One-way (``ICC(1)``, ``ICC(k)``): raters are interchangeable and may differ from item to item; the numbers of
    ratings may differ, in which case k is :math:`k_0 = (N - \sum n_i^2 / N) / (n - 1)`. Two-way: the same raters rated
    every item; ``C`` (consistency) ignores differences in leniency between raters, ``A`` (agreement) counts them as
    error. The interval of a mean of k is that of the single form, transformed by Spearman-Brown.

    ``incomplete``: how to compute two-way forms of tables with empty cells: components of variance by REML with profile
    intervals (``"reml"``, which adds ``ICC(Q,k)``, the reliability of the item means of this particular design), from
    the items that every rater
    rated (``"complete"``), or undefined (``"refuse"``). ``k``: ratings per mean; by default :math:`k_0` (one-way), the
    number of raters (complete), or the harmonic mean of the ratings per item (REML), never the size of the pool.

    ``interval``: ``"auto"`` uses the F distribution (Satterthwaite's for agreement); ``"bootstrap"``, ``"bca"``,
    ``"delta"`` and ``"jackknife"`` are over items; None gives only the values. ``details`` of each estimate:
    ``F df1 df2 p k shrout_fleiss cases``, and the sums of squares and components of variance,
    ``SSB SSW MSB MSW k0 var_item var_noise`` or ``var_item var_rater var_error``.

    >>> import raters
    >>> table = raters.read([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]],
    ...                     layout="wide", scale="interval")
    >>> {e.name: round(e.value, 2) for e in icc(table)}  # doctest: +NORMALIZE_WHITESPACE
    {'ICC(1)': 0.17, 'ICC(k)': 0.44, 'ICC(C,1)': 0.71, 'ICC(C,k)': 0.91, 'ICC(A,1)': 0.29, 'ICC(A,k)': 0.62}

    Shrout & Fleiss (1979), Psychol. Bull. 86, 420-428; McGraw & Wong (1996), Psychol. Methods 1, 30-46.
    """
    ann = table(ann)
    if incomplete not in INCOMPLETE:
        raise UsageError(f"incomplete={incomplete!r} is not one of {', '.join(map(repr, INCOMPLETE))}.")
    if k is not None and not k >= 1:
        raise UsageError(f"k={k!r} is not a number of ratings: 1 or more.")
    given = filled(Inference, options)
    interval, level = given["interval"], given["level"]
    spec = spec_for(given, "auto") or IntervalSpec(level=level)
    check_numbers(ann, "an intraclass correlation")
    check_repeats(ann, None, None)
    one = read_one_way(ann)
    by_reml = incomplete == "reml" and has_gaps(ann)
    two, why = (None, ()) if by_reml else read_two_way(ann, incomplete, one)
    counts = {"n_items": ann.n_items, "n_raters": ann.n_raters, "n_annotations": int(one.n), "level": level}
    unit = label_unit(ann)
    rows = [_estimate(form, one, _nothing(one), counts, k, unit) for form in FORMS[:2]]
    if two is not None:
        counts |= {"n_items": int(two.items), "n_annotations": int(two.items) * two.raters}
    rows += [] if by_reml else [_estimate(form, two, why, counts, k, unit) for form in FORMS[2:]]
    if interval is None:
        rows = [replace(e, low=np.nan, high=np.nan, interval=None) for e in rows]
    elif interval != "auto":
        rows = [_over_items(ann, e, one, two, spec) for e in rows]
    rows += reml_rows(ann, k, interval, spec) if by_reml else []
    said = not_normal(ann) if interval == "auto" else ()
    return EstimateTable(
        tuple(replace(e, notes=(*e.notes, *said)) if np.isfinite(e.low) else e for e in rows), of="form"
    )


def has_gaps(ann: Annotations) -> bool:
    """Whether there are at least two raters, some did not rate some item, and each rating is one cell."""
    keeps = ann.repeats and ann.duplicates == "keep"
    return ann.n_raters >= 2 and not keeps and ann.used.n_annotations < ann.n_items * ann.n_raters


def _over_items(ann: Annotations, e: Estimate, one: OneWay, two: TwoWay | None, spec: IntervalSpec) -> Estimate:
    """The same estimate with an interval over items instead of the F distribution's."""
    form = next(f for f in FORMS if f.name == e.name)
    m = one if form in FORMS[:2] else two
    if m is None or not np.isfinite(e.value):
        return e
    found = over_items(ann, m, form.value, form.average, e.value, spec)
    others = (note for note in e.notes if note != Note("equal_within_items"))
    return replace(e, low=found.low, high=found.high, se=found.se, interval=found.method, notes=(*others, *found.notes))


def check_numbers(ann: Annotations, what: str) -> None:
    """Check that labels are numbers on a scale with meaningful differences."""
    if not ann.numeric:
        raise UsageError(f"{what} needs numbers, but the labels of {ann.source} are text; use krippendorff or fleiss.")
    if not ann.scale.ordered:
        raise UsageError(
            f"{what} needs an interval scale, but {ann.source} is {ann.scale}; read it with scale='interval' if"
            " differences between its labels are meaningful."
        )


def _nothing(m: OneWay) -> tuple[Note, ...]:
    if m.items < 2:
        return (Note("single_item_rated"),)
    return () if m.df[1] > 0 else (Note("no_variance_within"),)


def _estimate(
    form: Form,
    m: OneWay | TwoWay | None,
    why: tuple[Note, ...],
    counts: dict[str, Any],
    mean_of: float | None,
    unit: float,
) -> Estimate:
    about = {"shrout_fleiss": form.shrout_fleiss, "cases": form.cases}
    common: dict[str, Any] = {"name": form.name, "title": titled(form.name), "coefficient": "icc", **counts}
    if m is None or (isinstance(m, OneWay) and why):
        return Estimate(value=np.nan, notes=why, details=_no_test() | about, **common)
    k = mean_of or (float(m.k0) if isinstance(m, OneWay) else m.raters)
    f, (df1, df2) = float(m.f), (float(x) for x in m.df)
    p = float(special.fdtrc(df1, df2, f)) if np.isfinite(f) else np.nan
    value = float(form.value(m))
    low, high = form.limits(m, value, counts["level"])
    if form.average:
        value, low, high = (float(spearman_brown(x, k)) for x in (value, low, high))
    notes = why
    if not np.isfinite(value):
        notes = (*why, Note("equal_ratings"))
    elif not np.isfinite(low):
        notes = (*why, Note("equal_within_items"))
    details = {"F": f, "df1": df1, "df2": df2, "p": p, "k": k} | about | m.components(unit * unit)
    return Estimate(value=value, low=low, high=high, interval=form.interval, notes=notes, details=details, **common)


def _no_test() -> dict[str, Any]:
    return dict.fromkeys(("F", "df1", "df2", "p", "k"), np.nan)


def read_one_way(ann: Annotations) -> OneWay:
    """Sums of squares computed by the engine: one row for the table, whatever its size."""
    if isinstance(ann.engine, PatternEngine):
        return _of_patterns(ann)
    return _of_items(ann, _base(ann))


def _of_patterns(ann: Annotations) -> OneWay:
    """The same from a fold."""
    items = fold(ann, moments=True)[None]
    n, total, squares = items.counts.toarray().T
    w = items.weight
    within = float(w @ np.maximum(squares - total**2 / n, 0))
    all_, mean = float(w @ n), float(w @ total)
    between = _left(float(w @ squares) - mean**2 / all_, within)
    sums = (float(w.sum()), all_, float(w @ n**2), between, within)
    return OneWay(*(np.asarray(x) for x in sums))


def _base(ann: Annotations) -> str:
    """SQL of the ratings that are used, in a unit in which floats can hold their squares."""
    return f"SELECT item, who, {in_units(ann, 'label')} AS label FROM ({Query(ann).base}) AS used"


def _of_items(ann: Annotations, base: str) -> OneWay:
    per_item = f"SELECT count(*) AS n, var_pop(label) * count(*) AS ss FROM ({base}) AS b GROUP BY item"
    got = ann.engine.query(
        f"SELECT count(*) AS items, sum(n) AS n, sum(n * n) AS nn, sum(ss) AS within FROM ({per_item}) AS i"
    )
    items, n, nn, within = (np.asarray(float(got[name][0])) for name in ("items", "n", "nn", "within"))
    total = float(ann.engine.query(f"SELECT var_pop(label) * count(*) AS ss FROM ({base}) AS b")["ss"][0])
    return OneWay(items, n, nn, np.asarray(_left(total, float(within))), within)


def _left(total: float, *parts: float) -> float:
    """A sum of squares by subtraction; a remainder within rounding error is zero."""
    rest = total - sum(parts)
    return rest if rest > 1e-12 * total else 0.0


def read_two_way(ann: Annotations, missing: str, one: OneWay | None = None) -> tuple[TwoWay | None, tuple[Note, ...]]:
    """Sums of squares of items and raters; None and the reason if cells are missing.

    ``one``: the sums of items, if known; they are used if no cell is missing.
    """
    m = ann.n_raters
    if m < 2:
        return None, (Note("two_way_no_names" if not m else "two_way_one_rater"),)
    if ann.repeats and ann.duplicates == "keep":
        return None, (Note("two_way_repeats"),)
    base, said = _base(ann), tuple[Note, ...]()
    cells = ann.used.n_annotations
    if cells < ann.n_items * m:
        if missing == "refuse":
            return None, (Note("two_way_gaps", {"n": ann.n_items * m - cells, "of": ann.n_items * m}),)
        every = f"SELECT item FROM ({base}) AS b GROUP BY item HAVING count(*) = {m}"
        base = f"SELECT * FROM ({base}) AS a WHERE item IN ({every})"
    got = ann.engine.query(f"SELECT who, count(*) AS n, avg(label) AS mean FROM ({base}) AS b GROUP BY who")
    items = int(got["n"][0]) if len(got["n"]) else 0
    if cells < ann.n_items * m:
        said = (Note("two_way_complete", {"n": items, "of": ann.n_items, "raters": m}),)
    if items < 2:
        return None, (Note("two_way_few", {"n": items}),)
    columns = items * float(((got["mean"] - got["mean"].mean()) ** 2).sum())
    if one is None or said:
        one = _of_items(ann, base)
    error = np.asarray(_left(float(one.within), columns))
    return TwoWay(np.asarray(float(items)), m, one.between, np.asarray(columns), error), said
