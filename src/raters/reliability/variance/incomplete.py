"""Two-way intraclass correlations if not every rater rated every item: components by REML, profile limits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array
from scipy.sparse.csgraph import connected_components

from raters.annotations import Annotations
from raters.estimate import Estimate
from raters.inference.intervals import IntervalSpec
from raters.items.align import align
from raters.items.products import label_unit
from raters.reliability.variance.components import spearman_brown
from raters.reliability.variance.reml import MOST_SIDE, NO_PROFILE, Cells, Fit, Ratio, fit, harmonic_k, rater_share

Array = NDArray[Any]
TITLES = {
    "ICC(C,1)": "ICC(C,1), consistency of a single rating",
    "ICC(C,k)": "ICC(C,k), consistency of the mean of k ratings",
    "ICC(A,1)": "ICC(A,1), agreement of a single rating",
    "ICC(A,k)": "ICC(A,k), agreement of the mean of k ratings",
    "ICC(Q,k)": "ICC(Q,k), the item means of this design",
}
OVER_ITEMS = (
    "the interval is a profile interval: resampling items holds the raters fixed, which is too narrow with empty cells"
)


@dataclass(frozen=True)
class Design:
    """Who rated what, and its consequences for a mean: the harmonic mean of the number of ratings, and q."""

    cells: Cells
    unit: float
    k: float
    q: float
    blocks: int
    """The number of disconnected blocks of raters and items."""

    @property
    def reason(self) -> str:
        """Why nothing can be estimated; empty if it can."""
        if self.cells.per_item.max(initial=0) < 2:
            return "no item has two ratings, so item variance and noise cannot be separated"
        if self.cells.per_rater.max(initial=0) < 2:
            return "no rater rated two items, so rater variance and noise cannot be separated: use the one-way forms"
        if self.cells.squares == 0:
            return "all ratings are equal, so there is no variance to explain"
        if min(self.cells.where.shape) > MOST_SIDE:
            return f"more than {MOST_SIDE:,} items and as many raters are too many for REML here; use the one-way forms"
        return ""


def read_design(ann: Annotations) -> Design:
    """The cells of a table."""
    _, (items,) = align([ann], group="rater")
    counts = items.counts.tocoo()
    unit = label_unit(ann)
    rating = (ann.keys.astype(float) / unit)[counts.col % items.width]
    _, rater = np.unique(counts.col // items.width, return_inverse=True)
    cells = Cells.of(counts.row, rater, rating)
    graph = block_array([[None, cells.where], [cells.where.T, None]])
    n_blocks = int(connected_components(graph, directed=False)[0])
    return Design(cells, unit, harmonic_k(cells.per_item), rater_share(cells.where, cells.per_item), n_blocks)


def reml_rows(ann: Annotations, k: float | None, interval: str | None, spec: IntervalSpec) -> list[Estimate]:
    """The two-way forms of a table with empty cells, and the reliability of its item means."""
    design = read_design(ann)
    counts: dict[str, Any] = {
        "n_items": ann.n_items, "n_raters": ann.n_raters, "n_annotations": design.cells.n, "level": spec.level, "coefficient": "icc",
    }  # fmt: skip
    if design.reason:
        return [
            Estimate(name, math.nan, title=title, warnings=(design.reason,), **counts) for name, title in TITLES.items()
        ]
    found, mean_of = fit(design.cells), design.k if k is None else float(k)
    said = _said(design, found, k, interval)
    single = {"C": Ratio(0.0, 1.0), "A": Ratio(1.0, 1.0)}
    limits = {name: _limits(ratio, found, interval, spec.level) for name, ratio in single.items()}
    details = _details(design, found)
    rows = []
    for name, title in TITLES.items():
        kind, many = name[4], name.endswith("k)")
        if kind == "Q":
            ratio = Ratio(design.q, 1 / design.k)
            low, high = _limits(ratio, found, interval, spec.level)
        else:
            ratio = Ratio(single[kind].r / mean_of, 1 / mean_of) if many else single[kind]
            low, high = (float(spearman_brown(x, mean_of)) if many else x for x in limits[kind])
        own = {**details, "k": design.k if kind == "Q" else mean_of if many else 1.0}
        rows.append(
            Estimate(name, ratio.value(found.components), low, high, ratio.se(found), title=title, warnings=said,
                     interval=_method(design) if math.isfinite(low) else None, sampled="items and raters", details=own, **counts)
        )  # fmt: skip
    return rows


def _method(design: Design) -> str:
    return "profile" if min(design.cells.where.shape) <= NO_PROFILE else "delta"


def _limits(ratio: Ratio, found: Fit, interval: str | None, level: float) -> tuple[float, float]:
    return (math.nan, math.nan) if interval is None or found.components[2] <= 0 else ratio.limits(found, level)


def _details(design: Design, found: Fit) -> dict[str, Any]:
    """Components in the squared unit of the labels; both averages of the number of ratings."""
    scale = design.unit * design.unit
    s, r, e = (x * scale for x in found.components)
    return {
        "var_item": s, "var_rater": r, "var_error": e, "reml_criterion": found.criterion + 2 * (design.cells.n - 1) * math.log(design.unit),
        "k_harmonic": design.k, "q": design.q, "estimator": "REML",
    }  # fmt: skip


def _said(design: Design, found: Fit, k: float | None, interval: str | None) -> tuple[str, ...]:
    items, raters = design.cells.where.shape
    empty = items * raters - design.cells.n
    mean = f"{design.k:.4g} ratings per item, their harmonic mean" if k is None else f"{k:g} ratings, as requested"
    said = [
        f"{empty:,} of {items * raters:,} cells (items x raters) are empty: components by REML, k-forms for means of {mean}"
    ]
    if design.blocks > 1:
        said.append(
            f"{design.blocks} blocks of raters share no item: agreement across blocks assumes that items were assigned at random"
        )
    for ratio, what in zip(found.ratios, ("items", "raters"), strict=True):
        if ratio == 0:
            said.append(f"the variance of {what} is estimated as 0, on the boundary")
    if interval not in (None, "auto"):
        said.append(OVER_ITEMS)
    return tuple(said)
