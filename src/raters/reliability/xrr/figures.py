"""From statistics and their intervals to the figures of two pools, with a reason if one is undefined."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.agree.estimating import undefined
from raters.coefficients import REGISTRY
from raters.estimate import Estimate
from raters.inference.intervals import Interval
from raters.items import Items
from raters.reliability.xrr.pools import Pools
from raters.reliability.xrr.request import CrossRequest
from raters.reliability.xrr.result import CrossReliability
from raters.reliability.xrr.statistics import Pair

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


def _reasons(pair: Pair, point: dict[str, float], x: str, y: str, two: Items, pools: Pools) -> dict[str, str]:
    """The reason for each undefined figure."""
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
                    name,
                    f"the IRR of {pool} is {point[side]:.4f}, so its square root, which normalises kappa_x, does not exist",
                )
        why.setdefault(name, "kappa_x is undefined")
    why.setdefault(
        "rho",
        "the item means of a pool do not vary, or are not reliable at all (ICC of 0 or less, or one label per item)",
    )
    return why
