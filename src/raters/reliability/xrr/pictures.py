"""Charts of several pools: how much each labelled, how reliable each label is in each pool, and two normalisations side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from raters.annotations import Annotations
from raters.charts.chart import Chart
from raters.charts.heat import heat
from raters.charts.lines import curves
from raters.charts.points import scatter
from raters.errors import UsageError
from raters.items.folding import Query, python_values
from raters.reliability.xrr.result import CrossReliability

BUCKETS = 20


def items_by_labels(ann: Annotations, pool: str) -> dict[tuple[Any, int], int]:
    """(pool, labels of an item) -> items: the shape of Wong, Paritosh and Aroyo's Table 4."""
    query = Query(ann, group=pool)
    inner = f"SELECT grp, item, count(*) AS n FROM ({query.base}) AS b WHERE grp IS NOT NULL GROUP BY grp, item"
    got = query.run(f"SELECT grp, n, count(*) AS items FROM ({inner}) AS i GROUP BY grp, n ORDER BY grp, n")
    return {(g, int(n)): int(k) for g, n, k in zip(python_values(got["grp"]), got["n"], got["items"], strict=True)}


def items_by_labels_chart(ann: Annotations, pool: str) -> Chart:
    """The share of each pool's items with one label, two labels and so on."""
    found = items_by_labels(ann, pool)
    totals: dict[Any, int] = {}
    for (name, _), items in found.items():
        totals[name] = totals.get(name, 0) + items
    cells = [(str(name), str(n), items / totals[name]) for (name, n), items in found.items()]
    return heat(
        *zip(*cells, strict=True), row_title=pool, column_title="labels of an item",
        column_order=[str(n) for n in sorted({n for _, n in found})], name="items by labels",
        caption="Share of each pool's items by the number of labels it gave them.",
    )  # fmt: skip


def irr_histogram(rows: Sequence[CrossReliability]) -> Chart:
    """How many labels (or slices) have an IRR in each range, with a line for each pool: Figure 2 of the paper."""
    found: dict[str, dict[str, float]] = {}
    for r in rows:
        for pool, e in zip(r.pools, (r.irr_x, r.irr_y), strict=True):
            if math.isfinite(e.value):
                found.setdefault(pool, {})[str(r.slice)] = e.value
    if not found:
        raise UsageError("nothing to draw: no row has an IRR.")
    every = [v for values in found.values() for v in values.values()]
    low, high = min(0.0, *every), max(1.0, *every) if len(every) > 1 else 1.0
    edges = np.linspace(low, high, BUCKETS + 1)
    series = {}
    for pool, values in found.items():
        counts = np.histogram(list(values.values()), edges)[0]
        series[pool] = [(float((a + b) / 2), float(n), math.nan, math.nan) for a, b, n in zip(edges, edges[1:], counts, strict=False)]  # fmt: skip
    return curves(series, x="IRR", y="labels", legend="pool", name="irr", caption="How many labels have an IRR in each range, by pool.")  # fmt: skip


def rho_scatter(rows: Sequence[CrossReliability]) -> Chart:
    """Normalised kappa_x against the disattenuated correlation of item means, a point for each row: Figure 7 of the paper."""
    kept = [r for r in rows if math.isfinite(r.normalized.value) and math.isfinite(r.rho.value)]
    if not kept:
        raise UsageError("nothing to draw: no row has both a normalised kappa_x and a correlation of item means.")
    names = [f"{'' if r.slice is None else f'{r.slice}: '}{r.pools[0]} v. {r.pools[1]}" for r in kept]
    x, y = [r.normalized.value for r in kept], [r.rho.value for r in kept]
    both = (
        f" Their correlation is {np.corrcoef(x, y)[0, 1]:.3f}." if len(kept) > 2 and np.std(x) * np.std(y) > 0 else ""
    )
    return scatter(names, x, y, x="normalised kappa between the pools", y="correlation of item means, disattenuated", name="normalised and rho",
                   caption=f"Each row by two measures of replication.{both}")  # fmt: skip
