"""From a request to an estimate: which kernel, which fold, which statistic, which interval, and what to say of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.coefficients import POOLED_MARGINS, REGISTRY, Coefficient
from raters.coefficients.pairwise import TooManyPairs
from raters.errors import DataError, UsageError
from raters.estimate import Estimate
from raters.inference.intervals import How, Interval, interval
from raters.inference.sampling import by_rater, clustered, rater_interval
from raters.inference.statistic import MidRanks, Statistic, linear, mid_ranks
from raters.items import MANY_VALUES, Items, fold, lift
from raters.scales import Kernel, Weights, agreement_kernel, distance_kernel

Array = NDArray[Any]

WEIGHTS_ONLY = ("percent", "gwet")
SAMPLES = {"items": "items", "raters": "raters", "both": "items and raters"}


@dataclass(frozen=True)
class Request:
    """What is asked: the coefficient, how labels are compared, how the interval is found."""

    coefficient: Coefficient
    weights: Weights | None
    distance: Any
    weights_by: str
    how: How | None
    se: str | None
    cluster: str | None = None
    sample: str = "items"

    @property
    def sampled(self) -> str:
        """What the interval draws anew; the rest is held fixed."""
        return f"clusters of {self.cluster}" if self.cluster else SAMPLES[self.sample]

    @property
    def by_scale(self) -> bool:
        """The scale chooses the distance."""
        return self.coefficient.by_scale and self.weights is None and self.distance is None


class Options(TypedDict, total=False):
    """The options that every function of agreement takes."""

    weights: Weights | None
    """A name (``"quadratic"``), a matrix in label order, or a function of two labels; None: identity, or the scale's distance."""
    distance: Any
    """A scale's distance by name, a matrix, or a function of two labels, instead of weights."""
    weights_by: str
    """``"value"`` (default: numeric labels by value) or ``"position"``."""
    margins: str
    """``"items"`` (default) or ``"pooled"``: fleiss, gwet and scott with every annotation counted alike."""
    interval: str | None
    """``"auto"`` (bootstrap; delta where that would take long), ``"bootstrap"``, ``"bca"``, ``"delta"``, ``"jackknife"``, None."""
    se: str | None
    """``"gwet"``: the standard error of irrCAC."""
    cluster: str | None
    """A column, such as the document of an item, whose values are drawn whole (the block bootstrap)."""
    sample: str
    """What is drawn anew: ``"items"`` (default), ``"raters"``, or ``"both"``."""
    level: float
    resamples: int
    seed: int


def request(coefficient: str, **options: Unpack[Options]) -> Request:
    """Check the options and gather them."""
    given: Options = {
        "weights": None, "distance": None, "weights_by": "value", "margins": "items", "interval": "auto", "se": None, "cluster": None, "sample": "items",
        "level": 0.95, "resamples": 2000, "seed": 0, **options,
    }  # fmt: skip
    weights, distance, margins, interval_ = (
        given["weights"],
        given["distance"],
        given["margins"],
        given["interval"],
    )
    if coefficient not in REGISTRY:
        raise UsageError(f"unknown coefficient {coefficient!r}: choose one of {', '.join(REGISTRY)}.")
    row = REGISTRY[coefficient]
    seed: Any = given["seed"]
    if not (isinstance(seed, Integral) and int(seed) >= 0):
        raise UsageError(f"seed={seed!r} is not a whole number, 0 or more.")
    _one_of("margins", margins, ("items", "pooled"))
    if margins == "pooled":
        if coefficient not in POOLED_MARGINS:
            raise UsageError(f"margins='pooled' is for {', '.join(POOLED_MARGINS)}; {coefficient} has its own margins.")
        row = replace(row, function=POOLED_MARGINS[coefficient].function, terms=POOLED_MARGINS[coefficient].terms)
    _one_of("weights_by", given["weights_by"], ("value", "position"))
    _one_of("se", given["se"], (None, "gwet"))
    if weights is not None and distance is not None:
        raise UsageError("give weights= (agreement) or distance=, not both.")
    if distance is not None and coefficient in WEIGHTS_ONLY:
        raise UsageError(f"{coefficient} is about agreement between 0 and 1, so it takes weights=, not distance=.")
    own = not (weights is None or (isinstance(weights, str) and weights == "identity")) or distance is not None
    lowest = row.lowest if row.lowest == 0 or not own else -np.inf
    how = None if interval_ is None else How(interval_, given["level"], given["resamples"], given["seed"], lowest)
    _one_of("sample", given["sample"], SAMPLES)
    if given["se"] is not None and (given["cluster"] is not None or given["sample"] != "items"):
        raise UsageError("se='gwet' is over items; leave cluster= and sample= out.")
    if given["cluster"] is not None and given["sample"] != "items":
        raise UsageError("cluster= draws clusters of items; leave sample= at 'items'.")
    return Request(row, weights, distance, given["weights_by"], how, given["se"], given["cluster"], given["sample"])


