"""Comparing two tables, two coefficients, or two values of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from raters.agree.agreement_spec import Options, Request, request
from raters.agree.estimating import check_groups, estimate, kernel_of, made, small_study, statistic
from raters.annotations import Annotations
from raters.engines.patterns import PatternEngine
from raters.errors import UsageError
from raters.estimate import Estimate, EstimateTable, Result, jsonable, p_shown, shown
from raters.inference.differences import drawn, paired, unpaired
from raters.inference.family import Among, Derived
from raters.inference.intervals import Interval, for_small
from raters.inference.prior_item import Posterior
from raters.inference.statistic import Statistic
from raters.io.any_table import Source, table
from raters.items import Items, fold, lift
from raters.items.align import align, beside, unified
from raters.items.folding import check_repeats
from raters.options import asks
from raters.scales import Kernel

Array = NDArray[Any]


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Two estimates and their difference (first minus second), with its interval and p-value."""

    first: Estimate
    second: Estimate
    difference: Estimate
    p: float
    paired: bool
    n_shared: int
    resamples: int = 0
    """Replicates behind p, which cannot be below 2 / (resamples + 1); 0 if it is computed."""

    @property
    def p_text(self) -> str:
        """p as it is written: a limit where it is the least that the replicates can show."""
        return p_shown(self.p, (self.resamples - 1) / 2 if self.resamples else 0)

    def __float__(self) -> float:
        return float(self.difference)

    @property
    def table(self) -> EstimateTable:
        return EstimateTable((self.first, self.second, self.difference), of="table")

    def to_dict(self) -> dict[str, Any]:
        return {**self.table.to_dict(), "p": jsonable(self.p), "paired": self.paired, "n_shared": self.n_shared}

    def to_columns(self) -> dict[str, list[Any]]:
        """Three rows: the first, the second, the difference."""
        return self.table.to_columns()

    def plot(self) -> Any:
        """Both figures and their difference with intervals, as an Altair chart."""
        return self.table.plot(axis=self.first.title)

    def __repr__(self) -> str:
        return f"<Comparison: {self.difference.title} = {self.difference:.4f}, {self.p_text}>"

    def __str__(self) -> str:
        return (
            f"{self.table}\n{self.p_text}, {'paired by ' if self.paired else 'not paired: '}{self.n_shared:,} shared"
            " items"
        )

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


