"""Part of a large table: all annotations of items drawn by the hash of their names, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from raters.annotations import Annotations, Engine, Kept
from raters.engines.duckdb import NUMBERED, DuckDBEngine, connect
from raters.errors import DataError
from raters.io.labels.sizes import table_sizes
from raters.items.folding import Query, check_repeats, column_of

DIGITS = 16


def part_of(ann: Annotations, most: int, extras: Sequence[str] = ()) -> Annotations:
    """About ``most`` annotations: those of items drawn by their names, each with all its labels; the table itself if it
    has no more.

    Which items are drawn depends only on their names, so every engine draws the same. ``extras``: other columns to
    keep.

    >>> from raters import simulate
    >>> whole = simulate.labels(200, 5, 2, seed=0).annotations()
    >>> part_of(whole, 2_000) is whole, part_of(whole, 300).n_items, part_of(whole, 300).per_item
    (True, 66, (5, 5.0, 5))
    """
    if ann.n_annotations <= most:
        return ann
    return ann.once(
        ("part", most, tuple(extras)), lambda: _drawn(ann, most, extras), lambda part: 5 * part.n_annotations
    )


def _drawn(ann: Annotations, most: int, extras: Sequence[str]) -> Annotations:
    limit = f"{int(most / ann.n_annotations * 16**DIGITS):0{DIGITS}x}"
    named = ann.n_raters > 0
    rows = (
        ["row"] if ann.repeats else []
    )  # which of a rater's labels came first; numbering all rows costs more than drawing them
    columns = [*rows, "item", *(["rater"] if named else []), "label", *map(ann.engine.quote, extras)]
    sql = (
        f"SELECT {', '.join(columns)} FROM annotations WHERE substr(md5(CAST(item AS STRING)), 1, {DIGITS}) < '{limit}'"
    )
    added = [*([] if rows else [NUMBERED]), *([] if named else ["CAST(NULL AS VARCHAR) AS rater"])]
    engine = _loaded(ann, sql).derive(f"SELECT {', '.join(['*', *added])} FROM annotations")
    n = int(engine.query("SELECT count(*) AS n FROM annotations")["n"][0])
    if not n:
        return ann
    return replace(ann, engine=engine, extras=tuple(extras), kept=Kept(), **table_sizes(engine, n, named))


def _loaded(ann: Annotations, sql: str) -> DuckDBEngine:
    """The rows of a query as a table in our database, without a way through Python where they are there already."""
    made = ann.engine.copied(sql) if isinstance(ann.engine, DuckDBEngine) else None
    if made is not None:
        return made
    connection = connect()
    connection.register("incoming", ann.engine.query(sql))
    connection.execute("CREATE TEMP TABLE part AS SELECT * FROM incoming")
    connection.unregister("incoming")
    return DuckDBEngine("SELECT * FROM part", connection)


PLACED = "(SELECT *, row_number() OVER (ORDER BY item, rater, row, label) AS raters_place FROM annotations) AS p"
"""Every row with its position in an order that every engine reproduces."""


def recounted(ann: Annotations, engine: Engine) -> Annotations:
    """Other rows under the same scale and labels, recounted."""
    n = int(engine.query("SELECT count(*) AS n FROM annotations")["n"][0])
    if not n:
        raise DataError(f"{ann.source}: there are no labels left.")
    return replace(ann, engine=engine, kept=type(ann.kept)(), **table_sizes(engine, n, bool(ann.n_raters)))


def parts_by(ann: Annotations, by: str) -> dict[Any, Annotations]:
    """One table for each value of a column; the scale and the labels stay those of the whole."""
    column = ann.engine.quote(by)
    found = {}
    for value in Query(ann, by=by).slices:
        only = {"name": column_of([value])}
        sql = f"SELECT a.* FROM annotations AS a JOIN chosen ON a.{column} IS NOT DISTINCT FROM chosen.name"
        found[value] = recounted(ann, ann.engine.derive(sql, chosen=only))
    return found


def thinned(ann: Annotations, ratings: int, seed: int) -> tuple[Annotations, int]:
    """At most this many labels of each item, drawn at random, and the number of items that had fewer."""
    check_repeats(ann, None, None)
    rows = PLACED
    if ann.repeats and ann.duplicates in ("first", "last"):
        pick = "min_by" if ann.duplicates == "first" else "max_by"
        rows = (
            f"(SELECT item, rater, {pick}(raters_place, row) AS raters_place FROM {PLACED} GROUP BY item, rater) AS q"
        )
    got = ann.engine.query(f"SELECT item, raters_place AS place FROM {rows} ORDER BY raters_place")
    _, item = np.unique(got["item"].astype(str) if got["item"].dtype == object else got["item"], return_inverse=True)
    shuffled = np.random.default_rng(seed).permutation(len(item))
    by_item = shuffled[np.argsort(item[shuffled], kind="stable")]
    size = np.bincount(item)
    first = np.repeat(np.cumsum(size) - size, size)
    kept = np.sort(by_item[np.arange(len(item)) - first < ratings])
    sql = f"SELECT p.* FROM {PLACED} JOIN drawn ON p.raters_place = drawn.place"
    engine = ann.engine.derive(sql, drawn={"place": got["place"][kept].astype(np.int64)})
    return recounted(ann, engine), int((size < ratings).sum())
