"""How many items a second pool must label for a given width of normalised kappa_x."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from raters.annotations import Annotations
from raters.errors import DataError, UsageError
from raters.estimate import Estimate, EstimateTable
from raters.io.any_table import Source, table
from raters.io.read import read
from raters.items.align import items_by_name
from raters.items.folding import check_repeats
from raters.notes.note import Note
from raters.options import asks
from raters.reliability.xrr.result import CrossReliability
from raters.reliability.xrr.xrr import xrr


@asks()
def plan_replication(
    x: Source,
    y: Source | None = None,
    *,
    width: float = 0.2,
    margin: float | None = None,
    power: float = 0.8,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> EstimateTable:
    """Plan how many items a second pool should label for an interval of normalised kappa_x no wider than ``width``.

    ``y``: labels that the second pool has already given (a pilot). Without it, the labels of ``x`` are divided into two
    pools, which assumes that the second pool will be like the first. ``margin``: also plan how many items are needed to
    show, with the given ``power``, that normalised kappa_x is at least this, if its true value is the one estimated
    here. Widths shrink with the square root of the number of items.

    >>> from raters.io.read import read
    >>> pools = [read([(i, f"{p}{j}", "abb"[(i % 3 + (i * j + n) % 7) // 4]) for i in range(60) for j in (1, 2, 3)]) for n, p in enumerate("xy")]
    >>> [e.name for e in plan_replication(*pools, width=0.3, resamples=200)]
    ['items for width 0.3']
    """
    for name, v in (("width", width), ("power", power), ("level", level)):
        if not 0 < v < (2 if name == "width" else 1):
            raise UsageError(f"{name}={v:g} is not between 0 and {2 if name == 'width' else 1}.")
    first = table(x)
    said: tuple[Note, ...] = ()
    if y is None:
        one, two = divided(first, seed)
        said = (Note("like_itself"),)
    else:
        one, two = first, table(y)
    found = xrr(one, two, interval="bootstrap", resamples=resamples, seed=seed, level=level)
    return EstimateTable(tuple(_rows(found, width, margin, power, level, said)), of="question")


def divided(ann: Annotations, seed: int) -> tuple[Annotations, Annotations]:
    """The labels of every item with four or more, divided at random into two pools."""
    check_repeats(ann, None, None)
    names, items = items_by_name(ann)
    merged = items.merged()
    rng = np.random.default_rng(seed)
    rows: tuple[list[Any], list[Any]] = ([], [])
    for i, name in enumerate(names):
        row = merged.counts[[i]].tocoo()
        codes = np.repeat(row.col, row.data.astype(int))
        if len(codes) < 4:
            continue
        codes = rng.permutation(codes)
        for side, part in enumerate((codes[: len(codes) // 2], codes[len(codes) // 2 :])):
            rows[side].extend((name, f"{'xy'[side]}{j}", ann.labels[c]) for j, c in enumerate(part))
    if not rows[0]:
        raise DataError(
            "no item has four labels, so one pool cannot be divided into two; also pass labels of the second pool (a"
            " pilot)."
        )
    how: Any = {"scale": ann.scale} | ({} if ann.scale.of_sets else {"labels": list(ann.labels)})
    return read(rows[0], **how), read(rows[1], **how)


def _rows(
    found: CrossReliability, width: float, margin: float | None, power: float, level: float, said: tuple[Note, ...]
) -> list[Estimate]:
    e, n = found.normalized, found.n_shared
    se = (e.high - e.low) / (
        2 * float(special.ndtri((1 + level) / 2))
    )  # a few outlying replicates dominate a ratio's own standard error
    z = float(special.ndtri((1 + level) / 2))
    common: dict[str, Any] = {"n_items": n, "coefficient": "normalized", "level": level}
    if not (math.isfinite(e.value) and se > 0):
        why = (*said, e.undefined or Note("no_standard_error_between"))
        return [Estimate(f"items for width {width:g}", math.nan, title="items", notes=why, **common)]
    rows = [
        Estimate(
            "normalized",
            e.value,
            e.low,
            e.high,
            e.se,
            interval=e.interval,
            title="normalised kappa between the pools in the pilot",
            notes=said,
            **common,
        ),
        Estimate(
            f"items for width {width:g}",
            float(max(2, math.ceil(n * (2 * z * se / width) ** 2 - 1e-9))),
            title=(
                "items that both pools label, for an interval of the normalised kappa between the pools of width"
                f" {width:g}"
            ),
            notes=said,
            details={"width": width, "counts": True},
            **common,
        ),
    ]
    if margin is not None:
        gap = e.value - margin
        both = z + float(special.ndtri(power))
        needed = float(math.ceil(n * (both * se / gap) ** 2)) if gap > 0 else math.nan
        why = (
            said
            if gap > 0
            else (
                *said,
                Note("not_above_margin", {"value": e.value}),
            )
        )
        rows.append(
            Estimate(
                f"items to show {margin:g}",
                needed,
                title=(
                    f"items that show a normalised kappa between the pools of at least {margin:g} with power"
                    f" {power:.0%}"
                ),
                notes=why,
                details={"margin": margin, "power": power, "counts": True},
                **common,
            )
        )
    return rows
