"""A request for k-rater reliability: checked options and the chosen aggregate."""

from __future__ import annotations

from typing import Any

from raters.agree.agreement_spec import Options, request
from raters.annotations import Annotations
from raters.errors import UsageError
from raters.inference.limits import refuse_many
from raters.reliability.krr.aggregates import Aggregate, aggregate_of
from raters.reliability.krr.consensus_aggregate import model_aggregate
from raters.reliability.krr.methods import MEANS, METHODS
from raters.reliability.krr.study import Study

OWN = ("mean", "median", "majority")


def study_asked(
    ann: Annotations, aggregate: Any, method: str | None, coefficient: str | None, against: tuple[Annotations, ...] | None, ties: str,
    form: str, draw: str | None, draws: int | None, options: Options,
) -> tuple[Study, bool]:  # fmt: skip
    """The study that these options describe, and whether its intervals are the ICC's own."""
    _check(method, options)
    exact = options.get("interval") == "F"
    plain: Options = {**options, "interval": "auto"} if exact else options
    req = request(coefficient or "krippendorff", **plain)
    agg = _aggregate(ann, aggregate, method, against, ties)
    if draws is not None and not (draws >= 1 and draws == int(draws)):
        raise UsageError(f"replications={draws} is too few; omit it, or use 100 or more.")
    refuse_many("replications", draws or 0)
    return Study(ann, req, agg, form, coefficient is not None, against, draw, draws, options.get("seed", 0)), exact


def _check(method: str | None, options: Options) -> None:
    if method is not None and method not in METHODS:
        raise UsageError(f"unknown method {method!r}: choose one of {', '.join(METHODS)}.")
    for name in ("cluster", "sample", "se", "margins"):
        if options.get(name) not in (None, "items"):
            raise UsageError(f"{name}= does not apply to k-rater reliability, whose intervals are over items.")
    if options.get("interval") == "F" and method not in (None, *MEANS):
        raise UsageError(
            "interval='F' applies to method='icc' and 'spearman_brown'; use 'bootstrap', 'bca', 'delta' or 'jackknife'."
        )


def _aggregate(
    ann: Annotations, aggregate: Any, method: str | None, against: tuple[Annotations, ...] | None, ties: str
) -> Aggregate:
    """The named aggregate, or the default of the method or the scale; not every method takes every aggregate."""
    if isinstance(aggregate, str) and aggregate not in OWN:
        model = model_aggregate(aggregate, ties)
        if model is not None:
            if method not in (None, "split") or against is not None:
                raise UsageError(f"the reliability of {aggregate} is computed by method='split'.")
            return model
    agg = aggregate_of(ann, "mean" if aggregate is None and method in MEANS else aggregate, ties)
    if method in MEANS and agg.name != "mean":
        raise UsageError(
            f"method={method!r} applies to means of numbers; for the {agg.name}, use method='split' or 'model'."
        )
    return agg
