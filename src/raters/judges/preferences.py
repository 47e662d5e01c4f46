"""Preferences: the same pair shown in both orders, and how far a judge's votes agree with people's.

A label is the winner of a pair, or a tie. Zheng et al. (2023), Judging LLM-as-a-Judge with MT-Bench, NeurIPS.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, zip_longest
from typing import Any

from raters.annotations import Annotations
from raters.errors import RatersError, UsageError, listed
from raters.estimate import Estimate, Told, jsonable, shown
from raters.io.read import read
from raters.judges.strengths import Strengths, Vote, compared, fit_strengths
from raters.notes.note import Note

TIE = "tie"


@dataclass(frozen=True)
class BothOrders(Told):
    """Pairs that were shown in both orders."""

    also = ("consistency", "first_among_flips", "sentence")

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
        return (
            f"{self.consistent} of {self.pairs} pairs had the same verdict in both orders"
            f" ({self.consistency:.0%}){bias}.{left}"
        )


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
class VoteAgreement(Told):
    """Agreement of pairs of votes, with ties as a label (S1) or without them (S2)."""

    also = ("share",)

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

    def __str__(self) -> str:
        left = f", {self.dropped} pairs of votes with a tie excluded" if self.dropped else ""
        return (
            f"{self.setup}: {self.agree} of {self.votes} pairs of votes agree ({shown(self.share, 3)}; kappa"
            f" {shown(self.kappa, 3)}){left}"
        )


def vote_agreement(
    votes: Mapping[Any, tuple[Sequence[Any], Sequence[Any]]], ties: bool = True
) -> tuple[VoteAgreement, VoteAgreement]:
    """question -> (votes of the judge, votes of people): agreement of the judge with people, and of people with each
    other.

    Pooled over pairs of votes, so questions with more votes have more weight; the mean over questions is reported as
    well.
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


COLUMNS = (("first", "second"), ("model_a", "model_b"), ("model_1", "model_2"), ("system_a", "system_b"))
"""Names by which the columns of the two systems are recognised: shown first, shown second."""
FIRST = frozenset({"first", "a", "1", "left"})
SECOND = frozenset({"second", "b", "2", "right"})
TIES = ("tie", "both", "draw", "equal", "neither", "[[c]]", "same", "about the same", "no preference", "a=b")
AROUND = frozenset([
    "model", "system", "assistant", "response", "answer", "option", "output", "candidate", "side", "one", "is", "was", "the", "much", "far",
    "slightly", "clearly", "strongly", "weakly", "somewhat", "significantly", "better", "best", "wins", "won", "winner", "preferred", "prefer", "preference",
])  # fmt: skip
"""Words that a verdict may have beside the position that it names."""
ORDER = re.compile(r" \((first|second) order\)$")
"""How an evaluation log distinguishes the two orders of one judge."""


@dataclass(frozen=True)
class PairVote:
    """One vote: the pair, who voted, what was shown first and second, and the system that won."""

    item: str
    rater: str
    first: str | None
    second: str | None
    winner: str
    more: Mapping[str, Any]
    question: str
    """The original name of the item: several pairs may belong to one question, whose votes are not independent."""


@dataclass(frozen=True)
class Ballots:
    """Votes of people and of judges, and the tables of their verdicts."""

    people: tuple[PairVote, ...]
    judges: tuple[PairVote, ...]
    tables: tuple[Annotations, Annotations]
    note: Note

    def of_judge(self, judge: str) -> tuple[PairVote, ...]:
        return tuple(v for v in self.judges if v.rater == judge)

    def votes(self, ballots: Iterable[PairVote]) -> list[Vote]:
        """The votes between two known systems, for their strengths."""
        pairs = self._pairs()
        found: list[Vote] = []
        for v in ballots:
            first, second = (v.first, v.second) if v.first and v.second else pairs.get(v.item, (None, None))
            if first is None or second is None or v.winner not in (first, second, TIE):
                continue
            won = TIE if v.winner == TIE else "first" if v.winner == first else "second"
            found.append((v.question, v.rater, first, second, won))
        return found

    def _pairs(self) -> dict[str, tuple[str, str]]:
        """item -> its two systems, if the votes show them."""
        seen: dict[str, dict[str, None]] = {}
        for v in (*self.judges, *self.people):
            seen.setdefault(v.item, {}).update(
                dict.fromkeys(x for x in (v.first, v.second, v.winner) if x and x != TIE)
            )
        pairs = {item: tuple(sorted(names)) for item, names in seen.items()}
        return {item: (names[0], names[1]) for item, names in pairs.items() if len(names) == 2}


