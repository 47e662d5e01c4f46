"""May a judge stand in for people? Only if it is shown to be worse than they are by less than a margin."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from scipy import special

from raters.annotations import counted
from raters.estimate import Estimate, shown
from raters.judges.alt_test import AltTest
from raters.judges.by_class import ClassFigures
from raters.notes.note import either

MARGIN = 0.05
"""How much worse than people a judge may be, in units of kappa; in classes, in precision and recall."""
GOAL = 0.8
NOISE = 1e-9
"""A gap so small is an error of rounding."""
KINDS = ((0.2, "experts"), (0.15, "skilled people"), (0.1, "a crowd"))
"""The raters for whom an epsilon is meant."""


class Outcome(StrEnum):
    """Whether a judge may stand in for people."""

    short: str
    """The same in a list of several judges."""

    def __new__(cls, words: str, short: str) -> Outcome:
        made = str.__new__(cls, words)
        made._value_, made.short = words, short
        return made

    yes = "yes", "May stand in"
    gap = "yes, with a gap", "May stand in, with a gap"
    no = "no", "Should not yet"
    unclear = "cannot tell yet", "Not clear yet"


@dataclass(frozen=True)
class Standing:
    """A judge beside people: the gaps that decide, the other ones, and each class."""

    margin: float
    level: float
    deciding: tuple[tuple[Estimate, str], ...]
    """Gaps (the judge minus people) and what each compares, all of which must be above minus the margin."""
    besides: tuple[tuple[Estimate, str], ...]
    """Gaps that count only if they are clearly below minus the margin: exact matches, where labels have distances."""
    classes: tuple[ClassFigures, ...] = ()
    """Every class; with distances between labels, they are shown and do not count."""
    people: Estimate | None = None
    """People's own agreement, by the measure that decides."""

    @property
    def hardly(self) -> bool:
        """Whether people may agree so little that a judge who guesses would be within the margin of them."""
        e = self.people
        return e is not None and not (e.low if math.isfinite(e.low) else e.value) > self.margin

    @property
    def outcome(self) -> Outcome:
        """The answer: "yes" and "no" are both claims that the intervals have to show."""
        limits = [(e.low, e.high) for e, _ in self.deciding]
        if not limits or not all(math.isfinite(x) for both in limits for x in both):
            return Outcome.unclear
        if any(high < -self.margin for _, high in limits):
            return Outcome.no
        if self.hardly or any(low < -self.margin for low, _ in limits):
            return Outcome.unclear
        return Outcome.gap if self.behind or self.worse or self.fewer else Outcome.yes

    @property
    def behind(self) -> bool:
        """Whether a gap is clearly below zero."""
        return any(e.high < -NOISE for e, _ in self.deciding)

    @property
    def fewer(self) -> bool:
        """Whether the other gaps are clearly beyond the margin."""
        return any(e.high < -self.margin for e, _ in self.besides)

    @property
    def worse(self) -> list[ClassFigures]:
        """The classes on which the judge is clearly worse than people by more than the margin, the worst first."""
        if self.besides:
            return []
        flagged = [c for c in self.classes if c.worse]
        return sorted(flagged, key=lambda c: min(c.precision.value, c.recall.value))

    @property
    def needed(self) -> float:
        """Items with which a judge like this would be shown to be within the margin in 80 % of studies, if the observed
        gaps are the true ones; infinite if they are not within it.
        """
        z = special.ndtri((1 + self.level) / 2)
        most = 0.0
        for e, _ in self.deciding:
            room = e.value + self.margin
            if not room > 0 or not math.isfinite(e.low):
                return math.inf
            # sampling error shrinks as the root of the items; what may be unseen in them, as their number
            drawn, unseen = (
                ((z + special.ndtri(GOAL)) * (e.se if math.isfinite(e.se) else 0.0) / room) ** 2,
                (e.value - e.low) / room,
            )
            most = max(most, e.n_items * drawn, e.n_items * unseen)
        return most


def standing(figures: dict[str, Estimate], distances: bool, numbers: bool, margin: float) -> Standing:
    """Which gaps decide: those with single people and with the consensus of the others; where labels have ``distances``
    that these do not see, the gap by distance instead.
    """
    pairs, others, near = (figures[name] for name in ("kappa_gap", "leave_one_out_gap", "kappa_x_gap"))
    by_pairs, by_near = figures.get("kappa_people"), figures.get("alpha_people")
    of_others = (others, f"{'in correlation ' if numbers else ''}with the consensus of the others")
    if not distances:
        return Standing(margin, pairs.level, ((pairs, "with single people"), of_others), (), people=by_pairs)
    if math.isnan(near.low):  # no replicate differs: the gap in exact matches knows more
        return Standing(margin, pairs.level, ((pairs, "in exact matches"),), (), people=by_pairs)
    by_distance, exact = ((near, "by distance"),), ((pairs, "in exact matches"),)
    if numbers:
        return Standing(margin, pairs.level, (*by_distance, of_others), exact, people=by_near)
    return Standing(margin, pairs.level, by_distance, (*exact, of_others), people=by_near)


