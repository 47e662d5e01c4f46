"""The first screen: what a lead would repeat in a meeting. Nothing on it that the intervals do not carry."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from raters.agree.estimating import too_few_shared
from raters.agree.hard_items import hard_items, many_of_few_labels
from raters.annotations import counted, n_not_used
from raters.coefficients import DEFAULT
from raters.estimate import Estimate, name_of, shown
from raters.items import fold
from raters.models.follow_up.why import assumed_items, few_settled
from raters.models.result import Consensus
from raters.notes.note import either
from raters.reporting.advice import more_overlap, nothing, of_mean, of_sets, span, steps
from raters.reporting.context import SETTLED, Context
from raters.reporting.document import (
    BAD,
    GOOD,
    MIDDLE,
    OPEN,
    Cell,
    Figure,
    Part,
    Section,
    Step,
    Table,
    Verdict,
    percent,
)
from raters.reporting.findings import apart, settled_and_right, split, split_yet_settled
from raters.reporting.first_lines import may_be_codes
from raters.reporting.headline import VIEWS, ceiling, change, headline, lead_of, number, upper
from raters.reporting.label_curve import LabelCurve
from raters.reporting.names import inside
from raters.reporting.one_label import OWN_RULE, close_call, looks_misread, one_label_is, side_of, word_of

LEANING = 0.8
READ_ON = {
    "data": "what is in the data", "agreement": "why the figure is what it is", "aggregate": "how many labels you need", "where": "the items that divide them",
    "raters": "who stands out", "usage": "who used which labels", "trust": "which labels are settled", "pools": "other pools", "groups": "groups of raters",
    "judges": "models beside people", "sets": "agreement on label sets", "next": "what to do next", "methods": "paragraph and table for the paper",
}  # fmt: skip


def verdict(c: Context, sections: tuple[Section, ...]) -> Verdict:
    """One sentence, three figures, the first thing to do, and what would change the verdict."""
    there = {s.key for s in sections if not s.absent} | {"methods"}
    why = too_few_shared(c.ann)
    if why:
        return Verdict(
            about(c),
            why,
            tuple(
                Figure(title, "–", "cannot be measured", OPEN, why)
                for title in ("One label", "An aggregate", "Items that are settled")
            ),
            more_overlap(why),
            "Two or more raters on more of the items.",
            tuple((key, words) for key, words in READ_ON.items() if key in there),
        )
    first = _priced(c, _first(c))
    one, many = one_label(c), _aggregate(c)
    figures = (one, many, _settled(c, one, many))
    then = tuple((key, words) for key, words in READ_ON.items() if key in there)
    return Verdict(about(c), headline(c, figures, first), figures, first, change(c, first), then, who_said_what(c))


def first_of_verdict(c: Context) -> Verdict | None:
    """What counts alone say of it, before anything that asks for raters or a model; None if they do not say."""
    e = lead_of(c)
    if too_few_shared(c.ann) or not math.isfinite(e.value) or looks_misread(c.ann, e):
        return None
    return Verdict(about(c), f"{one_label_is(e, c.ann.scale.thing)}.", (lead_figure(c),), Step("", "", ""), "")


MOST_CELLS = 4
"""Labels of the table of two raters."""


def who_said_what(c: Context) -> Table | None:
    """Of two raters and a few categories: on how many items one said this and the other that."""
    if c.ann.n_raters != 2 or not c.ann.scale.categories or not 2 <= len(c.ann.labels) <= MOST_CELLS:
        return None
    items = fold(c.ann, group="rater")[None]
    k = len(items.labels)
    counts = items.counts.toarray()
    both = (counts[:, :k] * items.weight[:, None]).T @ counts[:, k:]
    one, other = (name_of(r) for r in items.groups)
    rows: list[tuple[Cell, ...]] = [(f"{one}: {name}", *map(int, both[i])) for i, name in enumerate(items.labels)]
    caption = f"Who said what, on the {counted(int(both.sum()), 'item')} that both labelled"
    return Table("who_said_what", caption, ("", *(f"{other}: {name}" for name in items.labels)), tuple(rows))


def about(c: Context) -> str:
    """What was labelled, and how it was taken, in one line."""
    ann = c.ann
    low, mean, high = ann.used.per_item
    what = ann.scale.word
    each = (
        f"{low:,} {what}{'' if low == 1 else 's'} each"
        if low == high
        else f"{low:,} to {high:,} {what}s each (mean {inside(mean, low, high)})"
    )
    who = counted(ann.n_raters, "rater") if ann.n_raters else "raters without names"
    who += f" (and {counted(len(c.judges), 'model')} compared with them)" if c.judges else ""
    pools = f" in {counted(c.distinct(c.pool_column), 'group')} ({c.pool_column})" if c.pool_column is not None else ""
    single = ann.single
    if ann.scale.numbers and single:
        labels = f"numbers from {single[0]:g} to {single[-1]:g}" if ann.numeric else "numbers"
    else:
        labels = " / ".join(" ".join(str(x).split())[:24] for x in single[:5]) + (
            f" / ... ({len(single):,} labels)" if len(single) > 5 else ""
        )
    said = not ann.scale_assumed or may_be_codes(ann)
    taken = f"read as {ann.scale}" + ("" if said else f" ({ann.scale_reason})")
    lost = f" · {counted(n_not_used(ann), 'row')} not used" if n_not_used(ann) else ""
    return f"{ann.source} · {counted(ann.n_items, 'item')}, {who}{pools}, {each} · {labels} · {taken}{lost}"


def one_label(c: Context) -> Figure:
    """The first figure, and how high it can be at all."""
    figure, most = lead_figure(c), ceiling(c)
    if not math.isfinite(lead_of(c).value) or math.isnan(most):
        return figure
    return replace(
        figure,
        text=f"{figure.text} These raters use the labels so differently that it cannot exceed {shown(most, 2)}.",
    )


def lead_figure(c: Context) -> Figure:
    """The agreement of single labels, which is known before anything that needs raters or a model."""
    e = lead_of(c)
    word, tone = word_of(e)
    title = f"One {c.ann.scale.thing}"
    if not math.isfinite(e.value):
        return Figure(title, "–", word, tone, f"{upper(str(e.undefined or 'nothing can be compared'))}.", e)
    limits = f", {e.level:.0%} interval {shown(e.low, 2)} to {shown(e.high, 2)}" if math.isfinite(e.low) else ""
    name = "Krippendorff's alpha (MASI distance)" if c.ann.scale.of_sets else e.title
    text = f"{name}: agreement beyond chance, 0 is chance and 1 is perfect{limits}.{_pairs(c)}"
    return Figure(title, shown(e.value, 2), word, tone, text, e, OWN_RULE)


def _pairs(c: Context) -> str:
    """How often two labels are the same, and how often they would be by chance: of categories."""
    if not c.ann.scale.equality:
        return ""
    e = c.table[DEFAULT]
    if not (math.isfinite(e.observed) and math.isfinite(e.expected)):
        return ""
    same = c.table["percent"].value  # as in the table for a paper
    return f" Two labels of an item are the same {same:.0%} of the time; chance alone would give {e.expected:.0%}."


def _aggregate(c: Context) -> Figure:
    """The aggregate that is in use, against the target."""
    if c.ann.scale.of_sets:
        return _overlap(c)
    curve = c.curve
    if isinstance(curve, str):
        return Figure("An aggregate", "–", "cannot be measured", OPEN, curve)
    if curve.alone and who_said_what(c) is not None:
        return _cohen(c)
    if curve.alone:
        text = (
            f"With {number(curve.at)} labels per item, a {curve.kind} is one of them wherever they differ, so it is as"
            f" reliable as one label. {_enough(c)}"
        )
        return Figure(f"A {curve.kind}", "–", "needs three labels per item", OPEN, text)
    title = (
        "Your one label"
        if curve.here == 1
        else f"The {curve.kind} of your {number(curve.here)}"
        if curve.at == curve.here
        else f"The {curve.kind} of {number(curve.at)} of your {number(curve.here)}"
    )
    e = curve.now
    if not math.isfinite(e.value):
        return Figure(title, "–", "cannot be measured", OPEN, f"{upper(str(e.undefined or 'undefined'))}.", e)
    word, tone = _reaches(c, e)
    others = "one other label" if curve.at == 1 else f"the {curve.kind} of {number(curve.at)} other labels"
    text = f"How well it would agree with {others} of an item{span(e)}.{_half(curve)}{of_mean(curve)} {_enough(c)}"
    return Figure(title, shown(e.value, 2), word, tone, text, e, (c.target,))


def _cohen(c: Context) -> Figure:
    """Of two raters and a few labels: what reviewers ask for, in the place of a majority that there is not."""
    e = c.table["cohen"]
    low = f", {e.level:.0%} interval {shown(e.low, 2)} to {shown(e.high, 2)}" if math.isfinite(e.low) else ""
    text = f"Agreement beyond the chance of these two raters' own shares of the labels{low}. {_enough(c)}"
    word = "for two raters, what reviewers ask for"
    return Figure(e.title, shown(e.value, 2) if math.isfinite(e.value) else "–", word, OPEN, text.strip(), e)


def _half(curve: LabelCurve) -> str:
    return (
        ""
        if curve.at == curve.here
        else f" With {curve.here} labels an item, {curve.at} is as many as the data can check; use"
        f" {either('raters.krr', 'raters krr')} for more."
    )


def _reaches(c: Context, e: Estimate) -> tuple[str, str]:
    if not (math.isfinite(e.low) and math.isfinite(e.high)):
        return f"best estimate only; the target is {c.target:g}", OPEN
    side = side_of(e, c.target)
    said = {
        "below": (f"does not reach {c.target:g}", BAD),
        "above": (f"reaches {c.target:g}", GOOD),
        "across": (f"best estimate {'reaches' if e.value >= c.target else 'below'} {c.target:g}, not certain", OPEN),
    }
    return said.get(side, (close_call(e, c.target), OPEN))


def _enough(c: Context) -> str:
    """How many labels reach the target, in a few words."""
    curve = c.curve
    if isinstance(curve, str):
        return ""
    enough = curve.enough
    if enough is None:
        return f"By the best estimate even {curve.tried} labels per item do not reach {c.target:g}."
    if curve.span:
        return (
            f"By the best estimate, about {number(enough)} label{'' if enough == 1 else 's'} per item would reach"
            f" {c.target:g}{curve.span}."
        )
    if enough < curve.at:
        return f"By the best estimate {number(enough)} would be enough for {c.target:g}."
    return "" if enough == curve.at else f"About {number(enough)} labels per item would reach {c.target:g}."


def _overlap(c: Context) -> Figure:
    if isinstance(c.sets, str):
        return Figure("Labels that two sets share", "–", "cannot be measured", OPEN, c.sets)
    e = c.sets["boot_f1"]
    if not (math.isfinite(e.observed) and math.isfinite(e.expected)):
        return Figure("Labels that two sets share", "–", "cannot be measured", OPEN, "Nothing can be compared.", e)
    more = e.low > 0
    word, tone = ("more than by chance", MIDDLE) if more else ("not shown to be more than chance", OPEN)
    text = (
        f"Of the labels of two sets, {e.observed:.0%} are shared on average (F1); chance alone would give"
        f" {e.expected:.0%}, so {1 - e.expected:.0%} is the room in which agreement can show."
    )
    parts = (Part("shared", e.observed, tone), Part("not shared", 1 - e.observed, OPEN))
    return Figure("Labels that two sets share", f"{e.observed:.0%}", word, tone, text, parts=parts)


def _settled(c: Context, one: Figure, many: Figure) -> Figure:
    """Items whose label more labels would not change; of numbers how exact a value is; without a model, who all
    agree.
    """
    if isinstance(c.fit, str):
        return apart(c) or (_numbers(c) if not isinstance(c.numbers, str) else _unanimous(c, c.fit))
    sure = c.fit.certainty[np.isfinite(c.fit.certainty)]
    if not len(sure):
        return Figure("Items that are settled", "–", "cannot be measured", OPEN, "No item has a label under the model.")
    settled, open_ = float(np.mean(sure >= SETTLED)), float(np.mean(sure < LEANING))
    rest = max(0.0, 1 - settled - open_)
    parts = (Part("settled", settled, GOOD), Part("leaning", rest, MIDDLE), Part("open", open_, BAD))
    of = f"Share{c.of_part}. " if c.of_part else ""
    few = few_settled(c.fit, SETTLED)
    what = f"Their label {_probable(c.fit)}." if settled > 0 else f"No item has a label that {_probable(c.fit)}."
    what = f"More such labels would hardly change what is settled. {what}" if few else what
    text = (
        f"{of}{what} {percent(rest)} of the items lean towards a label "
        f"({LEANING:.0%} or more) and {percent(open_)} are open. Settled does not mean right: {settled_and_right(c)}"
    )
    if said := assumed_items(c.fit):
        text += f" {said}"
    if opposed := len(split_yet_settled(c)):
        text += (
            f" But {opposed:,} of these items split exactly between two views; with more raters of the other view,"
            " other labels would be settled."
        )
    elif c.camps is not None:
        text += " The raters have two views; with more raters of one view, other labels would be settled."
    word = (
        f"but {few}"
        if few
        else "more such labels would hardly change them"
        if settled > 0
        else "no label is settled yet"
    )
    tone = GOOD if settled > 0.5 and not few else MIDDLE
    if tone == GOOD and one.tone == BAD and many.tone != GOOD:  # what the model settles is not in the labels alone
        tone, word = MIDDLE, _carried(c)
    return Figure("Items that are settled", percent(settled), word, tone, text, parts=parts)


def _carried(c: Context) -> str:
    """Why items are settled whose labels agree too little: the most frequent label is likely anyway, or the model adds
    what it knows of the raters.
    """
    skewed = next((r for r in c.why.reasons if r.kind == "skew"), None)
    return "mostly the most frequent label, likely anyway" if skewed is not None else "if the model of the raters holds"


def _probable(fit: Consensus) -> str:
    """What it means that a label is settled: by a model of the raters, or by the vote."""
    if fit.decided is None:
        return f"has a probability of {SETTLED:.0%} or more under a model of the raters"
    return f"would win a very large vote of such raters with a probability of {SETTLED:.0%} or more"


def _numbers(c: Context) -> Figure:
    if isinstance(c.numbers, str):
        return _unanimous(c, c.numbers)
    fit, _ = c.numbers
    middle, spread = float(np.median(fit.posterior[:, 1])), float(np.sqrt(fit.params["spread"][0]))
    word = "how exact the value of a typical item is"
    text = (
        "One standard deviation of its uncertainty; values vary between items with a standard deviation of"
        f" {shown(spread, 2)}."
    )
    return Figure("A typical item's value", f"± {shown(middle, 2)}", word, OPEN, text)


def _unanimous(c: Context, why: str) -> Figure:
    """Without a model: on how many items all labels are the same."""
    title = f"Items on which {'both' if c.ann.n_raters == 2 else 'all'} agree"
    if c.ann.used.per_item[2] < 2:
        return Figure(title, "–", "cannot be measured", OPEN, f"No model of the raters: {why}.")
    found = hard_items(c.ann if many_of_few_labels(c.ann) else c.part, 0)
    paired = found.paired
    share = (paired - found.differ) / max(paired, 1)
    parts = (Part("all agree", share, MIDDLE), Part("they differ", 1 - share, OPEN))
    each = f"{c.ann.scale.thing}s"
    text = f"Of {counted(paired, 'item')} with two or more {each}. No model of the raters was fitted: {why}."
    if c.ann.n_raters == 2:
        text = f"Of {counted(paired, 'item')} with two {each}. Two raters cannot show which of them is right."
    return Figure(
        title,
        f"{share:.0%}",
        f"all their {each} are the same" if share else f"{each} differ on every item",
        OPEN,
        text,
        parts=parts,
    )


def _first(c: Context) -> Step:
    if c.ann.scale.of_sets:
        return of_sets(c)
    e = c.why.estimate
    if not math.isfinite(e.value):
        return Step("measure", "Make agreement measurable", c.why.sentence)
    found = steps(c)
    return found[0] if found else nothing(c)


AGAIN = ("pools", "camps", "labels", "usage", "items", "nothing")
"""Steps about which people look again at items on which they differ."""


def _priced(c: Context, step: Step) -> Step:
    """The step with the labels that it takes: more labels, or second looks by those who labelled."""
    each = c.ann.used.per_item[1]
    if step.kind not in AGAIN:
        return step
    divided = split(c)
    if step.kind in VIEWS and divided is not None:
        n = len(divided[1].items)
    elif c.part is not c.ann or c.ann.scale.of_sets:
        return step
    else:
        n = hard_items(c.ann, 0).differ
    return replace(step, labels=round(n * each))
