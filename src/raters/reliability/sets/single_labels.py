"""Each item's own sets: how well they match, which label is final, and who decided it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from raters.agree.agreement import per_item as per_item_of_labels
from raters.annotations import Annotations
from raters.coefficients.base import Parts, safe_divide
from raters.errors import DataError, UsageError
from raters.estimate import Estimate, EstimateTable, name_of
from raters.inference.intervals import NO_INTERVAL
from raters.inference.intervals import interval as interval_of
from raters.inference.limits import spec_for
from raters.inference.statistic import Linear
from raters.io.any_table import Source, table
from raters.items.align import items_by_name
from raters.items.folding import check_repeats, need_sets
from raters.notes.note import Note
from raters.options import asks, filled
from raters.options.declared import Inference, OfItems
from raters.reliability.sets.measures import ROWS
from raters.reliability.sets.multilabel import multilabel
from raters.reliability.sets.statistics import Options, Sets, codes
from raters.spans import asking
from raters.spans.asking import or_of_spans

Array = NDArray[Any]


@or_of_spans(asking.per_item)
@asks()
def per_item(
    ann: Source, coefficient: str = "krippendorff", *, group: str | None = None, **options: Unpack[OfItems]
) -> EstimateTable:
    """Each item's own agreement, relative to chance in the whole table: which items are hard?

    The value is (item's observed - expected) / (perfect - expected); an item with one label has none.

    For sets of labels, also the measures of :func:`raters.multilabel` (``"boot_match"``, ``"augmented"``, ...).
    ``details`` of each item are then its ``sets`` (rater -> labels), ``match`` and ``f1`` (means over its pairs of
    raters), ``final`` (the labels that all its raters share), ``decided_by`` (raters whose whole set became final
    although others gave more) and ``adjudicate`` (whether no label is shared, or several are).

    >>> import raters
    >>> found = per_item(raters.examples.four_raters())
    >>> len(found), f"{found[0]:.2f}"
    (12, '1.00')
    """
    if coefficient not in ROWS:
        return per_item_of_labels(ann, coefficient, group=group, **options)
    ann = table(ann)
    need_sets(ann, coefficient)
    return EstimateTable(tuple(_rows(ann, coefficient)), of="item")


def _rows(ann: Annotations, measure: str) -> list[Estimate]:
    overall = multilabel(ann, interval=None)[measure]
    names, items = items_by_name(ann, "rater")
    sets, which = Sets(ann.labels, ann.members), codes(items)
    made = []
    for i, name in enumerate(names):
        at = np.flatnonzero(which[i] >= 0)
        given = {str(items.groups[g]): tuple(ann.labels[which[i, g]]) for g in at}
        made.append(_one(overall, name_of(name), measure, given, which[i, at], sets))
    return made


def _one(
    overall: Estimate, name: str, measure: str, given: Mapping[str, tuple[Any, ...]], which: Array, sets: Sets
) -> Estimate:
    n = len(which)
    common: dict[str, Any] = {
        "n_items": 1,
        "n_annotations": n,
        "n_raters": n,
        "low": np.nan,
        "high": np.nan,
        "se": np.nan,
    }
    details: dict[str, Any] = {"sets": {k: list(v) for k, v in given.items()}}
    if n < 2:
        why = (Note("item_of_one_rater"),)
        return replace(overall, name=name, value=np.nan, observed=np.nan, notes=why, details=details, **common)
    a, b = np.triu_indices(n, 1)
    seen = {m: v.mean() for m, v in sets.observed(which[a], which[b], Options().both_empty).items()}
    shared = set.intersection(*(set(v) for v in given.values()))
    final = [k for k in sets.members if k in shared]
    smallest = [r for r, v in given.items() if set(v) == shared]
    details |= {
        "match": float(seen["boot_match"]),
        "f1": float(seen["boot_f1"]),
        "final": final,
        "decided_by": smallest if final and len(smallest) < n else [],
        "adjudicate": len(final) != 1,
    }
    chance = overall.expected
    value = (float(seen[measure]) - chance) / (1 - chance) if chance < 1 else np.nan
    return replace(overall, name=name, value=value, observed=float(seen[measure]), notes=(), details=details, **common)


MOST_LABELS = 500


@asks()
def per_label_pooled(
    ann: Source,
    **options: Unpack[Inference],
) -> Estimate:
    r"""Kappa over labels treated as present or absent, pooled: :math:`1 - \sum_k D_o(k) / \sum_k D_e(k)`.

    Joint absence of a label counts as agreement on it. Chance is Cohen's, from each rater's own rate of each label;
    disagreement is summed over labels and pairs of raters before it is divided (Hubert's way). Marchal et al. (2022)
    describe a measure of Bhowmick et al. (2008) that counts joint absence; we did not have access to that paper, so
    this has a name of its own.

    >>> from raters.io.read import read
    >>> table = [("1", "A", "A"), ("2", "B", "B;C"), ("3", "A;B", "A;B"), ("4", "C", "C")]
    >>> rows = [(i, who, s) for i, x, y in table for who, s in (("c1", x), ("c2", y))]
    >>> round(per_label_pooled(read(rows, scale="sets", sep=";"), interval=None).value, 4)
    0.8333
    """
    ann = table(ann, scale="sets")
    need_sets(ann, "per_label_pooled")
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
    given = filled(Inference, options)
    spec = spec_for(given)
    found = NO_INTERVAL if spec is None else interval_of(stat, value, spec)
    why = () if np.isfinite(value) else (Note("labels_always_or_never"),)
    return Estimate(
        "per_label_pooled",
        value,
        found.low,
        found.high,
        found.se,
        level=given["level"],
        interval=found.method or None,
        observed=float(at.observed[0]),
        expected=float(at.expected[0]),
        parts="disagreement",
        n_items=len(terms),
        n_raters=len(items.groups),
        n_annotations=int((which >= 0).sum()),
        coefficient="per_label_pooled",
        title="Kappa of labels as present or absent, pooled",
        notes=(*why, *found.notes),
    )
