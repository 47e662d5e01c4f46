"""Items that split exactly by group: everyone in one group gives one label, and everyone in the other group another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from raters.agree.camps import CELLS, LABELS, label_codes
from raters.annotations import Annotations

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

    >>> from raters.io import read
    >>> rows = [(i, r, "xy"[(r in "cd") and i < 3]) for i in range(9) for r in "abcd"]
    >>> found = split_items(read(rows, scale="nominal"), ("ab", "cd"))
    >>> found.ways, found.compared, found.by_chance
    ([(('x', 'y'), 3)], 3, 1.0)
    """
    if ann.n_items * ann.n_raters > CELLS or len(ann.labels) > LABELS or ann.scale not in ("nominal", "ordinal"):
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
