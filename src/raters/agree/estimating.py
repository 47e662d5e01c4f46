"""From a request to an estimate: the kernel, the fold, the statistic, the interval and the notes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.agree.agreement_spec import Request
from raters.annotations import Annotations
from raters.coefficients import Coefficient
from raters.coefficients.pairwise import PAIR_TERMS, TooManyPairs, few_shared, typical_shared
from raters.engines.patterns import PatternEngine
from raters.errors import UsageError
from raters.estimate import Estimate
from raters.inference.intervals import NO_INTERVAL, Interval, Numbers, Small, for_small, interval, skewed_values
from raters.inference.prior_item import posterior
from raters.inference.resampled_units import by_rater, cluster_interval, rater_interval
from raters.inference.statistic import MidRanks, Statistic, linear, mid_ranks
from raters.items import MANY_VALUES, Items, fold, lift
from raters.items.bag import collapse
from raters.items.folding import check_repeats
from raters.items.products import label_unit
from raters.notes.note import Note, either
from raters.scales import (
    MAX_MATRIX,
    MID_RANKS,
    WEIGHTS,
    Kernel,
    agreement_kernel,
    along,
    distance_kernel,
    distance_row,
    row_of,
)

Array = NDArray[Any]
FEW_VALUES = 20
"""Up to this many distinct numbers count as points of a scale, and an imaginary item can be added."""


def small_study(req: Request, used: Items, kernel: Kernel, make: Callable[[Items, Kernel], Statistic]) -> Small:
    """An imaginary item for labels, the jackknife for many different numbers; ``make``: from items to the statistic."""
    seed = req.spec.seed if req.spec else 0

    def made(items: Items) -> Statistic:
        return make(items, kernel if len(items.labels) == len(used.labels) else Kernel("identity", 1.0, total=2.0))

    if not many_numbers(kernel, used):
        return posterior(used, along(kernel), seed, made)
    r = lift(used, kernel, between_groups=len(used.groups) > 1).r
    several = used.weight * (r >= 2)
    said = () if kernel.by_ranks else skewed_values(item_means(used)[r >= 2], used.weight[r >= 2])
    return Numbers(float(several @ r / several.sum()), posterior(used, along(kernel), seed, made), said)


def item_means(items: Items) -> Array:
    """(pattern,): the mean of an item's numbers; from moments, relative to their common centre."""
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        if items.moments is not None:
            total = np.asarray(items.counts[:, 1 :: items.width].sum(1)).ravel()
        else:
            named = any(isinstance(x, str) for x in items.labels)  # points of a scale that have names
            values = np.arange(len(items.labels), dtype=float) if named else np.array(items.labels, float)
            total = np.asarray(collapse(items.counts, items.width) @ values).ravel()
        return np.asarray(total / items.per_item)


def without_disagreement(used: Items, value: float, found: Interval) -> tuple[Note, ...]:
    """The warning for two labels and two raters who never differ: the lower limit then fails more often than stated."""
    if value < 1 or found.method != "imaginary" or not np.isfinite(found.low) or found.low >= 1:
        return ()
    if used.moments is not None or n_used(used) > 2 or used.per_item.max(initial=0) > 2:
        return ()
    return (Note("without_disagreement"),)


def many_numbers(kernel: Kernel, items: Items) -> bool:
    """Whether labels are compared as numbers, and more than a few are in use."""
    row = row_of(kernel)
    return (kernel.by_ranks or (row is not None and row.of == "numbers")) and n_used(items) > FEW_VALUES


def n_used(items: Items) -> int:
    """How many different labels were given."""
    return len(items.labels) if items.moments is not None else len(np.unique(items.counts.indices % items.width))


LEAST = 10
"""With fewer shared items than this, if they are also less than a tenth of all items, nothing is concluded."""


