"""Ceilings: the highest correlation or accuracy that a system can show against an aggregate of this reliability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from os import PathLike
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.annotations import Annotations
from raters.coefficients.base import Parts, safe_divide
from raters.errors import DataError, UsageError, brief, listed
from raters.estimate import Estimate, EstimateTable
from raters.inference.intervals import NO_INTERVAL, IntervalSpec
from raters.inference.intervals import interval as interval_of
from raters.inference.statistic import Linear, value_alone
from raters.io.any_table import Reading, Source, table, takes_tables
from raters.io.read import read
from raters.items import Items
from raters.items.align import items_by_name
from raters.items.folding import check_repeats
from raters.reliability.krr.krr import study_of, usual_k
from raters.reliability.krr.study import Study, unknowable
from raters.reliability.krr.two_systems import items_to_tell, williams
from raters.reliability.krr.vote_model.simplex import answer_shares
from raters.reliability.variance.components import one_way, one_way_terms, spearman_brown
from raters.reliability.variance.icc import check_numbers
from raters.reliability.variance.reml import harmonic_k

Array = NDArray[Any]
Scores = Mapping[str, Mapping[Any, Any]]


@dataclass(frozen=True)
class Beside:
    """The items that people labelled and every system answered."""

    items: Items
    answers: Mapping[str, Array]
    """For each system, (item,): numbers, or codes of labels (-1 for a label that is not on the scale)."""
    left_out: int
    """Items that people labelled but some system did not answer."""

    @property
    def warnings(self) -> tuple[str, ...]:
        n = len(self.items.weight)
        return (f"on the {n:,} of {n + self.left_out:,} items that have an answer",) if self.left_out else ()


def scores_of(given: Any) -> Scores:
    """Systems by name: a mapping of mappings, a table with a rater for each system, or a file with a column for
    each.
    """
    if isinstance(given, Mapping):
        if not all(isinstance(one, Mapping) for one in given.values()):
            raise UsageError("systems= takes name -> {item: score}, a table of item, system and score, or a file.")
        return given
    ann = given if isinstance(given, Annotations) else _read(given)
    names, items = items_by_name(ann, "rater")
    found: dict[str, dict[Any, Any]] = {str(g): {} for g in items.groups}
    counts = items.counts.tocoo()
    for row, column in zip(counts.row.tolist(), counts.col.tolist(), strict=True):
        found[str(items.groups[column // items.width])][names[row]] = items.labels[column % items.width]
    return found


def _read(given: str | PathLike[str]) -> Annotations:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the scale of scores does not matter
        return read(given, layout="wide")


def beside(ann: Annotations, systems: Scores, numbers: bool) -> Beside:
    """Align systems with the items of a table; items match by name, or by its text."""
    check_repeats(ann, None, None)
    names, items = items_by_name(ann)
    by_text = {str(name): i for i, name in enumerate(names)}
    code = {str(label): k for k, label in enumerate(ann.labels)}
    answers = {}
    for system, said in systems.items():
        column = np.full(len(names), np.nan)
        for item, answer in said.items():
            at = by_text.get(str(item))
            if at is not None and answer is not None:
                column[at] = _number(system, item, answer) if numbers else code.get(str(answer), -1)
        answers[str(system)] = column
        if np.isnan(column).all():
            few = listed([str(x) for x in list(said)[:3]])
            raise DataError(
                f"{system} answers no item of {ann.source}: its items are like {few}, those of the table like"
                f" {listed(list(by_text)[:3])}."
            )
    there = ~np.isnan(np.stack(list(answers.values()))).any(0) if answers else np.ones(len(names), bool)
    if there.sum() < 4:
        raise DataError(
            f"{int(there.sum())} items have labels and an answer from every system; at least four are needed."
        )
    kept = np.flatnonzero(there)
    return Beside(items.where(kept), {s: a[kept] for s, a in answers.items()}, len(names) - len(kept))


def _number(system: Any, item: Any, answer: Any) -> float:
    try:
        return float(answer)
    except (TypeError, ValueError):
        raise DataError(f"the score {brief(answer)} of {system} for item {brief(item)} is not a number.") from None


def vote_rows(study: Study, k: int | None, systems: Scores, spec: IntervalSpec | None, power: float) -> list[Estimate]:
    """The ceiling of accuracy under the vote model, each system's accuracy against the observed votes, and their
    differences.
    """
    if study.agg.shares is None:
        raise UsageError(f"a ceiling applies to means and votes; {study.agg.name} is neither.")
    k = usual_k(study, None) if k is None else k
    rows = _ceiling(study, k, spec.level if spec else 0.95)
    if not systems:
        return rows
    there = beside(study.ann, systems, numbers=False)
    counts = there.items.merged().counts.toarray()
    vote = study.agg.shares(counts, study.agg.ties)
    right = {}
    for name, code in there.answers.items():
        one = np.zeros_like(vote)
        at = np.flatnonzero(code >= 0)
        one[at, code[at].astype(int)] = 1
        right[name] = (one * vote).sum(1)
        title = f"accuracy of {name} against the {study.agg.name} of the available labels (a tie counts by its share)"
        rows.append(_mean(name, title, right[name], spec, there.warnings))
    for a, b in combinations(right, 2):
        gap = right[a] - right[b]
        e = _mean(f"{a} - {b}", f"{a} minus {b}", gap, spec, ())
        rows += [e, _needed(a, b, gap, spec.level if spec else 0.95, power)]
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
            Estimate(name, math.nan, title=name, warnings=(why,), **common)
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
    said: tuple[str, ...] = ("by the vote model (kRR's method model); the limits are the range of what the data allow",)
    details = {"k": k, "expected": chance}
    kappa = (accuracy - chance) / (1 - chance) if chance < 1 else math.nan
    limits: dict[str, Any] = {"low": low, "high": high, "interval": mixture.limits, "level": level}
    return [
        Estimate(
            "highest accuracy",
            accuracy,
            title=f"highest accuracy of any system against {what}",
            warnings=said,
            details=details,
            **common,
            **limits,
        ),
        Estimate(
            "highest kappa",
            kappa,
            title=f"the same, corrected for chance (Cohen's kappa with {what})",
            warnings=said,
            details=details,
            **common,
        ),
    ]


def _mean(name: str, title: str, x: Array, spec: IntervalSpec | None, said: tuple[str, ...]) -> Estimate:
    terms = np.stack([np.ones_like(x), x], -1)
    stat = Linear(np.ones(len(x)), terms, lambda sums: value_alone(sums[..., 1] / sums[..., 0]))
    value = float(x.mean())
    found = NO_INTERVAL if spec is None else interval_of(stat, value, spec)
    details: dict[str, Any] = {}
    if "less" in title and np.isfinite(found.se) and found.se > 0:
        details = {"z": value / found.se, "p": float(2 * special.ndtr(-abs(value / found.se)))}
        shown = "differ" if found.low > 0 or found.high < 0 else "are not shown to differ"
        title += f": the systems {shown} (items resampled)"
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
        warnings=(*said, *found.warnings),
        details=details,
    )


def _needed(a: str, b: str, gap: Array, level: float, power: float) -> Estimate:
    both = float(special.ndtri((1 + level) / 2) + special.ndtri(power))
    needed = math.ceil((both * gap.std(ddof=1) / gap.mean()) ** 2) if gap.mean() else math.nan
    said = () if gap.mean() else ("the two accuracies are equal: no number of items can distinguish them",)
    title = f"items to tell {a} from {b} with power {power:.0%}, if they differ as they do here"
    return Estimate(
        f"items to tell {a} from {b}",
        float(needed),
        n_items=len(gap),
        title=title,
        warnings=said,
        details={"counts": True},
    )


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

    **Numbers.** An aggregate with reliability :math:`\rho` has a correlation of :math:`\sqrt\rho` with what it
    measures, and no system can exceed that. A system with correlation r has a correlation of :math:`r / \sqrt\rho` with
    the truth. **Labels.** The best label of an item agrees with a new vote of k as often as the vote gives its most
    frequent outcome.

    ``systems``: name -> {item: score}, a table of item, system and score, or a file with a column for each system. Each
    pair is compared (by Williams' t; for labels, by a bootstrap of items), with the number of items needed to
    distinguish them with the given ``power``. ``k``: labels per aggregate; by default the number of labels per item.

    From published figures: ``reliability`` of the aggregate, ``systems={"A": .62, "B": .58}`` their correlations with
    it, ``between`` their correlation with each other, ``items``.

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
    """Items as sums: the terms of their means, their noise and the systems, so that every figure is a function of
    weights.
    """

    weight: Array
    terms: Array
    """(item, sum): those of the one-way analysis, then 1, m, m^2, then for each system s, s^2, s m, and products of two
    systems.
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
            **{**more, "warnings": (*more.get("warnings", ()), *found.warnings)},
        )


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
        s.estimate(
            "highest correlation",
            f"highest correlation of any system with {what}",
            lambda x: _root(s.reliability(x)),
            spec,
        ),
    ]
    if not np.isfinite(rows[1].value):
        why = (
            "the reliability is not above 0: items cannot be distinguished by their means, so the ceiling is undefined"
        )
        rows[1] = Estimate(rows[1].name, math.nan, n_items=rows[1].n_items, title=rows[1].title, warnings=(why,))
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
        _needed_ceilings(a, b, details, len(s.weight)),
    ]


