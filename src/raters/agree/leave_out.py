"""The figure without each rater."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

from raters.agree.agreement_spec import Options, request
from raters.agree.estimating import estimate, folded, kernel_of, whole
from raters.agree.explaining import comparable, without_raters
from raters.annotations import counted
from raters.errors import UsageError
from raters.estimate import Estimate, EstimateTable
from raters.io.any_table import Source, table
from raters.options import asks


@asks()
def leave_one_out(ann: Source, coefficient: str = "krippendorff", **options: Unpack[Options]) -> EstimateTable:
    """Return the coefficient of all raters, and without each of them, with its interval; ``details["change"]`` is the
    difference from the figure of all.

    >>> from raters import examples
    >>> [e.name for e in leave_one_out(examples.four_raters(), interval=None)]
    ['all raters', 'without 1', 'without 2', 'without 3', 'without 4']
    """
    ann = table(ann)
    req = request(coefficient, **options)
    if ann.n_raters < 3:
        there = counted(ann.n_raters, "rater") if ann.n_raters else "raters without names"
        raise UsageError(f"leaving out a rater needs three raters or more; {ann.source} has {there}.")
    if not comparable(ann):
        raise UsageError(f"{ann.n_raters:,} raters are too many to leave out each of them.")
    kernel = kernel_of(req, ann)
    items = folded(req, ann, "rater")[None]
    base = replace(whole(req, ann), name="all raters")

    def one(g: int) -> Estimate:
        kept = without_raters(items, [g])
        bag = kept if req.coefficient.between_groups else kept.merged()
        e = estimate(req, bag.labelled().compressed(), kernel)
        details = {**e.details, "change": e.value - base.value}
        return replace(e, name=f"without {items.groups[g]}", details=details)

    return EstimateTable((base, *map(one, range(len(items.groups)))), of="rater left out")
