"""Several judges: how many independent ones they amount to, and the same measure for people."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.estimate import Estimate, jsonable, shown
from raters.inference.intervals import IntervalSpec
from raters.judges import shared_errors as errors
from raters.judges.panels import Panel, panel
from raters.judges.people_and_judges import Sides
from raters.judges.resampled_sums import Terms, estimate, replicated
from raters.judges.tempering import Tempered, tempered

Array = NDArray[Any]
RARE = 0.005
"""Labels with a smaller share of people's annotations are excluded from the corrected figure."""
PAIR = 100
"""Least number of items on which two people are compared with the consensus of the others."""
MOST_COLUMNS = 20_000
MOST_PAIRS = 60


@dataclass(frozen=True)
class Several:
    """How far judges make the same errors."""

    judges: tuple[str, ...]
    correlations: tuple[tuple[float, ...], ...]
    """(judge, judge): correlations of errors relative to people's consensus, within its classes."""
    p: Mapping[str, float]
    """"a, b" -> p-value for two judges making the same errors no more than by chance, adjusted over pairs (Holm)."""
    mean_correlation: Estimate
    effective_number: Estimate
    """k / (1 + (k - 1) r), relative to the consensus of people, which errs too."""
    corrected_correlation: float
    corrected_number: float
    """The same corrected for the noise of people's consensus."""
    best_weights: float
    people_correlation: Estimate
    """Correlation of the errors of two people, relative to the consensus of the others."""
    judges_correlation: Estimate
    """Correlation of the judges' errors, relative to the same reference."""
    excess: Estimate
    """Judges minus people: only this is dependence between models."""
    families: Mapping[str, float]
    tempered: Tempered | None
    panel: Panel | None
    n_items: int
    tied: int
    notes: tuple[str, ...] = ()

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        return (
            self.mean_correlation,
            self.effective_number,
            self.people_correlation,
            self.judges_correlation,
            self.excess,
        )

    @property
    def sentence(self) -> str:
        k = len(self.judges)
        if not math.isfinite(self.effective_number.value):
            return f"How far the {k} judges make the same errors is unknown: {self.effective_number.warnings[-1]}."
        text = f"The {k} judges amount to about {shown(self.effective_number.value, 1)} independent ones, measured against people's consensus"
        if math.isfinite(self.corrected_number):
            text += f", {shown(self.corrected_number, 1)} after correcting for errors in the consensus itself"
        text += "."
        e = self.excess
        if math.isfinite(e.value):
            people, own = shown(self.people_correlation.value, 2), shown(self.judges_correlation.value, 2)
            limits = f" [{shown(e.low, 2)}, {shown(e.high, 2)}]" if math.isfinite(e.low) else ""
            more = "more than" if e.low > 0 else "no more than" if e.high <= 0 or e.low <= 0 else "as"
            text += f" Their errors correlate {own} where those of people correlate {people} (excess {e.value:+.2f}{limits}): models make the same errors {more} people do."
        if self.tempered is not None and self.tempered.overconfident:
            t = self.tempered
            text += f" Pooled as if independent, they are overconfident (log loss {shown(t.log_loss, 2)}); tempered by eta {shown(t.eta, 2)} it is {shown(t.log_loss_tempered, 2)}."
        return text + (f" {self.panel.sentence}" if self.panel is not None else "")

    def to_dict(self) -> dict[str, Any]:
        plain = (
            "judges",
            "correlations",
            "p",
            "corrected_correlation",
            "corrected_number",
            "best_weights",
            "families",
            "n_items",
            "tied",
            "notes",
            "sentence",
        )
        return {
            **{name: jsonable(getattr(self, name)) for name in plain},
            "estimates": [e.to_dict() for e in self.estimates],
            "tempered": self.tempered and self.tempered.to_dict(),
            "panel": self.panel and self.panel.to_dict(),
        }


