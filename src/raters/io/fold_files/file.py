"""The file of a fold: JSON, described in docs/folds.md. Every file is checked when it is read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.annotations import Annotations
from raters.engines.patterns import PatternEngine
from raters.errors import DataError, brief
from raters.io.sources.local import existing
from raters.notes.note import Note, either
from raters.notes.note import from_json as notes_in_json
from raters.scales.scale import Scale

MOST = 1024
"""Approximate number of items in a sample: the rate is halved until no more are expected."""
DIGITS = 16


@dataclass(frozen=True)
class ItemSample:
    """Items whose hash begins with ``level`` zero bits, and in how many of the folds that were added each occurs.

    Which items are sampled depends on their names alone, so that samples of two folds can be compared and
    added.
    """

    level: int = 0
    items: dict[str, int] = field(default_factory=dict)

    def at(self, level: int) -> ItemSample:
        """The sample at a lower rate."""
        limit = threshold(level)
        kept = {h: n for h, n in self.items.items() if limit is None or h < limit}
        return ItemSample(max(level, self.level), kept)

    def __add__(self, other: ItemSample) -> ItemSample:
        a, b = self._level(other)
        made = ItemSample(a.level, dict(sorted((Counter(a.items) + Counter(b.items)).items())))
        while len(made.items) > 2 * MOST:
            made = made.at(made.level + 1)
        return made

    def shared(self, other: ItemSample) -> tuple[int, int]:
        """How many of the other's sampled items are also here, and how many it has."""
        a, b = self._level(other)
        return len(a.items.keys() & b.items.keys()), len(b.items)

    def _level(self, other: ItemSample) -> tuple[ItemSample, ItemSample]:
        level = max(self.level, other.level)
        return self.at(level), other.at(level)


def threshold(level: int) -> str | None:
    """The hash below which items are sampled, in hexadecimal; None if all are."""
    return None if level == 0 else f"{1 << (4 * DIGITS - level):0{DIGITS}x}"


def sampled(ann: Annotations) -> ItemSample | None:
    """The sample of a table's items; None if items are known only by their position."""
    if "item" not in ann.columns:
        return None
    level = max(0, int(np.ceil(np.log2(max(ann.n_items, 1) / MOST))))
    limit = threshold(level)
    name = f"substr(md5(CAST(item AS STRING)), 1, {DIGITS})"
    below = "" if limit is None else f" WHERE h < '{limit}'"
    got: Any = ann.engine.query(
        f"SELECT h FROM (SELECT {name} AS h FROM annotations GROUP BY item) AS hashed{below} ORDER BY h"
    )
    return ItemSample(level, dict.fromkeys(got["h"].tolist(), 1))


Array = NDArray[Any]
PART = "fold"
"""The column that distinguishes the folds of a table."""


@dataclass(frozen=True, eq=False)
class SavedFold:
    """Patterns of labels and the number of items that show each, with the meaning of the labels."""

    kind: str
    """``text``, ``number``, ``bool`` or ``sets``."""
    scale: Scale
    scale_from: Note
    labels: tuple[Any, ...]
    keys: Array
    """(label,): the labels as an engine holds them: numbers, or text."""
    declared: bool
    period: float | None
    members: tuple[Any, ...]
    group: str | None
    groups: tuple[Any, ...]
    patterns: sparse.csr_array
    """(pattern, group * label): label counts; no pattern occurs twice."""
    items: Array
    """(pattern,): how many items show it."""
    sample: ItemSample | None = None
    dropped: Mapping[str, int] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def n_items(self) -> int:
        return int(self.items.sum())

    @property
    def n_annotations(self) -> int:
        return int(self.items @ np.asarray(self.patterns.sum(1)).ravel())

    @property
    def source(self) -> str:
        """Its name in messages."""
        first = self.sources[0] if self.sources else "fold"
        return first if len(self.sources) < 2 else f"{first} and {len(self.sources) - 1} more"

    def table(self, items: Array | None = None, parts: Sequence[str] = ()) -> Annotations:
        """The annotations that the fold represents. ``items``: (part, pattern), if several folds are kept apart."""
        by_part = self.items[None] if items is None else items
        named = tuple(parts) or (self.source,)
        engine = PatternEngine(self.keys, self.patterns, by_part, named, self.group, self.groups)
        size = np.asarray(self.patterns.sum(1)).ravel()[self.items > 0]
        n, own = self.n_items, ("item", "rater", None)
        extras = [*([] if self.group in own else [str(self.group)]), *([PART] if len(named) > 1 else [])]
        return Annotations(
            engine=engine,
            scale=self.scale,
            labels=self.labels,
            keys=self.keys,
            numeric=self.kind in ("number", "bool"),
            scale_from=self.scale_from,
            declared=self.declared,
            period=self.period,
            n_items=n,
            n_raters=len(self.groups) if self.group == "rater" else 0,
            n_annotations=self.n_annotations,
            dropped=dict(self.dropped),
            repeats=0,
            first_repeat=None,
            duplicates="error",
            per_item=(int(size.min()) if len(size) else 0, self.n_annotations / max(n, 1), int(size.max(initial=0))),
            columns={},
            extras=tuple(extras),
            source=self.source,
            notes=self.notes,
            layout="fold",
            members=self.members,
        )


