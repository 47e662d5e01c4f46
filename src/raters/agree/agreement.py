"""Agreement, overall and in parts: the public functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.agreement_spec import (
    MOST_LABELS,
    Options,
    Request,
    applicable,
    for_layout,
    request,
    weighted,
)
from raters.agree.estimating import (
    as_given,
    check_groups,
    described,
    entering,
    estimate,
    fixed,
    folded,
    kernel_of,
    statistic,
    unweighted,
    whole,
    with_one_interval,
)
from raters.annotations import Annotations
from raters.coefficients import REGISTRY, Parts, coefficient_name
from raters.errors import UsageError
from raters.estimate import Estimate, EstimateTable, name_of
from raters.inference.weights import shared_draws
from raters.io.any_table import Source, table
from raters.items import Items, items_by_name, lift
from raters.notes.note import Note
from raters.options import asks
from raters.options.declared import By, CoefficientName, CoefficientNames, Group, OfItems, OfLabels, OfRaters, Within
from raters.scales import Kernel
from raters.scales.scale import Scale
from raters.scales.sets import membership
from raters.spans import asking
from raters.spans.asking import or_of_spans

Array = NDArray[Any]


@dataclass(frozen=True)
class ItemRows(Sequence[Estimate]):
    """Estimates of items, created on access because there may be millions."""

    overall: Estimate
    names: Sequence[Any]
    value: Array
    observed: Array
    items: Items
    """The labels of each item, in the order of ``names``."""
    r: Array

    def __len__(self) -> int:
        return len(self.value)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: int) -> Estimate: ...
        @overload
        def __getitem__(self, key: slice) -> Sequence[Estimate]: ...

    def __getitem__(self, key: int | slice) -> Estimate | Sequence[Estimate]:
        if isinstance(key, slice):
            return [self[i] for i in range(len(self))[key]]
        why = self._why(key)
        return replace(
            self.overall,
            name=name_of(self.names[key]),
            value=float(self.value[key]),
            observed=float(self.observed[key]),
            n_items=1,
            n_annotations=int(self.items.per_item[key]),
            n_raters=0,
            notes=why,
        )

    def _why(self, key: int) -> tuple[Note, ...]:
        if self.r[key] >= 2:
            return () if np.isfinite(self.value[key]) else self.overall.notes
        return (Note("item_of_one_label" if self.items.per_item[key] < 2 else "item_of_one_rater"),)

    def __iter__(self) -> Iterator[Estimate]:
        return (self[i] for i in range(len(self)))


MOST_LABELS_AT_ONCE, MOST_COLUMNS = 30, 2_000
"""Above so many labels, or raters times labels, pairs are looked at one by one."""


def pairs_at_once(
    req: Request, items: Items, kernel: Kernel, pairs: Sequence[tuple[int, int]], told: tuple[Note, ...]
) -> dict[tuple[int, int], Estimate]:
    """The estimates of pairs of raters that have a value, without intervals; empty where pairs must be looked at one by
    one.
    """
    if req.spec is not None or req.sample != "items" or not _plain(items):
        return {}
    both = _patterns(items)
    if not len(pairs) or len(entering(req, both, kernel).weight) < len(both.weight):
        return {}
    tables = _tables(items, pairs)
    found = statistic(req, both, kernel, len(items.labels)).parts(tables)
    if found.skipped is not None:
        return {}
    n = tables.sum(1)
    return {
        pair: _estimate(req, items, kernel, pair, (value, found.observed[i], found.expected[i]), int(n[i]), told)
        for i, (pair, value) in enumerate(zip(pairs, found.value.tolist(), strict=True))
        if np.isfinite(value)
    }


def _plain(items: Items) -> bool:
    """Whether raters gave one label each, of few labels."""
    few = items.width <= MOST_LABELS_AT_ONCE and items.counts.shape[1] <= MOST_COLUMNS
    return few and items.moments is None and items.cluster is None and items.once


def _patterns(items: Items) -> Items:
    """One pattern for each label of the one and label of the other."""
    k = items.width
    one, other = np.divmod(np.arange(k * k), k)
    columns = np.stack([one, k + other], -1).ravel()
    counts = sparse.csr_array((np.ones(2 * k * k), columns, np.arange(0, 2 * k * k + 1, 2)), (k * k, 2 * k))
    return Items(np.ones(k * k), counts, items.labels, ("one", "other"), n_raters=2)


def _tables(items: Items, pairs: Sequence[tuple[int, int]]) -> Array:
    """(pair, label of the one * label of the other): on how many items both labels meet."""
    k, c = items.width, items.counts
    meet = (c.T @ sparse.diags_array(items.weight) @ c).toarray().reshape(len(items.groups), k, len(items.groups), k)
    one, other = np.array(pairs).T
    return np.asarray(meet[one, :, other, :]).reshape(len(pairs), -1)


def _estimate(
    req: Request,
    items: Items,
    kernel: Kernel,
    pair: tuple[int, int],
    parts: tuple[Any, Any, Any],
    n: int,
    told: tuple[Note, ...],
) -> Estimate:
    a, b = (items.groups[g] for g in pair)
    return Estimate(
        value=parts[0],
        observed=as_given(parts[1], kernel),
        expected=as_given(parts[2], kernel),
        interval=None,
        notes=told,
        n_items=n,
        n_raters=2,
        n_annotations=2 * n,
        details={"rater_a": a, "rater_b": b},
        **described(req, kernel, f"{a} v. {b}"),
    )


MOST_PAIRS = 20_000


if TYPE_CHECKING:

    @overload
    def agreement(
        ann: Source,
        coefficient: str = ...,
        *,
        by: None = ...,
        group: str | None = ...,
        within: str | None = ...,
        **options: Unpack[Options],
    ) -> Estimate: ...
    @overload
    def agreement(
        ann: Source,
        coefficient: str = ...,
        *,
        by: str,
        group: str | None = ...,
        within: str | None = ...,
        **options: Unpack[Options],
    ) -> EstimateTable: ...


@or_of_spans(asking.agreement)
@asks()
def agreement(
    ann: Source,
    coefficient: CoefficientName = "krippendorff",
    *,
    by: By = None,
    group: Group = None,
    within: Within = None,
    **options: Unpack[Options],
) -> Estimate | EstimateTable:
    """Estimate one coefficient with its interval; with ``by=``, a table with one row for each value of a column.

    ``group=`` names the column that says who is compared with whom (a pool, a round); ``within="rater"`` compares only
    labels by the same rater (intra-rater agreement).

    >>> from raters import examples
    >>> round(agreement(examples.four_raters(), "krippendorff", interval=None).value, 3)
    0.743
    """
    ann = table(ann)
    req = for_layout(request(coefficient, **options), ann)
    if by is None:
        return whole(req, ann, group, within)
    kernel = kernel_of(req, ann)
    bags = folded(req, ann, group, by, within)
    for items in bags.values():
        check_groups(req.coefficient, items, group)
    told = unweighted(req, ann)
    rows = (estimate(req, items, kernel, name_of(value), by=by, notes=told) for value, items in bags.items())
    return EstimateTable(tuple(rows), of=by)


@or_of_spans(asking.agreement_table)
@asks()
def agreement_table(
    ann: Source,
    coefficients: CoefficientNames = None,
    *,
    by: By = None,
    group: Group = None,
    **options: Unpack[Options],
) -> EstimateTable:
    """Estimate the named coefficients, or every one that applies.

    On interval, ratio and circular scales, the kappas use the scale's weights.

    >>> from raters import examples
    >>> [e.name for e in agreement_table(examples.abstractors(), interval=None)][:3]
    ['percent', 'cohen', 'conger']
    >>> [e.name for e in agreement_table(examples.four_raters(), ["fleiss kappa", "alpha"], interval=None)]
    ['fleiss', 'krippendorff']
    """
    ann = table(ann)
    if isinstance(coefficients, str):
        raise UsageError(f"agreement_table takes a list of coefficients, such as [{coefficients!r}].")
    chosen = (
        applicable(ann, group, options)
        if coefficients is None
        else list(dict.fromkeys(map(coefficient_name, coefficients)))
    )
    with shared_draws():
        tables = [agreement(ann, name, by=by, group=group, **weighted(name, ann, options)) for name in chosen]
    rows = [e for t in tables for e in ((t,) if isinstance(t, Estimate) else t)]
    return EstimateTable(tuple(rows), of="coefficient" if by is None else by)


@or_of_spans(asking.per_label)
@asks()
def per_label(
    ann: Source,
    coefficient: CoefficientName = "krippendorff",
    *,
    group: Group = None,
    **options: Unpack[OfLabels],
) -> EstimateTable:
    """Estimate agreement on each label against the rest, without weights: which labels do raters distinguish well?

    >>> from raters import examples
    >>> min(per_label(examples.demo(), interval=None))
    <Estimate: neutral = 0.3895>
    """
    ann = table(ann)
    req = request(coefficient, **options)
    if len(ann.single) > MOST_LABELS:
        raise UsageError(f"{len(ann.single):,} labels are too many to compare each with the rest; bin them first.")
    plain = Kernel("identity", 1.0, total=2.0)
    items = folded(req, replace(ann, scale=Scale.nominal), group)[None]
    check_groups(req.coefficient, items, group)
    nominal = replace(req, coefficient=replace(req.coefficient, by_scale=False))
    rows = [estimate(nominal, two, plain, name_of(label)) for label, two in each_label(ann, items)]
    two = len(ann.labels) == 2 and not ann.scale.of_sets
    return EstimateTable(tuple(with_one_interval(req, ann, rows, group) if two else rows), of="label")


def each_label(ann: Annotations, items: Items) -> Iterator[tuple[Any, Items]]:
    """For each label, the items recoded to two labels: this one and any other; for sets, with it and without it."""
    if not ann.scale.of_sets:
        yield from ((label, items.one_against_rest(k).compressed()) for k, label in enumerate(ann.labels))
        return
    has = membership(ann.labels, ann.members).tocsc()
    for k, label in enumerate(ann.members):
        without = np.ones(len(ann.labels), int)
        without[has.indices[has.indptr[k] : has.indptr[k + 1]]] = 0
        yield label, items.relabelled(without, (label, "other")).compressed()


@or_of_spans(asking.per_rater)
@asks()
def per_rater(ann: Source, coefficient: CoefficientName = "krippendorff", **options: Unpack[OfRaters]) -> EstimateTable:
    """Estimate each rater's agreement with the others: on the rater's items, their labels against a random label by
    another rater.

    >>> from raters import examples
    >>> min(per_rater(examples.four_raters(), interval=None))
    <Estimate: 3 = 0.6233>
    """
    ann = table(ann)
    req, kernel, items = _by_rater(ann, coefficient, options)
    told = unweighted(req, ann)
    if req.coefficient.against_others is not None:
        req = replace(req, coefficient=REGISTRY[req.coefficient.against_others])
    of = rows_by_group(items)
    rows = [
        estimate(req, _one_rater(items, g, of[g]), kernel, name_of(rater), notes=told)
        for g, rater in enumerate(items.groups)
    ]
    return EstimateTable(tuple(with_one_interval(req, ann, rows, None) if len(rows) == 2 else rows), of="rater")


@or_of_spans(asking.per_pair)
@asks()
def per_pair(ann: Source, coefficient: CoefficientName = "cohen", **options: Unpack[OfRaters]) -> EstimateTable:
    """Estimate agreement for each pair of raters who share an item; each estimate's ``details`` name them as
    ``rater_a`` and ``rater_b``.

    >>> from raters import examples
    >>> per_pair(examples.four_raters(), interval=None)[0]
    <Estimate: 1 v. 2 = 0.8448>
    """
    ann = table(ann)
    req, kernel, items = _by_rater(ann, coefficient, options)
    shared = (items.per_group.T.astype(bool).astype(int) @ items.per_group.astype(bool).astype(int)).tocoo()
    pairs = sorted((int(a), int(b)) for a, b in zip(shared.row, shared.col, strict=True) if a < b)
    if len(pairs) > MOST_PAIRS:
        raise UsageError(
            f"{len(pairs):,} pairs of raters share items, but per_pair lists at most {MOST_PAIRS:,}. Use per_rater."
        )
    told = unweighted(req, ann)
    quick = pairs_at_once(req, items, kernel, pairs, told)
    of = rows_by_group(items)
    rows = [quick.get(p) or _pair(req, items, kernel, *p, of, told) for p in pairs]
    two = len(items.groups) == 2
    return EstimateTable(tuple(with_one_interval(req, ann, rows, None) if two else rows), of="pair")


def _pair(
    req: Request, items: Items, kernel: Kernel, a: int, b: int, of: Sequence[Array], told: tuple[Note, ...]
) -> Estimate:
    names = items.groups[a], items.groups[b]
    group_of = np.full(len(items.groups), -1)
    group_of[[a, b]] = 0, 1
    shared = np.intersect1d(of[a], of[b], assume_unique=True)
    both = replace(items.where(shared).regrouped(group_of, names).compressed(), n_raters=2)
    who = {"rater_a": names[0], "rater_b": names[1]}
    return estimate(req, both, kernel, f"{names[0]} v. {names[1]}", details=who, notes=told)


def _by_rater(ann: Annotations, coefficient: str, options: OfRaters) -> tuple[Request, Kernel, Items]:
    req = request(coefficient, **options)
    return req, kernel_of(req, ann), folded(req, ann, "rater")[None]


def rows_by_group(items: Items) -> Sequence[Array]:
    """The patterns in which each group has a label, found for all groups at once."""
    columns = items.per_group.tocsc()
    return np.split(columns.indices, columns.indptr[1:-1])


def _one_rater(items: Items, g: int, rows: Array) -> Items:
    """The items that this rater labelled, in two groups: the rater, and the others."""
    mine = items.where(rows)
    group_of = np.ones(len(items.groups), int)
    group_of[g] = 0
    two = mine.regrouped(group_of, (items.groups[g], "others"))
    n_raters = len(np.unique(mine.per_group.indices))
    return replace(two.compressed(), n_raters=n_raters)


@asks()
def per_item(
    ann: Source,
    coefficient: CoefficientName = "krippendorff",
    *,
    group: Group = None,
    **options: Unpack[OfItems],
) -> EstimateTable:
    """Estimate each item's agreement, relative to chance in the whole table: which items are hard?

    The value is (observed - expected) / (perfect - expected), with the item's observed agreement; it is undefined for
    an item with one label.
    """
    return EstimateTable(item_rows(table(ann), coefficient, group=group, **options), of="item")


def item_rows(
    ann: Annotations, coefficient: CoefficientName = "krippendorff", *, group: Group = None, **options: Unpack[OfItems]
) -> ItemRows:
    """The figures of :func:`per_item` as arrays over the items, with their labels."""
    req = request(coefficient, interval=None, **options)
    if not req.coefficient.from_parts:
        raise UsageError(f"{req.coefficient.name} has no value for a single item; use krippendorff or cohen.")
    kernel = kernel_of(req, ann)
    overall = whole(req, ann, group)
    bag = folded(req, ann, group)[None]
    group = group or ("rater" if req.coefficient.between_groups else None)
    names, items = items_by_name(ann, group)
    kernel = fixed(kernel, bag)
    x = lift(items, kernel, between_groups=len(items.groups) > 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = np.where(x.r >= 2, x.pair / (x.r * (x.r - 1)), np.nan)
    chance = np.full(len(observed), overall.expected)
    value = Parts(observed, chance, kernel.perfect, kernel.unit).value
    return ItemRows(overall, names, value, observed, items, x.r)
