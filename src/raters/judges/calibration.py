"""Items with a human and a judge label, and items with only a judge label: the data of a calibration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.annotations import Annotations
from raters.charts.points import intervals
from raters.errors import DataError, UsageError, listed
from raters.estimate import SCHEMA, Estimate, EstimateTable, Result, Told, jsonable, shown
from raters.items.align import align, unified
from raters.judges.people_and_judges import codes, numbers_apart, rows_of, values
from raters.notes.note import Note, in_json

Array = NDArray[Any]
REFUSALS = ("refus", "unpars", "error", "invalid", "n/a", "none", "null", "fail", "abstain", "skip")
"""Prefixes of labels that mean "no verdict"; used only if people's own labels do not show which labels are classes."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """Units (items, or outputs of systems) with the labels of people and of the judge."""

    names: tuple[Any, ...]
    systems: tuple[str, ...]
    """(unit,): the system that produced it; "" if there are none."""
    items: tuple[str, ...]
    human: Array
    """(unit, class): people's shares of the classes; a row of zeros if nobody labelled it. Ties are split."""
    y: Array
    """(unit,): the mean of people's labels as numbers; nan if there are none."""
    judge: Array
    """(unit,): code of the judge's label, -1 if there is none."""
    f: Array
    """(unit,): the judge's label as a number; nan if it is not one."""
    classes: tuple[Any, ...]
    labels: tuple[Any, ...]
    """The judge's labels: the classes, then those that only the judge uses."""
    numbers: Array
    """(class,): the classes as numbers."""
    weight: Array
    """(unit,): how many items each represents."""
    refused: int = 0
    """Verdicts that are not numbers, on a numeric scale."""

    @property
    def both(self) -> Array:
        return np.asarray((self.human.sum(1) > 0) & (self.judge >= 0))

    @property
    def judged(self) -> Array:
        """(unit,): whether only the judge labelled it."""
        return np.asarray((self.human.sum(1) == 0) & (self.judge >= 0))

    def where(self, at: Array) -> Labelled:
        pick = np.flatnonzero(at)
        names, systems, items = (tuple(x[i] for i in pick) for x in (self.names, self.systems, self.items))
        return replace(
            self,
            names=names,
            systems=systems,
            items=items,
            human=self.human[at],
            y=self.y[at],
            judge=self.judge[at],
            f=self.f[at],
            weight=self.weight[at],
        )

    def table(self) -> Array:
        """(judge label, class): how often they co-occur, with people's ties split; weights are scaled to the effective
        number of items.
        """
        at = self.both
        out = np.zeros((len(self.labels), len(self.classes)))
        np.add.at(out, self.judge[at], self.human[at] * worth(self.weight[at])[:, None])
        return out

    def judge_counts(self) -> Array:
        """(judge label,): counts over the items without a human label."""
        at = self.judged
        return np.bincount(self.judge[at], worth(self.weight[at]), len(self.labels)).astype(float)


def worth(weight: Array) -> Array:
    """Weights scaled to sum to the effective number of equally weighted items (Kish): (sum w)^2 / sum w^2.

    >>> worth(np.array([1.0, 1.0, 2.0])).sum().round(4)
    np.float64(2.6667)
    """
    return np.asarray(weight * weight.sum() / (weight**2).sum()) if len(weight) else weight


