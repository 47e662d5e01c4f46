"""A system that predicts the label of each rater, beside what the labels of the other raters would get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.annotations import Annotations
from raters.errors import DataError, UsageError, brief, listed
from raters.estimate import Estimate, EstimateTable, text_table
from raters.items.folding import check_repeats
from raters.notes.note import Note, in_json
from raters.reliability.soft.evaluation import between, labelled
from raters.reliability.soft.predictions import OFF
from raters.reliability.soft.soft_labels import NUMBER, by_spelling, completed, spelled, steps_of

Array = NDArray[Any]
SHOWN, WIDTH = 10, 80
LISTS = (list, tuple, np.ndarray)


@dataclass(frozen=True, repr=False)
class EachRater(EstimateTable):
    """How often the predictions for each rater are wrong; ``details["reference"]``: the same for other raters' labels."""

    raters: EstimateTable = field(default_factory=lambda: EstimateTable(()))
    """The share wrong of each rater's labels, the worst first."""
    notes: tuple[Note, ...] = ()

    @property
    def sentence(self) -> str:
        e = self["error_by_rater"]
        other = e.details["reference"]
        said = (
            f"The system predicts {e.value:.1%} of a rater's labels wrongly ({e.low:.1%} to {e.high:.1%} over raters)"
        )
        return (
            f"{said}; another rater's label would be wrong {other:.1%} of the time." if other == other else f"{said}."
        )

    def to_dict(self) -> dict[str, Any]:
        rows = {"sentence": self.sentence, "raters": [e.to_dict() for e in self.raters]}
        return super().to_dict() | rows | in_json(self.notes)

    def __str__(self) -> str:
        rows = [[e.title, f"{e.value:.3f}", between(e), _number(e)] for e in self]
        lines = [*wrap(self.sentence, WIDTH), "", *text_table(["", "value", "95% interval", "other raters"], rows), ""]
        some = [[e.name, f"{e.value:.3f}", _number(e), f"{e.n_annotations:,}"] for e in list(self.raters)[:SHOWN]]
        lines += text_table(["rater", "wrong", "other raters", "labels"], some)
        if len(self.raters) > SHOWN:
            lines.append(f"... ({len(self.raters):,} raters in all)")
        return "\n".join([*lines, *labelled("Why", self.notes)])


def _number(e: Estimate) -> str:
    return f"{x:.3f}" if (x := e.details.get("reference", np.nan)) == x else "-"


def per_rater(system: Any, answers: Mapping[Any, Any], ann: Annotations, each: str | None) -> Mapping[Any, Any] | None:
    """What the system says of each rater of each item, if it does that; None if it gives probabilities of labels."""
    if each == "item" or not ann.n_raters:
        if each == "rater":
            raise UsageError(f"{ann.source}: the raters have no names, so nothing can be predicted for each of them.")
        return None
    names = ann.once("rater spellings", lambda: {spelled(x) for x in ann.to_columns()["rater"]}, len)
    if isinstance(system, Annotations):
        got = system.to_columns()
        if not system.n_raters or not (each or (system.n_raters > 1 and {spelled(x) for x in got["rater"]} <= names)):
            return None
        made: dict[Any, Any] = {}
        for item, rater, label in zip(got["item"], got["rater"], got["label"], strict=True):
            made.setdefault(item, {})[rater] = label
        return made
    return answers if each or _said_of_raters(answers, ann, names) else None


def _said_of_raters(answers: Mapping[Any, Any], ann: Annotations, names: set[str]) -> bool:
    """Whether the answers are labels of raters: under their names, or in their order."""
    rows, known = list(answers.values()), {spelled(x) for x in ann.single}
    if all(isinstance(row, Mapping) for row in rows):
        keys = {spelled(key) for key in set().union(*rows)}
        return bool(keys) and keys <= names and not keys <= known
    return all(isinstance(row, LISTS) and len(row) for row in rows) and _in_order(rows, known, ann)


def _in_order(rows: Sequence[Any], known: set[str], ann: Annotations) -> bool:
    """Whether lists hold labels of raters, not probabilities of labels."""
    deep = all(isinstance(x, LISTS) for x in rows[0])
    inner = [x for row in rows for x in row] if deep else rows
    every = {spelled(x) for row in inner for x in (row if isinstance(row, LISTS) else [row])}
    if not every <= known | _also(every, known, ann):
        return False
    return not all(map(NUMBER.fullmatch, every)) or not all(
        abs(sum(map(float, x)) - 1) <= OFF and min(map(float, x)) >= 0 for x in inner
    )


