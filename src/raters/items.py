"""The fold: from the long table to unique item patterns and how many items show each.

A *pattern* is the bag of (group, label) pairs of one item. The group is who is compared with whom: nobody
in particular (Fleiss, alpha, AC1), the rater (Cohen, Conger), a pool, a round. The fold is two GROUP BYs
in one SQL text, the only thing that an engine has to do; all else is numpy over the patterns.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.scales import Kernel

Array = NDArray[Any]

WIDE = 48
"""Up to this many (group, label) columns the fold counts in columns; beyond, in sorted lists."""
MANY_VALUES = 32
"""Interval scales with more distinct values than this fold to moments."""


@dataclass(frozen=True)
class Items:
    """Unique patterns of labels and how many items show each: what every coefficient is computed from."""

    weight: Array
    """(pattern,): how many items show it."""
    counts: sparse.csr_array
    """(pattern, group * feature): label counts, or sums of 1, x, x^2 (moments), in each group."""
    labels: tuple[Any, ...]
    groups: tuple[Any, ...] = (None,)
    moments: tuple[float, float, float] | None = None
    """For folds to moments: the center that was subtracted, the variance and the span of the values."""
    n_raters: int = 0
    """Distinct raters behind these items."""

    @property
    def width(self) -> int:
        """Columns of one group: labels, or 3 moments."""
        return int(self.counts.shape[1]) // len(self.groups)

    @cached_property
    def per_group(self) -> sparse.csr_array:
        """(pattern, group): how many labels each group gave."""
        if self.moments is not None:
            return self.counts[:, :: self.width].tocsr()
        c = self.counts
        n = sparse.csr_array((c.data, c.indices // self.width, c.indptr), (c.shape[0], len(self.groups))).copy()
        n.sum_duplicates()
        return n

    @cached_property
    def per_item(self) -> Array:
        """(pattern,): how many labels an item has."""
        return np.asarray(self.per_group.sum(1)).ravel()

    @property
    def n_items(self) -> int:
        return int(self.weight.sum())

    @property
    def n_annotations(self) -> int:
        return int(self.weight @ self.per_item)

    def merged(self) -> Items:
        """The same items without groups."""
        if len(self.groups) == 1:
            return self
        return replace(self, counts=collapse(self.counts, self.width), groups=(None,))

    def one_against_rest(self, label: int) -> Items:
        """Two labels: this one, and any other."""
        c = self.counts
        columns = c.indices // self.width * 2 + (c.indices % self.width != label)
        folded = sparse.csr_array((c.data, columns, c.indptr), (c.shape[0], 2 * len(self.groups))).copy()
        folded.sum_duplicates()
        return replace(self, counts=folded, labels=(self.labels[label], "other"))

    def regrouped(self, group_of: Array, names: Sequence[Any]) -> Items:
        """Other groups: ``group_of[g]`` is the new group of group g; those below 0 are left out, with their labels."""
        c = self.counts.tocoo()
        new = group_of[c.col // self.width]
        at = new >= 0
        columns = new[at] * self.width + c.col[at] % self.width
        shape = (c.shape[0], len(names) * self.width)
        counts = sparse.coo_array((c.data[at], (c.row[at], columns)), shape).tocsr()
        return replace(self, counts=counts, groups=tuple(names)).labelled()

    def where(self, at: Array) -> Items:
        """Only these patterns."""
        return replace(self, weight=self.weight[at], counts=self.counts[at])

    def compressed(self) -> Items:
        """Equal patterns as one."""
        if self.moments is not None or self.counts.shape[1] > WIDE:
            return self
        rows, which = np.unique(self.counts.toarray(), axis=0, return_inverse=True)
        return replace(self, weight=np.bincount(which.ravel(), self.weight), counts=sparse.csr_array(rows))

    def labelled(self) -> Items:
        """Without the patterns that have no label."""
        at = np.flatnonzero(np.diff(self.counts.indptr) > 0)
        return self if len(at) == self.counts.shape[0] else self.where(at)


def fold(
    ann: Annotations,
    *,
    group: str | None = None,
    by: str | None = None,
    within: str | None = None,
    moments: bool = False,
) -> dict[Any, Items]:
    """Fold the table to patterns: one ``Items`` for every value of ``by`` (one, under None, if not given).

    ``group``: the column that says who is compared with whom. ``within="rater"``: only labels of the same rater
    are compared (intra-rater). ``moments``: sums of 1, x, x^2 instead of label counts.
    """
    for column in (group, by, within):
        if column is not None and column not in ("rater", "item", *ann.extras):
            raise UsageError(
                f"no column {column!r} in {ann.source}; there are: {', '.join(('item', 'rater', 'label', *ann.extras))}."
            )
    if "rater" in (group, within, by) and not ann.n_raters:
        raise UsageError(
            "this table does not say who gave which label, so raters cannot be told apart. Use fleiss, krippendorff, gwet or brennan_prediger."
        )
    query = Query(ann, group, by, within)
    groups = query.names("grp") if group else (None,)
    slices = query.names("slice") if by else (None,)
    read = _moments if moments else _wide if len(groups) * len(ann.labels) <= WIDE else _lists
    n_raters = query.raters()
    return {
        name: replace(items, n_raters=n_raters.get(name, 0))
        for name, items in zip(slices, read(query, groups, slices), strict=True)
    }


class Query:
    """The SQL of the fold: the same text for every engine. Names and labels enter as small tables, never as text."""

    def __init__(self, ann: Annotations, group: str | None, by: str | None, within: str | None) -> None:
        self.ann, self.by = ann, by
        q = ann.engine.quote
        columns = {
            "item": "item",
            "unit2": within and q(within),
            "grp": group and q(group),
            "slice": by and q(by),
        }
        keys = {name: column for name, column in columns.items() if column}
        self.unit = ", ".join(name for name in keys if name in ("item", "unit2"))
        chosen = ", ".join(f"{column} AS {name}" for name, column in keys.items())
        if ann.duplicates in ("first", "last") and ann.repeats:
            pick = "min_by" if ann.duplicates == "first" else "max_by"
            once = ", ".join(dict.fromkeys([*keys.values(), "rater"]))
            self.base = f"SELECT {chosen}, rater AS who, {pick}(label, row) AS label FROM annotations GROUP BY {once}"
        else:
            self.base = f"SELECT {chosen}, rater AS who, label FROM annotations"

    def run(self, sql: str, **tables: dict[str, Array]) -> dict[str, Array]:
        return self.ann.engine.query(sql, **tables)

    def names(self, column: str) -> tuple[Any, ...]:
        got = self.run(f"SELECT DISTINCT {column} AS name FROM ({self.base}) AS b ORDER BY name NULLS LAST")
        return tuple(plain(got["name"]))

    def raters(self) -> dict[Any, int]:
        if not self.by:
            return {None: self.ann.n_raters}
        got = self.run(f"SELECT slice, count(DISTINCT who) AS n FROM ({self.base}) AS b GROUP BY slice")
        return dict(zip(plain(got["slice"]), map(int, got["n"]), strict=True))

    def coded(self, groups: Sequence[Any], slices: Sequence[Any], what: str) -> tuple[str, dict[str, dict[str, Array]]]:
        """Rows of (unit, slice code, group code, ``what``), and the small tables that it joins."""
        tables, joins, codes = {}, "", {"grp": "0", "slice": "0"}
        for column, names in (("grp", groups), ("slice", slices)):
            if names != (None,):
                tables[f"{column}_codes"] = {"name": column_of(names), "code": np.arange(len(names))}
                joins += f" JOIN {column}_codes ON b.{column} IS NOT DISTINCT FROM {column}_codes.name"
                codes[column] = f"{column}_codes.code"
        if "label_codes" in what:
            tables["label_codes"] = {"label": self.ann.keys, "code": np.arange(len(self.ann.keys))}
            joins += " JOIN label_codes ON b.label = label_codes.label"
        unit = ", ".join(f"b.{name}" for name in self.unit.split(", "))
        sql = f"SELECT {unit}, {codes['slice']} AS s, {codes['grp']} AS g, {what} FROM ({self.base}) AS b{joins}"
        return sql, tables


def _wide(query: Query, groups: Sequence[Any], slices: Sequence[Any]) -> list[Items]:
    """Patterns as one column of counts per (group, label)."""
    k = len(query.ann.labels)
    rows, tables = query.coded(groups, slices, "label_codes.code AS k")
    names = [f"c{j}" for j in range(k * len(groups))]
    counts = ", ".join(f"count(*) FILTER (WHERE g * {k} + k = {j}) AS {name}" for j, name in enumerate(names))
    columns = ", ".join(["s", *names])
    got = query.run(
        f"SELECT {columns}, count(*) AS items FROM (SELECT s, {counts} FROM ({rows}) AS r GROUP BY {query.unit}, s) AS p "
        f"GROUP BY {columns} ORDER BY {columns}",
        **tables,
    )
    table = sparse.csr_array(np.stack([got[name] for name in names], -1).astype(float))
    return _split(query, groups, slices, got["s"], got["items"], table)


def _lists(query: Query, groups: Sequence[Any], slices: Sequence[Any]) -> list[Items]:
    """Patterns as sorted lists of group * labels + label: only what occurs is held."""
    k = len(query.ann.labels)
    rows, tables = query.coded(groups, slices, "label_codes.code AS k")
    got = query.run(
        f"SELECT s, pattern, count(*) AS items FROM (SELECT s, array_sort(array_agg(g * {k} + k)) AS pattern "
        f"FROM ({rows}) AS r GROUP BY {query.unit}, s) AS p GROUP BY s, pattern ORDER BY s, pattern",
        **tables,
    )
    return _split(query, groups, slices, got["s"], got["items"], _table(got["pattern"], k * len(groups)))


def _moments(query: Query, groups: Sequence[Any], slices: Sequence[Any]) -> list[Items]:
    """Patterns as 1, x, x^2 summed in each group, x measured from the mean of all labels."""
    rows, tables = query.coded(groups, slices, "b.label AS x")
    one = query.run(
        f"SELECT avg(x) AS center, var_pop(x) AS spread, max(x) - min(x) AS span FROM ({rows}) AS r", **tables
    )
    center, spread, span = (float(one[name][0]) for name in ("center", "spread", "span"))
    which = "0" if groups == (None,) else f"dense_rank() OVER (ORDER BY {query.unit}, s)"
    got = query.run(
        f"SELECT s, g, {which} AS p, count(*) AS n, avg(x) AS mean, var_pop(x) * count(*) AS m2 FROM ({rows}) AS r "
        f"GROUP BY {query.unit}, s, g ORDER BY s, p, n, mean, m2",
        **tables,
    )
    n, d, m2 = got["n"].astype(float), got["mean"].astype(float) - center, got["m2"].astype(float)
    sums = np.stack([n, n * d, m2 + n * d**2], -1)
    if groups == (None,):
        table = sparse.csr_array(sums)
        pattern_slice = got["s"]
    else:
        pattern = np.cumsum(np.diff(got["p"], prepend=got["p"][:1]) != 0)
        columns = (got["g"][:, None] * 3 + np.arange(3)).ravel()
        shape = (int(pattern.max(initial=-1)) + 1, 3 * len(groups))
        table = sparse.coo_array((sums.ravel(), (np.repeat(pattern, 3), columns)), shape).tocsr()
        pattern_slice = got["s"][np.flatnonzero(np.diff(pattern, prepend=-1))]
    items = np.ones(table.shape[0])
    return [
        replace(part, moments=(center, spread, span))
        for part in _split(query, groups, slices, pattern_slice, items, table)
    ]


def items_by_name(ann: Annotations, group: str | None = None) -> tuple[list[Any], Items]:
    """Every item as a pattern of its own, with the items' names."""
    query = Query(ann, group, None, None)
    groups = query.names("grp") if group else (None,)
    k = len(ann.labels)
    rows, tables = query.coded(groups, (None,), "label_codes.code AS k")
    got = query.run(
        f"SELECT item, array_sort(array_agg(g * {k} + k)) AS pattern FROM ({rows}) AS r GROUP BY item ORDER BY item",
        **tables,
    )
    return plain(got["item"]), Items(
        np.ones(len(got["item"])), _table(got["pattern"], k * len(groups)), ann.labels, tuple(groups)
    )


