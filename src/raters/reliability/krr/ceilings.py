"""Ceilings: the highest correlation or accuracy that a system can show against an aggregate of this reliability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.coefficients.base import Parts, safe_divide
from raters.errors import UsageError
from raters.estimate import Estimate, EstimateTable
from raters.inference.intervals import NO_INTERVAL, IntervalSpec
from raters.inference.intervals import interval as interval_of
from raters.inference.statistic import Linear, value_alone
from raters.io.any_table import Reading, Source, table, takes_tables
from raters.reliability.krr.curve import study_of
from raters.reliability.krr.scores import Beside, Scores, beside, scores_of
from raters.reliability.krr.two_systems import items_to_tell, williams
from raters.reliability.krr.vote_ceiling import vote_rows
from raters.reliability.variance.components import one_way, one_way_terms, spearman_brown
from raters.reliability.variance.icc import check_numbers
from raters.reliability.variance.reml import harmonic_k

Array = NDArray[Any]
KNOWN = "the published reliability is treated as known: these figures do not include its uncertainty"


@takes_tables(keep=(Mapping,))
def ceiling(
    ann: Source | None = None,
    systems: Any = None,
    *,
    k: int | None = None,
    reliability: float | None = None,
    between: float | None = None,
    items: int | None = None,
    aggregate: str | None = None,
    power: float = 0.8,
    interval: str | None = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> EstimateTable:
    r"""Estimate the highest score that any system can reach against these people, and whether two systems differ.

    **Numbers.** An aggregate with reliability :math:`\rho` has a correlation of :math:`\sqrt\rho` with what it measures, and no
    system can exceed that. A system with correlation r has a correlation of :math:`r / \sqrt\rho` with the truth. **Labels.**
    The best label of an item agrees with a new vote of k as often as the vote gives its most frequent outcome.

    ``systems``: name -> {item: score}, a table of item, system and score, or a file with a column for each system. Each
    pair is compared (by Williams' t; for labels, by a bootstrap of items), with the number of items needed to distinguish them
    with the given ``power``. ``k``: labels per aggregate; by default the number of labels per item.

    From published figures: ``reliability`` of the aggregate, ``systems={"A": .62, "B": .58}`` their correlations with it,
    ``between`` their correlation with each other, ``items``.

    >>> table = ceiling(reliability=0.8, systems={"A": 0.6})
    >>> round(table["highest correlation"].value, 4), round(table["A with the truth"].value, 4)
    (0.8944, 0.6708)
    """
    spec = (
        None
        if interval is None
        else IntervalSpec("bootstrap" if interval == "auto" else interval, level, resamples, seed)
    )
    if reliability is not None:
        if ann is not None:
            raise UsageError("pass a table or reliability=, not both.")
        return EstimateTable(tuple(_published(reliability, systems or {}, between, items, power, level)), of="figure")
    ann = table(ann)  # type: ignore[arg-type]
    study = study_of(ann, aggregate=aggregate, seed=seed)
    if study.agg.name != "mean":
        return EstimateTable(tuple(vote_rows(study, k, scores_of(systems or {}), spec, power)), of="figure")
    check_numbers(ann, "a highest correlation")
    return EstimateTable(tuple(_of_means(ann, k, scores_of(systems or {}), spec, level, power)), of="figure")


@dataclass(frozen=True)
class Sums:
    """Items as sums: the terms of their means, their noise and the systems, so that every figure is a function of weights."""

    weight: Array
    terms: Array
    """(item, sum): those of the one-way analysis, then 1, m, m^2, then for each system s, s^2, s m, and products of two systems."""
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
        both = [(a * b)[:, None] for a, b in combinations(scores, 2)]
        terms = np.concatenate(
            [one_way_terms(n, total, squares), np.stack([np.ones_like(m), m, m**2], -1), *own, *both], 1
        )
        return cls(np.ones(len(m)), terms, names, float(k) if k is not None else harmonic_k(n))

    def reliability(self, sums: Array) -> Array:
        return np.asarray(spearman_brown(one_way(sums[..., :6]).single(), self.k))

    def correlation(self, sums: Array, at: int) -> Array:
        n, m, mm = np.moveaxis(sums[..., 6:9], -1, 0)
        s, ss, sm = np.moveaxis(sums[..., 9 + 3 * at : 12 + 3 * at], -1, 0)
        return _correlation(n, m, mm, s, ss, sm)

    def between(self, sums: Array, a: int, b: int) -> Array:
        place = 9 + 3 * len(self.systems) + list(combinations(range(len(self.systems)), 2)).index((a, b))
        s, t = (np.moveaxis(sums[..., 9 + 3 * i : 11 + 3 * i], -1, 0) for i in (a, b))
        return _correlation(sums[..., 6], s[0], s[1], t[0], t[1], sums[..., place])

    def estimate(self, name: str, title: str, function: Any, spec: IntervalSpec | None, **more: Any) -> Estimate:
        """The estimate of a function of the sums, with its interval over items."""

        def parts(sums: Array) -> Parts:
            return value_alone(function(sums))

        stat = Linear(self.weight, self.terms, parts)
        value = float(function((self.weight @ self.terms)[None])[0])
        found = NO_INTERVAL if spec is None else interval_of(stat, value, spec)
        return Estimate(
            name, value, found.low, found.high, found.se, level=spec.level if spec else 0.95, interval=found.method or None,
            n_items=len(self.weight), title=title, coefficient="correlation", **{**more, "warnings": (*more.get("warnings", ()), *found.warnings)},
        )  # fmt: skip


def _correlation(n: Array, a: Array, aa: Array, b: Array, bb: Array, ab: Array) -> Array:
    va, vb = aa - safe_divide(a * a, n), bb - safe_divide(b * b, n)
    return np.asarray(safe_divide(ab - safe_divide(a * b, n), np.sqrt(va * vb)))


def _root(x: Array) -> Array:
    """Square roots; nan for a reliability below 0."""
    return np.sqrt(np.where(np.real(x) > 0, x, np.nan))


def _of_means(
    ann: Annotations, k: int | None, systems: Scores, spec: IntervalSpec | None, level: float, power: float
) -> list[Estimate]:
    there = beside(ann, systems, numbers=True)
    values = ann.keys.astype(float)
    values = (values - values.mean()) / (values.std() or 1.0)
    s = Sums.of(there, values, k)
    said, what = there.warnings, f"the mean of {s.k:.4g} ratings"
    if k is not None and abs(k - harmonic_k(there.items.per_item)) > 1e-9:
        said = (*said, f"correlations are with the means of all available ratings; the reliability is that of {what}")
    rows = [
        s.estimate("reliability", f"reliability of {what} (ICC, one-way)", s.reliability, spec, warnings=said),
        s.estimate("highest correlation", f"highest correlation of any system with {what}", lambda x: _root(s.reliability(x)), spec),
    ]  # fmt: skip
    if not np.isfinite(rows[1].value):
        why = (
            "the reliability is not above 0: items cannot be distinguished by their means, so the ceiling is undefined"
        )
        rows[1] = Estimate(rows[1].name, math.nan, n_items=rows[1].n_items, title=rows[1].title, warnings=(why,))
    for i, name in enumerate(s.systems):
        rows.append(s.estimate(name, f"correlation of {name} with {what}", lambda x, i=i: s.correlation(x, i), spec))
        rows.append(s.estimate(f"{name} with the truth", f"correlation of {name} with what the means measure (disattenuated)",
                               lambda x, i=i: safe_divide(s.correlation(x, i), _root(s.reliability(x))), spec))  # fmt: skip
    n, sums = len(s.weight), (s.weight @ s.terms)[None]
    for i, j in combinations(range(len(s.systems)), 2):
        a, b = (float(s.correlation(sums, x)[0]) for x in (i, j))
        r = float(s.between(sums, i, j)[0])
        rows += _pair(s, i, j, spec, _compared(a, b, r, n, level, power))
    return rows


def _compared(a: float, b: float, between: float, n: int, level: float, power: float) -> dict[str, Any]:
    test = williams(a, b, between, n)
    needed = items_to_tell(a, b, between, level=level, power=power)
    return {"t": test.t, "df": test.df, "p": test.p, "between": between, "items_needed": needed, "power": power}


def _pair(s: Sums, i: int, j: int, spec: IntervalSpec | None, details: dict[str, Any]) -> list[Estimate]:
    a, b = s.systems[i], s.systems[j]
    title = f"{a} minus {b}: {_verdict(details, spec.level if spec else 0.95)}"
    return [
        s.estimate(f"{a} - {b}", title, lambda x: s.correlation(x, i) - s.correlation(x, j), spec, details=details),
        _needed(a, b, details, len(s.weight)),
    ]


def _verdict(details: Mapping[str, Any], level: float) -> str:
    differ = details["p"] < 1 - level
    return f"the systems {'differ' if differ else 'are not shown to differ'} (Williams' t = {details['t']:.2f}, df {details['df']}, p {_p(details['p'])})"


def _p(p: float) -> str:
    return "< .001" if p < 0.001 else f"= {p:.3f}"


def _needed(a: str, b: str, details: Mapping[str, Any], n: int) -> Estimate:
    title = f"items to tell {a} from {b} with power {details['power']:.0%}, if they differ as they do here"
    said = (
        ()
        if math.isfinite(details["items_needed"])
        else ("the two correlations are equal: no number of items can distinguish them",)
    )
    value = details["items_needed"] if math.isfinite(details["items_needed"]) else math.nan
    return Estimate(
        f"items to tell {a} from {b}", value, n_items=n, title=title, warnings=said, details={"counts": True}
    )


def _published(
    rho: float, systems: Mapping[str, Any], between: float | None, n: int | None, power: float, level: float
) -> list[Estimate]:
    if not 0 < rho <= 1:
        raise UsageError(f"reliability={rho:g} is not between 0 and 1.")
    common: dict[str, Any] = {"n_items": n or 0, "coefficient": "correlation", "level": level}
    rows = [
        Estimate("reliability", rho, title="published reliability of the aggregate", **common),
        Estimate("highest correlation", math.sqrt(rho), title="highest correlation of any system with the aggregate", warnings=(KNOWN,), **common),
    ]  # fmt: skip
    for name, r in systems.items():
        if not isinstance(r, (int, float)) or not -1 <= r <= 1:
            raise UsageError(
                f"systems={{{name!r}: {r!r}}} is not a correlation; with reliability=, systems= takes published correlations."
            )
        over = (
            ("above the ceiling: the reliability is understated, or the system shares the raters' errors",)
            if abs(r) > math.sqrt(rho)
            else ()
        )
        rows.append(Estimate(name, float(r), title=f"correlation of {name} with the aggregate, as published", **common))
        rows.append(Estimate(f"{name} with the truth", r / math.sqrt(rho), title=f"correlation of {name} with what the aggregate measures (disattenuated)", warnings=(KNOWN, *over), **common))  # fmt: skip
    if between is not None:
        for (a, x), (b, y) in combinations(systems.items(), 2):
            details = _compared(x, y, between, n or 4, level, power)
            if n:
                rows.append(
                    Estimate(
                        f"{a} - {b}",
                        x - y,
                        title=f"{a} minus {b}: {_verdict(details, level)}",
                        details=details,
                        **common,
                    )
                )
            rows.append(_needed(a, b, details, n or 0))
    return rows