def fitted(req: Request, ann: Annotations) -> Request:
    """irrCAC divides by n - 1 for raw ratings and by n for a table of two raters; ``se="gwet"`` follows it in both."""
    return replace(req, se="gwet_table") if req.se == "gwet" and ann.layout == "contingency" else req


def _one_of(name: str, value: Any, choices: Iterable[Any]) -> None:
    if value not in tuple(choices):
        raise UsageError(f"{name}={value!r} is not one of {', '.join(map(repr, choices))}.")


def kernel_of(req: Request, ann: Annotations) -> Kernel:
    """How labels are compared: the weights or distance asked for, or the scale's own."""
    values = (
        ann.keys.astype(float) if ann.numeric and req.weights_by == "value" else np.arange(1.0, len(ann.labels) + 1)
    )
    dense = 0 if uses_moments(req, ann) else 200  # a fold to moments needs the form in 1, x, x^2
    if req.distance is not None:
        return distance_kernel(req.distance, values, ann.labels, ann.period, dense)
    if not req.by_scale:
        return agreement_kernel(req.weights, values, ann.labels, ann.period)
    if ann.scale == "ordinal":
        return (
            Kernel("ordinal", 1.0)
            if req.coefficient.name == "krippendorff"
            else distance_kernel("interval", values, ann.labels)
        )
    return distance_kernel(ann.scale, values, ann.labels, ann.period, dense)


def uses_moments(req: Request, ann: Annotations) -> bool:
    """Squared differences of many distinct values: sums of 1, x, x^2 are enough."""
    squared = (req.by_scale and ann.scale == "interval") or (
        isinstance(req.distance, str) and req.distance == "interval"
    )
    return squared and ann.numeric and req.weights_by == "value" and len(ann.labels) > MANY_VALUES


def folded(
    req: Request, ann: Annotations, group: str | None = None, by: str | None = None, within: str | None = None
) -> dict[Any, Items]:
    """The items of a request, one bag for each value of ``by``."""
    check_repeats(ann, group, by)
    if req.sample != "items" and group not in (None, "rater"):
        raise UsageError("sample='raters' compares raters; leave group= out.")
    if group is None and (req.coefficient.compares == "groups" or req.sample != "items"):
        group = "rater"
    return fold(ann, group=group, by=by, within=within, cluster=req.cluster, moments=uses_moments(req, ann))


def check_repeats(ann: Annotations, group: str | None, by: str | None) -> None:
    """A rater who labels an item twice is an error, unless it was said what to do."""
    if not ann.repeats or ann.duplicates != "error":
        return
    more = [ann.engine.quote(c) for c in (group, by) if c is not None and c in ann.extras]
    if more:
        got = ann.engine.query(
            f"SELECT count(*) AS n FROM (SELECT item FROM annotations GROUP BY item, rater, {', '.join(more)} HAVING count(*) > 1) AS r"
        )
        if not int(got["n"][0]):
            return
    item, rater = ann.first_repeat or ("?", "?")
    spans = _span_columns(ann.extras)
    if spans is not None:
        raise DataError(
            f"{ann.source}: {ann.repeats:,} annotations repeat an item and rater, and columns {spans[0]!r} and {spans[1]!r} "
            "look like spans or relations, which are not supported: agreement is about one label, or one set of labels, "
            "of each item by each rater. Make an item of each unit that could be labelled (a token, a sentence, a "
            "marked span), or pass duplicates= if these columns mean something else."
        )
    raise DataError(
        f"{ann.source}: {ann.repeats:,} annotations repeat an item and rater (first: item {item!r}, rater {rater!r}). "
        "Pass duplicates='first', 'last' or 'keep' to read() (--duplicates on the command line)."
    )