def _verdict(details: Mapping[str, Any], level: float) -> str:
    differ = details["p"] < 1 - level
    return (
        f"the systems {'differ' if differ else 'are not shown to differ'} (Williams' t = {details['t']:.2f}, df"
        f" {details['df']}, p {_p(details['p'])})"
    )


def _p(p: float) -> str:
    return "< .001" if p < 0.001 else f"= {p:.3f}"


def _needed_ceilings(a: str, b: str, details: Mapping[str, Any], n: int) -> Estimate:
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
        Estimate(
            "highest correlation",
            math.sqrt(rho),
            title="highest correlation of any system with the aggregate",
            warnings=(KNOWN,),
            **common,
        ),
    ]
    for name, r in systems.items():
        if not isinstance(r, (int, float)) or not -1 <= r <= 1:
            raise UsageError(
                f"systems={{{name!r}: {r!r}}} is not a correlation; with reliability=, systems= takes published"
                " correlations."
            )
        over = (
            ("above the ceiling: the reliability is understated, or the system shares the raters' errors",)
            if abs(r) > math.sqrt(rho)
            else ()
        )
        rows.append(Estimate(name, float(r), title=f"correlation of {name} with the aggregate, as published", **common))
        rows.append(
            Estimate(
                f"{name} with the truth",
                r / math.sqrt(rho),
                title=f"correlation of {name} with what the aggregate measures (disattenuated)",
                warnings=(KNOWN, *over),
                **common,
            )
        )
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
            rows.append(_needed_ceilings(a, b, details, n or 0))
    return rows
