"""A table of units: document, rater, start, end and label, a row a unit; and who saw what."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raters.errors import DataError, UsageError, brief, listed
from raters.io.readings.names import words
from raters.io.table import Table, best, known, only
from raters.notes.note import Note
from raters.spans.units import Parts, Spans, Unit, spans

STARTS = {"start": "end", "begin": "end", "from": "to", "first": "last", "onset": "offset", "starts": "ends"}
STOPS = ("stop",)
LENGTHS = ("length", "len")
PARTS = "parts"
LABELS = frozenset({"type", "tag", "entity", "ner", "name", "category", "class"})
"""Last words of the names of columns that hold labels."""
TIMES = frozenset({"time", "date", "at", "timestamp", "ms", "seconds", "year", "page", "day"})
DOCUMENTS = ("document", "documentid", "doc", "docid", "text", "file", "filename")
UNNAMED = re.compile(r"column 1 column 2 column 3 column 4$")
ALIKE = 0.8
"""The share of units that are as long as a cell of the column that holds their words."""
NONE = -1
"""An offset of a row that says that the rater saw the document and marked nothing."""


@dataclass(frozen=True)
class Columns:
    """Which column holds what."""

    document: tuple[str, ...]
    rater: str
    start: str
    end: str
    label: str | None
    words: str | None = None
    by_length: bool = False
    """``end`` is the column of lengths."""
    parts: str | None = None
    """The pairs of offsets of units of several parts, as ``Spans.to_columns`` writes them."""


def marked_table(table: Table, given: Mapping[str, Any], seen: Any = None) -> Spans | None:
    """The units of a table; None if it has no columns of offsets, and none were named."""
    ends = _ends(table, given)
    columns = _columns(table, given, ends) if ends is not None else _by_length(table, given)
    if columns is None:
        if seen is not None:
            raise UsageError(
                f"{table.source}: seen= is for spans, and no columns of start and end were found; name them."
            )
        return None
    names = dict.fromkeys(
        [*columns.document, columns.rater, columns.start, columns.end, *filter(None, [columns.label, columns.parts])]
    )
    got = table.engine.query(
        "SELECT "
        + ", ".join(f"CAST({table.column(n)} AS STRING) AS {table.column(n)}" for n in names)
        + " FROM annotations ORDER BY row"
    )
    cells = {n: got[table.column(n)].tolist() for n in names}
    return _units(table, columns, cells, seen)


def _ends(table: Table, given: Mapping[str, Any]) -> tuple[str, str] | None:
    """The columns of offsets: those named, or two whose names differ in start and end alone and hold whole numbers."""
    named = given.get("start"), given.get("end")
    if any(n is not None for n in named):
        if None in named:
            raise UsageError(f"{table.source}: name both start= and end=.")
        return known(named[0], table.names, "start", table.source), known(named[1], table.names, "end", table.source)
    by_words = {tuple(words(n)): n for n in table.names}
    found = []
    for spelled, name in by_words.items():
        for i, word in enumerate(spelled):
            for other in (STARTS.get(word), *(STOPS if word == "start" else ())):
                last = by_words.get((*spelled[:i], other, *spelled[i + 1 :])) if other else None
                if last is not None and not TIMES & set(spelled) and _whole(table, name, last):
                    found.append((name, last))
    joined = {n.lower().replace("_", ""): n for n in table.names}
    for one, other in (
        ("startoffset", "endoffset"),
        ("startchar", "endchar"),
        ("charstart", "charend"),
        ("beginoffset", "endoffset"),
    ):
        if one in joined and other in joined and _whole(table, joined[one], joined[other]):
            found.append((joined[one], joined[other]))
    return found[0] if found else None


def _by_length(table: Table, given: Mapping[str, Any]) -> Columns | None:
    """The columns of a table with start and length, where a rater has several rows in a document; None elsewhere: an
    item may have a length, too.
    """
    by_words = {tuple(words(n)): n for n in table.names}
    for spelled, start in by_words.items():
        for i, word in enumerate(spelled):
            for length in LENGTHS if word in (*STARTS, "offset", "position") else ():
                last = by_words.get((*spelled[:i], length, *spelled[i + 1 :]))
                if last is None or TIMES & set(spelled) or not _whole(table, start, last, by_length=True):
                    continue
                try:
                    columns = _columns(table, given, (start, last), by_length=True)
                except UsageError:  # no rater or no document: another table
                    continue
                pair = ", ".join(map(table.column, (*columns.document, columns.rater)))
                got = table.engine.query(f"SELECT count(*) AS n, count(DISTINCT ({pair})) AS pairs FROM annotations")
                if int(got["pairs"][0]) < int(got["n"][0]):
                    return columns
    return None


def _whole(table: Table, start: str, end: str, by_length: bool = False) -> bool:
    """Whether two columns hold whole numbers, the second not below the first (lengths: not below 0), and none is a date."""
    a, b = (f"TRY_CAST(CAST({table.column(n)} AS STRING) AS DOUBLE)" for n in (start, end))
    wrong_way = f"{b} < 0 OR {b} <> floor({b})" if by_length else f"{a} > {b}"
    try:
        got = table.engine.query(
            f"SELECT count(*) AS n, count({a}) AS whole, sum(CASE WHEN {wrong_way} OR {a} <> floor({a}) OR {b} > 1e8 THEN 1"
            f" ELSE 0 END) AS wrong, sum(CASE WHEN {table.column(start)} IS NULL THEN 1 ELSE 0 END) AS none FROM"
            " annotations"
        )
    except Exception:
        return False
    if not int(got["n"][0]):
        return True  # nobody marked anything
    n, whole, wrong = int(got["n"][0]), int(got["whole"][0]), int(got["wrong"][0] or 0)
    empty = int(got["none"][0] or 0)
    return whole > 0 and whole + empty >= n and wrong <= 0.1 * n


def _columns(table: Table, given: Mapping[str, Any], ends: tuple[str, str], by_length: bool = False) -> Columns:
    """The other columns: as named, or by their usual names."""
    left = [n for n in table.names if n not in ends]
    words_of_units = next((n for n in left if _are_words(table, n, *ends, by_length)), None)
    left = [n for n in left if n != words_of_units or n in given.values()]
    rater = given.get("rater")
    who = only(best(left, "rater"), "rater", table.names, table.source) if rater is None else rater
    who = known(who, table.names, "rater", table.source)
    left = [n for n in left if n != who]
    documents = _documents(table, given.get("document"), left, ends, who)
    left = [n for n in left if n not in documents]
    label = _label(table, given.get("label"), left)
    return Columns(documents, who, *ends, label, by_length=by_length, parts=next((n for n in left if n == PARTS), None))


def _label(table: Table, given: Any, left: Sequence[str]) -> str | None:
    """The column of labels: as named, or by a usual name."""
    if given is not None:
        return known(given, table.names, "label", table.source)
    found = best(left, "label") or [n for n in left if words(n)[-1:] and words(n)[-1] in LABELS]
    return found[0] if found else None


def _documents(table: Table, given: Any, left: Sequence[str], ends: tuple[str, str], rater: str) -> tuple[str, ...]:
    """The columns that name the document: as named, or the one with a usual name, or an id that recurs; of several
    that could, the first in which raters meet (of a file for each rater, the file is not).
    """
    if given is not None:
        one = isinstance(given, str) and given in table.names
        parts = [given] if one else given.split(",") if isinstance(given, str) else list(given)
        return tuple(known(p.strip(), table.names, "document", table.source) for p in parts)
    found = _named_like_documents(table, left)
    if not found:
        raise UsageError(
            f"{table.source}: columns {ends[0]!r} and {ends[1]!r} hold offsets, but no column looks like the document."
            f" Name it: raters.read(..., document='COLUMN'); columns found: {listed(table.names, 30)}."
        )
    return (next((n for n in found if _meet(table, n, rater)), found[0]),)


def _named_like_documents(table: Table, left: Sequence[str]) -> list[str]:
    """Columns that could name the document, the likeliest first."""
    plain = {n.lower().replace("_", "").replace(" ", ""): n for n in left}
    ids = [n for n in left if words(n)[-1:] == ["id"] and _repeats(table, n)]
    named = [plain[d] for d in DOCUMENTS if d in plain and not (d == "text" and ids)]
    others = [n for n in left if n not in ids and not (ids and n.lower() == "text")]
    return [*named, *best(others, "item"), *ids]


def _meet(table: Table, document: str, rater: str) -> bool:
    """Whether two raters have rows of one document."""
    pair = table.column(document), table.column(rater)
    got = table.engine.query(
        f"SELECT count(DISTINCT ({pair[0]}, {pair[1]})) AS pairs, count(DISTINCT {pair[0]}) AS n FROM annotations"
        f" WHERE {pair[0]} IS NOT NULL AND {pair[1]} IS NOT NULL"
    )
    return int(got["pairs"][0]) > int(got["n"][0])


def _repeats(table: Table, name: str) -> bool:
    """Whether a column has a value in several rows: otherwise it numbers the rows."""
    got = table.engine.query(f"SELECT count(DISTINCT {table.column(name)}) AS several, count(*) AS n FROM annotations")
    return int(got["several"][0]) < int(got["n"][0])


def _are_words(table: Table, name: str, start: str, end: str, by_length: bool = False) -> bool:
    """Whether a column holds the words of the units: nearly all of its cells are as long as the units are."""
    cell, s, e = (f"CAST({table.column(n)} AS STRING)" for n in (name, start, end))
    long = f"TRY_CAST({e} AS DOUBLE)" + ("" if by_length else f" - TRY_CAST({s} AS DOUBLE)")
    got = table.engine.query(
        f"SELECT count({cell}) AS n, sum(CASE WHEN abs(length({cell}) - ({long})) <= 1 THEN 1 ELSE 0 END) AS alike,"
        f" count(DISTINCT length({cell})) AS several FROM annotations WHERE {long} > 0"
    )
    return int(got["several"][0]) > 1 and int(got["alike"][0] or 0) >= ALIKE * int(got["n"][0]) > 0


def _units(table: Table, columns: Columns, cells: Mapping[str, Sequence[Any]], seen: Any) -> Spans:
    """The units of the rows; rows of a document and rater without offsets say that the rater saw it."""
    names = zip(*(cells[n] for n in columns.document), strict=True)
    documents = ["" if None in x or "" in x else " / ".join(map(str, x)) for x in names]
    raters = [str(x) if x is not None else "" for x in cells[columns.rater]]
    pairs = list(zip(documents, raters, strict=True))
    units, where, blank = _rows_of_units(table, columns, cells, pairs)
    left = {
        f"rows without {columns.rater}": raters.count(""),
        f"rows without {columns.document[0]}": sum(not d and bool(r) for d, r in pairs),
    }
    views: set[tuple[str, str]] | None = None
    said: tuple[Note, ...] = ()
    if seen is not None:
        views = seen_by(seen)
    elif blank:
        views = {(d, r) for d, r in pairs if d and r}
        said = (Note("views_from_rows"),)
    said += _roles(table, columns)
    return spans(
        units,
        views,
        source=table.source,
        notes=table.notes,
        read_as=said,
        left_out=left,
        about=_about(table, columns, documents),
        where=where,
    )


def _rows_of_units(
    table: Table, columns: Columns, cells: Mapping[str, Sequence[Any]], pairs: Sequence[tuple[str, str]]
) -> tuple[list[Unit], list[tuple[str, int]], int]:
    """The units, where each stands, and how many rows of a document and a rater have no offsets."""
    labels, parts = (cells[n] if n else [None] * len(pairs) for n in (columns.label, columns.parts))
    units: list[Unit] = []
    where: list[tuple[str, int]] = []
    blank = 0
    for i, ((d, r), c, s, e) in enumerate(zip(pairs, labels, cells[columns.start], cells[columns.end], strict=True)):
        start, end = _offset(s, table, columns.start, i), _offset(e, table, columns.end, i)
        if not d or not r:
            continue
        if start is None or end is None or start == NONE:
            blank += 1
            continue
        end = start + end if columns.by_length else end
        units.append(Unit(d, r, start, end, c or None, _parts(parts[i], start, end)))
        where.append((f"{table.source}, row", i + 1))
    return units, where, blank


def _roles(table: Table, columns: Columns) -> tuple[Note, ...]:
    """Which columns were taken for what, where their names are not those of the roles."""
    taken = {
        "document": " and ".join(columns.document),
        "rater": columns.rater,
        "start": columns.start,
        "end": columns.end,
        "label": columns.label or "none",
    }
    others = [n for n in table.names if n not in (*columns.document, *taken.values(), columns.parts)]
    if columns.by_length:
        taken["end"] = f"{columns.start} + {columns.end}"
    if not others and all(role == name for role, name in taken.items()):
        return ()
    return (Note("unit_columns", {**taken, "others": others or ["none"]}),)


def _about(table: Table, columns: Columns, documents: Sequence[str]) -> dict[str, dict[str, str]]:
    """Columns that have one value for each document."""
    taken = {*columns.document, columns.rater, columns.start, columns.end, columns.label}
    others = [n for n in table.names if n not in taken][:20]
    if not others:
        return {}
    got = table.engine.query(
        "SELECT "
        + ", ".join(f"CAST({table.column(n)} AS STRING) AS {table.column(n)}" for n in others)
        + " FROM annotations ORDER BY row"
    )
    made = {}
    for n in others:
        values: dict[str, set[str]] = {}
        for d, v in zip(documents, got[table.column(n)].tolist(), strict=True):
            values.setdefault(d, set()).add(str(v))
        if all(len(v) == 1 for v in values.values()) and len(values) > 1:
            made[n] = {d: next(iter(v)) for d, v in values.items()}
    return made


def _parts(cell: Any, start: int, end: int) -> Parts:
    """The parts of a unit that has several.

    >>> _parts("[[0, 3], [8, 11]]", 0, 11), _parts("[]", 0, 3), _parts("3 of 5", 0, 3)
    (((0, 3), (8, 11)), (), ())
    """
    at = list(map(int, re.findall(r"\d+", str(cell or ""))))
    pairs = len(at) > 2 and not len(at) % 2 and (at[0], at[-1]) == (start, end)
    return tuple(zip(at[::2], at[1::2], strict=True)) if pairs else ()


def _offset(cell: Any, table: Table, column: str, row: int) -> int | None:
    """A cell as a whole number; None if it is empty."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return None
    try:
        number = float(cell)
    except ValueError:
        number = float("nan")
    if number != number or number != int(number):
        raise DataError(f"{table.source}, row {row + 1}: {column} is {brief(cell)}, not a whole number.")
    return int(number)


