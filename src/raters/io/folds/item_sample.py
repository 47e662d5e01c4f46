"""A sample of the items behind a fold, by the hash of their names, which shows whether two folds share items."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from raters.annotations import Annotations

MOST = 1024
"""Approximate number of items in a sample: the rate is halved until no more are expected."""
DIGITS = 16


@dataclass(frozen=True)
class ItemSample:
    """Items whose hash begins with ``level`` zero bits, and in how many of the folds that were added each occurs.

    Which items are sampled depends on their names alone, so that samples of two folds can be compared, added and subtracted.
    """

    level: int = 0
    items: dict[str, int] = field(default_factory=dict)

    def at(self, level: int) -> ItemSample:
        """The sample at a lower rate."""
        limit = threshold(level)
        kept = {h: n for h, n in self.items.items() if limit is None or h < limit}
        return ItemSample(max(level, self.level), kept)

    def __add__(self, other: ItemSample) -> ItemSample:
        a, b = self._level(other)
        made = ItemSample(a.level, dict(sorted((Counter(a.items) + Counter(b.items)).items())))
        while len(made.items) > 2 * MOST:
            made = made.at(made.level + 1)
        return made

    def __sub__(self, other: ItemSample) -> ItemSample | None:
        """The remainder; None if the other is not a part of this."""
        a, b = self._level(other)
        rest = Counter(a.items)
        rest.subtract(b.items)
        if any(n < 0 for n in rest.values()):
            return None
        return ItemSample(a.level, {h: n for h, n in rest.items() if n})

    def shared(self, other: ItemSample) -> tuple[int, int]:
        """How many of the other's sampled items are also here, and how many it has."""
        a, b = self._level(other)
        return len(a.items.keys() & b.items.keys()), len(b.items)

    def _level(self, other: ItemSample) -> tuple[ItemSample, ItemSample]:
        level = max(self.level, other.level)
        return self.at(level), other.at(level)


def threshold(level: int) -> str | None:
    """The hash below which items are sampled, in hexadecimal; None if all are."""
    return None if level == 0 else f"{1 << (4 * DIGITS - level):0{DIGITS}x}"


def sampled(ann: Annotations) -> ItemSample | None:
    """The sample of a table's items; None if items are known only by their position."""
    if "item" not in ann.columns:
        return None
    level = max(0, int(np.ceil(np.log2(max(ann.n_items, 1) / MOST))))
    limit = threshold(level)
    name = f"substr(md5(CAST(item AS STRING)), 1, {DIGITS})"
    below = "" if limit is None else f" WHERE h < '{limit}'"
    got: Any = ann.engine.query(
        f"SELECT h FROM (SELECT {name} AS h FROM annotations GROUP BY item) AS hashed{below} ORDER BY h"
    )
    return ItemSample(level, dict.fromkeys(got["h"].tolist(), 1))
