"""Ceilings: the highest correlation or accuracy that a system can show against an aggregate of this reliability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.coefficients.base import Parts, safe_divide
from raters.errors import UsageError
from raters.estimate import Estimate, EstimateTable
from raters.inference.intervals import NO_INTERVAL, IntervalSpec
from raters.inference.intervals import interval as interval_of
from raters.inference.limits import spec_for
from raters.inference.statistic import Linear, value_alone
from raters.io.any_table import Source, table
from raters.notes.note import Note
from raters.options import asks, filled
from raters.options.declared import Count, Inference
from raters.reliability.krr.krr import study_of, usual_k
from raters.reliability.krr.study import Study, unknowable
from raters.reliability.krr.validity import Beside, Scores, beside, scores_of
from raters.reliability.krr.vote_model.simplex import answer_shares
from raters.reliability.variance.components import one_way, one_way_terms, spearman_brown
from raters.reliability.variance.icc import check_numbers
from raters.reliability.variance.reml import harmonic_k

Array = NDArray[Any]


def vote_rows(study: Study, k: int | None, systems: Scores, spec: IntervalSpec | None) -> list[Estimate]:
    """The ceiling of accuracy under the vote model, and each system's accuracy against the observed votes."""
    if study.agg.shares is None:
        raise UsageError(f"a ceiling applies to means and votes; {study.agg.name} is neither.")
    k = usual_k(study, None) if k is None else k
    rows = _ceiling(study, k, spec.level if spec else 0.95)
    if not systems:
        return rows
    there = beside(study.ann, systems, numbers=False)
    counts = there.items.merged().counts.toarray()
    vote = study.agg.shares(counts, study.agg.ties)
    for name, code in there.answers.items():
        one = np.zeros_like(vote)
        at = np.flatnonzero(code >= 0)
        one[at, code[at].astype(int)] = 1
        title = f"accuracy of {name} against the {study.agg.name} of the available labels (a tie counts by its share)"
        rows.append(_mean(name, title, (one * vote).sum(1), spec, there.notes))
    return rows


def _ceiling(study: Study, k: int, level: float) -> list[Estimate]:
    what = f"a fresh {study.agg.name} of {k} labels"
    common: dict[str, Any] = {
        "n_items": int(study.items.weight.sum()),
        "n_annotations": study.ann.used.n_annotations,
        "coefficient": "accuracy",
    }
    why = unknowable(study)
    if why is not None:
        return [
            Estimate(name, math.nan, title=name, notes=(why,), **common)
            for name in ("highest accuracy", "highest kappa")
        ]
    mixture = study.votes.mixture
    _, q = answer_shares(mixture.support, k, study.agg, np.random.default_rng(study.seed))
    weight = mixture.serving(False)
    weight = weight / weight.sum()
    best, top = q.argmax(1), q.max(1)
    accuracy = float(weight @ top)
    # accuracy is linear in the mixing weights, so the ends of the range lie on the boundary of their set
    low, high = sorted(float(w @ top / w.sum()) for w in (mixture.extreme(sign * top, level) for sign in (1, -1)))
    low, high = min(low, accuracy), max(high, accuracy)
    vote, given = weight @ q, np.bincount(best, weight, q.shape[1])
    chance = float(vote @ given)
    said = (Note("by_vote_model"),)
    details = {"k": k, "expected": chance}
    kappa = (accuracy - chance) / (1 - chance) if chance < 1 else math.nan
    limits: dict[str, Any] = {"low": low, "high": high, "interval": mixture.limits, "level": level}
    return [
        Estimate(
            "highest accuracy",
            accuracy,
            title=f"highest accuracy of any system against {what}",
            notes=said,
            details=details,
            **common,
            **limits,
        ),
        Estimate(
            "highest kappa",
            kappa,
            title=f"the same, corrected for chance (Cohen's kappa with {what})",
            notes=said,
            details=details,
            **common,
        ),
    ]


