"""How reliable is the aggregate?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from raters.coefficients import DEFAULT
from raters.errors import RatersError
from raters.estimate import Estimate, EstimateTable, shown
from raters.reliability.krr.curve import krr, krr_curve
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, Table
from raters.reporting.estimate_charts import estimate_curve
from raters.reporting.interval_words import RANGES

MANY_EACH = 12
FEW_SAMPLES = 200
"""Bootstrap samples of the curve: each point is a fit or many draws of its own."""


def aggregate(c: Context) -> Answer:
    """kRR at the present k, the curve over k, and how many raters the target needs."""
    ann = c.ann
    if ann.used.per_item[2] < 2:
        return Answer("No item has two labels, so there is nothing to aggregate.", absent=True)
    here = max(1, round(ann.used.per_item[1]))
    try:
        table = [_single(c, e) for e in curve_of(c, here)]
    except RatersError as error:
        return Answer(f"It cannot be estimated: {error}", absent=True)
    points = [(int(e.details["k"]), e) for e in table]
    now = next((e for k, e in points if k == here), points[-1][1])
    kind = str(now.details.get("aggregate", "aggregate"))
    rows = tuple((k, e, _method(e)) for k, e in points)
    notes = dict.fromkeys(w for _, e in points for w in e.warnings)
    blocks: list[Block] = [
        estimate_curve([k for k, _ in points], [e for _, e in points], "krr", f"Reliability of the {kind} of k labels. Dashed: the target {c.target:g}, and the {here} labels per item of these data.",
              x="labels per item (k)", y="reliability", target=c.target, here=here),
        Table("krr", "The reliability of single labels and of aggregates", ("k", "reliability (interval)", "method"), rows),
    ]  # fmt: skip
    return Answer(_answer(c, points, now, here, kind), (*blocks, *notes))


def _method(e: Estimate) -> str:
    beyond = " (extrapolated)" if e.details.get("extrapolated") else ""
    return f"{e.details.get('method', '')}{beyond}"


def _single(c: Context, e: Estimate) -> Estimate:
    """One label alone is what the coefficient of the whole table measures: its estimate, the same as everywhere."""
    if e.details["method"] != "agreement" or e.coefficient != DEFAULT:
        return e
    return replace(c.table[DEFAULT], name=e.name, title=e.title, details=e.details)


def curve_of(c: Context, here: int) -> EstimateTable:
    """k-rater reliability at a few k around the present one.

    Beyond half the labels per item the range of what the data allow is a search, long for three labels with many on each
    item: in that case only the present k is estimated, without the range.
    """
    ks = sorted({1, 3, 5, 9, 15, 25, here, 2 * here})
    how = {**c.other_options, "resamples": min(c.resamples, FEW_SAMPLES)}
    if c.ann.scale in ("nominal", "ordinal") and len(c.ann.labels) == 3 and here > MANY_EACH:
        near = krr_curve(c.ann, ks=[k for k in ks if 2 * k <= here], **how)
        far = krr(c.ann, k=here, level=c.level, seed=c.seed, interval=None)
        said = f"no interval for k = {here} (slow); run raters krr --k {here} to compute it"
        return EstimateTable((*near, replace(far, name=f"k = {here}", warnings=(*far.warnings, said))))
    return krr_curve(c.ann, ks=[k for k in ks if k <= max(25, 2 * here)], **how)


def _answer(c: Context, points: Sequence[tuple[int, Estimate]], now: Estimate, here: int, kind: str) -> str:
    if not math.isfinite(now.value):
        return f"The reliability of the {kind} of {here} labels is undefined: {now.warnings[-1] if now.warnings else 'see below'}."
    what = "the data allow" if now.interval in RANGES else f"{c.level:.0%} interval"
    limits = f" ({what} {shown(now.low, 2)} to {shown(now.high, 2)})" if math.isfinite(now.low) else ""
    text = f"The {kind} of {here} labels has a reliability of {shown(now.value, 2)}{limits}; the reliability of a single label is {shown(points[0][1].value, 2)}."
    return f"{text} {_enough(c, points)}"


def _first(points: Sequence[tuple[int, Estimate]], figure: str, target: float) -> int | None:
    """The fewest labels at which the value, or a limit of it, reaches the target."""
    return next((k for k, e in points if math.isfinite(x := getattr(e, figure)) and x >= target), None)


def _enough(c: Context, points: Sequence[tuple[int, Estimate]]) -> str:
    """How many labels reach the target, as far as the data determine it."""
    enough = _first(points, "value", c.target)
    sure, first = _first(points, "low", c.target), _first(points, "high", c.target)
    last = points[-1][0]
    ranged = any(e.interval in RANGES for k, e in points if k in (first, enough))
    if ranged and first is not None and (sure is None or sure >= 2 * first):
        most = f"{sure}" if sure is not None else f"more than {last}, or no number at all"
        best = f"{enough}" if enough is not None else f"more than {last}"
        return (
            f"How many labels per item reach {c.target:g} is not determined by these data, which allow {first} to {most}; "
            f"of the numbers tried, the best estimate is {best}."
        )
    if enough is None:
        return f"By the best estimate, even {last} labels per item do not reach {c.target:g}."
    tried = ", ".join(str(k) for k, _ in points)
    safe = f", {sure} to be sure of it" if sure is not None and sure != enough else ""
    safe += "" if c.interval else " (no interval was asked for, so how far the data determine this is not known)"
    return f"Of the numbers tried ({tried}), {enough} labels per item are the fewest that reach {c.target:g}{safe}; run raters plan to try every number."
