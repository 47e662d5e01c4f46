"""Scales, agreement weights and distances: one bilinear form for each.

A *kernel* says how far two labels agree (1 for equal labels) or how far they lie apart (0 for equal
labels). Every kernel here is a bilinear form in features of the labels,

.. math:: k(a, b) = \\varphi(a)^T M \\varphi(b)

so that the sum over all pairs of two bags of labels is the form of the two sums of features. One-hot
features give any matrix of weights; ``(1, x, x^2)`` gives the squared difference; cosine and sine give
circular scales; decaying exponentials give the ratio distance. No table of distinct values is squared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.sets import SIMILARITIES, LabelSet, similarity

Array = NDArray[Any]

SCALES = ("nominal", "ordinal", "interval", "ratio", "circular", "sets")
NUMERIC_SCALES = ("interval", "ratio", "circular")
MAX_MATRIX = 3000
"""Most labels for which a full matrix of weights is built."""
DENSE = 200
"""Up to this many labels a matrix is built also where features of the values would do."""


@dataclass(frozen=True)
class Kernel:
    """How far two labels agree, or lie apart, as a bilinear form in features of the labels."""

    name: str
    perfect: float
    """The kernel of two equal labels: 1 for agreement, 0 for a distance."""
    form: Array | None = None
    """M: (feature, feature); None is the identity."""
    features: Array | None = None
    """(label, feature); None is one-hot."""
    total: float = float("nan")
    """The sum of the kernel over all pairs of labels (Brennan-Prediger and AC2 need it)."""
    unit: float = 1.0
    """What counts as one when a chance term is compared with zero."""

    @property
    def parts(self) -> str:
        """Whether observed and expected are agreement or disagreement."""
        return "agreement" if self.perfect else "disagreement"

    def summed(self) -> Kernel:
        """The same with ``total`` from its features."""
        if self.features is None or self.form is None:
            return self
        every = self.features.sum(0)
        return replace(self, total=float(every @ self.form @ every))

    def product(self, s: Array, t: Array) -> Array:
        """The kernel summed over all pairs of two bags of labels, given their feature sums."""
        return np.asarray((self._times_form(s) * t).sum(-1))

    def _times_form(self, s: Array) -> Array:
        if self.form is None:
            return s
        rows = s.reshape(-1, s.shape[-1])  # one large product, not one for each replicate
        if np.iscomplexobj(rows):
            return np.asarray(rows.real @ self.form + 1j * (rows.imag @ self.form)).reshape(s.shape)
        return np.asarray(rows @ self.form).reshape(s.shape)


def _scaled(difference: Array) -> Array:
    """Turn distances into agreement in [0, 1]: 1 - d / max d."""
    top = difference.max(initial=0.0)
    return np.asarray(1 - difference / top if top > 0 else np.ones_like(difference))


def _gap(x: Array) -> Array:
    return np.asarray(np.abs(x[:, None] - x[None, :]))


def linear(x: Array) -> Array:
    """1 - |a - b| / (max - min)."""
    return _scaled(_gap(x))


def quadratic(x: Array) -> Array:
    """1 - (a - b)^2 / (max - min)^2."""
    return _scaled(_gap(x) ** 2)


def radical(x: Array) -> Array:
    """1 - sqrt|a - b| / sqrt(max - min)."""
    return _scaled(np.sqrt(_gap(x)))


def ordinal(x: Array) -> Array:
    """1 - C(d + 1, 2) / max, d = how many positions apart; only the order of the labels counts."""
    position = np.empty(len(x))
    position[np.argsort(x, kind="stable")] = np.arange(len(x))
    d = _gap(position)
    return _scaled(d * (d + 1) / 2)


def ratio_distance(x: Array) -> Array:
    """((a - b) / (a + b))^2; two zeros are equal."""
    both = x[:, None] + x[None, :]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(both == 0, 0.0, (_gap(x) / both) ** 2)


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
    """1 - sin^2(pi (a - b) / U) / max, U = the period (max - min + 1 if not given)."""
    return _scaled(circular_distance(x, period))


def circular_distance(x: Array, period: float | None = None) -> Array:
    """sin^2(pi (a - b) / U), U = the period (max - min + 1 if not given)."""
    d = np.sin(np.pi * _gap(x) / around(x, period)) ** 2
    return np.where(d < 1e-30, 0.0, d)


def around(x: Array, period: float | None = None) -> float:
    """How many units a circular scale has."""
    return float(period) if period is not None else float(x.max() - x.min() + 1)


def bipolar(x: Array) -> Array:
    """1 - (a - b)^2 / ((a + b - 2 min)(2 max - a - b)) / max: differences count more at the poles."""
    both = x[:, None] + x[None, :]
    d = _gap(x) ** 2
    room = (both - 2 * x.min()) * (2 * x.max() - both)
    return _scaled(np.where(d == 0, 0.0, d / np.where(d == 0, 1.0, room)))


def identity(x: Array) -> Array:
    """1 for equal labels, else 0."""
    return np.asarray((_gap(x) == 0).astype(float))


WEIGHTS: Mapping[str, Callable[[Array], Array]] = {
    "identity": identity,
    "linear": linear,
    "quadratic": quadratic,
    "ordinal": ordinal,
    "radical": radical,
    "ratio": ratio,
    "circular": circular,
    "bipolar": bipolar,
}

Pairwise = Callable[[Any, Any], float]
Weights = str | Sequence[Sequence[float]] | Array | Pairwise


def agreement_kernel(
    weights: Weights | None, values: Array, labels: Sequence[Any], period: float | None = None
) -> Kernel:
    """The kernel of agreement weights: a name, a matrix in label order, or a function of two labels.

    ``values``: the labels as numbers, or their positions where they are text.
    """
    if weights is None or (isinstance(weights, str) and weights == "identity"):
        return Kernel("identity", 1.0, total=float(len(labels)))
    if isinstance(weights, str):
        if weights in SIMILARITIES:
            matrix = similarity(weights, labels)
            return Kernel(weights, 1.0, matrix, total=float(matrix.sum()))
        if weights not in WEIGHTS:
            raise UsageError(
                f"unknown weights {weights!r}: choose one of {', '.join(WEIGHTS)}, a matrix or a function "
                f"(for sets of labels {', '.join(SIMILARITIES)})."
            )
        _single(weights, labels)
        smooth = _smooth(weights, values, period) if len(labels) > DENSE else None
        if smooth is not None:
            return smooth
        _check_size(len(labels), f"weights={weights!r}")
        matrix = circular(values, period) if weights == "circular" else WEIGHTS[weights](values)
        return Kernel(weights, 1.0, matrix, total=float(matrix.sum()))
    matrix = _own(weights, labels, "weights")
    if not np.allclose(np.diag(matrix), 1):
        raise UsageError("weights must be 1 on the diagonal (agreement); for distances pass distance= instead.")
    if matrix.max(initial=1.0) > 1 + 1e-8:
        raise UsageError("no weight may be above 1, which is full agreement; for distances pass distance= instead.")
    return Kernel("own", 1.0, matrix, total=float(matrix.sum()))


def distance_kernel(
    distance: str | Sequence[Sequence[float]] | Array | Pairwise,
    values: Array,
    labels: Sequence[Any],
    period: float | None = None,
    dense: int = DENSE,
) -> Kernel:
    """The kernel of a distance: a scale's own, a matrix in label order, or a function of two labels.

    Up to ``dense`` labels a matrix over one-hot features is built; beyond, features of the values.
    """
    if not isinstance(distance, str):
        matrix = _own(distance, labels, "distance")
        if not np.allclose(np.diag(matrix), 0) or matrix.min() < 0:
            raise UsageError(
                "a distance must be 0 between equal labels and never negative; for agreement pass weights=."
            )
        return _dense("own", matrix)
    if distance == "nominal":
        return Kernel("nominal", 1.0, total=float(len(labels)))
    if distance == "sets" or distance in SIMILARITIES:
        name = "masi" if distance == "sets" else distance
        return _dense(name, 1 - similarity(name, labels))
    _single(distance, labels)
    if distance not in NUMERIC_SCALES:
        raise UsageError(
            f"unknown distance {distance!r}: choose nominal, {', '.join(NUMERIC_SCALES)}, a matrix or a function "
            f"(for sets of labels {', '.join(SIMILARITIES)})."
        )
    if len(labels) > dense:
        return _FEATURES[distance](values, period).summed()
    exact = {
        "interval": _gap(values) ** 2,
        "ratio": ratio_distance(values) if distance == "ratio" else None,
        "circular": circular_distance(values, period) if len(values) else None,
    }[distance]
    return _dense(distance, np.asarray(exact))


def _dense(name: str, matrix: Array) -> Kernel:
    return Kernel(name, 0.0, matrix, total=float(matrix.sum()), unit=float(matrix.max(initial=0)) or 1.0)


def interval_kernel(center: float, spread: float, perfect: float = 0.0, span: float = 1.0) -> Kernel:
    """Squared differences from the features 1, x - center, (x - center)^2.

    ``perfect`` = 0: the distance (a - b)^2. ``perfect`` = 1: the weight 1 - (a - b)^2 / span^2.
    """
    squared = np.array([[0.0, 0, 1], [0, -2, 0], [1, 0, 0]])
    if perfect == 0:
        return Kernel("interval", 0.0, squared, unit=spread or 1.0)
    form = -squared / span**2
    form[0, 0] = 1.0
    return Kernel("quadratic", 1.0, form)


def _interval_features(values: Array, period: float | None = None) -> Kernel:
    center = float(values.mean())
    x = values - center
    plain = interval_kernel(center, float((x**2).mean()))
    return Kernel("interval", 0.0, plain.form, np.stack([np.ones_like(x), x, x**2], -1), unit=plain.unit)


def _circular_features(values: Array, period: float | None = None) -> Kernel:
    # sin^2(t) = (1 - cos 2t) / 2, and cos(a - b) = cos a cos b + sin a sin b
    angle = 2 * np.pi * (values - values.min()) / around(values, period)
    features = np.stack([np.ones_like(angle), np.cos(angle), np.sin(angle)], -1)
    return Kernel("circular", 0.0, np.diag([0.5, -0.5, -0.5]), features)


def _ratio_features(values: Array, period: float | None = None) -> Kernel:
    r"""((a - b)/(a + b))^2 = tanh^2((log a - log b) / 2), in Chebyshev polynomials of the logarithm.

    The distance itself is expanded, so that values close together keep their digits; the error is that of rounding.
    Zero lies at distance 1 from all but zero.
    """
    positive = values[values > 0]
    low, high = (float(positive.min()), float(positive.max())) if len(positive) else (1.0, 1.0)
    center, half = np.sqrt(low) * np.sqrt(high), np.log(high / low) / 2 or 1.0
    form, directions = _tanh_squared(half)
    features = np.zeros((len(values), 3 + len(form)))  # 1, zero or not, positive or not, polynomials
    features[:, 0] = 1.0
    step = max(1, 4_000_000 // len(directions))
    for i in range(0, len(values), step):
        x = values[i : i + step]
        x = np.where(x > 0, x, center)
        at = (np.log1p((x - center) / center) if half < 0.5 else np.log(x / center)) / half
        features[i : i + step, 3:] = chebyshev.chebvander(at, len(directions) - 1) @ directions
    features[:, 1] = values == 0
    features[:, 2] = values > 0
    features[:, 3:] *= features[:, [2]]
    whole = np.zeros((features.shape[1],) * 2)
    whole[1, 2] = whole[2, 1] = 1.0
    whole[3:, 3:] = np.diag(form)
    return Kernel("ratio", 0.0, whole, features, unit=np.tanh(half) ** 2)


def _tanh_squared(half: float) -> tuple[Array, Array]:
    """tanh^2((s - t) / 2) on [-half, half]^2: a diagonal form, and (polynomial, feature) its directions.

    The poles at distance pi set how many polynomials there have to be; few directions then carry the form.
    """
    n = int(np.ceil(40 / np.arcsinh(np.pi / half))) + 4
    if n > 1500:
        raise UsageError("the labels span too many powers of ten for a ratio scale; use another scale, or bin them.")
    angle = np.pi * (np.arange(n) + 0.5) / n
    node = half * np.cos(angle)
    to = 2 / n * np.cos(np.outer(np.arange(n), angle))
    to[0] /= 2
    size, directions = np.linalg.eigh(to @ np.tanh((node[:, None] - node) / 2) ** 2 @ to.T)
    kept = np.abs(size) > 1e-16 * np.abs(size).max()
    return size[kept], directions[:, kept]


_FEATURES: Mapping[str, Callable[[Array, float | None], Kernel]] = {
    "interval": _interval_features,
    "circular": _circular_features,
    "ratio": _ratio_features,
}


def _smooth(weights: str, values: Array, period: float | None) -> Kernel | None:
    """Agreement weights for very many values, where features give them without a matrix."""
    scale = {"quadratic": "interval", "ratio": "ratio", "circular": "circular"}.get(weights)
    if scale is None:
        return None
    if weights == "ratio":
        _not_negative(values)
    d = _FEATURES[scale](values, period)
    if d.features is None or d.form is None:
        return None
    low, high = float(values.min()), float(values.max())
    if weights == "circular":
        top = _widest(values, around(values, period))
    else:
        top = (high - low) ** 2 if weights == "quadratic" else ((high - low) / (high + low)) ** 2
    form = -d.form / top
    form[0, 0] += 1.0
    return Kernel(weights, 1.0, form, d.features).summed()


def _widest(values: Array, turn: float) -> float:
    """The largest sin^2 distance between two values: each is tried with those nearest to half a turn away."""
    x = np.sort(values % turn)
    at = np.searchsorted(x, x + turn / 2)
    near = np.stack([x[np.clip(at + shift, 0, len(x) - 1)] for shift in (-1, 0)])
    return float((np.sin(np.pi * (near - x) / turn) ** 2).max())


def _own(given: Any, labels: Sequence[Any], what: str) -> Array:
    _check_size(len(labels), what)
    matrix = (
        np.array([[given(a, b) for b in labels] for a in labels], float)
        if callable(given)
        else np.asarray(given, float)
    )
    size = (len(labels), len(labels))
    if matrix.shape != size:
        raise UsageError(
            f"{what} has shape {matrix.shape}, but there are {len(labels)} labels: {_few(labels)}. Give a {size} matrix in that order."
        )
    if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T):
        raise UsageError(f"{what} must be finite and symmetric, in the order of the labels: {_few(labels)}.")
    return matrix


def _single(name: str, labels: Sequence[Any]) -> None:
    if any(isinstance(label, LabelSet) for label in labels[:1]):
        raise UsageError(f"{name!r} is not for sets of labels; choose one of {', '.join(SIMILARITIES)}, or a function.")


def _check_size(n: int, what: str) -> None:
    if n > MAX_MATRIX:
        raise UsageError(
            f"{what} would need a table of {n:,} x {n:,} labels. "
            "Use weights='quadratic', 'ratio' or 'circular', which need none, or bin the labels first."
        )


def _few(labels: Sequence[Any], most: int = 6) -> str:
    shown = ", ".join(map(str, labels[:most]))
    return shown + (", ..." if len(labels) > most else "")
