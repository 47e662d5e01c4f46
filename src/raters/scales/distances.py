"""Distances: 0 for equal labels, more for others. One function and one row each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from raters.errors import UsageError
from raters.plugins import Registry
from raters.scales.comparison import DENSE, Array, Kernel, LabelComparison, Pairwise, own_matrix
from raters.scales.features import absolute_features, around, circular_features, interval_features, ratio_features
from raters.scales.sets import SIMILARITIES


def gap(x: Array) -> Array:
    """|a - b|."""
    return np.asarray(np.abs(x[:, None] - x[None, :]))


def nominal_distance(x: Array) -> Array:
    """0 for equal labels, else 1."""
    return np.asarray((gap(x) != 0).astype(float))


def interval_distance(x: Array) -> Array:
    """(a - b)^2."""
    return np.asarray(gap(x) ** 2)


def ratio_distance(x: Array) -> Array:
    """((a - b) / (a + b))^2; two zeros are equal."""
    both = x[:, None] + x[None, :]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(both == 0, 0.0, (gap(x) / both) ** 2)


def circular_distance(x: Array, period: float | None = None) -> Array:
    """sin^2(pi (a - b) / U), U = the period (max - min + 1 by default)."""
    d = np.sin(np.pi * gap(x) / around(x, period)) ** 2
    return np.where(d < 1e-30, 0.0, d)


DISTANCES: Mapping[str, LabelComparison] = Registry(
    (
        LabelComparison("nominal", nominal_distance, of="any"),
        LabelComparison("interval", interval_distance, interval_features, squared=True),
        LabelComparison("ratio", ratio_distance, ratio_features),
        LabelComparison("absolute", gap, absolute_features),
        LabelComparison("circular", circular_distance, circular_features, turns=True),
    ),
    "raters.distances",
    LabelComparison,
)
"""Distances by name; another package adds its own under the entry point ``raters.distances``.

Krippendorff's ordinal distance is not one of them: it depends on how often each label was given (:data:`MID_RANKS`).
"""


def _set_distance(name: str) -> LabelComparison:
    alike = SIMILARITIES[name]
    return LabelComparison(name, lambda both, a, b: 1 - alike(both, a, b), of="sets")


SET_DISTANCES: Mapping[str, LabelComparison] = {name: _set_distance(name) for name in SIMILARITIES}
"""Distances between sets of labels: 1 minus each similarity."""


def distance_kernel(
    distance: str | Sequence[Sequence[float]] | Array | Pairwise,
    values: Array,
    labels: Sequence[Any],
    period: float | None = None,
    dense: int = DENSE,
) -> Kernel:
    """The kernel of a distance: a scale's own, a matrix in label order, or a function of two labels. Up to ``dense``
    labels it uses a matrix over one-hot features; beyond, features of the values.
    """
    if not isinstance(distance, str):
        matrix = own_matrix(distance, labels, "distance")
        if not np.allclose(np.diag(matrix), 0) or matrix.min() < 0:
            raise UsageError(
                "a distance must be 0 between equal labels and never negative; for agreement pass weights=."
            )
        return _dense("own", matrix)
    row = distance_row(distance)
    if row is None:
        raise UsageError(
            f"unknown distance {distance!r}: choose {', '.join(DISTANCES)}, a matrix or a function "
            f"(for sets of labels {', '.join(SET_DISTANCES)})."
        )
    if row.equality:
        return Kernel(row.name, 1.0, total=float(len(labels)))
    row.check(labels)
    smooth = row.smooth(values, period) if len(labels) > dense else None
    return smooth or _dense(row.name, row.matrix(values, labels, period, "distance"))


def distance_row(name: str) -> LabelComparison | None:
    """The registry row of a distance."""
    return DISTANCES.get(name) or SET_DISTANCES.get(name)


def _dense(name: str, matrix: Array) -> Kernel:
    return Kernel(name, 0.0, matrix, total=float(matrix.sum()), unit=float(matrix.max(initial=0)) or 1.0)
