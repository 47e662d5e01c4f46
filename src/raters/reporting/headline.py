"""The sentence that a lead would repeat in a meeting, and what would change it."""

from __future__ import annotations

import math

from raters.agree.bands import CLOSE
from raters.annotations import counted
from raters.coefficients import DEFAULT
from raters.estimate import Estimate, shown
from raters.notes.note import refused
from raters.reporting.context import Context
from raters.reporting.document import BAD, GOOD, OPEN, Figure, Step
from raters.reporting.first_lines import if_codes
from raters.reporting.one_label import OWN_RULE, looks_misread, one_label_is, side_of

VIEWS = ("pools", "camps")
"""First steps about two views, neither of which is an error."""
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def number(n: int) -> str:
    """A number as a sentence says it.

    >>> number(6), number(123)
    ('six', '123')
    """
    return NUMBERS[n] if 0 <= n < len(NUMBERS) else f"{n:,}"


def lead_of(c: Context) -> Estimate:
    """The one coefficient that is advised."""
    if c.ann.scale.of_sets:
        return (
            c.sets["alpha_masi"]
            if not isinstance(c.sets, str)
            else Estimate("alpha", math.nan, notes=(refused(c.sets),))
        )
    return c.table[DEFAULT]


def headline(c: Context, figures: tuple[Figure, ...], first: Step) -> str:
    one, many = figures[0].tone, figures[1]
    if not math.isfinite(lead_of(c).value):
        return "Whether these labels can be trusted cannot be measured yet."
    if looks_misread(c.ann, lead_of(c)):
        return (
            "This looks misread: raters would agree less than by chance. Name the columns of items, raters and labels."
        )
    curve = c.curve
    what = "" if isinstance(curve, str) or curve.alone else f"the {curve.kind} of {number(curve.at)}"
    target = f"the target of {c.target:g}"
    thing = c.ann.scale.thing
    start = one_label_is(figures[0].estimate or lead_of(c), thing)
    aggregate = {
        BAD: f", nor does {what} reach {target}" if one == BAD else f", and {what} does not reach {target}",
        OPEN: (
            f"; whether {what} reaches {target} is a close call"
            if close(many)
            else f"; these data do not show whether {what} reaches {target}"
        ),
        GOOD: f"{', but' if one in (BAD, OPEN) else ', and'} {what} reaches {target}",
    }.get(many.tone, "")
    depends = if_codes(c.ann)
    return f"{start}{aggregate if what else ''}.{f' {depends}' if depends else ''}{_judged(c) or _aside(c, first)}"


def _judged(c: Context) -> str:
    """Where models are named: which of them may stand in for people."""
    found = c.judged
    if isinstance(found, str):
        return ""
    if len(found) == 1:
        return f" May {found[0].judge} stand in for people? {upper(found[0].outcome)}."
    by: dict[str, list[str]] = {}
    for r in found:
        by.setdefault(r.outcome, []).append(r.judge)
    each = "; ".join(f"{outcome}: {', '.join(names)}" for outcome, names in by.items())
    return f" May a model stand in for people? {upper(each)}."


def _aside(c: Context, first: Step) -> str:
    """The one thing beside the figures that a lead would mention."""
    if first.uninformative:
        return f" No information was found in the labels of {counted(first.about, 'rater')}."
    apart = len(c.standing_out.disagree) if first.kind == "rater" else 0
    if apart > 1:
        return f" {upper(number(apart))} raters stand apart from the others."
    said = {
        "pools": " Groups of raters agree less with each other than within each group.",
        "camps": " The raters fall into camps.",
        "rater": (
            " Some raters stand apart from the others."
            if first.about > 1
            else " One rater stands apart from the others."
        ),
        "labels": " Two of the labels are often confused.",
    }
    return said.get(first.kind, "")


def change(c: Context, first: Step) -> str:
    """What would have to be otherwise for the verdict to be another."""
    e = lead_of(c)
    fixed = "The intervals hold for other items and the same raters."
    if math.isfinite(e.value) and e.n_items < 2:
        return "Two or more raters on more items."
    if not math.isfinite(e.value) or not math.isfinite(e.low):
        return "Two or more raters on the same items, with more than one label in use."
    side = side_of(e, OWN_RULE[0])
    if side == "below":
        also = ""
        if first.kind in VIEWS:
            also = ", or a decision about whose view counts"
        elif first.kind == "rater":
            also = ", or what comes of talking to those who stand apart"
        elif first.kind == "skew":
            also = ", or items with other labels"
        elif first.kind == "more":
            also = ", or relying on more labels of each item together, as in the first step"
        return (
            f"Only clearer labels or instructions{also}: the interval of one {c.ann.scale.thing} ends at {shown(e.high, 2)},"
            f" below {OWN_RULE[0]}; more items of the same kind will not help.{_alike(c, first)} {fixed}"
        )
    if side == "close":
        return (
            f"A few more items, or different ones: one end of the interval is close to {OWN_RULE[0]}, and another"
            f" random seed would move it by about {CLOSE:g}.{_alike(c, first)} {fixed}"
        )
    if e.low < OWN_RULE[0]:
        few = next((r for r in ([] if c.ann.scale.of_sets else c.why.reasons) if r.kind == "few"), None)
        text = upper(few.text) if few is not None else "More items labelled by several raters."
        if text in first.text:
            text = "More items labelled by several raters, as in the first step."
        return f"{text} {fixed}"
    if e.low < OWN_RULE[1]:
        return (
            f"The interval goes from {shown(e.low, 2)} to {shown(e.high, 2)}: more items would show on which side of"
            f" {OWN_RULE[1]} agreement lies. {fixed}"
        )
    also = " or a decision about whose view counts" if first.kind in VIEWS else ""
    return f"Only different raters or items{also}: the interval begins at {shown(e.low, 2)}. {fixed}"


def ceiling(c: Context) -> float:
    """The largest alpha that the raters' label frequencies allow, where raters were shown to use labels differently and
    it is below .8; else nan.
    """
    if c.ann.scale.of_sets or not c.why.largest < OWN_RULE[1]:
        return math.nan
    return c.why.largest if c.standing_out.usage else math.nan


def _alike(c: Context, first: Step) -> str:
    most = ceiling(c)
    if not most < OWN_RULE[0]:
        return ""
    if first.kind == "usage":  # the step says it
        return ""
    if first.kind in VIEWS:
        return f" While the labels hold both views, alpha cannot exceed {shown(most, 2)}."
    return f" Raters must also learn to use the labels alike: until they do, alpha cannot exceed {shown(most, 2)}."


def close(figure: Figure) -> bool:
    """Whether the interval of a figure ends next to its limit."""
    e = figure.estimate
    return e is not None and figure.drawn and bool(figure.marks) and side_of(e, figure.marks[0]) == "close"


def upper(text: str) -> str:
    return text[:1].upper() + text[1:]
