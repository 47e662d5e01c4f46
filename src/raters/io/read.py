"""``read``: from any table of labels to :class:`~raters.annotations.Annotations`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import DUPLICATES, Annotations, Engine
from raters.engines.matrix import MatrixEngine
from raters.errors import UsageError, brief, listed, warn
from raters.io.exports.opened import explained, only_for_exports, opened, tool_export
from raters.io.fold_files.sums import fold_table
from raters.io.labels.cleaning import Cleaned, clean, nothing_left
from raters.io.labels.numbers import as_numbers
from raters.io.labels.scale import Found, Settled, decide, told
from raters.io.labels.sizes import PATTERNS, distinct_labels, sizes_and_patterns
from raters.io.labels.spelling import apart_by_spelling, names_apart, same_label
from raters.io.layouts.counts import contingency, counts
from raters.io.layouts.marks import one_column_each, sets_of_marks
from raters.io.layouts.nested import Cells, label_cells, rows_of_cells, spread_out
from raters.io.layouts.wide import Long, long, repeated, wide, without_raters
from raters.io.readings.candidates import spans
from raters.io.readings.decide import as_given, by_pattern, on_all_rows, rater_columns, recognise
from raters.io.readings.evidence import lists_keys
from raters.io.readings.profiles import profiles
from raters.io.readings.reading import ROWS, Reading, Roles
from raters.io.readings.span_tables import headless, marked_table, pygamma
from raters.io.readings.totals import without_totals
from raters.io.sources.files import FileOptions, file_options, from_file
from raters.io.sources.local import AUTO, is_standard_input, matching_files, standard_input
from raters.io.sources.rows import from_matrix, written
from raters.io.sources.rows import holds_numbers as numbers
from raters.io.table import SeveralQuestions, Table, best
from raters.notes.note import Note, codes
from raters.options import asks
from raters.scales.scale import Scale
from raters.spans.units import Spans


@dataclass(frozen=True)
class Matrix:
    """The note about a matrix: its raters and items are identified by position."""

    source: str = "matrix"
    columns: Mapping[str, str] = field(default_factory=dict)
    raters: bool = True
    by_position: bool = False
    order: None = None


def in_memory(matrix: Any, raters: str, declared: Sequence[Any] | None) -> Cleaned | None:
    """A numpy matrix of numbers, items by raters, left in place; None for anything else."""
    if not numbers(matrix) or matrix.ndim != 2 or not matrix.size:
        return None
    if declared is not None and as_numbers(declared) is None:
        return None
    if matrix.dtype.kind != "f" and max(abs(int(matrix.min())), abs(int(matrix.max()))) > 2**53:
        return None
    engine = MatrixEngine(matrix if raters == "rows" else matrix.T, database)
    missing = int(engine.missing.sum())
    return Cleaned(engine, "number", {"missing label": missing} if missing else {}, (), (), None)


def database(across: NDArray[np.float64]) -> Engine:
    """The long table of a matrix, raters by items, behind DuckDB."""
    return clean(wide(from_matrix(across, "rows"), None, None, "columns"), [], None, None).engine


STAYS = ("scale_given", "scale_of_ordered_column")
"""Why a scale stays when other labels are declared."""
MOST_LABELS = 5000
SEPARATORS = (";", "|", "#", ",", "\n", "/", "+")


def ordered_labels(
    made: Long, chosen: list[Any] | None, scale: Scale | None, gone: list[Any]
) -> tuple[Long, list[Any] | None]:
    """The labels in order: as given, as named by the layout, or the column's own categories; None if none of these
    defines it.
    """
    order = chosen if chosen is not None or made.labels is None else list(dict.fromkeys(map(same_label, made.labels)))
    if order is not None or (scale is not None and not scale.ranks) or made.order is None:
        return replace(made, order=None), order
    dropped = {written(v).strip() for v in gone} | {""}
    return made, [v for v in dict.fromkeys(map(same_label, made.order)) if written(v).strip() not in dropped]


def assemble(
    made: Long | Matrix,
    cleaned: Cleaned,
    scale: Scale | None,
    labels: Sequence[Any] | None,
    duplicates: str,
    period: float | None,
) -> Annotations:
    """Inspect the labels, settle the scale, and count."""
    keys, counts = cleaned.labels or distinct_labels(cleaned.engine, cleaned.kind)
    if not len(keys):
        raise nothing_left(made.source, cleaned.dropped)
    found = Found(
        keys,
        counts,
        cleaned.kind,
        made.source,
        cleaned.engine,
        made.by_position,
        bool(cleaned.mixed),
        made.order is not None,
    )
    settled = decide(found, scale, labels, period)
    if settled.warning:
        warn(str(settled.warning))
    said: tuple[Note, ...] = (
        (*several_labels(keys), *apart_by_spelling(keys))
        if cleaned.kind == "text" and not settled.scale.of_sets
        else ()
    )
    # words beside their own codes are no mark of a missing label
    explained = {"labels_mixed"} if "labels_by_code" in codes(said) else set()
    if cleaned.mixed and scale is None:
        warn(f"{made.source}: {next((n for n in said if n.code == 'labels_by_code'), cleaned.mixed)}")
    said += told(keys, counts, cleaned.kind) if scale is None and labels is None else ()
    sizes, patterns, names = sizes_and_patterns(cleaned.engine, int(counts.sum()), made.raters, settled.keys)
    ann = Annotations(
        engine=cleaned.engine,
        **fields(settled),
        numeric=cleaned.kind != "text",
        **sizes,
        dropped=cleaned.dropped,
        duplicates=duplicates,
        columns=made.columns,
        extras=cleaned.extras,
        source=made.source,
        notes=(
            *(n for n in cleaned.notes if n.code not in explained),
            *said,
            *names_apart(cleaned.engine, *names, sizes["n_annotations"]),
        ),
    )
    if patterns is not None:
        ann.once(PATTERNS, lambda: patterns, lambda made: made.counts.size)
    return ann


def several_labels(keys: Any) -> tuple[Note, ...]:
    """A note about cells that look as if they held several labels, because their parts are labels too."""
    known = set(keys.tolist()) if len(keys) <= MOST_LABELS else set()
    for sep in SEPARATORS:
        parts = {key: [part.strip() for part in key.split(sep)] for key in known if sep in key}
        made_of = [key for key, found in parts.items() if len(found) > 1 and sum(p in known for p in found) >= 2]
        if made_of:
            return (Note("several_labels_in_a_cell", {"n": len(made_of), "label": min(made_of), "sep": sep}),)
    return ()


def fields(settled: Settled) -> dict[str, Any]:
    """The part of Annotations that depends on what is declared."""
    return {
        "scale": settled.scale,
        "scale_from": settled.reason,
        "labels": settled.labels,
        "keys": settled.keys,
        "declared": settled.declared,
        "period": settled.period,
    }


def with_rater(
    file: str | PathLike[str],
    name: str,
    *,
    encoding: str = AUTO,
    format: str | None = None,
    delimiter: str | None = None,
) -> Table:
    """The table of a file with one more column, ``rater``, that holds this name."""
    table = from_file(fspath(file), file_options(encoding, format=format, delimiter=delimiter))
    engine = table.engine.derive(f"SELECT *, {table.engine.text(name)} AS c{len(table)} FROM annotations")
    return replace(table, engine=engine, names=(*table.names, "rater"))


def as_recognised(table: Table, found: Roles) -> Table:
    """The table with the columns and rows that a reading uses: raters under their own names, one question, marks as
    labels.
    """
    if found.called:
        names = dict(found.called)
        table = (
            replace(table, names=tuple(names.get(name, name) for name in table.names)) if clear(names, table) else table
        )
    if found.joined:
        table = with_joined(table, found.joined, str(found.item))
    if found.in_turn is not None:
        table = in_turn(table, str(found.item), found.in_turn)
    if found.only is not None:
        column, value = table.column(found.only[0]), table.engine.text(found.only[1])
        rows = f"SELECT * FROM annotations WHERE CAST({column} AS STRING) = {value}"
        table = replace(table, engine=table.engine.derive(rows))
    return table if found.marks is None else one_column_each(table, found.marks, found.item)


def with_joined(table: Table, names: Sequence[str], called: str) -> Table:
    """The table with one more column, which holds the text of several."""
    parts = " || ' / ' || ".join(f"CAST({table.column(name)} AS STRING)" for name in names)
    sql = f"SELECT *, {parts} AS c{len(table)} FROM annotations"
    return replace(table, engine=table.engine.derive(sql), names=(*table.names, called))


def in_turn(table: Table, item: str, rater: str) -> Table:
    """The table with items distinguished by their place among the rows of each rater."""
    at, who = table.column(item), table.column(rater)
    place = f"row_number() OVER (PARTITION BY {at}, {who} ORDER BY row)"
    named = ", ".join(
        f"CAST({c} AS STRING) || ' #' || CAST({place} AS STRING) AS {c}" if c == at else c for c in table.named()
    )
    return replace(table, engine=table.engine.derive(f"SELECT row, {named} FROM annotations"))


def renamed(table: Table, found: Roles) -> Any:
    """The columns of raters under the names that they have now."""
    names = dict(found.called)
    return [n if n in table.names else names[n] for n in found.rater] if names else found.rater


def clear(names: Mapping[str, str], table: Table) -> bool:
    """Whether raters can have their own names, none of which is the name of a column."""
    return not set(names.values()) & set(table.names)


LAYOUTS = ("auto", "long", "wide", "counts", "contingency")


@asks()
def read(
    source: Any,
    *,
    item: str | Sequence[str] | None = None,
    rater: str | Sequence[str] | None = None,
    label: str | Sequence[str] | None = None,
    scale: str | None = None,
    labels: Sequence[Any] | None = None,
    layout: str = "auto",
    raters: str = "columns",
    missing: str | Iterable[Any] = (),
    duplicates: str = "error",
    encoding: str = "auto",
    format: str | None = None,
    sheet: str | None = None,
    delimiter: str | None = None,
    header: int | None = None,
    skip: int = 0,
    period: float | None = None,
    sep: str | None = None,
    multi: str | None = None,
    ordered: bool = False,
    question: str | None = None,
    keep: str | Iterable[str] = (),
    memory: str | None = None,
    document: str | Sequence[str] | None = None,
    start: str | None = None,
    end: str | None = None,
    seen: Any = None,
    columns: str | None = None,
) -> Annotations:
    """Read annotations from a file, an export of a labelling tool, a dataframe, rows, or a matrix.

    ``source``: a path (CSV, TSV, JSON, Parquet, each also ``.gz``; Excel and OpenDocument sheets; SPSS, Stata and SAS
    with the extra ``[statistics]``; Arrow; a table of a DuckDB or SQLite file; ``"-"`` for standard input), a dataframe
    (pandas, polars, pyarrow, a DuckDB relation, Spark), rows (tuples of item, rater, label, or dicts), or a matrix.
    Folds (``.fold``, :class:`raters.Fold`), one or several, are added up.
    Exports of labelling tools and evaluation logs are recognised by their content: one file, several, a folder, or a
    zip. ``question``, ``keep``: for an export, the question to read if it has several, and the kinds of rows to keep
    that are otherwise left out, such as ``"gold,skipped"``.
    ``item``, ``rater``, ``label``: column names, identified by common names if omitted; several columns in ``rater`` (a
    list, ``"ann1,ann2"`` or the range ``"ann1:ann4"``) hold the labels of one rater each.
    ``layout``: ``"auto"`` (recognised from names and values, and reported), ``"long"`` (one row per annotation),
    ``"wide"`` (items
    by raters; with ``raters="rows"``, raters by items), ``"counts"`` (items by labels) or ``"contingency"`` (a square
    table of two raters).
    ``scale``: ``nominal ordinal interval ratio circular``, inferred from the labels and reported if omitted; or
    ``sets``, for sets of labels: a column of lists, JSON, one-hot columns (``label_*``, or ``label="topic_*"``), text
    with ``sep=`` between labels, or ``multi="rows"`` if each row holds one label of a set. ``ordered``: primary labels
    come first. ``sep``: the separator between the labels of a set in a cell. ``delimiter``: the separator between the
    columns of a text file. ``header``: the number of header rows of a text file or a sheet (0 for none); detected and
    reported if omitted; ``skip``: rows above it to leave out. ``encoding``: the encoding of a text file; ``"auto"`` tries UTF-8, then what the first bytes
    indicate, then Windows-1252 and Latin-1, and reports its choice.
    ``labels``: the labels in order, including those that do not occur; an ordered pandas categorical or a polars enum
    defines its own order, and makes the scale ordinal unless ``scale`` says otherwise.
    ``sheet``: the sheet of a workbook, or the table of a database file. ``format``: the format of the file, if its name
    does not show it.
    ``missing``: labels that stand for a missing one, in addition to empty, null and NaN.
    ``duplicates``: what to do when a rater labels an item twice: ``error first last keep``.
    ``period``: for ``scale="circular"``, the number of units in the circle.

    ``document``, ``start``, ``end``: the columns of a table of spans, found by their names if omitted; such a table, and
    an export whose answers are spans, gives a :class:`raters.results.Spans`. ``seen``: who saw what, as pairs
    (document, rater) or a table; without it every rater saw every document in which anybody marked something.

    ``memory``: how much memory the database of this table may take, such as ``"500MB"``; the rest goes to a private
    folder on disk.

    >>> ann = read([("q1", "ann", "no"), ("q1", "bob", "yes"), ("q2", "ann", "no"), ("q2", "bob", None)],
    ...            scale="nominal")
    >>> print(ann)
    rows: 2 items, 2 raters, 3 annotations; 2 labels: no, yes; 1 to 2 (mean 1.5) labels per item
    scale: nominal (given)
    columns: item = 'item', rater = 'rater', label = 'label'
    dropped: 1 row (missing label)
    """
    said = locals()
    if memory is not None:
        from raters.engines.duckdb import limited

        with limited(memory):
            return read(**said | {"memory": None})
    given = None if scale is None else Scale(scale)
    check(layout, raters, duplicates)
    chosen = given_labels(labels)
    gone = [missing] if isinstance(missing, str) else list(missing)
    source = fold_table(source, {"item": item, "rater": rater, "label": label, "missing": gone, "question": question})
    if isinstance(source, Annotations):
        return declared_again(source, given, chosen, duplicates, period, (item, rater, label, gone))
    of_sets = wants_sets(given, sep, multi, ordered)
    source = standard_input() if is_standard_input(source) else source
    source = matching_files(source) if isinstance(source, str) else source
    file = file_options(encoding, delimiter=delimiter, sheet=sheet, header=header, skip=skip, format=format)
    export = tool_export(
        source, question, keep, encoding, label is not None or layout not in ("auto", "long") or format is not None
    )
    if isinstance(export, Spans):
        return export  # type: ignore[return-value]
    if export is not None:
        rest = {"labels": chosen, "missing": gone, "duplicates": duplicates, "period": period, "ordered": ordered}
        return from_tool(export, item, rater, given, rest)
    if of_sets:
        check_sets(given, period)
        table = opened(source, layout, raters, file)
        rest_ = (layout, raters, gone, duplicates, sep, multi, ordered)
        return as_sets(table, item, rater, label, chosen, *rest_, empty=empty_sets(keep, gone))
    return from_table(source, said, file, given, chosen, gone)


def from_table(
    source: Any,
    said: Mapping[str, Any],
    file: FileOptions,
    scale: Scale | None,
    labels: list[Any] | None,
    gone: list[Any],
) -> Annotations:
    """A table with single labels, as it was declared or as it looks; a table of spans gives its units."""
    item, rater, label, layout, raters = (said[name] for name in ("item", "rater", "label", "layout", "raters"))
    question, duplicates, period = said["question"], said["duplicates"], said["period"]
    if layout == "wide" and item is None and rater is None and not gone:
        counted = in_memory(source, raters, labels)
        if counted is not None:
            return replace(assemble(Matrix(), counted, scale, labels, duplicates, period), layout=layout)
    table = opened(source, layout, raters, file)
    as_labels = scale is not None or labels is not None or duplicates != "error"
    if layout == "auto" and not as_labels and (marked := of_units(source, table, said, file)):
        return marked  # type: ignore[return-value]
    with explained(source, (item, rater, label)):
        found = laid_out(table, layout, item, rater, label, raters, question, said["columns"], duplicates != "error")
    only_for_exports(question if found.question is None and found.only is None else None, said["keep"])
    table = without_totals(as_recognised(table, found), found.item)
    made = LAID_OUT[found.layout](table, found, labels)
    made, order = ordered_labels(replace(made, notes=(*table.notes, *made.notes)), labels, scale, gone)
    read_as = assemble(made, clean(made, gone, order, scale), scale, order, duplicates, period)
    return replace(read_as, layout=found.layout, **told_of(found, said))


def told_of(found: Roles, given: Mapping[str, Any]) -> dict[str, Any]:
    """What is told about how a table was read: what whoever reads named is not told to them."""
    roles = [given[name] for name in ("item", "rater", "label")]
    named = {
        "labels_from": given["label"] is not None or given["question"] is not None,
        "row_per_annotation": None not in roles,
    }
    guessed = (
        given["layout"] == "auto" and bool(found.said) and not any(x is not None for x in (*roles, given["columns"]))
    )
    return {"read_as": tuple(note for note in found.said if not named.get(note.code)), "guessed": guessed}


def of_units(source: Any, table: Table, said: Mapping[str, Any], file: FileOptions) -> Spans | None:
    """The units of a table of spans; None if it is another."""
    named = {name: said[name] for name in ("rater", "label", "start", "end")}
    if headless(table) and said["header"] is None:
        table = opened(source, "auto", "columns", replace(file, header=0))
    if found := pygamma(table):
        return found
    if said["label"] is not None and said["item"] is not None and said["start"] is None:
        return None  # columns of a table of labels were named
    seen = said["seen"]
    pairs = isinstance(seen, list | tuple | set) and all(isinstance(x, tuple) and len(x) == 2 for x in seen)
    if seen is not None and not pairs:
        seen = opened(seen, "auto", "columns", file_options("auto"))
    return marked_table(table, {**named, "document": said["document"] or said["item"]}, seen)


def given_labels(labels: Sequence[Any] | None) -> list[Any] | None:
    """The given labels in the form in which they are kept."""
    if isinstance(labels, str):
        raise UsageError(f"labels={labels!r}: give a list of labels, in order, such as labels=['no', 'yes'].")
    return None if labels is None else [same_label(v) for v in labels]


def empty_sets(keep: Any, missing: Sequence[Any]) -> bool | None:
    """Whether a row of marks without a tick is the empty set (``keep="empty"``) or missing; None if this was not
    stated.
    """
    words = keep.split(",") if isinstance(keep, str) else list(keep)
    if any(word.strip() != "empty" for word in words):
        only_for_exports(None, keep)
    return True if words != [""] and words else False if "" in missing else None


def as_sets(
    table: Table, item: Any, rater: Any, label: Any, labels: Any, layout: str, *options: Any, empty: bool | None
) -> Annotations:
    """A table whose labels are sets; the options are the rest of :class:`SetOptions`."""
    from raters.io.layouts.set_cells import SetOptions
    from raters.io.layouts.set_tables import read_sets

    if layout == "auto" and label is None and rater is None:
        table, item, rater, label = sets_by_rater(table, item)
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


def sets_by_rater(table: Table, item: Any) -> tuple[Table, Any, Any, Any]:
    """A table whose cells are objects of rater -> set as a long one; any other unchanged."""
    facts = profiles(table)
    cells = label_cells(facts.columns, facts.rows)
    beside = [facts[n] for n in best(table.names, "rater")]
    if cells is not None and not all(lists_keys(facts, cells, p) for p in beside):
        return table, item, None, None
    if cells is None or not cells.named or cells.rater is not None or cells.counted or cells.questions:
        return table, item, None, None
    key = item or next(iter(best(table.names, "item")), None)
    return rows_of_cells(table, key, cells, None), "item", "rater", "label"


def laid_out(
    table: Table,
    layout: str,
    item: Any,
    rater: Any,
    label: Any,
    raters: str,
    question: str | None = None,
    columns: str | None = None,
    repeats: bool = False,
) -> Roles:
    """How to read the table: as requested, or as recognised."""
    if columns is not None:
        return of_question(table, by_pattern(table, columns, item), question)
    item, rater, label = as_lists(table, layout, item, rater, label, raters)
    if layout == "auto" and raters == "columns":
        return of_question(table, recognised(table, item, rater, label, question, repeats), question)
    if layout == "wide" and rater is None and raters == "columns" and not table.numbered:
        return rater_columns(table, item)
    return Roles("wide" if layout == "auto" else layout, item, rater, label, raters)


def as_lists(table: Table, layout: str, item: Any, rater: Any, label: Any, raters: str) -> tuple[Any, Any, Any]:
    """The columns that were named, lists and ranges of them as lists."""
    if isinstance(rater, str) and rater not in table.names:
        if layout == "contingency":
            rater = [name.strip() for name in rater.split(",")] if "," in rater else rater
        elif len(several := spans(rater, table.names)) > 1:
            rater = several
    if raters == "rows" and isinstance(item, str) and item not in table.names:
        item = spans(item, table.names)
    if layout == "counts" and label is not None:
        return item, spans(label, table.names) if isinstance(label, str) else list(label), None
    return item, rater, label


def recognised(table: Table, item: Any, rater: Any, label: Any, question: str | None, repeats: bool) -> Reading:
    """How a table is read: as decided before, as the named columns of raters say, or as it looks."""
    if isinstance(table.reading, Reading) and item is rater is label is None:
        return table.reading
    if isinstance(rater, list | tuple):
        return as_given(table, item, rater)
    return recognise(table, item, rater, label, question, repeats)


def of_question(table: Table, found: Reading, question: str | None) -> Roles:
    """The roles of the columns for one question; the error that lists several of them keeps how the table is read."""
    found = on_all_rows(table, found)
    try:
        return found.chosen(question, table.source)
    except SeveralQuestions as several:
        several.table = replace(table, reading=found, engine=table.engine.lasting())
        raise


LAID_OUT: Mapping[str, Callable[[Table, Roles, Sequence[Any] | None], Long]] = {
    "long": lambda table, r, labels: (
        long(table, r.item, r.rater, r.label) if r.rater or not r.said else without_raters(table, r.item, r.label)
    ),
    "wide": lambda table, r, labels: wide(table, r.item, renamed(table, r), r.raters, aside=r.aside),
    "counts": lambda table, r, labels: counts(table, r.item, labels, r.rater),
    "contingency": lambda table, r, labels: contingency(table, r.rater, labels),
    "cells": lambda table, r, labels: spread_out(table, r.item, r.cells or Cells(str(r.label)), r.question),
    "marks": lambda table, r, labels: wide(table, r.item, list(r.marks.first) if r.marks else None, "columns"),
    "patterns": lambda table, r, labels: wide(repeated(table, r.count), ROWS, r.rater, r.raters),
}
"""The long table, from a table and its layout."""


def from_tool(export: Any, item: Any, rater: Any, scale: Scale | None, rest: dict[str, Any]) -> Annotations:
    """An export as annotations: its table is read like any other, with notes about what was excluded and how it was
    read.
    """
    if export.sets and scale and not scale.of_sets:
        raise UsageError(
            f"question {export.label!r} allows several labels: omit scale={scale!r}, or pass scale='sets'."
        )
    made = read(
        export.table,
        item=item or export.item,
        rater=rater or export.rater,
        label=export.label,
        layout="long",
        scale=Scale.sets if export.sets else scale,
        **rest,
    )
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


def wants_sets(scale: Scale | None, sep: str | None, multi: str | None, ordered: bool) -> bool:
    """Whether the options ask for label sets; ``sep`` alone does not."""
    found = (scale is not None and scale.of_sets) or multi is not None or ordered
    if sep is not None and not found:
        raise UsageError(
            "sep= separates the labels of a set (scale='sets'); for the columns of a file, use delimiter=."
        )
    return found


def check_sets(scale: Scale | None, period: float | None) -> None:
    """Refuse what label sets cannot have: another scale, and a circle."""
    if (scale and not scale.of_sets) or period is not None:
        raise UsageError("multi= and ordered= are for scale='sets', period= is for scale='circular'.")


def declared_again(
    ann: Annotations,
    scale: Scale | None,
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
    if ann.scale.of_sets or (scale and scale.of_sets):
        return replace(declared_sets_again(ann, scale, labels, period), duplicates=chosen)
    kind = "text" if not ann.numeric else "bool" if isinstance(ann.labels[0], bool) else "number"
    keys, counts = distinct_labels(ann.engine, kind)
    given = scale or (ann.scale if ann.scale_from.code in STAYS or period is not None else None)
    order = labels if labels is not None else (list(ann.labels) if ann.declared else None)
    settled = decide(Found(keys, counts, kind, ann.source, ann.engine), given, order, period)
    if settled.warning:
        warn(str(settled.warning))
    return replace(ann, duplicates=chosen, **fields(settled))


def declared_sets_again(
    ann: Annotations, scale: Scale | None, labels: Sequence[Any] | None, period: float | None
) -> Annotations:
    """The same label sets with these labels declared."""
    from raters.io.layouts.set_tables import sets_again

    if not ann.scale.of_sets or (scale and not scale.of_sets) or period is not None:
        raise UsageError(
            f"sets and single labels cannot be converted into each other: read {brief(ann.source)} again with"
            f" scale='{scale}'."
        )
    return sets_again(ann, labels)
