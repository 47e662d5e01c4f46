"""``Spans``: the units that raters marked in documents, and the views: who saw which document.

A rater who marked nothing leaves no unit, so without views "saw it and found nothing" and "never saw it" would be the
same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from raters.annotations import counted, labels_text
from raters.errors import DataError, brief, of_rater
from raters.estimate import frame
from raters.notes.note import Note, in_json
from raters.words import printable

Array = NDArray[Any]
Parts = tuple[tuple[int, int], ...]
NO_LABEL = "(no label)"
"""How a unit without a label is shown; it is a label of its own."""


class Unit(NamedTuple):
    """One marked stretch of a document, half-open, in characters; ``parts`` if it is discontinuous."""

    document: str
    rater: str
    start: int
    end: int
    label: str | None
    parts: Parts = ()


@dataclass(frozen=True, eq=False)
class Spans:
    """Units and views, in one order whatever the order of the source; see :func:`spans`.

    >>> found = spans([Unit("d", "ann", 0, 5, "X"), Unit("d", "bob", 0, 5, "X")], lengths={"d": 40})
    >>> found.n_documents, found.n_raters, found.n_units
    (1, 2, 2)
    """

    anns: ClassVar[tuple[()]] = ()
    """Its tables of labels: none."""

    source: str
    documents: tuple[str, ...]
    raters: tuple[str, ...]
    labels: tuple[str | None, ...]
    view_document: Array  # (view,), sorted by document and rater
    view_rater: Array
    length: Array  # (document,): characters, -1 if unknown
    texts: tuple[str | None, ...]
    view: Array  # (unit,), sorted by document, start, end, label and rater
    label: Array  # (unit,)
    bounds: Array  # (unit,): equal for the same parts of the same document
    start: Array  # (unit,): the first start
    end: Array  # (unit,): the last end
    part_unit: Array  # (part,): units in order, and the parts of each in order
    part_start: Array
    part_end: Array
    left_out: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    read_as: tuple[Note, ...] = ()
    texts_differ: int = 0
    about: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Columns of the documents, for slices: column -> document -> value."""

    @property
    def n_documents(self) -> int:
        return len(self.documents)

    @property
    def n_raters(self) -> int:
        return len(self.raters)

    @property
    def n_units(self) -> int:
        return len(self.view)

    @property
    def n_views(self) -> int:
        return len(self.view_document)

    @cached_property
    def document(self) -> Array:
        """(unit,): its document."""
        return np.asarray(self.view_document[self.view])

    @cached_property
    def rater(self) -> Array:
        """(unit,): its rater."""
        return np.asarray(self.view_rater[self.view])

    @cached_property
    def views_each(self) -> Array:
        """(document,): how many raters saw it."""
        return np.bincount(self.view_document, minlength=self.n_documents)

    @cached_property
    def size(self) -> Array:
        """(unit,): its characters, without the gaps between its parts."""
        return np.bincount(self.part_unit, self.part_end - self.part_start, self.n_units).astype(np.int64)

    @cached_property
    def base(self) -> Array:
        """(document,): where it begins if all documents are laid end to end, one character apart."""
        extent = np.maximum(self.length, 0)
        np.maximum.at(extent, self.document, self.end)
        return np.concatenate([[0], np.cumsum(extent + 1)[:-1]]).astype(np.int64)

    @cached_property
    def blank_views(self) -> int:
        """Views in which nothing was marked."""
        return self.n_views - len(np.unique(self.view))

    @cached_property
    def shared(self) -> int:
        """Documents that two or more raters saw."""
        return int((self.views_each >= 2).sum())

    @cached_property
    def stacked(self) -> bool:
        """Whether units of one rater overlap anywhere."""
        order = np.lexsort((self.part_start, self.view[self.part_unit]))
        view, start, end = self.view[self.part_unit][order], self.part_start[order], self.part_end[order]
        return bool(((view[1:] == view[:-1]) & (start[1:] < _running(view, end)[:-1])).any())

    @cached_property
    def discontinuous(self) -> int:
        """Units of several parts."""
        return int((np.bincount(self.part_unit, minlength=self.n_units) > 1).sum())

    @cached_property
    def without_label(self) -> int:
        """Units without a label."""
        return int((self.label == self.labels.index(None)).sum()) if None in self.labels else 0

    @property
    def lengths_known(self) -> bool:
        """Whether the length of every document that two raters saw is known."""
        return bool((self.length[self.views_each >= 2] >= 0).all())

    @property
    def complete(self) -> bool:
        """Whether every rater saw every document that two raters saw."""
        m = self.views_each[self.views_each >= 2]
        return bool((m == self.n_raters).all()) if len(m) else True

    def keeping(self, units: Array, views: Array | None = None) -> Spans:
        """These units alone; with ``views``, also these views alone, and the units in them."""
        if views is not None:
            units = units & views[self.view]
            at = np.cumsum(views) - 1
            made = replace(self, view_document=self.view_document[views], view_rater=self.view_rater[views])
        else:
            at, made = np.arange(self.n_views), self
        parts, place = units[self.part_unit], np.cumsum(units) - 1
        return replace(
            made,
            view=at[self.view[units]],
            label=self.label[units],
            bounds=self.bounds[units],
            start=self.start[units],
            end=self.end[units],
            part_unit=place[self.part_unit[parts]],
            part_start=self.part_start[parts],
            part_end=self.part_end[parts],
        )

    def with_label(self, label: int) -> Spans:
        """The units of one label; every view stays."""
        return self.keeping(self.label == label)

    def of_raters(self, raters: Iterable[int]) -> Spans:
        """The views of these raters."""
        return self.keeping(np.ones(self.n_units, bool), np.isin(self.view_rater, list(raters)))

    def of_documents(self, documents: Iterable[int]) -> Spans:
        """The views of these documents."""
        return self.keeping(np.ones(self.n_units, bool), np.isin(self.view_document, list(documents)))

    def views(self) -> list[tuple[str, str]]:
        """(document, rater) of every view."""
        pairs = zip(self.view_document.tolist(), self.view_rater.tolist(), strict=True)
        return [(self.documents[d], self.raters[r]) for d, r in pairs]

    def renamed(self, names: Mapping[str, str], notes: Callable[[Note], Note]) -> Spans:
        """The same with other names of raters, in their order; ``notes``: what becomes of a note."""
        made = spans(
            (u._replace(rater=names[u.rater]) for u in self.units()),
            [(d, names[r]) for d, r in self.views()],
            lengths={d: int(n) for d, n in zip(self.documents, self.length, strict=True) if n >= 0},
            texts={d: t for d, t in zip(self.documents, self.texts, strict=True) if t is not None},
            source=self.source,
            texts_differ=self.texts_differ,
            about=self.about,
        )
        said = tuple(map(notes, self.notes)), tuple(map(notes, self.read_as))
        return replace(made, notes=said[0], read_as=said[1], left_out=self.left_out)

    def parts_of(self, unit: int) -> Parts:
        """The parts of a unit; one if it is continuous."""
        at = slice(*np.searchsorted(self.part_unit, [unit, unit + 1]))
        return tuple(zip(self.part_start[at].tolist(), self.part_end[at].tolist(), strict=True))

    def units(self) -> list[Unit]:
        """Every unit as a value."""
        many = np.bincount(self.part_unit, minlength=self.n_units) > 1
        columns = (self.document, self.rater, self.start, self.end, self.label, many)
        return [
            Unit(self.documents[d], self.raters[r], s, e, self.labels[c], self.parts_of(i) if several else ())
            for i, (d, r, s, e, c, several) in enumerate(zip(*(x.tolist() for x in columns), strict=True))
        ]

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notes as sentences."""
        return tuple(map(str, self.notes))

    def summary(self) -> dict[str, Any]:
        """What was read, as plain values ready for JSON."""
        return {
            "source": self.source,
            "n_documents": self.n_documents,
            "n_shared": self.shared,
            "n_raters": self.n_raters,
            "n_views": self.n_views,
            "n_blank_views": self.blank_views,
            "n_units": self.n_units,
            "labels": [label_name(x) for x in self.labels],
            "stacked": self.stacked,
            "discontinuous": self.discontinuous,
            "left_out": dict(self.left_out),
            **in_json((*self.read_as, *self.notes)),
        }

    def to_columns(self) -> dict[str, list[Any]]:
        """Document, rater, start, end, label and parts, one row per unit."""
        rows = self.units()
        names = ("document", "rater", "start", "end", "label")
        return {n: [getattr(u, n) for u in rows] for n in names} | {"parts": [list(map(list, u.parts)) for u in rows]}

    def to_frame(self) -> Any:
        """One row per unit, as a pandas (else polars) dataframe."""
        return frame(self.to_columns())

    def __str__(self) -> str:
        return "\n".join(printable(x) for x in lines(self))

    def __repr__(self) -> str:
        return printable(f"<Spans {headline(self)}>")


def label_name(label: str | None) -> str:
    """A label in words."""
    return NO_LABEL if label is None else label


NAMED, LETTERS = 4, 40
"""So many raters are named where a project is described, if their names have no more letters."""


def headline(found: Spans) -> str:
    """What was read, on one line."""
    each = "each" if found.shared == found.n_documents else "the others"
    views = f"all saw {each}" if found.complete and found.n_raters > 1 else counted(found.n_views, "view")
    who = ", ".join(found.raters) if len(found.raters) <= NAMED and sum(map(len, found.raters)) <= LETTERS else ""
    once = f" ({found.n_documents - found.shared:,} seen by one rater)" if found.shared < found.n_documents else ""
    more = [f"{counted(found.blank_views, 'view')} without a unit"] if found.blank_views else []
    more += ["units of one rater overlap"] if found.stacked else []
    more += [f"{found.discontinuous:,} discontinuous"] if found.discontinuous else []
    more += [f"{found.without_label:,} without a label"] if found.without_label else []
    return "; ".join(
        [
            f"{found.source}: {counted(found.n_documents, 'document')}{once}, {counted(found.n_raters, 'rater')} ({'; '.join(filter(None, [who, views]))}),"
            f" {counted(found.n_units, 'unit')}",
            f"{counted(len(found.labels), 'label')}: {labels_text(tuple(map(label_name, found.labels)))}",
            *more,
        ]
    )


def lines(found: Spans) -> list[str]:
    """The summary as text: what was read and assumed, then what was left out."""
    assumed = [str(n) for n in (*found.read_as, *found.notes) if n.level == "assumed"]
    rest = [str(n) for n in (*found.read_as, *found.notes) if n.level != "assumed"]
    said = [f"{n:,} {why}" for why, n in found.left_out.items() if n]
    first = "; ".join([headline(found), *assumed])
    return [first, *([f"not counted: {'; '.join(said)}"] if said else []), *(f"note: {x}" for x in rest)]


def _running(group: Array, end: Array) -> Array:
    """(part,): the furthest end so far within a group; groups in order."""
    if not len(end):
        return end
    step = int(end.max()) + 1
    number = np.cumsum(np.concatenate([[0], group[1:] != group[:-1]]))
    return np.asarray(np.maximum.accumulate(end + number * step) - number * step)


ZERO, REPEATED = "of no length", "equal units of one rater (each counts once)"
"""Why units are not counted."""


def spans(
    units: Iterable[Unit],
    views: Iterable[tuple[str, str]] | None = None,
    *,
    lengths: Mapping[str, int] | None = None,
    texts: Mapping[str, str] | None = None,
    source: str = "units",
    notes: Sequence[Note] = (),
    read_as: Sequence[Note] = (),
    left_out: Mapping[str, int] | None = None,
    texts_differ: int = 0,
    about: Mapping[str, Mapping[str, str]] | None = None,
    where: Sequence[tuple[str, int]] = (),
) -> Spans:
    """Units and views (document, rater) as a value. Without views, every rater is assumed to have seen every document
    in which anybody marked something, and a note says so. ``where``: the file and line of each unit, for messages.
    """
    given = list(units)
    texts = dict(texts or {})
    lengths = dict(lengths or {}) | {d: len(t) for d, t in texts.items()}
    kept = [u for u in given if u.end != u.start]
    _check(given, lengths, source, where)
    said = [*read_as]
    if views is None:
        said.append(Note("every_rater_saw_all", {"raters": len({u.rater for u in given})}))
    seen = _seen(given, views, source)
    documents, raters = sorted({d for d, _ in seen}), sorted({r for _, r in seen})
    labels = _labels(kept)
    d_of, r_of, c_of = ({v: i for i, v in enumerate(x)} for x in (documents, raters, labels))
    view = np.array(sorted((d_of[d], r_of[r]) for d, r in seen), np.int64)
    at = {(d, r): i for i, (d, r) in enumerate(view.tolist())}
    rows, several = _rows(kept, d_of, c_of, lambda u: at[d_of[u.document], r_of[u.rater]])
    part_unit, part_start, part_end = _parts(rows, several)
    new = (np.diff(rows[:, :4], axis=0) != 0).any(1) if len(rows) else np.zeros(0, bool)
    out = {ZERO: len(given) - len(kept), REPEATED: len(kept) - len(rows), **(left_out or {})}
    return Spans(
        source=source,
        documents=tuple(documents),
        raters=tuple(raters),
        labels=tuple(labels),
        view_document=view[:, 0],
        view_rater=view[:, 1],
        length=np.array([lengths.get(d, -1) for d in documents], np.int64),
        texts=tuple(texts.get(d) for d in documents),
        view=rows[:, 5],
        label=rows[:, 4],
        bounds=np.concatenate([[0], np.cumsum(new)])[: len(rows)],
        start=rows[:, 1],
        end=rows[:, 2],
        part_unit=part_unit,
        part_start=part_start,
        part_end=part_end,
        left_out=out,
        notes=tuple(notes),
        read_as=tuple(said),
        texts_differ=texts_differ,
        about=dict(about or {}),
    )


def _labels(units: Sequence[Unit]) -> list[str | None]:
    """Their labels in order, none last."""
    found = {u.label for u in units}
    return [*sorted(x for x in found if x is not None), *([None] if None in found else [])]


def _seen(given: Sequence[Unit], views: Iterable[tuple[str, str]] | None, source: str) -> set[tuple[str, str]]:
    """Who saw which document: as said, or every rater each in which anybody marked something."""
    if views is None:
        seen = {(d, r) for d in {u.document for u in given} for r in {u.rater for u in given}}
    else:
        seen = set(views)
    for u in given:
        if (u.document, u.rater) not in seen:
            raise DataError(
                f"{source}: document {brief(u.document)}{of_rater(u.rater)}: marked, but not by one of those who saw it."
                " Add the row to the table of who saw what."
            )
    if not seen:
        raise DataError(f"{source}: no document was found that anybody saw.")
    return seen


def _rows(
    units: Sequence[Unit], d_of: Mapping[Any, int], c_of: Mapping[Any, int], view: Callable[[Unit], int]
) -> tuple[Array, dict[int, Parts]]:
    """Document, start, end, number of the parts (0 if continuous), label and view of each unit, each once and in order;
    and the parts by their number.
    """
    parts = sorted({tuple(sorted(u.parts)) for u in units if len(u.parts) > 1})
    number = {p: i for i, p in enumerate(parts, 1)}
    rows = [
        (
            d_of[u.document],
            u.start,
            u.end,
            number[tuple(sorted(u.parts))] if len(u.parts) > 1 else 0,
            c_of[u.label],
            view(u),
        )
        for u in units
    ]
    return _distinct(np.array(rows, np.int64).reshape(-1, 6)), {i: p for p, i in number.items()}


def _distinct(rows: Array) -> Array:
    """The rows in order, each once."""
    if not len(rows):
        return rows
    rows = rows[np.lexsort(rows.T[::-1])]
    return np.asarray(rows[np.concatenate([[True], (np.diff(rows, axis=0) != 0).any(1)])])


def _parts(rows: Array, several: Mapping[int, Parts]) -> tuple[Array, Array, Array]:
    """The parts of each unit: its bounds, or what a discontinuous unit consists of, joined where they overlap."""
    whole = np.flatnonzero(rows[:, 3] == 0)
    found = [(i, *p) for i in np.flatnonzero(rows[:, 3]).tolist() for p in _joined(several[int(rows[i, 3])])]
    more = np.array(found, np.int64).reshape(-1, 3)
    unit, start, end = (
        np.concatenate([a, b])
        for a, b in zip((whole, rows[whole, 1], rows[whole, 2]), (more[:, 0], more[:, 1], more[:, 2]), strict=True)
    )
    order = np.lexsort((start, unit))
    return unit[order], start[order], end[order]


def _joined(parts: Parts) -> list[tuple[int, int]]:
    """Parts in order, joined where they overlap; parts that touch stay two."""
    made: list[tuple[int, int]] = []
    for start, end in sorted(p for p in parts if p[0] < p[1]):
        if made and start < made[-1][1]:
            made[-1] = made[-1][0], max(end, made[-1][1])
        else:
            made.append((start, end))
    return made


def _check(units: Sequence[Unit], lengths: Mapping[str, int], source: str, places: Sequence[tuple[str, int]]) -> None:
    """Refuse units that end before they start, or lie outside the document."""
    beyond = max((u.end for u in units), default=0) + 1
    if all(0 <= u.start < u.end <= lengths.get(u.document, beyond) and not u.parts for u in units):
        return
    for i, u in enumerate(units):
        length = lengths.get(u.document)
        backwards = u.end < u.start or any(e < s for s, e in u.parts)
        if not backwards and u.start >= 0 and (length is None or u.end <= length or u.start == u.end):
            continue
        place = f"{places[i][0]} {places[i][1]}" if i < len(places) else source
        where = f"{place}: document {brief(u.document)}{of_rater(u.rater)}: the unit {u.start} to {u.end}"
        if backwards:
            raise DataError(f"{where} ends before it starts. Offsets are [start, end) in characters; correct the row.")
        known = f"; the document has {length:,} characters" if length is not None else ""
        raise DataError(f"{where} lies outside the document{known}. Check the offsets, or the text of the document.")