SPANS = ({"start", "begin", "charstart", "startoffset", "startchar", "beginoffset", "head", "arg1"},
         {"end", "stop", "charend", "endoffset", "endchar", "tail", "arg2"})  # fmt: skip


def _span_columns(columns: Iterable[str]) -> tuple[str, str] | None:
    """Two columns that place a label inside an item, or between two parts of it."""
    plain_names = {c.lower().replace("_", "").replace("-", "").replace(" ", ""): c for c in columns}
    first, last = (next((plain_names[n] for n in sorted(names) if n in plain_names), None) for names in SPANS)
    return (first, last) if first is not None and last is not None else None


def statistic(req: Request, items: Items, kernel: Kernel, q: int) -> Statistic:
    """The coefficient as a pure function of pattern weights."""
    x = lift(items, kernel, between_groups=len(items.groups) > 1)
    return mid_ranks(x) if _by_ranks(kernel) else linear(req.coefficient, x, q)


def _by_ranks(kernel: Kernel) -> bool:
    return kernel.name == "ordinal" and kernel.form is None


def entering(req: Request, items: Items, kernel: Kernel) -> Items:
    """The items that the coefficient is about: for alpha, those with two or more labels."""
    if req.coefficient.name != "krippendorff":
        return items
    return items.where(np.flatnonzero(lift(items, kernel, between_groups=len(items.groups) > 1).r >= 2))


def fixed(kernel: Kernel, items: Items) -> Kernel:
    """The kernel by which single items are measured: ordinal alpha's distance with the mid-ranks of ``items`` held."""
    return rank_kernel(items) if _by_ranks(kernel) else kernel


def rank_kernel(items: Items) -> Kernel:
    """Squared differences of the mid-ranks that the labels have in these items."""
    ranks = mid_ranks(lift(items, Kernel("ordinal", 1.0), between_groups=len(items.groups) > 1))
    margin = np.asarray(ranks.weight @ ranks.counts)
    return distance_kernel("interval", np.cumsum(margin) - margin / 2, items.labels)


def estimate(req: Request, items: Items, kernel: Kernel, name: str | None = None, **more: Any) -> Estimate:
    """The coefficient on these items, with its interval, its parts, and the reason where it is undefined."""
    row = req.coefficient
    parts = "agreement" if (kernel.perfect and kernel.name != "ordinal") or _weighted(req) else "disagreement"
    common: dict[str, Any] = {
        "name": name or row.name, "coefficient": row.name, "title": row.title, "parts": parts, "weights": kernel.name,
        "n_items": items.n_items, "n_raters": items.n_raters, "n_annotations": items.n_annotations,
        "sampled": req.sampled,
        "level": req.how.level if req.how else 0.95, **more,
    }  # fmt: skip
    why = nothing_to_compare(items, row)
    if why is not None:
        return _without_value(req, common, why)
    whole, items = items, items.merged() if req.sample != "items" else items
    used = entering(req, items, kernel)
    try:
        stat = statistic(req, used, kernel, len(items.labels))
    except TooManyPairs as error:
        return _without_value(req, common, str(error))
    at = stat.parts(stat.weight[None, :])
    value = float(at.value[0])
    found = _interval(req, stat, value, used, whole, kernel)
    warnings = [*common.pop("warnings", ()), *found.warnings]
    if not np.isfinite(value):
        warnings.append(undefined(items, row))
    elif at.skipped is not None and at.skipped[0]:
        warnings.append(
            f"pairs of raters without a kappa, as each has one label only: {at.skipped[0]}; left out of the mean"
        )
    return Estimate(
        value=value, low=found.low, high=found.high, se=found.se, interval=found.method or None,
        observed=float(at.observed[0]), expected=float(at.expected[0]), warnings=tuple(warnings), **common,
    )  # fmt: skip


def _without_value(req: Request, common: dict[str, Any], why: str) -> Estimate:
    return Estimate(value=np.nan, interval=_method(req), **common | {"warnings": (*common.get("warnings", ()), why)})


