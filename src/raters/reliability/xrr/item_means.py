"""Item means of two pools: their correlation, and how reliable the means are (for Spearman's rho_xy)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.coefficients.base import Parts, safe_divide
from raters.inference.statistic import Linear, value_alone
from raters.items import Items
from raters.reliability.variance.components import one_way, one_way_terms, spearman_brown

Array = NDArray[Any]


def numbers(ann: Annotations, labels: tuple[Any, ...]) -> Array | None:
    """(label,): labels as numbers that can be averaged: values, positions of ordered text, or 1 and 0.

    None for three or more labels without an order, and for sets of labels.
    """
    if ann.scale.of_sets:
        return None
    if not ann.scale.equality:
        return ann.keys.astype(float) if ann.numeric else np.arange(1.0, len(labels) + 1)
    return np.array([1.0, 0.0])[: len(labels)] if len(labels) <= 2 else None


def sums(items: Items, of: Array) -> tuple[Array, Array, Array]:
    """(pattern,): the number of labels of an item, their sum and their sum of squares, from a fixed centre; for one
    group.
    """
    if items.moments is not None:
        n, total, squares = items.counts.toarray().T
        return n, total, squares
    margin = np.asarray(items.weight @ items.counts)
    x = of - margin @ of / margin.sum()
    return items.per_item, items.counts @ x, items.counts @ x**2


def correlation(x: Items, y: Items, of: Array) -> Linear:
    """Pearson's correlation of the item means of two pools; all items have equal weight."""
    a, b = (total / n for n, total, _ in (sums(x, of), sums(y, of)))
    terms = np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], -1)

    def function(flat: Array) -> Parts:
        with np.errstate(invalid="ignore", divide="ignore"):
            n, sx, sy, xx, yy, xy = np.moveaxis(flat, -1, 0)
            vx, vy = xx - safe_divide(sx * sx, n), yy - safe_divide(sy * sy, n)
            flat_x, flat_y = vx.real <= 1e-13 * xx.real, vy.real <= 1e-13 * yy.real
            room = np.where(flat_x | flat_y, np.nan, vx * vy)
            return value_alone((xy - safe_divide(sx * sy, n)) / np.sqrt(room))

    return Linear(x.weight, terms, function)


def reliability(items: Items, of: Array) -> Linear:
    """One-way ICC(k) of the item means, with k = k0 if items have unequal numbers of labels."""
    terms = one_way_terms(*sums(items, of))

    def function(flat: Array) -> Parts:
        with np.errstate(invalid="ignore", divide="ignore"):
            found = one_way(flat)
            # no item with two labels, or no variance at all: the reliability of the means is unknown
            empty = (found.df[1].real <= 0) | ((found.between + found.within).real <= 1e-13 * flat[..., 4].real)
            return value_alone(np.where(empty, np.nan, spearman_brown(found.single(), found.k0)))

    return Linear(items.weight, terms, function)


def split_half(items: Items, of: Array) -> Linear:
    r"""The reliability of the item means from halves of each item's labels, averaged over all random splits.

    An item of n labels has halves of h = n // 2. Over all splits, the product of its two half means has the mean of the
    products of two different labels, and the mean square of a half mean is also known, so no split needs to be drawn:

    .. math:: r = \frac{\overline{P} - \bar m^2}{\overline{Q} - \bar m^2}, \quad P = \frac{(\sum x)^2 - \sum x^2}{n (n-1)}, \quad
        Q = \frac{\sum x^2}{n h} + \frac{h - 1}{h} P

    and Spearman and Brown's formula converts from halves to all labels. Items with one label have no halves and are
    excluded.
    """
    n, total, squares = sums(items, of)
    two = n >= 2
    n, h = np.where(two, n, 2), np.where(two, n // 2, 1)
    pair = (total**2 - squares) / (n * (n - 1))
    half = squares / (n * h) + (h - 1) / h * pair
    terms = np.stack([np.ones_like(pair), total / n, pair, half, n, h], -1) * two[:, None]

    def function(flat: Array) -> Parts:
        with np.errstate(invalid="ignore", divide="ignore"):
            count, mean, product, square, labels, halves = np.moveaxis(flat, -1, 0)
            centre = safe_divide(mean, count) ** 2
            spread = safe_divide(square, count) - centre
            room = np.where(spread.real > 1e-13 * np.abs(square.real), spread, np.nan)
            r = (safe_divide(product, count) - centre) / room
            return value_alone(spearman_brown(r, safe_divide(labels, halves)))

    return Linear(items.weight, terms, function)


MEANS = {"icc": reliability, "split_half": split_half}
"""How the reliability of item means is estimated: by variance components, or by halves of each item's labels."""
