"""How reliable is one label?"""

from __future__ import annotations

import math
from collections.abc import Iterator

from raters.agree.bands import by_interval
from raters.agree.near_misses import near_as_far, without_weights
from raters.agree.slices import per_label
from raters.coefficients import DEFAULT, REGISTRY
from raters.errors import RatersError
from raters.estimate import Estimate, shown
from raters.reliability.variance.icc import icc
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, Cell, Share, Table
from raters.reporting.estimate_charts import estimate_intervals
from raters.reporting.estimate_formats import sentence

OWN_RULE = (0.667, 0.8)
"""The bands that the author of alpha drew, for alpha alone."""
ADVISED = (
    "Report Krippendorff's alpha: it takes any number of raters, gaps in the table and every scale of measurement, and its author gave "
    "a rule for reading it. Cohen's kappa is for two raters only; Fleiss' kappa takes the raters as interchangeable and the labels "
    "as categories; percent agreement leaves chance in; AC1 counts little as chance where labels are uneven, and so is higher there."
)


def agreement(c: Context) -> Answer:
    """Alpha with its interval, the other coefficients, and why it is low if it is."""
    if c.ann.scale == "sets":
        return Answer("Labels are sets here; see the question on several labels below.", absent=True)
    lead = c.table[DEFAULT]
    if not math.isfinite(lead.value):
        return Answer(sentence(lead), details=(_coefficients(c),))
    ordered = c.ann.scale == "ordinal"  # beside alpha, which knows the order, figures that do not would only puzzle
    shown_ = sorted(
        (e for e in c.table if REGISTRY[e.coefficient].beyond_chance and not (ordered and e.weights == "identity")),
        key=lambda e: e.coefficient != DEFAULT,
    )
    chart = estimate_intervals(
        shown_, "coefficients", f"Agreement beyond chance{c.with_intervals}. On the row of alpha: its author's limits, .667 and .8.{_without_weights(c)}",
        axis="agreement beyond chance", marks=OWN_RULE, marked=lead.title,
    )  # fmt: skip
    reasons: list[Block] = [r.text[0].upper() + r.text[1:] for r in c.why.reasons[:4]]
    table = next(_categories(c), None)
    blocks: list[Block] = [chart, *reasons[:1], *([table] if table is not None else []), *_icc(c)]
    details: list[Block] = [ADVISED, *reasons[1:], _coefficients(c)]
    return Answer(_answer(lead), tuple(blocks), details=tuple(details))


def _without_weights(c: Context) -> str:
    """Which coefficients are not drawn, since they see no difference between a near miss and a far one, and what would."""
    told = without_weights(c.ann)
    plain = [e.title for e in c.table if told in e.warnings and REGISTRY[e.coefficient].beyond_chance]
    if not told or not plain:
        return ""
    return (
        f" Not drawn, because they have no weights here: {', '.join(plain)}: {near_as_far(c.ann)}, so they do not measure what alpha measures on this "
        "ordinal scale; raters agree --weights linear (or quadratic) counts near misses in part."
    )


def _answer(lead: Estimate) -> str:
    limits = (
        f", {lead.level:.0%} interval {shown(lead.low, 2)} to {shown(lead.high, 2)}" if math.isfinite(lead.low) else ""
    )
    said = by_interval(lead)
    rule = f" By Krippendorff's own rule for alpha (.667 and .8), {said}." if said else ""
    return f"{lead.title} is {shown(lead.value, 2)}{limits}.{rule}"


def _coefficients(c: Context) -> Table:
    shares, told = c.ann.scale == "nominal", without_weights(c.ann)

    def part(e: Estimate, x: float) -> Cell:
        return Share(x) if shares and e.parts == "agreement" and math.isfinite(x) else x

    rows = [
        (e.title, e, part(e, e.observed), part(e, e.expected), e.parts, e.compared_as, "; ".join(w for w in e.warnings if w != told) or None)
        for e in sorted(c.table, key=lambda e: e.coefficient != DEFAULT)
    ]  # fmt: skip
    columns = (
        "coefficient",
        "value (interval)",
        "observed",
        "expected by chance",
        "of",
        "labels compared as",
        "to know",
    )
    width = len(columns) if any(row[-1] for row in rows) else len(columns) - 1
    left = ", ".join(REGISTRY[n].title for n in c.left_to_agree)
    pairs = f", but for averages over all pairs of raters ({left}), which raters agree gives" if left else ""
    caption = f"Every coefficient that applies{pairs}" + (
        f". Those without weights: {near_as_far(c.ann)}" if told else ""
    )
    return Table("coefficients", caption, columns[:width], tuple(row[:width] for row in rows))


def _categories(c: Context) -> Iterator[Table]:
    """Each label against the rest: of categories, not of degrees, where neighbours are nearly the same."""
    if not 3 <= len(c.ann.labels) <= 40 or c.ann.scale != "nominal":
        return
    try:
        table = per_label(c.ann, **c.quick)
    except RatersError:
        return
    rows = tuple(
        (e.name, c.one_interval(e), Share(e.observed) if math.isfinite(e.observed) else None)
        for e in sorted(table, key=lambda e: (not math.isfinite(e.value), e.value))
    )
    caption = "Each label against the rest (Krippendorff's alpha), the hardest first"
    yield Table("labels_agreement", caption, ("label", "alpha (interval)", "two raters agree"), rows)


def _icc(c: Context) -> Iterator[Block]:
    """Of numbers and degrees: the intraclass correlations, with their forms in words."""
    if not c.ann.numeric or c.ann.scale not in ("ordinal", "interval", "ratio"):
        return
    try:
        table = icc(c.part, level=c.level)
    except RatersError as error:
        yield f"The intraclass correlation cannot be computed here: {error}"
        return
    rows = tuple((e.name, e, e.title) for e in table)
    yield Table("icc", f"Intraclass correlations (ICC){c.of_part}", ("form", "value (interval)", "what it is"), rows)
