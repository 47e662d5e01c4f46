"""Export and import: labels as columns, and an adjudication sheet of unsettled items, whose answers are read back as
gold.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from raters.errors import DataError, UsageError, brief, listed
from raters.io.sources.delimited import limited
from raters.models.base.fit import FittedModel
from raters.options import asks
from raters.words import harmless
from raters.writing import csv_text

ANSWER, DECISION = "answer", "decision"


def columns(c: FittedModel, *, soft: bool = True, threshold: float = 0.0) -> dict[str, list[Any]]:
    """One row for each item: label, certainty, number of labels, entropy in bits; with ``soft``, ``p(label)`` for each.

    With ``threshold``, items below it have no label.
    """
    if c.numeric:
        mean, sd = c.posterior.T.tolist()
        known = [None if x != x else x for x in sd]
        return {"item": list(c.items), "value": mean, "sd": known, "n_labels": counts(c)}
    sure = c.certainty
    labels = [x if p >= threshold else None for x, p in zip(c.labels.values(), sure.tolist(), strict=True)]
    made: dict[str, list[Any]] = {
        "item": list(c.items),
        "label": labels,
        "certainty": [None if p != p else p for p in sure.tolist()],
        "n_labels": counts(c),
        "entropy": c.entropy.tolist(),
    }
    if soft:
        made |= {f"p({name})": p for name, p in zip(c.label_names, c._shares.T.tolist(), strict=True)}
    return made


def matrices(c: FittedModel) -> dict[str, list[Any]]:
    """One row for each rater, true label and given label: how often the given label is used for the true one, with the
    prevalence.
    """
    names, k = list(c.votes.labels), c.votes.n_labels
    table = c.confusion
    return {
        "rater": [r for r in c.raters for _ in range(k * k)],
        "true_label": [x for _ in c.raters for x in names for _ in range(k)],
        "given_label": [x for _ in c.raters for _ in range(k) for x in names],
        "probability": table.ravel().tolist(),
        "prevalence": [p for _ in c.raters for p in c.prevalence.tolist() for _ in range(k)],
    }


def matrices_by_rater(c: FittedModel) -> dict[str, Any]:
    """The same for JSON: rater -> matrix (true label, given label), with the labels in their order and their
    prevalence.
    """
    return {
        "model": c.model,
        "labels": list(c.votes.labels),
        "prevalence": c.prevalence.tolist(),
        "confusion": {str(r): m for r, m in zip(c.raters, c.confusion.tolist(), strict=True)},
    }


def counts(c: FittedModel) -> list[int]:
    """How many labels each item has."""
    return [int(n) for n in c.votes.per_item]


@asks()
def adjudication(c: FittedModel, *, threshold: float = 0.99, n: int | None = None) -> dict[str, list[Any]]:
    """The items below ``threshold``, the most uncertain first, with an empty column for the answers.

    >>> import raters
    >>> adjudication(raters.consensus(raters.examples.demo(), "dawid_skene"), n=2)["item"]
    ['review 143', 'review 167']
    """
    if c.numeric:
        raise UsageError("an adjudication sheet applies to labels, not to numbers.")
    known = np.zeros(c.votes.n_items, bool) if c.gold is None else c.gold >= 0
    open_ = np.flatnonzero(~known & ~(c.certainty >= threshold))
    order = open_[np.argsort(-c.entropy[open_], kind="stable")][:n]
    shares = c.votes.shares()
    names = c.label_names
    return {
        "item": [c.items[i] for i in order],
        ANSWER: [""] * len(order),
        "label": [None if c.codes[i] < 0 else names[c.codes[i]] for i in order],
        "certainty": [None if p != p else p for p in c.certainty[order].tolist()],
        "candidates": [_listed(names, c._shares[i]) for i in order],
        "votes": [_listed(names, shares[i]) for i in order],
    }


def _listed(names: Sequence[Any], p: Any) -> str:
    best = [k for k in np.argsort(-p, kind="stable")[:3] if p[k] >= 0.005]
    return ", ".join(f"{names[k]} {p[k]:.2f}" for k in best)


@asks()
def to_csv(table: Mapping[str, Sequence[Any]]) -> str:
    """Columns as CSV; text that a spreadsheet would execute as a formula is made harmless.

    >>> to_csv({"item": ["q1"], "label": ["no"]}).split()
    ['item,label', 'q1,no']
    """
    return csv_text(list(table), zip(*table.values(), strict=True))


@asks()
def read_answers(
    path: str | PathLike[str], c: FittedModel | None = None, item: str = "item", *, numeric: bool = False
) -> dict[str, str] | dict[Any, Any]:
    """The answers of an adjudication sheet, item -> label, as ``gold=`` accepts them; empty answers are skipped.

    With ``c``, items and labels get their original types back (numbers as numbers), and unknown ones are an error.
    ``item``: the name of the column of items, if it is not "item". ``numeric``: answers are numbers, as for
    ``model="gaussian"``.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sheet = Path(folder, "sheet.csv")
    ...     _ = sheet.write_text("item,answer\\nq1,no\\nq2,\\n")
    ...     read_answers(sheet)
    {'q1': 'no'}
    """
    found, rows = _rows(Path(path))
    column = next((name for name in (ANSWER, DECISION) if name in found), "label")
    key = "item" if "item" in found else item
    if not {key, column} <= set(found):
        raise DataError(f"{path}: no columns {item!r} and 'answer' (or 'label'); there are {listed(found)}.")
    given: dict[str, str] = {}
    for row in rows:
        name, label = row[key], (row[column] or "").strip()
        if label and given.setdefault(name, label) != label:
            raise DataError(
                f"{path}: item {brief(name)} has two answers, {given[name]!r} and {label!r}. Keep one of them."
            )
    if c is None:
        return given
    return as_known(given, c, str(path), numeric=numeric)


def _rows(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Names of the columns, and the rows; a spreadsheet may have written semicolons or tabs instead of commas."""
    if path.suffix.lower() in SHEETS:
        return _of_workbook(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path} is not UTF-8 text. Save it as CSV in UTF-8.") from None
    if not text.strip():
        raise DataError(f"{path}: the file is empty.")
    head = text.partition("\n")[0]
    made = csv.DictReader(io.StringIO(text), delimiter=max(",;\t", key=head.count), strict=True)
    try:
        with limited():
            rows = list(made)
    except csv.Error as error:
        raise DataError(f"{path}, line {made.line_num}: {error}. Save the sheet as CSV again.") from None
    return list(made.fieldnames or ()), rows


