"""From the long table to the view ``annotations``: numbers are separated from text, and rows without an answer are
dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Columns, Dropped, Engine
from raters.engines import DuckDBEngine, Source
from raters.errors import DataError, brief, of_rater
from raters.io.labels.numbers import PATTERN, as_numbers, parsed
from raters.io.labels.sizes import sorted_labels
from raters.io.labels.spelling import relabelled, same_label, written_alike
from raters.io.layouts.wide import Long
from raters.io.sources.rows import written
from raters.notes.note import Note
from raters.scales.scale import Scale


@dataclass(frozen=True, eq=False)
class Tally:
    """A small table that replaces the rows in every query about labels alone: row (the first), item, rater, label,
    n.
    """

    engine: Source
    labels: NDArray[Any]
    n: NDArray[Any]

    @cached_property
    def seen(self) -> dict[str, int]:
        """How often each label occurs."""
        found: dict[str, int] = {}
        for label, n in zip(self.labels.tolist(), self.n.tolist(), strict=True):
            if label is not None:
                found[label] = found.get(label, 0) + int(n)
        return found


def tallied(long: Long) -> Tally:
    """Scan the rows once. For text files, each label comes with its first row, for messages."""
    got = _by_label(long)
    columns = {
        "label": got["label"].astype(object),
        "no_item": got["no_item"],
        "no_rater": got["no_rater"],
        "n": got["n"],
        "first_row": got["first_row"],
    }
    small = DuckDBEngine.from_columns(columns).derive(
        "SELECT first_row AS row, CASE WHEN NOT no_item THEN 'x' END AS item, CASE WHEN NOT no_rater THEN 'x' END AS"
        " rater, CAST(label AS STRING) AS label, n FROM annotations"
    )
    return Tally(small, got["label"], got["n"])


def nothing_blank(long: Long) -> bool:
    """Whether it is certain, from the smallest values of blocks of rows in our own database, that every row has an item
    and a rater.

    Elsewhere, this would be one more scan, or rest on what a file states about itself.
    """
    if long.kind != "parse" or long.blank is None or long.plain is None:
        return False
    return not len(long.plain.query(f"SELECT 1 AS found FROM annotations WHERE {long.blank} LIMIT 1")["found"])


def _by_label(long: Long) -> Columns:
    """Rows by label, and by whether item and rater are missing, which takes twice as long and is asked only if some
    are.
    """
    first = "min(row)" if long.kind == "parse" else "0"
    if long.plain is not None and nothing_blank(long):
        got = long.plain.query(f"SELECT label, count(*) AS n, {first} AS first_row FROM annotations GROUP BY label")
        return got | dict.fromkeys(("no_item", "no_rater"), np.zeros(len(got["n"]), dtype=bool))
    got = long.engine.query(
        f"SELECT label, count(*) AS n, count(item) AS items, count(rater) AS raters, {first} AS first_row "
        "FROM annotations GROUP BY label"
    )
    none = {f"no_{what}": got[f"{what}s"] == 0 for what in ("item", "rater")}
    if all((absent | (got[f"{name[3:]}s"] == got["n"])).all() for name, absent in none.items()):
        return got | none
    return long.engine.query(
        f"SELECT label, no_item, no_rater, count(*) AS n, {first} AS first_row FROM (SELECT label, item IS NULL AS"
        " no_item, rater IS NULL AS no_rater, row FROM annotations) AS looked GROUP BY 1, 2, 3"
    )


RESERVED = ("row", "item", "rater", "label")


@dataclass(frozen=True)
class Cleaned:
    """The final view ``annotations``, and what was found while making it."""

    engine: Engine
    kind: str  # "bool", "number" or "text"
    dropped: dict[str, int]
    extras: tuple[str, ...]
    notes: tuple[Note, ...]
    mixed: Note | None  # the note on labels that are numbers and text
    labels: tuple[Any, Any] | None = (
        None  # the distinct labels in order and how often each occurs, where they are known
    )


def clean(long: Long, missing: Sequence[Any], declared: Sequence[Any] | None, scale: Scale | None) -> Cleaned:
    """Drop and count rows without label, item or rater, and settle whether labels are numbers."""
    missing = [same_label(v) for v in missing]
    if long.kind in ("text", "parse"):
        return clean_text(long, missing, declared, scale)
    judged = long.engine.derive(f"SELECT *, {verdict(long, missing)} AS why FROM annotations")
    dropped = reasons(judged.query("SELECT why, count(*) AS n FROM annotations GROUP BY why"))
    kind, notes, mixed = kind_of_labels(long, judged, declared, scale)
    return settled(long, kind, missing, dropped, [*([mixed] if mixed else []), *notes], mixed, None)


def clean_text(long: Long, missing: Sequence[Any], declared: Sequence[Any] | None, scale: Scale | None) -> Cleaned:
    """The same for text, from a tally of the distinct labels, so that the rows are scanned only once."""
    tally = tallied(long)
    changed, alike, meant = written_alike(long, tally.seen, declared)
    if changed:
        others = "".join(f", {c}" for c in long.others)
        long = replace(long, engine=relabelled(long.engine, changed, others), plain=None)
    long = replace(long, mixed=None if meant else long.mixed)
    judged = relabelled(tally.engine, changed, ", n").derive(
        f"SELECT *, {verdict(long, missing)} AS why FROM annotations"
    )
    kind, notes, mixed = kind_of_labels(long, judged, declared, scale)
    alike = alike if kind == "text" else []  # spaces around a number mean nothing
    got = judged.query(
        "SELECT why, label, CAST(sum(n) AS BIGINT) AS n FROM (SELECT why, CASE WHEN why IS NULL THEN"
        f" {LABEL[kind](long.kind)} END AS label, n FROM annotations) AS seen GROUP BY why, label"
    )
    dropped = reasons(got)
    kept = np.array([why is None for why in got["why"].tolist()], dtype=bool)
    labels = sorted_labels(got["label"][kept], got["n"][kept], kind)
    return settled(long, kind, missing, dropped, [*alike, *([mixed] if mixed else []), *notes], mixed, labels)


def reasons(counted: Columns) -> dict[str, int]:
    """The reasons why rows are dropped, and how many rows each affects."""
    return {str(w): int(n) for w, n in zip(counted["why"], counted["n"], strict=True) if w is not None}


LABEL: dict[str, Callable[[str], str]] = {
    "text": lambda kind: as_text(kind),
    "bool": lambda kind: "CAST(label AS DOUBLE)",
    "number": lambda kind: number(kind),
}
"""SQL for the label as it is kept, from the kind that it was read as."""


def settled(
    long: Long,
    kind: str,
    missing: Sequence[Any],
    dropped: dict[str, int],
    said: Sequence[Note],
    mixed: Note | None,
    labels: tuple[Any, Any] | None,
) -> Cleaned:
    """The view ``annotations``; it tests only for problems that were found."""
    names, renamed = extra_names(long)
    whole = Dropped.item not in dropped and Dropped.rater not in dropped and long.plain is not None
    engine = cast(Source, long.plain) if whole else long.engine
    tail = "".join(f", {c} AS {engine.quote(name)}" for c, name in zip(long.others, names, strict=True))
    kept = f" WHERE {verdict(long, missing, dropped)} IS NULL" if dropped else ""
    engine = engine.derive(f"SELECT row, item, rater, {LABEL[kind](long.kind)} AS label{tail} FROM annotations{kept}")
    if long.kind == "parse" and (kind != "text" or dropped or not whole):
        engine = engine.stored()  # so that text is parsed once
    return Cleaned(engine, kind, dict(sorted(dropped.items())), names, (*long.notes, *said, *renamed), mixed, labels)


def verdict(long: Long, missing: Sequence[Any], known: Collection[str] | None = None) -> str:
    """SQL for the reason why a row is dropped; NULL if it is kept. ``known``: the reasons that apply to at least one
    row.
    """
    text = long.kind in ("text", "parse")
    empty = "label IS NULL" + (
        " OR trim(label) = ''" if text else " OR isnan(CAST(label AS DOUBLE))" * (long.kind == "float")
    )
    cases = {Dropped.label: empty}
    if missing:
        cases[Dropped.in_missing] = listed_as_missing(long, missing)
    cases[Dropped.item] = "item IS NULL"
    if long.raters:
        cases[Dropped.rater] = "rater IS NULL"
    shown = (f"WHEN {case} THEN '{why}'" for why, case in cases.items() if known is None or why in known)
    return f"CASE {' '.join(shown)} END"


def listed_as_missing(long: Long, missing: Sequence[Any]) -> str:
    """SQL for: the label is one of ``missing``. Numbers match as numbers wherever labels are numbers."""
    numbers = [n for m in missing if (n := parsed(m)) is not None]
    these = ", ".join(f"CAST('{float(n)!r}' AS DOUBLE)" for n in numbers)
    if long.kind in ("int", "big", "float"):
        return f"CAST(label AS DOUBLE) IN ({these})" if numbers else "false"
    if long.kind == "bool":
        chosen = [str(bool(m)).lower() for m in missing if isinstance(m, bool)]
        return f"label IN ({', '.join(chosen)})" if chosen else "false"
    match = f"label IN ({', '.join(long.engine.text(written(m)) for m in missing)})"
    return (
        f"({match} OR coalesce({number('parse')} IN ({these}), false))" if numbers and long.kind == "parse" else match
    )


def number(kind: str) -> str:
    """SQL for the label as a number; NULL if the text of a file is not a number. Minus zero is zero."""
    value = "CAST(label AS DOUBLE)"
    if kind == "parse":
        value = f"CASE WHEN regexp_full_match(trim(label), '{PATTERN}') THEN TRY_CAST(trim(label) AS DOUBLE) END"
    return f"CASE WHEN {value} = 0 THEN CAST(0 AS DOUBLE) ELSE {value} END"


def as_text(kind: str) -> str:
    """SQL for the label as text; 2.0 is written 2."""
    if kind != "float":
        return "CAST(label AS STRING)"
    whole = "CAST(CAST(label AS BIGINT) AS STRING)"
    return f"CASE WHEN label = floor(label) AND abs(label) < 1e15 THEN {whole} ELSE CAST(label AS STRING) END"


def kind_of_labels(
    long: Long, judged: Source, declared: Sequence[Any] | None, scale: Scale | None
) -> tuple[str, list[Note], Note | None]:
    """``bool``, ``number`` or ``text``, with a note about the choice and one about mixed columns."""
    if long.kind == "bool":
        return "bool", [], None
    if long.kind in ("int", "big", "float"):
        if declared is not None and as_numbers(declared) is None:
            return "text", [], None
        return number_or_code(long, judged)
    if long.kind == "text":
        return "text", [], long.mixed
    return parsed_text(judged, declared, scale, long)


def number_or_code(long: Long, judged: Source) -> tuple[str, list[Note], Note | None]:
    """Whole numbers too large to be exact as floats are codes, not quantities."""
    if long.kind == "float":
        return "number", [], None
    size = "abs(CAST(label AS DOUBLE))"
    found = judged.query(
        f"SELECT max({size}) AS top, CAST(max_by(label, {size}) AS STRING) AS label FROM annotations WHERE why IS NULL"
    )
    if len(found["top"]) and float(found["top"][0] or 0) > 2**53:
        return "text", [too_long(str(found["label"][0]))], None
    return "number", [], None


def too_long(example: str) -> Note:
    """A note about whole numbers that no float represents exactly."""
    return Note("labels_too_long", {"label": example if len(example) <= 40 else f"{example[:40]}..."})


def parsed_text(
    judged: Source, declared: Sequence[Any] | None, scale: Scale | None, long: Long
) -> tuple[str, list[Note], Note | None]:
    """The labels of a text file: numbers if all of them parse."""
    distinct = (
        f"SELECT label, min(row) AS row, {number('parse')} AS x FROM annotations WHERE why IS NULL GROUP BY label"
    )
    found = judged.query(
        "SELECT count(*) AS n, count(x) AS numbers, min_by(label, row) FILTER (WHERE x IS NULL) AS a_text, "
        "min_by(label, row) FILTER (WHERE x IS NOT NULL) AS a_number, "
        "min_by(label, row) FILTER (WHERE regexp_full_match(trim(label), '[+-]?[0-9]{16,}')) AS a_code, "
        "min_by(label, row) FILTER (WHERE regexp_full_match(trim(label), '0[0-9]+')) AS a_zero, "
        "count(*) FILTER (WHERE x IS NULL AND NOT regexp_full_match(lower(trim(label)), '[+-]?inf(inity)?')) AS words "
        f"FROM ({distinct}) AS labels"
    )
    n, numbers, words = (int(found[c][0]) for c in ("n", "numbers", "words"))
    a_text, a_number, a_code, a_zero = (found[c][0] for c in ("a_text", "a_number", "a_code", "a_zero"))
    if a_code is not None:
        return "text", [too_long(a_code)] if numbers == n else [], None
    if numbers == n and (declared is None or as_numbers(declared) is not None):
        return "number", [Note("leading_zeros", {"label": a_zero})] if a_zero is not None else [], None
    if declared is not None or not 0 < numbers < n:
        return "text", [], None
    if words == 0 and (scale is None or not scale.equality):
        raise infinite(long, a_text)
    return "text", [], Note("labels_mixed", {"number": a_number, "text": a_text})


def infinite(long: Long, label: Any) -> DataError:
    """An error for labels that mix numbers and infinities."""
    this = f"item IS NOT NULL AND {'rater IS NOT NULL AND ' * long.raters}label = {long.engine.text(str(label))}"
    return DataError(
        f"{long.source}: label {brief(label)} is not a finite number ({first_with(long.engine, this)}). "
        f"Pass missing=[{brief(label)}] to drop these rows."
    )


def first_with(engine: Source, condition: str) -> str:
    """The first annotation that meets a condition, for a message."""
    at = engine.query(f"SELECT item, rater FROM annotations WHERE {condition} ORDER BY row LIMIT 1")
    return f"first: item {brief(at['item'][0])}{of_rater(at['rater'][0])}"


def nothing_left(source: str, dropped: Mapping[str, int]) -> DataError:
    """No row has an item and a label."""
    why = "; ".join(f"{n:,} with {reason}" for reason, n in dropped.items())
    return DataError(f"{source}: no annotations in it{f' (rows left out: {why})' if why else ''}.")


def extra_names(long: Long) -> tuple[tuple[str, ...], list[Note]]:
    """Names of the other columns, renamed if they clash with our own four."""
    taken, names, notes = set(RESERVED), [], list[Note]()
    for name in long.others.values():
        free = name.strip().replace("\0", "_") or "unnamed"  # no engine has columns without a name
        while free.lower() in taken:
            free += "_"
        taken.add(free.lower())
        names.append(free)
        if free != name:
            notes.append(Note("column_renamed", {"column": name, "name": free}))
    return tuple(names), notes