def labelled(
    people: Any,
    model: Any,
    judge: str | None,
    system: str | None,
    classes: Sequence[Any] | None,
    score: Mapping[Any, float] | None,
) -> Labelled:
    """The two tables side by side, for one judge."""
    first, second = people, one_judge(model, judge)
    used = set(first.labels) if classes is None else set(classes)
    first, second, refused = _same_kind(first, second)
    first, second = unified([first, second])
    second = replace(second, duplicates="first") if second.repeats else second
    first = replace(first, duplicates="first") if first.repeats and first.duplicates == "error" else first
    for table in (first, second):
        if system is not None and system not in table.extras:
            raise UsageError(
                f"{table.source} has no column {system!r}; other columns are {listed(table.extras) or 'none'}."
            )
    names, (a, b) = align([first, second], by=system)
    order, n_classes = _classes(first.labels, used)
    counts = a.counts.tocsc()[:, order[:n_classes]].toarray()
    total = counts.sum(1, keepdims=True)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    said = codes(replace(b, groups=(None,)))[:, 0]
    number = values(first, first.labels) if score is None else _scored(first.labels, score)
    with np.errstate(invalid="ignore", divide="ignore"):
        y = np.where(total[:, 0] > 0, (counts @ number[order[:n_classes]]) / total[:, 0], np.nan)
        human = np.where(total > 0, counts / np.where(total > 0, total, 1), 0.0)
    parts = [name if system is not None else ("", name) for name in names]
    return Labelled(
        tuple(names),
        tuple(str(s) for s, _ in parts),
        tuple(str(i) for _, i in parts),
        human,
        y,
        np.where(said >= 0, place[said], -1),
        np.where(said >= 0, number[said], np.nan),
        tuple(first.labels[i] for i in order[:n_classes]),
        tuple(first.labels[i] for i in order),
        number[order[:n_classes]],
        np.ones(len(names)),
        refused,
    )


def one_judge(model: Annotations, judge: str | None) -> Annotations:
    """The rows of the chosen judge."""
    if judge is not None:
        return rows_of(model, [judge])
    if model.n_raters > 1:
        names = sorted(str(r) for r in model.engine.query("SELECT DISTINCT rater FROM annotations")["rater"].tolist())
        raise UsageError(f"{model.source} has {len(names)} judges ({listed(names)}); choose one: judge={names[0]!r}.")
    return model


def _same_kind(people: Annotations, model: Annotations) -> tuple[Annotations, Annotations, int]:
    model, refused = numbers_apart(people, model)
    return people, model, sum(map(len, refused.values()))


def _classes(labels: Sequence[Any], used: set[Any]) -> tuple[Array, int]:
    """The order of labels, classes first, then those that only the judge uses; and the number of classes."""
    own = [i for i, label in enumerate(labels) if label in used]
    if len(own) < 2:  # people used one label: every label that does not look like a refusal is a class
        own = [i for i, label in enumerate(labels) if not str(label).strip().lower().startswith(REFUSALS)]
    if len(own) < 2:
        raise DataError(
            f"there is only one class ({listed([labels[i] for i in own])}), so nothing can be corrected. Pass classes=."
        )
    rest = [i for i in range(len(labels)) if i not in set(own)]
    return np.array([*own, *rest]), len(own)


def _scored(labels: Sequence[Any], score: Mapping[Any, float]) -> Array:
    lost = [label for label in labels if label not in score]
    if lost:
        raise UsageError(f"score= has no number for {listed(lost)}.")
    return np.array([float(score[label]) for label in labels])


def column_of_items(tables: Sequence[Any], column: str) -> dict[str, str]:
    """item -> value of a column, from whichever table has it."""
    found: dict[str, str] = {}
    for table in tables:
        if isinstance(table, Annotations) and column in table.extras:
            got = table.engine.query(
                f"SELECT item, min(CAST({table.engine.quote(column)} AS STRING)) AS v FROM annotations GROUP BY item"
            )
            found |= {
                str(i): str(v) for i, v in zip(got["item"].tolist(), got["v"].tolist(), strict=True) if v is not None
            }
    if not found:
        raise UsageError(f"no table has a column {column!r}.")
    return found


def with_weights(data: Labelled, column: dict[str, str] | None) -> Labelled:
    """The same data with weights of items from a column."""
    if column is None:
        return data
    try:
        weight = np.array([float(column[i]) for i in data.items])
    except (KeyError, ValueError):
        bad = next(i for i in data.items if not _number(column.get(i)))
        raise DataError(f"item {bad!r} has no weight that is a number ({column.get(bad)!r}).") from None
    if not (np.isfinite(weight) & (weight > 0)).all():
        bad = data.items[int(np.flatnonzero(~(np.isfinite(weight) & (weight > 0)))[0])]
        raise DataError(f"item {bad!r} has the weight {column[bad]}; weights are numbers above 0.")
    return replace(data, weight=weight)


