"""Evaluate a system against the crowd's distribution, beside what the number of labels allows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import counted
from raters.errors import UsageError
from raters.estimate import Estimate, EstimateTable
from raters.inference.family import Derived, Family, together
from raters.inference.intervals import NO_INTERVAL, Interval, IntervalSpec
from raters.inference.statistic import Linear, Statistic, value_alone
from raters.notes.note import Note, in_json
from raters.reliability.soft.floors import Crowd, crowd
from raters.reliability.soft.predictions import Predictions, answers_of, predictions
from raters.reliability.soft.scores import SCORES, WHOLE, Whole, brier, entropy, manhattan, split_half
from raters.reliability.soft.soft_labels import SoftLabels, completed, spelled, steps_of

Array = NDArray[Any]
FEW = 5
"""With fewer labels than this, some scores are kind to overconfident systems, and most floors are rough."""
UNANIMOUS = 0.8
"""If more of the items are unanimous, too few labels differ to say how far from unanimous the crowd is."""
ANY = (-np.inf, np.inf)


@dataclass(frozen=True, repr=False)
class Evaluation(EstimateTable):
    """Scores of a system. Each row's ``details`` have the ``floor`` that K labels set and what ``another`` K raters score.

    ``brier_excess`` estimates without bias how far the probabilities are from the crowd's: what is left to gain.
    """

    k: tuple[int, float, int] = (0, 0.0, 0)
    """Labels of an item: fewest, median, most."""
    labels: tuple[Any, ...] = ()
    differences: EstimateTable | None = None
    """The first system's score minus that of ``against``, on the same items."""
    notes: tuple[Note, ...] = ()

    @property
    def sentence(self) -> str:
        """The answer: how much of the Brier score is left to gain."""
        total, excess = self["brier"], self["brier_excess"]
        if self.differences is not None:
            d = self.differences["brier"]
            clear = math.isfinite(d.low) and not d.low <= 0 <= d.high
            which = (
                f"the {'first' if d.value < 0 else 'second'} system is closer to the crowd"
                if clear
                else "neither system is shown to be closer to the crowd"
            )
            return f"By the Brier score, {which}: first minus second {_limits(d, '+')}."
        if not math.isfinite(excess.value):
            return f"The Brier score is {total.value:.3f}; what is left to gain is unknown, because every item has one label."
        of, noise, n = (excess.details[name] for name in ("brier", "noise", "items"))
        left = f"of {of:.3f}, {noise:.3f} is the noise of {self.k[1]:g} labels an item"
        if self.k[0] < 2:
            left = f"on the {counted(n, 'item')} with two or more labels, {noise:.3f} of {of:.3f} is noise"
        if math.isfinite(excess.low) and not excess.low > 0:
            return f"By the Brier score, nothing is shown to be left to gain: {left}, and {_limits(excess)} the system's error."
        return f"By the Brier score, {_limits(excess)} is left to gain: {left}."

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {
            "sentence": self.sentence,
            "labels_per_item": dict(zip(("least", "median", "most"), self.k, strict=True)),
            "differences": self.differences and self.differences.to_dict()["estimates"],
            **in_json(self.notes),
        }

    def __str__(self) -> str:
        wide = max(len(e.title) for e in self)
        lines = [
            *wrap(self.sentence, WIDTH),
            "",
            f"{'':<{wide}}   value  95% interval     floor  others".replace("95%", f"{self[0].level:.0%}"),
        ]
        for e in self:
            own, other = (e.details.get(name, math.nan) for name in ("floor", "another"))
            low = between(e)
            lines.append(
                f"{e.title:<{wide}}  {_short(e.value):>6}  {low:<15}  {_short(own):>5}  {_short(other):>6}".rstrip()
            )
        if self.differences is not None:
            lines += ["", "first minus second (below 0: the first is closer)"]
            lines += [f"{d.title:<{wide}}  {_limits(d, '+')}" for d in self.differences]
        return "\n".join([*lines, *labelled("Why", self.notes)])


WIDTH = 80


def labelled(name: str, notes: Iterable[Any]) -> list[str]:
    """Notes below a table, in lines that begin with a word such as Why.

    >>> labelled("Why", ["few labels"])
    ['', 'Why   few labels.']
    """
    lines = [x for n in notes for x in wrap(f"{n}.", WIDTH - 6)]
    return ["", *(f"{name if not i else '':<6}{line}" for i, line in enumerate(lines))] if lines else []


def between(e: Estimate) -> str:
    """The interval of an estimate."""
    return f"{_short(e.low)} to {_short(e.high)}" if math.isfinite(e.low) else "-"


def _short(x: float) -> str:
    return "inf" if math.isinf(x) else "-" if math.isnan(x) else f"{x:z.3f}"


def _limits(e: Estimate, sign: str = "") -> str:
    shown = f"{e.value:{sign}.3f}"
    return f"{shown} ({e.low:{sign}.3f} to {e.high:{sign}.3f})" if math.isfinite(e.low) else shown