def ballots(people: Annotations, model: Annotations, position: str | None, second: str | None) -> Ballots | None:
    """The votes, if columns say which systems were shown; None if labels are not winners of pairs."""
    columns = _columns(model, position, second)
    if columns is None:
        return None
    ours = _columns(people, position, second, needed=False) or (None, None)
    given, said = list(_read(people, *ours)), list(_read(model, *columns))
    if columns[1] is not None and len({(v.item, _pair(v)) for v in said}) > len(
        {v.item for v in said}
    ):  # several pairs
        given, said = ([_with_pair(v) for v in votes] for votes in (given, said))
    tables = tuple(_verdicts(votes, ann) for votes, ann in ((given, people), (said, model)))
    note = Note("read_as_winners") if position else Note("read_as_winners_from", {"columns": list(columns)})
    return Ballots(tuple(given), tuple(said), (tables[0], tables[1]), note)


def _columns(
    ann: Annotations, position: str | None, second: str | None, needed: bool = True
) -> tuple[str | None, str | None] | None:
    """The columns of the systems shown first and second: as named, or by known names if every label is one of the
    two.
    """
    named = [c for c in (position, second) if c is not None]
    if named:
        lost = [c for c in named if c not in ann.extras]
        if lost and needed:
            raise UsageError(
                f"the table of judges has no column {lost[0]!r}; other columns are {listed(ann.extras) or 'none'}."
            )
        return None if lost else (position, second)
    found = next((pair for pair in COLUMNS if set(pair) <= set(ann.extras)), None)
    if found is None:
        return None
    systems = {x for v in _read(ann, *found) for x in (v.first, v.second, TIE)}
    return found if not needed or all(v.winner in systems for v in _read(ann, *found)) else None


def _read(ann: Annotations, first: str | None, second: str | None) -> Iterator[PairVote]:
    engine = ann.engine
    more = "".join(f", CAST({engine.quote(c)} AS STRING) AS x{i}" for i, c in enumerate(ann.extras))
    got = engine.query(f"SELECT item, rater, label{more} FROM annotations ORDER BY row")
    columns = {c: got[f"x{i}"].tolist() for i, c in enumerate(ann.extras)}
    systems = {str(x) for c in (first, second) if c is not None for x in columns[c]}
    for i, (item, rater, label) in enumerate(zip(*(got[c].tolist() for c in ("item", "rater", "label")), strict=True)):
        beside = {c: values[i] for c, values in columns.items()}
        a, b = (None if c is None else str(beside[c]) for c in (first, second))
        yield PairVote(str(item), ORDER.sub("", str(rater)), a, b, winner(str(label), a, b, systems), beside, str(item))


def winner(label: str, first: str | None, second: str | None, systems: Collection[str | None] = ()) -> str:
    """The system that won according to a label, "tie", or the label itself if it is neither. The name of a system is
    not read as a position.

    >>> winner("model_b", "gpt", "llama"), winner("gpt", "gpt", "llama"), winner("Tie (bothbad)", "gpt", "llama")
    ('llama', 'gpt', 'tie')
    >>> winner("A>>B", "gpt", "llama"), winner("Response B is slightly better", "gpt", "llama")
    ('gpt', 'llama')
    """
    text = label.strip()
    if text in (first, second) or text in systems:
        return text
    low = re.sub(r"^([12])\.0$", r"\1", text.lower())
    if low.replace(" ", "").startswith(tuple(x.replace(" ", "") for x in TIES)):
        return TIE
    said = [x for x in re.split(r"[^a-z0-9]+|(?<=[a-z])(?=[0-9])", low.split(">")[0]) if x and x not in AROUND]
    if len(said) != 1 or re.search(r"<|-\s*\d", low):
        return text
    one, two = said[0] in FIRST, said[0] in SECOND
    return first if one and first is not None else second if two and second is not None else text


def _pair(v: PairVote) -> tuple[str, ...]:
    return tuple(sorted(x for x in (v.first, v.second) if x))


def _with_pair(v: PairVote) -> PairVote:
    names = [x for x in _pair(v) if x not in v.item.split(" | ")]
    return replace(v, item=" | ".join([v.item, *names]))


def _verdicts(votes: Sequence[PairVote], ann: Annotations) -> Annotations:
    """One row for each verdict; votes in the same order are runs, and the runs of the two orders are paired in
    sequence.
    """
    by: dict[tuple[str, str], dict[str | None, list[PairVote]]] = {}
    for v in votes:
        by.setdefault((v.item, v.rater), {}).setdefault(v.first, []).append(v)
    rows = []
    for (item, rater), orders in by.items():
        for games in zip_longest(*orders.values()):
            there = [g for g in games if g is not None]
            label = there[0].winner if len({g.winner for g in there}) == 1 else TIE
            rows.append({"item": item, "rater": rater, "label": label, **_beside(there[0], ann)})
    made = read(rows, item="item", rater="rater", label="label", scale="nominal", duplicates="keep")
    return replace(made, source=ann.source)


