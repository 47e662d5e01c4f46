r"""Do raters fall into two camps that agree within themselves but not with each other?

Raters are split in two by average linkage on how often they give the same label. The statistic is

.. math:: T = \min(w_1, w_2) - b,

the agreement within the less unanimous camp minus the agreement between the camps: a few careless raters do not form a
camp, since they do not agree with each other either. If raters are exchangeable, the labels of an item could equally
well have been permuted among them; p is the share of such permutations, each with its own split, in which T is at least
as large.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.items import fold, python_values
from raters.items.folding import Query

Array = NDArray[Any]
DRAWS = 199
ALPHA = 0.05
RATERS = (4, 30)
CELLS = 1_000_000
LABELS = 50
STREAM = 22
"""A random stream separate from every other use of the seed."""


@dataclass(frozen=True)
class Camps:
    """Two groups of raters, the agreement within each and between them (how often labels are the same)."""

    camps: tuple[tuple[str, ...], tuple[str, ...]]
    within: tuple[float, float]
    between: float
    p: float


def camps(ann: Annotations, seed: int = 0) -> Camps | None:
    """The two camps, if there are any (p at most .05). None also if there are too few or too many raters to test.

    >>> from raters.io.read import read
    >>> rows = [(i, r, "xy"[(i + (r in "de") * (i % 3 == 0)) % 2]) for i in range(30) for r in "abcde"]
    >>> camps(read(rows, scale="nominal")).camps
    (('a', 'b', 'c'), ('d', 'e'))
    """
    if not RATERS[0] <= ann.n_raters <= RATERS[1] or not ann.scale.categories or len(ann.labels) > LABELS:
        return None
    if ann.n_items * ann.n_raters > CELLS:
        return None
    codes, names, _ = label_codes(ann)
    found = _split(codes, len(ann.labels))
    if found is None or not found[0] > 0:
        return None
    rng = np.random.default_rng([seed, STREAM])
    here = codes >= 0
    order = np.argsort(~here, axis=1, kind="stable")
    beyond = 0
    for _ in range(DRAWS):
        drawn = _split(_shuffled(codes, here, order, rng), len(ann.labels))
        beyond += drawn is not None and drawn[0] >= found[0]
        if (1 + beyond) / (1 + DRAWS) > ALPHA:
            return None
    _, side, within, between = found
    groups = [tuple(n for n, s in zip(names, side, strict=True) if s == g) for g in (1, 2)]
    first = int(len(groups[1]) > len(groups[0]))
    both = (groups[first], groups[1 - first])
    return Camps(both, (within[first], within[1 - first]), between, (1 + beyond) / (1 + DRAWS))


def label_codes(ann: Annotations) -> tuple[Array, list[str], list[str]]:
    """(item, rater) codes of labels, -1 if there is none; the raters' names, and the items'."""
    base = Query(ann, group="rater").base
    got = ann.engine.query(f"SELECT item, grp, label FROM ({base}) AS b")
    called, items = np.unique(got["item"].astype(str), return_inverse=True)
    raters = fold(ann, group="rater")[None].groups
    at = {str(name): j for j, name in enumerate(raters)}
    of = np.array([at[str(name)] for name in python_values(got["grp"])])
    place = {key: k for k, key in enumerate(ann.keys.tolist())}
    codes = np.full((len(called), len(raters)), -1)
    codes[items, of] = [place[x] for x in got["label"].tolist()]
    return codes, [str(name) for name in raters], called.tolist()


def _shuffled(codes: Array, here: Array, order: Array, rng: np.random.Generator) -> Array:
    """The labels of each item, permuted among the raters who gave one."""
    keys = np.where(here, rng.random(codes.shape), np.inf)
    drawn = np.take_along_axis(codes, np.argsort(keys, axis=1), axis=1)
    new = np.empty_like(codes)
    np.put_along_axis(new, order, drawn, axis=1)
    return new


def _split(codes: Array, n_labels: int) -> tuple[float, Array, tuple[float, float], float] | None:
    """T, the side of each rater, agreement within both sides and between; None if a side is a single rater."""
    from scipy.cluster.hierarchy import fcluster, linkage  # slow to import, and needed only for few raters
    from scipy.spatial.distance import squareform

    n = codes.shape[1]
    there = (codes >= 0).astype(np.float32)
    shared = there.T @ there
    same = np.zeros((n, n), dtype=np.float32)
    for k in range(n_labels):
        given = (codes == k).astype(np.float32)
        same += given.T @ given
    with np.errstate(invalid="ignore", divide="ignore"):
        agree = np.where(shared > 0, same / shared, np.nan)
    typical = float(np.nanmean(agree[~np.eye(n, dtype=bool)])) if (shared > 0).any() else np.nan
    apart = 1 - np.where(np.isnan(agree), typical, agree)
    np.fill_diagonal(apart, 0.0)
    side = fcluster(linkage(squareform(np.maximum((apart + apart.T) / 2, 0.0), checks=False), "average"), 2, "maxclust")
    sizes = np.bincount(side, minlength=3)[1:]
    if len(sizes) < 2 or sizes.min() < 2:
        return None
    alike = side[:, None] == side[None, :]
    off = ~np.eye(n, dtype=bool)
    within = tuple(float(np.nanmean(agree[alike & off & (side[:, None] == g)])) for g in (1, 2))
    between = float(np.nanmean(agree[~alike]))
    return min(within) - between, side, (within[0], within[1]), between


LEAST = 2
"""Labels that each group needs on an item: a single label is not a common view."""


@dataclass(frozen=True)
class SplitItems:
    """Items on which each of two groups is unanimous, with different labels."""

    items: Mapping[str, tuple[Any, Any]]
    """Item -> the label that each of the two groups gave it."""
    compared: int
    """Items with enough labels from both groups, on which labels differ."""
    by_chance: float
    """How many would split in this way if the labels of an item were assigned to its raters at random."""

    @property
    def ways(self) -> list[tuple[tuple[Any, Any], int]]:
        """The pairs of labels, the most frequent first."""
        return Counter(self.items.values()).most_common()


def split_items(ann: Annotations, groups: Sequence[Sequence[str]]) -> SplitItems | None:
    """Items that split exactly by two groups of raters; None if no item has two labels from each group.

    >>> from raters.io.read import read
    >>> rows = [(i, r, "xy"[(r in "cd") and i < 3]) for i in range(9) for r in "abcd"]
    >>> found = split_items(read(rows, scale="nominal"), ("ab", "cd"))
    >>> found.ways, found.compared, found.by_chance
    ([(('x', 'y'), 3)], 3, 1.0)
    """
    if ann.n_items * ann.n_raters > CELLS or len(ann.labels) > LABELS or not ann.scale.categories:
        return None
    codes, names, items = label_codes(ann)
    at = [[names.index(r) for r in group if r in names] for group in groups]
    one, two = codes[:, at[0]], codes[:, at[1]]
    n_one, n_two = (one >= 0).sum(1), (two >= 0).sum(1)
    enough = (n_one >= LEAST) & (n_two >= LEAST)
    if not enough.any():
        return None
    lowest = np.where(codes >= 0, codes, len(ann.labels))[:, [*at[0], *at[1]]].min(1)
    differ = enough & (np.concatenate([one, two], axis=1).max(1) != lowest)
    found, chance = {}, 0.0
    for i in np.flatnonzero(differ):
        said = [sorted({int(x) for x in part[i] if x >= 0}) for part in (one, two)]
        if len(said[0]) == len(said[1]) == 1:
            found[items[i]] = (ann.labels[said[0][0]], ann.labels[said[1][0]])
        chance += _by_chance([int(x) for x in (*one[i], *two[i]) if x >= 0], int(n_one[i]))
    return SplitItems(found, int(differ.sum()), chance)


def _by_chance(labels: list[int], n: int) -> float:
    """The probability that ``n`` of the labels, drawn at random, are all the same, and so are the rest.

    >>> _by_chance([0, 0, 1, 1], 2), _by_chance([0, 1, 1], 1), _by_chance([0, 0, 0, 1], 2)
    (0.3333333333333333, 0.3333333333333333, 0.0)
    """
    sizes = sorted(Counter(labels).values())
    if len(sizes) != 2 or n not in sizes:
        return 0.0
    return (2 if sizes[0] == sizes[1] else 1) / comb(len(labels), n)