def shared_items(ann: Annotations) -> int:
    """How many items have two or more labels."""
    if ann.used.per_item[0] > 1:
        return ann.n_items
    if isinstance(ann.engine, PatternEngine):
        labels = np.asarray(ann.engine.patterns.sum(1)).ravel()
        return int(ann.engine.items.sum(0)[labels > 1].sum())

    def found() -> int:
        each = "count(DISTINCT rater)" if ann.n_raters else "count(*)"
        sql = f"SELECT count(*) AS n FROM (SELECT {each} AS n FROM annotations GROUP BY item) AS items WHERE n > 1"
        return int(ann.engine.query(sql)["n"][0])

    return ann.once("shared items", found, lambda _: 1)


def too_few_shared(ann: Annotations) -> str:
    """Why nothing can be concluded about agreement, in a sentence; empty if enough items are shared.

    >>> from raters.io.read import read
    >>> rows = [(i, "ann", "no") for i in range(30)] + [(0, "bob", "no")]
    >>> too_few_shared(read(rows))
    'Nothing can be concluded about agreement: only 1 of 30 items has labels from two raters or more.'
    """
    shared = shared_items(ann)
    if shared >= LEAST or 10 * shared >= ann.n_items:
        return ""
    verb = "has" if shared == 1 else "have"
    return (
        f"Nothing can be concluded about agreement: only {shared:,} of {ann.n_items:,} items {verb} labels from two"
        " raters or more."
    )


def near_as_far(ann: Annotations) -> Note | None:
    """A near miss and a far one that count the same without weights; None if labels are not steps of a scale."""
    if not ann.scale.ranks or len(ann.labels) < 3:
        return None
    first, near, last = (_text(ann.labels[i]) for i in (0, -2, -1))
    return Note("near_as_far", {"first": first, "near": near, "last": last})


def unweighted(req: Request, ann: Annotations) -> tuple[Note, ...]:
    """The warning about a coefficient without weights on an ordinal scale, if the user did not choose that."""
    row = req.coefficient
    chosen = req.weights is not None or req.distance is not None or row.by_scale
    told = None if chosen or not row.beyond_chance else without_weights(ann)
    return (told,) if told else ()


def without_weights(ann: Annotations) -> Note | None:
    """The note about a coefficient without weights on this table; None if nothing is lost without them."""
    told = near_as_far(ann)
    return told and Note("without_weights", {"example": told})


def _text(label: Any) -> str:
    return f"{label:g}" if isinstance(label, float) else str(label)


def kernel_of(req: Request, ann: Annotations) -> Kernel:
    """How labels are compared: the requested weights or distance, or the scale's own."""
    row = req.coefficient
    by_value = ann.numeric and req.weights_by == "value" and not row.by_band
    unit = label_unit(ann) if by_value and ann.period is None and not ann.scale.turns else 1.0
    values = ann.keys.astype(float) / unit if by_value else np.arange(1.0, len(ann.labels) + 1)
    kernel = _kernel(req, ann, values)
    return kernel if unit == 1 or kernel.perfect else replace(kernel, measured_in=_power(req, ann, unit))


def _power(req: Request, ann: Annotations, unit: float) -> float:
    """The size of a distance of one unit in the original labels; nan if a float cannot hold it."""
    if not squared(req, ann):
        return unit if req.distance == "absolute" else 1.0
    with np.errstate(over="ignore", under="ignore"):
        return float(np.float64(unit) ** 2) or np.nan


def _kernel(req: Request, ann: Annotations, values: Array) -> Kernel:
    row = req.coefficient
    if row.by_band:
        return _banded(row, agreement_kernel(req.weights, values, ann.labels, None, MAX_MATRIX))
    dense = 0 if uses_moments(req, ann) else 200  # a fold to moments needs the form in 1, x and x^2
    if req.distance is not None:
        return distance_kernel(req.distance, values, ann.labels, ann.period, dense)
    if not req.by_scale:
        return agreement_kernel(req.weights, values, ann.labels, ann.period)
    if ann.scale.distance is None:
        return MID_RANKS if row.mid_ranks else distance_kernel("interval", values, ann.labels)
    return distance_kernel(ann.scale.distance, values, ann.labels, ann.period, dense)


