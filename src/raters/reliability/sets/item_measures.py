"""Each item's own sets: how well they match, which label is final, and who decided it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from raters.agree.agreement import per_item as per_item_of_labels
from raters.agree.agreement_spec import Options as AgreeOptions
from raters.agree.agreement_spec import takes_options
from raters.annotations import Annotations
from raters.errors import UsageError
from raters.estimate import Estimate, EstimateTable, name_of
from raters.io.any_table import Source, table
from raters.items.align import items_by_name
from raters.reliability.sets.measures import multilabel
from raters.reliability.sets.rows import ROWS
from raters.reliability.sets.terms import Options, Sets, codes

Array = NDArray[Any]


@takes_options()
def per_item(
    ann: Source, coefficient: str = "krippendorff", *, group: str | None = None, **options: Unpack[AgreeOptions]
) -> EstimateTable:
    """Each item's own agreement, relative to chance in the whole table: which items are hard?

    The value is (item's observed - expected) / (perfect - expected); an item with one label has none.

    For sets of labels, also the measures of :func:`raters.multilabel` (``"boot_match"``, ``"augmented"``, ...). ``details`` of each item are then its
    ``sets`` (rater -> labels), ``match`` and ``f1`` (means over its pairs of raters), ``final`` (the labels that all its raters share),
    ``decided_by`` (raters whose whole set became final although others gave more) and ``adjudicate`` (whether no label is shared, or several are).

    >>> import raters
    >>> found = per_item(raters.examples.four_raters())
    >>> len(found), f"{found[0]:.2f}"
    (12, '1.00')
    """
    if coefficient not in ROWS:
        return per_item_of_labels(ann, coefficient, group=group, **options)
    ann = table(ann)
    if ann.scale != "sets":
        raise UsageError(f"{coefficient} applies to sets of labels; read {ann.source} with scale='sets'.")
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
        why = ("the item was labelled by only one rater, so nothing can be compared",)
        return replace(overall, name=name, value=np.nan, observed=np.nan, warnings=why, details=details, **common)
    a, b = np.triu_indices(n, 1)
    seen = {m: v.mean() for m, v in sets.observed(which[a], which[b], Options().both_empty).items()}
    shared = set.intersection(*(set(v) for v in given.values()))
    final = [k for k in sets.members if k in shared]
    smallest = [r for r, v in given.items() if set(v) == shared]
    details |= {
        "match": float(seen["boot_match"]), "f1": float(seen["boot_f1"]), "final": final,
        "decided_by": smallest if final and len(smallest) < n else [], "adjudicate": len(final) != 1,
    }  # fmt: skip
    chance = overall.expected
    value = (float(seen[measure]) - chance) / (1 - chance) if chance < 1 else np.nan
    return replace(
        overall, name=name, value=value, observed=float(seen[measure]), warnings=(), details=details, **common
    )
