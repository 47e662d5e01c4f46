"""How many ratings an item needs, from the reliability that a paper states."""

from __future__ import annotations

import math

import numpy as np

from raters.estimate import Estimate, EstimateTable
from raters.reliability.krr.curve import krr_curve
from raters.reliability.krr.published import ONLY_MEANS, Figure, figure_of
from raters.reliability.variance.components import ratings_needed

CURVE = (1, 2, 3, 5, 7, 9, 11, 15, 21, 31)


def plan_from_figure(
    irr: Figure, target: float, level: float
) -> tuple[tuple[str, ...], EstimateTable, EstimateTable, float]:
    """Sentences, figures, the curve and the target of a plan based on one published figure."""
    figure = figure_of(irr)
    value, high, low = (_needed(x, target) for x in figure)  # a lower reliability needs more ratings
    said = (ONLY_MEANS,)
    if not math.isfinite(value):
        said = (*said, "a reliability of 0 or less reaches no target")  # type: ignore[assignment]
    needed = Estimate(
        "labels per item", value, low, high, level=level, interval="published" if math.isfinite(figure[1]) else None,
        title=f"Ratings per item for a reliability of {target:g}", coefficient="published", warnings=said,
        details={"target": target, "aggregate": "mean", "counts": True, "irr": figure[0]},
    )  # fmt: skip
    ks = sorted({*CURVE, *([int(value)] if math.isfinite(value) else [])})
    return (_sentence(needed, figure[0], target),), EstimateTable((needed,), of="question"), krr_curve(ks=ks, irr=irr, level=level), target  # fmt: skip


def _needed(single: float, target: float) -> float:
    if not math.isfinite(single):
        return math.nan
    needed = ratings_needed(single, target)
    return max(1.0, float(np.ceil(needed - 1e-9))) if math.isfinite(needed) else math.nan


def _sentence(e: Estimate, irr: float, target: float) -> str:
    if not math.isfinite(e.value):
        return f"With a reliability of single ratings of {irr:g}, no number of ratings reaches {target:g}."
    limits = ""
    if e.interval is not None:
        top = f"{e.high:,.0f}" if math.isfinite(e.high) else "no number"
        limits = f" ({e.low:,.0f} to {top} by the limits of the published interval)"
    return (
        f"With a reliability of single ratings of {irr:g}, as published, the mean of {e.value:,.0f} "
        f"rating{'' if e.value == 1 else 's'} per item{limits} has a reliability of {target:g} or more, by Spearman-Brown."
    )