def _also(said: set[str], known: set[str], ann: Annotations) -> set[str]:
    """What stands for labels that nobody gave: marks of sets, and whole numbers of a scale of whole numbers."""
    if ann.scale.of_sets:
        return {"0", "1"}
    whole = ann.numeric and all(x.lstrip("-").isdigit() for x in known)
    return {x for x in said if whole and x.lstrip("-").isdigit()}


def each_rater(answers: Mapping[Any, Any], ann: Annotations, level: float) -> EachRater:
    """Errors by item (as LeWiDi 2025 counts them) and by rater, each rater once."""
    check_repeats(ann, None, None)
    rows, notes = _paired(answers, ann)
    places, names = (list(dict.fromkeys(r[i] for r in rows)) for i in (0, 1))
    item, who = (
        np.array([{x: j for j, x in enumerate(every)}[r[i]] for r in rows]) for i, every in enumerate((places, names))
    )
    wrong, others, apart = _errors([r[2] for r in rows], [r[3] for r in rows], item, ann)
    figures: dict[str, tuple[str, Array, Array, Array | None]] = {
        "error_by_item": ("share wrong, mean over items", item, wrong, others),
        "error_by_rater": ("share wrong, mean over raters", who, wrong, None),
    }
    if apart is not None:
        size, points = apart
        figures["distance_by_item"] = (f"distance / {points - 1} (points - 1)", item, size / (points - 1), None)
        figures["distance_lewidi"] = (f"distance / {points} (as LeWiDi 2025)", item, size / points, None)
    found = tuple(_mean(name, *how, level, len(places)) for name, how in figures.items())
    n, reference = np.bincount(who), _of_others(who, others, np.bincount(item)[item] - 1)
    share, known = _by(who, wrong), reference[np.isfinite(reference)]
    by_rater = {"reference": float(known.mean()) if len(known) else np.nan}
    found = tuple(replace(e, details=by_rater) if e.name == "error_by_rater" else e for e in found)
    found += (Estimate("error_of_labels", float(wrong.mean()), n_items=len(places), n_annotations=len(wrong),
                       coefficient="error_of_labels", title="share wrong of all labels"),)  # fmt: skip
    order = np.argsort(-share, kind="stable").tolist()
    raters = (
        Estimate(str(names[j]), float(share[j]), n_annotations=int(n[j]), n_items=int(n[j]), coefficient="error",
                 title=f"share wrong of {names[j]}", details={"reference": float(reference[j])})
        for j in order
    )  # fmt: skip
    return EachRater(found, of="figure", raters=EstimateTable(tuple(raters), of="rater"), notes=tuple(notes))


def _paired(answers: Mapping[Any, Any], ann: Annotations) -> tuple[list[tuple[str, Any, Any, Any]], list[Note]]:
    """(item, rater, label, prediction) of every label with a prediction, and what is missing."""
    got, every = ann.to_columns(), list(answers.values())
    own = {item: every[i] for item, i in by_spelling(answers, "the system").items()}
    seen: dict[str, list[int]] = {}
    for i, item in enumerate(got["item"]):
        seen.setdefault(spelled(item), []).append(i)
    rows: list[tuple[str, Any, Any, Any]] = []
    missing, shared = 0, [item for item in seen if item in own]
    for item in shared:
        said = _of_item(own[item], [got["rater"][i] for i in seen[item]], item, ann)
        missing += said.count(None)
        rows += [(item, got["rater"][i], got["label"][i], x) for i, x in zip(seen[item], said, strict=True) if x is not None]  # fmt: skip
    if not rows:
        raise DataError(
            f"the system and {ann.source} share no item and rater; the system's items are like {listed(list(answers)[:3])}."
        )
    apart = {"n": missing, "items": len(seen) - len(shared), "system": len(own) - len(shared)}
    return rows, [Note("soft_raters_apart", apart)] if any(apart.values()) else []