def _interval(req: Request, stat: Statistic, value: float, used: Items, whole: Items, kernel: Kernel) -> Interval:
    if req.how is None:
        return Interval(np.nan, np.nan, np.nan, "")
    if req.sample != "items":
        return rater_interval(by_rater(req.coefficient, whole, kernel), value, req.how, req.sample == "both", stat)
    if req.cluster is not None:
        return interval(clustered(stat, used), value, req.how)
    return interval(stat, value, req.how, _gwet(req, stat, used, kernel, value))


def _weighted(req: Request) -> bool:
    return not req.by_scale and req.distance is None


def _method(req: Request) -> str | None:
    return None if req.how is None else "bootstrap" if req.how.method == "auto" else req.how.method


def _gwet(req: Request, stat: Statistic, items: Items, kernel: Kernel, value: float) -> Array | None:
    """The influences behind irrCAC's standard error, which holds the number of items with two labels fixed."""
    if req.se is None:
        return None
    if isinstance(stat, MidRanks) or "pairs" in req.coefficient.terms:
        raise UsageError(
            f"se='gwet' is not defined for {req.coefficient.name} on this scale; leave se out for the delta method's own."
        )
    r = lift(items, kernel, between_groups=len(items.groups) > 1).r
    if req.coefficient.large_sample is not None:
        return _gwet_alpha(req, items, kernel, r[r >= 2])
    n, paired = stat.weight.sum(), r >= 2
    return _by_n(req, stat.influence() + value * (paired * n / (stat.weight @ paired) - 1) / n, n)


def _gwet_alpha(req: Request, items: Items, kernel: Kernel, r: Array) -> Array:
    """irrCAC linearises alpha without its small-sample term, but keeps the term in the weight of an item."""
    form = req.coefficient.large_sample or req.coefficient.function
    large = statistic(
        replace(req, coefficient=replace(req.coefficient, function=form)), items, kernel, len(items.labels)
    )
    value = float(large.parts(large.weight[None, :]).value[0])
    n, total = large.weight.sum(), large.weight @ r
    return _by_n(req, large.influence() - (1 - value) * (r * n / total - 1) / (n * total), n)


def _by_n(req: Request, influence: Array, n: float) -> Array:
    return np.asarray(influence * (np.sqrt((n - 1) / n) if req.se == "gwet_table" else 1.0))


def nothing_to_compare(items: Items, row: Coefficient | None = None) -> str | None:
    """Why no agreement can be seen in these items, or None."""
    if not len(items.weight):
        return "there are no annotations"
    if row is not None and row.compares == "groups" and len(items.groups) < 2:
        return f"{row.name} compares raters (or groups), and there is only one"
    if len(items.groups) > 1:
        if np.diff(items.per_group.indptr).max() < 2:
            return "no item has labels of two different groups (raters), so nothing can be compared"
    elif items.per_item.max() < 2:
        return "no item has two labels, so nothing can be compared"
    return None


def undefined(items: Items, row: Coefficient) -> str:
    """Why a coefficient is undefined on items that can be compared."""
    merged = items.merged()
    if items.moments is None:
        used = np.flatnonzero(np.asarray(merged.counts.sum(0)).ravel() > 0)
        if len(used) == 1:
            return f"every label is {items.labels[used[0]]!r}: chance agreement is 1, so {row.name} is undefined (percent agreement is 1)"
    return "chance alone gives full agreement on the items that can be compared, so the coefficient is undefined"


def check_groups(row: Coefficient, items: Items, group: str | None) -> None:
    """Cohen and Scott take exactly two; what else there is, is named."""
    if row.exactly is None:
        return
    n = len(items.groups) if row.compares == "groups" else (items.n_raters or int(items.per_item.max(initial=0)))
    if row.compares == "labels" and group is not None:
        n = len(items.groups)
    if n > row.exactly:
        others = "conger, light or hubert" if row.name == "cohen" else "fleiss"
        names = ", ".join(map(str, items.groups[:4])) if len(items.groups) > 1 else ""
        shown = f" ({names}{', ...' if n > 4 else ''})" if names else ""
        raise UsageError(
            f"{row.name} compares two raters, and there are {n:,}{shown}. Use {others}, or per_pair for every pair."
        )
