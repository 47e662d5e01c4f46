"""Votes: annotations as a sparse matrix, item by (rater, label), which is all that a model uses."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.annotations import Annotations
from raters.engines.duckdb import memory_limit
from raters.errors import DataError, UsageError, listed
from raters.items import items_by_name
from raters.notes.note import either

Array = NDArray[Any]
BY_ANNOTATION, BY_ITEM, SMALL = 60, 100, 500_000_000
"""Bytes that a fit takes for each annotation and for each item, measured on millions; and the size below which memory
is not checked.
"""
PART = 1 << 17
"""Cells, or numbers by item and label, processed at a time."""


def require_memory(ann: Annotations) -> None:
    """Refuse a table whose votes, with the working memory of an EM step, would take more memory than the user
    allows.
    """
    need = BY_ANNOTATION * ann.n_annotations + BY_ITEM * ann.n_items
    if need <= SMALL or need <= (limit := memory_limit(ann.engine)):
        return
    raise UsageError(
        f"a model of {ann.n_annotations:,} annotations takes about {need / 1e9:.1f} GB of memory, but the limit is"
        f" {limit / 1e9:.1f} GB: allow more (memory=), fit to part of the items, or fit by SQL: "
        + either("raters.models.fitting.on_engine.fit_on_engine.", "raters consensus --on-engine --model dawid_skene.")
    )


@dataclass(frozen=True)
class Votes:
    """How often each rater gave each label to each item; items without a label have an empty row.

    >>> votes = Votes.of_codes([0, 0, 1], [0, 1, 0], [1, 1, 0], labels=("no", "yes"))
    >>> votes.counts.tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    """

    items: tuple[Any, ...]
    raters: tuple[Any, ...]
    labels: tuple[Any, ...]
    table: sparse.csr_array
    """(item, rater * labels + label): counts, more than 1 if a rater repeats a label."""
    weight: Array | None = None
    """(item,): the weight of an item; None means 1 for all."""
    ordered: bool = False
    """Whether the labels are degrees, in their order."""

    @classmethod
    def of(cls, ann: Annotations, items: Sequence[Any] = ()) -> Votes:
        """The votes of a table; ``items``: further items, which may have no labels. Refused if they would take more
        memory than is allowed.
        """
        require_memory(ann)
        names, bag = items_by_name(ann, "rater" if ann.n_raters else None)
        votes = cls(tuple(names), bag.groups, ann.labels, bag.counts, ordered=ann.scale.ordered)
        return votes.with_items(items) if len(items) else votes

    @classmethod
    def of_codes(
        cls,
        item: Any,
        rater: Any,
        label: Any,
        *,
        count: Any = None,
        labels: Sequence[Any],
        items: Sequence[Any] | None = None,
        raters: Sequence[Any] | None = None,
    ) -> Votes:
        """Votes from integer codes, in any order; by default the names are the codes themselves."""
        item, rater, label = (np.asarray(x) for x in (item, rater, label))
        many = tuple(range(int(item.max(initial=-1)) + 1)) if items is None else tuple(items)
        who = tuple(range(int(rater.max(initial=-1)) + 1)) if raters is None else tuple(raters)
        shape = (len(many), len(who) * len(labels))
        small = np.int32 if max(*shape, len(item)) < 2**31 else np.int64
        column = rater.astype(small) * small(len(labels)) + label.astype(small)
        data = np.ones(len(item)) if count is None else np.asarray(count, dtype=float)
        if (item[1:] >= item[:-1]).all():  # already in order: no second copy
            ends = np.cumsum(np.bincount(item.astype(np.int64, copy=False), minlength=len(many)))
            table = sparse.csr_array((data, column, np.concatenate([[0], ends]).astype(small)), shape)
        else:
            table = sparse.coo_array((data, (item.astype(small), column)), shape).tocsr()
        table.sum_duplicates()
        return cls(many, who, tuple(labels), table)

    @property
    def n_items(self) -> int:
        return len(self.items)

    @property
    def n_raters(self) -> int:
        return len(self.raters)

    @property
    def n_labels(self) -> int:
        return len(self.labels)

    @cached_property
    def item_of(self) -> Array:
        """(cell,): the item of each cell of the table."""
        return np.repeat(np.arange(self.n_items, dtype=self.table.indices.dtype), np.diff(self.table.indptr))

    @cached_property
    def rater_of(self) -> Array:
        """(cell,)"""
        return np.asarray(self.table.indices // self.table.indices.dtype.type(max(self.n_labels, 1)))

    @cached_property
    def label_of(self) -> Array:
        """(cell,)"""
        width = self.table.indices.dtype.type(max(self.n_labels, 1))
        return np.asarray(self.table.indices - self.rater_of * width)  # takes half the time of the modulo operation

    @cached_property
    def columns(self) -> sparse.csc_array:
        """(rater * labels + label, item): the transposed table, without a copy of its cells."""
        return self.table.T

    @cached_property
    def counts(self) -> Array:
        """(item, label): how many raters gave each label."""
        return self.summed(self.table.data)

    @cached_property
    def per_item(self) -> Array:
        """(item,): how many labels an item has."""
        return np.asarray(self.table.sum(1)).ravel()

    @cached_property
    def pair_agreement(self) -> float:
        """The share of pairs of labels of an item that are the same; 1 if no item has two labels."""
        pairs = float((self.per_item * (self.per_item - 1)).sum())
        return float((self.counts * (self.counts - 1)).sum()) / pairs if pairs else 1.0

    @cached_property
    def tied(self) -> Array:
        """(item,): whether several labels have the most votes; items without a vote are not tied."""
        most = self.counts.max(1, keepdims=True, initial=0)
        return np.asarray(((self.counts == most).sum(1) > 1) & (self.per_item > 0))

    @cached_property
    def all_labelled(self) -> bool:
        """Whether every item has a label."""
        return bool((np.diff(self.table.indptr) > 0).all())

    @cached_property
    def per_rater(self) -> Array:
        """(rater, label): how often each rater gave each label, with items weighted."""
        total = np.bincount(self.table.indices, self.weighted(self.table.data), self.n_raters * self.n_labels)
        return total.reshape(self.n_raters, self.n_labels).astype(float, copy=False)  # integers if there are no votes

    @property
    def n_annotations(self) -> int:
        return int(self.table.data.sum())

    def weighted(self, cells: Array) -> Array:
        """(cell,): values times the weight of the cell's item."""
        return cells if self.weight is None else cells * self.weight[self.item_of]

    def weighted_items(self, rows: Array) -> Array:
        """(item, ...): rows times the weight of the item."""
        return rows if self.weight is None else (rows.T * self.weight).T

    def summed(self, cells: Array) -> Array:
        """(item, label): sums of cell values over the raters of an item who gave the label."""
        shape = (self.n_items, self.n_labels)
        if len(cells) > PART:
            return np.asarray(sparse.csr_array((cells, self.label_of, self.table.indptr), shape).toarray())
        made = np.bincount(self._place, cells, shape[0] * shape[1]).reshape(shape)
        return made.astype(float, copy=False)  # integers if there are no cells

    def item_sums(self, cells: Array) -> Array:
        """(item,): sums of values of cells over all labels of an item."""
        t = self.table
        if self.all_labelled:
            return np.asarray(np.add.reduceat(cells, t.indptr[:-1])) if self.n_items else np.zeros(0)
        made, some = np.zeros(self.n_items), np.flatnonzero(np.diff(t.indptr))
        if len(some):
            made[some] = np.add.reduceat(cells, t.indptr[some])
        return made

    def rater_sums(self, cells: Array) -> Array:
        """(rater,): sums of values of cells over all labels of a rater."""
        if len(cells) > PART or not self._by_rater[2]:
            return np.bincount(self.rater_of, cells, self.n_raters)
        order, starts, _ = self._by_rater
        return np.asarray(np.add.reduceat(cells.take(order), starts))

    @cached_property
    def _by_rater(self) -> tuple[Array, Array, bool]:
        """Cells in the order of raters, where each rater begins, and whether every rater has one; for small tables
        alone.
        """
        n = np.bincount(self.rater_of, minlength=self.n_raters)
        return np.argsort(self.rater_of, kind="stable"), np.cumsum(n) - n, bool((n > 0).all()) and len(n) > 0

    def given(self, q: Array) -> Array:
        """(cell,): the value of (item, label) ``q`` at the given label."""
        small = len(self.item_of) <= PART
        return np.asarray(q.ravel().take(self._place if small else self._places()))

    @cached_property
    def _place(self) -> Array:
        """(cell,): where each cell's item and label stand in a table of (item, label); kept for small tables and parts
        alone.
        """
        return self._places()

    def _places(self) -> Array:
        return np.asarray(self.item_of.astype(np.intp) * self.n_labels + self.label_of)

    def shares(self) -> Array:
        """(item, label): shares of the votes; equal if an item has none."""
        total = self.per_item
        made = self.counts / np.maximum(total, 1)[:, None]
        made[total == 0] = 1 / max(self.n_labels, 1)
        return np.asarray(made)

    def with_items(self, more: Sequence[Any]) -> Votes:
        """The votes with further items that have no labels yet."""
        known = set(self.items)
        new = [x for x in dict.fromkeys(more) if x not in known]
        t = self.table
        indptr = np.concatenate([t.indptr, np.full(len(new), t.indptr[-1], t.indptr.dtype)])
        table = sparse.csr_array((t.data, t.indices, indptr), (self.n_items + len(new), t.shape[1]))
        return replace(self, items=(*self.items, *new), table=table)

    def rows(self, at: Array) -> Votes:
        """The votes of these items only."""
        weight = None if self.weight is None else self.weight[at]
        return replace(self, items=tuple(self.items[i] for i in at), table=self.table[at], weight=weight)

    def parts(self) -> Iterator[tuple[slice, Votes]]:
        """These votes, a few items at a time, with their position, so that work on cells needs memory for one part
        only.
        """
        if len(self._cuts) <= 2:
            yield slice(0, self.n_items), self
            return
        for a, b in itertools.pairwise(self._cuts):
            low, high = self.table.indptr[a], self.table.indptr[b]
            cells = (self.table.data[low:high], self.table.indices[low:high], self.table.indptr[a : b + 1] - low)
            table = sparse.csr_array(cells, (b - a, self.table.shape[1]))
            weight = None if self.weight is None else self.weight[a:b]
            yield slice(a, b), replace(self, items=self.items[a:b], table=table, weight=weight)

    @cached_property
    def _cuts(self) -> list[int]:
        """Where parts begin and end: about ``PART`` cells, or as many numbers by item and label."""
        cost = self.table.indptr + np.arange(self.n_items + 1, dtype=np.int64) * self.n_labels
        cuts = np.searchsorted(cost, np.arange(0, int(cost[-1]) + PART, PART))
        return sorted({0, *np.minimum(cuts, self.n_items).tolist(), self.n_items})

    def relabelled(self, labels: Sequence[Any]) -> Votes:
        """The same votes with another list of labels, which includes all given labels."""
        code = {name: k for k, name in enumerate(labels)}
        to = np.array([code.get(name, -1) for name in self.labels])
        return Votes.of_codes(
            self.item_of,
            self.rater_of,
            to[self.label_of],
            count=self.table.data,
            labels=labels,
            items=self.items,
            raters=self.raters,
        )

    def kept(self, count: Array) -> Votes:
        """The same items and raters with other counts in the cells, without those at 0."""
        t = sparse.csr_array((count.astype(float), self.table.indices, self.table.indptr), self.table.shape)
        t = t.copy()
        t.eliminate_zeros()
        return replace(self, table=t)

    def joined(self, other: Votes) -> Votes:
        """These votes and others, with items and raters matched by name."""
        if other.labels != self.labels:
            raise DataError(
                f"the labels differ: {listed(self.labels)} here, {listed(other.labels)} there. Read both with the same"
                " labels=."
            )
        items = tuple(dict.fromkeys((*self.items, *other.items)))
        raters = tuple(dict.fromkeys((*self.raters, *other.raters)))
        parts = [v.recoded(items, raters) for v in (self, other)]
        return replace(self, items=items, raters=raters, table=(parts[0].table + parts[1].table).tocsr(), weight=None)

    def recoded(self, items: Sequence[Any], raters: Sequence[Any]) -> Votes:
        """The same votes with longer lists of items and raters."""
        i, r = ({name: at for at, name in enumerate(names)} for names in (items, raters))
        rows = np.array([i[x] for x in self.items], dtype=np.int64)[self.item_of]
        who = np.array([r[x] for x in self.raters], dtype=np.int64)[self.rater_of]
        return Votes.of_codes(
            rows, who, self.label_of, count=self.table.data, labels=self.labels, items=items, raters=raters
        )
