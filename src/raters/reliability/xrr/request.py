"""The options of cross-replication reliability, checked and collected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from raters.agree.agreement_spec import Options, Request, request
from raters.coefficients import REGISTRY, coefficient
from raters.errors import UsageError
from raters.inference.limits import IntervalSpec, refuse_many
from raters.io.any_table import Reading
from raters.options import check_options
from raters.reliability.sets.rows import ROWS
from raters.reliability.xrr.item_means import MEANS
from raters.scales import Weights


class CrossOptions(Reading, total=False):
    """The options of cross-replication reliability."""

    distance: Any
    """A scale's distance by name, a matrix, or a function of two labels; None for the scale's own."""
    weights: Weights | None
    """Agreement weights instead of a distance."""
    irr: str
    """Agreement within a pool: ``"krippendorff"`` (default), ``"iota"``, or ``"cohen"`` (two raters per pool)."""
    irr_items: str
    """``"all"`` (default): every item of a pool with two labels; ``"shared"``: only those that both pools labelled."""
    means: str
    """How the reliability of the item means behind ``rho`` is estimated: ``"icc"`` (default, one-way ICC(k)) or ``"split_half"`` (halves of each item's labels)."""
    trusted: str | None
    """The pool that serves as the reference for the other."""
    names: Sequence[str] | None
    """Names of the pools, if each is a separate table; with a column of pools, the pools to compare."""
    cluster: str | None
    """A column, such as the document of an item, whose values are drawn whole for the intervals (the block bootstrap)."""
    sample: str
    """The unit resampled for the intervals: ``"items"`` (default), or ``"raters"`` or ``"both"``, one rater left out at a time."""
    permutations: int
    """The number of shuffles of whole raters for the test whether pools differ at all; 0 (default) for no test."""
    interval: str | None
    level: float
    resamples: int
    seed: int


@dataclass(frozen=True)
class CrossRequest:
    """The checked options: a request for each coefficient."""

    cross: Request
    irr: Request
    alpha: Request
    gwet: Request
    irr_items: str
    trusted: str | None
    names: Sequence[str] | None
    permutations: int
    spec: IntervalSpec | None
    level: float
    seed: int
    cluster: str | None = None
    sample: str = "items"
    means: str = "icc"

    @property
    def sampled(self) -> str:
        """The unit resampled for the intervals; everything else is held fixed."""
        return replace(self.cross, cluster=self.cluster, sample=self.sample).sampled


CROSS_DEFAULTS: CrossOptions = {
    "distance": None, "weights": None, "irr": "krippendorff", "irr_items": "all", "means": "icc", "trusted": None, "names": None, "cluster": None, "sample": "items",
    "permutations": 0,
    "interval": "auto", "level": 0.95, "resamples": 2000, "seed": 0,
}  # fmt: skip


def ask(**options: Unpack[CrossOptions]) -> CrossRequest:
    """Check the options and collect them."""
    check_options("xrr", options, CROSS_DEFAULTS)
    irr, irr_items = options.get("irr", "krippendorff"), options.get("irr_items", "all")
    if irr in ROWS:
        raise UsageError(
            f"irr={irr!r} is a measure of sets of labels: raters.multilabel_xrr(x, y, {irr!r}) gives it between the pools, within each, and normalised."
        )
    if not coefficient(irr).irr:
        raise UsageError(f"irr={irr!r} is not one of {', '.join(of_pools())}.")
    if irr_items not in ("all", "shared"):
        raise UsageError(f"irr_items={irr_items!r} is not 'all' (every item of a pool) or 'shared'.")
    means = options.get("means", "icc")
    if means not in MEANS:
        raise UsageError(f"means={means!r} is not 'icc' or 'split_half'.")
    level, seed = options.get("level", 0.95), options.get("seed", 0)
    weights, permutations = options.get("weights"), options.get("permutations", 0)
    if permutations < 0:
        raise UsageError(f"permutations={permutations} is not a number of permutations; 2000 is usual.")
    refuse_many("permutations", permutations)
    common: Options = {
        "weights": weights, "interval": options.get("interval", "auto"), "level": level, "seed": seed,
        "resamples": options.get("resamples", 2000),
    }  # fmt: skip

    cluster, sample = options.get("cluster"), options.get("sample", "items")
    request("cohen", cluster=cluster, sample=sample)  # refuses options that cannot be combined

    def one(name: str) -> Request:
        given: Options = {**common, "distance": options.get("distance")}
        found = request(name, **given)
        return replace(found, coefficient=replace(found.coefficient, by_scale=True))

    cross, alpha, own, gwet = one("cohen"), one("krippendorff"), one(irr), request("gwet", **common)
    return CrossRequest(
        cross, own, alpha, gwet, irr_items, options.get("trusted"), options.get("names"), permutations, cross.spec, level, seed,
        cluster, sample, means,
    )  # fmt: skip


def of_pools() -> list[str]:
    """The coefficients that can measure agreement within a pool."""
    return [name for name, row in REGISTRY.items() if row.irr]
