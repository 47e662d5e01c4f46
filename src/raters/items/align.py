"""Several tables side by side: the same items in the same rows, the same labels in the same columns.

Each table is folded by its own engine to counts of (item, group, label); the rest is numpy. Item names are coded by
one dictionary, so tables may be on different engines, and the cost is linear in the annotations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.annotations import Annotations
from raters.errors import DataError, UsageError, listed
from raters.items.bag import Items
from raters.items.folding import Query, numbers_in, python_values
from raters.scales.scale import Scale

Array = NDArray[Any]


def align(
    anns: Sequence[Annotations], *, group: str | None = None, by: str | None = None
) -> tuple[list[Any], list[Items]]:
    """Names of all items of these tables, and one ``Items`` for each table, whose row i is item i.

    Rows have weight 1; an item that a table lacks is a row without labels. Labels are those of
    :func:`unified`, the same for all. ``group``: who is compared with whom inside each table (its column
    ``"rater"``, a pool). ``by``: items are also distinguished by this column, and a name is (value, item).

    Items keep the order of their names in the first table, then those only in the second, and so on. Whether a rater
    may label an item twice is for the caller to check (``repeats.check_repeats``), as with ``fold``.

    >>> from raters.io.read import read
    >>> x = read([("q1", "ann", "no"), ("q2", "ann", "yes")])
    >>> y = read([("q2", "bob", "yes"), ("q3", "bob", "no"), ("q3", "cat", "no")])
    >>> names, (left, right) = align([x, y])
    >>> names, left.per_item.tolist(), right.per_item.tolist()
    (['q1', 'q2', 'q3'], [1.0, 1.0, 0.0], [0.0, 1.0, 2.0])
    """
    same = unified(anns)
    tables = [_one_table(ann, group, by) for ann in same]
    if len(tables) == 1:
        return tables[0][0], [tables[0][1]]
    codes = _coded([names for names, _ in tables])
    every: dict[Any, int] = {}
    for names in codes:
        for name in names:
            every.setdefault(name, len(every))
    n = len(every)
    items = []
    for names, (_, own) in zip(codes, tables, strict=True):
        place = np.fromiter((every[name] for name in names), np.int64, len(names))
        cells = own.counts.tocoo()
        table = sparse.coo_array((cells.data, (place[cells.row], cells.col)), (n, own.counts.shape[1])).tocsr()
        items.append(replace(own, weight=np.ones(n), counts=table))
    return list(every), items


def items_by_name(ann: Annotations, group: str | None = None) -> tuple[list[Any], Items]:
    """Each item as a separate pattern, with the items' names."""
    names, (items,) = align([ann], group=group)
    return names, items


def beside(items: Sequence[Items], names: Sequence[Any]) -> Items:
    """One bag of aligned items: group g of table t becomes the group (names[t], g)."""
    groups = tuple((name, g) for name, part in zip(names, items, strict=True) for g in part.groups)
    counts = sparse.hstack([part.counts for part in items], format="csr")
    return replace(items[0], counts=counts, groups=groups)


def packed(items: Items) -> Items:
    """Merge equal rows, however wide. The order of the patterns depends only on the patterns, so the same seed
    draws the same replicates wherever the data come from.
    """
    if items.moments is not None or items.cluster is not None or not len(items.weight):
        return items
    first, which = distinct(items.counts)
    return replace(items, weight=np.bincount(which, items.weight), counts=items.counts[first])


def distinct(counts: sparse.csr_array) -> tuple[Array, Array]:
    """The distinct rows, and the index of each row among them, in linear time.

    Rows are identified by two random linear forms of their counts, modulo 2^64 each.
    """
    forms = np.random.default_rng(20210607).integers(0, 2**64, (2, counts.shape[1]), dtype=np.uint64)
    number = counts.data.astype(np.uint64)
    zero = np.zeros(1, np.uint64)
    sums = [np.concatenate([zero, np.cumsum(number * form[counts.indices], dtype=np.uint64)]) for form in forms]
    low, high = (s[counts.indptr[1:]] - s[counts.indptr[:-1]] for s in sums)
    order = np.lexsort((low, high))
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0)
    which = np.empty(len(order), np.int64)
    which[order] = np.cumsum(new) - 1
    return order[new], which


def unified(anns: Sequence[Annotations]) -> list[Annotations]:
    """The same tables on one scale with one list of labels.

    A given scale takes precedence over an assumed one. Labels: the longer list if it contains the other in the same
    order, otherwise all labels in the order of numbers or of code points.
    """
    scale = _one_scale(anns)
    if len({ann.numeric for ann in anns}) > 1:
        text, numbers = sorted(anns, key=lambda a: a.numeric)[:: len(anns) - 1]
        raise DataError(
            f"labels of {text.source} are text ({listed(text.labels, 3)}), those of {numbers.source} numbers "
            f"({listed(numbers.labels, 3)}). Use the same labels in both."
        )
    keys, labels = _one_list(anns, scale)
    period = next((ann.period for ann in anns if ann.period is not None), None)
    members = tuple(dict.fromkeys(label for ann in anns for label in ann.members))
    return [replace(ann, scale=scale, keys=keys, labels=labels, period=period, members=members) for ann in anns]


def _one_scale(anns: Sequence[Annotations]) -> Scale:
    if len({ann.scale for ann in anns}) == 1:
        return anns[0].scale
    given = {ann.scale for ann in anns if ann.scale_from.code == "scale_given"}
    if len(given) == 1 and not (scale := given.pop()).of_sets:
        return scale
    found = "; ".join(f"{ann.source}: {ann.scale} ({ann.scale_reason})" for ann in anns)
    raise UsageError(f"the tables are on different scales ({found}). Read them with the same scale=.")


