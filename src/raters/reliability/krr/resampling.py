"""Replications of an aggregate by drawing: from two datasets, from halves of one, or with replacement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.agreement_spec import Request
from raters.agree.estimating import squared
from raters.annotations import Annotations
from raters.errors import DataError, UsageError
from raters.inference.statistic import Statistic
from raters.items import Items, fold
from raters.items.folding import check_repeats
from raters.models.base.votes import Votes
from raters.models.families.registry import names
from raters.models.fitting.fit import fit
from raters.reliability.krr.aggregates import Aggregate, answers, as_labels, distinct, of_labels, of_pairs, of_values

Array = NDArray[Any]
Drawn = Callable[[int, np.random.Generator], tuple[Array, Array]]
"""How many draws -> two arrays (draw * unit, rating) of label codes."""
Draw = Callable[["Bags"], Drawn]
LABELS_DRAWN = 4_000_000
MOST_DRAWS = 10_000
ROWS = 2_000_000
DENSE = 2_000_000
"""Largest number of cells for which shares are counted in a dense table."""
BATCHES = 20
"""Batches of draws from which the Monte Carlo error is estimated."""


@dataclass(frozen=True)
class Bags:
    """The labels of every pattern as a row: row u holds ``size[u]`` codes, then padding."""

    weight: Array
    codes: Array
    """(unit, most): label codes."""
    size: Array

    def without(self, m: int, draws: int, rng: np.random.Generator) -> Array:
        """(draw, unit, m): m labels of each unit without replacement; each half of them is a random subset."""
        low = np.uint64((1 << int(self.codes.max(initial=0)).bit_length()) - 1)
        key = rng.integers(0, 2**64, (draws, *self.codes.shape), dtype=np.uint64)
        key &= ~low  # random numbers that carry their code in the lowest bits: sorting them shuffles the codes
        key |= self.codes.astype(np.uint64)
        key[:, np.arange(self.codes.shape[1]) >= self.size[:, None]] = np.uint64(2**64 - 1)
        key.sort(-1)
        return np.asarray((key[..., :m] & low).view(np.int64))

    def again(self, m: int, draws: int, rng: np.random.Generator) -> Array:
        """(draw, unit, m): m labels of each unit with replacement."""
        at = (rng.random((draws, len(self.codes), m)) * self.size[:, None]).astype(np.int64)
        return np.asarray(np.take_along_axis(np.broadcast_to(self.codes, (draws, *self.codes.shape)), at, -1))


def bags(items: Items, least: int) -> Bags:
    """The patterns that have at least ``least`` labels."""
    items = items.merged()
    kept = items.where(np.flatnonzero(items.per_item >= least))
    size = kept.per_item.astype(np.int64)
    codes = np.zeros((len(size), int(size.max(initial=1))), np.int64)
    codes[np.arange(codes.shape[1]) < size[:, None]] = np.repeat(kept.counts.indices, kept.counts.data.astype(np.int64))
    return Bags(kept.weight, codes, size)


def by_size(b: Bags) -> Iterator[tuple[Array, Bags]]:
    """Units in groups of similar size, so that padding never exceeds half."""
    level = np.ceil(np.log2(b.size))
    for value in np.unique(level):
        at = np.flatnonzero(level == value)
        yield at, Bags(b.weight[at], b.codes[at, : int(b.size[at].max())], b.size[at])


def read_items(ann: Annotations) -> Items:
    """Every item's labels, with equal patterns merged: the fold that agreement is computed from."""
    check_repeats(ann, None, None)
    return fold(ann)[None]


def split(items: Items, k: int) -> tuple[Bags, Draw]:
    """Two disjoint draws of k labels of the same item."""

    def drawn(b: Bags) -> Drawn:
        def pair(draws: int, rng: np.random.Generator) -> tuple[Array, Array]:
            both = b.without(2 * k, draws, rng).reshape(-1, 2 * k)
            return both[:, :k], both[:, k:]

        return pair

    return bags(items, 2 * k), drawn


def once(items: Items, k: int) -> tuple[Bags, Draw]:
    """One draw of k labels of each item, returned twice."""

    def drawn(b: Bags) -> Drawn:
        def pair(draws: int, rng: np.random.Generator) -> tuple[Array, Array]:
            one = b.without(k, draws, rng).reshape(-1, k)
            return one, one

        return pair

    return bags(items, k), drawn


def resampled(items: Items, k: int) -> tuple[Bags, Draw]:
    """Two draws of k labels of the same item, each with replacement."""

    def drawn(b: Bags) -> Drawn:
        def pair(draws: int, rng: np.random.Generator) -> tuple[Array, Array]:
            return b.again(k, draws, rng).reshape(-1, k), b.again(k, draws, rng).reshape(-1, k)

        return pair

    return bags(items, 1), drawn


