"""Scores of systems aligned with an aggregate of people's labels, item by item, from mappings or from a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import DataError, UsageError, brief, listed
from raters.io.read import read
from raters.items import Items
from raters.items.align import items_by_name
from raters.items.folding import check_repeats

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
    """Systems by name: a mapping of mappings, a table with a rater for each system, or a file with a column for each."""
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
            raise DataError(f"{system} answers no item of {ann.source}: its items are like {few}, those of the table like {listed(list(by_text)[:3])}.")  # fmt: skip
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
