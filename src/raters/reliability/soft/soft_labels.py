"""Soft labels: how many raters gave each label to each item, and their shares."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import DataError, UsageError, brief, listed
from raters.estimate import SCHEMA, Result
from raters.io.any_table import Source, table
from raters.io.exports.opened import opened
from raters.io.sources.files import file_options
from raters.io.table import Table, best
from raters.io.write_long import array, parquet_of
from raters.items import items_by_name
from raters.items.folding import check_repeats
from raters.notes.note import Note
from raters.options import asks
from raters.scales.sets import membership
from raters.writing import csv_text, write_whole

Array = NDArray[Any]
MOST_LABELS = 1000
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?")
OF_LABEL = re.compile(r"(n|share|p)\((.*)\)", re.DOTALL)


def spelled(name: Any) -> str:
    """A label or an item as text that is the same however a file writes it: 0, 0.0, "0" and "0.0".

    >>> spelled(0), spelled("0.0"), spelled(" yes "), spelled(True), spelled(2.5)
    ('0', '0', 'yes', 'true', '2.5')
    """
    text = str(name).strip()
    if isinstance(name, bool | np.bool_) or text in ("True", "False"):
        return text.lower()
    if not NUMBER.fullmatch(text) or not math.isfinite(x := float(text)):
        return text
    return str(int(text)) if text.lstrip("-").isdigit() else str(int(x)) if x.is_integer() and abs(x) < 1e15 else str(x)


def by_spelling(items: Iterable[Any], source: str) -> dict[str, int]:
    """Item, as :func:`spelled` -> its place; an error if two are one.

    >>> by_spelling(["q1", 2.0], "labels.csv")
    {'q1': 0, '2': 1}
    """
    made: dict[str, int] = {}
    for i, item in enumerate(items):
        if made.setdefault(spelled(item), i) != i:
            raise DataError(f"{source}: two items are called {spelled(item)!r}, one of them {brief(item)}; rename one.")
    return made


@dataclass(frozen=True, eq=False, repr=False)
class SoftLabels(Result):
    """Counts, number of labels and shares of each item.

    >>> soft = soft_labels([("q1", "ann", "no"), ("q1", "bob", "yes"), ("q2", "ann", "no")])
    >>> soft.counts.tolist(), soft.k.tolist(), soft.shares[0].tolist()
    ([[1.0, 1.0], [1.0, 0.0]], [2.0, 1.0], [0.5, 0.5])
    """

    items: tuple[Any, ...]
    labels: tuple[Any, ...]
    counts: Array
    """(item, label): how many raters gave it."""
    k: Array
    """(item,): the number of labels; for sets of labels, the number of raters."""
    ordered: bool = False
    sets: bool = False
    """Whether a rater may give several labels: then shares need not sum to 1."""
    source: str = "the labels"
    notes: tuple[Note, ...] = ()

    @property
    def shares(self) -> Array:
        """(item, label)."""
        return np.asarray(self.counts / self.k[:, None])

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row of each item, by its spelling."""
        return by_spelling(self.items, self.source)

    def tables(self) -> Array:
        """(item, question, label): counts; for sets of labels each label is a question, answered no or yes."""
        if not self.sets:
            return self.counts[:, None, :]
        return np.stack([self.k[:, None] - self.counts, self.counts], -1)

    def to_columns(self) -> dict[str, list[Any]]:
        """One row for each item: ``k``, then ``n(label)`` and ``share(label)`` for each label."""
        made: dict[str, list[Any]] = {"item": list(self.items), "k": self.k.astype(int).tolist()}
        made |= {f"n({name})": n for name, n in zip(self.labels, self.counts.astype(int).T.tolist(), strict=True)}
        return made | {f"share({name})": s for name, s in zip(self.labels, self.shares.T.tolist(), strict=True)}

    def to_dict(self) -> dict[str, Any]:
        return {"schema": SCHEMA, "labels": list(self.labels), "sets": self.sets, **self.to_columns()}

    def save(self, path: str | PathLike[str], *, force: bool = False) -> Path:
        """Write the columns as CSV or Parquet, by the ending of the name; ``soft_labels(path)`` reads them back."""
        return write_whole(Path(path), self.written(Path(path).suffix), force)

    def written(self, ending: str) -> bytes:
        """The file of this ending."""
        columns = self.to_columns()
        if ending.lower() in (".parquet", ".pq"):
            return parquet_of({name: array(values) for name, values in columns.items()})
        if ending.lower() != ".csv":
            raise UsageError(
                f"soft labels are written as .csv or .parquet, not {ending or 'a name without an ending'!r}."
            )
        return csv_text(list(columns), zip(*columns.values(), strict=True)).encode()

    def __str__(self) -> str:
        each = sorted({int(k) for k in self.k})
        many = f"{each[0]}" if len(each) == 1 else f"{each[0]} to {each[-1]}"
        return f"soft labels of {len(self.items):,} items: {len(self.labels)} labels, {many} raters an item"


