"""What accompanies multi-label measures: how raters give labels, the labels they share, and cautions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.estimate import Estimate
from raters.items import Items
from raters.reliability.sets.result import Final, RaterProfile
from raters.reliability.sets.terms import Sets

Array = NDArray[Any]


def said_of(
    e: Estimate, rows: Sequence[Estimate], profiles: Sequence[RaterProfile], ann: Annotations, form: str
) -> Estimate:
    """The warnings for tables in which many labels make a match easy."""
    if e.name not in ("soft_match", "boot_match"):
        return e
    chance = {r.name: r.expected for r in rows}
    said = []
    few, many = min(profiles, key=lambda c: c.mean_size), max(profiles, key=lambda c: c.mean_size)
    if e.name == "soft_match" and chance["boot_match"] - chance["soft_match"] > 0.05:
        said.append(
            f"several labels make a match easier than the measure of shared labels (soft_match) assumes: by chance {chance['boot_match']:.2f} of items "
            f"would match, not {chance['soft_match']:.2f}; report the share of items with a shared label, corrected for chance (boot_match)"
        )
    if form != "pooled" and few.mean_size > 0 and many.mean_size >= 1.5 * few.mean_size:
        said.append(
            f"{many.name} gives {many.mean_size:.2f} labels per annotation, {few.name} {few.mean_size:.2f}: this inflates the "
            "observed match; look at precision and recall, corrected for chance (boot_precision, boot_recall)"
        )
    elif len(ann.members) > 2 and many.mean_size > len(ann.members) / 2:
        said.append(
            f"{many.name} gives more than half of all labels on average, so nearly anything matches; see F1, corrected for chance (boot_f1)"
        )
    return replace(e, warnings=(*e.warnings, *said))


def profiles_of(items: Items, sets: Sets, which: Array) -> tuple[RaterProfile, ...]:
    found = []
    for g, name in enumerate(items.groups):
        at = which[:, g] >= 0
        n = np.bincount(which[at, g], items.weight[at], len(sets.size))
        labels = np.asarray(n @ sets.has)
        sizes = np.bincount(sets.size, n)
        total = max(labels.sum(), 1)
        shares = {label: float(x / total) for label, x in zip(sets.members, labels, strict=True)}
        found.append(
            RaterProfile(str(name), int(n.sum()), {m: float(x / max(n.sum(), 1)) for m, x in enumerate(sizes)}, shares)
        )
    return tuple(found)


def final_of(sets: Sets, which: Array, weight: Array) -> Final:
    """The labels that all raters of an item share, over the items with two or more raters."""
    several = (which >= 0).sum(1) >= 2
    common = in_all(sets, which[several])
    n, w = np.asarray(common.sum(1)).ravel(), weight[several]
    share = (w / np.maximum(n, 1)) @ common
    total = max(float(share.sum()), 1e-300)
    labels = {label: float(x / total) for label, x in zip(sets.members, share, strict=True) if x > 0}
    one, more, none = (int(w[at].sum()) for at in (n == 1, n > 1, n == 0))
    return Final(one, more, none, labels)


def in_all(sets: Sets, which: Array) -> Any:
    """(item, label): 1 if all raters of the item gave the label."""
    counts: Any = 0
    for g in range(which.shape[1]):
        rows = sets.has[np.maximum(which[:, g], 0)].multiply((which[:, g] >= 0)[:, None]).tocsr()
        counts = rows if g == 0 else counts + rows
    out = counts.tocoo()
    full = out.data == (which >= 0).sum(1)[out.row]
    return type(out)((np.ones(int(full.sum())), (out.row[full], out.col[full])), out.shape).tocsr()