def _number(text: str | None) -> bool:
    try:
        float(text or "")
    except ValueError:
        return False
    return True


def stratum_weights(
    data: Labelled, groups: Mapping[str, str] | None, shares: Mapping[str, float] | None
) -> tuple[list[str], Array, Array]:
    """The names of strata, (unit,) the index of each unit's stratum, and (stratum,) its share: as known, or among all
    units.
    """
    stratum = [groups.get(i, "(none)") if groups else "" for i in data.items]
    names = sorted(set(stratum))
    place = {name: i for i, name in enumerate(names)}
    where = np.array([place[s] for s in stratum], int)
    if shares is None:
        weight = np.bincount(where, data.weight, len(names))
    else:
        lost = [s for s in names if s not in shares]
        if lost:
            raise DataError(
                f"shares= has no share for the stratum {lost[0]!r}; it needs one for each of {', '.join(names)}."
            )
        weight = np.array([float(shares[s]) for s in names])
    return names, where, weight / weight.sum()


NEVER = "no number of items labelled by people reaches this half-width; have the judge label more items"


@dataclass(frozen=True)
class LabelsNeeded(Told):
    """Human labels for an interval of value +- half-width; nan if no number of them is enough."""

    also = ("sentence",)

    half_width: float
    human_only: float
    with_judge: float
    with_judge_low: float
    """The number at the end of the correlation's interval at which the judge is better."""
    with_judge_high: float
    floor: float
    """The half-width with infinitely many human labels: to get below it, only more judged items help."""
    road: str
    of: str = ""
    """The figure that the plan is for."""
    there: float = math.inf
    """How many items there are, if people's labels must be on some of them."""

    @property
    def sentence(self) -> str:
        figure = f" for {self.of}{',' if ',' in self.of else ''}" if self.of else ""
        head = (
            f"An interval of ±{self.half_width:g}{figure} needs people's labels on {_up(self.human_only)} items without"
            " the judge"
        )
        if math.isnan(self.with_judge):
            return f"{head}; with the judge's errors alone, {NEVER} (at best ±{shown(self.floor, 3)})."
        span = (
            f" ({_up(self.with_judge_low)} to {_up(self.with_judge_high)}, given the uncertainty of the pilot about the"
            " judge's quality)"
            if math.isfinite(self.with_judge_low)
            else ""
        )
        known = [n for n in (self.human_only, self.with_judge) if n <= self.there]
        most = "" if known else f" There are {self.there:,.0f} items, so this is impossible."
        return f"{head}, and on {_up(self.with_judge)} with it{span}.{most}"


def _up(n: float) -> str:
    return "more than is possible" if not math.isfinite(n) else f"{math.ceil(n - 1e-9):,}"


def human_only(variance: float, half_width: float, level: float = 0.95) -> float:
    """Human labels without a judge: variance (z / h)^2."""
    return variance * (_z(level) / half_width) ** 2


def by_prediction(variance: float, rho2: float, judged: float, half_width: float, level: float = 0.95) -> float:
    """Human labels if a judge with squared correlation ``rho2`` labelled ``judged`` more items.

    .. math:: \\sigma^2 \\left[\\frac{1-\\rho^2}{n} + \\frac{\\rho^2}{n+N}\\right] = (h/z)^2

    >>> round(by_prediction(0.25, 0.64, 1000, 0.05), 4)
    174.8893
    """
    goal = (half_width / _z(level)) ** 2 / variance
    b = goal * judged - 1
    return float((-b + math.sqrt(b**2 + 4 * goal * (1 - rho2) * judged)) / (2 * goal))


def effective(n: float, judged: float, rho2: float) -> float:
    """How many human labels alone would be as precise: n (n + N) / (n + (1 - rho2) N)."""
    return n * (n + judged) / (n + (1 - rho2) * judged)


