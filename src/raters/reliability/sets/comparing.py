"""Multi-label measures, and shares of labels, of two tables of sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.agreement_spec import Options as AgreeOptions
from raters.agree.agreement_spec import takes_options
from raters.agree.comparing import Comparison
from raters.agree.comparing import compare as compare_coefficients
from raters.annotations import Annotations
from raters.errors import DataError, UsageError, listed
from raters.estimate import Estimate, EstimateTable
from raters.inference.differences import paired, unpaired
from raters.inference.family import Among, Derived
from raters.inference.intervals import FEW_ITEMS, MANY_ITEMS, Interval, IntervalSpec, interval
from raters.inference.limits import around, by_percentile
from raters.inference.prior_item import Posterior, imagine
from raters.inference.statistic import Linear, Statistic, value_alone
from raters.inference.weights import multinomial
from raters.io.any_table import Source, table
from raters.items import Items
from raters.items.align import align, unified
from raters.items.folding import check_repeats, need_sets
from raters.options import asks
from raters.reliability.sets.measures import ROWS, TITLES
from raters.reliability.sets.statistics import Options, Sets, crowd, statistics
from raters.scales.sets import membership

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


@takes_options()
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
    if method == "auto" and len(both.sets.size) > 1:
        return _by_default(coefficient, both, stats, spec, (a.source, b.source))
    draws = None if method is None else draws_of(stats, both.n, spec)
    e = [
        _figure(coefficient, s, None if draws is None else draws[i], both.n, spec, x.source)
        for i, (s, x) in enumerate(zip(stats, (a, b), strict=True))
    ]
    gap = None if draws is None else draws[0] - draws[1]
    difference = of_draws(
        "difference", f"{TITLES[coefficient]}: difference", e[0].value - e[1].value, gap, both.n, spec
    )
    return Comparison(e[0], e[1], difference, _p(gap), both.shared > 0, both.shared)


def _by_default(
    measure: str, both: Both, stats: Sequence[Linear], spec: IntervalSpec, names: Sequence[str]
) -> Comparison:
    """Each figure with its own imaginary item, and their difference as for two coefficients."""
    each, found, p = with_imaginary(both.items, both.sets, measure, both.shared, spec)
    e = [
        replace(
            _figure(measure, s, None, both.n, spec, name),
            low=i.low,
            high=i.high,
            se=i.se,
            interval=i.method,
            notes=i.notes,
        )
        for s, i, name in zip(stats, each, names, strict=True)
    ]
    difference = Estimate(
        "difference",
        e[0].value - e[1].value,
        found.low,
        found.high,
        found.se,
        level=spec.level,
        interval=found.method,
        title=f"{TITLES[measure]}: difference",
        n_items=both.n,
        notes=found.notes,
    )
    return Comparison(e[0], e[1], difference, p, both.shared > 0, both.shared)


def _refuse(measure: str, options: AgreeOptions) -> None:
    """Refuse options of coefficients that do not apply to a measure of sets, and intervals that it does not have."""
    lost = sorted(set(options) - {"interval", "level", "resamples", "seed"})
    if lost:
        raise UsageError(
            f"compare with {measure} takes interval=, level=, resamples= and seed=; omit"
            f" {listed([f'{x}=' for x in lost])}."
        )
    if options.get("interval", "auto") not in ("auto", "bootstrap", None):
        raise UsageError(
            f"compare with {measure} has the default interval and the bootstrap over items; use interval='auto',"
            " 'bootstrap' or None."
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


def draws_of(stats: Sequence[Linear], n: int, spec: IntervalSpec) -> Array:
    """(statistic, replicate): items resampled, the same for all."""
    rng = np.random.default_rng(spec.seed)
    parts = [[s.parts(w).value for s in stats] for w in multinomial(np.ones(n), spec.resamples, rng)]
    return np.concatenate([np.stack(p) for p in parts], 1)


def of_draws(
    name: str, title: str, value: float, draws: Array | None, n: int, spec: IntervalSpec, **more: Any
) -> Estimate:
    """A figure with the percentile interval of its draws, with a warning that it is too narrow on few items."""
    if draws is None:
        return Estimate(name, value, level=spec.level, title=title, n_items=n, **more)
    found = around(by_percentile(draws, spec), value)
    said = (*more.pop("notes", ()), *found.notes, *((FEW_ITEMS,) if n < MANY_ITEMS else ()))
    return Estimate(
        name,
        value,
        found.low,
        found.high,
        found.se,
        level=spec.level,
        interval=found.method,
        title=title,
        n_items=n,
        notes=said,
        **more,
    )


def _figure(measure: str, stat: Linear, draws: Array | None, n: int, spec: IntervalSpec, name: str) -> Estimate:
    p = stat.parts(stat.weight[None])
    more = {"observed": float(p.observed[0]), "expected": float(p.expected[0]), "coefficient": measure}
    return of_draws(name, TITLES[measure], float(p.value[0]), draws, n, spec, **more)


def _p(draws: Array | None) -> float:
    if draws is None:
        return float("nan")
    kept = draws[np.isfinite(draws)]
    beyond = min(int((kept <= 0).sum()), int((kept >= 0).sum()))
    return min(1.0, 2 * (beyond + 1) / (len(kept) + 1)) if len(kept) else float("nan")


@asks()
def label_shares(
    x: Source,
    y: Source,
    *,
    interval: str | None = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
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
    spec = IntervalSpec("bootstrap", level, resamples, seed)

    def shares(s: Array) -> tuple[Array, Array]:
        return s[..., 1 : 1 + q] / s[..., :1], s[..., 2 + q :] / s[..., 1 + q : 2 + q]

    def gap(s: Array) -> Array:
        one, two = shares(s)
        return two - one

    def apart(s: Array) -> Array:
        one, two = (p / p.sum(-1, keepdims=True) for p in shares(s))
        return np.asarray(np.abs(one - two).sum(-1) / 2)

    one, two = (p[0] for p in shares(whole.sum(0)[None]))

    def of_label(k: int) -> Linear:
        return Linear(np.ones(len(names)), whole, lambda s: value_alone(gap(s)[..., k]))

    stats = [*map(of_label, range(q)), Linear(np.ones(len(names)), whole, lambda s: value_alone(apart(s)))]
    draws = [None] * len(stats) if interval is None else list(draws_of(stats, len(names), spec))
    values = [*gap(whole.sum(0)[None])[0].tolist(), float(apart(whole.sum(0)[None])[0])]
    called = [*map(str, a.members), "apart"]
    titles = [*(f"share of {m}: second minus first" for m in called[:-1]), "distance of the label distributions"]
    details: list[dict[str, Any]] = [{"first": float(f), "second": float(s)} for f, s in zip(one, two, strict=True)]
    rows = [
        of_draws(n, t, v, d, len(names), spec, coefficient="share", details=more)
        for n, t, v, d, more in zip(called, titles, values, draws, [*details, {}], strict=True)
    ]
    return EstimateTable(tuple(rows), of="label")
