"""How similar a label is to those of the other people on an item, computed exactly so that ties stay ties."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.judges.people_and_judges import Sides
from raters.scales.sets import SIMILARITIES
from raters.scales.sets import similarity as set_similarity

Array = NDArray[Any]
NEAR = 1e-12
"""Relative difference up to which two sums of numbers count as equal, if the numbers are not short decimals."""
DIGITS = 6


def similarity_name(s: Sides, asked: Any) -> Any:
    """The requested similarity, or the default for the scale: match for nominal labels, minus RMSE for numbers and ordered labels."""
    if asked is None:
        return {"nominal": "match", "sets": "jaccard"}.get(s.scale, "rmse")
    known = ("match", "rmse", *SIMILARITIES)
    if callable(asked) or asked in known:
        return asked
    raise UsageError(f"similarity={asked!r} is not known. Use one of {', '.join(known)}, or a function of two labels.")


def likeness(s: Sides, asked: Any) -> Callable[[Array, Array, Array], tuple[Array, Array]]:
    """A function from (item, person, label of a judge) of annotations to how similar the judge and the person are to the others.

    Both are on one scale, larger means more similar, and equal numbers are ties; the values are not meant for display.
    """
    kind = similarity_name(s, asked)
    if kind == "rmse":
        return _by_squares(s)
    if kind == "match":
        return _by_match(s)
    matrix = _matrix(s, kind)

    def alike(item: Array, person: Array, judge: Array) -> tuple[Array, Array]:
        own = s.given[item, person]
        sums = s.counts @ matrix  # (item, label): a label compared with all people of the item
        both = sums[item, judge] - matrix[judge, own], sums[item, own] - matrix[own, own]
        return _tied(*both)

    return alike


def _matrix(s: Sides, kind: Any) -> Array:
    if callable(kind):
        return np.array([[float(kind(a, b)) for b in s.labels] for a in s.labels])
    return set_similarity(kind, s.labels)


def _by_match(s: Sides) -> Callable[[Array, Array, Array], tuple[Array, Array]]:
    def alike(item: Array, person: Array, judge: Array) -> tuple[Array, Array]:
        own = s.given[item, person]
        if len(s.labels) <= 200:
            counts = s.counts.toarray()
            return counts[item, judge] - (judge == own), counts[item, own] - 1
        at = s.counts.tocsr()
        return np.asarray(at[item, judge]).ravel() - (judge == own), np.asarray(at[item, own]).ravel() - 1

    return alike


def _by_squares(s: Sides) -> Callable[[Array, Array, Array], tuple[Array, Array]]:
    x = whole(s.values)
    exact = bool((x == np.floor(x)).all())

    def alike(item: Array, person: Array, judge: Array) -> tuple[Array, Array]:
        n = np.asarray(s.counts.sum(1)).ravel()[item] - 1
        own, f = x[s.given[item, person]], x[judge]
        first, second = (s.counts @ x)[item] - own, (s.counts @ x**2)[item] - own**2
        # n times the mean squared difference, without the part that both share
        both = -(n * f**2 - 2 * f * first), -(n * own**2 - 2 * own * first)
        return both if exact else _tied(*both, np.abs(second) + n * np.maximum(f**2, own**2))

    return alike


def whole(values: Array) -> Array:
    """Short decimals as whole numbers, centred, so that their squares add up exactly; other numbers unchanged."""
    scaled = values * 10.0**DIGITS
    if np.abs(scaled).max(initial=0) < 2**52 and np.allclose(scaled, np.round(scaled), rtol=0, atol=1e-4):
        number = np.round(scaled).astype(np.int64)
        number = number - number[0] if len(number) else number
        step = int(np.gcd.reduce(number)) if number.any() else 1
        small = number // max(step, 1)
        if np.abs(small).max(initial=0) < 2**20:
            return np.asarray(small.astype(float))
    return np.asarray(values - values.mean()) if len(values) else values


def _tied(a: Array, b: Array, size: Array | float = 1.0) -> tuple[Array, Array]:
    near = np.abs(a - b) <= NEAR * np.maximum(size, 1.0)
    return a, np.where(near, a, b)
