"""Agreement of the model with people, and of people with each other: the same figures for both, and the gap between
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.errors import UsageError
from raters.estimate import Estimate
from raters.inference.family import together
from raters.inference.intervals import NO_INTERVAL, Interval, IntervalSpec
from raters.inference.joint import Function, Terms
from raters.inference.limits import by_percentile, spec_for
from raters.inference.weights import dirichlet_process
from raters.judges.people_and_judges import Sides, plurality, tally
from raters.notes.note import Note
from raters.options.declared import Inference
from raters.scales import agreement_kernel

Array = NDArray[Any]
FEW = 20
"""Up to this many different values, numbers are compared as labels (plain kappa); beyond that, by squared
differences.
"""


@dataclass(frozen=True, eq=False)
class PairKappa:
    """Cohen's kappa of two columns of codes, plain or weighted."""

    name: str
    k: int
    values: Array
    matrix: Array | None
    """(label, label): agreement weights; None for squared differences of the values."""

    @property
    def width(self) -> int:
        return 6 if self.matrix is None else 2 + 2 * self.k

    def terms(self, a: Array, b: Array, rows: Array, n: int) -> sparse.csr_array:
        """(item, sum) for two columns of codes of the items ``rows``; -1 means no label."""
        both = (a >= 0) & (b >= 0)
        a, b, rows = a[both], b[both], rows[both]
        one = np.ones(len(rows))
        if self.matrix is None:
            x, y = self.values[a], self.values[b]
            cells = np.stack([one, (x - y) ** 2, x, y, x**2, y**2], 1)
            at = np.broadcast_to(np.arange(6), cells.shape)
        else:
            cells = np.stack([one, self.matrix[a, b], one, one], 1)
            at = np.stack([0 * a, 0 * a + 1, 2 + a, 2 + self.k + b], 1)
        place = (np.repeat(rows, cells.shape[1]), at.ravel())
        return sparse.coo_array((cells.ravel(), place), (n, self.width)).tocsr()

    def kappas(self, flat: Array) -> tuple[Array, Array, Array]:
        """(replicate, pair) each: items, observed agreement, kappa, from (replicate, pair * width) sums."""
        sums = flat.reshape(len(flat), -1, self.width)
        n = sums[..., 0]
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.matrix is None:
                d, x, y, xx, yy = (sums[..., i] / n for i in range(1, 6))
                expected = xx + yy - 2 * x * y
                return n, 1 - d, np.where(expected > 1e-12, 1 - d / expected, np.nan)
            observed = sums[..., 1] / n
            left, right = (sums[..., 2 + i * self.k : 2 + (i + 1) * self.k] / n[..., None] for i in (0, 1))
            expected = ((left @ self.matrix) * right).sum(-1)
            room = 1 - expected
            return n, observed, np.where(room > 1e-12, (observed - expected) / room, np.nan)


def pair_kappa(s: Sides, weights: Any) -> PairKappa:
    """The kappa by which pairs are compared: as requested; by default plain for labels and few numbers, MASI for
    sets.
    """
    k = len(s.labels)
    if weights is None and s.scale.of_sets:
        weights = s.scale.weights
    if weights is None and not s.scale.equality and k > FEW:
        return PairKappa("quadratic", k, in_unit(s.values, s.values), None)
    if weights in (None, "identity"):
        return PairKappa("identity", k, s.values, np.eye(k))
    kernel = agreement_kernel(weights, s.values, s.labels, None)
    return PairKappa(kernel.name, k, s.values, np.asarray(full(kernel, k)))


def in_unit(x: Array, values: Array) -> Array:
    """Numbers in units of the range of all values: squares of large ones would lose their differences, those of tiny
    ones would vanish, and agreement is 0 where two lie as far apart as values do.
    """
    return np.asarray((x - values.mean()) / (np.ptp(values) or 1.0))


def full(kernel: Any, k: int) -> Array:
    """(label, label): the matrix of a kernel."""
    features = np.eye(k) if kernel.features is None else kernel.features
    form = np.eye(features.shape[1]) if kernel.form is None else kernel.form
    return np.asarray((features @ form) @ features.T)


