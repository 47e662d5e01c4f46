"""From statistics and their intervals to the figures of two pools, with a reason if one is undefined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.agree.estimating import FEW_VALUES, many_numbers, n_used, undefined
from raters.coefficients import REGISTRY
from raters.errors import UsageError
from raters.estimate import Estimate
from raters.inference.family import Family, Imagined, together
from raters.inference.intervals import MANY_ITEMS, Interval, IntervalSpec, around, few_units, for_small, student
from raters.inference.prior_item import imagine
from raters.items import Items
from raters.notes.note import Note
from raters.reliability.xrr.pools import CrossRequest, Pools
from raters.reliability.xrr.result import CrossReliability
from raters.reliability.xrr.statistics import RANGES, Maker, Pair
from raters.scales import along

Array = NDArray[Any]


TITLES = {
    "kappa_x": "kappa between the pools", "normalized": "normalised kappa between the pools",
    "normalized_by_x": "kappa between the pools / IRR of {x}", "normalized_by_y": "kappa between the pools / IRR of {y}",
    "difference": "kappa between the pools minus mean IRR", "difference_x": "kappa between the pools minus IRR of {x}",
    "difference_y": "kappa between the pools minus IRR of {y}", "rho": "correlation of item means, disattenuated", "observed": "observed disagreement",
    "expected": "expected disagreement", "alpha_x": "alpha between the pools", "gwet_x": "AC between the pools",
    "irr_x": "IRR of {x} ({irr})", "irr_y": "IRR of {y} ({irr})",
}  # fmt: skip


def figures(
    asked: CrossRequest, pools: Pools, pair: Pair, points: Array, found: list[Interval], at: str | None
) -> CrossReliability:
    x, y = pools.names[pair.a], pools.names[pair.b]
    point = dict(zip(pair.stats, map(float, points), strict=True))
    ends = dict(zip(pair.stats, found, strict=True))
    two, weight = pair.used["kappa_x"], pools.items.weight
    details = {"pool_x": x, "pool_y": y, "slice": at}
    reasons = _reasons(asked, pair, point, x, y, two)
    made: dict[str, Any] = {}
    for name, value in point.items():
        items = pair.used.get(name, two)
        i = ends[name]
        parts = _parts_of(name, point, pair, weight)
        made[name] = Estimate(
            name=name,
            value=value,
            low=i.low,
            high=i.high,
            se=i.se,
            level=asked.level,
            interval=i.method or None,
            observed=parts[0],
            expected=parts[1],
            parts="disagreement",
            n_items=items.n_items,
            n_raters=items.n_raters,
            n_annotations=items.n_annotations,
            coefficient=name,
            weights=_measured(asked, pools),
            title=TITLES[name].format(x=x, y=y, irr=asked.irr.coefficient.title),
            by=None,
            details=details,
            sampled=asked.sampled,
            notes=(*i.notes, *([reasons[name]] if name in reasons and not np.isfinite(value) else [])),
        )
    n = pools.n
    only = [int(weight[(n[:, p] > 0) & ~pair.shared].sum()) for p in (pair.a, pair.b)]
    said = list(pools.notes)
    made["kappa_x"] = replace(made["kappa_x"], notes=(*made["kappa_x"].notes, *said))
    return CrossReliability(
        pools=(x, y),
        n_shared=int(weight[pair.shared].sum()),
        n_only_x=only[0],
        n_only_y=only[1],
        irr=asked.irr.coefficient.name,
        irr_items=asked.irr_items,
        trusted=asked.trusted,
        slice=at,
        notes=tuple(said),
        **made,
    )


def _parts_of(name: str, point: dict[str, float], pair: Pair, weight: Array) -> tuple[float, float]:
    """Observed and expected disagreement, for coefficients that have them."""
    if name == "kappa_x":
        return point["observed"], point["expected"]
    if name not in ("irr_x", "irr_y", "alpha_x", "gwet_x"):
        return np.nan, np.nan
    found = pair.stats[name].parts(weight[None, :])
    observed, expected = float(found.observed[0]), float(found.expected[0])
    return (1 - observed, 1 - expected) if found.perfect else (observed, expected)


def _measured(asked: CrossRequest, pools: Pools) -> str:
    given = asked.cross.distance if asked.cross.distance is not None else asked.cross.weights
    return given if isinstance(given, str) else "own" if given is not None else pools.meaning.scale


def _reasons(asked: CrossRequest, pair: Pair, point: dict[str, float], x: str, y: str, two: Items) -> dict[str, Note]:
    """The reason for each undefined figure."""
    why = dict(pair.why)
    between = {"kappa_x": replace(REGISTRY["cohen"], name="kappa_x"), "alpha_x": asked.alpha.coefficient}
    for name, row in (between | {"gwet_x": asked.gwet.coefficient}).items():
        if len(two.weight) and name not in why and not np.isfinite(point.get(name, 0.0)):
            why[name] = undefined(two, row)
    for side in ("irr_x", "irr_y"):
        if not np.isfinite(point[side]) and side not in why:
            why[side] = undefined(pair.used[side], asked.irr.coefficient)
    for name, sides in (
        ("normalized", ("irr_x", "irr_y")),
        ("normalized_by_x", ("irr_x",)),
        ("normalized_by_y", ("irr_y",)),
        ("difference", ("irr_x", "irr_y")),
        ("difference_x", ("irr_x",)),
        ("difference_y", ("irr_y",)),
    ):
        for side in sides:
            pool = x if side == "irr_x" else y
            if not np.isfinite(point[side]):
                why.setdefault(name, Note("irr_undefined", {"pool": pool, "why": why[side]}))
            elif point[side] <= 0 and name.startswith("normalized"):
                why.setdefault(name, Note("irr_not_positive", {"pool": pool, "irr": point[side]}))
        why.setdefault(name, Note("kappa_x_undefined"))
    why.setdefault("rho", Note("means_not_reliable"))
    return why


RATIOS = ("normalized", "normalized_by_x", "normalized_by_y", "rho")
"""Figures that an imaginary item biases downwards by more than the error of the bootstrap: its interval covered
normalised kappa_x in .82 of studies, the bootstrap in .90.
"""


def with_ratios(
    family: Family,
    points: Array,
    spec: IntervalSpec,
    ranges: Sequence[tuple[float, float]],
    found: Sequence[Interval],
    names: Sequence[str],
) -> list[Interval]:
    """These intervals, with those of ratios by the bootstrap; on few items, a warning states their coverage."""
    if spec.method != "auto":
        return list(found)
    again = together(family, points, replace(spec, method="bootstrap"), ranges)
    if family.weight.sum() < MANY_ITEMS:
        again = [replace(i, notes=(*i.notes, few_units())) if np.isfinite(i.low) else i for i in again]
    return [b if name in RATIOS else a for a, b, name in zip(found, again, names, strict=True)]


def imagined_pools(asked: CrossRequest, pools: Pools, family: Family, per_label: bool) -> Imagined | None:
    """None if another kind of interval was requested, and for many different numbers."""
    made = Maker(asked, pools, per_label)
    kernel = made.kernel(asked.cross)
    numbers = many_numbers(kernel, pools.items) or (made.by_ranks and n_used(pools.items) > FEW_VALUES)
    if not for_small(family.stats[0], asked.spec) or numbers:
        return None
    items, base = imagine(pools.items, along(kernel) or made.by_ranks, asked.spec.seed if asked.spec else 0)
    if items.width != pools.items.width:
        return None
    wide = Maker(asked, replace(pools, items=items), per_label)
    pairs = [wide.pair(a, b) for a, b in combinations(range(len(pools.names)), 2)]
    return Imagined(Family([s for pair in pairs for s in pair.stats.values()]), base)


MOST_RATERS = 2000


def over_raters(
    asked: CrossRequest, pools: Pools, per_label: bool, pairs: Sequence[Pair], points: Array, spec: IntervalSpec
) -> list[Interval]:
    r"""The stratified jackknife: raters are units within their pools, and a rater leaves with all their labels.

    .. math:: v = \sum_p \frac{R_p - 1}{R_p} \sum_{r \in p} (\theta_{(r)} - \bar\theta_{(p)})^2

    with t on (number of raters - number of pools) degrees of freedom. A rater drawn twice would agree with their copy,
    so raters are left out instead of drawn with replacement. For ``sample="both"`` the variance over items is added.
    """
    if spec.method not in ("auto", "jackknife"):
        raise UsageError(
            "with raters as the sampling unit, xrr leaves one rater out at a time; use interval='jackknife'."
        )
    raters = np.flatnonzero(pools.pool_of >= 0)
    if len(raters) > MOST_RATERS:
        raise UsageError(f"{len(raters):,} raters are too many to leave out one at a time; use sample='items'.")
    left = {int(r): _without(asked, pools, per_label, pairs, int(r)) for r in raters}
    items = _over_items(pairs, points, spec) if asked.sample == "both" else np.zeros(len(points))
    found, size = [], len(RANGES)
    for i, pair in enumerate(pairs):
        own = [[left[int(r)][i] for r in np.flatnonzero(pools.pool_of == p)] for p in (pair.a, pair.b)]
        for j, (low, high) in enumerate(RANGES.values()):
            at = i * size + j
            of_items = float(items[at])
            found.append(
                _one(
                    points[at],
                    [np.array([row[j] for row in rows]) for rows in own],
                    of_items,
                    replace(spec, lowest=low, highest=high),
                )
            )
    return found


def _one(value: float, left: Sequence[Array], of_items: float, spec: IntervalSpec) -> Interval:
    if not np.isfinite(value):
        return Interval(np.nan, np.nan, np.nan, "jackknife")
    few = min(map(len, left)) < 2
    if few or not all(np.isfinite(x).all() for x in left):
        why = Note("pool_of_one_rater" if few else "one_rater_matters")
        return Interval(np.nan, np.nan, np.nan, "jackknife", (why,))
    variance = sum((len(x) - 1) / len(x) * float(((x - x.mean()) ** 2).sum()) for x in left) + of_items
    df = sum(len(x) - 1 for x in left)
    said = Note("left_out_raters", {"n": df + len(left)})
    found = around(student(float(value), float(np.sqrt(variance)), df + 1, spec, "jackknife"), value)
    return replace(found, notes=(*found.notes, said)) if np.isfinite(found.low) else found


def _without(asked: CrossRequest, pools: Pools, per_label: bool, pairs: Sequence[Pair], rater: int) -> list[Array]:
    """(pair, statistic): all figures without this rater."""
    pool_of = pools.pool_of.copy()
    pool_of[rater] = -1
    made = Maker(asked, replace(pools, pool_of=pool_of), per_label)
    found = []
    for pair in pairs:
        family = Family(list(made.pair(pair.a, pair.b).stats.values()))
        found.append(family.values(family.weight[None, :])[:, 0])
    return found


def _over_items(pairs: Sequence[Pair], points: Array, spec: IntervalSpec) -> Array:
    """(statistic,): the variance over items, one item left out at a time."""
    family = Family([s for pair in pairs for s in pair.stats.values()])
    ranges = [(-np.inf, np.inf)] * len(points)
    found = together(family, points, replace(spec, method="jackknife"), ranges)
    return np.array([i.se**2 for i in found])
