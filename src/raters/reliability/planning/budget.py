"""What a budget buys: many items with few labels, or few items with many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from raters.estimate import Estimate, shown
from raters.reliability.krr.curve import reliability_at
from raters.reliability.krr.study import Study

MOST = 51
"""The search for the best number of labels ends here; the search for the target has no such limit."""


@dataclass(frozen=True)
class Cost:
    """Money, and what a label and an item cost."""

    budget: float
    label: float
    item: float

    def items(self, k: int) -> int:
        """How many items with k labels each the budget buys."""
        return int(self.budget / (self.item + k * self.label) + 1e-9)


def best_split(study: Study, target: float, cost: Cost, needed: Estimate) -> tuple[list[Estimate], str]:
    r"""Two answers: how many items the budget buys at a target reliability, and the k that makes the best use of the budget.

    An item whose aggregate has reliability R is as informative about a mean or a correlation as R perfect items, so
    the best k maximises :math:`N_k R_k`. For means it is near
    :math:`\sqrt{c_i (1 - r) / (c_l r)}`, the optimum of two-stage sampling: if an item costs nothing but its labels,
    one label each. Cochran (1977), Sampling Techniques, section 10.6. ``needed``: the labels per item that reach the
    target, however many they are.
    """
    step = 1 if study.agg.name == "mean" else 2
    target_k = [int(needed.value)] if np.isfinite(needed.value) else []
    ks = sorted({k for k in (*range(1, MOST + 1, step), *target_k) if cost.items(k) >= 2})
    rows = [(k, cost.items(k), reliability_at(study, k, point=True).value) for k in ks]
    known = [row for row in rows if np.isfinite(row[2])]
    common: dict[str, Any] = {"n_items": study.ann.n_items, "coefficient": study.req.coefficient.name}
    if not known:
        why = ("the reliability of the aggregate is undefined, or the budget buys fewer than two items",)
        return [
            Estimate("best labels per item", np.nan, warnings=why, **common)
        ], f"The budget cannot be planned: {why[0]}."
    best = max(known, key=lambda row: row[1] * row[2])
    details = {"budget": cost.budget, "cost": cost.label, "item_cost": cost.item, "counts": True,
               "split": [{"k": k, "items": n, "reliability": r, "effective_items": n * r} for k, n, r in known]}  # fmt: skip
    found = [Estimate("best labels per item", float(best[0]), title="Labels per item that make the best use of the budget", details=details, **common),
             Estimate("items at the best", float(best[1]), title="Items at that number of labels", details={"counts": True}, **common)]  # fmt: skip
    money = f"{cost.budget:,.6g} buys"
    most = (
        f"the most informative use is {best[1]:,} items with {_labels(best[0])} each (reliability {shown(best[2], 3)})"
    )
    enough = next((row for row in known if row[2] >= target), None)
    if enough is None:
        takes = f", which takes {target_k[0]:,} labels per item" if target_k else ""
        return found, f"{money} not even two items whose aggregates reach {target:g}{takes}; {most}."
    found.append(Estimate("items at the target", float(enough[1]), title=f"Items at a reliability of {target:g}",
                          details={"labels_per_item": enough[0], "counts": True}, **common))  # fmt: skip
    return (
        found,
        f"{money} {enough[1]:,} items with {_labels(enough[0])} each at a reliability of {target:g} or more; {most}.",
    )


def _labels(k: int) -> str:
    return f"{k} label{'' if k == 1 else 's'}"