SHEETS = (".xlsx", ".xls", ".ods")


def _of_workbook(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """The first sheet of a workbook; a whole number that it holds as 1.0 is 1, and a date is that day."""
    from raters.io.sources.workbooks import first_rows

    rows = [[_cell(x) for x in row] for row in first_rows(path)]
    if not rows:
        raise DataError(f"{path}: the file is empty.")
    return rows[0], [dict(zip(rows[0], row, strict=False)) for row in rows[1:]]


def _cell(x: Any) -> str:
    """A cell as it was written before a spreadsheet took it for a number.

    >>> _cell(1), _cell(0.5), _cell("no"), _cell(None)
    ('1', '0.5', 'no', '')
    """
    if x is None:
        return ""
    return x.isoformat() if hasattr(x, "isoformat") else str(x)


def as_known(given: Mapping[Any, Any], c: FittedModel, source: str, *, numeric: bool = False) -> dict[Any, Any]:
    """Items and labels as the fit has them, matched by their spelling."""
    items, labels = _written(c.items), _written(c.votes.labels)
    made = {}
    for item, label in given.items():
        key = str(item) if str(item) in items else str(item).strip()
        if key not in items:
            raise DataError(f"{source}: item {brief(item)} is not among the items (they are like {brief(c.items[0])}).")
        if numeric or c.numeric:
            made[items[key]] = _number(label, item, source)
        elif str(label) in labels:
            made[items[key]] = labels[str(label)]
        else:
            raise DataError(
                f"{source}: answer {brief(label)} of item {brief(item)} is not one of {listed(c.votes.labels)}."
            )
    return made


def _written(names: Sequence[Any]) -> dict[str, Any]:
    """Names by the spellings that a sheet may use: unchanged, escaped, or without surrounding blanks."""
    own = {str(x): x for x in names}
    return {text.strip(): x for text, x in own.items()} | {harmless(text): x for text, x in own.items()} | own


def _number(text: Any, item: Any, source: str) -> float:
    try:
        value = float(str(text).removeprefix("'"))
    except ValueError:
        raise DataError(f"{source}: answer {brief(text)} of item {brief(item)} is not a number.") from None
    return value