def _banded(row: Coefficient, kernel: Kernel) -> Kernel:
    """The kernel, if it depends only on the distance between the positions of two labels."""
    w = kernel.form
    if w is not None and not (np.allclose(w[1:, 1:], w[:-1, :-1]) and np.allclose(w, w.T)):
        fitting = ", ".join(name for name, weights in WEIGHTS.items() if weights.by_band)
        raise UsageError(
            f"{row.name} weights labels by their distance in positions, but {kernel.name} weights do not depend on"
            f" position; use one of {fitting}, or a matrix that is constant along its diagonals."
        )
    return kernel


def squared(req: Request, ann: Annotations) -> bool:
    """Whether labels are compared by their squared difference."""
    name = ann.scale.distance if req.by_scale else req.distance
    found = distance_row(name) if isinstance(name, str) else None
    return found is not None and found.squared


def uses_moments(req: Request, ann: Annotations) -> bool:
    """Whether sums of 1, x and x^2 are enough, as for squared differences of many distinct values."""
    return squared(req, ann) and ann.numeric and req.weights_by == "value" and len(ann.labels) > MANY_VALUES


def folded(
    req: Request, ann: Annotations, group: str | None = None, by: str | None = None, within: str | None = None
) -> dict[Any, Items]:
    """The items of a request, one bag for each value of ``by``."""
    check_repeats(ann, group, by)
    if req.sample != "items" and group not in (None, "rater"):
        raise UsageError("sample='raters' compares raters; omit group=.")
    if group is None and (req.coefficient.between_groups or req.sample != "items"):
        group = "rater"
    return fold(ann, group=group, by=by, within=within, cluster=req.cluster, moments=uses_moments(req, ann))


def statistic(req: Request, items: Items, kernel: Kernel, q: int) -> Statistic:
    """The coefficient as a pure function of pattern weights."""
    x = lift(items, kernel, between_groups=len(items.groups) > 1)
    return mid_ranks(x) if kernel.by_ranks else linear(req.coefficient, x, q)


def made(req: Request) -> Callable[[Items, Kernel], Statistic]:
    """A function from items and a kernel to the statistic of a request."""
    return lambda items, kernel: statistic(req, items, kernel, len(items.labels))


def entering(req: Request, items: Items, kernel: Kernel) -> Items:
    """The items that the coefficient uses: for alpha, those with two or more labels."""
    fewest = req.coefficient.enters
    if fewest < 2:
        return items
    return items.where(np.flatnonzero(lift(items, kernel, between_groups=len(items.groups) > 1).r >= fewest))


def fixed(kernel: Kernel, items: Items) -> Kernel:
    """The kernel by which single items are measured: for ordinal alpha, its distance with the mid-ranks of ``items``
    fixed.
    """
    return rank_kernel(items) if kernel.by_ranks else kernel


def rank_kernel(items: Items) -> Kernel:
    """Squared differences of the mid-ranks that the labels have in these items."""
    ranks = mid_ranks(lift(items, MID_RANKS, between_groups=len(items.groups) > 1))
    margin = np.asarray(ranks.weight @ ranks.counts)
    return distance_kernel("interval", np.cumsum(margin) - margin / 2, items.labels)


def whole(req: Request, ann: Annotations, group: str | None = None, within: str | None = None) -> Estimate:
    """The coefficient of the whole table. It is cached with the table, so that the same interval is shown
    everywhere.
    """

    def made() -> Estimate:
        items = folded(req, ann, group, None, within)[None]
        check_groups(req.coefficient, items, group)
        return estimate(req, items, kernel_of(req, ann), notes=unweighted(req, ann))

    question = ("estimate", req, group, within, ann.scale, ann.period)
    try:
        hash(question)
    except TypeError:  # the user's own weights: a matrix
        return made()
    return ann.once(question, made, lambda e: 20)


def with_one_interval(req: Request, ann: Annotations, rows: Sequence[Estimate], group: str | None) -> list[Estimate]:
    """Rows of which some may be the figure of the whole table under another name, as each of two labels against the
    other is: one figure of a table has one interval everywhere.
    """
    if req.spec is None:
        return list(rows)
    table = whole(req, ann, group)
    return [with_interval_of(table, e) if e.coefficient == table.coefficient else e for e in rows]