def statistic_of(
    req: Request, ann: Annotations, agg: Aggregate, b: Bags, drawn: Draw, draws: int | None, seed: int
) -> tuple[Statistic, dict[str, Any]]:
    """The coefficient between the two replications as a function of the units' weights; the number of draws, and their
    error.
    """
    parts, n = answered_pairs(ann, agg, b, drawn, draws, seed)
    error = drawing_error(req, ann, agg, b.weight, parts)
    return collected(req, ann, agg, b.weight, parts), {"draws": n, "drawing_error": error}


def statistic_alone(
    req: Request, ann: Annotations, agg: Aggregate, b: Bags, drawn: Draw, draws: int | None, seed: int
) -> Statistic:
    """The same for bootstrap replicates, from a quarter of the draws: their error is negligible compared with that of
    resampling items.
    """
    parts, _ = answered_pairs(ann, agg, b, drawn, draws, seed, fewer=4)
    return collected(req, ann, agg, b.weight, parts)


def drawing_error(
    req: Request, ann: Annotations, agg: Aggregate, weight: Array, parts: list[tuple[Array, Array, Array]]
) -> float:
    """The Monte Carlo standard error of the figure, from the figures of equal batches of draws."""
    draws = len(parts[0][1])
    shares = min(BATCHES, draws)
    if shares < 2:
        return float("nan")
    ends = np.linspace(0, draws, shares + 1).astype(int)
    if _numbers(ann, agg) and squared(req, ann):
        cut = [[(at, a[low:high], b[low:high]) for at, a, b in parts] for low, high in pairwise(ends)]
        found = [collected(req, ann, agg, weight, each) for each in cut]
        values = np.array([float(stat.parts(stat.weight[None]).value[0]) for stat in found])
    else:
        a, b = _both(ann, agg, weight, parts)
        if _numbers(ann, agg):
            ann, a, b = as_labels(ann, a, b)
        shown = _shown(ann, a, b)
        n, size = len(shown.pairs), np.diff(ends)
        batch = np.repeat(np.arange(shares), size)[shown.draw]
        each = np.bincount(batch * n + shown.which, weight[shown.unit] / size[batch], shares * n).reshape(shares, n)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = of_pairs(req, ann, shown.pairs).parts(each).value
    known = values[np.isfinite(values)]
    return float(known.std(ddof=1) / np.sqrt(len(known))) if len(known) > 1 else float("nan")