def several(
    s: Sides, spec: IntervalSpec, resamples: int, families: Mapping[str, str] | None = None, panel_size: int = 3
) -> Several | None:
    """Several judges of the same items; None for one judge."""
    if len(s.judges) < 2:
        return None
    everyone = np.asarray((s.said >= 0).all(1))
    rows, tied, made = _numbers(s, everyone) if s.numbers else _labels(s, everyone)
    j = len(s.judges)
    terms = Terms(len(rows))
    k = int(made["classes"].max(initial=0)) + 1
    terms.add(errors.error_terms(made["errors"], made["classes"], k))

    def figures(flat: Array) -> Array:
        mean = errors.mean_correlation(errors.correlations(errors.within_classes(flat, k, j)))
        return np.array([mean, errors.effective_number(mean, j)])

    point, draws = replicated(terms, figures, resamples, spec.seed)
    why = (
        "no judge differs from people's consensus on any item"
        if len(rows)
        else "no item has a consensus of people and a label of every judge"
    )
    facts: Any = {"n_items": len(rows), "n_raters": j}
    r = errors.correlations(errors.within_classes(terms.sums(), k, j)[0])
    pairs = list(combinations(range(j), 2))
    p = (
        errors.holm(errors.pair_p_values(made["errors"], made["classes"], k))
        if not s.numbers and len(rows)
        else np.zeros(0)
    )
    corrected = (
        float(errors.mean_correlation(errors.correlations(made["covariance"])))
        if made["covariance"] is not None
        else math.nan
    )
    yardstick = _yardstick(s, everyone, spec, resamples)
    return Several(
        s.judges, tuple(map(tuple, r.tolist())), {f"{s.judges[a]}, {s.judges[b]}": float(x) for (a, b), x in zip(pairs, p, strict=False)},
        estimate("error_correlation", point[0], draws[0], spec, why, coefficient="error_correlation", title="correlation of judges' errors", **facts),
        estimate("effective_judges", point[1], draws[1], spec, why, coefficient="effective_judges", title="effective number of judges", **facts),
        corrected, float(errors.effective_number(np.array(corrected), j)) if math.isfinite(corrected) else math.nan, errors.best_weights(r),
        *yardstick, _families(s, r, families),
        None if s.numbers or len(s.labels) > errors.MOST_CLASSES else tempered(s.said[rows], made["classes"], len(s.labels), spec.seed),
        panel(s, panel_size, spec.seed), len(rows), tied,
    )  # fmt: skip


def _labels(s: Sides, everyone: Array) -> tuple[Array, int, dict[str, Any]]:
    truth = s.consensus
    rows = np.flatnonzero((truth >= 0) & everyone)
    tied = int(((truth < 0) & everyone & (s.given >= 0).any(1)).sum())
    made = {"errors": (s.said[rows] != truth[rows, None]).astype(float), "classes": truth[rows], "covariance": None}
    used = np.asarray(s.counts.sum(0)).ravel()
    common = np.flatnonzero(used / max(used.sum(), 1) >= RARE)
    if 2 <= len(common) <= 12 and len(s.people) >= 2 and len(common) ** 3 * len(s.judges) ** 2 < 2_000_000:
        made["covariance"] = _corrected(s, rows, common)
    return rows, tied, made


def _corrected(s: Sides, rows: Array, common: Array) -> Array | None:
    """(judge, judge): covariances of errors within classes of the truth, corrected for errors of the consensus."""
    code = np.full(len(s.labels), -1)
    code[common] = np.arange(len(common))
    kept = rows[
        (code[s.consensus[rows]] >= 0)
        & (code[s.said[rows]] >= 0).all(1)
        & (np.asarray(s.counts.sum(1)).ravel()[rows] >= 1)
    ]
    accuracy = errors.person_accuracy(s, common)
    people = np.asarray(s.counts.sum(1)).ravel()[kept].astype(int)
    delta = errors.consensus_error(accuracy, len(common), people) if len(kept) else math.nan
    k, j = len(common), len(s.judges)
    if not math.isfinite(delta) or delta >= (k - 1) / k - 0.05:
        return None
    table = errors.label_terms(code[s.said[kept]], code[s.consensus[kept]], k)
    return np.asarray(errors.deconvolved(table.reshape(1, -1), k, j, delta)[0])


