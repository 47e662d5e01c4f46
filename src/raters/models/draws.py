"""Draws of a model's parameters, whichever method produced them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError, listed
from raters.models.entropy import tails

Array = NDArray[Any]


@dataclass(frozen=True)
class Draws:
    """Draws of the parameters, and what they imply for the items."""

    method: str
    """``posterior``, ``bootstrap`` or ``bayes``."""
    values: Mapping[str, Array]
    """Name -> (draw, ...): ``prevalence``, ``confusion`` and the model's own parameters."""
    posterior: Array | None = None
    """(item, label): probabilities that include the uncertainty about raters; for numbers (item, 2), mean and standard deviation."""
    rhat: Mapping[str, Array] = field(default_factory=dict)
    """Split R-hat after the chains' labels were matched; above 1.05, the chains do not agree."""
    ess: Mapping[str, Array] = field(default_factory=dict)
    """Effective sample size."""
    matched: int = 0
    """Chains whose labels were switched, and realigned before the chains were compared."""
    warnings: tuple[str, ...] = ()

    def interval(self, name: str, level: float = 0.95) -> tuple[Array, Array]:
        """Equal-tailed limits of a parameter."""
        if name not in self.values:
            raise UsageError(f"no draws of {name!r}; there are draws of {listed(self.values)}.")
        low, high = np.quantile(self.values[name], tails(level), axis=0)
        return low, high
