"""What a careful lead would do next, the largest expected effect first.

A better codebook, examples and training come before anybody's labels are left out: a view of one's own is not an error.
A step is proposed only where the data show its reason; those that change the figure come before those that make it
surer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from raters.agree.camps import DRAWS, Camps
from raters.agree.estimating import too_few_shared
from raters.agree.explaining import Reason, limits
from raters.agree.label_use import differing
from raters.annotations import counted
from raters.estimate import Estimate, name_of, p_shown, shown
from raters.notes.note import either
from raters.reporting.cards import OFTEN, label_uses
from raters.reporting.context import Context
from raters.reporting.document import Step
from raters.reporting.findings import split_briefly
from raters.reporting.headline import ceiling, number
from raters.reporting.label_curve import LabelCurve
from raters.reporting.names import RANGES
from raters.reporting.one_label import OWN_RULE, side_of

MARKED = 0.02
"""A smaller difference between two camps' shares of a label is not worth a sentence."""


def some_of(names: list[str], most: int = 3) -> str:
    """The first names, and how many more there are.

    >>> some_of(["a"]), some_of(["a", "b"]), some_of(["a", "b", "c", "d", "e"])
    ('a', 'a and b', 'a, b, c and 2 more')
    """
    kept = names[:most] if len(names) <= most else [*names[:most], f"{len(names) - most:,} more"]
    return kept[0] if len(kept) == 1 else f"{', '.join(kept[:-1])} and {kept[-1]}"


def of_pools(c: Context) -> Iterator[Step]:
    """Groups of raters that agree less with each other than within themselves: a pool's own view is not an error."""
    if isinstance(c.pools, str):
        return
    less = [r for r in c.pools if r.n_shared >= 20 and r.difference.high < 0]
    if not less:
        return
    r = min(less, key=lambda r: float(r.difference.value))
    x, y = r.pools
    gap = -float(r.difference.value)
    text = (
        f"Agreement is {shown(r.irr_x.value, 2)} within {x!r} and {shown(r.irr_y.value, 2)} within {y!r}, but"
        f" {shown(r.kappa_x.value, 2)} between the two: a gap of {shown(gap, 2)} ({r.difference.level:.0%} interval"
        f" {shown(-r.difference.high, 2)} to {shown(-r.difference.low, 2)}).{split_briefly(c)} "
    )
    tested = r.test is not None and r.test.p <= 0.05
    advice = (
        "Report both views, or state whose view the labels represent."
        if tested
        else (
            "So few people cannot show whether others of their groups would differ, too: report both views, and ask"
            " more people of each group."
        )
    )
    yield Step("pools", "Decide whose view the labels represent", text + advice, gap, r.kappa_x)


def camps_sentence(found: Camps) -> str:
    """Who stands with whom."""
    return f"The raters fall into two camps: {_of_camps(found, 6)} ({p_shown(found.p, DRAWS)})."


def _of_camps(found: Camps, most: int) -> str:
    """How often raters of one camp give the same label, and those of two."""
    one, two = (some_of(list(map(repr, camp)), most) for camp in found.camps)
    return (
        f"{one} give the same label {found.within[0]:.0%} of the time and {two} {found.within[1]:.0%}, but two raters"
        f" of different camps only {found.between:.0%}"
    )


def camps_labels(c: Context) -> str:
    """The label that the two camps use most differently, with its share in each; empty if there are no shares."""
    if c.camps is None or isinstance(c.label_use, str):
        return ""
    use = c.label_use
    name = {name_of(r): i for i, r in enumerate(use.raters)}
    rows = [[name[r] for r in camp if r in name] for camp in c.camps.camps]
    if not all(rows):
        return ""
    one, two = (use.counts[at].sum(0) / use.counts[at].sum() for at in rows)
    k = int(np.argmax(np.abs(one - two)))
    k = (
        int(np.argmin(one + two)) if len(one) == 2 else k
    )  # of two labels the rarer one, on which the camps differ as much
    if abs(one[k] - two[k]) <= MARKED:
        return ""
    return f" The first camp gives {name_of(use.labels[k])!r} {one[k]:.0%} of the time, the second {two[k]:.0%}."


def of_camps(c: Context) -> Iterator[Step]:
    """Two camps without a column that names them."""
    if c.camps is not None:
        advice = "Ask them about some items that divide them: two views call for a decision, not for fewer raters."
        gap = min(c.camps.within) - c.camps.between
        text = f"{_of_camps(c.camps, 3)}.{camps_labels(c)}{split_briefly(c)} {advice}"
        yield Step("camps", "Find out what the two camps of raters see differently", text, gap)


