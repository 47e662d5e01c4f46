"""How good a judge's preferences are: agreement of votes, the order of a pair, and whether A is better than B."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from raters.errors import RatersError
from raters.estimate import Estimate, jsonable, shown
from raters.judges.pair_votes import Ballots, verdict_lists
from raters.judges.preferences import BothOrders, VoteAgreement, both_orders, vote_agreement
from raters.judges.strengths import Strengths, Vote, compared, fit_strengths

MOST_SYSTEMS = 5
"""Up to this many systems, each pair is compared; beyond that, each system with the next in people's order."""


@dataclass(frozen=True)
class Contest:
    """Whether one system is better than another, according to people and to the judge."""

    better: str
    """The system that people prefer."""
    other: str
    people: Estimate
    """Difference of log strengths (Davidson) according to people."""
    judge: Estimate
    difference: Estimate
    """Judge minus people, with items as clusters for both."""
    wins: tuple[float, float]
    """How often the first wins, ties counted half: according to people, and to the judge."""

    @property
    def sentence(self) -> str:
        same = (self.people.value > 0) == (self.judge.value > 0)
        sure = [_clear(e) for e in (self.people, self.judge)]
        head = (
            f"According to people, {self.better} {'is better than' if sure[0] else 'is not clearly better than'} {self.other} "
            f"({self.wins[0]:.0%} of pairs, ties counted half; log strength {_limits(self.people)})"
        )
        own = f"according to the judge {self.wins[1]:.0%} ({_limits(self.judge)})"
        if _clear(self.difference):
            end = (
                "the judge favours it more than people do"
                if self.difference.value > 0
                else "the judge favours it less than people do"
            )
        else:
            end = (
                "no clear difference between judge and people"
                if same
                else "the judge prefers the other one, but not clearly"
            )
        return f"{head}, {own}: {end} ({_limits(self.difference)})."

    def to_dict(self) -> dict[str, Any]:
        parts = {k: getattr(self, k).to_dict() for k in ("people", "judge", "difference")}
        return {
            "better": self.better,
            "other": self.other,
            "wins": jsonable(self.wins),
            "sentence": self.sentence,
            **parts,
        }


@dataclass(frozen=True)
class Preferring:
    """Preferences of one judge, compared with those of people."""

    orders: BothOrders
    with_ties: tuple[VoteAgreement, VoteAgreement]
    """(the judge with people, people with each other), with ties as a label."""
    without_ties: tuple[VoteAgreement, VoteAgreement]
    contests: tuple[Contest, ...]
    why: str
    """Why no systems are compared, if none are."""

    @property
    def sentences(self) -> list[str]:
        found = []
        for (judge, people), what in (
            (self.with_ties, "with ties as a label (S1)"),
            (self.without_ties, "without ties (S2)"),
        ):
            if judge.votes:
                beside = (
                    f", people with each other in {people.share:.0%} (kappa {shown(people.kappa, 2)})"
                    if people.votes
                    else ""
                )
                left = (
                    f"; {judge.dropped:,} of {judge.dropped + judge.votes:,} pairs of votes have a tie and were excluded"
                    if judge.dropped
                    else ""
                )
                found.append(
                    f"votes {what}: judge and person agree in {judge.share:.0%} of {judge.votes:,} pairs of votes (kappa {shown(judge.kappa, 2)}; "
                    f"{judge.mean_over_questions:.0%} as a mean over items; {judge.chance:.0%} by chance){beside}{left}."
                )
        return [*found, *(c.sentence for c in self.contests), *([self.why] if self.why else [])]

    def to_dict(self) -> dict[str, Any]:
        names = ("with_ties", "without_ties")
        return {
            "orders": self.orders.to_dict(),
            **{n: {"judge": getattr(self, n)[0].to_dict(), "people": getattr(self, n)[1].to_dict()} for n in names},
            "contests": [c.to_dict() for c in self.contests], "why": self.why, "sentences": self.sentences,
        }  # fmt: skip


def preferring(b: Ballots, judge: str, level: float) -> Preferring:
    """Everything that votes on pairs show about one judge."""
    own = b.of_judge(judge)
    orders = both_orders((v.item, v.first, v.winner) for v in own if v.first is not None)
    lists = verdict_lists(*b.tables, judge)
    contests, why = _contests(b.votes(b.people), b.votes(own), level)
    return Preferring(orders, vote_agreement(lists, True), vote_agreement(lists, False), contests, why)


def _contests(people: Sequence[Vote], judge: Sequence[Vote], level: float) -> tuple[tuple[Contest, ...], str]:
    """Each pair of systems according to people and to the judge; or why there are none."""
    fits: list[Strengths] = []
    for who, votes in (("people", people), ("the judge", judge)):
        try:
            fits.append(fit_strengths(votes))
        except RatersError as error:
            if not votes:
                return (
                    (),
                    "no systems are compared, because the two systems of a pair are unknown; name their columns: --position, --second.",
                )
            return (), f"no systems are compared: by {who}, {error}"
    ours, own = fits
    systems = sorted(set(ours.systems) & set(own.systems), key=lambda s: -ours.log_strength[s])
    pairs = list(combinations(systems, 2)) if len(systems) <= MOST_SYSTEMS else list(pairwise(systems))
    return tuple(
        Contest(a, b, ours.contrast(a, b, level), own.contrast(a, b, level), compared(ours, own, a, b, level), (_half(ours, a, b), _half(own, a, b)))
        for a, b in pairs
    ), ""  # fmt: skip


def _half(s: Strengths, a: str, b: str) -> float:
    """P(a) + P(tie) / 2."""
    wins, tie, _ = s.chances(a, b)
    return wins + tie / 2


def _clear(e: Estimate) -> bool:
    return math.isfinite(e.low) and (e.low > 0 or e.high < 0)


def _limits(e: Estimate) -> str:
    return f"{e.value:+.2f} [{e.low:+.2f}, {e.high:+.2f}]"
