"""How reliable is one label?"""

from __future__ import annotations

import math

from raters.agree.bands import by_interval
from raters.agree.slices import per_label
from raters.coefficients import DEFAULT, REGISTRY
from raters.errors import RatersError
from raters.estimate import Estimate
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, Table
from raters.reporting.estimate_charts import estimate_intervals
from raters.reporting.estimate_formats import sentence

OWN_RULE = (0.667, 0.8)
"""The bands that the author of alpha drew, for alpha alone."""


def agreement(c: Context) -> Answer:
    """Alpha with its interval, the other coefficients, and why it is low if it is."""
    if c.ann.scale == "sets":
        return Answer("Labels are sets here; see the question on several labels below.", absent=True)
    lead = c.table[DEFAULT]
    if not math.isfinite(lead.value):
        return Answer(sentence(lead), (_coefficients(c),))
    blocks: list[Block] = [
        *(r.text[0].upper() + r.text[1:] for r in c.why.reasons[:4]),
        estimate_intervals(
            [e for e in c.table if REGISTRY[e.coefficient].beyond_chance], "coefficients", f"Coefficients{c.with_intervals}.",
            axis="agreement beyond chance", marks=OWN_RULE, marked=lead.title,
        ),
        _coefficients(c),
    ]  # fmt: skip
    categories = _categories(c)
    return Answer(_answer(lead), (*blocks, *categories))


def _answer(lead: Estimate) -> str:
    said = by_interval(lead)
    return sentence(lead) + (f" By Krippendorff's own rule for alpha (.667 and .8), {said}." if said else "")


def _coefficients(c: Context) -> Table:
    rows = [(e.title, e, e.observed, e.expected, e.weights, "; ".join(e.warnings) or None) for e in c.table]
    columns = ("coefficient", "value (interval)", "observed", "expected", "weights", "to know")
    width = len(columns) if any(row[-1] for row in rows) else len(columns) - 1
    caption = "Every coefficient that applies"
    return Table("coefficients", caption, columns[:width], tuple(row[:width] for row in rows))


def _categories(c: Context) -> list[Block]:
    if not 3 <= len(c.ann.labels) <= 40 or c.ann.scale not in ("nominal", "ordinal"):
        return []
    try:
        table = per_label(c.ann, **c.quick)
    except RatersError:
        return []
    rows = tuple(
        (e.name, c.one_interval(e), e.observed)
        for e in sorted(table, key=lambda e: (not math.isfinite(e.value), e.value))
    )
    return [
        Table(
            "labels_agreement",
            "Each label against the rest (Krippendorff's alpha), the hardest first",
            ("label", "alpha (interval)", "observed"),
            rows,
        )
    ]