def _mean(name: str, title: str, x: Array, spec: IntervalSpec | None, said: tuple[Note, ...]) -> Estimate:
    terms = np.stack([np.ones_like(x), x], -1)
    stat = Linear(np.ones(len(x)), terms, lambda sums: value_alone(sums[..., 1] / sums[..., 0]))
    value = float(x.mean())
    found = NO_INTERVAL if spec is None else interval_of(stat, value, spec)
    return Estimate(
        name,
        value,
        found.low,
        found.high,
        found.se,
        level=spec.level if spec else 0.95,
        interval=found.method or None,
        n_items=len(x),
        title=title,
        coefficient="accuracy",
        notes=(*said, *found.notes),
    )


KNOWN = Note("reliability_known")


@asks()
def ceiling(
    ann: Source | None = None,
    systems: Any = None,
    *,
    k: Count = None,
    reliability: float | None = None,
    aggregate: str | None = None,
    **options: Unpack[Inference],
) -> EstimateTable:
    r"""Estimate the highest score that any system can reach against these people.

    **Numbers.** An aggregate with reliability :math:`\rho` has a correlation of :math:`\sqrt\rho` with what it
    measures, and no system can exceed that. A system with correlation r has a correlation of :math:`r / \sqrt\rho` with
    the truth. **Labels.** The best label of an item agrees with a new vote of k as often as the vote gives its most
    frequent outcome.

    ``systems``: name -> {item: score}, a table of item, system and score, or a file with a column for each system. ``k``: labels per aggregate; by default the number of labels per item.

    From published figures: ``reliability`` of the aggregate, ``systems={"A": .62, "B": .58}`` their correlations with
    it.

    >>> table = ceiling(reliability=0.8, systems={"A": 0.6})
    >>> round(table["highest correlation"].value, 4), round(table["A with the truth"].value, 4)
    (0.8944, 0.6708)
    """
    given = filled(Inference, options)
    spec = spec_for(given)
    if reliability is not None:
        if ann is not None:
            raise UsageError("pass a table or reliability=, not both.")
        return EstimateTable(tuple(_published(reliability, systems or {}, given["level"])), of="figure")
    ann = table(ann)
    study = study_of(ann, aggregate=aggregate, seed=given["seed"])
    if not study.agg.averages:
        return EstimateTable(tuple(vote_rows(study, k, scores_of(systems or {}), spec)), of="figure")
    check_numbers(ann, "a highest correlation")
    return EstimateTable(tuple(_of_means(ann, k, scores_of(systems or {}), spec)), of="figure")


@dataclass(frozen=True)
class Sums:
    """Items as sums: the terms of their means, their noise and the systems, so that every figure is a function of
    weights.
    """

    weight: Array
    terms: Array
    """(item, sum): those of the one-way analysis, then 1, m, m^2, then for each system s, s^2, s m.
    """
    systems: tuple[str, ...]
    k: float

    @classmethod
    def of(cls, there: Beside, values: Array, k: int | None) -> Sums:
        counts = there.items.merged().counts
        n = np.asarray(counts.sum(1)).ravel()
        total, squares = counts @ values, counts @ values**2
        m = total / n
        names = tuple(there.answers)
        scores = [there.answers[s] - there.answers[s].mean() for s in names]
        own = [np.stack([s, s**2, s * m], -1) for s in scores]
        terms = np.concatenate([one_way_terms(n, total, squares), np.stack([np.ones_like(m), m, m**2], -1), *own], 1)
        return cls(np.ones(len(m)), terms, names, float(k) if k is not None else harmonic_k(n))

    def reliability(self, sums: Array) -> Array:
        return np.asarray(spearman_brown(one_way(sums[..., :6]).single(), self.k))

    def correlation(self, sums: Array, at: int) -> Array:
        n, m, mm = np.moveaxis(sums[..., 6:9], -1, 0)
        s, ss, sm = np.moveaxis(sums[..., 9 + 3 * at : 12 + 3 * at], -1, 0)
        return _correlation(n, m, mm, s, ss, sm)

    def estimate(self, name: str, title: str, function: Any, spec: IntervalSpec | None, **more: Any) -> Estimate:
        """The estimate of a function of the sums, with its interval over items."""

        def parts(sums: Array) -> Parts:
            return value_alone(function(sums))

        stat = Linear(self.weight, self.terms, parts)
        value = float(function((self.weight @ self.terms)[None])[0])
        found = NO_INTERVAL if spec is None else interval_of(stat, value, spec)
        return Estimate(
            name,
            value,
            found.low,
            found.high,
            found.se,
            level=spec.level if spec else 0.95,
            interval=found.method or None,
            n_items=len(self.weight),
            title=title,
            coefficient="correlation",
            **{**more, "notes": (*more.get("notes", ()), *found.notes)},
        )


