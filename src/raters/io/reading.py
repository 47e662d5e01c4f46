"""``read``: any table of labels in, :class:`~raters.annotations.Annotations` out."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import Any

import numpy as np

from raters.annotations import DUPLICATES, Annotations
from raters.errors import RatersWarning, UsageError, brief, listed
from raters.io.clean import Cleaned, clean, nothing_left
from raters.io.layouts import Long, long, repeated, wide
from raters.io.matrices import Matrix, in_memory
from raters.io.nested import spread_out
from raters.io.recognise import Reading, rater_columns, recognise, spans
from raters.io.scale import ORDERED, Found, Scale, decide
from raters.io.sizes import distinct_labels, table_sizes
from raters.io.sources.values import written
from raters.io.table import Table
from raters.io.tallies import contingency, counts
from raters.options import asks

MOST_LABELS = 5000
SEPARATORS = (";", "|", "#", ",", "\n", "/", "+")
LAYOUTS = ("auto", "long", "wide", "counts", "contingency")


@asks()
def read(
    source: Any,
    *,
    item: str | Sequence[str] | None = None,
    rater: str | Sequence[str] | None = None,
    label: str | None = None,
    scale: str | None = None,
    labels: Sequence[Any] | None = None,
    layout: str = "auto",
    raters: str = "columns",
    missing: Iterable[Any] = (),
    duplicates: str = "error",
    encoding: str = "utf-8",
    format: str | None = None,
    sheet: str | None = None,
    period: float | None = None,
    sep: str | None = None,
    multi: str | None = None,
    ordered: bool = False,
) -> Annotations:
    """Read annotations from a file, a dataframe, rows, or a matrix.

    ``source``: a path (CSV, TSV, JSON, Parquet, each also ``.gz``; Excel and OpenDocument sheets; SPSS, Stata and SAS with the
    extra ``[statistics]``; Arrow; a table of a DuckDB or SQLite file; ``"-"`` for standard input), a dataframe (pandas, polars,
    pyarrow, a DuckDB relation, Spark), rows (tuples of item, rater, label, or dicts), or a matrix.
    ``item``, ``rater``, ``label``: column names, found by usual names where not given; several columns in ``rater`` (a list,
    ``"ann1,ann2"`` or the range ``"ann1:ann4"``) are those of one rater each.
    ``layout``: ``"auto"`` (recognised from names and values, and said), ``"long"`` (one row per annotation), ``"wide"`` (items
    by raters; with ``raters="rows"``, raters by items), ``"counts"`` (items by labels) or ``"contingency"`` (a square table of
    two raters).
    ``scale``: ``nominal ordinal interval ratio circular``, assumed from the labels where not given; or ``sets``, for
    sets of labels: a column of lists, JSON, one-hot columns (``label_*``, or ``label="topic_*"``), text with ``sep=``
    between labels, or ``multi="rows"`` where each row is one label of a set. ``ordered``: primary labels come first.
    ``sep``: what separates the labels of a set; on other scales, the columns of a text file.
    ``labels``: the labels in order, also those that do not occur; an ordered pandas categorical or a polars enum has
    an order of its own, and is an ordinal scale unless ``scale`` says otherwise.
    ``sheet``: the sheet of a workbook, or the table of a database file. ``format``: of the file, where its ending does not say.
    ``missing``: labels that stand for a missing one, besides empty, null and NaN.
    ``duplicates``: what to do when a rater labels an item twice: ``error first last keep``.
    ``period``: for ``scale="circular"``, the number of units in the circle.

    >>> ann = read([("q1", "ann", "no"), ("q1", "bob", "yes"), ("q2", "ann", "no"), ("q2", "bob", None)],
    ...            scale="nominal")
    >>> print(ann)
    rows: 2 items, 2 raters, 3 annotations; 2 labels: no, yes; 1 to 2 (mean 1.5) labels per item
    scale: nominal (given)
    columns: item = 'item', rater = 'rater', label = 'label'
    dropped: 1 row (missing label)
    """
    check(layout, raters, duplicates)
    chosen = None if labels is None or isinstance(labels, str) else list(labels)
    if isinstance(labels, str):
        raise UsageError(f"labels={labels!r}: give a list of labels, in order, such as labels=['no', 'yes'].")
    if isinstance(source, Annotations):
        return declared_again(source, scale, chosen, duplicates, period, (item, rater, label, tuple(missing)))
    gone = [missing] if isinstance(missing, str) else list(missing)
    if scale == "sets" or multi is not None or ordered:
        if scale not in (None, "sets") or period is not None:
            raise UsageError("multi= and ordered= are for scale='sets', period= is for scale='circular'.")
        from raters.io.sets.cells import SetOptions
        from raters.io.sets.reading import read_sets

        several = layout == "auto" and isinstance(rater, list | tuple)
        form = "wide" if several else "long" if layout == "auto" else layout
        asked = SetOptions(item, rater, label, chosen, form, raters, gone, duplicates, sep, multi, ordered)
        return read_sets(opened(source, layout, raters, encoding, format, None, sheet), asked)
    if layout == "wide" and item is None and rater is None and not gone:
        counted = in_memory(source, raters, chosen)
        if counted is not None:
            return replace(assemble(Matrix(), counted, scale, chosen, duplicates, period), layout=layout)
    table = opened(source, layout, raters, encoding, format, sep, sheet)
    found = laid_out(table, layout, item, rater, label, raters)
    made = LAID_OUT[found.layout](table, found, chosen)
    made, order = ordered_labels(replace(made, notes=(*table.notes, *made.notes)), chosen, scale, gone)
    cleaned = clean(made, gone, order, scale)
    read_as = assemble(made, cleaned, scale, order, duplicates, period)
    return replace(read_as, layout=found.layout, recognised=found.said)


def laid_out(table: Table, layout: str, item: Any, rater: Any, label: Any, raters: str) -> Reading:
    """How the table is to be read: as was said, or as is recognised."""
    if isinstance(rater, str) and rater not in table.names and layout != "contingency":
        several = spans(rater, table.names)
        rater = several if len(several) > 1 else rater
    if isinstance(rater, str) and layout == "contingency" and "," in rater:
        rater = [name.strip() for name in rater.split(",")]
    if layout == "auto" and raters == "columns":
        return recognise(table, item, rater, label)
    if layout == "wide" and rater is None and raters == "columns" and not table.numbered:
        return rater_columns(table, item)
    return Reading("wide" if layout == "auto" else layout, item, rater, label, raters)


LAID_OUT: Mapping[str, Callable[[Table, Reading, Sequence[Any] | None], Long]] = {
    "long": lambda table, r, labels: long(table, r.item, r.rater, r.label),
    "wide": lambda table, r, labels: wide(table, r.item, r.rater, r.raters),
    "counts": lambda table, r, labels: counts(table, r.item, labels, r.rater),
    "contingency": lambda table, r, labels: contingency(table, r.rater, labels),
    "cells": lambda table, r, labels: spread_out(table, r.item, str(r.label), r.rater),
    "patterns": lambda table, r, labels: wide(repeated(table, r.count), None, r.rater, r.raters),
}
"""From a table and how it is laid out to the long table."""


def ordered_labels(
    made: Long, chosen: list[Any] | None, scale: str | None, gone: list[Any]
) -> tuple[Long, list[Any] | None]:
    """The labels in order: as given, as the layout names them, or as the column's own categories; None where none says."""
    order = chosen if chosen is not None or made.labels is None else list(made.labels)
    if order is not None or scale not in (None, "ordinal") or made.order is None:
        return replace(made, order=None), order
    dropped = {written(v).strip() for v in gone} | {""}
    return made, [v for v in made.order if written(v).strip() not in dropped]


