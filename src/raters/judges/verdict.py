"""The verdict on a judge in one sentence, with its conditions: which epsilon, which people, which items."""

from __future__ import annotations

import math

from raters.estimate import Estimate, shown
from raters.judges.alt_test_power import Power
from raters.judges.alt_test_result import AltTest

KINDS = ((0.2, "experts"), (0.15, "skilled people"), (0.1, "a crowd"))
"""What an epsilon is meant for."""
OUTCOMES = ("yes", "yes, with a gap", "no", "cannot tell yet")


def outcome(test: AltTest | None, gap: Estimate) -> str:
    """One of ``OUTCOMES``, from the test and the chance-corrected gap together; a failed test alone is never a no."""
    behind = math.isfinite(gap.high) and gap.high < 0
    if test is None:
        return "cannot tell yet"
    if test.passed:
        return "yes, with a gap" if behind else "yes"
    return "no" if behind else "cannot tell yet"


def verdict(
    judge: str,
    test: AltTest | None,
    kappa: Estimate,
    people: Estimate,
    gap: Estimate,
    power: Power | None,
    why: str = "",
) -> str:
    """Whether the judge may stand in for people, what speaks for it, and under which conditions that was seen."""
    if test is None:
        return f"Whether {judge} may stand in for people cannot be told yet: {why.rstrip('.')}.{_alone(kappa)}"
    figures = _figures(kappa, people, gap)
    conditions = _conditions(test)
    n = sum(p.replaced for p in test.people)
    seen = f"may replace {n} of {len(test.people)} people in the alternative-annotator test (winning rate {shown(test.winning_rate.value, 2)})"
    found = outcome(test, gap)
    if found == "yes":
        return f"{judge} may stand in for these people: it {seen}, and {figures}; {conditions}."
    if found == "yes, with a gap":
        return (
            f"{judge} passes the alternative-annotator test ({n} of {len(test.people)} people, winning rate {shown(test.winning_rate.value, 2)}), but agrees with people less than they do with each other: {figures}; "
            f"the test allows a gap of epsilon, so use it where single labels matter less than totals; {conditions}."
        )
    if found == "no":
        return f"{judge} should not stand in for these people yet: {figures}, and the alternative-annotator test does not show otherwise ({n} of {len(test.people)} people); {conditions}."
    tell = f" {power.sentence}" if power is not None else ""
    return f"Whether {judge} may stand in for these people cannot be told yet: it {seen}, which is not a sign that it is worse, and {figures}; {conditions}.{tell}"


def _figures(kappa: Estimate, people: Estimate, gap: Estimate) -> str:
    if not math.isfinite(gap.value):
        return f"its kappa with people is {shown(kappa.value, 2)} (people with each other: undefined)"
    limits = f" [{shown(gap.low, 2)}, {shown(gap.high, 2)}]" if math.isfinite(gap.low) else ""
    return f"its kappa with people is {shown(kappa.value, 2)} beside {shown(people.value, 2)} among people (gap {gap.value:+.2f}{limits})"


def _alone(kappa: Estimate) -> str:
    return f" Its kappa with people is {shown(kappa.value, 2)}." if math.isfinite(kappa.value) else ""


def _conditions(test: AltTest) -> str:
    meant = next((f", meant for {who}" for epsilon, who in KINDS if math.isclose(test.epsilon, epsilon)), "")
    left = f", {len(test.left_out)} others left out with fewer than {test.least} items" if test.left_out else ""
    return f"epsilon {test.epsilon:g}{meant}; {len(test.people)} people{left}; {test.winning_rate.n_items:,} items like these"