def verdict(
    judge: str, found: Standing, kappa: Estimate, people: Estimate, test: AltTest | None, n_people: int, why: str = ""
) -> str:
    """Whether the judge may stand in for people, the gaps with their margin, and what the alternative-annotator test
    says.
    """
    end, limit = found.outcome, f"{found.margin:g}"
    if n_people < 2 or not math.isfinite(people.value):
        alone = "" if not math.isfinite(kappa.value) else f" Its kappa with people is {shown(kappa.value, 2)}."
        reason = why if n_people < 2 else "people's agreement with each other is undefined"
        return f"Whether the judge {judge!r} may stand in for people is not clear yet: {reason.rstrip('.')}.{alone}"
    gaps = ", ".join(f"{_signed(e)} {what}" for e, what in (*found.deciding, *found.besides))
    figures = (
        f"(gap {gaps}; kappa {shown(kappa.value, 2)} with people, {shown(people.value, 2)} among them);"
        f" {n_people} people, {counted(kappa.n_items, 'item')} like these"
    )
    if end is Outcome.yes:
        said = (
            f"The judge {judge!r} may stand in for these people: it is at most {limit} worse than they are {figures}."
        )
    elif end is Outcome.gap:
        said = (
            f"The judge {judge!r} may stand in for these people on the whole, with a gap: it is at most {limit} worse"
            f" than they are {figures}. But {_but(found)}."
        )
    elif end is Outcome.no:
        said = (
            f"The judge {judge!r} should not stand in for these people yet: it is more than {limit} worse than they are"
            f" {figures}."
        )
    else:
        whether = "it is worse than they are, perhaps" if found.behind else "it may be worse than they are"
        reason = f"{whether} by more than {limit} {figures}"
        if found.hardly:
            reason = f"people are not shown to agree with each other by more than {limit} themselves, so a guess might do as well {figures}"
        said = f"Whether the judge {judge!r} may stand in for these people is not clear yet: {reason}."
    return f"{said} {_tested(test, why)}".rstrip()


def _but(found: Standing) -> str:
    """What keeps a judge within the margin from a plain yes."""
    said = ["it is clearly worse"] if found.behind else []
    said += ["it matches labels exactly less often than people do"] if found.fewer else []
    said += [c.sentence for c in found.worse[:1]]
    more = len(found.worse) - 1
    if more > 0:
        said.append(f"{more} more {'class is' if more == 1 else 'classes are'} like this")
    return "; ".join(said)


def _tested(test: AltTest | None, why: str) -> str:
    """The alternative-annotator test beside it, with its own epsilon."""
    if test is None:
        return f"The alternative-annotator test was not possible: {why.rstrip('.')}." if why else ""
    meant = next((f", meant for {who}" for epsilon, who in KINDS if math.isclose(test.epsilon, epsilon)), "")
    rate = test.winning_rate
    limits = f" [{shown(rate.low, 2)}, {shown(rate.high, 2)}]" if math.isfinite(rate.low) else ""
    return (
        f"It {'passes' if test.passed else 'does not pass'} the alternative-annotator test (epsilon"
        f" {test.epsilon:g}{meant}; winning rate {shown(rate.value, 2)}{limits})."
    )


def correct() -> str:
    """What its labels are still good for."""
    how = either("raters.calibrate", "raters judge ... --estimate prevalence, or mean")
    return f"for shares or means over many items, correct its labels with your human ones ({how})"


MANY = 50
"""More than this many times the present items are not worth a number."""


def advice(found: Standing, n_people: int, people: Estimate) -> str:
    """What to do about it, in a sentence that a non-statistician can act on."""
    end = found.outcome
    if end is Outcome.yes:
        return (
            "Use it for items like these, keep a few human labels to notice drift, and check again when the"
            " model, the prompt or the items change."
        )
    if end is Outcome.gap:
        where = (
            f"let people decide where it says {found.worse[0].label!r}"
            if found.worse and "precision" in found.worse[0].worse
            else "let people decide important cases"
        )
        return f"Use it for items like these, but {where}; {correct()}."
    if end is Outcome.no:
        return (
            "Let people continue to label. See which labels the model confuses, change the prompt or"
            f" the model, and check again; {correct()}."
        )
    if n_people < 2:
        return (
            "Have a second person label the same items (at least 30; 50 to 100 are usual), then check"
            f" again; meanwhile {correct()}."
        )
    if not math.isfinite(people.value):
        return (
            "People's agreement is undefined (see the note), usually because they gave a single label"
            " throughout; add items of other kinds, then check again."
        )
    if any(math.isnan(e.value) for e, _ in found.deciding):
        return "A gap is undefined (see the note): have people and the model label more of the same items, then check again."
    if max(e.n_items for e, _ in found.deciding) < 2:
        return "Have people and the model label more of the same items: one shows nothing of others."
    if not any(math.isfinite(e.low) for e, _ in found.deciding):
        return "Ask for intervals; the verdict rests on them."
    if found.hardly:
        return "First show that people agree: clearer labels, practice, or more items; beside people who guess, any judge passes."
    items = max(e.n_items for e, _ in found.deciding)
    if found.needed > MANY * max(items, 1):
        return (
            "More items will hardly show that it is within the margin, because the observed gap is not."
            f" Change the prompt or the model, or decide in advance that a larger margin is acceptable; {correct()}."
        )
    return (
        f"About {max(found.needed, items + 1):,.0f} items labelled by people ({items:,} now) would show it"
        " in 80 % of studies, if the gap is as observed; until then, let people continue to label."
    )


def _signed(e: Estimate) -> str:
    if math.isnan(e.value):
        return "undefined"
    return f"{e.value:+z.2f}" + (f" [{shown(e.low, 2)}, {shown(e.high, 2)}]" if math.isfinite(e.low) else "")
