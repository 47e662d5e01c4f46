"""Where do people disagree?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from raters.agree.slices import agreement, item_rows
from raters.charts.of_fits import confusion_chart
from raters.errors import RatersError
from raters.estimate import Estimate, shown
from raters.items import Items, cooccurrence, fold
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, Table, long_table

MOST_HEAT = 30
MOST_KEPT = 2_000
BY_VALUES = (2, 12)
MOST_ITEMS = 3_000_000


def where(c: Context) -> Answer:
    """Confusion between labels, the hardest items with their votes, and agreement by every column of few values."""
    ann = c.ann
    if ann.scale == "sets":
        return Answer("Labels are sets here; see the question on several labels below.", absent=True)
    if ann.used.per_item[2] < 2:
        return Answer("No item has two labels, so disagreement cannot be measured.", absent=True)
    blocks: list[Block] = []
    hardest = _hardest(c)
    answer = next(
        (f"Most on item {t.rows[0][0]!r}: {t.rows[0][1]}." for t in hardest if isinstance(t, Table)),
        "Nowhere: all labels of an item agree.",
    )
    if ann.scale in ("nominal", "ordinal") and 2 <= len(ann.labels) <= MOST_HEAT:
        answer, confusion = _confusion(c)
        blocks += confusion
    blocks += hardest
    blocks += _by_columns(c)
    return Answer(answer, tuple(blocks))


def _confusion(c: Context) -> tuple[str, list[Block]]:
    pairs = cooccurrence(fold(c.ann)[None])
    labels = [str(x) for x in c.ann.labels]
    with np.errstate(invalid="ignore"):
        share = pairs / pairs.sum(1, keepdims=True)
    caption = "When one rater gives the label on the left, how often another gives the label on top."
    chart = confusion_chart(labels, share.tolist(), caption, row="one rater says", column="another says")
    off = np.triu(pairs, 1)
    if not off.sum() > 0:
        return "Nowhere: every pair of labels of an item agrees.", [chart]
    i, j = np.unravel_index(int(off.argmax()), off.shape)
    if len(labels) == 2:
        rare, other = (0, 1) if pairs[0].sum() < pairs[1].sum() else (1, 0)
        return (
            f"When one rater says {labels[rare]!r}, another says {labels[other]!r} {share[rare, other]:.0%} of the time.",
            [chart],
        )
    held = off[i, j] / off.sum()
    return (
        f"Most often between {labels[i]!r} and {labels[j]!r}: {held:.0%} of all disagreements are between these two.",
        [chart],
    )


def _hardest(c: Context) -> list[Block]:
    """The items with the most disagreement, with their votes."""
    ann = c.ann
    if ann.n_items > MOST_ITEMS:
        return [f"With {ann.n_items:,} items the hardest are not listed; run raters agree --per item to list them all."]
    found = item_rows(ann)
    items = found.items
    differ = np.diff(items.counts.indptr) > 1
    paired, hard = int(np.sum(found.r >= 2)), int(np.sum(differ))
    if not hard:
        return []
    apart = np.where(differ, -found.observed if found.overall.parts == "agreement" else found.observed, -np.inf)
    order = np.argsort(-apart, kind="stable")
    rows = [(str(found.names[i]), _votes(items, int(i)), int(found.r[i])) for i in order[: min(MOST_KEPT, hard)]]
    unanimous = paired - hard
    return [
        f"On {unanimous:,} of {paired:,} items with two or more labels ({unanimous / paired:.0%}) all labels are the same.",
        long_table("hardest", "The items with the most disagreement", ("item", "votes", "labels"), rows, c.rows, hard),
    ]


def _votes(items: Items, i: int) -> str:
    row = items.counts[[i]].tocoo()
    votes = sorted(zip(row.data, (items.labels[k] for k in row.col), strict=True), key=lambda v: -v[0])
    return ", ".join(f"{label} × {int(n)}" for n, label in votes[:8]) + (", ..." if len(votes) > 8 else "")


def _by_columns(c: Context) -> list[Block]:
    blocks: list[Block] = []
    for column in c.ann.extras[:20]:
        if column == c.pool_column or not BY_VALUES[0] <= c.distinct(column) <= BY_VALUES[1]:
            continue
        try:
            table: Sequence[Estimate] = agreement(c.ann, by=column, **c.quick)
        except RatersError:
            continue
        if sum(math.isfinite(e.value) for e in table) < 2:
            continue
        rows = tuple((e.name, c.one_interval(e), e.n_items, e.n_annotations) for e in table)
        spread = [e.value for e in table if math.isfinite(e.value)]
        blocks += [
            f"By {column}, alpha ranges from {shown(min(spread), 2)} to {shown(max(spread), 2)}.",
            Table(
                f"by_{len(blocks)}",
                f"Agreement by {column}",
                (column, "alpha (interval)", "items", "annotations"),
                rows,
            ),
        ]
        if len(blocks) >= 8:
            break
    return blocks