@dataclass(frozen=True)
class Correlation:
    """Pearson's correlation with the mean of the others, for numbers."""

    width: int = 6

    def terms(self, x: Array, y: Array, rows: Array, n: int) -> sparse.csr_array:
        """(item, sum) for two columns of numbers."""
        cells = np.stack([np.ones(len(rows)), x * y, x, y, x**2, y**2], 1)
        at = np.broadcast_to(np.arange(6), cells.shape)
        return sparse.coo_array((cells.ravel(), (np.repeat(rows, 6), at.ravel())), (n, 6)).tocsr()

    def kappas(self, flat: Array) -> tuple[Array, Array, Array]:
        sums = flat.reshape(len(flat), -1, 6)
        n = sums[..., 0]
        with np.errstate(invalid="ignore", divide="ignore"):
            xy, x, y, xx, yy = (sums[..., i] / n for i in range(1, 6))
            spread = (xx - x**2) * (yy - y**2)
            r = np.clip((xy - x * y) / np.sqrt(np.maximum(spread, 1e-300)), -1, 1)
            return n, n * np.nan, np.where(spread > 1e-14, r, np.nan)


def mean_by_items(n: Array, kappa: Array) -> Array:
    """The mean over pairs, weighted by their items, without undefined pairs."""
    there = np.isfinite(kappa) & (n > 0)
    total = (n * there).sum(-1)
    return np.asarray(np.where(total > 0, (n * np.where(there, kappa, 0)).sum(-1) / np.maximum(total, 1), np.nan))


def mean_of(kappa: Array) -> Array:
    """The unweighted mean, without undefined values."""
    there = np.isfinite(kappa)
    return np.asarray(np.where(there.any(-1), np.where(there, kappa, 0).sum(-1) / np.maximum(there.sum(-1), 1), np.nan))


METHODS = ("auto", "bootstrap", "bca", "delta", "jackknife", None)
ANY = (-np.inf, np.inf)


def checked(options: Inference) -> IntervalSpec:
    """The interval specification for figures of judges, which have no prior item."""
    interval = options.get("interval", "auto")
    if interval not in METHODS:
        raise UsageError(
            f"interval={interval!r}: figures of judges take {', '.join(map(repr, METHODS[:-1]))} (over items) or None."
        )
    # also without an interval: figures that have one inside, such as verdicts, are computed from it
    return spec_for({**options, "interval": interval or "auto"}) or IntervalSpec()


def figured(
    terms: Terms,
    function: Function,
    resamples: int,
    spec: IntervalSpec,
    ranges: Sequence[tuple[float, float]] | None = None,
    smooth: bool = True,
) -> tuple[Array, list[Interval]]:
    """The figures of the data, and their intervals over items, all from the same replicates."""
    with np.errstate(invalid="ignore", divide="ignore"):
        point = function(terms.sums())[:, 0]
        if not resamples or terms.n < 2:
            return point, [NO_INTERVAL] * len(point)
        return point, together(terms.joint(function, spec, smooth), point, spec, ranges or [ANY] * len(point))


UNKNOWN = Note("judge_not_computed")


def estimate(
    name: str, value: float, found: Interval, spec: IntervalSpec, why: Note = UNKNOWN, **facts: Any
) -> Estimate:
    """A figure with its interval; ``why``: the reason if it is undefined."""
    notes = tuple(facts.pop("notes", ()))
    if not np.isfinite(value):
        return Estimate(name, np.nan, level=spec.level, notes=(*notes, why), **facts)
    return Estimate(
        name,
        float(value),
        found.low,
        found.high,
        found.se,
        spec.level,
        found.method or None,
        notes=(*notes, *found.notes),
        **facts,
    )


LEAST = 30
"""Items that a pair must share to be counted."""
MOST_PAIRS = 20_000


