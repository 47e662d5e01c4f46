"""``Fold``: a table folded to its patterns, which can be saved, added up and used in place of the table."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import Any, Self

import numpy as np

from raters.annotations import Annotations, Dropped, counted
from raters.errors import UsageError
from raters.io.any_table import Source, table
from raters.io.fold_files.file import SavedFold, as_text, in_order, load, sampled
from raters.io.fold_files.sums import added, found
from raters.items.folding import check_repeats, fold
from raters.writing import write_whole


class Fold(SavedFold):
    """How many items of a table show each pattern of labels: enough for every coefficient, and small.

    Folds of different items can be added up, so a job can keep one for each day, and agreement over any window takes
    milliseconds. Every function that needs no item names takes a fold, or a list of folds, in place of a table.

    >>> monday = Fold.of([("q1", "ann", "no"), ("q1", "bob", "yes"), ("q2", "ann", "no"), ("q2", "bob", "no")])
    >>> tuesday = Fold.of([("q3", "ann", "yes"), ("q3", "bob", "yes")])
    >>> week = monday + tuesday
    >>> week
    <Fold of rows: 3 items, 6 annotations, 3 patterns of 2 labels>
    >>> from raters.agree.agreement import agreement
    >>> round(float(agreement(week, interval=None)), 3)
    0.444
    """

    @classmethod
    def of(cls, source: Source, *, group: str | None = None) -> Self:
        """Fold a table: whatever :func:`raters.read` accepts, on DuckDB or Spark.

        ``group``: a column whose values are distinguished within each pattern: ``"rater"`` for coefficients that
        compare named raters (the fold then contains their names), or a pool. Without it, the fold contains no names.
        """
        parts = None if isinstance(source, Annotations) else found(source)
        if parts is not None:
            if group is not None:
                raise UsageError("the options of a fold cannot be changed; fold the table again with other options.")
            return cls.sum(fold for _, fold in parts)
        ann = table(source)
        check_repeats(ann, group, None)
        items = fold(ann, group=group)[None]
        kind = (
            "sets"
            if ann.scale.of_sets
            else "text"
            if not ann.numeric
            else "bool"
            if isinstance(ann.labels[0], bool)
            else "number"
        )
        dropped = dict(ann.dropped)
        if ann.used.left_out:
            dropped[Dropped.not_first if ann.duplicates == "first" else Dropped.not_last] = ann.used.left_out
        made = cls(
            kind=kind,
            scale=ann.scale,
            scale_from=ann.scale_from,
            labels=ann.labels,
            keys=ann.keys,
            declared=ann.declared,
            period=ann.period,
            members=ann.members,
            group=group,
            groups=items.groups,
            patterns=items.counts,
            items=items.weight.astype(np.int64),
            sample=sampled(ann),
            dropped=dropped,
            sources=(ann.source,),
            notes=ann.notes,
        )
        return in_order(made)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """The fold in a file that :meth:`save` wrote."""
        return cls(**vars(load(fspath(path))))

    def save(self, path: str | PathLike[str], *, force: bool = False) -> Path:
        """Write the fold to a file, whole or not at all: JSON, described on the documentation's page on folds."""
        return write_whole(Path(fspath(path)), as_text(self).encode(), force)

    @classmethod
    def sum(cls, folds: Any) -> Self:
        """All folds together, in one step."""
        parts = list(folds)
        if not parts:
            raise UsageError("there are no folds to add up.")
        return cls(**vars(added(parts).whole if len(parts) > 1 else parts[0]))

    def __add__(self, other: Any) -> Self:
        if isinstance(other, int) and other == 0:  # sum(folds) starts there
            return self
        if not isinstance(other, SavedFold):
            return NotImplemented
        return type(self)(**vars(added([self, other]).whole))

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        """Whether two folds have the same patterns of the same labels, whatever their sources."""
        if not isinstance(other, SavedFold) or self.patterns.shape != other.patterns.shape:
            return False
        facts = ("kind", "scale", "labels", "period", "group", "groups")
        same = all(getattr(self, name) == getattr(other, name) for name in facts)
        return same and np.array_equal(self.items, other.items) and (self.patterns != other.patterns).nnz == 0

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"<Fold of {self.source}: {counted(self.n_items, 'item')}, {counted(self.n_annotations, 'annotation')}, "
            f"{counted(len(self.items), 'pattern')} of {counted(len(self.labels), 'label')}>"
        )