def _numbers(s: Sides, everyone: Array) -> tuple[Array, int, dict[str, Any]]:
    n = np.asarray(s.counts.sum(1)).ravel()
    rows = np.flatnonzero((n > 0) & everyone)
    own = s.values[s.said[rows]] - ((s.counts @ s.values)[rows] / n[rows])[:, None]
    noise = errors.noise_of_means(s, rows)
    covariance = errors.numeric_covariance(own, noise) if math.isfinite(noise) and len(rows) > 2 else None
    return rows, 0, {"errors": own, "classes": np.zeros(len(rows), int), "covariance": covariance}


def _yardstick(s: Sides, everyone: Array, spec: IntervalSpec, resamples: int) -> tuple[Estimate, Estimate, Estimate]:
    """Correlations of two people's errors relative to the consensus of the others, of the judges' errors relative to the same, and the difference."""
    j, k = len(s.judges), len(s.labels)
    terms, blocks = Terms(len(s.items)), []
    pairs = _pairs_of_people(s, everyone)
    least = min(PAIR, max((len(rows) for *_, rows in pairs), default=0))
    for a, b, truth, rows in pairs:
        width = k * (1 + (j + 2) + (j + 2) ** 2)
        if len(rows) < max(least, 2) or width > MOST_COLUMNS:
            continue
        off = (np.concatenate([s.given[rows][:, [a, b]], s.said[rows]], 1) != truth[rows, None]).astype(float)
        blocks.append((terms.add(errors.error_terms(off, truth[rows], k, rows, len(s.items))), len(rows)))

    def figures(flat: Array) -> Array:
        total = np.zeros((3, len(flat)))
        for at, n in blocks:
            r = errors.correlations(errors.within_classes(flat[:, at], k, j + 2))
            people, judges = r[:, 0, 1], errors.mean_correlation(r[:, 2:, 2:])
            there = np.isfinite(people) & np.isfinite(judges)
            total += np.where(there, np.array([n * people, n * judges, np.full(len(flat), n)]), 0)
        people, judges = total[0] / total[2], total[1] / total[2]
        return np.array([people, judges, judges - people])

    names = ("people_error_correlation", "judges_error_correlation", "excess_correlation")
    titles = ("correlation of people's errors", "correlation of judges' errors, same reference", "judges minus people")
    if not blocks or s.numbers:
        why = "at least three people with labels on the same items are needed"
        return tuple(
            Estimate(n, math.nan, level=spec.level, warnings=(why,), title=t)
            for n, t in zip(names, titles, strict=True)
        )  # type: ignore[return-value]
    point, draws = replicated(terms, figures, resamples, spec.seed)
    return tuple(  # type: ignore[return-value]
        estimate(
            n,
            point[i],
            draws[i],
            spec,
            "people make almost no errors, so the correlation of their errors is undefined",
            coefficient=n,
            title=t,
            n_raters=len(blocks),
        )
        for i, (n, t) in enumerate(zip(names, titles, strict=True))
    )


def _pairs_of_people(s: Sides, everyone: Array) -> list[tuple[int, int, Array, Array]]:
    """Pairs of people, the consensus of the others, and the items that have it; the 60 pairs with the most items."""
    has = ((s.given >= 0) & everyone[:, None] & ((s.given >= 0).sum(1) >= 3)[:, None]).astype(np.int64)
    shared = has.T @ has
    pairs = [(a, b) for a, b in combinations(range(len(s.people)), 2) if shared[a, b] > 1]
    found = []
    for a, b in sorted(pairs, key=lambda p: -shared[p])[:MOST_PAIRS]:
        truth = errors.others_consensus(s, (a, b))
        found.append((a, b, truth, np.flatnonzero((truth >= 0) & (s.given[:, [a, b]] >= 0).all(1) & everyone)))
    return found


def _families(s: Sides, r: Array, families: Mapping[str, str] | None) -> dict[str, float]:
    """Mean correlation within families and between them."""
    if not families:
        return {}
    of = [families.get(name, name) for name in s.judges]
    within = [r[a, b] for a, b in combinations(range(len(of)), 2) if of[a] == of[b]]
    between = [r[a, b] for a, b in combinations(range(len(of)), 2) if of[a] != of[b]]
    return {
        "within": float(np.mean(within)) if within else math.nan,
        "between": float(np.mean(between)) if between else math.nan,
    }
