"""Whether the final label of sets would recur with other raters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.request import request
from raters.annotations import Annotations
from raters.errors import DataError, UsageError
from raters.estimate import Estimate, EstimateTable
from raters.inference.limits import IntervalSpec
from raters.items.align import align
from raters.items.repeats import check_repeats
from raters.reliability.krr.outcomes import of_labels
from raters.reliability.sets.comparing_sets import draws_of, of_draws
from raters.reliability.sets.terms import codes
from raters.tables import Reading, Source, table, takes_tables

Array = NDArray[Any]
DRAWS = 100


@takes_tables(fixed={"scale": "sets"})
def final_label_krr(
    ann: Source,
    k: int = 2,
    *,
    replications: int = DRAWS,
    interval: str | None = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> EstimateTable:
    """Would the final label recur? Draw two disjoint groups of k raters of an item, and compare the labels that all k of each group share.

    Rows: ``alpha`` (Krippendorff's, final sets as they are, none as a set of its own), ``recurs`` (the share of equal final sets) and ``none`` (the
    share of draws that share no label). Needs items with 2k sets.

    >>> import raters
    >>> sets = {"ann": ["joy", "awe"], "ben": ["joy"], "cat": ["joy"], "dan": ["awe"]}
    >>> rows = [(item, rater, labels) for item in ("q1", "q2") for rater, labels in sets.items()]
    >>> [e.name for e in final_label_krr(rows, 2, scale="sets", replications=20, interval=None)]
    ['alpha', 'recurs', 'none']
    """
    ann = table(ann)
    if ann.scale != "sets":
        raise UsageError(f"final_label_krr needs sets of labels; read {ann.source} with scale='sets'.")
    check_repeats(ann, None, None)
    names, (items,) = align([ann], group="rater")
    which = codes(items)
    kept = np.flatnonzero((which >= 0).sum(1) >= 2 * k)
    if len(kept) < 2:
        most = int((which >= 0).sum(1).max(initial=0))
        raise DataError(f"k={k} needs {2 * k} sets on an item, and the most is {most}: it goes up to k={most // 2}.")
    pairs, none = _final_pairs(ann, which[kept], k, replications, np.random.default_rng(seed))
    code = {s: i for i, s in enumerate(dict.fromkeys(x for row in pairs for pair in row for x in pair))}
    unit = np.repeat(np.arange(len(kept)), replications)
    at = np.array([[code[x], code[y]] for row in pairs for x, y in row])
    kinds, which_kind = np.unique(at, axis=0, return_inverse=True)
    shares = sparse.coo_array(
        (np.full(len(unit), 1 / replications), (unit, which_kind.ravel())), (len(kept), len(kinds))
    ).tocsr()
    plain = replace(ann, scale="nominal", labels=tuple(map(str, code)), keys=np.arange(len(code)), numeric=False)
    spec = IntervalSpec("bootstrap" if interval in (None, "auto") else interval, level, resamples, seed)
    said = (f"from the {len(kept):,} of {len(names):,} items that have {2 * k} sets",) if len(kept) < len(names) else ()
    rows = []
    for name, coefficient, title in (
        ("alpha", "krippendorff", "alpha of final labels"),
        ("recurs", "percent", "share of final labels that recur"),
    ):
        stat = of_labels(request(coefficient, interval=None), plain, np.ones(len(kept)), shares, kinds)
        draws = None if interval is None else draws_of([stat], len(kept), spec)[0]  # type: ignore[list-item]
        value = float(stat.parts(stat.weight[None]).value[0])
        rows.append(
            of_draws(
                name,
                f"{title} of {k} raters",
                value,
                draws,
                len(kept),
                spec,
                coefficient=coefficient,
                warnings=said,
                details={"k": k},
            )
        )
    rows.append(
        Estimate(
            "none",
            none,
            n_items=len(kept),
            title=f"share of draws of {k} raters that share no label",
            warnings=said,
            details={"k": k},
        )
    )
    return EstimateTable(tuple(rows), of="figure")


def _final_pairs(
    ann: Annotations, which: Array, k: int, draws: int, rng: np.random.Generator
) -> tuple[list[list[tuple[Any, Any]]], float]:
    """Of each item, pairs of final sets from disjoint draws of k raters; and how often a draw shares nothing."""
    sets = [frozenset(s) for s in ann.labels]
    found, empty = [], 0
    for row in which:
        given = row[row >= 0]
        own = []
        for _ in range(draws):
            order = rng.permutation(given)
            a, b = (frozenset.intersection(*(sets[c] for c in order[i : i + k])) for i in (0, k))
            empty += (not a) + (not b)
            own.append((tuple(sorted(map(str, a))), tuple(sorted(map(str, b)))))
        found.append(own)
    return found, empty / (2 * draws * len(which))
