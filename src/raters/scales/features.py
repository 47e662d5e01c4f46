"""Distances of very many values without a matrix: features whose bilinear form gives them.

``(1, x, x^2)`` gives the squared difference; cosine and sine give circular scales; polynomials of the logarithm give
the ratio distance. The absolute difference has no small set of features, but products with it are cumulative sums.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import chebyshev

from raters.errors import UsageError
from raters.scales.comparison import Array, Kernel


def around(x: Array, period: float | None = None) -> float:
    """How many units a circular scale has."""
    return float(period) if period is not None else float(x.max() - x.min() + 1)


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


def interval_features(values: Array) -> Kernel:
    """(a - b)^2 from 1, x, x^2."""
    center = float(values.mean())
    x = values - center
    plain = interval_kernel(center, float((x**2).mean()))
    return Kernel("interval", 0.0, plain.form, np.stack([np.ones_like(x), x, x**2], -1), unit=plain.unit)


def circular_features(values: Array, period: float | None = None) -> Kernel:
    """The circular distance from 1, a cosine and a sine."""
    # sin^2(t) = (1 - cos 2t) / 2, and cos(a - b) = cos a cos b + sin a sin b
    angle = 2 * np.pi * (values - values.min()) / around(values, period)
    features = np.stack([np.ones_like(angle), np.cos(angle), np.sin(angle)], -1)
    return Kernel("circular", 0.0, np.diag([0.5, -0.5, -0.5]), features)


def ratio_features(values: Array) -> Kernel:
    r"""((a - b)/(a + b))^2 = tanh^2((log a - log b) / 2), in Chebyshev polynomials of the logarithm.

    The distance itself is expanded, so that values close together keep their digits; the error is that of rounding.
    Zero is at distance 1 from everything except zero.
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

    The poles at distance pi determine how many polynomials are needed; a few directions then carry the form.
    """
    n = int(np.ceil(40 / np.arcsinh(np.pi / half))) + 4
    if n > 1500:
        raise UsageError(
            "the labels span too many orders of magnitude for a ratio scale; use another scale, or bin them."
        )
    angle = np.pi * (np.arange(n) + 0.5) / n
    node = half * np.cos(angle)
    to = 2 / n * np.cos(np.outer(np.arange(n), angle))
    to[0] /= 2
    size, directions = np.linalg.eigh(to @ np.tanh((node[:, None] - node) / 2) ** 2 @ to.T)
    kept = np.abs(size) > 1e-16 * np.abs(size).max()
    return size[kept], directions[:, kept]


class Gaps:
    """(value, value) |a - b|, never built: a product with it is two cumulative sums over the gaps between values."""

    __array_ufunc__ = None  # so that ``rows @ self`` comes here

    def __init__(self, values: Array) -> None:
        self._values = values
        self._order = np.argsort(values, kind="stable")
        self._gaps = np.diff(values[self._order])

    @property
    def shape(self) -> tuple[int, int]:
        return len(self._values), len(self._values)

    def __rmatmul__(self, rows: Array) -> Array:
        """(..., value) @ self: every gap counts for all values below it and all values above it."""
        below = np.cumsum(rows[..., self._order], -1)
        total, below = below[..., -1:], below[..., :-1]
        far = np.zeros(rows.shape)
        far[..., 1:] += np.cumsum(below * self._gaps, -1)
        far[..., :-1] += np.cumsum(((total - below) * self._gaps)[..., ::-1], -1)[..., ::-1]
        found = np.empty(rows.shape)
        found[..., self._order] = far
        return found

    def __getitem__(self, cells: tuple[Array, Array]) -> Array:
        return np.asarray(np.abs(self._values[cells[0]] - self._values[cells[1]]))


def absolute_features(values: Array) -> Kernel:
    """|a - b| of very many values, in time proportional to their number."""
    form, every = Gaps(values), np.ones(len(values))
    return Kernel("absolute", 0.0, form, total=float(every @ form @ every), unit=float(np.ptp(values)) or 1.0)