def evaluate_crowd(
    answers: Mapping[Any, Any],
    soft: SoftLabels,
    against: Any,
    clip: float | None,
    spec: IntervalSpec | None,
    level: float,
    seed: int,
) -> Evaluation:
    """Scores of one system, or of two on the same items."""
    if clip is not None and not 0 <= clip < 0.5:
        raise UsageError(f"clip={clip} is not between 0 and 0.5; LeWiDi 2023 uses 1e-12.")
    second = [] if against is None else [answers_of(against, soft.labels)]
    given = [predictions(system, soft) for system in (answers, *second)]
    if len(given) > 1:
        given = _on_the_same(given)
    labels = tuple(completed(given[0].labels, given[-1].labels))
    at = given[0].at
    k = soft.k[at]
    tables = _padded(soft.tables()[at], soft.labels, labels)
    s = tables / k[:, None, None]
    sheets = [_Sheet(s, _padded(g.q, g.labels, labels), k, _steps(soft, labels), clip) for g in given]
    rows = _estimates(sheets[0], sheets[0].stats(), spec, level)
    floors = crowd(tables, k, seed)
    rows = [_beside(row, sheets[0], floors, tables, seed) for row in rows]
    differences = None
    if len(sheets) > 1:
        both = [sheet.stats() for sheet in sheets]
        pairs: dict[str, Statistic] = {
            n: Derived((a, both[1][n]), np.subtract) for n, a in both[0].items() if n in DIFFER
        }
        differences = EstimateTable(tuple(_estimates(sheets[0], pairs, spec, level)), of="score")
    sizes = (int(k.min()), float(np.median(k)), int(k.max()))
    notes = tuple(_notes(soft, given[0], sheets, sizes, clip))
    return Evaluation(tuple(rows), of="score", k=sizes, labels=labels, differences=differences, notes=notes)


def _on_the_same(given: Sequence[Predictions]) -> list[Predictions]:
    """Two systems on the items that both have, in one order."""
    shared, first, second = np.intersect1d(given[0].at, given[1].at, return_indices=True)
    if not len(shared):
        raise UsageError("the two systems share no item of the labels.")
    return [replace(g, at=shared, q=g.q[i]) for g, i in zip(given, (first, second), strict=True)]


def _padded(x: Array, own: Sequence[Any], labels: Sequence[Any]) -> Array:
    """(item, question, label) with columns for labels that only another side has."""
    if len(own) == len(labels) or x.shape[1] > 1:  # of sets, each label is a question of two answers
        return x
    made = np.zeros((*x.shape[:-1], len(labels)))
    place = {spelled(label): i for i, label in enumerate(labels)}
    made[..., [place[spelled(label)] for label in own]] = x
    return made


def _steps(soft: SoftLabels, labels: Sequence[Any]) -> Array | None:
    return steps_of(labels) if soft.ordered and not soft.sets and len(labels) > 2 else None


@dataclass(frozen=True)
class _Sheet:
    """The scores of each item, and the statistics made from them."""

    s: Array
    q: Array
    k: Array
    steps: Array | None
    clip: float | None
    each: dict[str, Array] = field(default_factory=dict)

    def score(self, name: str) -> Array:
        """(item,): the mean over questions."""
        if name not in self.each:
            row = SCORES[name]
            q = self.q if self.clip is None or row.another is not None else np.clip(self.q, self.clip, 1 - self.clip)
            more = (self.steps,) if row.cumulated else ()
            self.each[name] = row.each(self.s, q, *more).mean(1)
        return self.each[name]

    def stats(self) -> dict[str, Statistic]:
        """The statistics by name, of weights of items."""
        n = len(self.k)
        names = [name for name, row in SCORES.items() if self.steps is not None or not row.cumulated]
        floor = (1 - (self.s**2).sum(-1)).mean(1) / np.maximum(self.k - 1, 1)
        several = (self.k >= 2).astype(float)
        margin = brier(self.s, self.s.mean(0)).mean(1)
        terms = np.stack([np.ones(n), several, several * (self.score("brier") - floor), several * (margin - floor),
                          *(np.where(np.isfinite(self.score(x)), self.score(x), np.nan) for x in names)], -1)  # fmt: skip
        finite = np.nan_to_num(terms)

        def mean(top: int, bottom: int, lost: bool = False) -> Statistic:
            def function(flat: Array) -> Any:
                under = np.where(flat[:, bottom].real > 0, flat[:, bottom], np.nan)
                with np.errstate(invalid="ignore"):
                    return value_alone(np.where(lost, np.inf, flat[:, top] / under))

            return Linear(np.ones(n), finite, function)

        found = {x: mean(4 + i, 0, bool(np.isnan(terms[:, 4 + i]).any())) for i, x in enumerate(names)}
        found |= {"brier_excess": mean(2, 1), "left_to_gain": mean(2, 3)}
        found |= {x: _of_table(row, self.s, self.q) for x, row in WHOLE.items()}
        return {name: found[name] for name in ORDER if name in found}


def _of_table(row: Whole, s: Array, q: Array) -> Statistic:
    return Linear(np.ones(len(s)), row.terms(s, q), lambda flat: value_alone(row.value(flat)))


