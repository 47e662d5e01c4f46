"""A row of the registries of weights and distances, with every fact about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError
from raters.scales.sets import SIMILARITIES, LabelSet, similarity

Array = NDArray[Any]
Pairwise = Callable[[Any, Any], float]

MAX_MATRIX = 3000
"""Maximum number of labels for which a full matrix of weights is built."""
DENSE = 200
"""Up to this many labels a matrix is built even if features of the values would suffice."""


class Form(Protocol):
    """Stands in for a matrix that is too large to build: it provides products and single cells."""

    @property
    def shape(self) -> tuple[int, int]: ...

    def __rmatmul__(self, rows: Array) -> Array: ...

    def __getitem__(self, cells: tuple[Array, Array]) -> Array: ...


@dataclass(frozen=True)
class Kernel:
    """The agreement or the distance of two labels, as a bilinear form in features of the labels."""

    name: str
    perfect: float
    """The kernel of two equal labels: 1 for agreement, 0 for a distance."""
    form: Any = None
    """M: (feature, feature), an array or its substitute (:class:`Form`); None is the identity."""
    features: Array | None = None
    """(label, feature); None is one-hot."""
    total: float = float("nan")
    """The sum of the kernel over all pairs of labels (Brennan-Prediger and AC2 need it)."""
    unit: float = 1.0
    """The unit for comparing a chance term with zero."""
    measured_in: float = 1.0
    """The size of a distance of 1 in the original labels, if these were rescaled."""
    by_ranks: bool = False
    """Krippendorff's ordinal distance: squared differences of mid-ranks, which change with the weights of the items."""

    @property
    def parts(self) -> str:
        """Whether observed and expected are agreement or disagreement."""
        return "agreement" if self.perfect and not self.by_ranks else "disagreement"

    @property
    def equality(self) -> bool:
        """Whether labels are only equal or different, with nothing in between."""
        return self.form is None and self.features is None and not self.by_ranks

    def summed(self) -> Kernel:
        """The same with ``total`` from its features."""
        if self.features is None or self.form is None:
            return self
        every = self.features.sum(0)
        return replace(self, total=float(every @ self.form @ every))

    def product(self, s: Array, t: Array) -> Array:
        """The kernel summed over all pairs of two bags of labels, given their feature sums."""
        return np.asarray((self.times_form(s) * t).sum(-1))

    def times_form(self, s: Array) -> Array:
        """The form applied to feature sums: half the slope of ``product(s, s)``."""
        if self.form is None:
            return s
        rows = s.reshape(-1, s.shape[-1])  # one large product, not one for each replicate
        if np.iscomplexobj(rows):
            return np.asarray(rows.real @ self.form + 1j * (rows.imag @ self.form)).reshape(s.shape)
        return np.asarray(rows @ self.form).reshape(s.shape)


MID_RANKS = Kernel("ordinal", 1.0, by_ranks=True)
"""For ordinal alpha: labels are counted, and a separate statistic compares their ranks."""


def own_matrix(given: Any, labels: Sequence[Any], what: str) -> Array:
    """A user's matrix, or the matrix of a user's function over all pairs of labels, checked: right shape, finite,
    symmetric.
    """
    check_size(len(labels), what)
    matrix = (
        np.array([[given(a, b) for b in labels] for a in labels], float)
        if callable(given)
        else np.asarray(given, float)
    )
    size = (len(labels), len(labels))
    if matrix.shape != size:
        raise UsageError(
            f"{what} has shape {matrix.shape}, but there are {len(labels)} labels: {_few(labels)}. Pass a {size} matrix"
            " in that order."
        )
    if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T):
        raise UsageError(f"{what} must be finite and symmetric, in the order of the labels: {_few(labels)}.")
    return matrix


def check_single(name: str, labels: Sequence[Any]) -> None:
    """Refuse a comparison of numbers or positions for sets of labels."""
    if any(isinstance(label, LabelSet) for label in labels[:1]):
        raise UsageError(
            f"{name!r} does not apply to sets of labels; choose one of {', '.join(SIMILARITIES)}, or a function."
        )


def check_size(n: int, what: str) -> None:
    """Refuse to build a matrix over very many labels."""
    if n > MAX_MATRIX:
        raise UsageError(
            f"{what} would need a table of {n:,} x {n:,} labels. "
            "Use weights='quadratic', 'ratio' or 'circular', which need no such table, or bin the labels first."
        )


def _few(labels: Sequence[Any], most: int = 6) -> str:
    shown = ", ".join(map(str, labels[:most]))
    return shown + (", ..." if len(labels) > most else "")


@dataclass(frozen=True)
class LabelComparison:
    """One way to compare two labels: an agreement weight (1 for equal labels) or a distance (0 for equal labels)."""

    name: str
    function: Callable[..., Array]
    """(label, label) from the labels as numbers, with the period second if ``turns``; for sets of labels, from the
    number of labels that two sets share and their two sizes."""
    features: Callable[..., Kernel] | None = None
    """The same for very many values, without a matrix; None if there is no such form."""
    of: str = "numbers"
    """numbers: labels as numbers, or as positions if they are text; sets: sets of labels; any: equal or not."""
    turns: bool = False
    """Whether it uses the period of a circular scale."""
    squared: bool = False
    """Squared differences: a fold to sums of 1, x, x^2 is enough."""
    by_band: bool = False
    """Depends on the distance in positions, if the numbers are positions."""

    @property
    def equality(self) -> bool:
        """Whether labels are only equal or different, so that nothing has to be built."""
        return self.of == "any"

    def matrix(self, values: Array, labels: Sequence[Any], period: float | None, what: str) -> Array:
        """(label, label), exactly."""
        if self.of == "sets":
            return similarity(self.name, labels, self.function)
        check_size(len(labels), f"{what}={self.name!r}")
        return self.function(values, period) if self.turns else self.function(values)

    def smooth(self, values: Array, period: float | None) -> Kernel | None:
        """The kernel from features, if there are any."""
        if self.features is None:
            return None
        return (self.features(values, period) if self.turns else self.features(values)).summed()

    def check(self, labels: Sequence[Any]) -> None:
        """Refuse sets for a comparison of numbers or positions."""
        if self.of == "numbers":
            check_single(self.name, labels)
