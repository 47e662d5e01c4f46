"""Candidates for the next label in order of preference, and how often a rater may be asked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def in_order(parts: list[Array], n: int, most_each: Array | None) -> Array:
    """Candidates, best first; if raters have no limit, only the first ``n``."""
    found = np.concatenate(parts)
    return found[np.argsort(-found[:, 0], kind="stable")][: n if most_each is None else None]


def limited(rater: Array, most: Array) -> Array:
    """Which rows stay if each rater may occur at most ``most`` times; rows are in order of preference."""
    order = np.argsort(rater, kind="stable")
    first = np.searchsorted(rater[order], rater[order])
    kept = np.zeros(len(rater), bool)
    kept[order[np.arange(len(rater)) - first < most[rater[order]]]] = True
    return kept