def of_usage(c: Context) -> Iterator[Step]:
    """Raters who use the labels so differently that no agreement on items could be good."""
    most, use = ceiling(c), c.label_use
    if not most < OWN_RULE[0] or isinstance(use, str) or len(use.named) < 2:
        return
    who, label, share, other = differing(use)[0]
    text = (
        f"{len(use.named):,} of {len(use.raters):,} raters use labels differently from the others on the same items:"
        f" {name_of(who)!r} gives {name_of(label)!r} on {share:.0%} of them, the others on {other:.0%}. Write into the"
        " codebook, with examples, when each label applies, and go through it with all raters; until they use the"
        f" labels alike, alpha cannot exceed {shown(most, 2)}."
    )
    yield Step("usage", "Agree on when each label applies", text, 0.0)


GOOD = 0.8
ONE_MORE = 10
"""With more labels an item than this, one more is a small part of what is there."""
NAMED = "the labels of a rater whom you leave out are a result to report"
ORDER = ("pools", "camps", "labels", "rater", "usage", "more", "items", "nothing", "few", "skew", "single", "next")
CLEARER = ("pools", "camps", "labels", "rater", "usage", "items")
"""Steps towards clearer labels or instructions."""
SHOWN = ("pools", "camps", "labels", "rater", "usage")
"""Steps whose reason was tested, or whose effect has an interval that excludes 0; ranked among themselves by their
effect.
"""


def steps(c: Context) -> tuple[Step, ...]:
    """All steps that the data give a reason for, in the order in which to take them."""
    if c.ann.scale.of_sets or not math.isfinite(c.why.estimate.value):
        return ()
    why = too_few_shared(c.ann)
    if why:
        return (more_overlap(why),)
    if c.why.estimate.n_items < 2:
        return (more_overlap("A single item shows nothing of other items."),)
    views = list(of_pools(c)) or list(of_camps(c))
    found = [*(views or of_usage(c)), *_from_reasons(c), *_reviewed(c), *_more_labels(c), *_next(c)]
    if c.why.estimate.low >= GOOD:  # one label is reliable: what was not tested calls for nothing
        found = [s for s in found if s.kind in (*SHOWN, "more")]
    elif too_low(c) and not any(s.kind in CLEARER for s in found):
        found.append(nothing(c))  # only clearer labels help: one more of the same does not
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
        "measure",
        "Have more items labelled by two raters",
        f"{why} {either('raters.plan', 'raters plan')} computes how many a target requires.",
    )


def nothing(c: Context) -> Step:
    """No reason was found. Only an interval that lies above .8 as a whole calls agreement good."""
    e = c.why.estimate
    figure = f"alpha is {shown(e.value, 2)}{limits(e)}"
    if e.low >= GOOD:
        text = f"Nothing stands out: agreement is good, and no rater, label or item calls for action; {figure}."
        return Step("nothing", "Use them", text)
    how = "low" if e.high < OWN_RULE[0] else "not shown to be good"
    text = (
        f"Agreement is {how}: {figure}. No rater, pair of labels or small set of items stands out as the reason; look"
        " for what these items have in common, and write down what you decide."
    )
    two = c.ann.n_raters == 2 and not (c.ann.scale.ranks or c.ann.scale.numbers)
    title = "Read together the items on which they differ" if two else "Read the hardest items together"
    return Step("nothing", title, text)


def too_low(c: Context) -> bool:
    """Whether one label is shown to be unreliable, so that more items of the same kind would not help."""
    return side_of(c.why.estimate, OWN_RULE[0]) == "below"


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
    if r.kind == "rater" and e is not None:
        text = (
            "They disagree with the others more than chance explains. Go through the codebook and some examples with"
            f" them, and ask why: it may be a view of their own. Without their labels {then}; if you leave them out,"
            " report it."
        )
        given = c.why.estimate.n_annotations - e.n_annotations
        return Step("rater", f"Talk to rater {e.name!r}", text, r.change, e, labels=given)
    if r.kind == "labels" and e is not None:
        one, two = e.details["merged"]
        text = (
            "Write into the codebook how to tell them apart, with examples, and train on them. If they were one label,"
            f" {then}."
        )
        return Step("labels", f"Define {one!r} and {two!r} more clearly", text, r.change, e)
    if r.kind == "items":
        return Step("items", "Discuss the hardest items, and write down what you decide", _upper(r.text), r.change, e)
    if r.kind == "skew":
        text = f"{_upper(r.finding)}; with such uneven labels, the data say little about agreement on the rare ones."
        return Step("skew", "Have several raters label more items that are likely to get the rarer labels", text)
    if r.kind == "few":
        if too_low(c):  # more items would make surer what is sure enough: agreement is low
            return None
        return Step("few", "Have more items labelled by two or more raters", _upper(r.text))
    if r.kind == "single" and not too_low(c):
        return Step("single", "Have more items labelled twice", _upper(r.text))
    return None


