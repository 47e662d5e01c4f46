"""Test whether pools differ at all, by shuffling whole raters between them.

If raters differ in leniency, labels within a pool are alike even without any difference between pools, so labels
must not be shuffled freely: a rater moves with all their labels. Only if no rater labels two items are labels
shuffled within items.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb, factorial, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.agreement_spec import Request
from raters.agree.estimating import kernel_of, rank_kernel
from raters.annotations import Annotations
from raters.items import Items, features, fold
from raters.items.align import align, beside
from raters.notes.note import Note
from raters.reliability.xrr.pools import CrossRequest, Pools
from raters.reliability.xrr.result import CrossReliability, PoolTest
from raters.scales import Kernel

Array = NDArray[Any]
MOST_PAIRS = 300_000_000
"""Largest number of pairs of annotations that are compared."""
ALL_UP_TO = 20_000
"""Up to this many arrangements of the raters of two pools, all are enumerated."""
CELLS = 4_000_000
SHUFFLES = 999


def permuted(
    anns: Sequence[Annotations],
    pool: str | None,
    pools: Pools,
    req: Request,
    permutations: int,
    seed: int,
    only: Sequence[str] | None = None,
) -> PoolTest:
    """The mean disagreement between pools minus that within, and how often shuffled pools show as much.

    Pairs of labels of an item have weight 1 / (labels of the item - 1), so that all annotations count equally.
    ``only``: two of the pools; the others are excluded.
    """
    if not all(ann.n_raters for ann in anns):
        return _none(Note("test_no_names"))
    if pool is None:
        _, parts = align(anns, group="rater")
        items = beside(parts, range(len(parts)))
    else:
        items = fold(anns[0], group=(pool, "rater"))[None]
    of = np.array([_place(pool, g[0], pools.names) for g in items.groups])
    if only is not None:
        of = np.where(np.isin(of, [pools.names.index(name) for name in only]), of, -1)
    if (of < 0).any():  # labels of pools that are not compared are excluded
        kept = np.flatnonzero(of >= 0)
        place = np.full(len(of), -1)
        place[kept] = np.arange(len(kept))
        items, of = items.regrouped(place, [items.groups[g] for g in kept]), of[kept]
    items = _compared(items, of)
    if not len(items.weight):
        return _none(Note("test_no_shared_item"))
    many = int((items.per_item**2).sum())
    if many > MOST_PAIRS:
        return _none(Note("test_too_many_pairs", {"n": many}))
    apart, pairs = _between_raters(items, label_distance(req, pools.meaning, items))
    recur = items.weight @ items.per_group.astype(bool)
    rng = np.random.default_rng(seed)
    if recur.max(initial=0) < 2:
        return _within_items(items, of, apart, pairs, permutations, rng)
    return _whole_raters(of, recur, apart, pairs, permutations, rng)


def shuffled(
    row: CrossReliability,
    test: PoolTest | None,
    anns: Sequence[Annotations],
    pool: str | None,
    pools: Pools,
    asked: CrossRequest,
) -> CrossReliability:
    """The row, with the test of its two pools.

    An interval over items shows only that these raters agree less between than within the pools. Raters of one
    population who differ
    from one another may do so too, which only shuffling shows; so the test is run whenever the sentence would be about
    pools.
    """
    if len(pools.names) == 2 and test is not None:
        return replace(row, test=test)
    if not row.difference.high < 0 or asked.sample != "items":
        return row
    several = row.pools if len(pools.names) > 2 else None
    return replace(
        row, test=permuted(anns, pool, pools, asked.cross, max(asked.permutations, SHUFFLES), asked.seed, several)
    )


def _none(why: Note) -> PoolTest:
    return PoolTest(np.nan, np.nan, np.nan, np.nan, 0, "raters", notes=(why,))


def _place(pool: str | None, name: Any, names: tuple[str, ...]) -> int:
    return int(name) if pool is None else names.index(str(name)) if name is not None and str(name) in names else -1


def _compared(items: Items, of: Array) -> Items:
    """The items with labels from two or more pools."""
    group, pool = np.flatnonzero(of >= 0), of[of >= 0]
    member = sparse.coo_array((np.ones(len(group)), (group, pool)), (len(of), int(of.max()) + 1)).tocsr()
    here = (items.per_group @ member).toarray() > 0
    return items.where(np.flatnonzero(here.sum(1) >= 2))


def label_distance(req: Request, ann: Annotations, items: Items) -> Kernel:
    """The kernel; for ordinal scales, by the mid-ranks of all labels together."""
    return rank_kernel(items.merged()) if req.by_scale and ann.scale.ranks else kernel_of(req, ann)


def _between_raters(items: Items, kernel: Kernel) -> tuple[sparse.csr_array, sparse.csr_array]:
    """(rater, rater): disagreement summed over their pairs of labels of the same item, and the weighted number of these
    pairs.
    """
    s = sparse.coo_array(features(items, kernel))
    n_groups = len(items.groups)
    f = s.shape[1] // n_groups
    weight = np.sqrt(items.weight / np.maximum(items.per_item - 1, 1))
    shape = (n_groups, items.counts.shape[0] * f)
    by = sparse.coo_array((s.data * weight[s.row], (s.col // f, s.row * f + s.col % f)), shape).tocsr()
    other = by if kernel.form is None else _through(by, kernel.form)
    together = (other @ by.T).tocsr()
    n = sparse.diags_array(weight) @ items.per_group
    pairs = (n.T @ n).tocsr()
    for m in (together, pairs):
        m.setdiag(0)
    apart = pairs - together if kernel.perfect else together
    return sparse.csr_array(apart), pairs


def _through(by: sparse.csr_array, form: Any) -> sparse.csr_array:
    """The form applied to the features of each (rater, item)."""
    f = form.shape[0]
    n_items = by.shape[1] // f
    rows = by.tocoo()
    cells, which = np.unique(rows.row.astype(np.int64) * n_items + rows.col // f, return_inverse=True)
    each = sparse.coo_array((rows.data, (which.ravel(), rows.col % f)), (len(cells), f)).tocsr()
    values = each @ form if isinstance(form, np.ndarray) else each.toarray() @ form
    column = (cells % n_items)[:, None] * f + np.arange(f)
    row = np.repeat(cells // n_items, f)
    return sparse.coo_array((np.asarray(values).ravel(), (row, column.ravel())), by.shape).tocsr()


def _statistic(of: Array, apart: sparse.csr_array, pairs: sparse.csr_array) -> tuple[Array, Array]:
    """(arrangement,): mean disagreement between and within pools. ``of``: (arrangement, rater)."""
    inside = [np.zeros(len(of)), np.zeros(len(of))]
    known = (of >= 0).astype(float)
    for p in range(int(of.max()) + 1):
        member = (of == p).astype(float)
        for total, m in zip(inside, (apart, pairs), strict=True):
            total += ((member @ m) * member).sum(-1)
    whole = [((known @ m) * known).sum(-1) for m in (apart, pairs)]
    with np.errstate(invalid="ignore", divide="ignore"):
        return (whole[0] - inside[0]) / (whole[1] - inside[1]), inside[0] / inside[1]


def _whole_raters(
    of: Array,
    recur: Array,
    apart: sparse.csr_array,
    pairs: sparse.csr_array,
    permutations: int,
    rng: np.random.Generator,
) -> PoolTest:
    move = np.flatnonzero((recur > 0) & (of >= 0))
    sizes = np.bincount(of[move])
    sizes = sizes[sizes > 0]
    ways = factorial(len(move)) // prod(factorial(int(n)) for n in sizes) if len(move) <= 60 else ALL_UP_TO + 1
    exact = len(sizes) == 2 and ways <= ALL_UP_TO
    between, within = _statistic(of[None, :], apart, pairs)
    observed = float(between[0] - within[0])
    if not np.isfinite(observed):
        return _none(Note("test_no_raters_within"))
    every = _arrangements(of[move]) if exact else None

    def moved(rows: Array, start: int) -> None:
        rows[:, move] = every[start : start + len(rows)] if every is not None else rng.permuted(rows[:, move], axis=1)

    drawn = _drawn(of, ways if exact else permutations, len(of), moved, apart, pairs)
    lowest = 1 / comb(len(move), int(sizes[0])) * (2 if len(sizes) == 2 and sizes[0] == sizes[1] else 1)
    said = (Note("lowest_p", {"sizes": " and ".join(map(str, sizes)), "p": lowest}),) if lowest > 0.05 else ()
    return _tested(observed, between, within, drawn, "raters", exact, said)


def _arrangements(of: Array) -> Array:
    """Every way to divide the raters into two pools of the same sizes."""
    first, other = np.unique(of)
    chosen = np.array(list(combinations(range(len(of)), int((of == first).sum()))))
    rows = np.full((len(chosen), len(of)), other)
    np.put_along_axis(rows, chosen, first, axis=1)
    return rows


def _within_items(
    items: Items,
    of: Array,
    apart: sparse.csr_array,
    pairs: sparse.csr_array,
    permutations: int,
    rng: np.random.Generator,
) -> PoolTest:
    """Shuffle labels among the pools of their item, since each rater labelled only one item."""
    between, within = _statistic(of[None, :], apart, pairs)
    observed = float(between[0] - within[0])
    if not np.isfinite(observed):
        return _none(Note("test_no_labels_within"))
    cell = items.per_group.tocoo()
    order = np.argsort(cell.row, kind="stable")
    rater, item = cell.col[order], cell.row[order]

    def moved(rows: Array, start: int) -> None:
        # random positions among the cells of an item: items stay in their order
        place = np.argsort(item + rng.random((len(rows), len(item))), axis=1)
        rows[:, rater] = of[rater[place]]

    drawn = _drawn(of, permutations, len(item), moved, apart, pairs)
    return _tested(observed, between, within, drawn, "labels within items", False, ())


def _drawn(
    of: Array,
    total: int,
    cells: int,
    moved: Callable[[Array, int], None],
    apart: sparse.csr_array,
    pairs: sparse.csr_array,
) -> Array:
    """(arrangement,): between minus within. ``moved`` rearranges rows of ``of`` in place, from ``start`` on."""
    found = []
    chunk = max(1, CELLS // cells)
    for start in range(0, total, chunk):
        rows = np.tile(of, (min(chunk, total - start), 1))
        moved(rows, start)
        between, within = _statistic(rows, apart, pairs)
        found.append(between - within)
    return np.concatenate(found)


def _tested(
    observed: float, between: Array, within: Array, drawn: Array, what: str, exact: bool, said: tuple[Note, ...]
) -> PoolTest:
    # arrangements that differ only by rounding count as being as extreme as the observed one
    beyond = int((drawn >= observed - 1e-12 * max(1.0, abs(observed))).sum())
    beyond += int(np.isnan(drawn).sum())
    p = beyond / len(drawn) if exact else (beyond + 1) / (len(drawn) + 1)
    return PoolTest(observed, float(between[0]), float(within[0]), p, len(drawn), what, exact, said)
