"""What if an item has several right labels?"""

from __future__ import annotations

import math

from raters.agree.explaining import limits
from raters.errors import RatersError
from raters.estimate import shown
from raters.reliability.sets.measures import multilabel
from raters.reliability.sets.result import Multilabel
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, Cell, Share, Table, long_table
from raters.reporting.estimate_charts import estimate_intervals


def sets(c: Context) -> Answer:
    """Multi-label agreement, where labels are sets."""
    if c.ann.scale != "sets":
        return Answer(
            "Each annotation is a single label; read sets of labels (--scale sets) to answer this question.",
            absent=True,
        )
    try:
        table = multilabel(c.ann, **c.other_options)
    except RatersError as error:
        return Answer(f"It cannot be measured: {error}", absent=True)
    alpha, match = table["alpha_masi"], table["boot_match"]
    answer = (
        f"Sets of labels agree with an alpha of {shown(alpha.value, 2)}{limits(alpha)} by the MASI distance."
        if math.isfinite(alpha.value)
        else f"The alpha of sets of labels is undefined: {alpha.warnings[-1] if alpha.warnings else 'nothing can be compared'}."
    )
    if math.isfinite(match.observed) and math.isfinite(match.expected):
        answer += f" Two raters share a label on {match.observed:.0%} of the items; by chance they would share one on {match.expected:.0%}."
    rows = tuple((e.name.replace("_", "-"), e, e.observed, e.expected, "; ".join(e.warnings) or None) for e in table)
    columns = ("measure", "beyond chance (interval)", "observed", "expected", "to know")
    blocks: list[Block] = [
        estimate_intervals(list(table), "measures", f"Measures of multi-label agreement{c.with_intervals}.", axis="agreement beyond chance", names=[e.name for e in table]),
        Table("measures", "Every measure", columns, rows),
        *_labels(c, table),
        *_raters(c, table),
    ]  # fmt: skip
    if table.final is not None:
        blocks.append(table.final.warning)
    return Answer(answer, tuple(blocks))


def _labels(c: Context, table: Multilabel) -> list[Block]:
    if not len(table.per_label):
        return []
    rows = tuple((e.name, e, e.observed) for e in sorted(table.per_label, key=lambda e: (e.value != e.value, e.value)))
    return [
        long_table(
            "set_labels",
            "Each label, given or not (alpha), the hardest first",
            ("label", "alpha (interval)", "observed"),
            rows,
            c.rows,
        )
    ]


def _raters(c: Context, table: Multilabel) -> list[Block]:
    if not table.profiles:
        return []
    sizes = sorted({n for rater in table.profiles for n in rater.sizes})[:5]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (x.name, x.n, *(Share(x.sizes.get(n, 0.0)) for n in sizes)) for x in table.profiles
    )
    columns = ("rater", "items", *(f"{n} label{'' if n == 1 else 's'}" for n in sizes))
    return [long_table("set_sizes", "How many labels raters give at once", columns, rows, c.rows)]
