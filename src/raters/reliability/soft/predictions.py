"""What a system predicts: probabilities, labels, or a label for each rater, from mappings, tables and the files of shared
tasks.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import DataError, UsageError, brief, listed
from raters.io.table import best, normal
from raters.reliability.soft.soft_labels import (
    SoftLabels,
    by_spelling,
    columns_in,
    completed,
    labels_of,
    soft_labels,
    spelled,
)

Array = NDArray[Any]
OFF = 1e-6
"""Probabilities may sum to 1 with this error."""
SOFT = frozenset(["softlabel", "softlabels", "soft", "probabilities", "probs", "distribution",
                  "prediction", "predictions", "predicted"])  # fmt: skip
PROBABILITY = frozenset(["probability", "prob", "p", "share", "confidence"])


@dataclass(frozen=True, eq=False)
class Predictions:
    """Probabilities of the items that both sides have."""

    at: Array
    """(item,): its row in the labels."""
    q: Array
    """(item, question, label)."""
    labels: tuple[Any, ...]
    """The labels, with numbers of the scale that only the system knows."""
    only_system: int
    hard: bool
    """Whether the system gave labels, also of several raters, not probabilities."""


def answers_of(source: Any, labels: Sequence[Any] = ()) -> dict[Any, Any]:
    """item -> what the system says of it: a label, label -> probability, a list, or rater -> label.

    >>> answers_of([{"id": "q1", "p(no)": 0.2, "p(yes)": 0.8}])
    {'q1': {'no': 0.2, 'yes': 0.8}}
    """
    if isinstance(source, Mapping):
        return {item: _softened(answer) for item, answer in source.items()}
    if isinstance(source, SoftLabels | Annotations):
        soft = soft_labels(source)
        shares = [dict(zip(soft.labels, row, strict=True)) for row in soft.shares.tolist()]
        return dict(zip(soft.items, shares, strict=True))
    if isinstance(source, str | PathLike):
        found = _document(Path(source))
        return _of_columns(columns_in(fspath(source)), labels, str(source)) if found is None else found
    if isinstance(source, list) and source and all(isinstance(row, Mapping) for row in source):
        names = dict.fromkeys(key for row in source for key in row)
        return _of_columns({str(n): [row.get(n) for row in source] for n in names}, labels, "the system")
    return _of_columns(columns_in(source), labels, "the system")


def _softened(answer: Any) -> Any:
    """The answer of a record: what stands under ``soft_label``, if it is an object with more than that."""
    if isinstance(answer, Mapping):
        found = (x for key, x in answer.items() if isinstance(x, Mapping | list) and normal(str(key)) in SOFT)
        return next(found, answer)
    return answer


def _document(path: Path) -> dict[Any, Any] | None:
    """JSON, JSON lines, or rows of item, tabulator and a list (as LeWiDi's submissions are); None for another table."""
    ending = path.suffix.lower()
    if not path.is_file() or ending not in (".json", ".jsonl", ".ndjson", ".tsv", ".txt"):
        return None
    text = path.read_text(encoding="utf-8-sig")
    lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
    if ending in (".tsv", ".txt"):
        parts = [(i, line.split("\t", 1)) for i, line in lines]
        if not all(len(p) == 2 and p[1].lstrip()[:1] in ("[", "{") for _, p in parts):
            return None
        return _once((p[0].strip() for _, p in parts), [_json(p[1], path, i) for i, p in parts], str(path))
    found = _json(text, path, 1) if ending == ".json" else [_json(line, path, i) for i, line in lines]
    if isinstance(found, list) and not all(isinstance(x, Mapping) for x in found):
        raise DataError(f"{path}: a list of {brief(found)}, not of objects with an item and its probabilities.")
    return answers_of(found) if isinstance(found, Mapping | list) and found else None


def _json(text: str, path: Path, line: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(f"{path}: not JSON (line {line + error.lineno - 1}: {error.msg}).") from None


def _once(items: Iterable[Any], answers: Sequence[Any], source: str) -> dict[Any, Any]:
    """item -> answer; an error if an item has two."""
    made: dict[Any, Any] = {}
    for item, answer in zip(items, answers, strict=True):
        kept = made.setdefault(item, answer)
        if kept is not answer and kept != answer:
            raise DataError(f"{source}: item {brief(item)} has two answers, {brief(kept)} and {brief(answer)}. Keep one of them.")  # fmt: skip
    return made


def _of_columns(columns: Mapping[str, list[Any]], labels: Sequence[Any], source: str) -> dict[Any, Any]:
    """item -> answer, from a column for each label, from one with objects or lists, or from a row for each answer."""
    known = {spelled(x) for x in labels}
    own = labels_of(list(columns), ("p", "share")) or {n: n for n in columns if spelled(n) in known}
    found = best([n for n in columns if n not in own.values()], "item")
    if not found:
        raise UsageError(
            f"{source}: no column looks like the item; columns found: {listed(columns, 30)}. Call it 'item'."
        )
    items, rest = columns[found[0]], {n: x for n, x in columns.items() if n != found[0]}
    if len(own) > 1:
        rows = zip(*(columns[c] for c in own.values()), strict=True)
        return _once(items, [dict(zip(own, row, strict=True)) for row in rows], source)
    softs = [n for n in rest if normal(n) in SOFT]
    parsed = [_parsed(x) for x in rest[softs[0]]] if softs else [None]
    return _of_rows(items, rest, softs, labels, source) if None in parsed else _once(items, parsed, source)


def _of_rows(
    items: list[Any], columns: Mapping[str, list[Any]], softs: list[str], labels: Sequence[Any], source: str
) -> dict[Any, Any]:
    """item -> answer, of a row for each item, or for each of its labels or raters."""
    keys, answer = _long(list(columns), softs)
    if answer is None:
        raise UsageError(
            f"{source}: no probabilities and no label found in {listed(columns, 30)}. Use columns p(LABEL), one for each"
            f" label ({listed(labels)}), or a column 'label'."
        )
    if keys is None:
        return _once(items, columns[answer], source)
    made: dict[Any, dict[Any, Any]] = {}
    for (item, key), x in _once(zip(items, columns[keys], strict=True), columns[answer], source).items():
        made.setdefault(item, {})[key] = x
    return made


def _long(names: Sequence[str], softs: Sequence[str]) -> tuple[str | None, str | None]:
    """The columns of keys (labels of a probability, or raters of a label) and of answers, in a row for each."""
    label = best(names, "label") or list(softs)
    raters = best([n for n in names if n not in label], "rater")
    chances = [n for n in names if normal(n) in PROBABILITY]
    if not label:
        return None, None
    return (label[0], chances[0]) if chances else (raters[0] if raters else None, label[0])


def _parsed(cell: Any) -> Any:
    try:
        found = json.loads(cell) if isinstance(cell, str) else cell
    except json.JSONDecodeError:
        return None
    return found if isinstance(found, Mapping | list) else None


def predictions(answers: Mapping[Any, Any], soft: SoftLabels) -> Predictions:
    """Probabilities for the items of the labels; one clear line if they are none."""
    found, every = by_spelling(answers, "the system"), list(answers)
    shared = [(soft.rows[key], every[i]) for key, i in found.items() if key in soft.rows]
    if not shared:
        raise DataError(
            f"the system and the labels share no item: the system's are like {listed(every[:3])}, those of"
            f" {soft.source} like {listed(soft.items[:3])}. Use the same names for the same items."
        )
    at, names = np.array([row for row, _ in shared]), [item for _, item in shared]
    given = [answers[name] for name in names]
    rows = _without_raters(given, soft)
    form = _sets if soft.sets else _single
    q, labels, hard = form(rows, names, soft)
    return Predictions(at, q, labels, len(answers) - len(shared), hard or rows is not given)


def _without_raters(rows: list[Any], soft: SoftLabels) -> list[Any]:
    """The label, or the shares of the labels, of rows such as {rater: label}; other rows unchanged."""
    known = {spelled(x) for x in soft.labels}
    if soft.sets or not all(isinstance(row, Mapping) for row in rows):
        return rows
    if {spelled(key) for key in set().union(*rows)} & known:
        return rows
    if not all(spelled(x) in known for row in rows for x in row.values()):
        return rows
    if all(len(row) == 1 for row in rows):
        return [next(iter(row.values())) for row in rows]
    return [{x: n / len(row) for x, n in Counter(row.values()).items()} for row in rows]


def _single(rows: Sequence[Any], names: Sequence[Any], soft: SoftLabels) -> tuple[Array, tuple[Any, ...], bool]:
    known = {spelled(x) for x in soft.labels}
    if all(isinstance(row, Mapping) for row in rows):
        q, labels = _keyed(rows, names, soft, known)
    elif all(isinstance(row, list | tuple | np.ndarray) for row in rows):
        labels = _as_long(soft, {len(row) for row in rows}, names)
        q = _numbers(rows, names)
    elif any(isinstance(row, Mapping | list | np.ndarray) for row in rows):
        raise DataError("the system gives probabilities for some items and labels for others; use one form.")
    else:
        labels = _completed(soft, [x for x in dict.fromkeys(rows) if spelled(x) not in known])
        place = {spelled(x): i for i, x in enumerate(labels)}
        q = np.eye(len(labels))[[place[spelled(x)] for x in rows]]
        return q[:, None], labels, True
    _refuse(~(np.isfinite(q).all(1) & (q >= 0).all(1)), names, q, "contain a number below 0, or none")
    _refuse(np.abs(q.sum(1) - 1) > OFF, names, q, "do not sum to 1")
    return q[:, None], labels, False


def _keyed(
    rows: Sequence[Mapping[Any, Any]], names: Sequence[Any], soft: SoftLabels, known: set[str]
) -> tuple[Array, tuple[Any, ...]]:
    """Probabilities by label, and the labels, of which new ones count if they have a probability."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    values = _numbers(([row.get(key, 0.0) for key in keys] for row in rows), names)
    used = np.abs(np.nan_to_num(values, nan=1.0)).sum(0) > 0
    labels = _completed(soft, [k for k, some in zip(keys, used, strict=True) if some and spelled(k) not in known])
    place = {spelled(x): i for i, x in enumerate(labels)}
    q = np.zeros((len(rows), len(labels)))
    for column, key in enumerate(keys):
        if spelled(key) in place:
            q[:, place[spelled(key)]] += values[:, column]
    return q, labels


def _sets(rows: Sequence[Any], names: Sequence[Any], soft: SoftLabels) -> tuple[Array, tuple[Any, ...], bool]:
    """(item, label, no or yes): of sets, each label has a probability of its own."""
    place, hard = {spelled(x): i for i, x in enumerate(soft.labels)}, False
    yes = np.zeros((len(rows), len(soft.labels)))
    for i, row in enumerate(rows):
        if isinstance(row, Mapping):
            pairs: Iterable[tuple[Any, Any]] = row.items()
        elif (
            isinstance(row, list | tuple | np.ndarray) and len(row) == len(soft.labels) and not isinstance(row[0], str)
        ):
            pairs = zip(soft.labels, row, strict=True)
        else:
            hard = True
            members = row if isinstance(row, list | tuple | set | frozenset) else str(row).split(",")
            pairs = ((x, 1.0) for x in members if str(x).strip())
        for label, p in pairs:
            if spelled(label) not in place:
                raise DataError(
                    f"the system's label {brief(label)} of item {brief(names[i])} is not one of {listed(soft.labels)}."
                )
            yes[i, place[spelled(label)]] = _yes(p, names[i])
    _refuse(~((yes >= 0) & (yes <= 1)).all(1), names, yes, "are not all between 0 and 1")
    return np.stack([1 - yes, yes], -1), soft.labels, hard


def _yes(p: Any, item: Any) -> float:
    """The probability of yes: a number, ``[no, yes]`` or ``{"0": no, "1": yes}``."""
    if isinstance(p, Mapping):
        p = [{spelled(k): x for k, x in p.items()}.get(k, 0.0) for k in ("0", "1")]
    if isinstance(p, list | tuple | np.ndarray):
        if len(p) != 2 or abs(sum(p) - 1) > OFF:
            raise DataError(f"the system's probabilities {brief(p)} of item {brief(item)} do not sum to 1.")
        p = p[1]
    return float(_numbers([[p]], [item])[0, 0])


def _numbers(rows: Iterable[Any], names: Sequence[Any]) -> Array:
    rows = list(rows)
    try:
        made = np.array([[0.0 if x is None else x for x in row] for row in rows], float)
    except (TypeError, ValueError):
        made = np.zeros(0)
    if made.ndim == 2:
        return made
    name, x = next((n, x) for n, row in zip(names, rows, strict=True) for x in row if x is not None and not _number(x))
    raise DataError(f"the system's probability {brief(x)} of item {brief(name)} is not a number.")


def _number(x: Any) -> bool:
    try:
        float(x)
    except (TypeError, ValueError):
        return False
    return True


def _completed(soft: SoftLabels, more: Sequence[Any]) -> tuple[Any, ...]:
    try:
        return tuple(completed(soft.labels, more))
    except DataError:
        raise DataError(
            f"the system gives {listed(more)}, which nobody gave: the labels are {listed(soft.labels)}. If it is on the"
            f" scale, name all labels when they are read: labels=['no', 'yes']."
        ) from None


def _as_long(soft: SoftLabels, sizes: set[int], names: Sequence[Any]) -> tuple[Any, ...]:
    """The labels that lists of probabilities stand for: as many as there are, with whole numbers that nobody gave."""
    every = list(soft.labels)
    if sizes != {len(every)} and all(spelled(x).lstrip("-").isdigit() for x in every):
        low, high = int(spelled(every[0])), int(spelled(every[-1]))
        every = list(completed(every, range(low, high + 1)))
    if sizes != {len(every)}:
        raise DataError(
            f"the system's lists have {listed(sorted(sizes))} probabilities (first item {brief(names[0])}), but there are"
            f" {len(every)} labels: {listed(every)}. Name the labels: {{label: probability}}, or read all with labels=."
        )
    return tuple(every)


def _refuse(bad: Any, names: Sequence[Any], q: Array, what: str) -> None:
    if bad.any():
        i = int(bad.argmax())
        raise DataError(
            f"the system's probabilities of item {brief(names[i])} {what}: {brief(q[i].round(6).tolist())}"
            f" ({int(bad.sum()):,} of {len(bad):,} items). Correct the file."
        )
