"""Agreement of the model with people, and of people with each other: the same figures for both, and the gap between them."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.estimate import Estimate
from raters.inference.intervals import IntervalSpec
from raters.judges.pair_kappas import Correlation, PairKappa, mean_by_items, mean_of, pair_kappa
from raters.judges.people_and_judges import Sides, plurality, tally
from raters.judges.resampled_sums import Terms, estimate, replicated

Array = NDArray[Any]
LEAST = 30
"""Items that a pair must share to be counted."""
MOST_PAIRS = 20_000


def with_people(s: Sides, weights: Any, spec: IntervalSpec, resamples: int) -> list[dict[str, Estimate]]:
    """For each judge, by pairs and by leave-one-out: the model's figure, people's, and the gap, on the same bootstrap samples."""
    study = Study(s, pair_kappa(s, weights))
    point, draws = replicated(study.terms, study.figures, resamples, spec.seed)
    found = []
    for j in range(len(s.judges)):
        at = slice(j * len(FIGURES), (j + 1) * len(FIGURES))
        found.append(_estimates(study, j, point[at], draws[at], spec))
    return found


FIGURES = (
    "kappa", "kappa_people", "kappa_gap", "raw_agreement", "raw_agreement_people", "kappa_best_person",
    "kappa_median_person", "leave_one_out", "leave_one_out_people", "leave_one_out_gap",
)  # fmt: skip
TITLES = {
    "kappa": "the model with each person (pairs)",
    "kappa_people": "people with each other (pairs)",
    "kappa_gap": "gap (pairs)",
    "raw_agreement": "raw agreement, the model with each person",
    "raw_agreement_people": "raw agreement, people with each other",
    "kappa_best_person": "the best person with the others",
    "kappa_median_person": "the median person with the others",
    "leave_one_out": "the model with the consensus of all but one",
    "leave_one_out_people": "a person with the consensus of the others",
    "leave_one_out_gap": "gap (leave one out)",
}


class Study:
    """The sums behind all figures, and the figures as a function of them."""

    def __init__(self, s: Sides, measure: PairKappa) -> None:
        self.s, self.measure = s, measure
        self.loo: Any = Correlation() if s.numbers else measure
        n, every = len(s.items), np.arange(len(s.items))
        self.terms = Terms(n)
        self.pairs, self.few = self._pairs()
        self.of_people = [self.terms.add(measure.terms(s.given[:, a], s.given[:, b], every, n)) for a, b in self.pairs]
        self.with_model: list[list[slice]] = []
        self.model_people: list[list[int]] = []
        self.left_out: list[list[tuple[slice, slice]]] = []
        shared = (s.given >= 0).T.astype(np.int64) @ (s.said >= 0).astype(np.int64)  # (person, judge)
        others = {j: others_of(s, j) for j in range(len(s.people)) if len(s.people) > 1}
        for f in range(len(s.judges)):
            enough = np.flatnonzero(shared[:, f] >= min(LEAST, shared[:, f].max())).tolist()
            self.model_people.append(enough)
            self.with_model.append(
                [self.terms.add(measure.terms(s.said[:, f], s.given[:, p], every, n)) for p in enough]
            )
            self.left_out.append([self._leave_one_out(f, p, *others[p]) for p in enough if p in others])

    def _pairs(self) -> tuple[list[tuple[int, int]], int]:
        has = (self.s.given >= 0).astype(np.int64)
        shared = has.T @ has
        every = [(a, b) for a, b in combinations(range(len(self.s.people)), 2) if shared[a, b] > 0]
        most = max((shared[p] for p in every), default=0)
        kept = [p for p in every if shared[p] >= min(LEAST, most)]
        kept = sorted(kept, key=lambda p: -shared[p])[:MOST_PAIRS]
        return sorted(kept), len(every) - len(kept)

    def _leave_one_out(self, judge: int, person: int, rows: Array, others: Array) -> tuple[slice, slice]:
        s, n = self.s, len(self.s.items)
        said, own = s.said[rows, judge], s.given[rows, person]
        at = said >= 0
        rows, said, own, others = rows[at], said[at], own[at], others[at]
        if s.numbers:
            own, said = s.values[own], s.values[said]
        return self.terms.add(self.loo.terms(own, others, rows, n)), self.terms.add(
            self.loo.terms(said, others, rows, n)
        )

    def figures(self, flat: Array) -> Array:
        """(judge * figure, replicate)"""
        n, raw, kappa = self.measure.kappas(_side(flat, self.of_people, self.measure.width))
        people, people_raw = mean_by_items(n, kappa), mean_by_items(n, raw)
        own = self._own_means(n, kappa)
        best = own[:, self.best] if self.best >= 0 else np.full(len(own), np.nan)
        median = _median(own)
        out = []
        for f in range(len(self.s.judges)):
            n_f, raw_f, kappa_f = self.measure.kappas(_side(flat, self.with_model[f], self.measure.width))
            model = mean_by_items(n_f, kappa_f)
            loo = [
                self.loo.kappas(_side(flat, [pair[i] for pair in self.left_out[f]], self.loo.width))[2] for i in (0, 1)
            ]
            # a person without a kappa of their own is not compared with the model either
            both = np.isfinite(loo[0]) & np.isfinite(loo[1])
            person, machine = (mean_of(np.where(both, x, np.nan)) for x in loo)
            out += [model, people, model - people, mean_by_items(n_f, raw_f), people_raw, best, median, machine, person,
                    machine - person]  # fmt: skip
        return np.array(out)

    def _own_means(self, n: Array, kappa: Array) -> Array:
        """(replicate, person): a person's mean kappa with the others."""
        m = len(self.s.people)
        own = np.full((len(n), m), np.nan)
        for person in range(m):
            at = [i for i, pair in enumerate(self.pairs) if person in pair]
            if at:
                own[:, person] = mean_by_items(n[:, at], kappa[:, at])
        return own

    @cached_property
    def best(self) -> int:
        """The person who agrees most with the others in these data; -1 if there is none."""
        sums = self.terms.sums()
        n, _, kappa = self.measure.kappas(_side(sums, self.of_people, self.measure.width))
        own = self._own_means(n, kappa)[0]
        return int(np.nanargmax(own)) if np.isfinite(own).any() else -1


