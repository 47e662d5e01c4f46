"""``read``: from any table of labels to :class:`~raters.annotations.Annotations`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from raters.annotations import DUPLICATES, Annotations
from raters.errors import UsageError, brief, listed, warn
from raters.io.assembling import assemble, fields, ordered_labels
from raters.io.clean import clean
from raters.io.columns import best
from raters.io.exports.opening import explained, only_for_exports, tool_export
from raters.io.exports.tables import opened
from raters.io.folds.opening import fold_table
from raters.io.layouts import Long, long, repeated, wide
from raters.io.marks import sets_of_marks
from raters.io.matrices import Matrix, in_memory
from raters.io.nested import Cells, spread_out
from raters.io.readings import Reading
from raters.io.recognise import rater_columns, recognise, spans
from raters.io.recognised import as_recognised, renamed
from raters.io.same_labels import same_label
from raters.io.scale import ORDERED, Found, decide
from raters.io.sizes import distinct_labels
from raters.io.sources.file_options import file_options
from raters.io.sources.local import matching_files
from raters.io.sources.standard_input import is_standard_input, standard_input
from raters.io.table import Table
from raters.io.tallies import contingency, counts
from raters.io.totals import without_totals
from raters.options import asks, deprecated

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
    encoding: str = "auto",
    format: str | None = None,
    sheet: str | None = None,
    delimiter: str | None = None,
    header: int | None = None,
    period: float | None = None,
    sep: str | None = None,
    multi: str | None = None,
    ordered: bool = False,
    question: str | None = None,
    keep: str | Iterable[str] = (),
    memory: str | None = None,
) -> Annotations:
    """Read annotations from a file, an export of a labelling tool, a dataframe, rows, or a matrix.

    ``source``: a path (CSV, TSV, JSON, Parquet, each also ``.gz``; Excel and OpenDocument sheets; SPSS, Stata and SAS with the
    extra ``[statistics]``; Arrow; a table of a DuckDB or SQLite file; ``"-"`` for standard input), a dataframe (pandas, polars,
    pyarrow, a DuckDB relation, Spark), rows (tuples of item, rater, label, or dicts), or a matrix.
    Folds (``.fold``, :class:`raters.Fold`), one or several, are added up.
    Exports of labelling tools and evaluation logs are recognised by their content: one file, several, a folder, or a zip.
    ``question``, ``keep``: for an export, the question to read if it has several, and the kinds of rows to keep that are
    otherwise left out, such as ``"gold,skipped"``.
    ``item``, ``rater``, ``label``: column names, identified by common names if omitted; several columns in ``rater`` (a list,
    ``"ann1,ann2"`` or the range ``"ann1:ann4"``) hold the labels of one rater each.
    ``layout``: ``"auto"`` (recognised from names and values, and reported), ``"long"`` (one row per annotation), ``"wide"``
    (items
    by raters; with ``raters="rows"``, raters by items), ``"counts"`` (items by labels) or ``"contingency"`` (a square table of
    two raters).
    ``scale``: ``nominal ordinal interval ratio circular``, inferred from the labels and reported if omitted; or ``sets``, for
    sets of labels: a column of lists, JSON, one-hot columns (``label_*``, or ``label="topic_*"``), text with ``sep=``
    between labels, or ``multi="rows"`` if each row holds one label of a set. ``ordered``: primary labels come first.
    ``sep``: the separator between the labels of a set in a cell. ``delimiter``: the separator between the columns of a text file.
    ``header``: the number of header rows of a text file or a sheet (0 for none); detected and reported if omitted.
    ``encoding``: the encoding of a text file; ``"auto"`` tries UTF-8, then what the first bytes indicate, then Windows-1252 and
    Latin-1, and reports its choice.
    ``labels``: the labels in order, including those that do not occur; an ordered pandas categorical or a polars enum defines its
    own order, and makes the scale ordinal unless ``scale`` says otherwise.
    ``sheet``: the sheet of a workbook, or the table of a database file. ``format``: the format of the file, if its name does not
    show it.
    ``missing``: labels that stand for a missing one, in addition to empty, null and NaN.
    ``duplicates``: what to do when a rater labels an item twice: ``error first last keep``.
    ``period``: for ``scale="circular"``, the number of units in the circle.

    ``memory``: how much memory the database may take, such as ``"500MB"``, from now on; the rest goes to a private folder on disk.

    >>> ann = read([("q1", "ann", "no"), ("q1", "bob", "yes"), ("q2", "ann", "no"), ("q2", "bob", None)],
    ...            scale="nominal")
    >>> print(ann)
    rows: 2 items, 2 raters, 3 annotations; 2 labels: no, yes; 1 to 2 (mean 1.5) labels per item
    scale: nominal (given)
    columns: item = 'item', rater = 'rater', label = 'label'
    dropped: 1 row (missing label)
    """
    check(layout, raters, duplicates)
    within(memory)
    chosen = given_labels(labels)
    gone = [missing] if isinstance(missing, str) else list(missing)
    source = fold_table(source, {"item": item, "rater": rater, "label": label, "missing": gone, "question": question})
    if isinstance(source, Annotations):
        return declared_again(source, scale, chosen, duplicates, period, (item, rater, label, gone))
    source, sep, delimiter = settled(source, scale, sep, multi is not None or ordered, delimiter)
    file = file_options(encoding, delimiter=delimiter, sheet=sheet, header=header, format=format)
    export = tool_export(
        source, question, keep, encoding, label is not None or layout not in ("auto", "long") or format is not None
    )
    if export is not None:
        rest = {"labels": chosen, "missing": gone, "duplicates": duplicates, "period": period, "ordered": ordered}
        return from_tool(export, item, rater, scale, rest)
    if scale == "sets" or multi is not None or ordered:
        if scale not in (None, "sets") or period is not None:
            raise UsageError("multi= and ordered= are for scale='sets', period= is for scale='circular'.")
        table = opened(source, layout, raters, file)
        return as_sets(
            table,
            item,
            rater,
            label,
            chosen,
            layout,
            raters,
            gone,
            duplicates,
            sep,
            multi,
            ordered,
            empty=empty_sets(keep, gone),
        )
    if layout == "wide" and item is None and rater is None and not gone:
        counted = in_memory(source, raters, chosen)
        if counted is not None:
            return replace(assemble(Matrix(), counted, scale, chosen, duplicates, period), layout=layout)
    table = opened(source, layout, raters, file)
    with explained(source, (item, rater, label)):
        found = laid_out(table, layout, item, rater, label, raters, question)
    only_for_exports(question if found.question is None and found.only is None else None, keep)
    table = without_totals(as_recognised(table, found), found.item)
    made = LAID_OUT[found.layout](table, found, chosen)
    made, order = ordered_labels(replace(made, notes=(*table.notes, *made.notes)), chosen, scale, gone)
    cleaned = clean(made, gone, order, scale)
    read_as = assemble(made, cleaned, scale, order, duplicates, period)
    return replace(read_as, layout=found.layout, recognised=found.said)


def within(memory: str | None) -> None:
    """Limit the memory of the database, if requested."""
    if memory is not None:
        from raters.engines.duckdb import limit_memory

        limit_memory(memory)


def given_labels(labels: Sequence[Any] | None) -> list[Any] | None:
    """The given labels in the form in which they are kept."""
    if isinstance(labels, str):
        raise UsageError(f"labels={labels!r}: give a list of labels, in order, such as labels=['no', 'yes'].")
    return None if labels is None else [same_label(v) for v in labels]


def settled(source: Any, scale: str | None, sep: str | None, sets: bool, delimiter: str | None) -> tuple[Any, ...]:
    """The source, the separator of labels, and that of columns. Before 0.2, ``sep`` separated columns unless labels were sets."""
    if is_standard_input(source):
        source = standard_input()
    if isinstance(source, str):
        source = matching_files(source)
    if sep is not None and delimiter is None and not sets and scale != "sets":
        deprecated("read(sep=) separates the labels of a set; for the columns of a file, pass delimiter=.")
        sep, delimiter = None, sep
    return source, sep, delimiter


def empty_sets(keep: Any, missing: Sequence[Any]) -> bool | None:
    """Whether a row of marks without a tick is the empty set (``keep="empty"``) or missing; None if this was not stated."""
    words = keep.split(",") if isinstance(keep, str) else list(keep)
    if any(word.strip() != "empty" for word in words):
        only_for_exports(None, keep)
    return True if words != [""] and words else False if "" in missing else None


def as_sets(
    table: Table, item: Any, rater: Any, label: Any, labels: Any, layout: str, *options: Any, empty: bool | None
) -> Annotations:
    """A table whose labels are sets; the options are the rest of :class:`SetOptions`."""
    from raters.io.sets.cells import SetOptions
    from raters.io.sets.reading import read_sets

    several = (
        []
        if layout != "auto" or rater is None
        else list(rater)
        if isinstance(rater, list | tuple)
        else spans(rater, table.names)
    )
    if layout == "auto" and label is None and options[-2] is None:
        marks = sets_of_marks(table, item, rater, empty)
        if marks is not None:
            table, item = marks
            layout, rater = "wide", list(table.nested)
        elif len(several) < 2 and rater is None and not best(table.names, "rater"):
            found = rater_columns(table, item)
            layout, item, rater = ("wide", found.item, found.rater) if found.rater else (layout, item, rater)
    if layout == "auto" and len(several) > 1:
        layout, rater = "wide", several
    return read_sets(table, SetOptions(item, rater, label, labels, "long" if layout == "auto" else layout, *options))


def laid_out(
    table: Table, layout: str, item: Any, rater: Any, label: Any, raters: str, question: str | None = None
) -> Reading:
    """How to read the table: as requested, or as recognised."""
    if isinstance(rater, str) and rater not in table.names and layout != "contingency":
        several = spans(rater, table.names)
        rater = several if len(several) > 1 else rater
    if isinstance(rater, str) and layout == "contingency" and "," in rater:
        rater = [name.strip() for name in rater.split(",")]
    if layout == "auto" and raters == "columns":
        return recognise(table, item, rater, label, question)
    if layout == "wide" and rater is None and raters == "columns" and not table.numbered:
        return rater_columns(table, item)
    return Reading("wide" if layout == "auto" else layout, item, rater, label, raters)


LAID_OUT: Mapping[str, Callable[[Table, Reading, Sequence[Any] | None], Long]] = {
    "long": lambda table, r, labels: long(table, r.item, r.rater, r.label),
    "wide": lambda table, r, labels: wide(table, r.item, renamed(table, r), r.raters, aside=r.aside),
    "counts": lambda table, r, labels: counts(table, r.item, labels, r.rater),
    "contingency": lambda table, r, labels: contingency(table, r.rater, labels),
    "cells": lambda table, r, labels: spread_out(table, r.item, r.cells or Cells(str(r.label)), r.question),
    "marks": lambda table, r, labels: wide(table, r.item, list(r.marks.first) if r.marks else None, "columns"),
    "patterns": lambda table, r, labels: wide(repeated(table, r.count), None, r.rater, r.raters),
}
"""The long table, from a table and its layout."""


def from_tool(export: Any, item: Any, rater: Any, scale: str | None, rest: dict[str, Any]) -> Annotations:
    """An export as annotations: its table is read like any other, with notes about what was excluded and how it was read."""
    if export.sets and scale not in (None, "sets"):
        raise UsageError(
            f"question {export.label!r} allows several labels: omit scale={scale!r}, or pass scale='sets'."
        )
    made = read(
        export.table, item=item or export.item, rater=rater or export.rater, label=export.label,
        scale="sets" if export.sets else scale, **rest,
    )  # fmt: skip
    dropped = {**export.dropped, **made.dropped}
    return replace(made, dropped=dropped, notes=(*export.notes, *made.notes))


def check(layout: str, raters: str, duplicates: str) -> None:
    """Options with a fixed set of values."""
    for name, value, known in (
        ("layout", layout, LAYOUTS),
        ("raters", raters, ("columns", "rows")),
        ("duplicates", duplicates, DUPLICATES),
    ):
        if value not in known:
            raise UsageError(f"{name}={value!r} is not known. Use one of {listed(known)}.")


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
                f"sets and single labels cannot be converted into each other: read {brief(ann.source)} again with scale='{scale}'."
            )
        return replace(sets_again(ann, labels), duplicates=chosen)
    kind = "text" if not ann.numeric else "bool" if isinstance(ann.labels[0], bool) else "number"
    keys, counts = distinct_labels(ann.engine, kind)
    given = scale or (ann.scale if ann.scale_reason in ("given", ORDERED) or period is not None else None)
    order = labels if labels is not None else (list(ann.labels) if ann.declared else None)
    settled = decide(Found(keys, counts, kind, ann.source, ann.engine), given, order, period)
    if settled.warning:
        warn(settled.warning)
    return replace(ann, duplicates=chosen, **fields(settled))
