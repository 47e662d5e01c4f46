"""Whole items are held out: which are dealt to which fold, without regard to names or to the order of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.choosing.cells import Cells

Array = NDArray[Any]
FOLDS = 5
STEPS = 8
"""Steps in which a component learns again without the items of a fold."""
ROUNDS = 4
DIGITS = 9


def keys(c: Cells) -> Array:
    """(item,): a number that depends on who labelled an item and how, on nothing else; items that have the same labels
    of the same raters have the same.

    Items, raters and labels take turns: each is known by those it met.
    """
    item = np.bincount(c.item, c.weight, c.n_items)
    rater, label = c.over_raters(c.weight), np.bincount(c.label, c.weight, c.n_labels)
    for _ in range(ROUNDS):
        cell = mixed(rater[c.rater] * 3 + label[c.label] * 7 + item[c.item])
        item, rater, label = (
            mixed(np.bincount(at, cell, n) + 5 * old)
            for at, n, old in ((c.item, c.n_items, item), (c.rater, c.n_raters, rater), (c.label, c.n_labels, label))
        )
    return np.asarray(np.round(item, DIGITS))


def mixed(x: Array) -> Array:
    """Numbers between 0 and 1, unlike for unlike x."""
    return np.asarray(np.round(np.mod(np.round(x, DIGITS) * 0.754877666, 1) * 61.8033989 % 1, DIGITS))


def dealt(c: Cells, n: int = FOLDS) -> tuple[Array, Array]:
    """(item,): the fold, and a number of the items that are alike (which get the same evidence)."""
    _, alike = np.unique(keys(c), return_inverse=True)
    place = np.empty(c.n_items, int)
    place[np.argsort(alike, kind="stable")] = np.arange(c.n_items)
    return place % n, np.asarray(alike)


def shared_evidence(logs: Array, alike: Array) -> Array:
    """(..., item): the mean over items that are alike."""
    size = np.bincount(alike)
    return np.stack([np.bincount(alike, row) / size for row in logs.reshape(-1, len(alike))])[:, alike].reshape(
        logs.shape
    )