def _table(patterns: Array, width: int) -> sparse.csr_array:
    """(pattern, column): sorted lists of column numbers as counts."""
    sizes = np.fromiter(map(len, patterns), np.int64, len(patterns))
    codes = np.concatenate([*patterns, np.empty(0, np.int64)]).astype(np.int64)
    table = sparse.csr_array((np.ones(len(codes)), codes, np.concatenate([[0], np.cumsum(sizes)])), (len(sizes), width))
    table.sum_duplicates()
    return table


def _split(
    query: Query,
    groups: Sequence[Any],
    slices: Sequence[Any],
    at: Array,
    items: Array,
    table: sparse.csr_array,
) -> list[Items]:
    labels = query.ann.labels
    bounds = np.searchsorted(at, np.arange(len(slices) + 1))
    return [
        Items(items[a:b].astype(float), table[a:b], labels, tuple(groups))
        for a, b in itertools.pairwise(bounds)
    ]


def column_of(names: Sequence[Any]) -> Array:
    """Names as a column for a small table: whole numbers, numbers or text as they are, None as null."""
    plain_names = (
        np.array(names) if all(isinstance(n, (int, float)) and not isinstance(n, bool) for n in names) else None
    )
    return plain_names if plain_names is not None else np.array(names, dtype=object)


