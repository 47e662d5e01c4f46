"""Items with a human and a judge label, and items with only a judge label: the data of a calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import DataError, UsageError, listed
from raters.items.align import align, unified
from raters.judges.people_and_judges import as_table, codes, numbers_apart, rows_of, values

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
        """(judge label, class): how often they co-occur, with people's ties split; weights are scaled to the effective number of items."""
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
    first, second = as_table(people), one_judge(as_table(model), judge)
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
        tuple(names), tuple(str(s) for s, _ in parts), tuple(str(i) for _, i in parts), human, y,
        np.where(said >= 0, place[said], -1), np.where(said >= 0, number[said], np.nan),
        tuple(first.labels[i] for i in order[:n_classes]), tuple(first.labels[i] for i in order), number[order[:n_classes]],
        np.ones(len(names)), refused,
    )  # fmt: skip


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
    """The names of strata, (unit,) the index of each unit's stratum, and (stratum,) its share: as known, or among all units."""
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
