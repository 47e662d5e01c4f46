"""The fits of a small table to its folds, all at once: they differ by a fifth of the labels, and a step of all takes
hardly longer than of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from raters.models.base.fit import FittedModel
from raters.models.families.spec import Model, Settings
from raters.models.fitting import em
from raters.models.fitting.checks import learnable
from raters.models.fitting.fit import fit_beside
from raters.models.held_out.folds import Fold

MOST = 4000
"""Annotations of a fold up to which this is faster; with more, a step takes longer to compute than to call."""


def ahead(
    tried: Iterable[tuple[Model, str]],
    settings: Settings,
    gold: Mapping[Any, Any] | None,
    dealt: Sequence[Fold],
    rule: em.Rule,
) -> dict[tuple[str, str, int], FittedModel]:
    """(model, prevalence, fold) -> the fit to its training labels, for models that can be fitted side by side; without
    gold or priors.
    """
    parts = [fold.train for fold in dealt]
    if gold is not None or settings.priors or any(v.weight is not None or v.n_annotations > MOST for v in parts):
        return {}
    if not all(learnable(v, None, settings) for v in parts):
        return {}
    made = {}
    for row, prevalence in tried:
        if row.side_by_side:
            how = Settings(max(settings.smoothing, 0.01), prevalence == "uniform", seed=settings.seed)
            for fold, c in zip(dealt, fit_beside(parts, row, how, rule), strict=True):
                made[row.name, prevalence, id(fold)] = c
    return made
