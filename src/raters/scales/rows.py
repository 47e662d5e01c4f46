"""A row of the registries of weights and distances, with every fact about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from raters.scales.kernel import Array, Kernel, check_single, check_size
from raters.sets import similarity


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
    scale: str | None = None
    """The scale on which kappas take these weights by default."""

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
