"""The fold of a matrix in memory: the same patterns in the same order as the SQL of ``fold``, by arithmetic on
codes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.annotations import Annotations
from raters.engines.matrix import MatrixEngine
from raters.engines.patterns import REFUSED, PatternEngine
from raters.errors import UsageError
from raters.io.fold_files.file import PART, codes
from raters.items.bag import WIDE, Items
from raters.items.products import label_unit

Array = NDArray[Any]
LARGEST = 1 << 62


def fold_matrix(ann: Annotations, matrix: MatrixEngine, group: object, moments: bool) -> Items | None:
    """The patterns of a matrix; None if only SQL can fold it."""
    if group is None:
        return _moments(ann, matrix) if moments else _counts(ann, matrix)
    return _by_rater(ann, matrix) if group == "rater" and not moments else None


def _counts(ann: Annotations, matrix: MatrixEngine) -> Items | None:
    """Label counts as the digits of one number for each item, the first label's digit in front."""
    q, base = len(ann.labels), len(matrix.missing) + 1
    if q > WIDE or base**q >= LARGEST:
        return None
    place = base ** np.arange(q - 1, -1, -1, dtype=np.int64)
    found, items = _tally(matrix, range(base - 1), np.append(place[_label_of(ann, matrix)], 0), base**q)
    return Items(items, sparse.csr_array((found[:, None] // place % base).astype(float)), ann.labels)


def _by_rater(ann: Annotations, matrix: MatrixEngine) -> Items | None:
    """One digit for each rater: 0 without a label, and more the earlier the label comes."""
    q, raters = len(ann.labels), matrix.raters
    if q * len(raters) > WIDE or (q + 1) ** len(raters) >= LARGEST:
        return None
    place = (q + 1) ** np.arange(len(raters) - 1, -1, -1, dtype=np.int64)
    digit = np.append(q - _label_of(ann, matrix), 0)
    found, items = _tally(matrix, raters, digit, (q + 1) ** len(raters), place)
    digits = found[:, None] // place % (q + 1)  # (pattern, rater)
    row, rater = np.nonzero(digits)
    counts = sparse.coo_array(
        (np.ones(len(row)), (row, rater * q + q - digits[row, rater])), (len(found), len(raters) * q)
    )
    return Items(items, counts.tocsr(), ann.labels, tuple((raters + 1).tolist()))


def _tally(
    matrix: MatrixEngine, raters: Any, digit: Array, size: int, place: Array | None = None
) -> tuple[Array, Array]:
    """The distinct numbers that items come to, and how many items come to each; items without a label are 0."""
    number = np.zeros(matrix.missing.shape[1], np.int64)
    for i, rater in enumerate(raters):
        number += (digit if place is None else digit * place[i])[matrix.codes[rater]]
    if size <= 4 * len(number):
        items = np.bincount(number)
        found = np.flatnonzero(items)
        items = items[found]
    else:
        found, items = np.unique(number, return_counts=True)
    start = int(found[0] == 0)
    return found[start:], items[start:].astype(float)


def _label_of(ann: Annotations, matrix: MatrixEngine) -> Array:
    """(key,): the position among the labels of each key of the matrix."""
    order = np.argsort(ann.keys)
    return np.asarray(order[np.searchsorted(ann.keys[order], matrix.keys)])


def _moments(ann: Annotations, matrix: MatrixEngine) -> Items:
    """1, x and x^2 summed for each item, x measured from the mean of all labels."""
    unit = label_unit(ann)
    keys, counts = matrix.keys / unit, matrix.counts
    center = float(np.average(keys, weights=counts))
    spread = float(np.average((keys - center) ** 2, weights=counts))
    at = np.flatnonzero(matrix.per_item)
    n, absent, x = matrix.per_item[at], matrix.missing[:, at], matrix.values[:, at] / unit
    mean = np.where(absent, 0.0, x).sum(0) / n
    m2 = np.where(absent, 0.0, (x - mean) ** 2).sum(0)
    order = np.lexsort((m2, mean) if n.min() == n.max() else (m2, mean, n))
    n, d, m2 = n[order].astype(float), mean[order] - center, m2[order]
    sums = np.stack([n, n * d, m2 + n * d**2], -1)
    span = float(keys[-1] - keys[0])
    return Items(np.ones(len(n)), sparse.csr_array(sums), ann.labels, moments=(center, spread, span))


def fold_patterns(
    ann: Annotations, kept: PatternEngine, group: object, by: str | None, moments: bool
) -> dict[Any, Items]:
    """One ``Items`` for every value of ``by``, which distinguishes the folds; other columns are no longer available."""
    if group is not None and group != kept.group:
        raise UsageError(
            f"this fold does not distinguish values of {_column(group)!r}; fold the table with group={_column(group)!r}."
        )
    if by is not None and (by != PART or len(kept.parts) < 2):
        there = f"; by={PART!r} distinguishes the folds" if len(kept.parts) > 1 else ""
        raise UsageError(f"no column {by!r}: {REFUSED[0].lower()}{REFUSED[1:-1]}{there}.")
    q, labels = len(kept.keys), len(ann.keys)
    c = kept.patterns.tocoo()
    merged = group is None and kept.group is not None
    which = np.zeros_like(c.col) if merged else c.col // q
    groups = (None,) if group is None else kept.groups
    columns = which * labels + _label_of_pattern(ann, kept)[c.col % q]
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


def _label_of_pattern(ann: Annotations, kept: PatternEngine) -> Array:
    """(key,): the position among the labels of each label of the fold."""
    place = {key: i for i, key in enumerate(ann.keys.tolist())}
    return np.array([place[key] for key in kept.keys.tolist()], dtype=np.int64)


def _one(
    ann: Annotations, kept: PatternEngine, whole: Items, items: Array, about: tuple[float, float, float] | None
) -> Items:
    """The patterns of one slice, with equal ones merged, in order."""
    at = np.flatnonzero(items)
    part = replace(whole, weight=items[at].astype(float), counts=whole.counts[at])
    made = _ordered(part) if about is None else _moments_of_patterns(ann, part, about)
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


def _moments_of_patterns(ann: Annotations, items: Items, about: tuple[float, float, float]) -> Items:
    """1, x and x^2 summed in each group, x measured from the mean of all labels."""
    x = ann.keys.astype(float) / label_unit(ann) - about[0]
    features = sparse.kron(sparse.eye_array(len(items.groups)), np.stack([np.ones_like(x), x, x**2], -1), format="csr")
    return replace(items, counts=sparse.csr_array(items.counts @ features), moments=about)