def _reviewed(c: Context) -> Iterator[Step]:
    """Raters in whose labels no information was found, where no other step names a rater."""
    notes = () if isinstance(c.fit, str) else c.fit.notes
    blind = next((n.facts["raters"] for n in notes if n.code == "no_information_found"), ())
    if not blind or any(r.kind == "rater" for r in c.why.reasons):
        return
    who = some_of([repr(x) for x in blind])
    text = (
        f"No information was found in the labels of {who}; they count for as little as they tell. Go through the codebook and some"
        " examples with them before you collect more; if you leave them out, report it."
    )
    title = f"Review the labels of {counted(len(blind), 'rater')}"
    yield Step("rater", title, text, 0.0, about=len(blind), uninformative=True)


def _raters(c: Context, r: Reason, now: str) -> Step:
    """Several raters who stand out: what their labels do together."""
    names, e = c.why.raters, r.together
    who = some_of([repr(x) for x in names])
    said = "" if e is None else f"{shown(e.value, 2)}{limits(e)}"
    text = (
        f"{who} disagree with the others more than chance explains. Go through the codebook and some examples with"
        f" them, and ask why: it may be a view of their own. Without their labels alpha would go from {now} to {said};"
        " if you leave them out, report it."
    )
    gain = r.change if e is None else float(e.value) - float(c.why.estimate.value)
    given = 0 if e is None else c.why.estimate.n_annotations - e.n_annotations
    title = f"Talk to the {number(len(names))} raters who stand apart"
    return Step("rater", title, text, gain, e, len(names), labels=given)


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]


def _more_labels(c: Context) -> Iterator[Step]:
    """More labels per item, where the data determine how many reach the target."""
    curve = c.curve
    if isinstance(curve, str) or not math.isfinite(curve.now.value):
        return
    enough = curve.enough
    if enough is None or enough <= curve.here or curve.span:
        return
    then = next(e for k, e in curve.points if k == enough)
    more = (enough - curve.here) * c.ann.n_items
    text = (
        f"The reliability of the {curve.kind} would go from {shown(curve.now.value, 2)} to"
        f" {shown(then.value, 2)}{span(then)}; that is about {more:,} more labels."
    )
    title = f"Collect {enough} labels per item instead of {curve.here}"
    yield Step("more", title, text, then.value - curve.now.value, then, labels=more)


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
    return (
        " Their mean, which treats the steps of the scale as equally wide, has a reliability of"
        f" {shown(e.value, 2)}{span(e)}."
    )


def _next(c: Context) -> Iterator[Step]:
    """Items of which one more label would tell most."""
    if not c.doubtful:
        return
    n = counted(len(c.doubtful), "item")
    if c.ann.used.per_item[1] > ONE_MORE:
        text = f"With {c.ann.used.per_item[1]:.0f} labels per item, one more changes little."
        yield Step("next", f"Discuss the {n} whose label is least settled", text)
    else:
        text = "One more label is most informative where the label is not settled; these items are listed"
        every = len(c.doubtful) == c.ann.n_items
        which = "every item" if every else f"the {n} whose label is least settled"
        title = f"Ask for one more label of {which}"
        yield Step("next", title, f"{text} under “What to do next”.", there=f"{text} below.", labels=len(c.doubtful))


SETS_NAMED = 3
COUNTING = "Counting each label as given or not given"


def of_sets(c: Context) -> Step:
    """The labels on which raters agree least, as far as they were given often enough to tell."""
    rows = () if isinstance(c.sets, str) else c.sets.per_label
    uses = label_uses(c)
    known = sorted((e for e in rows if math.isfinite(e.value) and uses.get(e.name, 0) >= OFTEN), key=lambda e: e.value)
    if len(rows) < 2 or not known:
        return Step("sets", "Read some items together", "No label can be shown to have less agreement than the others.")
    if len(known) <= SETS_NAMED and all(e.high < OWN_RULE[0] for e in known):
        each = _and([f"{shown(e.value, 2)} for {e.name!r}{_limits(e)}" for e in known])
        text = (
            f"Raters disagree about every label. {COUNTING}, alpha is {each}. Write into the codebook, with examples,"
            " when each of them applies, and when to give two."
        )
        return Step("sets", "Define more clearly when each label applies", text)
    least = _and([f"{e.name!r} ({shown(e.value, 2)}{_limits(e, ', ', '')})" for e in known[:SETS_NAMED]])
    rare = f" Labels given fewer than {OFTEN} times are left aside." if len(known) < len(rows) else ""
    text = f"{COUNTING}, alpha is lowest for {least}.{rare} Write into the codebook, with examples, when to give them."
    return Step("sets", "Define more clearly the labels with the least agreement", text)


def _and(said: list[str]) -> str:
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def _limits(e: Estimate, before: str = " (", after: str = ")") -> str:
    return f"{before}{shown(e.low, 2)} to {shown(e.high, 2)}{after}" if math.isfinite(e.low) else ""
