"""Is the part of the items that was labelled more than once like the rest?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.annotations import Annotations
from raters.estimate import Estimate
from raters.items.align import align
from raters.items.folding import Query

Array = NDArray[Any]
MOST_VALUES = 30


def compare_subset(ann: Annotations) -> list[Estimate]:
    """Items with several labels against items with one: their labels, and each other column with few values.

    The unit is the item, by its shares of labels (numbers: its mean), so that labels of one item do not count as
    independent. Wald's test with separate covariances; nothing to say where all or none of the items have several.
    """
    low, _, high = ann.per_item
    if low > 1 or high < 2:
        return []
    _, (items,) = align([ann])
    several = items.per_item > 1
    if ann.numeric and ann.scale in ("interval", "ratio"):
        x = (items.counts @ ann.keys.astype(float)) / items.per_item
        found = [_estimate(ann, "labels", several, x[:, None])]
    elif len(ann.labels) <= 200:
        found = [_estimate(ann, "labels", several, items.counts.toarray() / items.per_item[:, None])]
    else:
        found = []
    return [*found, *(e for column in ann.extras for e in _column(ann, column))]


def _column(ann: Annotations, column: str) -> list[Estimate]:
    query, name = Query(ann), ann.engine.quote(column)
    base = f"SELECT item, count(*) AS n, min({name}) AS least, max({name}) AS most FROM annotations GROUP BY item"
    got = query.run(
        f"SELECT least, n > 1 AS several, count(*) AS items FROM ({base}) AS i WHERE least = most GROUP BY least, n > 1 ORDER BY least"
    )
    values = list(dict.fromkeys(got["least"].tolist()))
    if not 2 <= len(values) <= MOST_VALUES:
        return []
    code = np.array([values.index(v) for v in got["least"].tolist()])
    times = got["items"].astype(np.int64)
    shares = np.eye(len(values))[np.repeat(code, times)]
    several = np.repeat(got["several"].astype(bool), times)
    return [_estimate(ann, f"column {column!r}", several, shares)] if several.any() and not several.all() else []


def _estimate(ann: Annotations, what: str, several: Array, x: Array) -> Estimate:
    """The greatest difference between the two parts, and the probability of such differences by chance."""
    a, b = x[several], x[~several]
    gap = a.mean(0) - b.mean(0)
    spread = sum(np.atleast_2d(np.cov(part.T, ddof=0)) / len(part) for part in (a, b))
    inverse = np.linalg.pinv(spread, hermitian=True)
    rank = int(np.linalg.matrix_rank(spread, hermitian=True))
    p = float(special.chdtrc(rank, gap @ inverse @ gap)) if rank else (1.0 if not np.abs(gap).max() > 0 else 0.0)
    same = "much like" if p >= 0.05 else "unlike"
    title = (
        f"The {len(a):,} items with several labels are {same} the {len(b):,} with one, by their {what} (p = {p:.3f})"
        + ("." if p >= 0.05 else ": reliability on the first says little about the others.")
    )
    at = int(np.abs(gap).argmax())
    return Estimate(f"several v. one: {what}", float(gap[at]), n_items=len(x), title=title, details={"p": p, "chisq": float(gap @ inverse @ gap), "df": rank})  # fmt: skip