F = TypeVar("F", bound=SavedFold)


def codes(table: sparse.csr_array) -> list[tuple[int, ...]]:
    """The columns of each row in order, each as often as it is counted."""
    times = table.data.astype(np.int64)
    rows = zip(table.indptr[:-1], table.indptr[1:], strict=True)
    return [tuple(np.repeat(table.indices[a:b], times[a:b]).tolist()) for a, b in rows]


def in_order(fold: F) -> F:
    """The same patterns in one order, whatever the fold was made from."""
    fold.patterns.sort_indices()
    found = codes(fold.patterns)
    order = sorted(range(len(found)), key=found.__getitem__)
    return replace(fold, patterns=fold.patterns[order], items=fold.items[order])


FORMAT, VERSION = "raters-fold", 2
ENDING = ".fold"
KINDS: dict[str, type | tuple[type, ...]] = {"text": str, "number": (int, float), "bool": bool, "sets": list}
MOST_COUNT = 1 << 53


def as_text(fold: SavedFold) -> str:
    """The fold as JSON, with one pattern per line."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "kind": fold.kind,
        "scale": fold.scale,
        "scale_from": fold.scale_from.to_dict(),
        "declared": fold.declared,
        "period": fold.period,
        "labels": [list(v) if isinstance(v, tuple) else v for v in fold.labels],
        **({"keys": fold.keys.tolist(), "members": list(fold.members)} if fold.scale.of_sets else {}),
        "group": fold.group,
        "groups": list(fold.groups),
        "dropped": dict(fold.dropped),
        "sources": list(fold.sources),
        "notes": [note.to_dict() for note in fold.notes],
        "sample": None if fold.sample is None else {"level": fold.sample.level, "items": fold.sample.items},
    }
    fields = (
        f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False, allow_nan=False)}" for name, value in head.items()
    )
    rows = (
        json.dumps([n, row], separators=(",", ":"))
        for n, row in zip(fold.items.tolist(), codes(fold.patterns), strict=True)
    )
    return "{\n" + ",\n".join(fields) + ',\n "patterns": [\n  ' + ",\n  ".join(rows) + "\n ]\n}\n"


def load(name: Any) -> SavedFold:
    """The fold in a file."""
    path = existing(str(name))
    try:
        found = json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path.name}: not a fold that can be read ({' '.join(str(error).split())[:120]}).") from None
    return from_json(found, path)


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is not a number")


def from_json(found: Any, path: Path) -> SavedFold:
    """The fold that a JSON object describes."""
    need = Needed(found, path.name)
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise DataError(
            f'{path.name}: not a fold: it lacks "format": "{FORMAT}". Make one: '
            + either("raters.Fold.of(table).save('NAME.fold')", "raters fold TABLE -o NAME.fold")
        )
    version = need("version", int)
    if version > VERSION:
        raise DataError(
            f"{path.name}: a fold of version {version}, and this raters reads up to {VERSION}. Update raters."
        )
    kind, scale = need("kind", str, KINDS), Scale(need("scale", str, tuple(Scale)))
    if scale.of_sets != (KINDS[kind] is list):
        raise need.wrong("scale", f"one for labels of the kind {kind}")
    labels = need.each("labels", KINDS[kind])
    keys = need.each("keys", str) if scale.of_sets else labels
    group = need("group", (str, type(None)))
    groups = need.each("groups", (str, int, float, bool, type(None)))
    if (
        not labels
        or len(set(map(str, keys))) < len(labels)
        or len(set(groups)) < len(groups)
        or len(keys) != len(labels)
    ):
        raise need.wrong("labels", "each label (and group) once, and at least one")
    if (group is None) != (groups == [None]):
        raise need.wrong("groups", '[null] if "group" is null, otherwise names')
    patterns, items = _patterns(need, len(labels) * len(groups))
    numeric = kind in ("number", "bool")
    return SavedFold(
        kind=kind,
        scale=scale,
        scale_from=_notes(need, [need("scale_from", dict)])[0],
        declared=need("declared", bool),
        period=need("period", (int, float, type(None))),
        labels=tuple(tuple(v) if isinstance(v, list) else v for v in labels),
        keys=np.array(keys, dtype=np.float64 if numeric else object),
        members=tuple(need.each("members", (str, int, float, bool))) if scale.of_sets else (),
        group=group,
        groups=tuple(groups),
        patterns=patterns,
        items=items,
        sample=_sample(need),
        dropped={str(w): need.count(n, "dropped") for w, n in need("dropped", dict).items()},
        sources=tuple(need.each("sources", str)),
        notes=_notes(need, need("notes", list)),
    )


class Needed:
    """A field of the file, of the type that it must have."""

    def __init__(self, found: Any, name: str) -> None:
        self.found, self.name = found, name

    def wrong(self, field: str, wanted: str) -> DataError:
        value = brief(self.found.get(field)) if field in self.found else "nothing"
        return DataError(f'{self.name}: the fold\'s "{field}" must be {wanted}, but is {value}. Fold the table again.')

    def __call__(self, field: str, type_: Any, choices: Any = None) -> Any:
        value = self.found.get(field)
        right = isinstance(value, type_) and (field in self.found) and (not isinstance(value, bool) or type_ is bool)
        if not right or (choices is not None and value not in choices):
            raise self.wrong(
                field, f"one of {', '.join(choices)}" if choices is not None else f"of type {_types(type_)}"
            )
        return value

    def each(self, field: str, type_: Any) -> list[Any]:
        values: list[Any] = self(field, list)
        whole = bool in (type_ if isinstance(type_, tuple) else (type_,))
        if not all(isinstance(v, type_) and (whole or not isinstance(v, bool)) for v in values):
            raise self.wrong(field, f"a list of {_types(type_)}")
        return values

    def count(self, value: Any, field: str) -> int:
        if type(value) is not int or not 0 <= value < MOST_COUNT:
            raise self.wrong(field, "whole numbers")
        return value


def _notes(need: Needed, kept: list[Any]) -> tuple[Note, ...]:
    """Notes of the file; each has at least its sentence."""
    if not all(isinstance(n, dict) and isinstance(n.get("text"), str) for n in kept):
        raise need.wrong("notes", "notes, each with its text")
    return notes_in_json(n if isinstance(n.get("facts"), dict) and "code" in n else n["text"] for n in kept)


def _types(type_: Any) -> str:
    return " or ".join(
        "null" if t is type(None) else t.__name__ for t in (type_ if isinstance(type_, tuple) else (type_,))
    )


def _patterns(need: Needed, width: int) -> tuple[sparse.csr_array, Any]:
    """(pattern, group * label) and the number of items that show each; an error for codes out of range."""
    rows = need("patterns", list)
    good = all(isinstance(r, list) and len(r) == 2 and isinstance(r[1], list) and r[1] for r in rows)
    if not good or not all(type(c) is int and 0 <= c < width for _, codes in rows for c in codes):
        raise need.wrong("patterns", f"rows of [items, [code, ...]] with codes from 0 to {width - 1}")
    items = np.array([need.count(n, "patterns") for n, _ in rows], np.int64)
    if (items == 0).any() or float(items.sum()) * max((len(c) for _, c in rows), default=0) >= MOST_COUNT:
        raise need.wrong("patterns", "rows whose first number is how many items there are, at least 1")
    ends = np.concatenate([[0], np.cumsum([len(codes) for _, codes in rows])]).astype(np.int64)
    codes = np.array([c for _, row in rows for c in sorted(row)], np.int64)
    table = sparse.csr_array((np.ones(len(codes)), codes, ends), (len(rows), width))
    table.sum_duplicates()
    return table, items


def _sample(need: Needed) -> ItemSample | None:
    given = need("sample", (dict, type(None)))
    if given is None:
        return None
    level, items = given.get("level"), given.get("items")
    if type(level) is not int or not 0 <= level < 64 or not isinstance(items, dict):
        raise need.wrong("sample", "a level and items")
    if not all(len(h) == DIGITS and set(h) <= set("0123456789abcdef") for h in items):
        raise need.wrong("sample", "a level and items named by hexadecimal digits")
    return ItemSample(level, {h: need.count(n, "sample") for h, n in items.items()})