def with_people(s: Sides, weights: Any, spec: IntervalSpec, resamples: int) -> list[dict[str, Estimate]]:
    """For each judge, by pairs and by leave-one-out: the model's figure, people's, and the gap, on the same bootstrap
    samples.
    """
    study = Study(s, pair_kappa(s, weights))
    point, intervals = figured(
        study.terms, study.figures, resamples, spec, [RANGES[n] for _ in s.judges for n in FIGURES]
    )
    intervals = unseen(study, point, intervals, spec)
    found = []
    for j in range(len(s.judges)):
        at = slice(j * len(FIGURES), (j + 1) * len(FIGURES))
        found.append(_estimates(study, j, point[at], intervals[at], spec))
    return found


FIGURES = (
    "kappa", "kappa_people", "kappa_gap", "raw_agreement", "raw_agreement_people",
    "leave_one_out", "leave_one_out_people", "leave_one_out_gap",
)  # fmt: skip
RANGES = {name: (-2.0, 2.0) if "gap" in name else (0.0, 1.0) if "raw" in name else (-np.inf, 1.0) for name in FIGURES}
"""Lowest and highest values, to which limits by a standard error are clipped."""
TITLES = {
    "kappa": "judge with each person",
    "kappa_people": "people with each other",
    "kappa_gap": "gap between the two",
    "raw_agreement": "judge with each person, uncorrected",
    "raw_agreement_people": "people with each other, uncorrected",
    "leave_one_out": "judge with the others' consensus",
    "leave_one_out_people": "person with the others' consensus",
    "leave_one_out_gap": "gap, by the others' consensus",
}


def unseen(study: Study, point: Array, found: list[Interval], spec: IntervalSpec) -> list[Interval]:
    """The intervals, those of the gaps lowered to what errors may do that these items happen not to show.

    Samples of items without an error of the judge have none either, so their interval would have no width. A Bayesian
    bootstrap with one further item, on which people agree and the judge does not, gives what Clopper and Pearson give
    for a share: up to 1 - .025^(1/n) of all items may be such, if none of n is.
    """
    s = study.s
    if len(s.labels) < 2 or not any(i.method for i in found):
        return found
    first, second = np.argsort(-np.asarray(s.counts.sum(0)).ravel(), kind="stable")[:2]
    item = replace(
        s,
        items=s.items[:1],
        given=np.full((1, len(s.people)), first, s.given.dtype),
        said=np.full((1, len(s.judges)), second, s.said.dtype),
    )
    seen = study.terms.joint(study.figures, spec)
    # people label it as often as they label others: the first sum of each block counts its items
    often = np.concatenate([np.full(b.shape[1], b[:, [0]].sum() / len(s.items)) for b in study.terms.blocks])
    terms = sparse.vstack([seen.terms, often * Study(item, study.measure, study).terms.sums()]).tocsr()
    joint = replace(seen, weight=np.append(seen.weight, 0.0), terms=terms)
    one_more = np.append(np.zeros(len(seen.weight)), 1.0)
    drawn = dirichlet_process(joint.weight, one_more, 1.0, spec.resamples, np.random.default_rng(spec.seed))
    with np.errstate(invalid="ignore", divide="ignore"):
        draws = np.concatenate([joint.values(w) for w in drawn], 1)
    gaps = ["gap" in name for name in FIGURES] * len(s.judges)
    lowest = [by_percentile(x, spec).low if gap else np.nan for x, gap in zip(draws, gaps, strict=True)]
    return [_lowered(*each) for each in zip(found, point.tolist(), lowest, strict=True)]


def _lowered(found: Interval, value: float, low: float) -> Interval:
    """An interval that goes down to ``low``, or is as it was where that is nan; one that no sample gives a width, too."""
    if np.isnan(low) or np.isnan(value):
        return found
    if np.isnan(found.low):
        return Interval(min(low, value), value, np.nan, found.method)
    return replace(found, low=min(found.low, low))


