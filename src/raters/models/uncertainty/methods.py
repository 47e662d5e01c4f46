"""The ways to the uncertainty of a fit, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from raters.models.result import Consensus
from raters.models.uncertainty.bootstrap import bootstrap
from raters.models.uncertainty.gibbs import gibbs
from raters.models.uncertainty.posterior_draws import Draws

DRAW: Mapping[str, Callable[[Consensus, int | None, int], Draws]] = {
    "posterior": gibbs,
    "bootstrap": bootstrap,
}
