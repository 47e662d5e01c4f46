"""A look at the start of a document: the names of its columns, or the keys of its JSON."""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from raters.errors import DataError
from raters.io.exports.documents import Document, loads
from raters.io.sources.delimited import limited, separator

TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|([\[\]{}])')
DEPTH = 6


@dataclass(frozen=True)
class Glance:
    """What the first bytes of a document show."""

    document: Document
    text: str
    keys: frozenset[str]
    """Keys of JSON, as ``a``, ``a.b``; lists add nothing, and objects in a list or on separate lines are merged."""
    header: tuple[str, ...]
    """The names of columns, if it is a table."""
    second: tuple[str, ...]
    """The cells below them."""

    @property
    def name(self) -> str:
        return self.document.name

    def has(self, *keys: str) -> bool:
        """Whether the JSON has all of these keys."""
        return self.keys.issuperset(keys)

    def columns(self, *names: str) -> bool:
        """Whether the table has all of these columns."""
        return set(self.header).issuperset(names)


def glance(document: Document) -> Glance:
    """Look at the start of a document; this takes a small fraction of a second whatever its size."""
    data = document.start()
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    text = data.decode("utf-16" if wide else "utf-8", errors="replace").lstrip("\ufeff")
    if "\0" in text[:1000]:
        return Glance(document, "", frozenset(), (), ())
    if text.lstrip()[:1] in ("{", "["):
        return Glance(document, text, outline(text), (), ())
    rows = first_rows(text)
    return Glance(document, text, frozenset(), tuple(rows[0]), tuple(rows[1]))


def outline(text: str) -> frozenset[str]:
    """The keys in the start of some JSON, by path. Truncated or broken JSON ends the scan; no objects are built.

    >>> sorted(outline('[{"id": 1, "data": {"text": "a"}, "tags": [{"x": 2}'))
    ['data', 'data.text', 'id', 'tags', 'tags.x']
    """
    found: set[str] = set()
    path: list[str] = []  # the key that each open bracket belongs to, "" if it has none of its own
    key = ""
    for match in TOKEN.finditer(text):
        word, colon, bracket = match.groups()
        if bracket is None:
            key = ""
            if colon is not None and len(path) <= 2 * DEPTH:
                key = word
                found.add(".".join([p for p in path if p] + [word]))
        elif bracket in "[{":
            path.append(key)
            key = ""
        elif path:
            path.pop()
            key = ""
    return frozenset(found)


def first_rows(text: str) -> tuple[list[str], list[str]]:
    """The first two rows of a table that are not empty."""
    head = text.lstrip("\r\n").split("\n", 1)[0]
    rows = _rows(text, separator(head))
    return next(rows, []), next(rows, [])


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    try:
        with limited():
            for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
                if any(cell.strip() for cell in row):
                    yield [cell.strip() for cell in row]
    except csv.Error:
        return


def table(document: Document, delimiter: str | None = None) -> tuple[list[str], Iterator[list[str]]]:
    """The header and the non-empty rows below it, each padded to the length of the header."""
    rows = lines(document, delimiter)
    header = [name.strip() for name in next(rows, [])]
    return header, ((row + [""] * len(header))[: max(len(header), 1)] for row in rows)


def lines(document: Document, delimiter: str | None = None) -> Iterator[list[str]]:
    """Rows that are not empty."""
    text = document.text().replace("\r\r\n", "\n")
    delimiter = delimiter or separator(text.lstrip("\r\n").split("\n", 1)[0])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        with limited():
            yield from (row for row in reader if any(cell.strip() for cell in row))
    except csv.Error as error:
        raise DataError(f"{document.name}, line {reader.line_num}: the row cannot be read ({error}).") from None


def records(document: Document, delimiter: str | None = None) -> tuple[list[str], Iterator[dict[str, str]]]:
    """The header, and each row by column name; if two columns have the same name, the first counts."""
    header, rows = table(document, delimiter)
    first: dict[str, int] = {}
    for i, name in enumerate(header):
        if name:
            first.setdefault(name, i)
    return header, ({name: row[i] for name, i in first.items()} for row in rows)


def nested(cell: str) -> Any:
    """The parsed value of a cell that is JSON; otherwise its text.

    >>> nested('["a"]'), nested("a"), nested("3")
    (['a'], 'a', '3')
    """
    text = cell.strip()
    if text[:1] in ("[", "{"):
        try:
            return loads(text)
        except (json.JSONDecodeError, RecursionError):
            return cell
    return cell