def plain(column: Array) -> list[Any]:
    """A column as plain Python values, null and nan as None."""
    values = np.ma.filled(column.astype(object), None) if isinstance(column, np.ma.MaskedArray) else column
    return [None if v is None or v != v else v for v in values.tolist()]


@dataclass(frozen=True)
class Lifted:
    """What the coefficients need of each pattern, in the features of a kernel."""

    items: Items
    kernel: Kernel
    r: Array
    """(pattern,): labels per item, or groups per item where groups are compared."""
    sums: Any
    """(pattern, feature): features summed over the item's labels (over groups: of shares)."""
    pair: Array
    """(pattern,): the kernel summed over ordered pairs of different labels (or groups)."""


def lift(items: Items, kernel: Kernel, *, between_groups: bool = False) -> Lifted:
    """Feature sums and pair sums of every pattern.

    Without groups every label is compared with every other of the item. ``between_groups``: each group counts as
    one rater whose label is drawn from the labels it gave, and only different groups are compared.
    """
    if between_groups and len(items.groups) > 1:
        own = shares_by_group(items, kernel)
        r = np.diff(items.per_group.indptr).astype(float)
        width = own.shape[1] // len(items.groups)
        total = collapse(own, width)
        within = _within(own, width, kernel)
        return Lifted(items, kernel, r, total, _self_product(total, kernel) - within)
    items = items.merged()
    sums = features(items, kernel)
    return Lifted(items, kernel, items.per_item, sums, _self_product(sums, kernel) - kernel.perfect * items.per_item)


