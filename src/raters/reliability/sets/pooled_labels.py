"""One kappa for all labels, each treated as present or absent, pooled over labels and pairs of raters."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from raters.coefficients.base import Parts, safe_divide
from raters.errors import DataError, UsageError
from raters.estimate import Estimate
from raters.inference.intervals import NO_INTERVAL, IntervalSpec
from raters.inference.intervals import interval as interval_of
from raters.inference.statistic import Linear
from raters.io.any_table import Reading, Source, table, takes_tables
from raters.items.align import items_by_name
from raters.items.folding import check_repeats
from raters.reliability.sets.terms import Sets, codes

Array = NDArray[Any]
MOST_LABELS = 500


@takes_tables(fixed={"scale": "sets"})
def per_label_pooled(
    ann: Source, *, interval: str | None = "auto", level: float = 0.95, resamples: int = 2000, seed: int = 0, **reading: Unpack[Reading]
) -> Estimate:  # fmt: skip
    r"""Kappa over labels treated as present or absent, pooled: :math:`1 - \sum_k D_o(k) / \sum_k D_e(k)`.

    Joint absence of a label counts as agreement on it. Chance is Cohen's, from each rater's own rate of each label; disagreement is summed over labels and pairs of
    raters before it is divided (Hubert's way). Marchal et al. (2022) describe a measure of Bhowmick et al. (2008) that
    counts joint absence; we did not have access to that paper, so this has a name of its own.

    >>> from raters.io import read
    >>> table = [("1", "A", "A"), ("2", "B", "B;C"), ("3", "A;B", "A;B"), ("4", "C", "C")]
    >>> rows = [(i, who, s) for i, x, y in table for who, s in (("c1", x), ("c2", y))]
    >>> round(per_label_pooled(read(rows, scale="sets", sep=";"), interval=None).value, 4)
    0.8333
    """
    ann = table(ann)
    if ann.scale != "sets":
        raise UsageError(f"per_label_pooled needs sets of labels; read {ann.source} with scale='sets'.")
    if len(ann.members) > MOST_LABELS:
        raise UsageError(f"{len(ann.members):,} labels are more than {MOST_LABELS}; use alpha_masi.")
    check_repeats(ann, None, None)
    _, items = items_by_name(ann, "rater")
    which, has = codes(items), Sets(ann.labels, ann.members).has.toarray()
    q = has.shape[1]
    pairs = [
        (a, b) for a, b in combinations(range(len(items.groups)), 2) if ((which[:, a] >= 0) & (which[:, b] >= 0)).any()
    ]
    if not pairs:
        raise DataError("no two raters share an item, so nothing can be compared.")
    blocks = []
    for a, b in pairs:
        both = ((which[:, a] >= 0) & (which[:, b] >= 0)).astype(float)[:, None]
        x, y = has[np.maximum(which[:, a], 0)] * both, has[np.maximum(which[:, b], 0)] * both
        blocks.append(np.concatenate([both, x, y, np.abs(x - y)], 1))
    terms = np.stack(blocks, 1).reshape(len(which), -1)

    def parts(sums: Array) -> Parts:
        s = sums.reshape(*sums.shape[:-1], len(pairs), 1 + 3 * q)
        n = s[..., :1]
        p, r = safe_divide(s[..., 1 : 1 + q], n), safe_divide(s[..., 1 + q : 1 + 2 * q], n)
        there = (n.real > 0) * 1.0
        observed = (np.where(there > 0, safe_divide(s[..., 1 + 2 * q :], n), 0)).sum((-1, -2))
        expected = (np.where(there > 0, p * (1 - r) + r * (1 - p), 0)).sum((-1, -2))
        return Parts(observed, expected, 0.0)

    stat = Linear(np.ones(len(terms)), terms, parts)
    at = stat.parts(stat.weight[None])
    value = float(at.value[0])
    spec = (
        None
        if interval is None
        else IntervalSpec("bootstrap" if interval == "auto" else interval, level, resamples, seed)
    )
    found = NO_INTERVAL if spec is None else interval_of(stat, value, spec)
    why = (
        ()
        if np.isfinite(value)
        else ("every rater gives every label always or never, so chance alone explains all agreement",)
    )
    return Estimate(
        "per_label_pooled", value, found.low, found.high, found.se, level=level, interval=found.method or None, observed=float(at.observed[0]),
        expected=float(at.expected[0]), parts="disagreement", n_items=len(terms), n_raters=len(items.groups), n_annotations=int((which >= 0).sum()),
        coefficient="per_label_pooled", title="Kappa of labels as present or absent, pooled", warnings=(*why, *found.warnings),
    )  # fmt: skip
