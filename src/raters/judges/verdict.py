"""The verdict on a judge in one sentence, with its conditions: which epsilon, which people, which items."""

from __future__ import annotations

import math

from raters.estimate import Estimate, shown
from raters.judges.alt_test_power import GOAL, Power
from raters.judges.alt_test_result import AltTest

KINDS = ((0.2, "experts"), (0.15, "skilled people"), (0.1, "a crowd"))
"""The raters for whom an epsilon is meant."""
OUTCOMES = ("yes", "yes, with a gap", "no", "cannot tell yet")


def outcome(test: AltTest | None, gap: Estimate, near: Estimate | None = None) -> str:
    """One of ``OUTCOMES``, from the test and the chance-corrected gap together; a failed test alone never means "no".

    ``near``: the gap of kappa_x, if labels have distances and ``gap`` counts exact matches; only both together count
    against a judge.
    """
    behind = clearly_behind(gap, near)
    if test is None:
        return "cannot tell yet"
    if test.passed:
        return "yes, with a gap" if behind else "yes"
    return "no" if behind else "cannot tell yet"


def clearly_behind(gap: Estimate, near: Estimate | None) -> bool:
    """Whether the judge clearly agrees with people less than they do with each other."""
    return all(math.isfinite(e.high) and e.high < 0 for e in (gap, near) if e is not None)


def verdict(
    judge: str,
    test: AltTest | None,
    kappa: Estimate,
    people: Estimate,
    gap: Estimate,
    why: str = "",
    near: Estimate | None = None,
    power: Power | None = None,
) -> str:
    """Whether the judge may stand in for people, the evidence, and the conditions under which it was observed."""
    if test is None:
        return f"Whether the judge {judge!r} may stand in for people is not clear yet: {why.rstrip('.')}.{_alone(kappa, people, gap, near)}"
    figures = _figures(kappa, people, gap, near)
    conditions = _conditions(test)
    n = sum(p.replaced for p in test.people)
    of = f"{n} of {len(test.people)} people"
    seen = f"may replace {of} in the alternative-annotator test (winning rate {shown(test.winning_rate.value, 2)})"
    found = outcome(test, gap, near)
    if found == "yes":
        return f"The judge {judge!r} may stand in for these people: it {seen}, and {figures}; {conditions}."
    if found == "yes, with a gap":
        return (
            f"The judge {judge!r} passes the alternative-annotator test ({of}, winning rate {shown(test.winning_rate.value, 2)}), which allows a gap of epsilon, "
            f"but agrees with people less than they do with each other: {figures}; {conditions}."
        )
    if found == "no":
        return f"The judge {judge!r} should not stand in for these people yet: {figures}, and the alternative-annotator test does not show otherwise ({of}); {conditions}."
    tell = f" {power.sentence}" if power is not None else ""
    return f"Whether the judge {judge!r} may stand in for these people is not clear yet: it {seen}, which is not a sign that it is worse, and {figures}; {conditions}.{tell}"


CORRECT = "for shares or means over many items, correct its labels with your human ones (raters judge ... --estimate prevalence, or mean)"


def advice(found: str, test: AltTest | None, power: Power | None, n_people: int, people: Estimate) -> str:
    """What to do about it, in a sentence that a non-statistician can act on."""
    if found == "yes":
        return "What to do: use it for items like these, keep a few human labels to notice drift, and check again when the model, the prompt or the items change."
    if found == "yes, with a gap":
        return f"What to do: do not treat a single label of the model as a person's, and let people decide important cases; {CORRECT}."
    if found == "no":
        return f"What to do: let people continue to label. See below which labels the model confuses, change the prompt or the model, and check again; {CORRECT}."
    if test is None:
        most = (
            "have a second person label the same items"
            if n_people < 2
            else "have at least two people label the same items"
        )
        return f"What to do: {most} (at least 30; 50 to 100 are usual), then check again; meanwhile {CORRECT}."
    if not math.isfinite(people.value):
        return "What to do: people's agreement is undefined (see the note), usually because they gave a single label throughout; add items of other kinds, then check again."
    if power is None or power.never:
        return f"What to do: more items alone will hardly help. Change the prompt or the model, or decide in advance that a larger epsilon is acceptable; {CORRECT}."
    if power.power >= GOAL:
        return "What to do: a judge like this would usually pass the test but did not here; collect labels from more people or for more items, and check again."
    more = max(round(power.needed) - power.n_items, 1)
    return f"What to do: have the people label about {more:,} more items (about {power.needed:,.0f} in total), then check again; until then, let people continue to label."


def _figures(kappa: Estimate, people: Estimate, gap: Estimate, near: Estimate | None) -> str:
    plain = " (exact matches only)" if near is not None else ""
    if not math.isfinite(gap.value):
        return f"its kappa with people{plain} is {shown(kappa.value, 2)} (people with each other: undefined)"
    by_distance = f", or {_signed(near)} by distance" if near is not None and math.isfinite(near.value) else ""
    return f"its kappa with people{plain} is {shown(kappa.value, 2)}, compared with {shown(people.value, 2)} among people (gap {_signed(gap)}{by_distance})"


def _signed(e: Estimate) -> str:
    return f"{e.value:+.2f}" + (f" [{shown(e.low, 2)}, {shown(e.high, 2)}]" if math.isfinite(e.low) else "")


def _alone(kappa: Estimate, people: Estimate, gap: Estimate, near: Estimate | None) -> str:
    """What is known without the test."""
    if not math.isfinite(kappa.value):
        return ""
    said = _figures(kappa, people, gap, near)
    behind = clearly_behind(gap, near)
    return f" {said[:1].upper()}{said[1:]}{': so far it agrees with people less than they do with each other' if behind else ''}."


def _conditions(test: AltTest) -> str:
    meant = next((f", meant for {who}" for epsilon, who in KINDS if math.isclose(test.epsilon, epsilon)), "")
    others = ", ".join(f"{epsilon:g} for {who}" for epsilon, who in KINDS if not math.isclose(test.epsilon, epsilon))
    meant = f"{meant} ({others})" if meant else ""
    left = f", {len(test.left_out)} others excluded with fewer than {test.least} items" if test.left_out else ""
    return f"epsilon {test.epsilon:g}{meant}; {len(test.people)} people{left}; {test.winning_rate.n_items:,} items like these"