def check(layout: str, raters: str, duplicates: str) -> None:
    """Options with a fixed set of values."""
    for name, value, known in (
        ("layout", layout, LAYOUTS),
        ("raters", raters, ("columns", "rows")),
        ("duplicates", duplicates, DUPLICATES),
    ):
        if value not in known:
            raise UsageError(f"{name}={value!r} is not known. Use one of {listed(known)}.")


def opened(
    source: Any, layout: str, raters: str, encoding: str, format: str | None, sep: str | None, sheet: str | None = None
) -> Table:
    """The source behind an engine. Readers are imported where they are needed."""
    if isinstance(source, str | PathLike):
        from raters.io.sources.files import from_file

        return from_file(fspath(source), encoding, format, sep, sheet)
    if not isinstance(source, np.ndarray | list | tuple | dict):
        from raters.io.sources.frames import from_frame

        table = from_frame(source, index=layout not in ("auto", "long"))
        if table is not None:
            return table
    return from_python(source, layout, raters)


def from_python(source: Any, layout: str, raters: str) -> Table:
    """Rows, columns, or a matrix."""
    from raters.io.sources.rows import from_columns, from_matrix, from_rows

    if isinstance(source, Mapping):
        return from_columns(source, "columns")
    if not isinstance(source, Iterable) or isinstance(source, bytes):
        raise UsageError(f"cannot read {type(source).__name__}. Give a path, a dataframe, rows, or a matrix.")
    if layout not in ("auto", "long"):
        first = source[0] if isinstance(source, list | tuple) and source else None
        return from_rows(source) if isinstance(first, Mapping) else from_matrix(source, raters)
    if isinstance(source, np.ndarray) and source.dtype.names is None:
        raise UsageError(
            "a matrix does not say what its rows and columns are. Pass layout='wide' (items by raters), 'counts' or 'contingency'."
        )
    return from_rows(source)