@asks()
def soft_labels(source: Source | SoftLabels) -> SoftLabels:
    """How many raters gave each label to each item (counts, K) and the shares, from any table of labels.

    ``source``: whatever :func:`raters.read` reads, or a file that ``save`` or ``raters consensus --shares`` wrote. The
    probabilities of a model, which know how good each rater is, are those of :func:`raters.consensus`.

    >>> print(soft_labels([("q1", "ann", "no"), ("q1", "bob", "yes"), ("q2", "ann", "no")]))
    soft labels of 2 items: 2 labels, 1 to 2 raters an item
    """
    ann = crowd_of(source)
    if isinstance(ann, SoftLabels):
        return ann
    check_repeats(ann, None, None)
    names, items = items_by_name(ann)
    if len(ann.single) > MOST_LABELS:
        raise UsageError(
            f"{ann.source}: {len(ann.single):,} different labels are too many for shares (at most {MOST_LABELS:,});"
            " bin the numbers first."
        )
    counts, labels = items.counts, ann.labels
    k = np.asarray(items.per_item, float)
    if ann.scale.of_sets:
        counts, labels = counts @ membership(ann.labels, ann.members), ann.members
    ordered = bool(ann.scale.ordered)
    return SoftLabels(
        tuple(names), tuple(labels), counts.toarray(), k, ordered, ann.scale.of_sets, ann.source, ann.notes
    )


def crowd_of(source: Source | SoftLabels) -> Annotations | SoftLabels:
    """The labels as a table; shares that were written to a file have no raters."""
    if isinstance(source, SoftLabels):
        return source
    found = read_back(source) if isinstance(source, str | PathLike) else None
    return table(source) if found is None else found


def columns_in(source: Any) -> dict[str, list[Any]]:
    """The columns of a file or a frame as Python values, without interpreting them."""
    found: Table = opened(source, "long", "columns", file_options("auto"))
    got = found.engine.query(f"SELECT {', '.join(found.named())} FROM annotations ORDER BY row")
    return {name: got[c].tolist() for c, name in found.named().items()}


def read_back(source: str | PathLike[str]) -> SoftLabels | None:
    """The soft labels of a file that holds ``k`` and ``n(label)``; None if it holds something else."""
    if Path(source).suffix.lower() not in (".csv", ".parquet", ".pq") or not Path(source).is_file():
        return None
    found: Table = opened(source, "long", "columns", file_options("auto"))
    labels = labels_of(found.names, ("n",))
    if not labels or "k" not in found.names:
        return None
    columns = columns_in(source)
    (item,) = best([n for n in columns if n not in labels.values()], "item")[:1] or (next(iter(columns)),)
    try:
        counts = np.array([columns[c] for c in labels.values()], float).T
        k = np.array(columns["k"], float)
    except (TypeError, ValueError):
        raise DataError(f"{source}: a column of counts holds something else than numbers.") from None
    total = counts.sum(1)
    bad = np.flatnonzero(~((counts >= 0).all(1) & (counts <= k[:, None]).all(1) & (k > 0)))
    if len(bad):
        raise DataError(
            f"{source}: the counts of item {brief(columns[item][bad[0]])} do not fit its k of {k[bad[0]]:g}."
        )
    names: Sequence[Any] = list(labels)
    numeric = all(NUMBER.fullmatch(name) for name in names)
    return SoftLabels(tuple(columns[item]), tuple(names), counts, k, numeric, bool((total != k).any()), str(source))


def labels_of(names: Sequence[str], kinds: Sequence[str]) -> dict[str, str]:
    """label -> column, of columns such as ``share(yes)``."""
    found = ((OF_LABEL.fullmatch(name), name) for name in names)
    return {m[2]: name for m, name in found if m is not None and m[1] in kinds}


def completed(labels: Sequence[Any], more: Sequence[Any] = ()) -> list[Any]:
    """The labels in their order, with numbers of the same scale that only ``more`` has.

    >>> completed((1, 2, 4), ("3", "5"))
    [1, 2, '3', 4, '5']
    """
    known = {spelled(x) for x in labels}
    new = [x for x in more if spelled(x) not in known]
    if not new:
        return list(labels)
    if not all(NUMBER.fullmatch(spelled(x)) for x in (*labels, *new)):
        raise DataError(f"labels that nobody gave: {listed(new)}; the labels are {listed(labels)}.")
    return sorted((*labels, *new), key=lambda x: float(spelled(x)))


def steps_of(labels: Sequence[Any]) -> Array:
    """(label - 1,): the steps of the scale between neighbours: 1, and more where a number is missing between.

    >>> steps_of((1, 2, 4)).tolist(), steps_of(("low", "high")).tolist()
    ([1.0, 2.0], [1.0])
    """
    if len(labels) < 2 or not all(NUMBER.fullmatch(spelled(x)) for x in labels):
        return np.ones(max(len(labels) - 1, 0))
    gaps = np.diff([float(spelled(x)) for x in labels])
    return np.asarray(gaps / gaps.min()) if gaps.min() > 0 else np.ones(len(gaps))
