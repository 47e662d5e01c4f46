"""What if an item has several right labels?"""

from __future__ import annotations

import math

import numpy as np

from raters.agree.agreement import item_rows
from raters.agree.explaining import limits
from raters.charts.heat import heat
from raters.charts.of_results import estimate_intervals
from raters.errors import RatersError
from raters.estimate import shown
from raters.reliability.sets.multilabel import Multilabel
from raters.reporting.cards import CARDS, OFTEN, hardest_cards, label_uses
from raters.reporting.context import WHOLE, Context
from raters.reporting.document import Answer, Block, Cell, Share, Table, long_table
from raters.reporting.names import measure_name

MOST_TOGETHER = 25
FINAL = (
    "If every item is reduced to the labels that its raters share, these final labels do not show how frequent the true"
    " labels are: frequent labels, and raters who give few labels at once, have more weight in them."
)


def sets(c: Context) -> Answer:
    """Multi-label agreement, where labels are sets."""
    table = c.sets
    if isinstance(table, str):
        return Answer(table, absent=True)
    alpha, f1 = table["alpha_masi"], table["boot_f1"]
    answer = (
        f"Sets of labels agree with an alpha of {shown(alpha.value, 2)}{limits(alpha)} by the MASI distance."
        if math.isfinite(alpha.value)
        else (f"The alpha of sets of labels is undefined: {alpha.undefined or 'nothing can be compared'}.")
    )
    if math.isfinite(f1.observed) and math.isfinite(f1.expected):
        answer += (
            f" Of the labels of two sets, {f1.observed:.0%} are shared on average (F1); by chance it would be"
            f" {f1.expected:.0%}."
        )
    rows = tuple((measure_name(e), e, e.observed, e.expected) for e in table)
    columns = ("measure", "beyond chance (interval)", "observed", "expected by chance")
    chart = estimate_intervals(
        list(table),
        "measures",
        f"Measures of multi-label agreement{c.with_intervals}.",
        axis="agreement beyond chance",
        names=[measure_name(e) for e in table],
    )
    together = cooccurring(c)
    blocks: list[Block] = [chart, *_labels(c, table), *_hardest(c)]
    details: list[Block] = [
        *together,
        Table("measures", "Every measure", columns, rows),
        *_notes(table),
        *_raters(c, table),
    ]
    if table.final is not None:
        details.append(FINAL)
    return Answer(answer, tuple(blocks), details=tuple(details))


def _notes(table: Multilabel) -> list[Block]:
    """What is to know of measures, each note once, with the measures that it is about if it is not about all."""
    about: dict[str, list[str]] = {}
    for e in table:
        for note in e.warnings:
            about.setdefault(note, []).append(measure_name(e))
    return [
        note if len(names) == len(table) else f"{'; '.join(names).capitalize()}: {note}"
        for note, names in about.items()
    ]


def cooccurring(c: Context) -> list[Block]:
    """Which labels stand in one set: of the sets with the label on the left, how many have the label on top."""
    members = c.ann.members
    if not 2 <= len(members) <= MOST_TOGETHER:
        return []
    got = c.ann.engine.query("SELECT label, count(*) AS n FROM annotations GROUP BY label")
    sets_of = dict(zip(c.ann.keys.tolist(), c.ann.labels, strict=True))
    at = {m: i for i, m in enumerate(members)}
    both = [[0.0] * len(members) for _ in members]
    for key, n in zip(got["label"].tolist(), got["n"].tolist(), strict=True):
        inside = [at[m] for m in sets_of.get(key, ()) if m in at]
        for i in inside:
            for j in inside:
                both[i][j] += n
    names = [str(m) for m in members]
    cells = [
        (names[i], names[j], both[i][j] / both[i][i] if both[i][i] else math.nan)
        for i in range(len(names))
        for j in range(len(names))
        if i != j
    ]
    return [
        heat(
            *zip(*cells, strict=True),
            row_order=names,
            column_order=names,
            row_title="sets with",
            column_title="that also have",
            name="together",
            caption=(
                "Labels that are given together: of the sets with the label on the left, the share that also have the"
                " label on top."
            ),
        )
    ]


def _labels(c: Context, table: Multilabel) -> list[Block]:
    """Each label against its absence; those that hardly anybody gave come last, since their alpha tells nothing."""
    if not len(table.per_label):
        return []
    uses = label_uses(c)
    order = sorted(table.per_label, key=lambda e: (uses.get(e.name, 0) < OFTEN, e.value != e.value, e.value))
    rows = tuple((e.name, uses.get(e.name, 0), e, Share(e.observed)) for e in order)
    few = any(uses.get(e.name, 0) < OFTEN for e in order)
    last = f" (those given fewer than {OFTEN} times last)" if few else ""
    caption = f"Each label, given or not (alpha), the hardest first{last}"
    return [long_table("set_labels", caption, ("label", "given", "alpha (interval)", "two raters agree"), rows, 10)]


def _hardest(c: Context) -> list[Block]:
    """The items whose sets lie farthest apart, as cards."""
    if c.ann.used.n_annotations > WHOLE or c.ann.used.per_item[2] < 2:
        return []
    try:
        found = item_rows(c.ann)
    except RatersError:
        return []
    differ = np.flatnonzero((np.diff(found.items.counts.indptr) > 1) & (found.r >= 2))
    apart = -found.observed[differ] if found.overall.parts == "agreement" else found.observed[differ]
    order = differ[np.argsort(-apart, kind="stable")][:CARDS]
    cards = hardest_cards(c, tuple(found.names[i] for i in order))
    return [] if cards is None else [cards]


def _raters(c: Context, table: Multilabel) -> list[Block]:
    if not table.profiles:
        return []
    sizes = sorted({n for rater in table.profiles for n in rater.sizes})[:5]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (x.name, x.n, *(Share(x.sizes.get(n, 0.0)) for n in sizes)) for x in table.profiles
    )
    columns = ("rater", "items", *(f"{n} label{'' if n == 1 else 's'}" for n in sizes))
    return [long_table("set_sizes", "How many labels raters give at once", columns, rows, c.rows)]
