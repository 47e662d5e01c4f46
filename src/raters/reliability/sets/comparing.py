"""Multi-label measures, and shares of labels, of two tables of sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.agreement_spec import Options as AgreeOptions
from raters.agree.comparing import Comparison
from raters.agree.comparing import compare as compare_coefficients
from raters.annotations import Annotations
from raters.errors import DataError, UsageError, listed
from raters.estimate import Estimate, EstimateTable
from raters.inference.differences import drawn, paired, unpaired
from raters.inference.family import Among, Derived, together
from raters.inference.intervals import NO_INTERVAL, Interval, IntervalSpec, interval
from raters.inference.joint import Joint
from raters.inference.limits import spec_for
from raters.inference.prior_item import Posterior, imagine
from raters.inference.statistic import Linear, Statistic
from raters.io.any_table import Source, table
from raters.items import Items
from raters.items.align import align, unified
from raters.items.folding import check_repeats, need_sets
from raters.options import asks, filled
from raters.options.declared import Inference
from raters.reliability.sets.measures import ROWS, TITLES
from raters.reliability.sets.statistics import Options, Sets, crowd, statistics
from raters.scales.sets import membership
from raters.spans.asking import or_of_spans
from raters.spans.comparing import compare as compare_spans

Array = NDArray[Any]


def within_table(items: Items, sets: Sets, measure: str) -> Statistic:
    """A measure of interchangeable raters as a function of the weights of all rows; rows without a set have no
    effect.
    """
    at = np.flatnonzero(items.per_item > 0)
    found = statistics(crowd(items.where(at), sets, Options()), Options())[0][measure]
    return Among(items.weight, found, at)


def imagined_table(items: Items, sets: Sets, measure: str, seed: int) -> Posterior:
    """The same with an imaginary item, whose sets come after all rows."""
    here = np.flatnonzero(items.per_item > 0)
    wide, base = imagine(items.where(here), False, seed)
    n, more = len(items.weight), len(base) - len(here)
    inner = statistics(crowd(wide, sets, Options()), Options())[0][measure]
    weight = np.append(items.weight, np.zeros(more))
    at = np.append(here, np.arange(n, n + more))
    return Posterior(Among(weight, inner, at), np.append(np.zeros(n), base[len(here) :]))


def with_imaginary(
    tables: Sequence[Items], sets: Sets, measure: str, shared: int, spec: IntervalSpec
) -> tuple[list[Interval], Interval, float]:
    """The intervals of both figures and of their difference, and the p of no difference, by the default method."""
    if not shared:  # each table has its own items
        tables = [x.where(np.flatnonzero(x.per_item > 0)) for x in tables]
    stats = [within_table(x, sets, measure) for x in tables]
    values = [float(s.parts(s.weight[None]).value[0]) for s in stats]
    small = [imagined_table(x, sets, measure, spec.seed) for x in tables]
    each = [interval(s, v, spec, small=one) for s, v, one in zip(stats, values, small, strict=True)]
    free = replace(spec, lowest=-np.inf, highest=np.inf)
    value = values[0] - values[1]
    if shared:
        found, p = paired(Derived(tuple(stats), np.subtract), value, free, (small[0], small[1]))
    else:
        found, p = unpaired(stats[0], stats[1], value, free, (small[0], small[1]))
    return each, found, p


@wraps(compare_spans)
def _of_spans(*tables: Any, **options: Any) -> Comparison:
    """Two projects of spans."""
    return Comparison(*compare_spans(*tables, **options))


@or_of_spans(_of_spans)
@asks()
def compare(
    first: Source,
    second: Source | None = None,
    coefficient: str = "krippendorff",
    *,
    other_coefficient: str | None = None,
    between: str | None = None,
    values: Sequence[Any] | None = None,
    **options: Unpack[AgreeOptions],
) -> Comparison:
    """Compare two coefficients: their difference, its interval and p-value, paired on shared items.

    Two tables: ``compare(before, after)``. Two coefficients of one table: ``compare(ann, coefficient="fleiss",
    other_coefficient="gwet")``. Two values of a column: ``compare(ann, between="topic", values=("news",
    "sport"))``. For two tables of sets also the measures of :func:`raters.multilabel`, ``compare(x, y,
    "boot_match")``: raters of a table are interchangeable there.

    >>> from raters.io.read import read
    >>> x = read([("q1", "a", "n"), ("q1", "b", "n"), ("q2", "a", "y"), ("q2", "b", "y"), ("q3", "a", "y"), ("q3", "b", "n")])
    >>> result = compare(x, coefficient="fleiss", other_coefficient="krippendorff", interval=None)
    >>> round(float(result), 3)
    -0.111
    """
    if coefficient not in ROWS:
        return compare_coefficients(
            first, second, coefficient, other_coefficient=other_coefficient, between=between, values=values, **options
        )
    if second is None or other_coefficient is not None or between is not None:
        raise UsageError(f"compare with {coefficient} takes two tables of sets: compare(x, y, {coefficient!r}).")
    _refuse(coefficient, options)
    method = options.get("interval", "auto")
    spec = IntervalSpec(
        method or "auto", options.get("level", 0.95), options.get("resamples", 2000), options.get("seed", 0)
    )
    a, b, both = _aligned(table(first), table(second))
    stats = [_within(both, side, coefficient) for side in (0, 1)]
    each, gap, p = [NO_INTERVAL] * 2, NO_INTERVAL, np.nan
    if method == "auto" and len(both.sets.size) > 1:
        each, gap, p = with_imaginary(both.items, both.sets, coefficient, both.shared, spec)
    elif method is not None:
        each, gap, p = _resampled(stats, spec)
    one, two = (
        _figure(coefficient, stat, found, both.n, spec, x.source)
        for stat, found, x in zip(stats, each, (a, b), strict=True)
    )
    return Comparison(
        one,
        two,
        Estimate(
            "difference",
            one.value - two.value,
            gap.low,
            gap.high,
            gap.se,
            level=spec.level,
            interval=gap.method or None,
            title=f"{TITLES[coefficient]}: difference",
            n_items=both.n,
            notes=gap.notes,
        ),
        p,
        both.shared > 0,
        both.shared,
        drawn(gap, spec),
    )


def _value(stat: Statistic) -> float:
    return float(stat.parts(stat.weight[None]).value[0])


def _resampled(stats: Sequence[Linear], spec: IntervalSpec) -> tuple[list[Interval], Interval, float]:
    """The intervals of both figures and of their difference, and the p of no difference, on the same items."""
    free = replace(spec, lowest=-np.inf, highest=np.inf)
    found, p = paired(Derived(tuple(stats), np.subtract), _value(stats[0]) - _value(stats[1]), free)
    return [interval(s, _value(s), spec) for s in stats], found, p


def _refuse(measure: str, options: AgreeOptions) -> None:
    """Refuse options of coefficients that do not apply to a measure of sets."""
    lost = sorted(set(options) - {"interval", "level", "resamples", "seed"})
    if lost:
        raise UsageError(
            f"compare with {measure} takes interval=, level=, resamples= and seed=; omit"
            f" {listed([f'{x}=' for x in lost])}."
        )


@dataclass(frozen=True)
class Both:
    """Two tables of sets on the union of their items."""

    items: tuple[Items, Items]
    sets: Sets
    n: int
    shared: int


def _aligned(first: Annotations, second: Annotations) -> tuple[Annotations, Annotations, Both]:
    for ann in (first, second):
        need_sets(ann, "this measure")
        check_repeats(ann, None, None)
    a, b = unified([first, second])
    names, parts = align([a, b], group="rater")
    shared = int(((parts[0].per_item > 0) & (parts[1].per_item > 0)).sum())
    return first, second, Both((parts[0], parts[1]), Sets(a.labels, a.members), len(names), shared)


def _within(both: Both, side: int, measure: str) -> Linear:
    """A measure of one table as a function of the weights of all items."""
    items = both.items[side]
    at = np.flatnonzero(items.per_item > 0)
    if not (items.per_item >= 2).any():
        raise DataError("in one of the tables, no item has sets from two raters, so nothing can be compared.")
    found = statistics(crowd(items.where(at), both.sets, Options()), Options())[0][measure]
    return _spread(found, at, both.n)


def _spread(stat: Linear, at: Array, n: int) -> Linear:
    """The same statistic as a function of the weights of all items, some of which it uses."""
    terms = sparse.csr_array(stat.terms)
    place = sparse.csr_array((np.ones(len(at)), (at, np.arange(len(at)))), (n, len(at)))
    whole = place @ terms
    return Linear(np.ones(n), whole.toarray() if isinstance(stat.terms, np.ndarray) else whole, stat.function)


def _figure(measure: str, stat: Linear, found: Interval, n: int, spec: IntervalSpec, name: str) -> Estimate:
    p = stat.parts(stat.weight[None])
    return Estimate(
        name,
        float(p.value[0]),
        found.low,
        found.high,
        found.se,
        level=spec.level,
        interval=found.method or None,
        observed=float(p.observed[0]),
        expected=float(p.expected[0]),
        n_items=n,
        notes=found.notes,
        coefficient=measure,
        title=TITLES[measure],
    )


@asks()
def label_shares(
    x: Source,
    y: Source,
    **options: Unpack[Inference],
) -> EstimateTable:
    """Compare the share of sets that contain each label in two crowds: second minus first, with an interval over items.

    ``details["first"]`` and ``["second"]`` are the two shares; an item counts once, however many raters it has. The
    last row, ``apart``, is half the sum of absolute differences of the label distributions (shares among all given
    labels): 0 if they are the same, 1 if they share nothing.

    >>> from raters.io.read import read
    >>> x = read([(i, "a", ["A"]) for i in range(4)], scale="sets")
    >>> y = read([(i, "b", ["A", "B"]) for i in range(4)], scale="sets")
    >>> {e.name: e.value for e in label_shares(x, y, interval=None)}
    {'A': 0.0, 'B': 1.0, 'apart': 0.5}
    """
    first, second = table(x, scale="sets"), table(y, scale="sets")
    for ann in (first, second):
        need_sets(ann, "label_shares")
    a, b = unified([first, second])
    names, parts = align([a, b])
    has = membership(a.labels, a.members)
    q = len(a.members)
    terms = []
    for part in parts:
        n = part.per_item[:, None]
        held = (part.merged().counts @ has).toarray() / np.maximum(n, 1)
        terms.append(np.concatenate([(n > 0) * 1.0, held], 1))
    whole = np.concatenate(terms, 1)  # (item, 1 + labels of the first, 1 + labels of the second)

    def shares(s: Array) -> tuple[Array, Array]:
        return s[..., 1 : 1 + q] / s[..., :1], s[..., 2 + q :] / s[..., 1 + q : 2 + q]

    def gap(s: Array) -> Array:
        one, two = shares(s)
        return two - one

    def apart(s: Array) -> Array:
        one, two = (p / p.sum(-1, keepdims=True) for p in shares(s))
        return np.asarray(np.abs(one - two).sum(-1) / 2)

    one, two = (p[0] for p in shares(whole.sum(0)[None]))

    def figures(s: Array) -> Array:
        return np.concatenate([gap(s).T, apart(s)[None]])

    values = figures(whole.sum(0)[None])[:, 0]
    found = [NO_INTERVAL] * len(values)
    given = filled(Inference, options)
    spec = spec_for(given, "auto")
    if spec is not None:  # the distance has no derivative where two shares are equal
        joint = Joint(np.ones(len(names)), whole, figures, smooth=False)
        found = together(joint, values, spec, [(-1.0, 1.0)] * len(values))
    called = [*map(str, a.members), "apart"]
    titles = [*(f"share of {m}: second minus first" for m in called[:-1]), "distance of the label distributions"]
    details: list[dict[str, Any]] = [{"first": float(f), "second": float(s)} for f, s in zip(one, two, strict=True)]
    rows = [
        Estimate(
            name,
            float(value),
            i.low,
            i.high,
            i.se,
            level=given["level"],
            interval=i.method or None,
            title=title,
            n_items=len(names),
            notes=i.notes,
            coefficient="share",
            details=more,
        )
        for name, title, value, i, more in zip(called, titles, values, found, [*details, {}], strict=True)
    ]
    return EstimateTable(tuple(rows), of="label")
