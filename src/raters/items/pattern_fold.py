"""The fold of folds: stored patterns, in the order in which the SQL of ``fold`` would return them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.annotations import Annotations
from raters.engines.patterns import REFUSED, PatternEngine
from raters.errors import UsageError
from raters.io.fold_files.file import PART, codes
from raters.items.bag import WIDE, Items
from raters.items.units import label_unit

Array = NDArray[Any]


def fold_patterns(
    ann: Annotations, kept: PatternEngine, group: object, by: str | None, moments: bool
) -> dict[Any, Items]:
    """One ``Items`` for every value of ``by``, which distinguishes the folds; other columns are no longer available."""
    if group is not None and group != kept.group:
        raise UsageError(
            f"this fold does not distinguish values of {_column(group)!r}; fold the table with group={_column(group)!r} (--group {_column(group)})."
        )
    if by is not None and (by != PART or len(kept.parts) < 2):
        there = f"; --by {PART} distinguishes the folds" if len(kept.parts) > 1 else ""
        raise UsageError(f"no column {by!r}: {REFUSED[0].lower()}{REFUSED[1:-1]}{there}.")
    q, labels = len(kept.keys), len(ann.keys)
    c = kept.patterns.tocoo()
    merged = group is None and kept.group is not None
    which = np.zeros_like(c.col) if merged else c.col // q
    groups = (None,) if group is None else kept.groups
    columns = which * labels + _label_of(ann, kept)[c.col % q]
    table = sparse.coo_array((c.data, (c.row, columns)), (c.shape[0], labels * len(groups))).tocsr()
    table.sum_duplicates()
    whole = Items(kept.items.sum(0).astype(float), table, ann.labels, groups)
    slices: list[tuple[Any, Array]] = (
        [(None, kept.items.sum(0))] if by is None else list(zip(kept.parts, kept.items, strict=True))
    )
    about = _about(ann, whole) if moments else None
    return {name: _one(ann, kept, whole, items, about) for name, items in slices}


def _column(group: object) -> str:
    return " and ".join(map(str, group)) if isinstance(group, tuple) else str(group)


def _label_of(ann: Annotations, kept: PatternEngine) -> Array:
    """(key,): the position among the labels of each label of the fold."""
    place = {key: i for i, key in enumerate(ann.keys.tolist())}
    return np.array([place[key] for key in kept.keys.tolist()], dtype=np.int64)


def _one(
    ann: Annotations, kept: PatternEngine, whole: Items, items: Array, about: tuple[float, float, float] | None
) -> Items:
    """The patterns of one slice, with equal ones merged, in order."""
    at = np.flatnonzero(items)
    part = replace(whole, weight=items[at].astype(float), counts=whole.counts[at])
    made = _ordered(part) if about is None else _moments(ann, part, about)
    raters = (
        int((np.asarray(part.per_group.sum(0)).ravel() > 0).sum())
        if kept.group == "rater" and len(part.groups) > 1
        else ann.n_raters
    )
    return replace(made, n_raters=raters)


def _ordered(items: Items) -> Items:
    if items.counts.shape[1] <= WIDE:
        return items.compressed()
    rows = codes(items.counts)
    found: dict[tuple[int, ...], int] = {}
    which = np.array([found.setdefault(code, len(found)) for code in rows], np.int64)
    weight = np.bincount(which, items.weight, len(found))
    first = np.unique(which, return_index=True)[1]
    order = sorted(range(len(first)), key=lambda i: rows[first[i]])
    return replace(items, weight=weight[order], counts=items.counts[first[order]])


def _about(ann: Annotations, items: Items) -> tuple[float, float, float]:
    """Mean, variance and span of all labels."""
    x = ann.keys.astype(float) / label_unit(ann)
    n = np.asarray(items.weight @ items.merged().counts)
    center = float(np.average(x, weights=n))
    seen = x[n > 0]
    return center, float(np.average((x - center) ** 2, weights=n)), float(seen.max() - seen.min())


def _moments(ann: Annotations, items: Items, about: tuple[float, float, float]) -> Items:
    """1, x and x^2 summed in each group, x measured from the mean of all labels."""
    x = ann.keys.astype(float) / label_unit(ann) - about[0]
    features = sparse.kron(sparse.eye_array(len(items.groups)), np.stack([np.ones_like(x), x, x**2], -1), format="csr")
    return replace(items, counts=sparse.csr_array(items.counts @ features), moments=about)
