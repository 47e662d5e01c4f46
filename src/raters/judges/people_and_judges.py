"""People and judges on the same items: who gave which label, as codes in two matrices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.annotations import Annotations
from raters.errors import DataError, UsageError, listed
from raters.io.any_table import table
from raters.io.labels.numbers import as_numbers
from raters.io.read import read
from raters.items import Items
from raters.items.align import align, unified
from raters.items.folding import check_repeats
from raters.items.subsets import recounted
from raters.scales.scale import Scale

Array = NDArray[Any]
MACHINES = {"model", "judge", "llm", "ai", "machine", "system", "bot", "auto", "true", "1", "yes"}
PERSONS = {"person", "people", "human", "annotator", "crowd", "expert", "false", "0", "no"}
"""Values by which a column may mark its raters as people."""


@dataclass(frozen=True, eq=False)
class Sides:
    """Labels of people and of judges, aligned by item. A judge that labels an item repeatedly has runs; this holds the
    first one.
    """

    items: tuple[Any, ...]
    labels: tuple[Any, ...]
    values: Array
    """(label,): numbers, or positions of labels that are text."""
    scale: Scale
    people: tuple[str, ...]
    judges: tuple[str, ...]
    given: Array
    """(item, person): code of the label, -1 if there is none."""
    said: Array
    """(item, judge): the same for judges."""
    runs: sparse.csr_array
    """(item, judge * labels + label): counts over all runs of every judge."""
    tables: tuple[Annotations, Annotations]
    """People and judges as tables, on one scale with one list of labels."""
    refusals: Array
    """(judge,): verdicts that are not numbers, if people gave numbers."""
    refused: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """judge -> the items of those verdicts."""
    left_out: int = 0
    """Items that only one side labelled."""

    @property
    def numbers(self) -> bool:
        """Whether labels are read as numbers that can be averaged."""
        return self.scale.amounts

    @cached_property
    def counts(self) -> sparse.csr_array:
        """(item, label): how many people gave each label."""
        return tally(self.given, len(self.labels))

    @cached_property
    def consensus(self) -> Array:
        """(item,): the label that most people gave; -1 if nobody gave one or several tie."""
        return plurality(self.counts)

    def only(self, judge: int) -> Sides:
        """The same with one judge."""
        k = len(self.labels)
        runs = self.runs[:, judge * k : (judge + 1) * k]
        return replace(
            self, judges=(self.judges[judge],), said=self.said[:, [judge]], runs=runs, refusals=self.refusals[[judge]]
        )

    @cached_property
    def judge_rows(self) -> Annotations:
        """The rows of these judges only, for the columns next to their labels."""
        model = self.tables[1]
        return model if model.n_raters == len(self.judges) else rows_of(model, self.judges)


def sides(
    people: Any, model: Any = None, *, judges: Sequence[str] | None = None, judges_from: str | None = None
) -> Sides:
    """People and judges from two tables, or from one in which ``judges`` (names) or ``judges_from`` (a column)
    distinguish them.
    """
    return _aligned(*two_tables(people, model, judges, judges_from))


def two_tables(
    people: Any, model: Any, judges: Sequence[str] | None, judges_from: str | None
) -> tuple[Annotations, Annotations]:
    """The labels of people and of judges, each as a table with rater names."""
    first = table(people, duplicates="keep")
    if model is not None:
        if judges_from is not None:
            raise UsageError(
                "judges_from= names a column of one table that holds people and judges; omit it when you pass a table"
                " of judges."
            )
        second = table(model, duplicates="keep")
        if judges is not None:
            second = rows_of(second, _known(second, judges))
    else:
        first, second = split(first, judges, judges_from)
    for ann, what in ((first, "people"), (second, "judges")):
        if not ann.n_raters:
            raise UsageError(
                f"the labels of {what} ({ann.source}) do not name the raters; provide one row per label with a column"
                " of raters."
            )
    return first, second


def split(ann: Annotations, judges: Sequence[str] | None, column: str | None) -> tuple[Annotations, Annotations]:
    """Split one table into people and judges."""
    if (judges is None) == (column is None):
        raise UsageError("say which raters are models: a second table, judges=['gpt-4o'], or judges_from='kind'.")
    names = _known(ann, machines(ann, column) if column is not None else judges or ())
    every = set(raters_of(ann))
    if names == every:
        raise UsageError("every rater is named as a judge, so there are no people to compare with.")
    return rows_of(ann, every - names), rows_of(ann, names)


def raters_of(ann: Annotations) -> list[str]:
    """The names of the raters, in order."""
    return sorted({str(v) for v in ann.engine.query("SELECT DISTINCT rater FROM annotations")["rater"].tolist()})


def _known(ann: Annotations, names: Iterable[str]) -> set[str]:
    """The names, after checking that each is a rater."""
    asked, every = {str(n) for n in names}, set(raters_of(ann))
    lost = sorted(asked - every)
    if lost:
        raise UsageError(f"no rater is called {listed(lost)}; the raters are {listed(sorted(every))}.")
    return asked


def machines(ann: Annotations, column: str) -> list[str]:
    """The raters that a column marks as models."""
    if column not in ann.extras:
        raise UsageError(f"there is no column {column!r}; other columns are {listed(ann.extras) or 'none'}.")
    got = ann.engine.query(
        f"SELECT DISTINCT rater, CAST({ann.engine.quote(column)} AS STRING) AS kind FROM annotations"
    )
    kinds = {str(kind).strip().lower() for kind in got["kind"].tolist()}
    unknown = kinds - MACHINES - PERSONS
    if unknown or not kinds & MACHINES:
        raise UsageError(
            f"column {column!r} has {listed(sorted(kinds))}; it must say 'model' or 'human' for every rater. "
            "Name the judges instead: judges=['gpt-4o']."
        )
    return [
        str(r)
        for r, kind in zip(got["rater"].tolist(), got["kind"].tolist(), strict=True)
        if str(kind).strip().lower() in MACHINES
    ]


def joined(tables: Sequence[Annotations], called: Sequence[bool]) -> Annotations:
    """The labels of judges in several files as one table. ``called``: whether a file names its judges; the same name in
    two such files is one judge with several runs.
    """
    columns: dict[str, list[Any]] = {name: [] for name in ("item", "rater", "label")}
    of_file: dict[str, str] = {}
    for ann, named in zip(tables, called, strict=True):
        for judge in () if named else raters_of(ann):
            if judge in of_file:
                raise UsageError(
                    f"two files without a column of judges ({of_file[judge]}, {ann.source}) both stand for {judge!r}:"
                    " rename one of them."
                )
            of_file[judge] = ann.source
        own, before = ann.to_columns(), len(columns["item"])
        for name in dict.fromkeys([*columns, *own]):
            here = own.get(name, [None] * len(own["item"]))
            columns.setdefault(name, [None] * before).extend(here)
    scales = {ann.scale for ann in tables}
    found = read(
        columns,
        item="item",
        rater="rater",
        label="label",
        scale=scales.pop() if len(scales) == 1 else None,
        labels=tables[0].labels if all(ann.declared for ann in tables) else None,
        duplicates="keep" if any(ann.repeats for ann in tables) else tables[0].duplicates,
    )
    said = tuple(dict.fromkeys(note for ann in tables for note in ann.notes))
    return replace(found, notes=said, source=f"{tables[0].source} and {len(tables) - 1} more")


def rows_of(ann: Annotations, raters: Iterable[str]) -> Annotations:
    """The rows of some raters."""
    names = ", ".join(ann.engine.text(str(r)) for r in sorted(raters))
    engine = ann.engine.derive(f"SELECT * FROM annotations WHERE CAST(rater AS STRING) IN ({names})")
    return recounted(ann, engine)


def _aligned(people: Annotations, model: Annotations) -> Sides:
    check_repeats(replace(people, duplicates="error") if people.duplicates == "keep" else people, None, None)
    model, refused = numbers_apart(people, model)
    if not people.numeric and not model.numeric:
        _same_words(people, model)
    people, model = unified([people, model])
    first = replace(model, duplicates="first") if model.repeats and model.duplicates != "last" else model
    names, (a, b) = align([people, first], group="rater")
    _, (_, every) = align([people, replace(model, duplicates="keep")], group="rater") if model.repeats else (0, (a, b))
    given, said = codes(a), codes(b)
    has = ((given >= 0).any(1)) & ((said >= 0).any(1))
    if not has.any():
        raise DataError(
            f"people ({people.source}) and judges ({model.source}) share no item; item names must be spelled the same"
            f" way in both (people: {listed(sorted(map(str, names))[:3])})."
        )
    judges = tuple(str(g) for g in b.groups)
    return Sides(
        tuple(names),
        a.labels,
        values(people, a.labels),
        people.scale,
        tuple(str(g) for g in a.groups),
        judges,
        given,
        said,
        every.counts,
        (people, model),
        np.array([len(refused.get(j, ())) for j in judges]),
        refused,
        int((~has).sum()),
    )


def _same_words(people: Annotations, model: Annotations) -> None:
    """Refuse labels that differ only in spelling: they would count as disagreement."""
    ours = {str(key) for key in people.keys.tolist()}
    plain = {key.strip().casefold(): key for key in ours}
    theirs = [str(key) for key in model.keys.tolist()]
    alike = [key for key in theirs if key not in ours and key.strip().casefold() in plain]
    if alike:
        raise DataError(
            f"{model.source} writes {listed(alike)} where {people.source} writes"
            f" {listed([plain[k.strip().casefold()] for k in alike])}: they would be counted as different labels. Spell"
            " labels the same way in both."
        )
    if not people.scale.of_sets and not ours & set(theirs):
        raise DataError(
            f"{people.source} and {model.source} share no label: {listed(sorted(ours))} against {listed(theirs)}. Spell"
            " labels the same way in both."
        )


def numbers_apart(people: Annotations, model: Annotations) -> tuple[Annotations, dict[str, tuple[str, ...]]]:
    """If people gave numbers and the judge also text: only the numbers, and the items for which each judge gave
    none.
    """
    if not people.numeric or model.numeric:
        return model, {}
    numeric = [key for key in model.keys.tolist() if as_numbers([key]) is not None]
    if not numeric:
        return model, {}
    quoted = ", ".join(model.engine.text(str(key)) for key in numeric)
    lost = model.engine.query(f"SELECT rater, item FROM annotations WHERE label NOT IN ({quoted}) ORDER BY row")
    refused: dict[str, tuple[str, ...]] = {}
    for rater, item in zip(lost["rater"].tolist(), lost["item"].tolist(), strict=True):
        refused[str(rater)] = (*refused.get(str(rater), ()), str(item))
    more = "".join(f", {model.engine.quote(c)}" for c in model.extras)
    sql = f"SELECT row, item, rater, CAST(label AS DOUBLE) AS label{more} FROM annotations WHERE label IN ({quoted})"
    keys = np.unique(np.array(as_numbers(numeric), dtype=float))
    labels = tuple(keys.astype(int).tolist() if (keys == np.floor(keys)).all() else keys.tolist())
    made = replace(model, engine=model.engine.derive(sql), keys=keys, labels=labels, numeric=True, scale=people.scale)
    return recounted(made, made.engine), refused


def values(ann: Annotations, labels: Sequence[Any]) -> Array:
    """(label,): the labels as numbers: their values, or their positions."""
    return ann.keys.astype(float) if ann.numeric else np.arange(float(len(labels)))


def codes(items: Items) -> Array:
    """(item, group): the single label of each group, -1 if it gave none."""
    k = len(items.labels)
    cells = items.counts.tocoo()
    table = np.full((items.counts.shape[0], len(items.groups)), -1, np.int32)
    table[cells.row, cells.col // k] = cells.col % k
    return table


def tally(table: Array, k: int) -> sparse.csr_array:
    """(item, label): how often each label occurs in a row of codes."""
    row, column = np.nonzero(table >= 0)
    return sparse.coo_array((np.ones(len(row)), (row, table[row, column])), (len(table), k)).tocsr()


def plurality(counts: sparse.csr_array) -> Array:
    """(item,): the label with the most votes; -1 if there is none or several are tied."""
    if counts.shape[1] <= 200:
        full = counts.toarray()
        best = full.max(1, initial=0)
        return np.where((best > 0) & ((full == best[:, None]).sum(1) == 1), full.argmax(1), -1)
    best = counts.max(axis=1).toarray().ravel()
    cells = counts.tocoo()
    top = cells.data == best[cells.row]
    n = np.bincount(cells.row[top], minlength=len(best))
    label = np.zeros(len(best), np.int64)
    label[cells.row[top]] = cells.col[top]
    return np.where(n == 1, label, -1)
