"""Whether the final label of an item with label sets would recur with other raters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.agree.agreement_spec import request
from raters.annotations import Annotations
from raters.errors import DataError, UsageError
from raters.estimate import Estimate, EstimateTable
from raters.inference.limits import IntervalSpec
from raters.inference.statistic import Linear
from raters.io.any_table import Reading, Source, table, takes_tables
from raters.items.align import align
from raters.items.folding import check_repeats, need_sets
from raters.reliability.krr.aggregates import of_labels
from raters.reliability.sets.comparing import draws_of, of_draws
from raters.reliability.sets.measures import TITLES
from raters.reliability.sets.statistics import Options as SetOptions
from raters.reliability.sets.statistics import Sets, codes, statistics, two_raters
from raters.scales.scale import Scale

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
    """Estimate whether the final label would recur: draw two disjoint groups of k raters of an item, and compare the
    labels that all k of each group share.

    Rows: ``alpha`` (Krippendorff's, on whole final sets, with the empty set as a label of its own), ``recurs`` (the
    share of equal final sets) and ``none`` (the share of draws that share no label). Needs items with 2k sets.

    >>> sets = {"ann": ["joy", "awe"], "ben": ["joy"], "cat": ["joy"], "dan": ["awe"]}
    >>> rows = [(item, rater, labels) for item in ("q1", "q2") for rater, labels in sets.items()]
    >>> [e.name for e in final_label_krr(rows, 2, scale="sets", replications=20, interval=None)]
    ['alpha', 'recurs', 'none']
    """
    pairs = drawn_pairs(table(ann), k, replications, seed)
    n = len(pairs.kept)
    kinds, which_kind = np.unique(pairs.at, axis=0, return_inverse=True)
    shares = sparse.coo_array(
        (np.full(len(pairs.unit), 1 / replications), (pairs.unit, which_kind.ravel())), (n, len(kinds))
    ).tocsr()
    plain = replace(
        pairs.ann,
        scale=Scale.nominal,
        labels=tuple(map(str, pairs.sets)),
        keys=np.arange(len(pairs.sets)),
        numeric=False,
    )
    spec = IntervalSpec("bootstrap" if interval in (None, "auto") else interval, level, resamples, seed)
    said = pairs.said
    rows = []
    for name, coefficient, title in (
        ("alpha", "krippendorff", "alpha of final labels"),
        ("recurs", "percent", "share of final labels that recur"),
    ):
        stat = of_labels(request(coefficient, interval=None), plain, np.ones(n), shares, kinds)
        draws = None if interval is None else draws_of([stat], n, spec)[0]  # type: ignore[list-item]
        value = float(stat.parts(stat.weight[None]).value[0])
        rows.append(
            of_draws(
                name,
                f"{title} of {k} raters",
                value,
                draws,
                n,
                spec,
                coefficient=coefficient,
                warnings=said,
                details={"k": k},
            )
        )
    rows.append(
        Estimate(
            "none",
            pairs.none,
            n_items=n,
            title=f"share of draws of {k} raters that share no label",
            warnings=said,
            details={"k": k},
        )
    )
    return EstimateTable(tuple(rows), of="figure")


@dataclass(frozen=True, eq=False)
class FinalPairs:
    """Final sets of two disjoint draws of k raters, for each item that has enough of them."""

    ann: Annotations
    kept: Array
    sets: tuple[tuple[str, ...], ...]
    at: Array
    """(item and draw, 2): codes of the two final sets."""
    unit: Array
    """(item and draw,): the position of the item."""
    none: float
    """The share of draws whose raters share no label."""
    said: tuple[str, ...]


def drawn_pairs(ann: Annotations, k: int, replications: int, seed: int) -> FinalPairs:
    """Two disjoint draws of k raters of every item that has 2k sets, many times."""
    need_sets(ann, "final_label_krr")
    check_repeats(ann, None, None)
    names, (items,) = align([ann], group="rater")
    which = codes(items)
    kept = np.flatnonzero((which >= 0).sum(1) >= 2 * k)
    if len(kept) < 2:
        most = int((which >= 0).sum(1).max(initial=0))
        raise DataError(f"k={k} needs {2 * k} sets on an item, but the most is {most}: use k={most // 2} or less.")
    pairs, none = _final_pairs(ann, which[kept], k, replications, np.random.default_rng(seed))
    code = {s: i for i, s in enumerate(dict.fromkeys(x for row in pairs for pair in row for x in pair))}
    at = np.array([[code[x], code[y]] for row in pairs for x, y in row])
    said = (f"from the {len(kept):,} of {len(names):,} items that have {2 * k} sets",) if len(kept) < len(names) else ()
    return FinalPairs(ann, kept, tuple(code), at, np.repeat(np.arange(len(kept)), replications), none, said)


def final_label_measure(
    ann: Annotations,
    k: int | None,
    measure: str,
    replications: int | None,
    options: Mapping[str, Any],
    beside: Mapping[str, Any],
) -> Estimate:
    """A measure of :func:`raters.multilabel` between the final labels of two disjoint draws of k raters; if they share
    none, the final label is the empty set.

    ``beside``: other options of :func:`raters.krr`, which do not apply here.
    """
    unused = [name for name, value in beside.items() if value is not None and (name, value) != ("method", "split")]
    if unused:
        raise UsageError(
            f"{unused[0]}= does not apply to {measure}: the final label is what all k raters share. Omit it."
        )
    many = replications or DRAWS
    k = 1 if k is None else int(k)
    interval = options.get("interval", "auto")
    if interval not in ("auto", "bootstrap", None):
        raise UsageError(f"interval={interval!r}: measures of sets take interval='bootstrap' (over items) or None.")
    spec = IntervalSpec("bootstrap", options.get("level", 0.95), options.get("resamples", 2000), options.get("seed", 0))
    pairs = drawn_pairs(ann, k, many, spec.seed)
    sets, n = Sets(pairs.sets, tuple(map(str, ann.members))), len(pairs.kept)
    terms = two_raters(np.ones(len(pairs.unit)), pairs.at[:, 0], pairs.at[:, 1], sets, SetOptions())
    stat = statistics(terms, SetOptions())[0][measure]
    gather = sparse.csr_array(
        (np.full(len(pairs.unit), 1 / many), (pairs.unit, np.arange(len(pairs.unit)))), (n, len(pairs.unit))
    )
    whole = gather @ sparse.csr_array(stat.terms)
    by_item = Linear(np.ones(n), whole.toarray() if isinstance(stat.terms, np.ndarray) else whole, stat.function)
    p = by_item.parts(by_item.weight[None])
    draws = None if interval is None else draws_of([by_item], n, spec)[0]
    what = "single sets" if k == 1 else f"the final label of {k} raters"
    return of_draws(
        "krr",
        f"The reliability of {what} ({TITLES[measure]})",
        float(p.value[0]),
        draws,
        n,
        spec,
        coefficient=measure,
        warnings=pairs.said,
        observed=float(p.observed[0]),
        expected=float(p.expected[0]),
        n_raters=ann.n_raters,
        n_annotations=ann.n_annotations,
        details={"k": k, "method": "split", "aggregate": "final label", "extrapolated": False, "none": pairs.none},
    )


def final_label_curve(
    ann: Annotations,
    ks: Iterable[int],
    measure: str,
    replications: int | None,
    options: Mapping[str, Any],
    beside: Mapping[str, Any],
) -> EstimateTable:
    """The measure at k = 1 and at every k up to half the sets of an item."""
    most = int(ann.used.per_item[2]) // 2
    asked = sorted({1, *ks})
    kept = [k for k in asked if k <= most] if asked[-1] > most >= 1 and len(asked) > 2 else asked
    rows = [final_label_measure(ann, k, measure, replications, options, beside) for k in kept]
    return EstimateTable(
        tuple(replace(e, name="IRR (k = 1)" if k == 1 else f"k = {k}") for k, e in zip(kept, rows, strict=True)), of="k"
    )


def _final_pairs(
    ann: Annotations, which: Array, k: int, draws: int, rng: np.random.Generator
) -> tuple[list[list[tuple[Any, Any]]], float]:
    """Pairs of final sets of each item, from disjoint draws of k raters; and how often a draw shares nothing."""
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
