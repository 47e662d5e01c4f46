"""Whether enough items have labels from two raters to draw conclusions about agreement."""

from __future__ import annotations

import numpy as np

from raters.annotations import Annotations
from raters.engines.patterns import PatternEngine

LEAST = 10
"""With fewer shared items than this, if they are also less than a tenth of all items, nothing is concluded."""


def shared_items(ann: Annotations) -> int:
    """How many items have two or more labels."""
    if ann.used.per_item[0] > 1:
        return ann.n_items
    if isinstance(ann.engine, PatternEngine):
        labels = np.asarray(ann.engine.patterns.sum(1)).ravel()
        return int(ann.engine.items.sum(0)[labels > 1].sum())

    def found() -> int:
        each = "count(DISTINCT rater)" if ann.n_raters else "count(*)"
        sql = f"SELECT count(*) AS n FROM (SELECT {each} AS n FROM annotations GROUP BY item) AS items WHERE n > 1"
        return int(ann.engine.query(sql)["n"][0])

    return ann.once("shared items", found, lambda _: 1)


def too_few_shared(ann: Annotations) -> str:
    """Why nothing can be concluded about agreement, in a sentence; empty if enough items are shared.

    >>> from raters.io import read
    >>> rows = [(i, "ann", "no") for i in range(30)] + [(0, "bob", "no")]
    >>> too_few_shared(read(rows))
    'Nothing can be concluded about agreement: only 1 of 30 items has labels from two raters or more.'
    """
    shared = shared_items(ann)
    if shared >= LEAST or 10 * shared >= ann.n_items:
        return ""
    verb = "has" if shared == 1 else "have"
    return f"Nothing can be concluded about agreement: only {shared:,} of {ann.n_items:,} items {verb} labels from two raters or more."
