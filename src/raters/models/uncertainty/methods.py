"""Methods that estimate the uncertainty of a fit, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from raters.models.draws import Draws
from raters.models.fitted_model import FittedModel
from raters.models.uncertainty.bootstrap import bootstrap
from raters.models.uncertainty.gibbs import gibbs

DRAW: Mapping[str, Callable[[FittedModel, int | None, int], Draws]] = {
    "posterior": gibbs,
    "bootstrap": bootstrap,
}