def _one_list(anns: Sequence[Annotations], scale: Scale) -> tuple[Array, tuple[Any, ...]]:
    lists = [ann.keys.tolist() for ann in anns]
    longest = max(range(len(anns)), key=lambda i: len(lists[i]))
    if all(_in_order(part, lists[longest]) for part in lists):
        return anns[longest].keys, anns[longest].labels
    if scale.ranks and not all(ann.numeric for ann in anns):
        shown = "; ".join(f"{ann.source}: {listed(ann.labels)}" for ann in anns)
        raise UsageError(f"the tables order their labels differently ({shown}). Read them with the same labels=.")
    names = {key: label for ann in anns for key, label in zip(ann.keys.tolist(), ann.labels, strict=True)}
    keys = sorted(names)
    return np.array(keys, dtype=anns[0].keys.dtype), tuple(names[key] for key in keys)


def _in_order(part: Iterable[Any], whole: Iterable[Any]) -> bool:
    rest = iter(whole)
    return all(any(key == other for other in rest) for key in part)


CELLS = """
WITH given AS ({rows}),
     units AS (SELECT s, item, row_number() OVER (ORDER BY s, item) - 1 AS unit FROM (SELECT DISTINCT s, item FROM given) AS u)
SELECT CAST(units.unit AS BIGINT) * {width} + g * {labels} + k AS cell{counted}
FROM given JOIN units ON given.s = units.s AND given.item = units.item{grouped}
"""


def _one_table(ann: Annotations, group: str | None, by: str | None) -> tuple[list[Any], Items]:
    """The items of one table by name, each as a separate pattern."""
    return ann.once(("items", group, by), lambda: _read(ann, group, by), lambda made: numbers_in({None: made[1]}))


def _read(ann: Annotations, group: str | None, by: str | None) -> tuple[list[Any], Items]:
    """Two queries: the cells that occur, items as numbers; and the items' names, which are many times as long."""
    query = Query(ann, group=group, by=by)
    rows, tables = query.coded("label_codes.code AS k")
    once = group == "rater" and not (ann.repeats and ann.duplicates == "keep")  # then no cell counts twice
    how = {"counted": "", "grouped": ""} if once else {"counted": ", count(*) AS n", "grouped": " GROUP BY 1"}
    got = query.run(CELLS.format(rows=rows, width=query.width, labels=len(ann.labels), **how), tables)
    named = query.run(f"SELECT DISTINCT s, item FROM ({rows}) AS r ORDER BY s, item", tables)
    names = python_values(named["item"])
    if by is not None:
        names = [(query.slices[at], name) for at, name in zip(named["s"].tolist(), names, strict=True)]
    cell, n = _sorted_cells(got, once)
    ends = np.searchsorted(cell, np.arange(len(names) + 1, dtype=np.int64) * query.width)
    small = np.int32 if max(query.width, len(n)) < 2**31 else np.int64
    cells = (n, np.remainder(cell, query.width, out=cell).astype(small), ends.astype(small))
    table = sparse.csr_array(cells, (len(names), query.width))
    return names, Items(np.ones(len(names)), table, ann.labels, query.groups, n_raters=ann.n_raters)


def _sorted_cells(got: dict[str, Array], once: bool) -> tuple[Array, Array]:
    """Item and column of each cell as one number, sorted here, where it takes less memory than in the database; and its
    count.
    """
    cell = got.pop("cell").astype(np.int64, copy=False)
    if once:
        return np.sort(cell), np.ones(len(cell))
    order = np.argsort(cell, kind="stable")
    return cell[order], got["n"][order].astype(float)


def _coded(tables: Sequence[list[Any]]) -> Sequence[list[Any]]:
    """Names that can be compared: if one table has numbers and another text, all become text."""
    kinds = {type(name[1] if isinstance(name, tuple) else name) is str for names in tables for name in names[:1]}
    return tables if len(kinds) < 2 else [[_text(name) for name in names] for names in tables]


def _text(name: Any) -> Any:
    if isinstance(name, tuple):
        return name[0], _text(name[1])
    return str(int(name)) if isinstance(name, float) and name.is_integer() else str(name)


def clusters_of(anns: Sequence[Annotations], names: Sequence[Any], column: str) -> Array:
    """(item,): the code of each item's cluster, from whichever table has the column; an item belongs to one cluster."""
    having = [ann for ann in anns if column in ann.extras]
    if not having:
        raise UsageError(f"no column {column!r} in {' or '.join(ann.source for ann in anns)} for the clusters.")
    found: dict[str, Any] = {}
    for ann in having:
        got = ann.engine.query(f"SELECT DISTINCT item, {ann.engine.quote(column)} AS block FROM annotations")
        for name, block in zip(python_values(got["item"]), python_values(got["block"]), strict=True):
            if found.setdefault(_text(name), block) != block:
                raise DataError(
                    f"item {name!r} belongs to two clusters of {column!r}: {found[_text(name)]!r} and {block!r}."
                )
    lacks = [name for name in names if _text(name) not in found]
    if lacks:
        raise DataError(f"{len(lacks):,} items have no {column!r} (first: {lacks[0]!r}), so their cluster is unknown.")
    return np.unique([str(found[_text(name)]) for name in names], return_inverse=True)[1]