def features(items: Items, kernel: Kernel) -> Any:
    """(pattern, group * feature): the features of a group's labels, summed."""
    if items.moments is not None or kernel.features is None:
        return items.counts
    if len(items.groups) == 1:
        return items.counts @ kernel.features
    c, f = items.counts.tocoo(), kernel.features.shape[1]
    data = (c.data[:, None] * kernel.features[c.col % items.width]).ravel()
    columns = (c.col[:, None] // items.width * f + np.arange(f)).ravel()
    return sparse.coo_array((data, (np.repeat(c.row, f), columns)), (c.shape[0], len(items.groups) * f)).tocsr()


def shares_by_group(items: Items, kernel: Kernel) -> sparse.csr_array:
    """(pattern, group * feature): the mean features of a group's labels on an item."""
    s = sparse.csr_array(features(items, kernel))
    s.sort_indices()
    width = s.shape[1] // len(items.groups)
    rows = np.repeat(np.arange(s.shape[0]), np.diff(s.indptr))
    n = np.asarray(items.per_group[rows, s.indices // width]).ravel()
    return sparse.csr_array((s.data / n, s.indices, s.indptr), s.shape)


def cell_shares(items: Items, kernel: Kernel) -> tuple[sparse.csr_array, Array]:
    """(cell, feature): mean features of each (pattern, group) that has a label; and the pattern of each cell."""
    shares, present = shares_by_group(items, kernel).tocoo(), items.per_group
    width = shares.shape[1] // present.shape[1]
    row = np.repeat(np.arange(present.shape[0]), np.diff(present.indptr))
    keys = row * present.shape[1] + present.indices
    cell = np.searchsorted(keys, shares.row.astype(np.int64) * present.shape[1] + shares.col // width)
    return sparse.coo_array((shares.data, (cell, shares.col % width)), (len(keys), width)).tocsr(), row


def collapse(s: sparse.csr_array, width: int) -> sparse.csr_array:
    """(pattern, group * feature) summed over groups."""
    total = sparse.csr_array((s.data, s.indices % width, s.indptr), (s.shape[0], width)).copy()
    total.sum_duplicates()
    return total


def _within(s: sparse.csr_array, width: int, kernel: Kernel) -> Array:
    """(pattern,): the kernel of each group with itself, summed over groups."""
    group = s.indices // width
    rows = np.repeat(np.arange(s.shape[0]), np.diff(s.indptr))
    start = np.flatnonzero(np.diff(rows, prepend=-1) | np.diff(group, prepend=-1))
    per = sparse.csr_array((s.data, s.indices % width, np.concatenate([start, [len(s.data)]])), (len(start), width))
    return np.bincount(rows[start], _self_product(per, kernel), s.shape[0])


def _self_product(s: Any, kernel: Kernel, chunk: int = 1 << 22) -> Array:
    """(row,): each row's bilinear form with itself, in chunks of rows so that memory stays small."""
    if not sparse.issparse(s):
        return kernel.product(s, s)
    if kernel.form is None:
        squared = s.copy()
        squared.data **= 2
        return np.asarray(squared.sum(1)).ravel()
    step = max(1, chunk // s.shape[1])
    parts = [kernel.product(block, block) for i in range(0, s.shape[0], step) for block in [s[i : i + step].toarray()]]
    return np.concatenate(parts) if parts else np.zeros(0)
