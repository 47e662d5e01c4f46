"""Tables as tools write them: short rows, blank lines, line breaks in cells, any separator."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from raters.errors import DataError
from raters.io.exports.documents import Document, loads
from raters.io.sources.delimited import separator
from raters.io.sources.field_length import limited


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