class Study:
    """The sums behind all figures, and the figures as a function of them.

    ``like``: a study whose pairs and people are compared here too.
    """

    def __init__(self, s: Sides, measure: PairKappa, like: Study | None = None) -> None:
        self.s, self.measure = s, measure
        self.loo: Any = Correlation() if s.numbers else measure
        n, every = len(s.items), np.arange(len(s.items))
        self.terms = Terms(n)
        self.pairs: list[tuple[int, int]]
        self.few: int
        self.pairs, self.few = self._pairs() if like is None else (like.pairs, like.few)
        self.of_people = [self.terms.add(measure.terms(s.given[:, a], s.given[:, b], every, n)) for a, b in self.pairs]
        self.with_model: list[list[slice]] = []
        self.model_people: list[list[int]] = []
        self.left_out: list[list[tuple[slice, slice]]] = []
        shared = (s.given >= 0).T.astype(np.int64) @ (s.said >= 0).astype(np.int64)  # (person, judge)
        others = {j: others_of(s, j) for j in range(len(s.people)) if len(s.people) > 1}
        for f in range(len(s.judges)):
            enough = np.flatnonzero(shared[:, f] >= min(LEAST, shared[:, f].max())).tolist()
            enough = enough if like is None else like.model_people[f]
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
            own, said, others = (in_unit(x, s.values) for x in (s.values[own], s.values[said], others))
        return self.terms.add(self.loo.terms(own, others, rows, n)), self.terms.add(
            self.loo.terms(said, others, rows, n)
        )

    def figures(self, flat: Array) -> Array:
        """(judge * figure, replicate)"""
        n, raw, kappa = self.measure.kappas(_side(flat, self.of_people, self.measure.width))
        people, people_raw = mean_by_items(n, kappa), mean_by_items(n, raw)
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
            out += [
                model,
                people,
                model - people,
                mean_by_items(n_f, raw_f),
                people_raw,
                machine,
                person,
                machine - person,
            ]
        return np.array(out)


def _side(flat: Array, at: list[slice], width: int) -> Array:
    """The blocks side by side."""
    if not at:
        return np.zeros((len(flat), 0))
    columns = np.concatenate([np.arange(a.start, a.stop) for a in at])
    return flat[:, columns].reshape(len(flat), len(at) * width)


def others_of(s: Sides, person: int, mean: bool | None = None) -> tuple[Array, Array]:
    """The items of a person on which the other people have a consensus, and this consensus: a code, or the mean of
    numbers (``mean``: False for the code of numbers too).
    """
    rows = np.flatnonzero(s.given[:, person] >= 0)
    rest = s.given[rows].copy()
    rest[:, person] = -1
    counts = tally(rest, len(s.labels))
    if s.numbers if mean is None else mean:
        n = np.asarray(counts.sum(1)).ravel()
        return rows[n > 0], (counts @ s.values)[n > 0] / n[n > 0]
    most = plurality(counts)
    return rows[most >= 0], most[most >= 0]


def _estimates(
    study: Study, judge: int, point: Array, found: Sequence[Interval], spec: IntervalSpec
) -> dict[str, Estimate]:
    s = study.s
    several = len(s.people) > 1
    made = {}
    for i, name in enumerate(FIGURES):
        why = Note("judge_single_label" if several else "one_person_alone")
        loo = name.startswith("leave")
        measure = "correlation" if loo and s.numbers else f"{study.measure.name} kappa"
        notes = []
        if name == "kappa_people" and study.few:
            notes.append(Note("pairs_with_few_items", {"n": study.few, "least": LEAST}))
        if name in ("kappa", "kappa_people") and not _enough(study, judge):
            notes.append(Note("no_pair_with_many_items", {"least": LEAST}))
        n = int(((s.said[:, judge] >= 0) & (s.given >= 0).any(1)).sum())
        made[name] = estimate(
            name,
            point[i],
            found[i],
            spec,
            why,
            notes=notes,
            coefficient=name,
            title=TITLES[name],
            weights=measure if "raw" not in name else "",
            n_items=n,
            n_raters=len(s.people),
            details={"judge": s.judges[judge]},
        )
    return made


def _enough(study: Study, judge: int) -> bool:
    s = study.s
    return bool(((s.given >= 0) & (s.said[:, [judge]] >= 0)).sum(0).max(initial=0) >= LEAST)
