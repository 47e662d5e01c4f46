"""The rows of a multi-label table: two raters, means over pairs, the pooled form, the alphas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.agree.agreement_spec import Request
from raters.agree.estimating import estimate
from raters.coefficients.base import Parts
from raters.errors import UsageError
from raters.estimate import Estimate
from raters.inference.family import Among, Derived, Family, Imagined, together
from raters.inference.intervals import NO_INTERVAL, Interval, IntervalSpec, for_small
from raters.inference.prior_item import imagine
from raters.inference.resampled_units import cluster_members
from raters.inference.statistic import Statistic
from raters.items import Items
from raters.notes.note import Note, refused
from raters.reliability.sets.chance import MEASURES, MOST_STEPS
from raters.reliability.sets.statistics import BASELINE, Boot, Options, Sets, codes, crowd, statistics, two_raters
from raters.scales import Kernel

Array = NDArray[Any]
ROWS = ("soft_match", "augmented", *MEASURES)
ALPHAS = ("alpha_masi", "alpha_jaccard")
TITLES = {
    "soft_match": "Soft-match kappa", "augmented": "Augmented kappa", "boot_match": "Boot-match",
    "boot_precision": "Boot-precision", "boot_recall": "Boot-recall", "boot_f1": "Boot-F1",
    BASELINE: "Kappa with each set as one label",
    "alpha_masi": "Krippendorff's alpha (MASI)", "alpha_jaccard": "Krippendorff's alpha (Jaccard)",
}  # fmt: skip


@dataclass(frozen=True)
class MeasureRequest:
    """The checked options."""

    options: Options
    spec: IntervalSpec | None
    level: float
    pooled: bool | None
    alphas: Mapping[str, tuple[Request, Kernel | UsageError]]


@dataclass(frozen=True)
class Compared:
    """One measure of two raters."""

    raters: tuple[int, int]
    name: str
    stat: Statistic
    boot: Boot
    shared: int
    """Items that both raters labelled."""


def named(asked: MeasureRequest, items: Items, sets: Sets, which: Array) -> tuple[list[Estimate], list[Estimate]]:
    """Two raters, or the means over pairs and the pairs themselves, all from the same replicates."""
    made = _compared(asked, items, sets, which)
    if not made:
        return [_nothing(asked, name, items) for name in (*ROWS, BASELINE)], []
    more = len(items.groups) > 2
    means = {name: _mean_over_pairs(made, name) for name in (*ROWS, BASELINE)} if more else {}
    stats = _with_means(made, more)
    parts = [s.parts(items.weight[None, :]) for s in stats]
    points = np.array([float(p.value[0]) for p in parts])

    def with_imaginary(wide: Items) -> list[Statistic]:
        return _with_means(_compared(asked, wide, sets, codes(wide)), more)

    ends = _intervals(asked, stats, points, items, with_imaginary)
    pairs = [_pair(asked, items, m, p, end) for m, p, end in zip(made, parts, ends, strict=False)]
    measured = [e for e in pairs if e.name != BASELINE]
    if not more:
        return pairs, measured
    rows = [
        _over_pairs(asked, items, name, point, end, pairs, made)
        for name, point, end in zip(means, points[len(made) :], ends[len(made) :], strict=True)
    ]
    return rows, [
        replace(e, name=f"{e.details['rater_a']} v. {e.details['rater_b']}: {e.coefficient}") for e in measured
    ]


def _with_means(made: Sequence[Compared], more: bool) -> list[Statistic]:
    """The measures of each pair of raters and, with more than two raters, the means over pairs."""
    means = [_mean_over_pairs(made, name) for name in (*ROWS, BASELINE)] if more else []
    return [*(m.stat for m in made), *means]


def _compared(asked: MeasureRequest, items: Items, sets: Sets, which: Array) -> list[Compared]:
    """Every measure of each pair of raters who share an item."""
    n, weight, made = len(items.groups), items.weight, []
    for a, b in combinations(range(n), 2):
        both = (which[:, a] >= 0) & (which[:, b] >= 0)
        shared = int(weight[both].sum())
        if not shared:
            continue
        # with more than two raters, a pair is compared on the items that both labelled, as for Light's kappa
        at = np.flatnonzero(both) if n > 2 else np.arange(len(weight))
        terms = two_raters(weight[at], which[at, a], which[at, b], sets, asked.options)
        found, boot = statistics(terms, asked.options)
        for name, stat in found.items():
            whole = stat if len(at) == len(weight) else Among(weight, stat, at)
            made.append(Compared((a, b), name, whole, boot, shared))
    return made


def _mean_over_pairs(made: Sequence[Compared], name: str) -> Statistic:
    return Derived(tuple(m.stat for m in made if m.name == name), _mean)


def _pair(asked: MeasureRequest, items: Items, m: Compared, p: Parts, end: Interval) -> Estimate:
    who = items.groups[m.raters[0]], items.groups[m.raters[1]]
    size = m.shared, 2, 2 * m.shared
    return _row(asked, m.name, p.value[0], p.observed[0], p.expected[0], end, [m.boot], size, who)


def _over_pairs(
    asked: MeasureRequest,
    items: Items,
    name: str,
    point: float,
    end: Interval,
    pairs: Sequence[Estimate],
    made: Sequence[Compared],
) -> Estimate:
    """The mean of a measure over pairs of raters, with a note about the pairs that it excludes."""
    n = len(items.groups)
    own = [e for e in pairs if e.name == name]
    observed, expected = (float(np.mean([getattr(e, x) for e in own])) for x in ("observed", "expected"))
    size = items.n_items, n, items.n_annotations
    row = _row(asked, name, point, observed, expected, end, [m.boot for m in made if m.name == name], size, None)
    left = sum(not np.isfinite(e.value) for e in own)
    said = [Note("pairs_undefined", {"n": left, "of": len(own)})] if left else []
    every = n * (n - 1) // 2
    said += [Note("pairs_apart", {"n": every - len(own), "of": every})] if every > len(own) else []
    return replace(row, notes=(*row.notes, *said))


def _mean(*values: Array) -> Array:
    """The mean of the defined values."""
    v = np.stack([np.asarray(x) for x in values])
    here = np.isfinite(v.real)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(here, v, 0).sum(0) / here.sum(0))


def pooled_rows(asked: MeasureRequest, items: Items, sets: Sets) -> list[Estimate]:
    """The measures for interchangeable raters: each pair of an item, and one distribution for all."""
    at = np.flatnonzero(items.per_item >= 1)
    if not (items.per_item >= 2).any():
        return [_nothing(asked, name, items) for name in (*ROWS, BASELINE)]
    used = items.where(at)
    found, boot = statistics(crowd(used, sets, asked.options), asked.options)
    stats: list[Statistic] = [Among(items.weight, s, at) for s in found.values()]
    parts = [s.parts(items.weight[None, :]) for s in stats]

    def with_imaginary(wide: Items) -> list[Statistic]:
        here = np.flatnonzero(wide.per_item >= 1)
        again, _ = statistics(crowd(wide.where(here), sets, asked.options), asked.options)
        return [Among(wide.weight, s, here) for s in again.values()]

    ends = _intervals(asked, stats, np.array([float(p.value[0]) for p in parts]), items, with_imaginary)
    size = used.n_items, len(items.groups), used.n_annotations
    return [
        _row(asked, name, p.value[0], p.observed[0], p.expected[0], end, [boot], size, None, pooled=True)
        for name, p, end in zip(found, parts, ends, strict=True)
    ]


def _intervals(
    asked: MeasureRequest,
    stats: Sequence[Statistic],
    points: Array,
    items: Items,
    make: Callable[[Items], list[Statistic]],
) -> list[Interval]:
    """Intervals from the same replicates; ``make``: computes the same statistics from items that include imaginary
    ones.
    """
    if asked.spec is None:
        return [NO_INTERVAL] * len(stats)
    if items.weight[items.per_item >= 2].sum() < 2:  # what one rater alone labelled moves chance only
        return [replace(NO_INTERVAL, method=asked.spec.method, notes=(Note("single_item"),))] * len(stats)
    imagined, members = None, cluster_members(items)
    if members is None and for_small(stats[0], asked.spec) and len(items.labels) > 1:
        wide, base = imagine(items, False, asked.spec.seed)
        imagined = Imagined(Family(make(wide)), base)
    return together(Family(stats), points, asked.spec, [(-np.inf, 1.0)] * len(stats), members, imagined)


def _row(
    asked: MeasureRequest,
    name: str,
    value: Any,
    observed: Any,
    expected: Any,
    end: Interval,
    boots: Sequence[Boot],
    size: tuple[int, int, int],
    who: tuple[Any, Any] | None,
    pooled: bool = False,
) -> Estimate:
    """One measure as an estimate, with the method for its chance and the raters it compares."""
    details: dict[str, Any] = {"chance": "margins", "chance_se": 0.0}
    notes = [*end.notes]
    if name in MEASURES:
        drawn = [b for b in boots if not b.exact]
        se = float(np.sqrt(sum(b.se[name] ** 2 for b in boots))) / len(boots)
        details |= {"chance": "simulated" if drawn else "exact", "chance_se": se}
        if drawn:
            n = sum(b.n_drawn for b in drawn)
            details["simulated_pairs"] = n
            facts = {"n": n, "se": se}
            notes.append(
                Note("chance_too_long", facts | {"steps": drawn[0].cost, "limit": MOST_STEPS})
                if asked.options.chance == "exact"
                else Note("chance_simulated", facts)
            )
    if who is not None:
        details |= {"rater_a": str(who[0]), "rater_b": str(who[1])}
    title = TITLES[name] + (" (pooled)" if pooled else "" if who is not None else " (mean over pairs)")
    if name in ("boot_precision", "boot_recall"):
        of, against = (
            map(str, who)
            if who is not None
            else ("each", "every other")
            if pooled
            else ("the first of each pair", "the second")
        )
        details |= {"of": of, "against": against}
        title = f"{title} of {of} against {against}"
    if not np.isfinite(value):
        notes.append(Note("no_room", {"measure": name}))
    return Estimate(
        name=name,
        coefficient=name,
        title=title,
        value=float(np.real(value)),
        low=end.low,
        high=end.high,
        se=end.se,
        level=asked.level,
        interval=end.method or None,
        observed=float(observed),
        expected=float(expected),
        n_items=size[0],
        n_raters=size[1],
        n_annotations=size[2],
        notes=tuple(notes),
        details=details,
    )


def _nothing(asked: MeasureRequest, name: str, items: Items) -> Estimate:
    method = None if asked.spec is None else "imaginary" if asked.spec.method == "auto" else asked.spec.method
    return Estimate(
        name=name,
        coefficient=name,
        title=TITLES[name],
        value=np.nan,
        level=asked.level,
        interval=method,
        n_items=items.n_items,
        n_raters=len(items.groups),
        n_annotations=items.n_annotations,
        notes=(Note("no_sets_of_two_raters"),),
        details={"chance": "none", "chance_se": 0.0},
    )


def alpha(asked: MeasureRequest, name: str, items: Items) -> Estimate:
    """Krippendorff's alpha with a set distance, computed like every other coefficient."""
    req, kernel = asked.alphas[name]
    if isinstance(kernel, UsageError):
        return replace(_nothing(asked, name, items), notes=(refused(kernel),))
    found = estimate(req, items.merged(), kernel, name)
    return replace(found, title=TITLES[name], coefficient=name, details={"chance": "margins", "chance_se": 0.0})