def with_interval_of(known: Estimate, e: Estimate) -> Estimate:
    """The estimate, with the interval that is known of it if it is that figure."""
    about = attrgetter("n_items", "n_annotations")
    if about(e) != about(known) or not math.isclose(e.value, known.value, rel_tol=1e-9):
        return e
    return replace(e, low=known.low, high=known.high, se=known.se, interval=known.interval)


def estimate(req: Request, items: Items, kernel: Kernel, name: str | None = None, **more: Any) -> Estimate:
    """The coefficient on these items, with its interval, its parts, and the reason if it is undefined."""
    row = req.coefficient
    common: dict[str, Any] = described(req, kernel, name) | {
        "n_items": items.n_items,
        "n_raters": items.n_raters,
        "n_annotations": items.n_annotations,
        **more,
    }
    why = nothing_to_compare(items, row)
    if why is not None:
        return _without_value(req, common, why)
    whole, items = items, items.merged() if req.sample != "items" else items
    used = entering(req, items, kernel)
    try:
        stat = statistic(req, used, kernel, len(items.labels))
    except TooManyPairs as error:
        return _without_value(req, common, error.why)
    at = stat.parts(stat.weight[None, :])
    value = float(at.value[0])
    found = _interval(req, stat, value, used, whole, kernel)
    if row.own_terms is PAIR_TERMS and np.isfinite(found.low) and shifted_pairs(used, stat, value, req):
        found = replace(NO_INTERVAL, notes=(Note("pairs_share_few", {"n": typical_shared(used)}),))
    notes = [*common.pop("notes", ()), *found.notes, *without_disagreement(used, value, found)]
    notes += few_shared(used) if row.own_terms is PAIR_TERMS else ()
    if not np.isfinite(value):
        notes.append(undefined(items, row))
    elif at.skipped is not None and at.skipped[0]:
        notes.append(Note("pairs_skipped", {"n": int(at.skipped[0])}))
    return Estimate(
        value=value,
        low=found.low,
        high=found.high,
        se=found.se,
        interval=found.method or None,
        observed=as_given(at.observed[0], kernel),
        expected=as_given(at.expected[0], kernel),
        notes=tuple(notes),
        **common,
    )


SHIFTED = 0.1
"""A coefficient whose bias, by the jackknife, is more than this share of its standard error is off by as much or more:
in simulations such intervals hold in .3 to .87 of studies, and those below it in .92 or more.
"""


def shifted_pairs(used: Items, stat: Statistic, value: float, req: Request) -> bool:
    """Whether pairs of raters share so few items that their own margins bias a mean over pairs."""
    if req.spec is None or used.per_group.nnz == used.per_group.shape[0] * len(used.groups):
        return False
    left, w = stat.left_out(), stat.weight
    n = float(w.sum())
    mean = float(w @ left) / n
    bias, se = (n - 1) * (mean - value), math.sqrt((n - 1) / n * float(w @ (left - mean) ** 2))
    return not math.isfinite(bias) or abs(bias) > SHIFTED * se


def described(req: Request, kernel: Kernel, name: str | None = None) -> dict[str, Any]:
    """What an estimate says of itself, whatever the items are."""
    row = req.coefficient
    return {
        "name": name or row.name,
        "coefficient": row.name,
        "title": _title(row, kernel),
        "parts": kernel.parts,
        "weights": kernel.name,
        "sampled": req.sampled,
        "level": req.spec.level if req.spec else 0.95,
    }


