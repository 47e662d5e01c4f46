"""A request: the coefficient, how labels are compared, and how the interval is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, TypeVar, Unpack

import numpy as np

from raters.annotations import Annotations
from raters.coefficients import REGISTRY, Coefficient, coefficient
from raters.errors import UsageError
from raters.inference.intervals import IntervalSpec
from raters.io.any_table import Reading, takes_tables
from raters.options import check_options
from raters.scales import WEIGHTS, Weights

F = TypeVar("F", bound=Callable[..., Any])
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


class Options(Reading, total=False):
    """The options of every agreement function."""

    weights: Weights | None
    """A name (``"quadratic"``), a matrix in label order, or a function of two labels; None for identity, or the scale's
    distance.
    """
    distance: Any
    """A scale's distance by name, a matrix, or a function of two labels, instead of weights."""
    weights_by: str
    """``"value"`` (default: numeric labels by value) or ``"position"``."""
    margins: str
    """``"items"`` (default) or ``"pooled"``: fleiss, gwet and scott with every annotation weighted equally."""
    interval: str | None
    """``"auto"`` (good coverage in small studies: ``"imaginary"`` for labels, ``"stabilised"`` for numbers; ``"delta"``
    for very large tables), ``"bootstrap"``, ``"normal"`` (mean and 1.96 sd of the bootstrap), ``"bca"``, ``"delta"``,
    ``"jackknife"``, None.
    """
    se: str | None
    """``"gwet"``: the standard error of irrCAC."""
    cluster: str | None
    """A column, such as the document of an item, whose values are resampled as whole blocks (the block bootstrap)."""
    sample: str
    """What is resampled: ``"items"`` (default), ``"raters"``, or ``"both"``."""
    level: float
    resamples: int
    seed: int


DEFAULTS: Options = {
    "weights": None, "distance": None, "weights_by": "value", "margins": "items", "interval": "auto", "se": None, "cluster": None, "sample": "items",
    "level": 0.95, "resamples": 2000, "seed": 0,
}  # fmt: skip
OPTIONS = """
    **Coefficients**: percent, cohen, conger, light, hubert, scott, fleiss, krippendorff, gwet, brennan_prediger, iota, bangdiwala, matthews,
    van_oest; also by other names, such as ``"alpha"``, ``"kappa"`` or ``"ac1"``.

    **Options**:

    - ``weights``: ``"linear"``, ``"quadratic"`` or another name, a matrix in label order, or a function of two labels. If omitted,
      labels either match or do not; alpha and iota use the distance of the scale.
    - ``distance``: a scale's distance by name, a matrix, or a function of two labels, instead of weights.
    - ``weights_by``: ``"value"`` (numeric labels by value) or ``"position"``.
    - ``margins``: ``"items"``, or ``"pooled"``: fleiss, gwet and scott with every annotation weighted equally.
    - ``interval``: ``"auto"``, ``"imaginary"`` (a Bayesian bootstrap with one prior item), ``"stabilised"``, ``"bootstrap"``, ``"normal"``,
      ``"bca"``, ``"delta"``, ``"jackknife"``, or None for only the value.
    - ``se``: ``"gwet"`` for the standard error of irrCAC.
    - ``cluster``: a column, such as the document of an item, whose values are resampled whole.
    - ``sample``: what is resampled: ``"items"``, ``"raters"`` or ``"both"``.
    - ``level``, ``resamples``, ``seed``: the level of the interval, the number of bootstrap samples, and their seed.
    - ``item``, ``rater``, ``label``, ``scale``, ``labels``, ``question``: how to read the source, as in :func:`raters.read`.
"""
"""The section about these options in the help of every function that takes them."""


def takes_options(*names: str, **more: Any) -> Callable[[F], F]:
    """For a function that takes ``**options: Unpack[Options]``: see :func:`raters.io.any_table.takes_tables`; its help
    lists the options.
    """

    def decorate(function: F) -> F:
        function.__doc__ = f"{(function.__doc__ or '').rstrip()}\n{OPTIONS}    "
        return takes_tables(*names, options=Options, defaults=DEFAULTS, **more)(function)

    return decorate


def request(name: str, **options: Unpack[Options]) -> Request:
    """Check the options and collect them."""
    check_options("agreement", options, DEFAULTS)
    given: Options = {**DEFAULTS, **options}
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
    _one_of("margins", margins, ("items", "pooled"))
    if margins == "items":
        return row
    if row.pooled is None:
        others = ", ".join(name for name, other in REGISTRY.items() if other.pooled is not None)
        raise UsageError(f"margins='pooled' applies to {others}; {row.name} has its own margins.")
    function, terms = row.pooled
    return replace(row, function=function, terms=terms)


def _check_comparing(row: Coefficient, given: Options) -> None:
    """Check that the coefficient accepts the given weights or distance."""
    _one_of("weights_by", given["weights_by"], ("value", "position"))
    if given["distance"] is None:
        return
    if given["weights"] is not None:
        raise UsageError("pass weights= (agreement) or distance=, not both.")
    if not row.takes_distance:
        raise UsageError(f"{row.name} measures agreement between 0 and 1, so it takes weights=, not distance=.")


def _check_sampling(given: Options) -> None:
    """Check what is resampled, and how often."""
    seed: Any = given["seed"]
    if not (isinstance(seed, Integral) and int(seed) >= 0):
        raise UsageError(f"seed={seed!r} is not a whole number of 0 or more.")
    _one_of("se", given["se"], (None, "gwet"))
    _one_of("sample", given["sample"], SAMPLES)
    if given["se"] is not None and (given["cluster"] is not None or given["sample"] != "items"):
        raise UsageError("se='gwet' is computed over items; omit cluster= and sample=.")
    if given["cluster"] is not None and given["sample"] != "items":
        raise UsageError("cluster= resamples clusters of items; keep sample='items'.")


def for_layout(req: Request, ann: Annotations) -> Request:
    """irrCAC divides by n - 1 for raw ratings and by n for a table of two raters; ``se="gwet"`` follows it in both."""
    return replace(req, se="gwet_table") if req.se == "gwet" and ann.layout == "contingency" else req


def _one_of(name: str, value: Any, choices: Iterable[Any]) -> None:
    if value not in tuple(choices):
        raise UsageError(f"{name}={value!r} is not one of {', '.join(map(repr, choices))}.")


FEW_RATERS = 50
"""Coefficients that compare named raters are included up to this many raters."""
MOST_LABELS = 3000
"""Coefficients whose chance depends on the number of labels are included up to this many values."""


def weighted(name: str, ann: Annotations, options: Options) -> Options:
    """The options that this coefficient takes, with the weights that suit the scale if none were chosen."""
    row = coefficient(name)
    if row.pooled is None:
        options = {**options, "margins": "items"}
    weights = ann.scale.weights
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
