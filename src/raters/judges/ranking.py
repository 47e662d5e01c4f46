"""Rank systems by people's preferences: strengths with ties, contrasts with honest errors, and ranks that hold together.

Davidson (1970), J. Am. Stat. Assoc. 65, 317-328.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations, counted
from raters.errors import DataError, RatersError, UsageError, brief, listed
from raters.estimate import Estimate, EstimateTable, text_table
from raters.io.table import best, normal
from raters.judges.preferences import TIE, winner
from raters.judges.strengths import Strengths, Vote, fit_strengths
from raters.notes.note import Note, in_json
from raters.options import asks
from raters.options.declared import Seed
from raters.reliability.soft.soft_labels import NUMBER, columns_in, spelled
from raters.spans.sweeps import linked

Array = NDArray[Any]
SIDES = (("a", "b"), ("1", "2"), ("first", "second"), ("left", "right"))
"""How the names of the columns of both systems differ."""
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
SYSTEM = ("model", "system", "sys", "generator", "option", "assistant", "method", "response", "answer")
"""Words that such names may have besides, the likeliest first."""
WINNERS = ("winner", "won", "vote", "preference", "preferred", "choice", "chosen",
           "label", "verdict", "outcome", "result", "better", "judgment", "judgement")  # fmt: skip
DECIDED = (("winner", "loser"), ("chosen", "rejected"), ("better", "worse"))
"""Columns that name the winner and the other one."""
DRAWS = 20_000
MOST_PAIRS = 500
"""With more pairs of systems, contrasts of neighbours alone are kept."""


@dataclass(frozen=True, repr=False)
class Ranking(EstimateTable):
    """A row for each system, the strongest first: its log strength, and the ranks that it may have in ``details``."""

    contrasts: EstimateTable = field(default_factory=lambda: EstimateTable(()))
    """Differences of log strengths, with the larger of the errors by item and by rater."""
    parts: tuple[tuple[str, ...], ...] = ()
    """Systems that votes join; systems of different parts cannot be compared."""
    votes: int = 0
    n_raters: int = 0
    tie: float = 0.0
    """The share of ties."""
    notes: tuple[Note, ...] = ()

    @property
    def sentence(self) -> str:
        said = []
        for part in self.parts:
            first = self[part[0]]
            high = first.details["rank_high"]
            rest = [s for s in part[1:] if self[s].details["rank_low"] == 1]
            sure = "surely first" if high == 1 else f"first (its rank is 1 to {high})"
            said.append(
                f"{part[0]} is {sure} of {len(part)}" + (f"; {', '.join(rest[:4])} may be first, too" if rest else "")
            )
        apart = " Parts that no vote joins are ranked apart." if len(self.parts) > 1 else ""
        return f"{'. '.join(said)}.{apart}"

    def to_dict(self) -> dict[str, Any]:
        more = {
            "sentence": self.sentence,
            "parts": [list(p) for p in self.parts],
            "votes": self.votes,
            "ties": self.tie,
        }
        return super().to_dict() | more | {"contrasts": self.contrasts.to_dict()["estimates"]} | in_json(self.notes)

    def __str__(self) -> str:
        lines = [*wrap(self.sentence, 80), ""]
        for part in self.parts:
            rows = [
                [
                    s[:30],
                    _ranks(self[s]),
                    f"{self[s].value:+.2f}",
                    *(f"{self[s].details[k]:,}" for k in ("wins", "ties", "losses")),
                ]
                for s in part
            ]
            lines += [*text_table(["system", "rank", "strength", "won", "tied", "lost"], rows), ""]
        near = [c for c in self.contrasts if c.details["neighbours"]]
        rows = [
            [c.name[:40], f"{c.value:+.2f}", f"{c.low:+.2f} to {c.high:+.2f}" if c.low <= c.high else "-"] for c in near
        ]
        lines += text_table(["neighbours", "difference", f"{self[0].level:.0%} interval"], rows) if rows else []
        who = f" by {counted(self.n_raters, 'rater')}" if self.n_raters else ""
        said = f"{counted(self.votes, 'vote')}{who}, {self.tie:.0%} ties. Ranks hold together at {self[0].level:.0%}."
        return "\n".join([*lines, "", *(x for y in (said, *(f"{n}." for n in self.notes)) for x in wrap(y, 80))])


def _ranks(e: Estimate) -> str:
    low, high = e.details["rank_low"], e.details["rank_high"]
    return f"{low}" if low == high else f"{low} to {high}"


@asks()
def rank(
    votes: Any,
    *,
    first: str | None = None,
    second: str | None = None,
    won: str | None = None,
    item: str | None = None,
    rater: str | None = None,
    position: bool = False,
    prior: float = 0.0,
    level: float = 0.95,
    seed: Seed = 0,
) -> Ranking:
    """Rank systems by votes between two of them.

    ``votes``: a file, a frame or rows with a vote each: two systems and the winner, such as ``a, b, winner`` or
    ``model_a, model_b, winner`` (a system's name, ``model_a``, ``tie``), or ``winner, loser``; with the item and the
    rater, if known. ``first``, ``second``, ``won``, ``item``, ``rater`` name the columns. ``position``: allow for an
    advantage of the system shown first. ``prior``: a penalty on strengths, for systems that always win or lose.

    Strengths are Davidson's, with ties. Each contrast has the larger of the errors with items and with raters as
    clusters. A system may have the ranks from 1 + the systems surely above it to the last minus those surely below; these
    ranks all hold at once at ``level``.

    >>> votes = [("A", "B", "A")] * 12 + [("A", "B", "tie")] * 3 + [("A", "B", "B")] * 2
    >>> found = rank([{"item": i, "a": a, "b": b, "winner": w} for i, (a, b, w) in enumerate(votes)])
    >>> [e.name for e in found], found["A"].details["rank_high"], found.contrasts[0].low > 0
    (['A', 'B'], 1, True)
    """
    if not 0 < level < 1:
        raise UsageError(f"level={level} is not between 0 and 1; 0.95 is usual.")
    if not 0 <= prior < math.inf:
        raise UsageError(f"prior={prior} is not a number of at least 0; 1 is usual.")
    ballots, unnamed, lost = votes_in(votes, first, second, won, item, rater)
    places = list(dict.fromkeys(s for v in ballots for s in (v[2], v[3])))
    code = {s: i for i, s in enumerate(places)}
    edges = np.array([(code[v[2]], code[v[3]]) for v in ballots])
    part_of = linked(len(code), *edges.T)
    rows: list[Estimate] = []
    contrasts: list[Estimate] = []
    parts: list[tuple[str, ...]] = []
    for part in np.argsort(-np.bincount(part_of), kind="stable").tolist():
        own = [v for v in ballots if part_of[code[v[2]]] == part]
        try:
            fitted = fit_strengths(own, position=position, prior=prior)
        except RatersError as error:
            error.args = (str(error).replace("pass prior=1", "pass prior=1 (a penalty that keeps strengths finite)"),)
            raise
        order = sorted(fitted.systems, key=lambda s: -fitted.log_strength[s])
        some, found = _ranked(fitted, order, own, level, seed, len(parts))
        rows, contrasts, parts = [*rows, *some], [*contrasts, *found], [*parts, tuple(order)]
    who = {v[1] for v in ballots}
    notes = [Note("parts_apart", {"n": len(parts)})] if len(parts) > 1 else []
    notes += [Note("votes_without_winner", {"n": lost})] if lost else []
    notes += [Note("votes_without_raters")] if unnamed or len(who) < 2 else []
    tie = sum(v[4] == TIE for v in ballots) / len(ballots)
    return Ranking(tuple(rows), of="system", contrasts=EstimateTable(tuple(contrasts), of="pair of systems"), parts=tuple(parts),
                   votes=len(ballots), n_raters=0 if unnamed else len(who), tie=tie, notes=tuple(notes))  # fmt: skip


def _ranked(
    fitted: Strengths, order: list[str], votes: Sequence[Vote], level: float, seed: int, part: int
) -> tuple[list[Estimate], list[Estimate]]:
    """The systems of a part with their ranks, and their contrasts."""
    m = len(order)
    by_item, by_rater = _critical(fitted.covariance, np.inf, level, seed), math.nan
    if fitted.by_rater is not None:
        by_rater = _critical(fitted.by_rater, fitted.n_raters - 1, level, seed)
    above, below = Counter[str](), Counter[str]()
    contrasts = []
    pairs = list(combinations(range(m), 2))
    for i, j in pairs:
        a, b = order[i], order[j]
        e = fitted.contrast(a, b, level)
        v = fitted._difference(a, b)
        c = by_rater if fitted.by_rater is not None and v @ fitted.by_rater @ v > v @ fitted.covariance @ v else by_item
        if e.value > c * e.se:
            above[b] += 1
            below[a] += 1
        if j == i + 1 or len(pairs) <= MOST_PAIRS:
            contrasts.append(Estimate(e.name, e.value, e.low, e.high, e.se, level, e.interval, n_items=e.n_items, coefficient="strength",
                                      title=e.name, notes=e.notes, details={"neighbours": j == i + 1}))  # fmt: skip
    won, tied, lost = Counter[str](), Counter[str](), Counter[str]()
    for _, _, one, two, outcome in votes:
        tied.update((one, two) if outcome == TIE else ())
        if outcome != TIE:
            won[one if outcome == "first" else two] += 1
            lost[two if outcome == "first" else one] += 1
    rows = []
    for s in order:
        v = np.array([(x == s) - 1 / m for x in fitted.systems])
        variance = max(float(v @ x @ v) for x in (fitted.covariance, fitted.by_rater) if x is not None)
        ranks = {
            "rank_low": 1 + above[s],
            "rank_high": m - below[s],
            "wins": won[s],
            "ties": tied[s],
            "losses": lost[s],
            "part": part,
        }
        rows.append(Estimate(s, fitted.log_strength[s], se=math.sqrt(variance), level=level, n_items=len(fitted.items), coefficient="strength",
                             title=f"log strength of {s}", details=ranks))  # fmt: skip
    return rows, contrasts


def _critical(covariance: Array, df: float, level: float, seed: int) -> float:
    """The quantile of the largest |z| of all pairs, if strengths have this covariance; with few raters, of t."""
    values, axes = np.linalg.eigh(covariance)
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((DRAWS, len(values))) @ (axes * np.sqrt(np.maximum(values, 0))).T
    scale = 1.0 if np.isinf(df) else np.sqrt(rng.chisquare(df, DRAWS) / df)
    largest = np.zeros(DRAWS)
    for i, j in combinations(range(len(values)), 2):
        se = math.sqrt(max(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j], 0.0))
        if se > 0:
            np.maximum(largest, np.abs(x[:, i] - x[:, j]) / se / scale, out=largest)
    return float(np.quantile(largest, level))


def votes_in(
    source: Any,
    first: str | None = None,
    second: str | None = None,
    won: str | None = None,
    item: str | None = None,
    rater: str | None = None,
) -> tuple[list[Vote], bool, int]:
    """(item, rater, first, second, outcome) of each vote, whether raters are unknown, and the rows that are no vote."""
    columns = _columns(source)
    _check_roles(columns, [c for c in (first, second, won, item, rater) if c is not None])
    pair, result, outcome = _decided(columns, first, second, won, [c for c in (won, item, rater) if c])
    where, who = _item_and_rater([n for n in columns if n not in (*pair, result)], item, rater)
    items = columns[where] if where else list(range(len(outcome)))
    people = columns[who] if who else ["(unknown)"] * len(outcome)
    sides = (columns[c] for c in pair)
    rows = [
        (i, r, str(a), str(b), o) for i, r, a, b, o in zip(items, people, *sides, outcome, strict=True) if None not in (o, a, b)
    ]  # fmt: skip
    same = next((a for _, _, a, b, _ in rows if a == b), None)
    if same is not None:
        raise DataError(f"a vote compares {same!r} with itself; leave such rows out.")
    if not rows:
        raise DataError("there are no votes.")
    return rows, who is None, len(outcome) - len(rows)


def _check_roles(columns: Mapping[str, list[Any]], given: Sequence[str]) -> None:
    """Refuse a name that no column has, and a column with two roles."""
    lost = next((c for c in given if c not in columns), None)
    if lost is not None:
        raise UsageError(f"no column {lost!r}; columns found: {listed(columns, 30)}.")
    if len(set(given)) < len(given):
        raise UsageError(f"one column has two roles: {listed(given)}. Name a column for each.")


def _item_and_rater(names: Sequence[str], item: str | None, rater: str | None) -> tuple[str | None, str | None]:
    """The columns of the item and of the rater: as given, or the likeliest of these names."""
    where = item or next(iter(best(names, "item")), None)
    raters = best(names, "rater")
    return where, rater or next((n for n in names if n != where and (normal(n) == "judge" or n in raters)), None)


def _decided(
    columns: Mapping[str, list[Any]], first: str | None, second: str | None, won: str | None, taken: Sequence[str]
) -> tuple[tuple[str, str], str | None, list[Any]]:
    """The columns of both systems, that of the winner, and the outcome of each vote."""
    by_normal = {normal(n): n for n in columns}
    if not (first or second or won):
        found = next(((by_normal[a], by_normal[b]) for a, b in DECIDED if {a, b} <= by_normal.keys()), None)
        if found is not None:
            return found, None, ["first"] * len(columns[found[0]])
    pair = (first, second) if first and second else _pair_in(columns, taken)
    if pair is None:
        raise UsageError(
            f"no columns look like two systems; columns found: {listed(columns, 30)}. Name them: first='COLUMN',"
            " second='COLUMN', won='COLUMN'."
        )
    result = won or next((by_normal[w] for w in WINNERS if w in by_normal), None)
    if result is None:
        return pair, None, _marked(columns, pair)
    return pair, result, _outcomes(columns[result], columns[pair[0]], columns[pair[1]], result)


def _pair_in(columns: Mapping[str, list[Any]], taken: Sequence[str]) -> tuple[str, str] | None:
    """The columns of both systems: their names differ in the side alone, and they hold few values, not texts."""
    by_words = {tuple(w.lower() for w in WORD.findall(n)): n for n in columns if n not in taken}
    found = []
    for words, name in by_words.items():
        place = -1 if len(words) == 1 else next((k for k, w in enumerate(SYSTEM) if w in words), None)
        for i, (a, b) in ((i, side) for i in range(len(words)) for side in SIDES):
            other = by_words.get((*words[:i], b, *words[i + 1 :]))
            if words[i] == a and other is not None and place is not None and "winner" not in words:
                values = {str(v) for c in (name, other) for v in columns[c]}
                if len(values) <= max(20, len(columns[name]) / 2):
                    found.append((place, (name, other)))
    return min(found)[1] if found else None


def _marked(columns: Mapping[str, list[Any]], pair: tuple[str, str]) -> list[Any]:
    """The outcomes that stand as 0 and 1 in a column for each system, such as winner_model_a and winner_model_b."""
    by_normal = {normal(n): n for n in columns}
    found = [by_normal.get(f"winner{normal(c)}") for c in pair]
    if None in found:
        raise UsageError(
            f"no column looks like the winner; columns found: {listed(columns, 30)}. Name it: won='COLUMN'."
        )
    one, two = ([spelled(x) in ("1", "true") for x in columns[str(c)]] for c in found)
    return [TIE if x == y else "first" if x else "second" for x, y in zip(one, two, strict=True)]


def _columns(source: Any) -> dict[str, list[Any]]:
    if isinstance(source, Annotations):
        return source.to_columns()
    if isinstance(source, list) and source and all(isinstance(row, dict) for row in source):
        names = dict.fromkeys(key for row in source for key in row)
        return {str(n): [row.get(n) for row in source] for n in names}
    return columns_in(source)


def _outcomes(labels: list[Any], one: list[Any], two: list[Any], column: str) -> list[Any]:
    """Which of both systems won each vote; a missing winner is no vote."""
    systems = {str(x) for x in (*one, *two)}
    made: list[Any] = []
    for row, (label, a, b) in enumerate(zip(labels, one, two, strict=True), 1):
        if label is None or label != label or str(label).strip() == "":
            made.append(None)
            continue
        x = winner(str(label), str(a), str(b), systems)
        if x not in (TIE, str(a), str(b)):
            raise DataError(
                f"row {row}: the winner {brief(label)} in column {column!r} is neither {brief(a)}, {brief(b)}, a position (model_a, second) nor a tie."
                + (
                    " Numbers of a scale do not say which end is which system: write names."
                    if NUMBER.fullmatch(spelled(label))
                    else ""
                )
            )
        made.append(TIE if x == TIE else "first" if x == str(a) else "second")
    return made
