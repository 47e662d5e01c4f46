"""Panels of judges: chosen on four folds, scored on the fifth, and compared with the best single judge."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.estimate import jsonable, shown
from raters.judges.kappas import others_of
from raters.judges.people_and_judges import Sides

Array = NDArray[Any]
FOLDS = 5
MOST_SUBSETS = 5000
MOST_ITEMS = 20_000
"""With more items, a random subset of this size is enough to choose between panels."""
TIE = 1e-9


@dataclass(frozen=True)
class Panel:
    """The best panel of k judges, all judges together, and the best single judge, each scored on items on which it was
    not chosen.
    """

    k: int
    members: tuple[str, ...]
    """Chosen on all items; the score is that of panels chosen without the items they are scored on."""
    score: float
    """Mean kappa (for numbers: correlation) with the consensus of all people but one."""
    all_judges: float
    best_single: str
    best_single_score: float
    searched: int
    greedy: bool

    @property
    def sentence(self) -> str:
        better = "the single judge does as well" if self.score <= self.best_single_score else "the panel does better"
        return (
            f"The best panel of {self.k} ({', '.join(self.members)}) agrees with people at {shown(self.score, 3)}, all"
            f" judges together at {shown(self.all_judges, 3)}, the best single judge ({self.best_single}) at"
            f" {shown(self.best_single_score, 3)}: {better}. Each was chosen and scored on different items."
        )

    def to_dict(self) -> dict[str, Any]:
        return {k: jsonable(v) for k, v in vars(self).items()} | {"sentence": self.sentence}


def panel(s: Sides, k: int = 3, seed: int = 0) -> Panel | None:
    """The best panel of k; None if there are not more than k judges, or people have no consensus to score by."""
    j = len(s.judges)
    if j <= k or len(s.people) < 2 or len(s.labels) > 200 or not (s.said >= 0).all(1).any():
        return None
    board = _Board(s, seed)
    singles = np.array([board.scores((a,)) for a in range(j)])
    greedy = comb(j, k) > MOST_SUBSETS
    subsets = list(combinations(range(j), k)) if not greedy else board.greedy(k)
    found = np.array([board.scores(sub) for sub in subsets])  # (subset, 2, fold): outside the fold, and in it
    every = board.scores(tuple(range(j)))
    whole = found[:, 0].mean(1).argmax()
    best = singles[:, 0].mean(1).argmax()
    return Panel(
        k,
        tuple(s.judges[a] for a in subsets[whole]),
        _held_out(found),
        float(np.nanmean(every[1])),
        s.judges[best],
        _held_out(singles),
        len(subsets),
        greedy,
    )


def _held_out(scores: Array) -> float:
    """The mean over folds of the score, in the fold, of the panel that was best outside it."""
    chosen = np.nan_to_num(scores[:, 0], nan=-np.inf).argmax(0)
    return float(np.nanmean(scores[chosen, 1, np.arange(scores.shape[2])]))


class _Board:
    """Scores of panels against the consensus of all people but one."""

    def __init__(self, s: Sides, seed: int) -> None:
        self.s = s
        rows = np.flatnonzero((s.said >= 0).all(1))
        if len(rows) > MOST_ITEMS:
            rows = np.sort(np.random.default_rng(seed).choice(rows, MOST_ITEMS, replace=False))
        self.fold = np.random.default_rng(seed).permutation(len(rows)) % FOLDS
        self.said = s.said[rows]
        place = np.full(len(s.items), -1)
        place[rows] = np.arange(len(rows))
        self.references = []
        for person in range(len(s.people)):
            at, others = others_of(s, person)
            keep = place[at] >= 0
            if keep.sum() >= 2 * FOLDS:
                self.references.append((place[at[keep]], others[keep]))
        k = len(s.labels)
        self.onehot = np.zeros((len(s.judges), len(rows), k), np.float32)
        for a in range(len(s.judges)):
            self.onehot[a, np.arange(len(rows)), self.said[:, a]] = 1

    def scores(self, members: tuple[int, ...]) -> Array:
        """(2, fold): the score outside each fold, and in it."""
        out = np.zeros((len(self.references), 2, FOLDS))
        if self.s.numbers:
            x = self.s.values[self.said[:, list(members)]].mean(1)
            for r, (at, others) in enumerate(self.references):
                for f in range(FOLDS):
                    inside = self.fold[at] == f
                    out[r, 0, f], out[r, 1, f] = (_pearson(x[at[w]], others[w]) for w in (~inside, inside))
            return _mean(out)
        votes = self.onehot[list(members)].sum(0)
        top = votes >= votes.max(1, keepdims=True) - TIE
        share = top / top.sum(1, keepdims=True)  # ties are split
        k = share.shape[1]
        for r, (at, others) in enumerate(self.references):
            cells = np.zeros((FOLDS, k, k))
            place = self.fold[at] * k + others
            for label in range(k):
                cells[:, label] = np.bincount(place, share[at, label], FOLDS * k).reshape(FOLDS, k)
            out[r, 1] = _kappas(cells)
            out[r, 0] = _kappas(cells.sum(0) - cells)
        return _mean(out)

    def greedy(self, k: int) -> list[tuple[int, ...]]:
        """Add one judge at a time, the one that helps most; return all candidates of the last step."""
        members: tuple[int, ...] = ()
        for _ in range(k):
            rest = [a for a in range(len(self.s.judges)) if a not in members]
            members = max(((*members, a) for a in rest), key=lambda m: float(self.scores(m)[0].mean()))
        swaps = [
            tuple(sorted({*members, b} - {a})) for a in members for b in range(len(self.s.judges)) if b not in members
        ]
        return [tuple(sorted(members)), *swaps]


def _mean(scores: Array) -> Array:
    """The mean over people, without undefined values."""
    there = np.isfinite(scores)
    return np.asarray(np.where(there.any(0), np.where(there, scores, 0).sum(0) / np.maximum(there.sum(0), 1), np.nan))


def _kappas(cells: Array) -> Array:
    """(fold,): kappa of each table of (panel, consensus)."""
    n = cells.sum((1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        p = cells / n[:, None, None]
        observed, expected = np.trace(p, axis1=1, axis2=2), (p.sum(1) * p.sum(2)).sum(1)
        return np.where(expected < 1 - 1e-12, (observed - expected) / (1 - expected), np.nan)


def _pearson(x: Array, y: Array) -> float:
    return float(np.corrcoef(x, y)[0, 1]) if len(x) > 2 and x.std() > 0 and y.std() > 0 else float("nan")
