"""The ways to the uncertainty of a fit, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from raters.models.draws import Draws
from raters.models.gibbs import gibbs
from raters.models.refits import bootstrap
from raters.models.result import Consensus

DRAW: Mapping[str, Callable[[Consensus, int | None, int], Draws]] = {
    "posterior": gibbs,
    "bootstrap": bootstrap,
}