def _of_item(answer: Any, raters: Sequence[Any], item: str, ann: Annotations) -> list[Any]:
    """The prediction for each rater of an item; None if there is none."""
    if isinstance(answer, Mapping):
        by = {spelled(k): x for k, x in answer.items() if x == x}
        return [by.get(spelled(r)) for r in raters]
    if ann.scale.of_sets and len(answer) == len(ann.members) and all(isinstance(x, list | tuple) for x in answer):
        answer = [[m for m, yes in zip(ann.members, row, strict=True) if yes] for row in zip(*answer, strict=False)]
    if not isinstance(answer, LISTS) or len(answer) != len(raters):
        n = len(answer) if isinstance(answer, LISTS) else 1
        raise DataError(
            f"the system has {n} labels for item {brief(item)}, which {len(raters)} raters labelled: {brief(answer)}."
        )
    return list(answer)


def _errors(given: list[Any], said: list[Any], item: Array, ann: Annotations) -> tuple[Array, Array, Any]:
    """(label,): whether it was predicted wrongly, the share of others' labels that differ, and, on a scale, the distance
    in steps and the number of points."""
    if ann.scale.of_sets:
        names = {spelled(x): i for i, x in enumerate(ann.members)}
        y, z = (_marks(rows, names) for rows in (given, said))
        return (y != z).mean(1), np.mean([_others(item, y[:, j]) for j in range(y.shape[1])], 0), None
    labels = completed(ann.labels, list(dict.fromkeys(said)))
    place = {spelled(x): i for i, x in enumerate(labels)}
    y, z = (np.array([place[spelled(x)] for x in rows]) for rows in (given, said))
    apart = None
    if ann.scale.ordered:
        at = np.concatenate([[0.0], np.cumsum(steps_of(labels))])
        apart = np.abs(at[y] - at[z]), round(float(at[-1])) + 1
    return (y != z).astype(float), _others(item, y), apart


def _marks(rows: list[Any], names: Mapping[str, int]) -> Array:
    marks = np.zeros((len(rows), len(names)), bool)
    for i, row in enumerate(rows):
        for x in (
            row if isinstance(row, list | tuple | set | frozenset) else [v for v in str(row).split(",") if v.strip()]
        ):
            if spelled(x) not in names:
                raise DataError(f"the system's label {brief(x)} is not one of {listed(names)}.")
            marks[i, names[spelled(x)]] = True
    return marks


def _others(item: Array, y: Array) -> Array:
    """(label,): the share of the other labels of the item that differ from this one; nan if there is no other."""
    k = np.bincount(item)[item]
    _, cell, n = np.unique(item * (int(y.max()) + 1) + y, return_inverse=True, return_counts=True)
    return np.where(k > 1, (k - n[cell.ravel()]) / np.maximum(k - 1, 1), np.nan)


def _by(group: Array, x: Array) -> Array:
    """(group,): means without undefined values."""
    there = np.isfinite(x)
    n = np.bincount(group[there], minlength=group.max() + 1)
    total = np.bincount(group[there], x[there], group.max() + 1)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)


def _of_others(who: Array, others: Array, n: Array) -> Array:
    """(rater,): the share of all other labels of the same items that differ from the rater's."""
    differ, every = (np.bincount(who, x, who.max() + 1) for x in (np.nan_to_num(others) * n, n))
    return np.where(every > 0, differ / np.maximum(every, 1), np.nan)


def _mean_of(others: Array, group: Array) -> float:
    each = _by(group, others)
    return float(np.nanmean(each)) if np.isfinite(each).any() else np.nan


def _mean(name: str, title: str, group: Array, x: Array, others: Array | None, level: float, n_items: int) -> Estimate:
    """The mean over groups of the means in them, with Student's t."""
    each = _by(group, x)
    n, value = len(each), float(each.mean())
    se = float(each.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan
    reach = float(special.stdtrit(max(n - 1, 1), (1 + level) / 2)) * se
    reference = {} if others is None else {"reference": _mean_of(others, group)}
    sampled = "raters" if name == "error_by_rater" else "items"
    return Estimate(name, value, max(value - reach, 0.0), min(value + reach, 1.0), se, level, "delta", n_items=n_items,
                    n_annotations=len(x), coefficient=name, title=title, sampled=sampled, details=reference)  # fmt: skip
