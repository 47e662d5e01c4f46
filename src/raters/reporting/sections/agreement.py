"""How reliable is one label?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from raters.agree.agreement import per_label
from raters.agree.bands import by_interval
from raters.agree.estimating import near_as_far, without_weights
from raters.charts.bars import shares
from raters.charts.chart import BLUE, GREY, RED
from raters.charts.of_results import estimate_intervals
from raters.coefficients import DEFAULT, REGISTRY
from raters.errors import RatersError
from raters.estimate import Estimate, shown
from raters.notes.note import either
from raters.reliability.variance.components import IN_WORDS
from raters.reliability.variance.icc import icc
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, Cell, Share, Table
from raters.reporting.headline import ceiling, upper
from raters.reporting.names import SETS_ELSEWHERE
from raters.reporting.one_label import OWN_RULE
from raters.reporting.table_answer import sentence
from raters.scales import MID_RANKS

FAR = 0.05
"""A coefficient farther from alpha than this puzzles a reader who finds both."""
MOST_DRAWN = 12
ELSEWHERE = ("rater", "few")
"""Reasons that the first screen or the section on raters gives in full."""

ADVISED = (
    "Report Krippendorff's alpha: it allows any number of raters, missing labels and every scale. Percent agreement"
    " does not correct for chance; AC1 assumes little agreement by chance where labels are uneven."
)


def agreement(c: Context) -> Answer:
    """Alpha with its interval, the other coefficients, and why it is low if it is."""
    if c.ann.scale.of_sets:
        return Answer(SETS_ELSEWHERE, absent=True)
    lead = c.table[DEFAULT]
    if not math.isfinite(lead.value):
        return Answer(sentence(lead), details=(_coefficients(c),))
    ordered = c.ann.scale.ranks  # beside alpha, which knows the order, figures that do not would only puzzle
    others = [
        e
        for e in c.table
        if REGISTRY[e.coefficient].beyond_chance
        and not (ordered and e.weights == "identity")
        and e.coefficient != DEFAULT
    ]
    chart = estimate_intervals(
        [lead, *others],
        "coefficients",
        f"Every coefficient{c.with_intervals}.{_without_weights(c)}",
        axis="agreement beyond chance",
        marks=OWN_RULE,
        marked=lead.title,
    )
    reasons: list[Block] = [upper(r.text) for r in c.why.reasons[:4] if r.kind not in ELSEWHERE]
    table = next(_categories(c), None)
    beside = beside_alpha(lead, others)
    if beside and reasons and c.why.reasons[0].kind == "skew":  # what AC1 is and what alpha can reach is said beside it
        reasons[0] = f"{upper(c.why.reasons[0].finding)}."
    blocks: list[Block] = [
        _lead_chart(c, lead, table),
        *reasons[:1],
        *chance_chart(lead, others),
        *beside,
    ]
    each: list[Block] = [] if table is None else [table]
    details: list[Block] = [*reasons[1:], *each, *_icc(c), ADVISED, chart, _coefficients(c), *_of_chance(c)]
    return Answer(f"{_answer(lead)}{_room(c)}", tuple(blocks), details=tuple(details))


def _lead_chart(c: Context, lead: Estimate, labels: Table | None) -> Block:
    """Alpha with its author's limits; of categories, that of each label below it; and what alpha could be at most,
    where raters use labels differently.
    """
    rows = [] if labels is None else [(str(row[0]), row[1]) for row in labels.rows[:MOST_DRAWN]]
    each = [(f"{name}, against the rest", e) for name, e in rows if isinstance(e, Estimate)]
    most = ceiling(c)
    if not math.isnan(most):
        each.append(("the most that is possible", Estimate("largest", most)))
    what = f"Agreement beyond chance{c.with_intervals}, and its author's limits for alpha."
    return estimate_intervals(
        [lead, *(e for _, e in each)],
        "alpha",
        what,
        axis="agreement beyond chance",
        marks=OWN_RULE,
        marked=lead.title,
        names=[lead.title, *(name for name, _ in each)],
        soft=[name for name, _ in each],
    )


def _room(c: Context) -> str:
    """What alpha could be at most, where raters were shown to use labels differently."""
    most = ceiling(c)
    if math.isnan(most):
        return ""
    mark = OWN_RULE[0] if most < OWN_RULE[0] else OWN_RULE[1]
    return (
        f" With these raters' label frequencies it cannot exceed {shown(most, 2)}: before it can reach {mark:g}, they"
        " must use the labels more alike."
    )


def apart(lead: Estimate, others: Sequence[Estimate]) -> list[Estimate]:
    """Coefficients that lie so far from alpha that a reader would ask why."""
    return [e for e in others if abs(e.value - lead.value) > FAR]


def chance_chart(lead: Estimate, others: Sequence[Estimate]) -> list[Block]:
    """Of categories: what alpha and the coefficients far from it take for chance; nothing where all are near."""
    rows = [e for e in (lead, *apart(lead, others)) if _parted(e)]
    if len(rows) < 2 or not _parted(lead):
        return []
    values = [[min(e.expected, e.observed), max(e.observed - e.expected, 0.0), 1 - e.observed] for e in rows]
    return [
        shares(
            [f"{e.title} ({shown(e.value, 2)})" for e in rows],
            ("expected by chance", "agreed beyond chance", "disagreed"),
            values,
            name="chance",
            colors=(GREY, BLUE, RED),
            caption=(
                "Pairs of labels of an item: how many agree, and how much of that each coefficient expects by chance."
                " Its value is the blue part as a share of blue and red."
            ),
        )
    ]


def _parted(e: Estimate) -> bool:
    return e.parts == "agreement" and math.isfinite(e.observed) and math.isfinite(e.expected)


def beside_alpha(lead: Estimate, others: Sequence[Estimate]) -> list[Block]:
    """Why other coefficients are not the figure to report, where they lie far from it."""
    far = [e for e in apart(lead, others) if not _other_scale(lead, e)]
    if not far:
        return other_steps(lead, others)
    named = _listed([f"{e.title} ({shown(e.value, 2)})" for e in far])
    said = ""
    if _parted(lead) and all(map(_parted, far)):
        said = f": {_listed([f'{e.expected:.0%}' for e in far])} of pairs, where alpha expects {lead.expected:.0%}"
    one = len(far) == 1
    if all(e.value > lead.value for e in far):
        why = (
            f"{'is' if one else 'are'} higher only because {'it expects' if one else 'they expect'} less agreement by"
            " chance"
        )
    elif all(e.value < lead.value for e in far):
        why = (
            f"{'is' if one else 'are'} lower only because {'it expects' if one else 'they expect'} more agreement by"
            " chance"
        )
    else:
        why = "differ from it only in how much agreement they expect by chance"
    return [
        (
            f"Report alpha. {named} {why}{said}. The raters and their labels are the same, so the difference says"
            " nothing about how well they agree, and the highest figure is not the best one to report. If a reviewer"
            " asks for another coefficient, report it beside alpha."
        ),
        *other_steps(lead, others),
    ]


def _other_scale(lead: Estimate, e: Estimate) -> bool:
    """Whether a coefficient takes the steps of an ordinal scale as equally wide, where alpha counts ranks."""
    return lead.weights == MID_RANKS.name and e.weights != lead.weights


def other_steps(lead: Estimate, others: Sequence[Estimate]) -> list[Block]:
    """Coefficients far from alpha because they compare labels in another way."""
    far = [e for e in apart(lead, others) if _other_scale(lead, e)]
    if not far:
        return []
    named = _listed([f"{e.title} ({shown(e.value, 2)})" for e in far])
    one = len(far) == 1
    return [
        f"{named} {'differs' if one else 'differ'} from alpha because {'it takes' if one else 'they take'} all steps of"
        " the scale as equally wide, where alpha counts how many labels lie between two."
    ]


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _without_weights(c: Context) -> str:
    """Which coefficients are not drawn, since they see no difference between a near miss and a far one, and what
    would.
    """
    told = without_weights(c.ann)
    plain = [e.title for e in c.table if told in e.notes and REGISTRY[e.coefficient].beyond_chance]
    if not told or not plain:
        return ""
    return (
        f" Not drawn, because they have no weights here: {', '.join(plain)}: {near_as_far(c.ann)}, so they do not"
        f" measure what alpha measures on this ordinal scale; weights, linear or quadratic, count near misses in part."
    )


def _answer(lead: Estimate) -> str:
    limits = (
        f", {lead.level:.0%} interval {shown(lead.low, 2)} to {shown(lead.high, 2)}" if math.isfinite(lead.low) else ""
    )
    said = by_interval(lead)
    rule = f" By Krippendorff's own rule for alpha (.667 and .8), {said}." if said else ""
    return f"{lead.title} is {shown(lead.value, 2)}{limits}.{rule}"


def _coefficients(c: Context) -> Table:
    shares, told = c.ann.scale.equality, without_weights(c.ann)

    def part(e: Estimate, x: float) -> Cell:
        if (
            e.parts != "agreement"
        ):  # in squared ranks or squared steps, which nobody can read: the share of chance is said
            return None
        return Share(x) if shares and math.isfinite(x) else x

    def chance(e: Estimate) -> Cell:
        return part(e, e.expected) if REGISTRY[e.coefficient].beyond_chance else None

    rows = [
        (
            e.title,
            e,
            part(e, e.observed),
            chance(e),
            e.parts,
            e.compared_as,
            "; ".join(str(note) for note in e.notes if note != told) or None,
        )
        for e in sorted(c.table, key=lambda e: e.coefficient != DEFAULT)
    ]
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
    pairs = (
        f", but for averages over all pairs of raters ({left}), which {either('raters.agreement_table', 'raters agree')} gives"
        if left
        else ""
    )
    caption = f"Every coefficient that applies{pairs}" + (
        f". Those without weights: {near_as_far(c.ann)}" if told else ""
    )
    return Table("coefficients", caption, columns[:width], tuple(row[:width] for row in rows))


def _of_chance(c: Context) -> list[Block]:
    """Of coefficients made from distances: the observed disagreement as a share of that by chance."""
    rows = [e for e in c.table if e.parts != "agreement" and math.isfinite(e.observed) and e.expected > 0]
    if not rows:
        return []
    said = [f"{e.observed / e.expected:.0%} ({e.title})" for e in rows]
    return [
        f"The disagreement observed is {_listed(said)} of what chance alone would give; the value is 1 minus this"
        " share."
    ]


def _categories(c: Context) -> Iterator[Table]:
    """Each label against the rest: of categories, not of degrees, where neighbours are nearly the same."""
    if not 3 <= len(c.ann.labels) <= 40 or not c.ann.scale.equality:
        return
    try:
        table = per_label(c.ann, **c.quick)
    except RatersError:
        return
    rows = tuple(
        (e.name, e, Share(e.observed) if math.isfinite(e.observed) else None)
        for e in sorted(table, key=lambda e: (not math.isfinite(e.value), e.value))
    )
    caption = "Each label against the rest (Krippendorff's alpha), the hardest first"
    yield Table("labels_agreement", caption, ("label", "alpha (interval)", "two raters agree"), rows)


def _icc(c: Context) -> Iterator[Block]:
    """Of numbers and degrees: the intraclass correlations, with their forms in words."""
    if not c.ann.numeric or not c.ann.scale.ordered:
        return
    try:
        table = icc(c.part, level=c.level)
    except RatersError as error:
        yield f"The intraclass correlation cannot be computed here: {error}"
        return
    rows = tuple((e.name, e, IN_WORDS[e.name]) for e in table)
    yield Table("icc", f"Intraclass correlations (ICC){c.of_part}", ("form", "value (interval)", "what it is"), rows)
