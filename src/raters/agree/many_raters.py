"""Agreement of every rater with the others, for thousands of raters at once, without intervals and without a bag for
each.

A rater contributes a pattern: their own label and the labels of the others on the item. There are few different
patterns, so the engine counts how often each rater has each one, and the coefficient of every rater is one row of
weights over the same patterns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.agreement_spec import request
from raters.agree.estimating import entering, kernel_of, statistic
from raters.annotations import Annotations
from raters.coefficients import DEFAULT
from raters.engines.patterns import Packing, in_order
from raters.errors import UsageError
from raters.items import Items
from raters.items.bag import WIDE
from raters.items.folding import Query, check_repeats

Array = NDArray[Any]
MOST_NUMBERS = 10_000_000
"""Weights of raters over patterns processed at a time."""


@dataclass(frozen=True)
class RaterValues:
    """The coefficient of each rater with the others, and how many items they labelled."""

    raters: tuple[Any, ...]
    value: Array
    """(rater,): nan if nothing can be compared."""
    n_items: Array
    """(rater,)"""


def countable(ann: Annotations) -> bool:
    """Whether patterns are few enough to be counted for each rater: few labels, and at most one per rater and item."""
    return (
        0 < len(ann.labels) <= WIDE
        and ann.n_raters > 1
        and _packing(ann).possible
        and not (ann.repeats and ann.duplicates == "keep")
        and not ann.scale.of_sets
    )


def rater_values(ann: Annotations) -> RaterValues:
    """The figures of ``per_rater(ann, interval=None)``, by one query.

    >>> from raters import examples, per_rater
    >>> ann = examples.four_raters()
    >>> ours, theirs = rater_values(ann), per_rater(ann, interval=None)
    >>> bool(np.allclose(ours.value, [e.value for e in theirs])), ours.n_items.tolist() == [e.n_items for e in theirs]
    (True, True)
    """
    if not countable(ann):
        raise UsageError(
            "rater_values takes tables with few labels in which each rater labels an item once; otherwise use"
            " per_rater."
        )
    check_repeats(ann, "rater", None)
    req = request(DEFAULT, interval=None)
    kernel = kernel_of(req, ann)
    raters, rater, which, rows, n = _counted(ann)
    patterns = Items(np.ones(len(rows)), _two_groups(rows, len(ann.labels)), ann.labels, ("rater", "others"))
    used = entering(req, patterns, kernel)
    stat = statistic(req, used, kernel, len(ann.labels))
    place = np.full(len(rows), -1)
    place[np.flatnonzero(rows[:, 1:].sum(1) > 0)] = np.arange(len(used.weight))
    weights = sparse.coo_array((n, (rater, which)), (len(raters), len(rows))).tocsr()[:, place >= 0]
    value = np.concatenate([stat.parts(part).value for part in _dense_parts(weights)])
    return RaterValues(raters, value, np.bincount(rater, n, len(raters)).astype(int))


def _packing(ann: Annotations) -> Packing:
    return Packing(1, len(ann.labels), int(ann.per_item[2]).bit_length())


def _counted(ann: Annotations) -> tuple[tuple[Any, ...], Array, Array, Array, Array]:
    """Raters; the rater and the pattern of each combination that occurs; (pattern, own label and counts of the others);
    and how often it occurs.
    """
    packing, query, plain = _packing(ann), Query(ann, group="rater"), Query(ann)
    names = [f"w{i}" for i in range(packing.words)]
    weights = packing.label_weights()
    whole, tables = plain.coded(", ".join(f"label_codes.{p}" for p in weights), {"label": weights})
    rows, more = query.coded("label_codes.code AS k")
    of_item = f"SELECT item, {', '.join(packing.sums())} FROM ({whole}) AS r GROUP BY item"
    got = query.run(
        f"SELECT g, k, {', '.join(names)}, count(*) AS n FROM ({rows}) AS a JOIN ({of_item}) AS i ON a.item = i.item "
        f"GROUP BY g, k, {', '.join(names)}",
        {**more, **tables},
    )
    own, words = got["k"].astype(np.int64), np.stack([got[name] for name in names], -1)
    order = in_order(own, words)
    same = (np.diff(own[order]) == 0) & (np.diff(words[order], axis=0) == 0).all(1)
    new = np.concatenate([[True], ~same])
    first = order[new]
    others = packing.counts(words[first])
    others[np.arange(len(first)), own[first]] -= 1
    rater, n = got["g"][order].astype(np.int64), got["n"][order].astype(float)
    return query.groups, rater, np.cumsum(new) - 1, np.column_stack([own[first], others]), n


def _two_groups(rows: Array, k: int) -> sparse.csr_array:
    """(pattern, group * label): the rater's one label, then the counts of the others."""
    mine = np.zeros((len(rows), k))
    mine[np.arange(len(rows)), rows[:, 0]] = 1
    return sparse.csr_array(np.hstack([mine, rows[:, 1:]]))


def _dense_parts(weights: sparse.csr_array) -> Iterator[Array]:
    step = max(1, MOST_NUMBERS // max(weights.shape[1], 1))
    for i in range(0, weights.shape[0], step):
        yield weights[i : i + step].toarray()