def _median(own: Array) -> Array:
    """(replicate,): the median over people, without undefined values."""
    order = np.sort(own, 1)  # nan comes last
    n = np.isfinite(own).sum(1)
    low, high = (np.take_along_axis(order, np.maximum(at, 0)[:, None], 1)[:, 0] for at in ((n - 1) // 2, n // 2))
    return np.asarray(np.where(n > 0, (low + high) / 2, np.nan)) if own.shape[1] else np.full(len(own), np.nan)


def _side(flat: Array, at: list[slice], width: int) -> Array:
    """The blocks side by side."""
    if not at:
        return np.zeros((len(flat), 0))
    columns = np.concatenate([np.arange(a.start, a.stop) for a in at])
    return flat[:, columns].reshape(len(flat), len(at) * width)


def others_of(s: Sides, person: int) -> tuple[Array, Array]:
    """The items of a person on which the other people have a consensus, and this consensus: a code, or the mean of numbers."""
    rows = np.flatnonzero(s.given[:, person] >= 0)
    rest = s.given[rows].copy()
    rest[:, person] = -1
    counts = tally(rest, len(s.labels))
    if s.numbers:
        n = np.asarray(counts.sum(1)).ravel()
        return rows[n > 0], (counts @ s.values)[n > 0] / n[n > 0]
    most = plurality(counts)
    return rows[most >= 0], most[most >= 0]


def _estimates(study: Study, judge: int, point: Array, draws: Array, spec: IntervalSpec) -> dict[str, Estimate]:
    s = study.s
    several = len(s.people) > 1
    made = {}
    for i, name in enumerate(FIGURES):
        why = (
            "there is only one person, so people cannot be compared with each other"
            if not several
            else "undefined: one side gave a single label throughout"
        )
        loo = name.startswith("leave")
        measure = "correlation" if loo and s.numbers else f"{study.measure.name} kappa"
        notes = []
        if name == "kappa_people" and study.few:
            notes.append(f"{study.few} pairs of people share fewer than {LEAST} items and are excluded")
        if name in ("kappa", "kappa_people") and not _enough(study, judge):
            notes.append(f"no two share {LEAST} items, so the pairs with the most items are used")
        n = int(((s.said[:, judge] >= 0) & (s.given >= 0).any(1)).sum())
        made[name] = estimate(
            name, point[i], draws[i], spec, why, warnings=notes, coefficient=name, title=TITLES[name],
            weights=measure if "raw" not in name else "", n_items=n, n_raters=len(s.people),
            details={"judge": s.judges[judge]} | ({"person": s.people[study.best]} if name == "kappa_best_person" and study.best >= 0 else {}),
        )  # fmt: skip
    return made


def _enough(study: Study, judge: int) -> bool:
    s = study.s
    return bool(((s.given >= 0) & (s.said[:, [judge]] >= 0)).sum(0).max(initial=0) >= LEAST)
