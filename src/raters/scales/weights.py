"""Agreement weights: 1 for equal labels, less for others. One function and one row each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from raters.errors import UsageError
from raters.plugins import Registry
from raters.scales.comparison import DENSE, Array, Kernel, LabelComparison, Pairwise, own_matrix
from raters.scales.distances import circular_distance, gap, ratio_distance
from raters.scales.features import around, circular_features, interval_features, ratio_features
from raters.scales.sets import SIMILARITIES

Weights = str | Sequence[Sequence[float]] | Array | Pairwise


def _scaled(difference: Array) -> Array:
    """Turn distances into agreement in [0, 1]: 1 - d / max d."""
    top = difference.max(initial=0.0)
    return np.asarray(1 - difference / top if top > 0 else np.ones_like(difference))


def linear(x: Array) -> Array:
    """1 - |a - b| / (max - min)."""
    return _scaled(gap(x))


def quadratic(x: Array) -> Array:
    """1 - (a - b)^2 / (max - min)^2."""
    return _scaled(gap(x) ** 2)


def radical(x: Array) -> Array:
    """1 - sqrt|a - b| / sqrt(max - min)."""
    return _scaled(np.sqrt(gap(x)))


def ordinal(x: Array) -> Array:
    """1 - C(d + 1, 2) / max, d = difference in positions; only the order of the labels counts."""
    position = np.empty(len(x))
    position[np.argsort(x, kind="stable")] = np.arange(len(x))
    d = gap(position)
    return _scaled(d * (d + 1) / 2)


def ratio(x: Array) -> Array:
    """1 - ((a - b) / (a + b))^2 / ((max - min) / (max + min))^2."""
    top, low = x.max(), _not_negative(x)
    edge = ((top - low) / (top + low)) ** 2 if top + low > 0 else 0.0
    return 1 - ratio_distance(x) / edge if edge > 0 else np.ones((len(x), len(x)))


def _not_negative(x: Array) -> float:
    low = float(x.min())
    if low < 0:
        raise UsageError(f"ratio weights need labels of 0 or more; the smallest is {low:g}. Use weights='quadratic'.")
    return low


def circular(x: Array, period: float | None = None) -> Array:
    """1 - sin^2(pi (a - b) / U) / max, U = the period (max - min + 1 by default)."""
    return _scaled(circular_distance(x, period))


def bipolar(x: Array) -> Array:
    """1 - (a - b)^2 / ((a + b - 2 min)(2 max - a - b)) / max: differences count more at the poles."""
    both = x[:, None] + x[None, :]
    d = gap(x) ** 2
    room = (both - 2 * x.min()) * (2 * x.max() - both)
    return _scaled(np.where(d == 0, 0.0, d / np.where(d == 0, 1.0, room)))


def identity(x: Array) -> Array:
    """1 for equal labels, else 0."""
    return np.asarray((gap(x) == 0).astype(float))


def quadratic_features(x: Array) -> Kernel:
    """Quadratic weights of very many values."""
    return _agreement(interval_features(x), float(x.max() - x.min()) ** 2)


def ratio_weight_features(x: Array) -> Kernel:
    """Ratio weights of very many values."""
    low, high = _not_negative(x), float(x.max())
    return _agreement(ratio_features(x), ((high - low) / (high + low)) ** 2)


def circular_weight_features(x: Array, period: float | None = None) -> Kernel:
    """Circular weights of very many values."""
    return _agreement(circular_features(x, period), _widest(x, around(x, period)))


def _agreement(d: Kernel, top: float) -> Kernel:
    """1 - d / top, where the first feature is 1 for every label."""
    if d.form is None:
        raise TypeError("features have a form")
    form = -d.form / top
    form[0, 0] += 1.0
    return Kernel(d.name, 1.0, form, d.features)


def _widest(values: Array, turn: float) -> float:
    """The largest sin^2 distance between two values: each is tried with those nearest to half a turn away."""
    x = np.sort(values % turn)
    at = np.searchsorted(x, x + turn / 2)
    near = np.stack([x[np.clip(at + shift, 0, len(x) - 1)] for shift in (-1, 0)])
    return float((np.sin(np.pi * (near - x) / turn) ** 2).max())


WEIGHTS: Mapping[str, LabelComparison] = Registry(
    (
        LabelComparison("identity", identity, of="any", by_band=True),
        LabelComparison("linear", linear, by_band=True),
        LabelComparison("quadratic", quadratic, quadratic_features, by_band=True),
        LabelComparison("ordinal", ordinal, by_band=True),
        LabelComparison("radical", radical, by_band=True),
        LabelComparison("ratio", ratio, ratio_weight_features),
        LabelComparison("circular", circular, circular_weight_features, turns=True),
        LabelComparison("bipolar", bipolar),
    ),
    "raters.weights",
    LabelComparison,
)
"""Agreement weights by name; another package adds its own under the entry point ``raters.weights``."""
SET_WEIGHTS: Mapping[str, LabelComparison] = {
    name: LabelComparison(name, alike, of="sets") for name, alike in SIMILARITIES.items()
}
"""Weights for sets of labels."""


def agreement_kernel(
    weights: Weights | None,
    values: Array,
    labels: Sequence[Any],
    period: float | None = None,
    dense: int | None = None,
) -> Kernel:
    """The kernel of agreement weights: a name, a matrix in label order, or a function of two labels.

    ``values``: the labels as numbers, or their positions if they are text. Up to ``dense`` labels a matrix is built.
    """
    if weights is None or isinstance(weights, str):
        return _named(
            "identity" if weights is None else weights, values, labels, period, DENSE if dense is None else dense
        )
    matrix = own_matrix(weights, labels, "weights")
    if not np.allclose(np.diag(matrix), 1):
        raise UsageError("weights must be 1 on the diagonal (agreement); for distances pass distance= instead.")
    if matrix.max(initial=1.0) > 1 + 1e-8:
        raise UsageError("no weight may be above 1, which is full agreement; for distances pass distance= instead.")
    return Kernel("own", 1.0, matrix, total=float(matrix.sum()))


def _named(name: str, values: Array, labels: Sequence[Any], period: float | None, dense: int) -> Kernel:
    row = WEIGHTS.get(name) or SET_WEIGHTS.get(name)
    if row is None:
        raise UsageError(
            f"unknown weights {name!r}: choose one of {', '.join(WEIGHTS)}, a matrix or a function "
            f"(for sets of labels {', '.join(SET_WEIGHTS)})."
        )
    if row.equality:
        return Kernel(row.name, 1.0, total=float(len(labels)))
    row.check(labels)
    smooth = row.smooth(values, period) if len(labels) > dense else None
    if smooth is not None:
        return replace(smooth, name=row.name)
    matrix = row.matrix(values, labels, period, "weights")
    return Kernel(row.name, 1.0, matrix, total=float(matrix.sum()))