@asks()
def compare(
    first: Source,
    second: Source | None = None,
    coefficient: str = "krippendorff",
    *,
    other_coefficient: str | None = None,
    between: str | None = None,
    values: Sequence[Any] | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Compare two coefficients: their difference, its interval and p-value, paired on shared items.

    Two tables: ``compare(before, after)``. Two coefficients of one table: ``compare(ann, coefficient="fleiss",
    other_coefficient="gwet")``. Two values of a column: ``compare(ann, between="topic", values=("news", "sport"))``.

    >>> from raters.io.read import read
    >>> x = read([("q1", "a", "n"), ("q1", "b", "n"), ("q2", "a", "y"), ("q2", "b", "y"), ("q3", "a", "y"), ("q3", "b", "n")])
    >>> result = compare(x, coefficient="fleiss", other_coefficient="krippendorff", interval=None)
    >>> round(float(result), 3)
    -0.111
    """
    ann, second = table(first), None if second is None else table(second)
    reqs = request(coefficient, **options), request(other_coefficient or coefficient, **options)
    if reqs[0].sample != "items" or reqs[0].cluster is not None:
        raise UsageError("compare() resamples items; omit sample= and cluster=.")
    if second is not None:
        names, anns = _names(ann, second), unified([ann, second])
        rows = _two_tables(reqs, anns)
    elif between is not None:
        anns = [ann, ann]
        names, rows = _two_values(reqs, ann, between, values)
    elif other_coefficient is not None:
        names, anns = (reqs[0].coefficient.name, reqs[1].coefficient.name), [ann, ann]
        rows = _two_tables(reqs, anns)
    else:
        raise UsageError("compare needs a second table, other_coefficient=, or between= (a column).")
    return _compared(
        reqs, anns, rows, names, apart=_apart_by_nature(anns, other_coefficient if second is None else None)
    )


def _apart_by_nature(anns: Sequence[Annotations], other_coefficient: str | None) -> bool:
    """Whether items cannot be paired: folds do not name their items, but two coefficients of one fold use the same
    items.
    """
    return other_coefficient is None and any(isinstance(ann.engine, PatternEngine) for ann in anns)


def _names(first: Annotations, second: Annotations) -> tuple[str, str]:
    if first.source != second.source:
        return first.source, second.source
    return f"{first.source} (first)", f"{second.source} (second)"


def _two_tables(reqs: Sequence[Request], anns: Sequence[Annotations]) -> list[Items]:
    for ann in anns:
        check_repeats(ann, None, None)
    if any(isinstance(ann.engine, PatternEngine) for ann in anns):
        return [fold(ann, group=_group(reqs))[None] for ann in anns]
    return align(anns, group=_group(reqs))[1]


def _group(reqs: Sequence[Request]) -> str | None:
    return "rater" if any(r.coefficient.between_groups for r in reqs) else None


def _two_values(
    reqs: Sequence[Request], ann: Annotations, by: str, values: Sequence[Any] | None
) -> tuple[tuple[str, str], list[Items]]:
    """Rows of the same item under two values of a column, side by side."""
    check_repeats(ann, None, by)
    if isinstance(ann.engine, PatternEngine):
        bags = fold(ann, group=_group(reqs), by=by)
        first, second = _two_of(list(bags), by, values)
        return (str(first), str(second)), [bags[first], bags[second]]
    names, (items,) = align([ann], group=_group(reqs), by=by)
    there = list(dict.fromkeys(value for value, _ in names))
    chosen = _two_of(there, by, values)
    every = {name: i for i, name in enumerate(dict.fromkeys(item for _, item in names))}
    rows = []
    for value in chosen:
        at = np.array([i for i, (v, _) in enumerate(names) if v == value], dtype=int)
        to = np.array([every[names[i][1]] for i in at], dtype=int)
        place = sparse.coo_array((np.ones(len(at)), (to, at)), (len(every), len(names))).tocsr()
        rows.append(replace(items, weight=np.ones(len(every)), counts=(place @ items.counts).tocsr()))
    return (str(chosen[0]), str(chosen[1])), rows


def _two_of(there: Sequence[Any], by: str, values: Sequence[Any] | None) -> Sequence[Any]:
    """The two values that were requested, or the only two."""
    chosen = list(values) if values is not None else list(there)
    if len(chosen) != 2 or any(v not in there for v in chosen):
        found = ", ".join(repr(v) for v in there[:8])
        raise UsageError(f"compare() needs exactly two values of {by!r} but found {found}. Pass values=(one, other).")
    return chosen


def _compared(
    reqs: Sequence[Request], anns: Sequence[Annotations], rows: list[Items], names: Sequence[str], apart: bool
) -> Comparison:
    rows = [x if r.coefficient.between_groups else x.merged() for r, x in zip(reqs, rows, strict=True)]
    kernels = [kernel_of(r, ann) for r, ann in zip(reqs, anns, strict=True)]
    has = [x.weight * (x.per_item > 0) for x in rows]
    shared = 0 if apart else int(np.minimum(*has).sum())
    for r, x in zip(reqs, rows, strict=True):
        check_groups(r.coefficient, x, None)
    each = [
        estimate(r, _packed(x.labelled()), k, name) for r, x, k, name in zip(reqs, rows, kernels, names, strict=True)
    ]
    value = each[0].value - each[1].value
    found, p = _interval(reqs, rows, kernels, value, shared)
    title = f"{names[0]} minus {names[1]}"
    difference = replace(
        each[0],
        name="difference",
        title=title,
        value=value,
        low=found.low,
        high=found.high,
        se=found.se,
        interval=found.method or None,
        observed=each[0].observed - each[1].observed,
        expected=each[0].expected - each[1].expected,
        notes=(*each[0].notes, *each[1].notes, *found.notes),
        n_items=int(has[0].sum() + has[1].sum()) - shared,
        n_annotations=each[0].n_annotations + each[1].n_annotations,
        details={"p": p, "paired": shared > 0, "n_shared": shared},
    )
    return Comparison(each[0], each[1], difference, p, shared > 0, shared, drawn(found, reqs[0].spec))


def _packed(items: Items) -> Items:
    return items.compressed() if len(items.weight) > 1 else items


def difference_of(
    reqs: Sequence[Request], rows: Sequence[Items], kernels: Sequence[Kernel], shared: int
) -> tuple[float, Interval, float]:
    """The difference of the figures of two sets of labels, item by item, with its interval and p-value."""
    values = [
        float(stat.parts(stat.weight[None, :]).value[0])
        for stat, _ in (_stat(r, x, k) for r, x, k in zip(reqs, rows, kernels, strict=True))
    ]
    value = values[0] - values[1]
    return value, *_interval(reqs, list(rows), kernels, value, shared)


def _interval(
    reqs: Sequence[Request], rows: list[Items], kernels: Sequence[Kernel], value: float, shared: int
) -> tuple[Interval, float]:
    how = reqs[0].spec
    if how is None or not np.isfinite(value):
        return Interval(np.nan, np.nan, np.nan, ""), np.nan
    how = replace(how, lowest=-np.inf, highest=np.inf)
    if not shared:
        rows = [_packed(x.labelled()) for x in rows]
        stats = [_stat(r, x, k) for r, x, k in zip(reqs, rows, kernels, strict=True)]
        first, second = (
            small_study(r, x.where(at), k, made(r)) if for_small(stat, how) else None
            for r, x, k, (stat, at) in zip(reqs, rows, kernels, stats, strict=True)
        )
        return unpaired(stats[0][0], stats[1][0], value, how, (first, second))
    weight, rows = _joint(rows)
    both = tuple(Among(weight, *_stat(r, x, k)) for r, x, k in zip(reqs, rows, kernels, strict=True))
    whole = Derived(both, np.subtract)
    return paired(whole, value, how, _apart(reqs, rows, kernels) if for_small(whole, how) else None)


def _apart(reqs: Sequence[Request], rows: list[Items], kernels: Sequence[Kernel]) -> tuple[Posterior, Posterior] | None:
    """Both figures with an imaginary item each; the items themselves come first, in the same order for both."""
    found = []
    for req, x, kernel in zip(reqs, rows, kernels, strict=True):

        def among(items: Items, kernel: Kernel, req: Request = req) -> Statistic:
            return Among(items.weight, *_stat(req, items, kernel))

        one = small_study(req, x, kernel, among)
        if not isinstance(one, Posterior):
            return None
        found.append(one)
    return found[0], found[1]


def _stat(req: Request, rows: Items, kernel: Kernel) -> tuple[Statistic, Array]:
    """The statistic of the rows that it uses, and the indices of these rows."""
    r = lift(rows, kernel, between_groups=len(rows.groups) > 1).r
    at = np.flatnonzero(r >= req.coefficient.enters)
    return statistic(req, rows.where(at), kernel, len(rows.labels)), at


def _joint(rows: list[Items]) -> tuple[Array, list[Items]]:
    """Merge equal pairs of patterns, if the tables are narrow enough to search for them."""
    both, width = beside(rows, (0, 1)).compressed(96), rows[0].counts.shape[1]
    parts = both.counts[:, :width], both.counts[:, width:]
    return both.weight, [replace(x, weight=both.weight, counts=p) for x, p in zip(rows, parts, strict=True)]


def heterogeneity(table: Sequence[Estimate]) -> tuple[float, int, float]:
    """Cochran's Q of independent estimates, its degrees of freedom, and p; nan if fewer than two have a standard error.

    .. math:: Q = \\sum_w (x_w - \\bar x)^2 / s_w^2

    with the mean weighted by :math:`1 / s_w^2`; chi-squared if all windows share one value. Cochran (1954), Biometrics
    10, 101-129.
    """
    x, se = (np.array([getattr(e, name) for e in table], dtype=float) for name in ("value", "se"))
    good = np.isfinite(x) & (se > 0)
    df = int(good.sum()) - 1
    if df < 1:
        return np.nan, df, np.nan
    w = se[good] ** -2.0
    q = float(w @ (x[good] - np.average(x[good], weights=w)) ** 2)
    return q, df, float(special.chdtrc(df, q))


def drift(table: Sequence[Estimate]) -> str:
    """Whether the windows of one coefficient differ by more than chance, in a sentence for each coefficient."""
    said = []
    for name in dict.fromkeys(e.coefficient for e in table):
        rows = [e for e in table if e.coefficient == name]
        q, df, p = heterogeneity(rows)
        if not np.isfinite(p):
            said.append(
                f"{rows[0].title}: fewer than two windows have a standard error, so drift cannot be distinguished from"
                " chance."
            )
            continue
        low, high = min(rows, key=lambda e: e.value), max(rows, key=lambda e: e.value)
        verdict = "differ by more than chance" if p < 0.05 else "do not differ by more than chance"
        said.append(
            f"{rows[0].title}: the {len(rows)} windows {verdict} (Q = {shown(q, 2)}, df = {df}, p = {p:.2g}), "
            f"from {shown(low.value, 3)} ({low.name}) to {shown(high.value, 3)} ({high.name})."
        )
    return " ".join(said)
