"""Preferences: the same pair shown in both orders, and how far a judge's votes agree with people's.

A label is the winner of a pair, or a tie. Zheng et al. (2023), Judging LLM-as-a-Judge with MT-Bench, NeurIPS.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from raters.estimate import jsonable, shown

TIE = "tie"


@dataclass(frozen=True)
class BothOrders:
    """Pairs that were shown in both orders."""

    pairs: int
    consistent: int
    """The same system won in both, or both were ties."""
    always_first: int
    always_second: int
    one_tie: int
    p: float
    """Exact binomial p-value for flips favouring the first and the second position equally often."""
    verdicts: Mapping[str, int]
    """Pairs by verdict: the winner of both orders, otherwise a tie."""
    unread: int = 0
    """Pairs excluded because a verdict names neither of the two systems nor a tie."""

    @property
    def consistency(self) -> float:
        return self.consistent / self.pairs if self.pairs else float("nan")

    @property
    def first_among_flips(self) -> float:
        flips = self.always_first + self.always_second
        return self.always_first / flips if flips else float("nan")

    @property
    def sentence(self) -> str:
        """How much the position of an answer decides."""
        flips = self.always_first + self.always_second
        bias = (
            f"; of {flips} that flipped, {self.always_first} went to the system shown first (p = {self.p:.3g})"
            if flips
            else ""
        )
        left = f" {self.unread} pairs with a verdict that names neither were excluded." if self.unread else ""
        return f"{self.consistent} of {self.pairs} pairs had the same verdict in both orders ({self.consistency:.0%}){bias}.{left}"

    def to_dict(self) -> dict[str, Any]:
        more = {"consistency": self.consistency, "first_among_flips": self.first_among_flips, "sentence": self.sentence}
        return {k: jsonable(v) for k, v in (vars(self) | more).items()}


def both_orders(votes: Iterable[tuple[Any, Any, Any]]) -> BothOrders:
    """From rows of (pair, system shown first, winner or "tie"); pairs shown in only one order are excluded.

    >>> both_orders([("q1", "A", "A"), ("q1", "B", "B"), ("q2", "A", "A"), ("q2", "B", "A")]).always_first
    1
    """
    by: dict[Any, dict[Any, Any]] = {}
    for pair, first, winner in votes:
        by.setdefault(pair, {}).setdefault(first, winner)
    counts = {"consistent": 0, "first": 0, "second": 0, "one_tie": 0}
    verdicts: dict[str, int] = {}
    unread = 0
    for shown_first in by.values():
        if len(shown_first) != 2:
            continue
        (a, x), (b, y) = shown_first.items()
        if not {x, y} <= {a, b, TIE}:
            unread += 1
            continue
        kind = "consistent" if x == y else "one_tie" if TIE in (x, y) else "first" if (x, y) == (a, b) else "second"
        counts[kind] += 1
        verdict = str(x) if x == y else TIE
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
    from scipy import stats  # slow to import, and seldom needed

    first, second = counts["first"], counts["second"]
    p = float(stats.binomtest(first, first + second).pvalue) if first + second else float("nan")
    return BothOrders(sum(counts.values()), counts["consistent"], first, second, counts["one_tie"], p, verdicts, unread)


@dataclass(frozen=True)
class VoteAgreement:
    """Agreement of pairs of votes, with ties as a label (S1) or without them (S2)."""

    setup: str
    agree: int
    votes: int
    """Pairs of votes."""
    mean_over_questions: float
    chance: float
    """Agreement by chance: 1/3 with ties, 1/2 without."""
    kappa: float
    dropped: int
    """Pairs of votes that were excluded because of a tie."""

    @property
    def share(self) -> float:
        return self.agree / self.votes if self.votes else float("nan")

    def to_dict(self) -> dict[str, Any]:
        return {k: jsonable(v) for k, v in (vars(self) | {"share": self.share}).items()}

    def __str__(self) -> str:
        left = f", {self.dropped} pairs of votes with a tie excluded" if self.dropped else ""
        return f"{self.setup}: {self.agree} of {self.votes} pairs of votes agree ({shown(self.share, 3)}; kappa {shown(self.kappa, 3)}){left}"


def vote_agreement(
    votes: Mapping[Any, tuple[Sequence[Any], Sequence[Any]]], ties: bool = True
) -> tuple[VoteAgreement, VoteAgreement]:
    """question -> (votes of the judge, votes of people): agreement of the judge with people, and of people with each other.

    Pooled over pairs of votes, so questions with more votes have more weight; the mean over questions is reported as well.
    """
    crossed = {q: [(a, b) for a in judge for b in people] for q, (judge, people) in votes.items()}
    within = {q: list(combinations(people, 2)) for q, (_, people) in votes.items()}
    return _agreement(crossed, ties, False), _agreement(within, ties, True)


def _agreement(pairs: Mapping[Any, Sequence[tuple[Any, Any]]], ties: bool, symmetric: bool) -> VoteAgreement:
    kept = {q: [p for p in ps if ties or TIE not in p] for q, ps in pairs.items()}
    every = [p for ps in kept.values() for p in ps]
    agree = sum(a == b for a, b in every)
    means = [sum(a == b for a, b in ps) / len(ps) for ps in kept.values() if ps]
    chance = _chance([*every, *((b, a) for a, b in every)] if symmetric else every)
    kappa = (agree / len(every) - chance) / (1 - chance) if every and chance < 1 else float("nan")
    dropped = sum(map(len, pairs.values())) - len(every)
    mean = sum(means) / len(means) if means else float("nan")
    return VoteAgreement(
        "S1, ties are a label" if ties else "S2, without ties",
        agree,
        len(every),
        mean,
        1 / 3 if ties else 1 / 2,
        kappa,
        dropped,
    )


def _chance(pairs: Sequence[tuple[Any, Any]]) -> float:
    """Chance agreement from the shares of both sides."""
    left, right = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    return sum(left[k] * right[k] for k in left) / len(pairs) ** 2 if pairs else 1.0