def answered_pairs(
    ann: Annotations, agg: Aggregate, b: Bags, drawn: Draw, draws: int | None, seed: int, fewer: int = 1
) -> tuple[list[tuple[Array, Array, Array]], int]:
    """Units in groups, each with the two replications' aggregates, (draw, unit); and the number of draws."""
    most = int(np.clip(LABELS_DRAWN // fewer // max(b.codes.size, 1), 10, MOST_DRAWS // fewer))
    # items of one pattern share its draws, so the pattern needs as many as the items would have had together
    n = most if draws is None else max(draws, min(most, int(draws * b.weight.sum() / max(len(b.weight), 1))))
    rng = np.random.default_rng(seed)
    return [(at, *answered(ann, agg, drawn(some), len(at), n, rng)) for at, some in by_size(b)], n


def answered(
    ann: Annotations, agg: Aggregate, drawn: Drawn, units: int, draws: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """(draw, unit): the two replications' aggregates, a chunk of draws at a time."""
    labels = ann.keys.astype(float) if agg.numbers is not None else _objects(ann)
    one, _ = drawn(1, np.random.default_rng(0))
    step = max(1, ROWS // max(one.size, 1))
    found = []
    for i in range(0, draws, step):
        n = min(step, draws - i)
        found.append([answers(agg, x, labels, rng).reshape(n, units) for x in drawn(n, rng)])
    return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])


def _objects(ann: Annotations) -> Array:
    if ann.numeric:
        return ann.keys.astype(float)
    labels = np.empty(len(ann.labels), object)
    labels[:] = ann.labels
    return labels


def collected(
    req: Request, ann: Annotations, agg: Aggregate, weight: Array, parts: list[tuple[Array, Array, Array]]
) -> Statistic:
    """One statistic of units whose pairs were drawn in groups: (units, a, b), a and b being (draw, unit)."""
    a, b = _both(ann, agg, weight, parts)
    if _numbers(ann, agg):
        return of_values(req, ann, weight, a, b)
    shown, (draws, units) = _shown(ann, a, b), a.shape
    n = len(shown.pairs)
    if units * n <= DENSE:
        counts = np.bincount(shown.unit * n + shown.which, minlength=units * n).reshape(units, n)
        shares = sparse.csr_array(counts / draws)
    else:
        share = np.full(len(shown.which), 1 / draws)
        shares = sparse.coo_array((share, (shown.unit, shown.which)), (units, n)).tocsr()
    return of_labels(req, ann, weight, shares, shown.pairs)


@dataclass(frozen=True)
class _Shown:
    """Pairs of labels (pair, 2); and of each pair that was drawn: which of these, in which draw, of which unit."""

    pairs: Array
    which: Array
    draw: Array
    unit: Array


def _shown(ann: Annotations, a: Array, b: Array) -> _Shown:
    q, (draws, units) = len(ann.labels), a.shape
    kept = (a.ravel() >= 0) & (b.ravel() >= 0)
    pairs, which = distinct((a.ravel().astype(np.int64) * q + b.ravel())[kept], q * q)
    if not len(pairs):
        raise DataError("every vote is tied, and ties='abstain' discards them all: choose another rule for ties.")
    draw, unit = np.repeat(np.arange(draws), units)[kept], np.tile(np.arange(units), draws)[kept]
    return _Shown(np.stack([pairs // q, pairs % q], -1), which, draw, unit)


def _numbers(ann: Annotations, agg: Aggregate) -> bool:
    """Whether aggregates are numbers, which need not be labels."""
    return agg.numbers is not None or (agg.own is not None and ann.scale.amounts)


def _both(
    ann: Annotations, agg: Aggregate, weight: Array, parts: list[tuple[Array, Array, Array]]
) -> tuple[Array, Array]:
    """(draw, unit): both replications of all groups."""
    a, b = (np.empty((len(parts[0][1]), len(weight)), parts[0][i].dtype) for i in (1, 2))
    for at, x, y in parts:
        a[:, at], b[:, at] = x, y
    return (a, b) if agg.own is None else (_coded(ann, a), _coded(ann, b))


def _coded(ann: Annotations, given: Array) -> Array:
    """The result of a user's function, as numbers or as codes of the labels."""
    if ann.scale.amounts:
        return given.astype(float)
    code = {label: i for i, label in enumerate(_objects(ann).tolist())}
    found = given.ravel().tolist()
    unknown = [v for v in dict.fromkeys(found) if v not in code]
    if unknown:
        raise UsageError(f"the aggregate returned {unknown[0]!r}, which is not a label of {ann.source}.")
    return np.array([code[v] for v in found]).reshape(given.shape)


DRAWS = 10


def model_aggregate(name: str, ties: str) -> Aggregate | None:
    """The consensus model of this name as an aggregate; None if there is no such model."""
    if name not in names(numbers=False):
        return None
    return Aggregate(name, ties, table=lambda votes: fit(votes, model=name, restarts=0).codes)


def split_tables(
    req: Request, ann: Annotations, agg: Aggregate, k: int, draws: int | None, seed: int
) -> tuple[Statistic, dict[str, Any]]:
    """Draw two disjoint sets of k labels of each item, with their raters, fit the model to each half, and compute the
    coefficient between them.
    """
    if agg.table is None:
        raise UsageError(f"{agg.name} does not use the whole table.")
    check_repeats(ann, None, None)
    votes = Votes.of(ann)
    times = votes.table.data.astype(np.int64)
    item, rater, label = (np.repeat(x, times) for x in (votes.item_of, votes.rater_of, votes.label_of))
    size = np.bincount(item, minlength=votes.n_items)
    kept = size >= 2 * k
    n, rng = draws or DRAWS, np.random.default_rng(seed)
    units = np.flatnonzero(kept)
    place = np.arange(len(item)) - np.repeat(np.cumsum(size) - size, size)
    a, b = np.full((n, len(units)), -1), np.full((n, len(units)), -1)
    for d in range(n):
        order = np.lexsort((rng.random(len(item)), item))
        for half, low in ((a, 0), (b, k)):
            at = order[(place >= low) & (place < low + k) & kept[item]]
            half[d] = agg.table(_half(votes, units, item[at], rater[at], label[at]))
    weight, parts = np.ones(len(units)), [(np.arange(len(units)), a, b)]
    error = drawing_error(req, ann, agg, weight, parts)
    return collected(req, ann, agg, weight, parts), {"draws": n, "drawing_error": error}


def _half(votes: Votes, units: Array, item: Array, rater: Array, label: Array) -> Votes:
    """These labels of these items, by the raters who gave any of them."""
    who, rater = np.unique(rater, return_inverse=True)
    row = np.searchsorted(units, item)
    raters = [votes.raters[at] for at in who]
    return Votes.of_codes(row, rater, label, labels=votes.labels, items=units.tolist(), raters=raters)
