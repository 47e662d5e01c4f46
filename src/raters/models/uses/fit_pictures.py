"""Charts of the annotation paper: prevalence estimated in three ways, and the information in the labels of two pools."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from raters.charts.bars import grouped_bars
from raters.charts.chart import Chart
from raters.errors import UsageError
from raters.estimate import EstimateTable
from raters.models.fitted_model import FittedModel
from raters.models.uses.expert_tables import prevalences

BUCKETS = 15


def prevalence_chart(c: FittedModel, experts: Mapping[Any, Any] | None = None) -> Chart:
    """The share of each label in all labels as given, in the vote, in the model, and in the experts' labels: Figure 4 of Passonneau and Carpenter."""
    table = prevalences(c, experts)
    series = {name: shares for name, shares in table.items() if name != "label"}
    return grouped_bars(
        table["label"], series, x="label", y="share", name="prevalence",
        caption="Share of each label in the labels as given, in the vote, and in the model.",
    )  # fmt: skip


def information_chart(pools: Mapping[str, EstimateTable]) -> Chart:
    """The distribution of bits per label over the raters of each pool: Figure 8.

    ``pools``: name -> :func:`raters.information` of that pool's consensus.
    """
    values = {name: np.array([e.value for e in t if np.isfinite(e.value)]) for name, t in pools.items()}
    if not any(len(v) for v in values.values()):
        raise UsageError("nothing to draw: no rater's information is known.")
    top = max(float(v.max()) for v in values.values() if len(v)) or 1.0
    edges = np.linspace(0, top, BUCKETS + 1)
    shares = {name: (np.histogram(v, edges)[0] / max(len(v), 1)).tolist() for name, v in values.items()}
    middle = [f"{(a + b) / 2:.2f}" for a, b in pairwise(edges)]
    means = ", ".join(f"{name} {v.mean():.2f} ({len(v)} raters)" for name, v in values.items() if len(v))
    return grouped_bars(
        middle, shares, x="bits in a label", y="share of raters", name="information",
        caption=f"Information in a label of each rater, by pool. Means: {means}.",
    )  # fmt: skip
