"""The fold: from the long table to patterns, by two GROUP BYs in one SQL text that every engine runs unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.annotations import Annotations
from raters.engines.duckdb import memory_limit
from raters.engines.matrix import MatrixEngine
from raters.engines.patterns import REFUSED, Packing, PatternEngine, Patterns, in_order
from raters.errors import DataError, UsageError
from raters.io.labels.sizes import PATTERNS
from raters.items.bag import WIDE, Items
from raters.items.fold_in_memory import fold_matrix, fold_patterns
from raters.items.products import in_units

BY_ITEM, BY_ANNOTATION = 100, 100
"""Bytes per item and per annotation of such a row, measured with hundreds of labels and five annotations per item."""
SMALL = 500_000_000
"""Size below which memory is not checked."""


def require_rows(ann: Annotations, groups: int) -> None:
    """Refuse a fold that would take more memory than the user allows, and say what to do instead."""
    need = BY_ITEM * ann.n_items + BY_ANNOTATION * ann.n_annotations
    if need <= SMALL or need <= (limit := memory_limit(ann.engine)):
        return
    who = f"{groups:,} raters with {len(ann.labels):,} labels" if groups > 1 else f"{len(ann.labels):,} labels"
    raise UsageError(
        f"{ann.n_items:,} items of {who} do not fold to few patterns: their rows would take about {need / 1e9:.1f} GB,"
        f" but the limit is {limit / 1e9:.1f} GB. Allow more (memory=), merge labels, choose a coefficient"
        " that does not name raters (krippendorff), or use part of the items."
    )


Array = NDArray[Any]
Tables = dict[str, dict[str, Array]]

MANY_VALUES = 32
"""Interval scales with more distinct values than this fold to moments."""


def fold(
    ann: Annotations,
    *,
    group: str | tuple[str, str] | None = None,
    by: str | None = None,
    within: str | None = None,
    cluster: str | None = None,
    moments: bool = False,
) -> dict[Any, Items]:
    """Fold the table to patterns: one ``Items`` for every value of ``by`` (one, under None, without it).

    ``group``: the column that says who is compared with whom; with two columns (a pool and its raters), each pair of
    values is a group. ``within="rater"``: only labels of the same rater
    are compared (intra-rater). ``cluster``: the column whose values are resampled whole. ``moments``: sums of 1, x, x^2
    instead of label counts. A fold is cached with its table, so it is computed only once.
    """
    question = ("fold", group, by, within, cluster, moments)
    made = ann.once(question, lambda: _fold(ann, group, by, within, cluster, moments), numbers_in)
    return dict(made)


def _fold(
    ann: Annotations,
    group: str | tuple[str, str] | None,
    by: str | None,
    within: str | None,
    cluster: str | None,
    moments: bool,
) -> dict[Any, Items]:
    if isinstance(ann.engine, MatrixEngine) and by is None and within is None and cluster is None:
        matrix = fold_matrix(ann, ann.engine, group, moments)
        if matrix is not None:
            return {None: replace(matrix, n_raters=ann.n_raters)}
    if isinstance(ann.engine, PatternEngine):
        if within is not None or cluster is not None:
            raise UsageError(REFUSED)
        return fold_patterns(ann, ann.engine, group, by, moments)
    query = Query(ann, group=group, by=by, within=within, cluster=cluster)
    read = _moments if moments else _wide if len(query.groups) * len(ann.labels) <= WIDE else _lists
    n_raters = query.raters()
    parts = zip(query.slices, read(query), strict=True)
    return {name: replace(items, n_raters=n_raters.get(name, 0)) for name, items in parts}


def numbers_in(made: dict[Any, Items]) -> int:
    return sum(len(items.weight) + 2 * items.counts.nnz for items in made.values())


class Query:
    """The SQL of the fold: the same text for every engine. Names and labels enter as small tables, never as text."""

    def __init__(
        self,
        ann: Annotations,
        *,
        group: str | tuple[str, str] | None = None,
        by: str | None = None,
        within: str | None = None,
        cluster: str | None = None,
    ) -> None:
        self.ann, self.by, self.clustered = ann, by, cluster is not None
        keys = {"item": "item"}
        grp, grp2 = group if isinstance(group, tuple) else (group, None)
        for name, column in (("unit2", within), ("grp", grp), ("grp2", grp2), ("slice", by), ("block", cluster)):
            if column is not None:
                _check(ann, column)
                keys[name] = ann.engine.quote(column)
        self.keys = keys
        self.unit = "item, unit2" if within else "item"
        chosen = ", ".join(f"{column} AS {name}" for name, column in keys.items())
        if ann.duplicates in ("first", "last") and ann.repeats:
            pick = "min_by" if ann.duplicates == "first" else "max_by"
            once = ", ".join(dict.fromkeys([*keys.values(), "rater"]))
            self.base = f"SELECT {chosen}, rater AS who, {pick}(label, row) AS label FROM annotations GROUP BY {once}"
        else:
            self.base = f"SELECT {chosen}, rater AS who, label FROM annotations"
        self.groups = self.names("grp", *(["grp2"] if grp2 else [])) if group else (None,)
        self.slices = self.names("slice") if by else (None,)
        self.blocks = self.names("block") if cluster else (None,)
        self.width = len(self.groups) * len(ann.labels)
        self.sorted_codes = f"array_sort(array_agg(g * {len(ann.labels)} + k))"

    def run(self, sql: str, tables: Tables | None = None) -> dict[str, Array]:
        return self.ann.engine.query(sql, **(tables or {}))

    def names(self, *columns: str) -> tuple[Any, ...]:
        """The values of a column, or the pairs of values of two."""
        order = ", ".join(f"{column} NULLS LAST" for column in columns)
        sql = f"SELECT DISTINCT {', '.join(columns)} FROM ({self.base}) AS b ORDER BY {order}"
        got = self.ann.once(sql, lambda: self.run(sql), lambda made: sum(map(len, made.values())))
        found = [python_values(got[column]) for column in columns]
        return tuple(found[0] if len(found) == 1 else zip(*found, strict=True))

    def raters(self) -> dict[Any, int]:
        if not self.by:
            return {None: self.ann.n_raters}
        got = self.run(f"SELECT slice, count(DISTINCT who) AS n FROM ({self.base}) AS b GROUP BY slice")
        return dict(zip(python_values(got["slice"]), map(int, got["n"]), strict=True))

    @property
    def plain(self) -> bool:
        """Whether it uses all annotations, distinguished only by item."""
        dropping = self.ann.repeats and self.ann.duplicates in ("first", "last")
        return list(self.keys) == ["item"] and not dropping

    def coded(self, what: str, more: Mapping[str, Mapping[str, Array]] | None = None) -> tuple[str, Tables]:
        """Rows of (unit, slice s, cluster u, group g, ``what``) as codes, and the small tables that it joins.

        ``more``: further columns of the small tables of labels and groups.
        """
        extra = more or {}
        tables: Tables = {}
        joins, codes = "", []
        for column, short, names in (
            ("slice", "s", self.slices),
            ("block", "u", self.blocks),
            ("grp", "g", self.groups),
        ):
            if names == (None,):
                codes.append(f"0 AS {short}")
                continue
            values = list(zip(*names, strict=True)) if isinstance(names[0], tuple) else [names]
            keys = [(column, "name"), (f"{column}2", "name2")][: len(values)]
            known = {name: column_of(value) for (_, name), value in zip(keys, values, strict=True)}
            tables[f"{column}_codes"] = {**known, "code": np.arange(len(names)), **extra.get(column, {})}
            same = " AND ".join(f"b.{own} IS NOT DISTINCT FROM {column}_codes.{name}" for own, name in keys)
            joins += f" JOIN {column}_codes ON {same}"
            codes.append(f"{column}_codes.code AS {short}")
        if "label_codes" in what:
            tables["label_codes"] = {
                "label": self.ann.keys,
                "code": np.arange(len(self.ann.keys)),
                **extra.get("label", {}),
            }
            joins += " JOIN label_codes ON b.label = label_codes.label"
        unit = ", ".join(f"b.{name}" for name in self.unit.split(", "))
        return f"SELECT {unit}, {', '.join(codes)}, {what} FROM ({self.base}) AS b{joins}", tables

    def split(self, got: dict[str, Array], items: Array, table: sparse.csr_array) -> list[Items]:
        """The rows of each slice as ``Items``."""
        bounds = np.searchsorted(got["s"], np.arange(len(self.slices) + 1))
        cluster = got["u"] if self.clustered else None
        whole = Items(items.astype(float), table, self.ann.labels, self.groups, cluster=cluster)
        return [whole.where(np.arange(a, b)) for a, b in pairwise(bounds)] if self.by else [whole]


def _check(ann: Annotations, column: str) -> None:
    if column not in ("rater", "item", *ann.extras):
        there = ", ".join(("item", "rater", "label", *ann.extras))
        raise UsageError(f"no column {column!r} in {ann.source}; there are: {there}.")
    if column == "rater" and not ann.n_raters:
        raise UsageError(
            "this table does not show who gave which label, so raters cannot be distinguished. Use fleiss,"
            " krippendorff, gwet or brennan_prediger."
        )


def _wide(query: Query) -> list[Items]:
    """Patterns as one column of counts per (group, label)."""
    ann = query.ann
    known: Patterns | None = ann.held(PATTERNS) if query.plain else None
    if known is not None:
        return [Items(known.items, sparse.csr_array(known.counts), ann.labels, query.groups)]
    alone = "grp" in query.keys and query.keys["grp"] == "rater" and not (ann.repeats and ann.duplicates == "keep")
    packing = Packing(len(query.groups), len(ann.labels), 1 if alone else int(ann.per_item[2]).bit_length())
    return _packed(query, packing) if packing.possible else _filtered(query)


def _packed(query: Query, packing: Packing) -> list[Items]:
    """Counts as the digits of a few sums."""
    weights = {"label": packing.label_weights(), "grp": packing.group_weights() if packing.groups > 1 else {}}
    chosen = [f"{table}_codes.{name}" for table, columns in weights.items() for name in columns]
    rows, tables = query.coded(", ".join(chosen), weights)
    words = [f"w{i}" for i in range(packing.words)]
    columns = ", ".join(["s", "u", *words])
    inner = f"SELECT s, u, {', '.join(packing.sums())} FROM ({rows}) AS r GROUP BY {query.unit}, s, u"
    got = query.run(f"SELECT {columns}, count(*) AS items FROM ({inner}) AS p GROUP BY {columns}", tables)
    counts = packing.counts(np.stack([got[name] for name in words], -1))
    order = in_order(got["s"], got["u"], counts)
    at = {name: got[name][order] for name in ("s", "u")}
    return query.split(at, got["items"][order], sparse.csr_array(counts[order].astype(float)))


def _filtered(query: Query) -> list[Items]:
    """The same by a count for each cell."""
    rows, tables = query.coded("label_codes.code AS k")
    k, names = len(query.ann.labels), [f"c{j}" for j in range(query.width)]
    counts = ", ".join(f"count(*) FILTER (WHERE g * {k} + k = {j}) AS {name}" for j, name in enumerate(names))
    columns = ", ".join(["s", "u", *names])
    inner = f"SELECT s, u, {counts} FROM ({rows}) AS r GROUP BY {query.unit}, s, u"
    got = query.run(
        f"SELECT {columns}, count(*) AS items FROM ({inner}) AS p GROUP BY {columns} ORDER BY {columns}", tables
    )
    table = sparse.csr_array(np.stack([got[name] for name in names], -1).astype(float))
    return query.split(got, got["items"], table)


def _lists(query: Query) -> list[Items]:
    """Patterns as sorted lists of group * labels + label: only what occurs is stored."""
    require_rows(query.ann, len(query.groups))
    rows, tables = query.coded("label_codes.code AS k")
    inner = f"SELECT s, u, {query.sorted_codes} AS pattern FROM ({rows}) AS r GROUP BY {query.unit}, s, u"
    got = query.run(
        f"SELECT s, u, pattern, count(*) AS items FROM ({inner}) AS p GROUP BY s, u, pattern ORDER BY s, u, pattern",
        tables,
    )
    return query.split(got, got["items"], _table(got["pattern"], query.width))


def _moments(query: Query) -> list[Items]:
    """Patterns as 1, x, x^2 summed in each group, x measured from the mean of all labels, in the unit of the labels."""
    require_rows(query.ann, len(query.groups))
    rows, tables = query.coded(f"{in_units(query.ann, 'b.label')} AS x")
    one = query.run(
        f"SELECT avg(x) AS center, var_pop(x) AS spread, max(x) - min(x) AS span FROM ({rows}) AS r", tables
    )
    center, spread, span = (float(one[name][0]) for name in ("center", "spread", "span"))
    # items are separated only if groups are; otherwise an item is one row
    which = "0" if query.groups == (None,) else f"dense_rank() OVER (ORDER BY s, u, {query.unit})"
    got = query.run(
        f"SELECT s, u, g, {which} AS p, count(*) AS n, avg(x) AS mean, var_pop(x) * count(*) AS m2 FROM ({rows}) AS r "
        f"GROUP BY {query.unit}, s, u, g ORDER BY s, u, p, n, mean, m2",
        tables,
    )
    n, d, m2 = got["n"].astype(float), got["mean"].astype(float) - center, got["m2"].astype(float)
    sums = np.stack([n, n * d, m2 + n * d**2], -1)
    if query.groups == (None,):
        table, first = sparse.csr_array(sums), np.arange(len(n))
    else:
        first = np.flatnonzero(np.diff(got["p"], prepend=-1))
        row = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(n))))
        columns = (got["g"][:, None] * 3 + np.arange(3)).ravel()
        shape = (len(first), 3 * len(query.groups))
        table = sparse.coo_array((sums.ravel(), (np.repeat(row, 3), columns)), shape).tocsr()
    at = {name: got[name][first] for name in ("s", "u")}
    return [replace(part, moments=(center, spread, span)) for part in query.split(at, np.ones(len(first)), table)]


def _table(patterns: Array, width: int) -> sparse.csr_array:
    """(pattern, column): sorted lists of column numbers as counts."""
    sizes = np.fromiter(map(len, patterns), np.int64, len(patterns))
    codes = np.concatenate([*patterns, np.empty(0, np.int64)]).astype(np.int64)
    table = sparse.csr_array((np.ones(len(codes)), codes, np.concatenate([[0], np.cumsum(sizes)])), (len(sizes), width))
    table.sum_duplicates()
    return table


def column_of(names: Sequence[Any]) -> Array:
    """Names as a column for a small table: whole numbers, numbers or text as they are, None as null."""
    plain_names = (
        np.array(names) if all(isinstance(n, (int, float)) and not isinstance(n, bool) for n in names) else None
    )
    return plain_names if plain_names is not None else np.array(names, dtype=object)


def python_values(column: Array) -> list[Any]:
    """A column as plain Python values, null and nan as None."""
    values = np.ma.filled(column.astype(object), None) if isinstance(column, np.ma.MaskedArray) else column
    return [None if v is None or v != v else v for v in values.tolist()]


def check_repeats(ann: Annotations, group: str | None, by: str | None) -> None:
    """Raise an error for a rater who labels an item twice, unless ``duplicates=`` states what to do."""
    if not ann.repeats or ann.duplicates != "error":
        return
    more = [ann.engine.quote(c) for c in (group, by) if c is not None and c in ann.extras]
    if more:
        got = ann.engine.query(
            f"SELECT count(*) AS n FROM (SELECT item FROM annotations GROUP BY item, rater, {', '.join(more)} HAVING"
            " count(*) > 1) AS r"
        )
        if not int(got["n"][0]):
            return
    refuse_spans(ann)
    item, rater = ann.first_repeat or ("?", "?")
    how = (
        "Which columns are items, raters and labels was guessed: name them (an item may have several columns),"
        " raters.read(..., item='COLUMN', rater='COLUMN', label='COLUMN')."
        if ann.guessed
        else "Say which to use: raters.read(..., duplicates='first'), 'last' or 'keep'."
    )
    raise DataError(
        f"{ann.source}: {ann.repeats:,} annotations repeat an item and rater (first: item {item!r}, rater {rater!r})."
        f" {how}"
    )


def need_sets(ann: Annotations, what: str) -> None:
    """Refuse a table of single labels for a figure of label sets."""
    if not ann.scale.of_sets:
        raise UsageError(f"{what} needs sets of labels, but {ann.source} has single labels; read it with scale='sets'.")


def refuse_spans(ann: Annotations) -> None:
    """Repeats in a table with columns that locate a label within an item are not repeats but spans, and none may be
    dropped.
    """
    spans = _span_columns(ann.extras)
    if not ann.repeats or ann.duplicates != "error" or spans is None:
        return
    raise DataError(
        f"{ann.source}: {ann.repeats:,} annotations repeat an item and rater, and columns {spans[0]!r} and {spans[1]!r}"
        " look like spans. If they are, name their columns: raters.read(..., document='COLUMN', rater='COLUMN',"
        " start='COLUMN', end='COLUMN', label='COLUMN'). If these columns mean something else: raters.read(...,"
        " duplicates='first')."
    )


SPANS = ({"start", "begin", "charstart", "startoffset", "startchar", "beginoffset", "head", "arg1"},
         {"end", "stop", "charend", "endoffset", "endchar", "tail", "arg2"})  # fmt: skip


def _span_columns(columns: Iterable[str]) -> tuple[str, str] | None:
    """Two columns that place a label inside an item, or between two parts of it."""
    plain_names = {c.lower().replace("_", "").replace("-", "").replace(" ", ""): c for c in columns}
    first, last = (next((plain_names[n] for n in sorted(names) if n in plain_names), None) for names in SPANS)
    return (first, last) if first is not None and last is not None else None
