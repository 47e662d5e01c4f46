"""Tables of preferences: who won each pair, in which order it was shown, and one verdict from both orders."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from raters.annotations import Annotations
from raters.errors import UsageError, listed
from raters.io.read import read
from raters.judges.preferences import TIE
from raters.judges.strengths import Vote

COLUMNS = (("first", "second"), ("model_a", "model_b"), ("model_1", "model_2"), ("system_a", "system_b"))
"""Names by which the columns of the two systems are recognised: shown first, shown second."""
FIRST = frozenset({"first", "a", "1", "left", "model_a", "model_1", "system_a", "assistant_a", "response_a", "[[a]]"})
SECOND = frozenset(
    {"second", "b", "2", "right", "model_b", "model_2", "system_b", "assistant_b", "response_b", "[[b]]"}
)
TIES = ("tie", "both", "draw", "equal", "neither", "[[c]]")
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
    note: str

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
    asked = "" if position else f" (columns {columns[0]!r} and {columns[1]!r}; --position and --second name others)"
    note = f"Labels are read as winners of pairs{asked}; the verdict of a pair shown in both orders is the system that won both, otherwise a tie"
    return Ballots(tuple(given), tuple(said), (tables[0], tables[1]), note)


def _columns(
    ann: Annotations, position: str | None, second: str | None, needed: bool = True
) -> tuple[str | None, str | None] | None:
    """The columns of the systems shown first and second: as named, or by known names if every label is one of the two."""
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
    """The system that won according to a label, "tie", or the label itself if it is neither. The name of a system is not read as a position.

    >>> winner("model_b", "gpt", "llama"), winner("gpt", "gpt", "llama"), winner("Tie (bothbad)", "gpt", "llama")
    ('llama', 'gpt', 'tie')
    """
    text = label.strip()
    low = text.lower()
    if text in (first, second) or text in systems:
        return text
    if low.startswith(TIES):
        return TIE
    if first is not None and low in FIRST:
        return first
    return second if second is not None and low in SECOND else text


def _pair(v: PairVote) -> tuple[str, ...]:
    return tuple(sorted(x for x in (v.first, v.second) if x))


def _with_pair(v: PairVote) -> PairVote:
    names = [x for x in _pair(v) if x not in v.item.split(" | ")]
    return replace(v, item=" | ".join([v.item, *names]))


def _verdicts(votes: Sequence[PairVote], ann: Annotations) -> Annotations:
    """One row for each verdict; votes in the same order are runs, and the runs of the two orders are paired in sequence."""
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