def _correlation(n: Array, a: Array, aa: Array, b: Array, bb: Array, ab: Array) -> Array:
    va, vb = aa - safe_divide(a * a, n), bb - safe_divide(b * b, n)
    return np.asarray(safe_divide(ab - safe_divide(a * b, n), np.sqrt(va * vb)))


def _root(x: Array) -> Array:
    """Square roots; nan for a reliability below 0."""
    return np.sqrt(np.where(np.real(x) > 0, x, np.nan))


def _of_means(ann: Annotations, k: int | None, systems: Scores, spec: IntervalSpec | None) -> list[Estimate]:
    there = beside(ann, systems, numbers=True)
    values = ann.keys.astype(float)
    values = (values - values.mean()) / (values.std() or 1.0)
    s = Sums.of(there, values, k)
    said, what = there.notes, f"the mean of {s.k:.4g} ratings"
    if k is not None and abs(k - harmonic_k(there.items.per_item)) > 1e-9:
        said = (*said, Note("with_all_ratings", {"k": s.k}))
    rows = [
        s.estimate("reliability", f"reliability of {what} (ICC, one-way)", s.reliability, spec, notes=said),
        s.estimate(
            "highest correlation",
            f"highest correlation of any system with {what}",
            lambda x: _root(s.reliability(x)),
            spec,
        ),
    ]
    if not np.isfinite(rows[1].value):
        why = Note("no_ceiling")
        rows[1] = Estimate(rows[1].name, math.nan, n_items=rows[1].n_items, title=rows[1].title, notes=(why,))
    for i, name in enumerate(s.systems):
        rows.append(s.estimate(name, f"correlation of {name} with {what}", lambda x, i=i: s.correlation(x, i), spec))
        rows.append(
            s.estimate(
                f"{name} with the truth",
                f"correlation of {name} with what the means measure (disattenuated)",
                lambda x, i=i: safe_divide(s.correlation(x, i), _root(s.reliability(x))),
                spec,
            )
        )
    return rows


def _published(rho: float, systems: Mapping[str, Any], level: float) -> list[Estimate]:
    if not 0 < rho <= 1:
        raise UsageError(f"reliability={rho:g} is not between 0 and 1.")
    common: dict[str, Any] = {"coefficient": "correlation", "level": level}
    rows = [
        Estimate("reliability", rho, title="published reliability of the aggregate", **common),
        Estimate(
            "highest correlation",
            math.sqrt(rho),
            title="highest correlation of any system with the aggregate",
            notes=(KNOWN,),
            **common,
        ),
    ]
    for name, r in systems.items():
        if not isinstance(r, (int, float)) or not -1 <= r <= 1:
            raise UsageError(
                f"systems={{{name!r}: {r!r}}} is not a correlation; with reliability=, systems= takes published"
                " correlations."
            )
        over = (Note("above_ceiling"),) if abs(r) > math.sqrt(rho) else ()
        rows.append(Estimate(name, float(r), title=f"correlation of {name} with the aggregate, as published", **common))
        rows.append(
            Estimate(
                f"{name} with the truth",
                r / math.sqrt(rho),
                title=f"correlation of {name} with what the aggregate measures (disattenuated)",
                notes=(KNOWN, *over),
                **common,
            )
        )
    return rows
