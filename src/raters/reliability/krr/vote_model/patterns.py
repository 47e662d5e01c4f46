"""Every table of labels that items like these could have shown, and how likely each is under a mixing distribution."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.reliability.krr.vote_model.simplex import chances, lattice

Array = NDArray[Any]
MOST_PATTERNS = 5_000


@dataclass(frozen=True)
class Patterns:
    """All patterns with as many labels as the items have, grouped by size."""

    counts: Array
    """(pattern, label)."""
    size: Array
    """(pattern,): the index of its number of labels."""
    items: Array
    """(size,): how many items have that many labels."""

    def chances(self, support: Array, mixing: Array) -> Array:
        """(pattern,): the probability of each among those of its size."""
        f = chances(self.counts, support) @ mixing
        return np.asarray(f / np.bincount(self.size, f)[self.size])

    def drawn(self, chances: Array, times: int, rng: np.random.Generator) -> Array:
        """(table, pattern): how many items show each pattern, in tables drawn with these probabilities."""
        found = np.zeros((times, len(self.size)))
        for i, n in enumerate(self.items):
            at = np.flatnonzero(self.size == i)
            found[:, at] = rng.multinomial(int(n), chances[at] / chances[at].sum(), times)
        return found

    def observed(self, counts: Array, weight: Array) -> Array:
        """(pattern,): the same for the data."""
        place = {tuple(row): i for i, row in enumerate(self.counts.tolist())}
        found = np.zeros(len(self.size))
        found[[place[tuple(row)] for row in counts.astype(np.int64).tolist()]] = weight
        return found


def patterns_of(counts: Array, weight: Array) -> Patterns | None:
    """The patterns that items with as many labels as these can show; None if there are too many to enumerate."""
    sizes, which = np.unique(counts.sum(1).astype(np.int64), return_inverse=True)
    q = counts.shape[1]
    if sum(comb(int(n) + q - 1, q - 1) for n in sizes) > MOST_PATTERNS:
        return None
    each = [lattice(q, int(n)) for n in sizes]
    return Patterns(
        np.concatenate(each), np.repeat(np.arange(len(sizes)), [len(x) for x in each]), np.bincount(which, weight)
    )
