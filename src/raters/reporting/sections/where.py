"""Where do people disagree?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from raters.agree.agreement import agreement
from raters.agree.hard_items import hard_items, many_of_few_labels
from raters.annotations import counted
from raters.charts.of_results import confusion_chart
from raters.charts.points import differences, ranged, value_strips
from raters.errors import RatersError
from raters.estimate import Estimate, name_of, shown
from raters.items import Items, cooccurrence, fold, items_by_name
from raters.reporting.cards import CARDS, hardest_cards, text_columns
from raters.reporting.context import Context, known_label_name
from raters.reporting.document import Answer, Block, Cards, Table, long_table, percent
from raters.reporting.findings import limits_of_two, split_sentence
from raters.reporting.names import SETS_ELSEWHERE
from raters.reporting.table_answer import far_apart

MOST_HEAT = 30
MOST_KEPT = 2_000
BY_VALUES = (2, 12)
MADE = (
    "hard_label",
    "soft_label",
    "majority",
    "majority_label",
    "majority_vote",
    "consensus",
    "aggregate",
    "final_label",
    "agreement",
)
"""Columns that hold an aggregate of the labels."""
MOST_NAME = 60
LEAST_ITEMS = 5
"""A column is an attribute of items where at least two of its values have so many."""


def where(c: Context) -> Answer:
    """Confusion between labels, the hardest items with their votes, and agreement by every column of few values."""
    ann = c.ann
    if ann.scale.of_sets:
        return Answer(SETS_ELSEWHERE, absent=True)
    if ann.used.per_item[2] < 2:
        return Answer("No item has two labels, so disagreement cannot be measured.", absent=True)
    found = _hardest(c)
    answer = "Nowhere: all labels of an item agree."
    if found is not None:
        said = f": {found.votes}" if not ann.scale.numbers else f", whose labels range from {found.span}"
        text = found.cards.cards[0].text if found.cards is not None else ""
        name = f"{text!r} (item {found.first})" if text and len(text) <= MOST_NAME else f"item {found.first!r}"
        answer = f"Most on {name}{said}."
    blocks: list[Block] = []
    if ann.scale.categories and 2 <= len(ann.labels) <= MOST_HEAT:
        answer, confusion = _confusion(c)
        blocks += confusion
    elif ann.scale.numbers and found is not None:
        blocks += _numbers(c, found)
    details: list[Block] = []
    if found is not None:
        blocks += [x for x in (found.said, split_sentence(c), found.cards) if x]
        details.append(found.table)
    return Answer(answer, tuple(blocks), details=(*details, *_by_columns(c)))


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
            (
                f"When one rater says {labels[rare]!r}, another says {labels[other]!r} {share[rare, other]:.0%} of the"
                " time."
            ),
            [chart],
        )
    held = off[i, j] / off.sum()
    return (
        f"Most often between {labels[i]!r} and {labels[j]!r}: {held:.0%} of all disagreements are between these two.",
        [chart],
    )


@dataclass(frozen=True)
class Hardest:
    """The items on which labels lie farthest apart."""

    first: str
    votes: str
    span: str
    """Of numbers: the smallest and the largest label of the first."""
    said: str
    table: Table
    cards: Cards | None
    items: tuple[Any, ...]
    labels: Items
    """The labels of the items, in the same order."""


def _hardest(c: Context) -> Hardest | None:
    """Items by how far their labels lie apart, with their votes; None if all labels of an item agree."""
    drawn = c.part is not c.ann and not many_of_few_labels(c.ann)  # else every item would be brought here
    found = hard_items(c.part if drawn else c.ann, MOST_KEPT)
    items, hard = found.items, found.differ
    if not hard:
        return None
    each = items.per_item.astype(int).tolist()
    rows = [(str(name), _votes(items, i), each[i]) for i, name in enumerate(found.names)]
    unanimous = found.paired - hard
    share = f"{unanimous:,} of {found.paired:,} items with two or more labels ({percent(unanimous / found.paired)})"
    some = f"On {share}{',' if drawn else ''} all labels are the same"
    none = f"On none of the {counted(found.paired, 'item')} with two or more labels are all labels the same"
    said = f"{some if unanimous else none}{', counted in those drawn at random' if drawn else ''}."
    picked = found.names[:CARDS]
    columns = ("item", "votes", "labels")
    table = long_table("hardest", "The items that follow", columns, rows, c.rows, hard, len(picked))
    return Hardest(rows[0][0], rows[0][1], _span(items, 0), said, table, hardest_cards(c, picked), picked, items)


def _numbers(c: Context, found: Hardest) -> list[Block]:
    """The labels of the hardest items as dots; of two raters, their differences."""
    items = found.labels
    values = []
    for i in range(len(found.items)):
        row = items.counts[[i]].tocoo()
        values.append([float(items.labels[k]) for k, n in zip(row.col, row.data, strict=True) for _ in range(int(n))])
    shade = "from the lowest to the highest" if ranged(values) else "one standard deviation to either side"
    caption = f"The labels of the hardest items. Bar in red: their mean; shaded: {shade}."
    texts = {card.item: card.text for card in (found.cards.cards if found.cards is not None else ())}
    called = [
        texts.get(str(item)) or item for item in found.items
    ]  # words that were compared say more than their number
    short = all(len(str(name)) <= MOST_NAME for name in called)
    blocks: list[Block] = [value_strips(called if short else found.items, values, x="label", caption=caption)]
    if c.ann.n_raters == 2:
        blocks += _two(c)
    return blocks


def _two(c: Context) -> list[Block]:
    """Two raters of numbers: Bland and Altman's plot and their limits of agreement."""
    limits = limits_of_two(c)
    if limits is None:
        return []
    names, items = items_by_name(c.ann, "rater")
    per = items.counts.tocsr()
    width = len(items.labels)
    values = np.array([float(x) for x in items.labels])
    pairs = []
    for i in range(len(names)):
        row = per[[i]].tocoo()
        by = {int(k) // width: values[int(k) % width] for k in row.col}
        if len(by) == 2:
            pairs.append((by[0], by[1]))
    x, y = (str(g) for g in items.groups[:2])
    named = {"bias": f"mean difference ({x} minus {y})", "lower limit": "lower limit", "upper limit": "upper limit"}
    return [
        differences(
            [(a + b) / 2 for a, b in pairs],
            [a - b for a, b in pairs],
            *(limits[name].value for name in named),
            x="mean of the two",
            y=f"{x} minus {y}",
            caption=(
                f"The difference between {x} and {y} on each item against the mean of their two labels, with the limits"
                " of agreement: about 95% of all differences lie between them."
            ),
        ),
        Table(
            "limits",
            "Limits of agreement (Bland and Altman)",
            ("figure", "value (interval)"),
            tuple((words, limits[name]) for name, words in named.items()),
        ),
    ]


def _span(items: Items, i: int) -> str:
    given = [items.labels[k] for k in items.counts[[i]].tocoo().col]
    if not all(isinstance(x, (int, float)) for x in given):
        return ""
    return f"{min(given):g} to {max(given):g}"


def _votes(items: Items, i: int) -> str:
    c = items.counts
    at = slice(c.indptr[i], c.indptr[i + 1])
    votes = sorted(zip(c.data[at], (items.labels[k] for k in c.indices[at]), strict=True), key=lambda v: -v[0])
    return ", ".join(f"{label} × {int(n)}" for n, label in votes[:8]) + (", ..." if len(votes) > 8 else "")


def _attribute(c: Context, column: str) -> bool:
    """Whether a column says something of items, or of raters: one that varies with both is another coded variable."""
    engine = c.ann.engine
    for of in ("item", "rater") if c.ann.n_raters else ("item",):
        each = f"SELECT {of}, count(DISTINCT {engine.quote(column)}) AS n FROM annotations GROUP BY {of}"
        if int(engine.query(f"SELECT max(n) AS most FROM ({each}) AS each_one")["most"][0]) < 2:
            return True
    return False


def _by_sentence(column: str, table: Sequence[Estimate]) -> str:
    """Which values of a column differ; the ends of a range would be those of the fewest items."""
    apart = far_apart(table)
    if apart is None:
        return f"By {column}, no two values differ clearly in alpha."
    low, high = (f"{e.name!r} ({shown(e.value, 2)})" for e in apart)
    return f"By {column}, alpha is clearly lower for {low} than for {high}."


def _by_columns(c: Context) -> list[Block]:
    blocks: list[Block] = []
    known = {c.pool_column, *text_columns(c)}
    for column in c.ann.extras[:20]:
        # known labels, and what was made from the labels themselves, are no attribute of items to slice by
        if (
            column in known
            or known_label_name(column)
            or column.lower() in MADE
            or not BY_VALUES[0] <= c.distinct(column) <= BY_VALUES[1]
            or not _attribute(c, column)
        ):
            continue
        try:
            table: Sequence[Estimate] = agreement(c.ann, by=column, **c.quick)
        except RatersError:
            continue
        if sum(e.n_items >= LEAST_ITEMS for e in table if math.isfinite(e.value) and e.name != name_of(None)) < 2:
            continue  # remarks, not an attribute: values that hardly any two items share
        rows = tuple((e.name, e, e.n_items, e.n_annotations) for e in table)
        blocks += [
            _by_sentence(column, table),
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
