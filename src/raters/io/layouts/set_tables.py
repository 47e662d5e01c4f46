"""Reading sets of labels: list columns, JSON, one-hot columns, several rows, or a separator; the form is reported.

Only the *distinct* cells are parsed in Python; the table itself stays on its engine.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations, Dropped, counted
from raters.engines import Source
from raters.errors import DataError, UsageError, brief, listed, of_rater, warn
from raters.io.labels.cleaning import Cleaned, as_text, clean, first_with, nothing_left
from raters.io.labels.numbers import as_numbers
from raters.io.labels.scale import GIVEN, check_options
from raters.io.labels.sizes import distinct_labels, sizes_and_patterns
from raters.io.labels.spelling import names_apart
from raters.io.layouts.set_cells import (
    Form,
    SetOptions,
    coded,
    from_one_hot,
    looks_like_list,
    members_of,
    one_hot,
    one_of_json,
    one_of_text,
    separated,
    single,
)
from raters.io.layouts.wide import Long, long, wide
from raters.io.sources.rows import written
from raters.io.table import Table
from raters.notes.note import Note
from raters.scales.scale import Scale
from raters.scales.sets import LabelSet, key_of, texts_of

CELLS = "SELECT label, count(*) AS n, min(row) AS row FROM annotations GROUP BY label ORDER BY row"


def read_sets(table: Table, asked: SetOptions) -> Annotations:
    """A table whose labels are sets."""
    check_asked(asked)
    table = with_json(table)
    if asked.multi == "rows":
        made, cleaned, form = from_several_rows(table, asked)
    elif hot := one_hot(table, asked):
        made, form = from_one_hot(table, asked, hot)
        cleaned = clean(made, (), None, Scale.nominal)
    else:
        made, kind = cells(table, asked)
        cleaned = clean(made, (), None, Scale.nominal)
        form = form_of(cleaned, kind, asked.sep)
    return assembled(made, cleaned, form, asked, table.from_text)


def check_asked(asked: SetOptions) -> None:
    """Errors in the options themselves."""
    check_options(Scale.sets, asked.labels, None)
    if asked.layout not in ("long", "wide"):
        raise UsageError(f"layout={asked.layout!r} has one label per cell; sets come in layout='long' or 'wide'.")
    if asked.multi not in (None, "rows"):
        raise UsageError(f"multi={asked.multi!r} is not known. Use multi='rows' if each row is one label of a set.")
    if asked.multi and (asked.sep is not None or asked.layout == "wide"):
        raise UsageError("multi='rows' expects one label per row of a long table; omit sep= and layout=.")
    if asked.sep is not None and not asked.sep.strip(" \r\n"):
        raise UsageError(f"sep={asked.sep!r} cannot separate labels; pass a character such as ';' or '|'.")
    inside = [v for v in asked.labels or () if asked.sep is not None and asked.sep in str(v)]
    if inside:
        raise UsageError(
            f"label {brief(inside[0])} contains the separator {asked.sep!r}, so it could never be read as one label. "
            "Choose another separator, or write the sets as lists."
        )


def with_json(table: Table) -> Table:
    """The same table, columns of lists written as JSON."""
    lists = [c for c, kind in table.engine.kinds().items() if kind == "nested" and c != "row"]
    if not lists:
        return table
    columns = ", ".join(
        f"nullif(CAST(to_json({c}) AS STRING), 'null') AS {c}" if c in lists else c for c in table.named()
    )
    names = (*table.nested, *map(table.name, lists))
    return replace(table, engine=table.engine.derive(f"SELECT row, {columns} FROM annotations"), nested=names)


def cells(table: Table, asked: SetOptions) -> tuple[Long, str]:
    """One cell per annotation, as text; and the kind of cell it was."""
    if asked.layout == "wide":
        made = wide(table, asked.item, asked.rater, asked.raters, sets=True)
    else:
        made = long(table, asked.item, asked.rater, asked.label, sets=True)
    if made.kind in ("text", "nested"):
        return replace(made, kind="text", mixed=None), made.kind
    return as_texts(made), made.kind


def as_texts(made: Long) -> Long:
    """The same with labels as text, whatever they were."""
    tail = "".join(f", {c}" for c in made.others)
    kind = "text" if made.kind == "parse" else made.kind
    engine = made.engine.derive(f"SELECT row, item, rater, {as_text(kind)} AS label{tail} FROM annotations")
    return replace(made, engine=engine, kind="text", mixed=None, plain=None)


def form_of(cleaned: Cleaned, kind: str, sep: str | None) -> Form:
    """How the cells are written: JSON in a list column, or else the given separator, or else lists as text, or else one
    label.
    """
    if kind == "nested":
        return Form(Note("sets_from_lists"), one_of_json)
    parses = kind != "text"
    if sep is not None:
        return separated(sep, parses)
    texts = [str(t) for t in cleaned.engine.query(CELLS)["label"]]
    if texts and all(map(looks_like_list, texts)):
        return Form(Note("sets_from_text"), one_of_text)
    return single(parses)


def from_several_rows(table: Table, asked: SetOptions) -> tuple[Long, Cleaned, Form]:
    """One label per row: the rows of an item and rater make one set."""
    made = long(table, asked.item, asked.rater, asked.label)
    parses = made.kind != "text"
    gone = [written(v) for v in asked.missing]
    cleaned = clean(as_texts(made), gone, None, Scale.nominal)
    engine = cast(Source, cleaned.engine)
    keys, _ = distinct_labels(engine, "text")
    tail = "".join(f", min_by({engine.quote(name)}, row) AS {engine.quote(name)}" for name in cleaned.extras)
    base = len(keys) if asked.ordered else 0
    code, source = "code", "annotations JOIN set_codes ON label = text"
    if base:
        # the position of a label in its set, in front of its code
        columns = ", ".join(["row", "item", "rater", *map(engine.quote, cleaned.extras)])
        place = "row_number() OVER (PARTITION BY item, rater ORDER BY row)"
        source = f"(SELECT {columns}, {place} * {base} + code AS code FROM {source}) AS placed"
    rows = engine.derive(
        f"SELECT min(row) AS row, item, rater, CAST(array_sort(array_agg(DISTINCT {code})) AS STRING) AS label{tail} "
        f"FROM {source} GROUP BY item, rater",
        set_codes={"text": keys, "code": np.arange(len(keys))},
    )
    form = coded(keys.tolist(), parses, base)
    return made, replace(cleaned, engine=rows), form


def assembled(made: Long, cleaned: Cleaned, form: Form, asked: SetOptions, from_text: bool) -> Annotations:
    """Parse the distinct cells, replace them with sets, settle the labels, and count."""
    engine, notes = cast(Source, cleaned.engine), [*cleaned.notes]
    found = engine.query(CELLS)
    gone = {written(v) for v in asked.missing}
    sets, twice = read_cells(engine, found, form, gone, made.source)
    dropped = dict(cleaned.dropped)
    without = sum(int(n) for cell, n in zip(found["label"], found["n"], strict=True) if sets[cell] is None)
    if without:
        dropped[Dropped.in_missing] = dropped.get(Dropped.in_missing, 0) + without
    kept = {cell: labels for cell, labels in sets.items() if labels is not None}
    if not kept:
        raise nothing_left(made.source, dropped)
    values = list({written(v): v for labels in kept.values() for v in labels}.values())
    members = members_of(values, form.parses)
    keys = {cell: key_of(canonical(labels, asked.ordered)) for cell, labels in kept.items()}
    tail = "".join(f", {engine.quote(name)}" for name in cleaned.extras)
    engine = engine.derive(
        f"SELECT row, item, rater, set_keys.set_key AS label{tail} FROM annotations JOIN set_keys ON label = cell",
        set_keys={"cell": column(keys), "set_key": column(keys.values())},
    )
    if from_text:
        engine = engine.stored()
    ready, counts = distinct_labels(engine, "text")
    sizes, _, names = sizes_and_patterns(engine, int(counts.sum()), True, np.empty(0))
    notes = [form.note, *notes, *remarks(asked, form, kept, twice, sizes["repeats"])]
    notes += names_apart(engine, *names, sizes["n_annotations"])
    settled = declared_members(ready, counts, members, asked, made.source, engine)
    return Annotations(
        engine=engine,
        scale=Scale.sets,
        scale_from=GIVEN,
        **settled,
        declared=asked.labels is not None,
        period=None,
        numeric=False,
        **sizes,
        dropped=dict(sorted(dropped.items())),
        duplicates=asked.duplicates,
        columns=made.columns,
        extras=cleaned.extras,
        source=made.source,
        notes=tuple(notes),
        layout=asked.layout,
    )


def column(texts: Any) -> NDArray[Any]:
    """Text as a column of a small table."""
    found = list(texts)
    out = np.empty(len(found), dtype=object)
    out[:] = found
    return out


def read_cells(
    engine: Source, found: dict[str, NDArray[Any]], form: Form, gone: set[str], source: str
) -> tuple[dict[str, list[Any] | None], int]:
    """The labels of each distinct cell (None: only labels that mean missing); and in how many cells a label occurs
    twice.
    """
    sets: dict[str, list[Any] | None] = {}
    twice = 0
    for cell in found["label"]:
        try:
            labels = list(form.read(cell))
        except ValueError as error:
            at = first_with(engine, f"label = {engine.text(cell)}")
            raise DataError(
                f"{source}: {brief(cell)} is not a set of labels: {error} ({at}). "
                'Write a list such as ["a", "b"], or pass sep=\';\'.'
            ) from None
        once = list({written(v): v for v in labels}.values())
        twice += len(once) < len(labels)
        left = [v for v in once if written(v) not in gone]
        sets[cell] = None if once and not left else left
    return sets, twice


def canonical(labels: Sequence[Any], ordered: bool) -> list[str]:
    """The labels of a set as text, by code point; in the given order if the order matters."""
    texts = [written(v) for v in labels]
    return texts if ordered else sorted(texts)


def remarks(asked: SetOptions, form: Form, kept: dict[str, Any], twice: int, repeats: int) -> list[Note]:
    """Further notes about the sets."""
    notes: list[Note] = []
    if asked.sep is not None and not any(asked.sep in cell for cell in kept):
        notes.append(Note("separator_absent", {"sep": asked.sep}))
    if twice:
        notes.append(Note("label_twice"))
    if form.note.code == "sets_of_one":
        notes.append(several_inside(kept) or Note("sets_of_one_how"))
    if repeats:
        notes.append(Note("rows_look_like_sets"))
    if asked.ordered:
        notes.append(Note("order_kept"))
    return notes


def several_inside(cells: Iterable[str]) -> Note | None:
    """A note if cells look like several labels: the parts between separators are themselves cells."""
    every = {cell.strip() for cell in cells}
    for cell in sorted(every):
        for sep in ";|,":
            parts = [part.strip() for part in cell.split(sep)]
            if len(parts) > 1 and any(part in every for part in parts):
                said = Note("cells_look_like_sets", {"cell": cell, "sep": sep})
                warn(str(said))
                return said
    return None


def declared_members(
    keys: NDArray[Any], counts: NDArray[Any], members: dict[str, Any], asked: SetOptions, source: str, engine: Source
) -> dict[str, Any]:
    """Single labels in their order, and the sets that occur in theirs: by size, then by label."""
    if asked.labels is not None:
        given = as_numbers(asked.labels) if all(not isinstance(v, str) for v in members.values()) else None
        shown = list(asked.labels) if given is None else given
        order = {written(v): v for v in shown}
        off = [text for text in members if text not in order]
        if off:
            raise off_list(off, keys, counts, asked, source, engine)
        members = order
    place = {text: k for k, text in enumerate(members)}
    codes = [[place[t] for t in texts_of(key)] for key in keys]
    codes = [code if asked.ordered else sorted(code) for code in codes]
    at = sorted(range(len(keys)), key=lambda i: (len(codes[i]), codes[i]))
    names = list(members.values())
    sets = tuple(LabelSet(names[k] for k in codes[i]) for i in at)
    return {"labels": sets, "keys": column(keys[i] for i in at), "members": tuple(names)}


def off_list(
    off: list[str], keys: NDArray[Any], counts: NDArray[Any], asked: SetOptions, source: str, engine: Source
) -> DataError:
    """A label that was not declared, and where it first occurs."""
    bad = {key for key in keys if set(off) & set(texts_of(key))}
    n = int(sum(c for key, c in zip(keys, counts, strict=True) if key in bad))
    at = engine.query(
        "SELECT item, rater FROM annotations JOIN off ON label = set_key ORDER BY row LIMIT 1",
        off={"set_key": column(sorted(bad)[:1000])},
    )
    verb = "label {} is" if len(off) == 1 else "labels {} are"
    hint = f" Is {asked.sep!r} part of a label?" if asked.sep is not None else ""
    return DataError(
        f"{source}: {verb.format(listed(off))} not on the scale [{listed(asked.labels, 20)}]"
        f" ({counted(n, 'annotation')}; first: item {brief(at['item'][0])}{of_rater(at['rater'][0])}). Pass"
        f" labels= with all labels, or missing=[{listed(off, 20)}] to leave {'it' if len(off) == 1 else 'them'}"
        f" out.{hint}"
    )


def sets_again(ann: Annotations, labels: Sequence[Any] | None) -> Annotations:
    """The same sets under another list of labels."""
    if labels is None:
        return ann
    keys, counts = distinct_labels(ann.engine, "text")
    texts = list(dict.fromkeys(t for key in keys for t in texts_of(key)))
    numbers = all(not isinstance(v, str) for v in ann.members)
    shown = {t: t for t in texts} if not numbers else dict(zip(texts, as_numbers(texts) or texts, strict=True))
    ordered = any(found != sorted(found) for found in map(texts_of, keys))
    asked = SetOptions(None, None, None, labels, ann.layout, "columns", (), ann.duplicates, None, None, ordered)
    check_options(Scale.sets, labels, None)
    settled = declared_members(keys, counts, shown, asked, ann.source, cast(Source, ann.engine))
    return replace(ann, declared=True, **settled)
