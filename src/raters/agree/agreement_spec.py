"""A request: the coefficient, how labels are compared, and how the interval is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, Unpack, cast

import numpy as np

from raters.annotations import Annotations
from raters.coefficients import REGISTRY, Coefficient, coefficient
from raters.errors import UsageError
from raters.inference.intervals import IntervalSpec
from raters.inference.resampled_units import any_raters
from raters.options import filled
from raters.options.declared import Comparing, OfItems
from raters.scales import WEIGHTS, Weights

F = TypeVar("F", bound=Callable[..., Any])
G = TypeVar("G", bound=OfItems)
SAMPLES = {"items": "items", "raters": "raters", "both": "items and raters"}


@dataclass(frozen=True)
class Request:
    """A request: the coefficient, how labels are compared, and how the interval is computed."""

    coefficient: Coefficient
    weights: Weights | None
    distance: Any
    weights_by: str
    spec: IntervalSpec | None
    se: str | None
    cluster: str | None = None
    sample: str = "items"

    @property
    def sampled(self) -> str:
        """The unit resampled for the interval; everything else is held fixed."""
        return f"clusters of {self.cluster}" if self.cluster else SAMPLES[self.sample]

    @property
    def by_scale(self) -> bool:
        """Whether the scale determines the distance."""
        return self.coefficient.by_scale and self.weights is None and self.distance is None


class Options(Comparing, total=False):
    """The options of every agreement function."""


def request(name: str, **options: Unpack[Options]) -> Request:
    """Check the options and collect them."""
    given = filled(Comparing, options)
    row = _with_margins(coefficient(name), given["margins"])
    _check_comparing(row, given)
    _check_sampling(given)
    weights, distance = given["weights"], given["distance"]
    own = not (weights is None or (isinstance(weights, str) and weights == "identity")) or distance is not None
    lowest = row.lowest if row.lowest == 0 or not own else -np.inf
    method = given["interval"]
    spec = None if method is None else IntervalSpec(method, given["level"], given["resamples"], given["seed"], lowest)
    return Request(row, weights, distance, given["weights_by"], spec, given["se"], given["cluster"], given["sample"])


def _with_margins(row: Coefficient, margins: str) -> Coefficient:
    """The coefficient with the requested margins."""
    if margins == "items":
        return row
    if row.pooled is None:
        others = ", ".join(name for name, other in REGISTRY.items() if other.pooled is not None)
        raise UsageError(f"margins='pooled' applies to {others}; {row.name} has its own margins.")
    function, terms = row.pooled
    return replace(row, function=function, terms=terms)


def _check_comparing(row: Coefficient, given: Comparing) -> None:
    """Check that the coefficient accepts the given weights or distance."""
    if given["distance"] is None:
        return
    if given["weights"] is not None:
        raise UsageError("pass weights= (agreement) or distance=, not both.")
    if not row.takes_distance:
        raise UsageError(f"{row.name} measures agreement between 0 and 1, so it takes weights=, not distance=.")


def _check_sampling(given: Comparing) -> None:
    """Check what is resampled."""
    if given["se"] is not None and (given["cluster"] is not None or given["sample"] != "items"):
        raise UsageError("se='gwet' is computed over items; omit cluster= and sample=.")
    if given["cluster"] is not None and given["sample"] != "items":
        raise UsageError("cluster= resamples clusters of items; keep sample='items'.")


def for_layout(req: Request, ann: Annotations) -> Request:
    """irrCAC divides by n - 1 for raw ratings and by n for a table of two raters; ``se="gwet"`` follows it in both."""
    return replace(req, se="gwet_table") if req.se == "gwet" and ann.layout == "contingency" else req


FEW_RATERS = 50
"""Coefficients that compare named raters are included up to this many raters."""
MOST_LABELS = 3000
"""Coefficients whose chance depends on the number of labels are included up to this many values."""


def weighted(name: str, ann: Annotations, options: G) -> G:
    """The options that this coefficient takes, with the weights that suit the scale if none were chosen."""
    row, given = coefficient(name), dict(options)
    if row.pooled is None:
        given["margins"] = "items"
    chosen = given.get("weights") is not None or given.get("distance") is not None
    if ann.scale.weights is not None and not chosen and not row.by_scale and row.weighs_by_scale:
        given["weights"] = ann.scale.weights
    return cast(G, given)


def applicable(ann: Annotations, group: str | None = None, options: Options | None = None) -> list[str]:
    """The coefficients that this table and these options allow, in the order of the registry."""
    given: Options = options or {}
    return [
        name
        for name, row in REGISTRY.items()
        if _fits_raters(row, ann, group)
        and _fits_labels(row, ann, given)
        and _has_se(row, ann, given)
        and (given.get("sample", "items") == "items" or any_raters(row))
    ]


def usual(ann: Annotations, group: str | None = None, options: Options | None = None) -> list[str]:
    """The few of them that reviewers ask for, the most general first."""
    first: dict[str, str] = {}
    for name in applicable(ann, group, options):
        if place := REGISTRY[name].usual:
            first.setdefault(place, name)
    return [first[place] for place in sorted(first)]


def _fits_raters(row: Coefficient, ann: Annotations, group: str | None) -> bool:
    """Whether the number of raters fits, and the coefficient differs from one for two raters."""
    if row.same_for_two is not None and ann.n_raters == 2:
        return False
    if group is not None:
        return True
    if row.between_groups and not 2 <= ann.n_raters <= FEW_RATERS:
        return False
    return row.exactly is None or ann.n_raters == row.exactly


def _fits_labels(row: Coefficient, ann: Annotations, given: Options) -> bool:
    """Whether the coefficient can compare these labels as requested."""
    weights, distance, of_scale = given.get("weights"), given.get("distance"), ann.scale.weights
    if distance is not None and not row.takes_distance:
        return False
    if row.by_band:  # positions represent the labels, not their values
        if weights is None:
            return of_scale is None
        return isinstance(weights, str) and weights in WEIGHTS and WEIGHTS[weights].by_band
    if row.counts_labels:  # the number of possible sets is unknown
        return not ann.scale.of_sets and (of_scale is None or len(ann.labels) <= MOST_LABELS)
    return True


def _has_se(row: Coefficient, ann: Annotations, given: Options) -> bool:
    """Whether irrCAC's standard error exists for it, if requested."""
    plain = given.get("weights") is None and given.get("distance") is None
    return given.get("se") is None or (row.irrcac and not (row.mid_ranks and ann.scale.ranks and plain))
