"""What a careful lead would do next, the largest expected effect first.

A better codebook, examples and training come before anybody's labels are left out: a view of one's own is not an error.
A step is proposed only where the data show its reason; those that change the figure come before those that make it surer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from raters.agree.estimating import too_few_shared
from raters.agree.explaining import Reason, limits
from raters.annotations import counted
from raters.estimate import Estimate, shown
from raters.reporting.context import Context
from raters.reporting.headline import OWN_RULE, REVIEW, number
from raters.reporting.interval_words import RANGES
from raters.reporting.label_curve import LabelCurve
from raters.reporting.verdict_values import Step
from raters.reporting.view_steps import of_camps, of_pools, of_usage, some_of

GOOD = 0.8
ONE_MORE = 10
"""With more labels an item than this, one more is a small part of what is there."""
LISTED = "under “What to do next”"
NAMED = "the labels of a rater whom you leave out are a result to report"
ORDER = ("pools", "camps", "labels", "rater", "usage", "more", "items", "few", "skew", "single", "next")
SHOWN = ("pools", "camps", "labels", "rater", "usage")
"""Steps whose reason was tested, or whose effect has an interval that excludes 0; ranked among themselves by their effect."""


def steps(c: Context) -> tuple[Step, ...]:
    """All steps that the data give a reason for, in the order in which to take them."""
    if c.ann.scale == "sets" or not math.isfinite(c.why.estimate.value):
        return ()
    why = too_few_shared(c.ann)
    if why:
        return (more_overlap(why),)
    views = list(of_pools(c)) or list(of_camps(c))
    found = [*(views or of_usage(c)), *_from_reasons(c), *_reviewed(c), *_more_labels(c), *_next(c)]
    unsure = c.why.estimate.low < 0.667 <= c.why.estimate.high

    def place(s: Step) -> tuple[float, float]:
        if s.kind in SHOWN:
            return 0, -s.gain
        if s.kind == "few" and unsure:  # nothing else can be told before there are more items
            return 0.5, 0
        return 1 + ORDER.index(s.kind), 0

    return tuple(sorted(found, key=place))


def more_overlap(why: str) -> Step:
    """Before anything else can be said, more items need labels from two raters."""
    return Step(
        "measure", "Have more items labelled by two raters", f"{why} `raters plan` computes how many a target requires."
    )


def nothing(c: Context) -> Step:
    """No reason was found. Only an interval that lies above .8 as a whole calls agreement good."""
    e = c.why.estimate
    figure = f"alpha is {shown(e.value, 2)}{limits(e)}"
    if e.low >= GOOD:
        text = f"Nothing stands out: agreement is good, and no rater, label or item calls for action; {figure}."
        return Step("nothing", "Go on as you do", text)
    how = "low" if e.high < OWN_RULE[0] else "not shown to be good"
    text = (
        f"Agreement is {how}: {figure}. No rater, pair of labels or small set of items stands out as the reason; look for what the hardest items "
        "have in common, and write down what you decide."
    )
    return Step("nothing", "Read the hardest items together", text)


def _from_reasons(c: Context) -> Iterator[Step]:
    now = shown(c.why.estimate.value, 2)
    for r in c.why.reasons:
        made = _of_reason(c, r, now)
        if made is not None:
            yield made


def _of_reason(c: Context, r: Reason, now: str) -> Step | None:
    e = r.estimate
    then = "" if e is None else f"alpha would go from {now} to {shown(e.value, 2)}{limits(e)}"
    if r.kind == "rater" and e is not None and r.together is not None:
        return _raters(c, r, now)
    if r.kind == "rater" and e is not None and e.name in c.judges:
        text = (
            f"This model disagrees with the others more than chance explains. Compare its prompt with the codebook. Without its labels {then}; if you "
            "leave it out, report it."
        )
        return Step("rater", f"Check the prompt of {e.name!r}", text, r.change, e)
    if r.kind == "rater" and e is not None:
        text = (
            f"They disagree with the others more than chance explains. Go through the codebook and some examples "
            f"with them, and ask why: it may be a view of their own. Without their labels {then}; if you leave them out, report it."
        )
        return Step("rater", f"Talk to rater {e.name!r}", text, r.change, e)
    if r.kind == "labels" and e is not None:
        one, two = e.name.split(" = ")
        text = f"Write into the codebook how to tell them apart, with examples, and train on them. If they were one label, {then}."
        return Step("labels", f"Define {one!r} and {two!r} more clearly", text, r.change, e)
    if r.kind == "items":
        return Step("items", "Discuss the hardest items, and write down what you decide", _upper(r.text), r.change, e)
    if r.kind == "skew":
        text = f"{_upper(r.text.split('. ')[0])}; with such uneven labels, the data say little about agreement on the rare ones."
        return Step("skew", "Have several raters label more items that are likely to get the rarer labels", text)
    if r.kind == "few":
        if c.why.estimate.high < OWN_RULE[0]:  # more items would make surer what is sure enough: agreement is low
            return None
        return Step("few", "Have more items labelled by two or more raters", _upper(r.text))
    if r.kind == "single":
        return Step("single", "Have more items labelled twice", _upper(r.text))
    return None


def _reviewed(c: Context) -> Iterator[Step]:
    """Raters in whose labels no information was found, where no other step names a rater."""
    blind = () if isinstance(c.fit, str) or c.fit.choice is None else c.fit.choice.blind
    if not blind or any(r.kind == "rater" for r in c.why.reasons):
        return
    who = some_of([repr(x) for x in blind])
    text = (
        f"No information was found in the labels of {who}, and they were not counted. Go through the codebook and some examples with "
        "them before you collect more; if you leave them out, report it."
    )
    yield Step("rater", f"{REVIEW}{counted(len(blind), 'rater')}", text, 0.0)


def _raters(c: Context, r: Reason, now: str) -> Step:
    """Several raters who stand out: what their labels do together."""
    names, e = c.why.raters, r.together
    who = some_of([repr(x) for x in names])
    said = "" if e is None else f"{shown(e.value, 2)}{limits(e)}"
    text = (
        f"{who} disagree with the others more than chance explains. Go through the codebook and some examples with them, and ask why: it "
        f"may be a view of their own. Without their labels alpha would go from {now} to {said}; if you leave them out, report it."
    )
    gain = r.change if e is None else float(e.value) - float(c.why.estimate.value)
    if c.judges and set(names) <= set(c.judges):
        text = (
            f"{who} are models, and disagree with the others more than chance explains. Compare their prompts with the codebook. Without their "
            f"labels alpha would go from {now} to {said}; if you leave them out, report it."
        )
        return Step("rater", f"Check the prompts of the {number(len(names))} models that stand apart", text, gain, e)
    return Step("rater", f"Talk to the {number(len(names))} raters who stand apart", text, gain, e)


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]


def _more_labels(c: Context) -> Iterator[Step]:
    """More labels per item, where the data determine how many reach the target."""
    curve = c.curve
    if isinstance(curve, str) or not math.isfinite(curve.now.value):
        return
    enough = curve.first("value", c.target)
    if enough is None or enough <= curve.here or not curve.determined(c.target):
        return
    then = next(e for k, e in curve.points if k == enough)
    more = (enough - curve.here) * c.ann.n_items
    text = (
        f"The reliability of the {curve.kind} would go from {shown(curve.now.value, 2)} to {shown(then.value, 2)}{span(then)}; "
        f"that is about {more:,} more labels."
    )
    title = f"Collect {enough} labels per item instead of {curve.here}"
    yield Step("more", title, text, then.value - curve.now.value, then)


def span(e: Estimate) -> str:
    """The limits of a figure, called what they are."""
    if not math.isfinite(e.low):
        return ""
    what = "the data allow" if e.interval in RANGES else f"{e.level:.0%} interval"
    return f" ({what} {shown(e.low, 2)} to {shown(e.high, 2)})"


def of_mean(curve: LabelCurve) -> str:
    """Of degrees written as numbers: the mean beside the median."""
    e = curve.mean
    if e is None or not math.isfinite(e.value):
        return ""
    return f" Their mean, which treats the steps of the scale as equally wide, has a reliability of {shown(e.value, 2)}{span(e)}."


def _next(c: Context) -> Iterator[Step]:
    """Items of which one more label would tell most."""
    if not c.doubtful:
        return
    n = counted(len(c.doubtful), "item")
    if c.ann.used.per_item[1] > ONE_MORE:
        text = f"With {c.ann.used.per_item[1]:.0f} labels per item, one more changes little."
        yield Step("next", f"Discuss the {n} whose label is least settled", text)
    else:
        text = f"One more label is most informative where the label is not settled; these items are listed {LISTED}."
        every = len(c.doubtful) == c.ann.n_items
        which = "every item" if every else f"the {n} whose label is least settled"
        yield Step("next", f"Ask for one more label of {which}", text)
