"""Uncertainty by refitting bootstrap samples of items."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.inference.weights import multinomial
from raters.models.families.gaussian import Gaussian
from raters.models.families.registry import make
from raters.models.fitting import em
from raters.models.result import Consensus
from raters.models.uncertainty.posterior_draws import Draws

Array = NDArray[Any]
REFITS = 200
HELD = {"dawid_skene": 85, "hierarchical": 86, "glad": 79}
"""In how many of 100 simulated cases 95 % intervals held the truth, where this is too few (benchmarks/model_coverage.py)."""


def bootstrap(c: Consensus, draws: int | None = None, seed: int = 0) -> Draws:
    """Refit bootstrap samples of items, each from the fit at hand: any model, one mode."""
    rng = np.random.default_rng(seed)
    kept: dict[str, list[Array]] = {}
    for weights in multinomial(np.ones(c.votes.n_items), REFITS if draws is None else draws, rng):
        for weight in weights:
            for name, value in refit(c, weight).items():
                kept.setdefault(name, []).append(value)
    said = () if c.model not in HELD else (
        f"95 % bootstrap intervals of {c.model!r} held the truth in about {HELD[c.model]} of 100 simulated cases; "
        "take uncertainty='posterior', which holds it in about 95",
    )  # fmt: skip
    return Draws("bootstrap", {name: np.stack(values) for name, values in kept.items()}, warnings=said)


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
