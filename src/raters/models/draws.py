"""Uncertainty of a fit: draws from the posterior by Gibbs sampling, or refits of bootstrap samples of items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.inference.weights import multinomial
from raters.models import em
from raters.models.gaussian import Gaussian
from raters.models.gibbs import gibbs
from raters.models.registry import make
from raters.models.result import Consensus

Array = NDArray[Any]
REFITS = 200


@dataclass(frozen=True)
class Draws:
    """Draws of the parameters, and what they say of the items."""

    method: str
    """``posterior`` or ``bootstrap``."""
    values: Mapping[str, Array]
    """Name -> (draw, ...): ``prevalence``, ``confusion`` and the model's own parameters."""
    posterior: Array | None = None
    """(item, label): probabilities with the doubt about raters in them (Gibbs sampling)."""
    rhat: Mapping[str, Array] = field(default_factory=dict)
    """Split R-hat, after labels of the chains were matched; above 1.01 the chains do not agree."""
    ess: Mapping[str, Array] = field(default_factory=dict)
    """Effective number of draws."""
    matched: int = 0
    """Chains whose labels were exchanged, and put back in order before they were compared."""
    warnings: tuple[str, ...] = ()

    def interval(self, name: str, level: float = 0.95) -> tuple[Array, Array]:
        """Equal-tailed limits of a parameter."""
        tail = (1 - level) / 2
        low, high = np.quantile(self.values[name], [tail, 1 - tail], axis=0)
        return low, high


def from_posterior(c: Consensus, draws: int | None = None, seed: int = 0) -> Draws:
    """Gibbs sampling: truth given raters, raters given truth, in turn; the chains start at the fit."""
    found = gibbs(c, 1000 if draws is None else draws, seed)
    worst = max((float(np.nanmax(r, initial=1)) for r in found.rhat.values()), default=1.0)
    said = (f"the chains do not agree (R-hat {worst:.2f}): draw more, or read the starts",) if worst > 1.05 else ()
    return Draws("posterior", found.values, found.posterior, found.rhat, found.ess, found.matched, said)


def from_bootstrap(c: Consensus, draws: int | None = None, seed: int = 0) -> Draws:
    """Refit bootstrap samples of items, each from the fit at hand: any model, one mode."""
    rng = np.random.default_rng(seed)
    kept: dict[str, list[Array]] = {}
    for weights in multinomial(np.ones(c.votes.n_items), REFITS if draws is None else draws, rng):
        for weight in weights:
            for name, value in refit(c, weight).items():
                kept.setdefault(name, []).append(value)
    return Draws("bootstrap", {name: np.stack(values) for name, values in kept.items()})


def refit(c: Consensus, weight: Array) -> dict[str, Array]:
    """The parameters of one sample of items, from where the fit stands."""
    votes = replace(c.votes, weight=weight)
    rule = em.Rule(1e-8, 500)
    if c.numeric:
        expected = (c.posterior[:, 0], c.posterior[:, 1] ** 2)
        return dict(em.run(Gaussian(votes, c.gold), expected, rule=rule).params)
    if c.model == "majority":
        again = Consensus("majority", votes, c.posterior, {}, settings=c.settings)
        share = weight @ c.posterior / max(float(weight.sum()), 1)
        return {"prevalence": share, "confusion": again.confusion}
    model = make(c.model, votes, c.gold, c.settings)
    fit = em.run(model, c.posterior, c.params, rule=rule)
    found = {name: value for name, value in fit.params.items() if name != "ease"}
    return found | {"confusion": model.confusion(fit.params)}


DRAW: Mapping[str, Callable[[Consensus, int | None, int], Draws]] = {
    "posterior": from_posterior,
    "bootstrap": from_bootstrap,
}
