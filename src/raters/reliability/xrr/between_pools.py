"""Cross-replication reliability: would another pool of raters have said the same?

kappa_x is Cohen's kappa with the pool as group, on the items that both pools labelled; everything beside it is a
statistic of the same items, so that all intervals come from the same replicates.

Wong, Paritosh & Aroyo (2021), Cross-replication Reliability, ACL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from raters.agree.estimating import undefined, uses_moments
from raters.annotations import Annotations
from raters.coefficients import REGISTRY
from raters.errors import UsageError
from raters.estimate import Estimate
from raters.inference.family import Family, together
from raters.inference.intervals import NO_INTERVAL, Interval
from raters.inference.sampling import cluster_members
from raters.items import Items
from raters.options import deprecated
from raters.reliability.xrr.imagined import imagined_pools
from raters.reliability.xrr.permutation import permuted
from raters.reliability.xrr.pools import Pools, from_column, from_tables, one_against_rest, pool_names
from raters.reliability.xrr.rater_sampling import over_raters
from raters.reliability.xrr.result import CrossReliability, PoolTest
from raters.reliability.xrr.statistics import (
    CROSS_DEFAULTS,
    MANY_LABELS,
    RANGES,
    CrossOptions,
    CrossRequest,
    Maker,
    Pair,
    ask,
)  # fmt: skip
from raters.reliability.xrr.table import CrossTable
from raters.tables import Source, table, takes_tables

Array = NDArray[Any]


takes_options = partial(takes_tables, "x", "y", "more", options=CrossOptions, defaults=CROSS_DEFAULTS)


@overload
def xrr(
    x: Source, y: Source | None = ..., *, pool: str | None = ..., by: None = ..., **options: Unpack[CrossOptions]
) -> CrossReliability: ...
@overload
def xrr(
    x: Source, y: Source | None = ..., *, pool: str | None = ..., by: str, **options: Unpack[CrossOptions]
) -> CrossTable: ...
@takes_options()
def xrr(
    x: Source,
    y: Source | None = None,
    *more: Source,
    pool: str | None = None,
    by: str | None = None,
    per_label: bool = False,
    **options: Unpack[CrossOptions],
) -> CrossReliability | CrossTable:
    r"""Agreement between pools of raters, beside the agreement within each.

    .. math:: \kappa_x = 1 - \frac{d_o(X, Y)}{d_e(X, Y)}, \quad
        \text{normalised } \kappa_x = \frac{\kappa_x}{\sqrt{IRR_X} \sqrt{IRR_Y}}

    Two tables of the same items, ``xrr(x, y)``, or one with a column that names the pool, ``xrr(ann, pool="city")``. With
    ``by=`` (a column), a table of one row for each value. For more than two pools, or each label against the rest, see
    :func:`xrr_table`.

    The other options are those of :class:`raters.reliability.xrr.statistics.CrossOptions`.

    >>> from raters.io import read
    >>> first, second = {"1": "BB", "2": "BBB", "3": "AA", "4": "AAA", "5": "AB"}, {"1": "BB", "2": "AB", "3": "AB", "4": "AB", "5": "AA"}
    >>> x, y = ([(i, f"{who}{j}", k) for i, ks in d.items() for j, k in enumerate(ks)] for who, d in (("x", first), ("y", second)))
    >>> result = xrr(read(x), read(y), interval=None)
    >>> [round(float(e), 7) for e in (result.kappa_x, result.observed, result.expected)]
    [0.1818182, 0.4090909, 0.5]

    Wong, Paritosh & Aroyo (2021), ACL, 7053-7065.
    """
    found = xrr_table(x, y, *more, pool=pool, by=by, per_label=per_label, **options)
    if by is None and (per_label or len(found.pools) > 2):
        deprecated(
            "xrr of more than two pools, or with per_label=, is xrr_table now; xrr will refuse it in the next version."
        )
        return found
    return found if by is not None else replace(found[0], test=found.test)


@takes_options()
def xrr_table(
    x: Source,
    y: Source | None = None,
    *more: Source,
    pool: str | None = None,
    by: str | None = None,
    per_label: bool = False,
    **options: Unpack[CrossOptions],
) -> CrossTable:
    """Every two pools, of any number: one row for each pair, and for each value of ``by``.

    ``xrr_table(x, y, z)`` or ``xrr_table(ann, pool="city")``; ``per_label=True``: each label against the rest. All else as
    in :func:`xrr`.

    >>> from raters.io import read
    >>> pools = [read([(i, f"{p}{j}", "ab"[(i + j * n) % 2]) for i in range(6) for j in (1, 2)]) for n, p in enumerate("xyz")]
    >>> [row.pools for row in xrr_table(*pools, names=["x", "y", "z"], interval=None)]
    [('x', 'y'), ('x', 'z'), ('y', 'z')]
    """
    asked = ask(**options)
    anns = [table(a) for a in (x, y, *more) if a is not None]
    if (pool is None) == (len(anns) == 1):
        raise UsageError(
            "xrr takes two or more tables, xrr(x, y), or one with a column of pools, xrr(ann, pool='city')."
        )
    if per_label:
        _check_per_label(asked, anns)
        anns = [replace(a, scale="nominal") for a in anns]
    raters = asked.irr.coefficient.compares == "groups" or asked.sample != "items"
    if asked.sample != "items" and not all(a.n_raters for a in anns):
        raise UsageError(f"sample={asked.sample!r} draws raters, and these have no names; leave it out.")
    if pool is not None:
        moments = not raters and not per_label and uses_moments(asked.cross, anns[0])
        slices = from_column(anns[0], pool, asked.names, raters=raters, by=by, moments=moments, cluster=asked.cluster)
    else:
        slices = from_tables(anns, pool_names(anns, asked.names), raters=raters, by=by, cluster=asked.cluster)
    found = [_one_slice(asked, pools, at, per_label) for at, pools in _parts(slices, per_label)]
    first = next(iter(slices.values()))
    test = permuted(anns, pool, first, asked.cross, asked.permutations, asked.seed) if asked.permutations else None
    rows = tuple(row for part_ in found for row in part_)
    if by is None and not per_label:
        rows = tuple(_shuffled(row, test, anns, pool, first, asked) for row in rows)
    return CrossTable(rows, first.names, tuple(dict.fromkeys(r.slice for r in rows)), test)


SHUFFLES = 999


def _shuffled(
    row: CrossReliability,
    test: PoolTest | None,
    anns: Sequence[Annotations],
    pool: str | None,
    pools: Pools,
    asked: CrossRequest,
) -> CrossReliability:
    """The row with the test of its two pools.

    An interval over items says of these raters that they agree less between than within. That raters of one population who
    differ from one another do so too, only shuffling them tells; so it is asked wherever the sentence would speak of pools.
    """
    if len(pools.names) == 2 and test is not None:
        return replace(row, test=test)
    if not row.difference.high < 0 or asked.sample != "items":
        return row
    several = row.pools if len(pools.names) > 2 else None
    return replace(
        row, test=permuted(anns, pool, pools, asked.cross, max(asked.permutations, SHUFFLES), asked.seed, several)
    )


def _check_per_label(asked: CrossRequest, anns: Sequence[Annotations]) -> None:
    if any(a.scale == "sets" for a in anns):
        raise UsageError(
            "per_label compares single labels, and these are sets; leave it out for a set distance, or read the column of "
            "one label (yes or no) on a nominal scale."
        )
    if asked.cross.distance is not None or asked.cross.weights is not None:
        raise UsageError(
            "per_label compares one label with the rest, so weights and distances do not apply; leave them out."
        )
    if any(len(a.labels) > MANY_LABELS for a in anns):
        raise UsageError(
            f"more than {MANY_LABELS:,} labels are too many to compare each with the rest; bin them first."
        )


def _parts(slices: dict[Any, Pools], per_label: bool) -> Iterator[tuple[Any, Pools]]:
    for value, pools in slices.items():
        if not per_label:
            yield value, pools
            continue
        for label, one in one_against_rest(pools):
            yield label if value is None else (value, label), one


def _one_slice(asked: CrossRequest, pools: Pools, at: Any, per_label: bool) -> list[CrossReliability]:
    """Every pair of pools of a slice, from the same replicates."""
    if asked.trusted is not None and asked.trusted not in pools.names:
        raise UsageError(f"trusted={asked.trusted!r} is not a pool; there are: {', '.join(pools.names)}.")
    made = Maker(asked, pools, per_label)
    pairs = [made.pair(a, b) for a, b in combinations(range(len(pools.names)), 2)]
    stats = [s for pair in pairs for s in pair.stats.values()]
    family = Family(stats)
    points = family.values(family.weight[None, :])[:, 0]
    if asked.spec is None:
        found = [NO_INTERVAL] * len(stats)
    else:
        ranges = [RANGES[n] for pair in pairs for n in pair.stats]
        members = cluster_members(pools.items)
        imagined = imagined_pools(asked, pools, family, per_label) if members is None else None
        found = together(family, points, asked.spec, ranges, members, imagined)
        if asked.sample != "items":
            found = over_raters(asked, pools, per_label, pairs, points, asked.spec)
    size = len(RANGES)
    label = None if at is None else " / ".join(map(str, at)) if isinstance(at, tuple) else str(at)
    return [
        _result(asked, pools, pair, points[i * size : (i + 1) * size], found[i * size : (i + 1) * size], label)
        for i, pair in enumerate(pairs)
    ]


TITLES = {
    "kappa_x": "kappa_x", "normalized": "normalised kappa_x", "normalized_by_x": "kappa_x / IRR of {x}",
    "normalized_by_y": "kappa_x / IRR of {y}", "difference": "kappa_x less mean IRR", "difference_x": "kappa_x less IRR of {x}",
    "difference_y": "kappa_x less IRR of {y}", "rho": "rho_xy (means, disattenuated)", "observed": "observed disagreement",
    "expected": "expected disagreement", "alpha_x": "alpha between the pools", "gwet_x": "AC between the pools",
    "irr_x": "IRR of {x} ({irr})", "irr_y": "IRR of {y} ({irr})",
}  # fmt: skip


def _result(
    asked: CrossRequest, pools: Pools, pair: Pair, points: Array, found: list[Interval], at: str | None
) -> CrossReliability:
    x, y = pools.names[pair.a], pools.names[pair.b]
    point = dict(zip(pair.stats, map(float, points), strict=True))
    ends = dict(zip(pair.stats, found, strict=True))
    two, weight = pair.used["kappa_x"], pools.items.weight
    details = {"pool_x": x, "pool_y": y, "slice": at}
    reasons = _reasons(pair, point, x, y, two, pools)
    made: dict[str, Any] = {}
    for name, value in point.items():
        items = pair.used.get(name, two)
        i = ends[name]
        parts = _parts_of(name, point, pair, weight)
        made[name] = Estimate(
            name=name, value=value, low=i.low, high=i.high, se=i.se, level=asked.level, interval=i.method or None,
            observed=parts[0], expected=parts[1], parts="disagreement", n_items=items.n_items, n_raters=items.n_raters,
            n_annotations=items.n_annotations, coefficient=name, weights=_measured(asked, pools),
            title=TITLES[name].format(x=x, y=y, irr=asked.irr.coefficient.title), by=None, details=details, sampled=asked.sampled,
            warnings=(*i.warnings, *([reasons[name]] if name in reasons and not np.isfinite(value) else [])),
        )  # fmt: skip
    n = pools.n
    only = [int(weight[(n[:, p] > 0) & ~pair.shared].sum()) for p in (pair.a, pair.b)]
    said = list(pools.warnings)
    made["kappa_x"] = replace(made["kappa_x"], warnings=(*made["kappa_x"].warnings, *said))
    return CrossReliability(
        pools=(x, y), n_shared=int(weight[pair.shared].sum()), n_only_x=only[0], n_only_y=only[1],
        irr=asked.irr.coefficient.name, irr_items=asked.irr_items, trusted=asked.trusted, slice=at,
        warnings=tuple(said), **made,
    )  # fmt: skip


def _parts_of(name: str, point: dict[str, float], pair: Pair, weight: Array) -> tuple[float, float]:
    """Observed and expected disagreement, of coefficients that have them."""
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


def _reasons(pair: Pair, point: dict[str, float], x: str, y: str, two: Items, pools: Pools) -> dict[str, str]:
    """Why a figure is undefined, for those that are."""
    why = dict(pair.why)
    if len(two.weight) and not np.isfinite(point["kappa_x"]):
        why["kappa_x"] = undefined(two, replace(REGISTRY["cohen"], name="kappa_x"))
    for side in ("irr_x", "irr_y"):
        if not np.isfinite(point[side]) and side not in why:
            why[side] = undefined(pair.used[side], REGISTRY["krippendorff"])
    for name, sides in (
        ("normalized", ("irr_x", "irr_y")), ("normalized_by_x", ("irr_x",)), ("normalized_by_y", ("irr_y",)),
        ("difference", ("irr_x", "irr_y")), ("difference_x", ("irr_x",)), ("difference_y", ("irr_y",)),
    ):  # fmt: skip
        for side in sides:
            pool = x if side == "irr_x" else y
            if not np.isfinite(point[side]):
                why.setdefault(name, f"the IRR of {pool} is undefined: {why[side]}")
            elif point[side] <= 0 and name.startswith("normalized"):
                why.setdefault(
                    name, f"the IRR of {pool} is {point[side]:.4f}: it has no root, and nothing to normalise by"
                )
        why.setdefault(name, "kappa_x is undefined")
    why.setdefault(
        "rho",
        "the item means of a pool do not vary, or are not reliable at all (ICC of 0 or less, or one label an item)",
    )
    return why