def by_errors(
    p: float, sensitivity: float, specificity: float, judged: float, half_width: float, level: float = 0.95
) -> float:
    """Human labels, drawn at random, from which the judge's errors are known well enough; nan if none are enough.

    >>> round(by_errors(0.5, 0.9, 0.9, 1000, 0.05), 4), by_errors(0.5, 0.7, 0.7, 1000, 0.05)
    (540.5132, nan)
    """
    j = sensitivity + specificity - 1
    q = p * sensitivity + (1 - p) * (1 - specificity)
    room = (half_width * j / _z(level)) ** 2 - q * (1 - q) / judged
    if room <= 0:
        return math.nan
    return (p * sensitivity * (1 - sensitivity) + (1 - p) * specificity * (1 - specificity)) / room


def floor_of_errors(p: float, sensitivity: float, specificity: float, judged: float, level: float = 0.95) -> float:
    """The half-width that perfect knowledge of the judge's errors would reach."""
    q = p * sensitivity + (1 - p) * (1 - specificity)
    return _z(level) * math.sqrt(q * (1 - q) / judged) / (sensitivity + specificity - 1)


def correlation_limits(r: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """Fisher's limits of a correlation from n items."""
    if n < 4 or abs(r) >= 1:
        return -1.0 if n < 4 else r, 1.0 if n < 4 else r
    reach = _z(level) / math.sqrt(n - 3)
    return math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)


def _z(level: float) -> float:
    return float(special.ndtri((1 + level) / 2))


ROADS = {
    "poststratified": (
        "poststratified by the judge's labels, which holds only if the items that people labelled were drawn at random"
    ),
    "rogan_gladen": "corrected for the judge's errors (Rogan-Gladen)",
    "prediction_powered": (
        "prediction-powered mean with tuned lambda, which holds only if the items that people labelled were drawn at"
        " random"
    ),
}