def _beside(v: PairVote, ann: Annotations) -> dict[str, Any]:
    return {(c if c not in ("item", "rater", "label") else f"{c}_"): v.more[c] for c in ann.extras}


def verdict_lists(people: Annotations, model: Annotations, judge: str) -> dict[str, tuple[list[str], list[str]]]:
    """item -> (verdicts of the judge, votes of people), for shared items."""
    found: dict[str, tuple[list[str], list[str]]] = {}
    for place, ann in ((0, model), (1, people)):
        got = ann.engine.query("SELECT item, CAST(rater AS STRING) AS rater, label FROM annotations ORDER BY row")
        for item, rater, label in zip(got["item"].tolist(), got["rater"].tolist(), got["label"].tolist(), strict=True):
            if place or rater == judge:
                found.setdefault(str(item), ([], []))[place].append(str(label))
    return {item: both for item, both in found.items() if both[0]}


MOST_SYSTEMS = 5
"""Up to this many systems, each pair is compared; beyond that, each system with the next in people's order."""


@dataclass(frozen=True)
class Contest(Told):
    """Whether one system is better than another, according to people and to the judge."""

    also = ("sentence",)

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
            f"According to people, {self.better} {'is better than' if sure[0] else 'is not clearly better than'}"
            f" {self.other} ({self.wins[0]:.0%} of pairs, ties counted half; log strength {_limits(self.people)})"
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


@dataclass(frozen=True)
class Preferring:
    """Preferences of one judge, compared with those of people."""

    orders: BothOrders
    with_ties: tuple[VoteAgreement, VoteAgreement]
    """(the judge with people, people with each other), with ties as a label."""
    without_ties: tuple[VoteAgreement, VoteAgreement]
    contests: tuple[Contest, ...]
    why: Note | None
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
                    f"; {judge.dropped:,} of {judge.dropped + judge.votes:,} pairs of votes have a tie and were"
                    " excluded"
                    if judge.dropped
                    else ""
                )
                found.append(
                    f"votes {what}: judge and person agree in {judge.share:.0%} of {judge.votes:,} pairs of votes"
                    f" (kappa {shown(judge.kappa, 2)}; {judge.mean_over_questions:.0%} as a mean over items;"
                    f" {judge.chance:.0%} by chance){beside}{left}."
                )
        return [*found, *(c.sentence for c in self.contests), *([] if self.why is None else [f"{self.why}."])]

    def to_dict(self) -> dict[str, Any]:
        names = ("with_ties", "without_ties")
        return {
            "orders": self.orders.to_dict(),
            **{n: jsonable(dict(zip(("judge", "people"), getattr(self, n), strict=True))) for n in names},
            "contests": jsonable(self.contests),
            "why": "" if self.why is None else f"{self.why}.",
            "sentences": self.sentences,
        }


def preferring(b: Ballots, judge: str, level: float) -> Preferring:
    """Everything that votes on pairs show about one judge."""
    own = b.of_judge(judge)
    orders = both_orders((v.item, v.first, v.winner) for v in own if v.first is not None)
    lists = verdict_lists(*b.tables, judge)
    contests, why = _contests(b.votes(b.people), b.votes(own), level)
    return Preferring(orders, vote_agreement(lists, True), vote_agreement(lists, False), contests, why)


def _contests(people: Sequence[Vote], judge: Sequence[Vote], level: float) -> tuple[tuple[Contest, ...], Note | None]:
    """Each pair of systems according to people and to the judge; or why there are none."""
    fits: list[Strengths] = []
    for who, votes in (("people", people), ("the judge", judge)):
        try:
            fits.append(fit_strengths(votes))
        except RatersError as error:
            if not votes:
                return (), Note("systems_unknown")
            return (), Note("systems_not_compared", {"who": who, "why": str(error).rstrip(".")})
    ours, own = fits
    systems = sorted(set(ours.systems) & set(own.systems), key=lambda s: -ours.log_strength[s])
    pairs = list(combinations(systems, 2)) if len(systems) <= MOST_SYSTEMS else list(pairwise(systems))
    return (
        tuple(
            Contest(
                a,
                b,
                ours.contrast(a, b, level),
                own.contrast(a, b, level),
                compared(ours, own, a, b, level),
                (_half(ours, a, b), _half(own, a, b)),
            )
            for a, b in pairs
        ),
        None,
    )


def _half(s: Strengths, a: str, b: str) -> float:
    """P(a) + P(tie) / 2."""
    wins, tie, _ = s.chances(a, b)
    return wins + tie / 2


def _clear(e: Estimate) -> bool:
    return math.isfinite(e.low) and (e.low > 0 or e.high < 0)


def _limits(e: Estimate) -> str:
    return f"{e.value:+z.2f}" + (f" [{e.low:+z.2f}, {e.high:+z.2f}]" if math.isfinite(e.low) else "")
