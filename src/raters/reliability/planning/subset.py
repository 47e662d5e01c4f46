"""Are the items that were labelled more than once like the rest?

Each item is one unit with one label: from an item with several labels, one is drawn. If the items with one label are a
random subset, any subset of the same size is equally likely, so the test is exact for any number of items.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.annotations import Annotations
from raters.estimate import Estimate
from raters.items import Items
from raters.items.align import align
from raters.items.folding import Query

Array = NDArray[Any]
MOST_VALUES = 30
LEAST = 5
"""With fewer items than this in one of the two parts, no comparison is made."""
SHUFFLES = 4999
MOST_SHUFFLED = 20_000
"""Means of more items than this are compared by the normal distribution."""
LEVEL = 0.05


def compare_subset(ann: Annotations, seed: int = 0) -> list[Estimate]:
    """Compare items with several labels with items with one: their labels, and every other column with few values.

    p-values are adjusted for the number of comparisons (Holm): if the two parts do not differ, at most 5 % of tables
    are reported as different. No comparison is made if all or none of the items have several labels, or if one part is
    too small.
    """
    low, _, high = ann.used.per_item
    if low > 1 or high < 2:
        return []
    rng = np.random.default_rng(seed)
    _, (items,) = align([ann])
    several = items.per_item > 1
    code = _one_each(items, rng)
    if ann.numeric and ann.scale.amounts:
        found = _of_means(ann, several, ann.keys.astype(float)[code], rng)
    else:
        found = _of_shares(ann, "labels", several, code, len(ann.labels), rng)
    return _adjusted([*found, *(e for column in ann.extras for e in _column(ann, column, rng))])


def _one_each(items: Items, rng: np.random.Generator) -> Array:
    """(item,): the code of one label of each item, drawn with equal probabilities."""
    counts = items.merged().counts
    ends = np.cumsum(counts.data)
    start = np.concatenate([[0.0], ends])[counts.indptr[:-1]]
    at = np.searchsorted(ends, start + rng.random(len(start)) * items.per_item, "right")
    return np.asarray(counts.indices[np.minimum(at, counts.indptr[1:] - 1)])


def _column(ann: Annotations, column: str, rng: np.random.Generator) -> list[Estimate]:
    query, name = Query(ann), ann.engine.quote(column)
    each = "count(DISTINCT rater)" if ann.used.left_out else "count(*)"
    base = f"SELECT item, {each} AS n, min({name}) AS least, max({name}) AS most FROM annotations GROUP BY item"
    got = query.run(
        f"SELECT least, n > 1 AS several, count(*) AS items FROM ({base}) AS i WHERE least = most GROUP BY least, n > 1"
        " ORDER BY least"
    )
    values = list(dict.fromkeys(got["least"].tolist()))
    if not 2 <= len(values) <= MOST_VALUES:
        return []
    times = got["items"].astype(np.int64)
    code = np.repeat([values.index(v) for v in got["least"].tolist()], times)
    return _of_shares(ann, f"column {column!r}", np.repeat(got["several"].astype(bool), times), code, len(values), rng)


def _of_shares(
    ann: Annotations, what: str, several: Array, code: Array, values: int, rng: np.random.Generator
) -> list[Estimate]:
    """The largest difference of shares, and how often a random subset of the same size is as far from all the items."""
    table = np.stack([np.bincount(code[part], minlength=values) for part in (several, ~several)])
    table = table[:, table.sum(0) > 0]
    if table.sum(1).min() < LEAST or table.shape[1] < 2:
        return []
    margin, n = table.sum(0), table.sum(1)
    drawn = rng.multivariate_hypergeometric(margin, int(n[1]), SHUFFLES, method="marginals")
    centre = margin * n[1] / n.sum()
    # for fixed margins Pearson's chi-square is this sum times a constant
    far, seen = (((x - centre) ** 2 / margin).sum(-1) for x in (drawn, table[1]))
    p = float((1 + (far >= seen - 1e-9 * max(seen, 1)).sum()) / (1 + SHUFFLES))
    gap = table[0] / n[0] - table[1] / n[1]
    chisq = float(seen * n.sum() ** 2 / (n[0] * n[1]))
    return [_estimate(what, n, float(gap[np.abs(gap).argmax()]), p, {"chisq": chisq, "df": table.shape[1] - 1})]


def _of_means(ann: Annotations, several: Array, x: Array, rng: np.random.Generator) -> list[Estimate]:
    """The difference of means, and how often the mean of a random subset of the same size is as far from the overall
    mean.
    """
    n = np.array([several.sum(), (~several).sum()])
    if n.min() < LEAST or not x.std() > 0:
        return []
    spread_of_all = float(x.std())
    x = (x - x.mean()) / spread_of_all
    seen = abs(float(x[~several].sum()))
    if len(x) > MOST_SHUFFLED:  # sampling without replacement from all the items
        spread = float(np.sqrt(n[0] * n[1] / (len(x) - 1)))
        p = float(2 * special.ndtr(-seen / spread))
    else:
        step = max(1, 2_000_000 // len(x))
        sizes = [min(step, SHUFFLES - i) for i in range(0, SHUFFLES, step)]
        far = np.concatenate([rng.permuted(np.tile(x, (k, 1)), axis=1)[:, : n[1]].sum(1) for k in sizes])
        p = float((1 + (np.abs(far) >= seen - 1e-9).sum()) / (1 + SHUFFLES))
    gap = float(x[several].mean() - x[~several].mean()) * spread_of_all
    return [_estimate("labels", n, gap, p, {})]


def _estimate(what: str, n: Array, gap: float, p: float, more: dict[str, Any]) -> Estimate:
    details = {"p": p, "items_several": int(n[0]), "items_one": int(n[1]), "what": what, **more}
    return Estimate(f"several v. one: {what}", gap, n_items=int(n.sum()), details=details)


def _adjusted(found: list[Estimate]) -> list[Estimate]:
    """Holm's adjustment, and the sentence that it allows."""
    order = sorted(range(len(found)), key=lambda i: float(found[i].details["p"]))
    least, made = 0.0, list(found)
    for rank, i in enumerate(order):
        least = max(least, min(1.0, float(found[i].details["p"]) * (len(found) - rank)))
        d = {**found[i].details, "p_alone": found[i].details["p"], "p": least}
        several, one = f"The {d['items_several']:,} items with several labels", f"the {d['items_one']:,} with one"
        title = (
            f"{several} differ from {one} in their {d['what']} (p = {least:.2g}), so reliability on the former says"
            " little about the latter."
            if least < LEVEL
            else f"{several} do not differ detectably from {one} in their {d['what']} (p = {least:.2g})."
        )
        made[i] = replace(found[i], title=title, details=d)
    return made