def assemble(
    made: Long | Matrix,
    cleaned: Cleaned,
    scale: str | None,
    labels: Sequence[Any] | None,
    duplicates: str,
    period: float | None,
) -> Annotations:
    """Look at the labels, settle the scale, count."""
    keys, counts = distinct_labels(cleaned.engine, cleaned.kind)
    if not len(keys):
        raise nothing_left(made.source, cleaned.dropped)
    found = Found(keys, counts, cleaned.kind, made.source, cleaned.engine, made.by_position, bool(cleaned.mixed),
                  made.order is not None)  # fmt: skip
    settled = decide(found, scale, labels, period)
    if settled.warning:
        warnings.warn(settled.warning, RatersWarning, stacklevel=3)
    if cleaned.mixed and scale is None:
        warnings.warn(f"{made.source}: {cleaned.mixed}", RatersWarning, stacklevel=3)
    said = several_labels(keys) if cleaned.kind == "text" and settled.name != "sets" else ()
    sizes = table_sizes(cleaned.engine, int(counts.sum()), made.raters)
    return Annotations(
        engine=cleaned.engine,
        **fields(settled),
        numeric=cleaned.kind != "text",
        **sizes,
        dropped=cleaned.dropped,
        duplicates=duplicates,
        columns=made.columns,
        extras=cleaned.extras,
        source=made.source,
        notes=(*cleaned.notes, *said),
    )


def several_labels(keys: Any) -> tuple[str, ...]:
    """What to say of cells that look like several labels: their parts are labels too."""
    known = set(keys.tolist()) if len(keys) <= MOST_LABELS else set()
    for sep in SEPARATORS:
        parts = {key: [part.strip() for part in key.split(sep)] for key in known if sep in key}
        made_of = [key for key, found in parts.items() if len(found) > 1 and sum(p in known for p in found) >= 2]
        if made_of:
            example = min(made_of)
            return (
                f"{len(made_of)} labels, such as {brief(example)}, look like several labels in one cell; pass scale='sets', "
                f"sep={sep!r} (--scale sets --sep {sep!r}) to read them so",
            )
    return ()


def fields(scale: Scale) -> dict[str, Any]:
    """The part of Annotations that a declaration settles."""
    return {
        "scale": scale.name,
        "scale_reason": scale.reason,
        "labels": scale.labels,
        "keys": scale.keys,
        "declared": scale.declared,
        "period": scale.period,
    }


def declared_again(
    ann: Annotations,
    scale: str | None,
    labels: Sequence[Any] | None,
    duplicates: str,
    period: float | None,
    columns: tuple[Any, ...],
) -> Annotations:
    """The same rows under another scale, label order, or rule for duplicates."""
    if any(columns):
        raise UsageError(
            f"item=, rater=, label= and missing= were settled when {brief(ann.source)} was read; read the source again."
        )
    chosen = duplicates if duplicates != "error" else ann.duplicates
    if scale is None and labels is None and period is None:
        return ann if chosen == ann.duplicates else replace(ann, duplicates=chosen)
    if "sets" in (scale, ann.scale):
        from raters.io.sets.reading import sets_again

        if ann.scale != "sets" or scale not in (None, "sets") or period is not None:
            raise UsageError(
                f"sets and single labels do not turn into each other: read {brief(ann.source)} again with scale='{scale}'."
            )
        return replace(sets_again(ann, labels), duplicates=chosen)
    kind = "text" if not ann.numeric else "bool" if isinstance(ann.labels[0], bool) else "number"
    keys, counts = distinct_labels(ann.engine, kind)
    given = scale or (ann.scale if ann.scale_reason in ("given", ORDERED) or period is not None else None)
    order = labels if labels is not None else (list(ann.labels) if ann.declared else None)
    settled = decide(Found(keys, counts, kind, ann.source, ann.engine), given, order, period)
    if settled.warning:
        warnings.warn(settled.warning, RatersWarning, stacklevel=3)
    return replace(ann, duplicates=chosen, **fields(settled))