ORDER = ("brier", "brier_excess", "left_to_gain", *(n for n in SCORES if n != "brier"), *WHOLE)
DIFFER = (*SCORES, *WHOLE)
WHY = {"brier_excess": "soft_one_label", "left_to_gain": "nothing_to_gain", "entropy_correlation": "entropies_alike"}
"""The reason for a figure that is undefined."""
TITLES = {
    **{name: row.title for name, row in SCORES.items()},
    **{name: row.title for name, row in WHOLE.items()},
    "brier_excess": "left to gain (Brier)",
    "left_to_gain": "the same, as a share",
}


def _estimates(sheet: _Sheet, stats: dict[str, Statistic], spec: IntervalSpec | None, level: float) -> list[Estimate]:
    family = Family(list(stats.values()))
    values = family.values(np.ones((1, len(sheet.k))))[:, 0]
    found = [NO_INTERVAL] * len(stats) if spec is None else _intervals(stats, family, values, spec)
    return [
        Estimate(
            name,
            float(value),
            limits.low,
            limits.high,
            limits.se,
            level,
            limits.method or None,
            n_items=len(sheet.k),
            n_annotations=int(sheet.k.sum()),
            notes=(Note(WHY[name]),) if math.isnan(value) else () if math.isinf(value) else limits.notes,
            coefficient=name,
            title=TITLES[name],
        )
        for name, value, limits in zip(stats, values, found, strict=True)
    ]


def _intervals(stats: dict[str, Statistic], family: Family, values: Array, spec: IntervalSpec) -> list[Interval]:
    """Intervals over items from the same replicates. The excess has Student's t by default: it covers as stated."""
    ranges = [ANY] * len(values)
    found = together(family, values, spec, ranges)
    if spec.method != "auto" or "brier_excess" not in stats:
        return found
    by_t = together(family, values, replace(spec, method="delta"), ranges)
    return [t if name == "brier_excess" else f for name, t, f in zip(stats, by_t, found, strict=True)]


def _beside(row: Estimate, sheet: _Sheet, floors: Crowd, tables: Array, seed: int) -> Estimate:
    """The row with its floor, and with what other raters score."""
    name = row.name
    if name == "brier" and (sheet.k >= 2).all():  # without bias, and without the model
        floor = float(((1 - (sheet.s**2).sum(-1)).mean(1) / (sheet.k - 1)).mean())
        own = (floor, 2 * floor)
    elif name in SCORES:
        steps = 1.0 if sheet.steps is None else sheet.steps
        own = (floors.expected(SCORES[name], steps), floors.expected(SCORES[name], steps, True))
    else:
        own = floors.simulated(WHOLE[name], seed) if name in WHOLE else (math.nan, math.nan)
    details: dict[str, Any] = {} if math.isnan(own[0]) else {"floor": own[0], "another": own[1]}
    if name == "manhattan":
        details["soft_accuracy"] = 1 - row.value / 2
    if name in HALVED:
        details["split_half"] = _halves(tables, HALVED[name])
    if name == "brier_excess" and (several := sheet.k > 1).any():
        of = float(sheet.score("brier")[several].mean())
        details |= {"brier": of, "noise": of - row.value, "items": int(several.sum())}
    if name == "cross_entropy":
        details["entropy_of_shares"] = float(entropy(sheet.s).mean())
    return replace(row, details=details)


HALVED = {"brier": brier, "manhattan": manhattan}


def _halves(tables: Array, score: Callable[[Array, Array], Array]) -> float:
    """The mean score between disjoint halves of each item's labels."""
    rows, n = np.unique(np.sort(tables.reshape(-1, tables.shape[-1]), -1), axis=0, return_counts=True)
    if len(rows) > MOST_HALVED:
        return math.nan
    each = np.array([split_half(row, int(row.sum()) // 2, score) for row in rows])
    there = np.isfinite(each)
    return float(each[there] @ n[there] / n[there].sum()) if there.any() else math.nan


MOST_HALVED = 500
"""With more different patterns of counts, halves are not split."""


def _notes(
    soft: SoftLabels, given: Predictions, sheets: Sequence[_Sheet], k: tuple[int, float, int], clip: float | None
) -> list[Note]:
    """What has to be said of the items, of few labels, and of probabilities of 0."""
    said = []
    lost = len(soft.items) - len(given.at)
    if lost or given.only_system:
        said.append(Note("soft_items_apart", {"labels": lost, "system": given.only_system, "n": len(given.at)}))
    zero = int(((sheets[0].q == 0) & (sheets[0].s > 0)).any((1, 2)).sum())
    if zero and not clip:
        said.append(Note("soft_infinite", {"n": zero, "of": len(given.at)}))
    if k[2] < 2:
        return [*said, Note("soft_one_label")]
    alike = float((sheets[0].s.max(-1) > 1 - 1e-9).all(1).mean())
    if alike > UNANIMOUS:
        said.append(Note("soft_unanimous", {"share": alike}))
    if k[1] < FEW:
        steps = sheets[0].steps is not None
        kind = [row.title for row in SCORES.values() if row.kind_to_confidence and (steps or not row.cumulated)]
        said.append(Note("soft_few_labels", {"k": k[1], "scores": ", ".join(kind)}))
    return said
