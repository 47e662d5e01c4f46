"""The labels of a table as flat arrays, sorted by item: one cell for each item, rater and label."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.models.base.votes import Votes

Array = NDArray[Any]
IMAGINED = 2.0
"""Items on which all labels are alike, added to the shares of the labels."""


@dataclass(frozen=True)
class Cells:
    """What every component sees; arrays by cell, in the order of items."""

    item: Array
    rater: Array
    label: Array
    weight: Array
    """How many labels a cell counts for: a copied label counts for less than one."""
    n_items: int
    n_raters: int
    n_labels: int
    gold: Array
    """(item,): the code of a known label, -1 for none."""
    margin: Array
    """(label,): shares of the labels given."""

    @classmethod
    def of(cls, votes: Votes, gold: Array | None = None) -> Cells:
        total, n = votes.per_rater.sum(0), votes.n_items
        margin = (total / max(total.sum(), 1e-300) * n + IMAGINED / votes.n_labels) / (n + IMAGINED)
        known = np.full(n, -1) if gold is None else gold
        sizes = (n, votes.n_raters, votes.n_labels)
        order = np.lexsort((votes.label_of, votes.item_of))
        item, rater, label = (x[order].astype(int) for x in (votes.item_of, votes.rater_of, votes.label_of))
        return cls(item, rater, label, votes.table.data[order].astype(float), *sizes, known, margin)

    def weighted(self, weight: Array) -> Cells:
        """The same cells, each counting for this much of a label."""
        return replace(self, weight=self.weight * weight)

    def rows(self, items: Array) -> Cells:
        """The cells of the items that are true in ``items``; the others have no labels."""
        at = items[self.item]
        flat = {name: getattr(self, name)[at] for name in ("item", "rater", "label", "weight")}
        return replace(self, **flat, gold=np.where(items, self.gold, -1))

    def taken(self, items: Array) -> Cells:
        """The cells of these items alone, numbered anew; raters stay."""
        where = np.full(self.n_items, -1)
        where[items] = np.arange(len(items))
        at = where[self.item] >= 0
        flat = {name: getattr(self, name)[at] for name in ("rater", "label", "weight")}
        return replace(self, item=where[self.item[at]], **flat, n_items=len(items), gold=self.gold[items])

    @cached_property
    def active(self) -> Array:
        """(item,): whether it has labels."""
        return np.bincount(self.item, minlength=self.n_items) > 0

    @cached_property
    def votes(self) -> Votes:
        """The same as a table, without names."""
        table = sparse.csr_array(
            (self.weight, (self.item, self.by_rater)), (self.n_items, self.n_raters * self.n_labels)
        )
        items, raters, labels = (tuple(range(n)) for n in (self.n_items, self.n_raters, self.n_labels))
        return Votes(items, raters, labels, table)

    @cached_property
    def place(self) -> Array:
        """(cell,): item and label as one number."""
        return np.asarray(self.item * self.n_labels + self.label)

    @cached_property
    def by_rater(self) -> Array:
        """(cell,): rater and label as one number."""
        return np.asarray(self.rater * self.n_labels + self.label)

    @cached_property
    def counts(self) -> Array:
        """(item, label): sums of the weights."""
        return np.bincount(self.place, self.weight, self.n_items * self.n_labels).reshape(self.n_items, self.n_labels)

    @cached_property
    def sums(self) -> dict[str, sparse.csr_array]:
        """What adds up (cell, truth) rows: by item, by rater, by rater and label, by item and label."""
        by = {
            "item": (self.item, self.n_items),
            "rater": (self.rater, self.n_raters),
            "code": (self.by_rater, self.n_raters * self.n_labels),
            "kind": (self.kinds, int(self.kinds[-1]) + 1 if len(self.kinds) else 0),
        }
        one, cell = np.ones(len(self.item)), np.arange(len(self.item))
        return {name: sparse.csr_array((one, (at, cell)), (n, len(one))) for name, (at, n) in by.items()}

    def over_raters(self, x: Array) -> Array:
        """(rater,): sums over the cells of a rater."""
        return np.bincount(self.rater, x, self.n_raters)

    def over_codes(self, x: Array) -> Array:
        """(rater, label): sums over the cells of a rater with a label."""
        return np.bincount(self.by_rater, x, self.n_raters * self.n_labels).reshape(self.n_raters, self.n_labels)

    @cached_property
    def with_label(self) -> list[Array]:
        """(label, ...): the cells with each label."""
        return [np.flatnonzero(self.label == label) for label in range(self.n_labels)]

    @cached_property
    def kinds(self) -> Array:
        """(cell,): numbers the pairs of an item and a label that was given to it."""
        new = np.diff(self.place, prepend=-1) != 0
        return np.cumsum(new) - 1

    def of_same_label(self, x: Array) -> Array:
        """(cell, ...): sums over the cells of an item with the same label, for each of them."""
        return np.asarray((self.sums["kind"] @ x).take(self.kinds, 0))
