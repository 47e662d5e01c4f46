"""Which coefficients apply to a table and the options, and the options that each of them takes."""

from __future__ import annotations

from raters.agree.request import Options
from raters.annotations import Annotations
from raters.coefficients import REGISTRY, Coefficient, coefficient
from raters.scales import WEIGHTS, weights_of_scale

FEW_RATERS = 50
"""Coefficients that compare named raters are included up to this many raters."""
MOST_LABELS = 3000
"""Coefficients whose chance depends on the number of labels are included up to this many values."""


def weighted(name: str, ann: Annotations, options: Options) -> Options:
    """The options that this coefficient takes, with the weights that suit the scale if none were chosen."""
    row = coefficient(name)
    if row.pooled is None:
        options = {**options, "margins": "items"}
    weights = weights_of_scale(ann.scale)
    chosen = options.get("weights") is not None or options.get("distance") is not None
    own = row.by_scale or not row.weighs_by_scale
    return options if weights is None or chosen or own else {**options, "weights": weights}


def applicable(ann: Annotations, group: str | None = None, options: Options | None = None) -> list[str]:
    """The coefficients that this table and these options allow, in the order of the registry."""
    given: Options = options or {}
    return [
        name
        for name, row in REGISTRY.items()
        if _fits_raters(row, ann, group) and _fits_labels(row, ann, given) and _has_se(row, ann, given)
    ]


def _fits_raters(row: Coefficient, ann: Annotations, group: str | None) -> bool:
    """Whether the number of raters fits, and the coefficient differs from one for two raters."""
    if row.same_for_two is not None and ann.n_raters == 2:
        return False
    if group is not None:
        return True
    if row.compares == "groups" and not 2 <= ann.n_raters <= FEW_RATERS:
        return False
    return row.exactly is None or ann.n_raters == row.exactly


def _fits_labels(row: Coefficient, ann: Annotations, given: Options) -> bool:
    """Whether the coefficient can compare these labels as requested."""
    weights, distance, of_scale = given.get("weights"), given.get("distance"), weights_of_scale(ann.scale)
    if distance is not None and not row.takes_distance:
        return False
    if row.by_band:  # positions represent the labels, not their values
        if weights is None:
            return of_scale is None
        return isinstance(weights, str) and weights in WEIGHTS and WEIGHTS[weights].by_band
    if row.counts_labels:  # the number of possible sets is unknown
        return ann.scale != "sets" and (of_scale is None or len(ann.labels) <= MOST_LABELS)
    return True


def _has_se(row: Coefficient, ann: Annotations, given: Options) -> bool:
    """Whether irrCAC's standard error exists for it, if requested."""
    plain = given.get("weights") is None and given.get("distance") is None
    return given.get("se") is None or (row.irrcac and not (row.mid_ranks and ann.scale == "ordinal" and plain))
