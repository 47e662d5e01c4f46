"""Parts of a table as tables of their own: the rows of one value of a column, or a few labels of each item."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from raters.annotations import Annotations, Engine
from raters.errors import DataError
from raters.io.labels.sizes import table_sizes
from raters.items.folding import Query, column_of
from raters.items.repeats import check_repeats

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