def seen_by(seen: Any) -> set[tuple[str, str]]:
    """Who saw what: pairs (document, rater), or a table of them."""
    if not isinstance(seen, Table):
        return {(str(d), str(r)) for d, r in seen}
    table = seen
    who = best(table.names, "rater")
    rater = only(who, "rater", table.names, table.source)
    left = [n for n in table.names if n != rater]
    plain = {n.lower().replace("_", ""): n for n in left}
    document = next((plain[d] for d in DOCUMENTS if d in plain), None) or only(
        best(left, "item") or left, "item", table.names, table.source
    )
    got = table.engine.query(
        f"SELECT CAST({table.column(document)} AS STRING) AS d, CAST({table.column(rater)} AS STRING) AS r FROM annotations"
    )
    return set(zip(got["d"].tolist(), got["r"].tolist(), strict=True))


def headless(table: Table) -> bool:
    """Whether the first row of four cells was taken for a header although it ends with two offsets."""
    return len(table) == 4 and all(re.fullmatch(r"\d+(\.0*)?", n.strip()) for n in table.names[2:])


def pygamma(table: Table) -> Spans | None:
    """A table without a header: rater, label, start, end, of one document, as pygamma reads it."""
    if len(table) != 4 or not UNNAMED.match(" ".join(table.names)):
        return None
    first, start, end = (table.column(table.names[i]) for i in (0, 2, 3))
    try:
        got = table.engine.query(
            f"SELECT count(*) AS n, count(DISTINCT {first}) AS who, sum(CASE WHEN CAST(CAST({start} AS STRING) AS DOUBLE) <"
            f" CAST(CAST({end} AS STRING) AS DOUBLE) THEN 1 ELSE 0 END) AS good FROM annotations"
        )
    except Exception:  # a cell that is no number
        return None
    if not 1 < int(got["who"][0]) < int(got["n"][0]) == int(got["good"][0] or 0):
        return None  # a rater marks several units, and each ends after it starts
    start, end = table.names[2:]
    got = table.engine.query(
        "SELECT "
        + ", ".join(f"CAST({table.column(n)} AS STRING) AS {table.column(n)}" for n in table.names)
        + " FROM annotations ORDER BY row"
    )
    cells = {n: got[table.column(n)].tolist() for n in table.names}
    units = [
        Unit(table.source, str(r), _offset(s, table, start, i) or 0, _offset(e, table, end, i) or 0, str(c))
        for i, (r, c, s, e) in enumerate(zip(*(cells[n] for n in table.names), strict=True))
    ]
    last = max((u.end for u in units), default=0)
    views = {(table.source, u.rater) for u in units}
    return spans(
        units,
        views,
        lengths={table.source: last},
        source=table.source,
        read_as=(Note("as_pygamma", {"end": last}),),
        notes=table.notes,
    )