def as_given(part: Any, kernel: Kernel) -> float:
    """Observed or expected disagreement in the units of the labels; nan if it is out of range for a float."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = float(part * kernel.measured_in)
    return found if np.isfinite(found) else np.nan


def _title(row: Coefficient, kernel: Kernel) -> str:
    return row.title if kernel.equality else row.weighted_title or row.title


def _without_value(req: Request, common: dict[str, Any], why: Note) -> Estimate:
    return Estimate(value=np.nan, interval=_method(req), **common | {"notes": (*common.get("notes", ()), why)})


def _interval(req: Request, stat: Statistic, value: float, used: Items, whole: Items, kernel: Kernel) -> Interval:
    if req.spec is None:
        return Interval(np.nan, np.nan, np.nan, "")
    if req.sample != "items":
        over = by_rater(req.coefficient, whole, kernel)
        alone = replace(req, sample="items", spec=replace(req.spec, method="auto"))
        return rater_interval(
            over,
            value,
            req.spec,
            req.sample == "both",
            stat,
            lambda: _interval(alone, stat, value, used, whole, kernel),
        )
    if req.se is not None:
        return interval(stat, value, req.spec, _gwet(req, stat, used, kernel, value))
    small = small_study(req, used, kernel, made(req)) if for_small(stat, req.spec) else None
    if req.cluster is not None:
        return cluster_interval(stat, used, value, req.spec, small)
    return interval(stat, value, req.spec, small=small)


def _method(req: Request) -> str | None:
    return None if req.spec is None else "imaginary" if req.spec.method == "auto" else req.spec.method


def _gwet(req: Request, stat: Statistic, items: Items, kernel: Kernel, value: float) -> Array | None:
    """The influences behind irrCAC's standard error, which holds the number of items with two labels fixed."""
    if req.se is None:
        return None
    if isinstance(stat, MidRanks) or not req.coefficient.irrcac:
        raise UsageError(
            f"se='gwet' is not defined for {req.coefficient.name} on this scale; omit se= to use the delta method."
        )
    r = lift(items, kernel, between_groups=len(items.groups) > 1).r
    if req.coefficient.large_sample is not None:
        return _gwet_alpha(req, items, kernel, r[r >= 2])
    n, paired = stat.weight.sum(), r >= 2
    return _by_n(req, stat.influence() + value * (paired * n / (stat.weight @ paired) - 1) / n, n)


def _gwet_alpha(req: Request, items: Items, kernel: Kernel, r: Array) -> Array:
    """irrCAC linearises alpha without its small-sample term, but keeps the term in the weight of an item."""
    form = req.coefficient.large_sample or req.coefficient.function
    large = statistic(
        replace(req, coefficient=replace(req.coefficient, function=form)), items, kernel, len(items.labels)
    )
    value = float(large.parts(large.weight[None, :]).value[0])
    n, total = large.weight.sum(), large.weight @ r
    return _by_n(req, large.influence() - (1 - value) * (r * n / total - 1) / (n * total), n)


def _by_n(req: Request, influence: Array, n: float) -> Array:
    return np.asarray(influence * (np.sqrt((n - 1) / n) if req.se == "gwet_table" else 1.0))


def nothing_to_compare(items: Items, row: Coefficient | None = None) -> Note | None:
    """Why agreement cannot be measured on these items; None if it can."""
    if not len(items.weight):
        return Note("no_annotations")
    if row is not None and row.between_groups and len(items.groups) < 2:
        return Note("single_group", {"coefficient": row.name})
    if len(items.groups) > 1:
        if np.diff(items.per_group.indptr).max() < 2:
            return Note("no_item_of_two_raters")
    elif items.per_item.max() < 2:
        return Note("no_item_of_two_labels")
    return None


def undefined(items: Items, row: Coefficient) -> Note:
    """Why a coefficient is undefined on items that can be compared."""
    merged = items.merged()
    if items.moments is None:
        used = np.flatnonzero(np.asarray(merged.counts.sum(0)).ravel() > 0)
        if len(used) == 1:
            return Note("every_label_equal", {"label": items.labels[used[0]], "coefficient": row.name})
    return row.undefined


def check_groups(row: Coefficient, items: Items, group: str | None) -> None:
    """Cohen and Scott need exactly two raters; otherwise the error names the alternatives."""
    if row.exactly is None:
        return
    n = len(items.groups) if row.between_groups else (items.n_raters or int(items.per_item.max(initial=0)))
    if not row.between_groups and group is not None:
        n = len(items.groups)
    if n > row.exactly:
        names = ", ".join(map(str, items.groups[:4])) if len(items.groups) > 1 else ""
        shown = f" ({names}{', ...' if n > 4 else ''})" if names else ""
        raise UsageError(
            f"{row.name} compares two raters, but there are {n:,}{shown}. Use {row.instead}, or see every pair of"
            f" raters: {either('raters.per_pair', '--per pair')}."
        )
