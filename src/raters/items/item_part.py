"""Part of a large table: all annotations of items drawn by the hash of their names, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raters.annotations import Annotations, Kept
from raters.engines.duckdb import NUMBERED, DuckDBEngine, connect
from raters.io.labels.sizes import table_sizes

DIGITS = 16


def part_of(ann: Annotations, most: int, extras: Sequence[str] = ()) -> Annotations:
    """About ``most`` annotations: those of items drawn by their names, each with all its labels; the table itself if it has no more.

    Which items are drawn depends only on their names, so every engine draws the same. ``extras``: other columns to keep.

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