@dataclass(frozen=True, repr=False)
class Calibration(Result):
    """Shares, means or differences as people would label all items, from a few human and many judge labels."""

    judge: str
    estimate: str
    sample: str
    method: str
    combined: tuple[Estimate, ...]
    """One for each class, system or difference."""
    people_alone: tuple[Estimate, ...]
    judge_alone: tuple[Estimate, ...]
    """The figures if the judge made no errors."""
    n: int
    """Items with both labels."""
    n_judged: int
    """Items that only the judge labelled."""
    lam: Mapping[str, float] = field(default_factory=dict)
    """The weight of the judge, for each mean."""
    correlation: float = math.nan
    confusion: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """judge's label -> people's label -> items."""
    variance_shares: Mapping[str, float] = field(default_factory=dict)
    ranks: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """system -> probability of each rank, best first."""
    variance: float = math.nan
    notes: tuple[Note, ...] = ()
    planned: str = ""
    """The figure for which labels are planned: for shares, the class nearest to one half, which needs the most;
    otherwise the first.
    """

    @property
    def _planned(self) -> Estimate:
        return next((e for e in self.combined if e.name == self.planned), self.combined[0])

    @property
    def _of(self) -> str:
        """The figure in words; with three or more classes, why this one."""
        more = ", the class that needs the most" if self.planned and len(self.combined) > 2 else ""
        return f"{self._planned.name}{more}"

    @property
    def estimates(self) -> EstimateTable:
        return EstimateTable((*self.combined, *self.people_alone, *self.judge_alone))

    def __getitem__(self, name: str) -> Estimate:
        """The combined estimate of a class, a system or a difference."""
        return EstimateTable(self.combined)[name]

    @property
    def effective_n(self) -> float:
        """How many human labels alone would be as precise, if the subset is random."""
        if self.sample != "random" or not math.isfinite(self.correlation):
            return math.nan
        return effective(self.n, self.n_judged, self.correlation**2)

    def labels_for(self, half_width: float) -> LabelsNeeded:
        """Human labels for an interval of this half-width: for every class, since the plan is for the class that needs
        the most; for means, the first.
        """
        if not half_width > 0:
            raise UsageError(f"a half-width of {half_width} is not possible; use a positive number such as 0.05.")
        level, v = self._planned.level, self.variance
        alone = human_only(v, half_width, level)
        if self.sample == "random":
            low, high = (r**2 for r in correlation_limits(self.correlation, self.n, level))
            at, best, worst = (
                by_prediction(v, rho2, self.n_judged, half_width, level)
                for rho2 in (self.correlation**2, max(low, high), min(low, high))
            )
            return LabelsNeeded(half_width, alone, at, best, worst, 0.0, "prediction", self._of, self.n + self.n_judged)
        se, sp, p = self._errors()
        needed = by_errors(p, se, sp, self.n_judged, half_width, level)
        return LabelsNeeded(
            half_width,
            alone,
            needed,
            math.nan,
            math.nan,
            floor_of_errors(p, se, sp, self.n_judged, level),
            "errors",
            self._of,
        )

    def _errors(self) -> tuple[float, float, float]:
        """Sensitivity and specificity for the planned class against the rest, and its share."""
        first = self._planned.name
        rows = self.confusion
        n1 = sum(row.get(first, 0.0) for row in rows.values())
        hits = rows.get(first, {}).get(first, 0.0)
        others = {j: sum(v for k, v in row.items() if k != first) for j, row in rows.items()}
        n0, wrong = sum(others.values()), others.get(first, 0.0)
        value = self._planned.value
        if not n1 or not n0 or not math.isfinite(value) or hits / n1 <= wrong / n0:
            raise UsageError(
                "the judge's errors are not known well enough for planning; have people label more items of every class"
                " first."
            )
        return hits / n1, 1 - wrong / n0, min(max(value, 0.0), 1.0)

    @property
    def sentence(self) -> str:
        """The first figures in words."""
        parts = [f"{e.name} {shown(e.value, 3)}{_limits(e)}" for e in self.combined[:4]]
        more = f" and {len(self.combined) - 4} more" if len(self.combined) > 4 else ""
        alone = {e.name: e for e in self.people_alone}
        beside = [
            (e.name, alone[f"{e.name}, people alone"]) for e in self.combined[:4] if f"{e.name}, people alone" in alone
        ]
        tail = ""
        if beside:
            said = ", ".join(f"{name} {shown(e.value, 3)}{_limits(e)}" for name, e in beside)
            how = (
                ", with each person's label weighted by its share of the item" if self.estimate == "prevalence" else ""
            )
            tail = f" People's labels of these {self.n:,} items alone give {said}{how}."
        what = {"prevalence": "Shares of classes", "mean": "The mean", "difference": "The difference"}[self.estimate]
        return (
            f"{what} as people would label all items: {', '.join(parts)}{more}; {ROADS[self.method]}, from {self.n:,}"
            f" items with both labels and {self.n_judged:,} that only {self.judge} labelled.{tail}"
        )

    def to_dict(self) -> dict[str, Any]:
        about = (
            "judge",
            "estimate",
            "sample",
            "method",
            "n",
            "n_judged",
            "lam",
            "correlation",
            "effective_n",
            "confusion",
            "variance_shares",
            "ranks",
            "sentence",
        )
        return {
            "schema": SCHEMA,
            **{name: jsonable(getattr(self, name)) for name in about},
            **jsonable(in_json(self.notes)),
            "estimates": self.estimates.to_dict()["estimates"],
        }

    def to_columns(self) -> dict[str, list[Any]]:
        return self.estimates.to_columns()

    def plot(self) -> Any:
        """A chart of the combined figures and those of people alone."""
        rows = [*self.combined, *self.people_alone]
        return intervals(
            [e.name for e in rows],
            [e.value for e in rows],
            [e.low for e in rows],
            [e.high for e in rows],
            axis=self.estimate,
            name="calibration",
            caption=self.sentence,
        ).altair()

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"  {e}" for e in self.estimates), *(f"note: {w}" for w in self.notes)])

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.sentence)}</p>{self.estimates._repr_html_()}"


def _limits(e: Estimate) -> str:
    return f" [{shown(e.low, 3)}, {shown(e.high, 3)}]" if math.isfinite(e.low) else ""
