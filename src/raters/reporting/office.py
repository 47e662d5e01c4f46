"""Word and Excel: tables as a workbook, and headings, tables and pictures as a document (extra ``office``)."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from raters.errors import UsageError
from raters.words import lines as printable_lines

MOST_ROWS = 1_048_576
"""Rows of a sheet, with its head; the rest goes to further sheets."""
MOST_CHARACTERS = 32_767
"""Characters of a cell."""
MOST_NAME = 31
INSTALL = "needs the extra 'office': pip install 'raters[office]'"


@dataclass(frozen=True)
class Sheet:
    """A table: its name, a caption, and cells that are text, numbers or None."""

    name: str
    head: Sequence[str]
    rows: Sequence[Sequence[Any]]
    caption: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture, with its caption."""

    png: bytes
    caption: str = ""


@dataclass(frozen=True)
class Heading:
    text: str
    level: int = 1


Part = Sheet | Picture | Heading | str
"""What a document holds; text is a paragraph."""


def _missing(what: str) -> UsageError:
    return UsageError(f"writing {what} {INSTALL}.")


def cell_text(value: object) -> str:
    """Text of a cell without control characters, cut to what a cell holds.

    >>> cell_text("=1+1"), cell_text("a\\x07b")
    ('=1+1', 'a�b')
    """
    text = printable_lines(str(value))
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"


def workbook(sheets: Iterable[Sheet], most: int = MOST_ROWS) -> bytes:
    """An Excel workbook, at most so many rows a sheet; text stays text, whatever it looks like: no cell is a formula or a link."""
    try:
        import xlsxwriter
    except ImportError:
        raise _missing("a workbook") from None
    made = io.BytesIO()
    with xlsxwriter.Workbook(made, {"in_memory": True}) as book:
        bold, wrapped = book.add_format({"bold": True}), book.add_format({"text_wrap": True, "valign": "top"})
        taken: set[str] = set()
        for sheet in sheets:
            rows = [list(row) for row in sheet.rows]
            for at in range(0, max(len(rows), 1), most - 1):
                page = book.add_worksheet(_name(sheet.name, taken))
                page.freeze_panes(1, 0)
                for j, name in enumerate(sheet.head):
                    page.write_string(0, j, cell_text(name), bold)
                for i, row in enumerate(rows[at : at + most - 1], 1):
                    for j, value in enumerate(row):
                        _write(page, i, j, value, wrapped)
                for j, wide in enumerate(_widths(sheet)):
                    page.set_column(j, j, wide)
    return made.getvalue()


def _write(page: Any, i: int, j: int, value: Any, wrapped: Any) -> None:
    if value is None or value == "" or (isinstance(value, float) and not math.isfinite(value)):
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        page.write_string(i, j, cell_text(value), wrapped)
    else:
        page.write_number(i, j, value)


def _name(name: str, taken: set[str]) -> str:
    """A name that a sheet may have and no other has."""
    plain = re.sub(r"[\[\]:*?/\\]", " ", printable_lines(name)).strip("' ")[:MOST_NAME] or "table"
    found, n = plain, 1
    while found.casefold() in taken:
        n += 1
        found = f"{plain[: MOST_NAME - len(str(n)) - 3]} ({n})"
    taken.add(found.casefold())
    return found


def _widths(sheet: Sheet) -> list[int]:
    """The widths of columns, in characters."""
    some = [list(map(str, row)) for row in list(sheet.rows)[:200]]
    return [
        min(60, max(8, len(str(name)) + 1, *(len(row[j]) + 1 for row in some if j < len(row)), 8))
        for j, name in enumerate(sheet.head)
    ]


def document(parts: Iterable[Part], title: str = "") -> bytes:
    """A Word document: headings, paragraphs, tables and pictures."""
    try:
        import docx
        from docx.shared import Cm, Pt
    except ImportError:
        raise _missing("a document") from None
    made = docx.Document()
    if title:
        made.add_heading(_plain(title), 0)
    for part in parts:
        if isinstance(part, Heading):
            made.add_heading(_plain(part.text), part.level)
        elif isinstance(part, Picture):
            made.add_picture(io.BytesIO(part.png), width=Cm(16))
            if part.caption:
                made.add_paragraph(_plain(part.caption), style="Caption")
        elif isinstance(part, Sheet):
            if part.caption:
                made.add_paragraph(_plain(part.caption), style="Caption")
            _table(made, part, Pt(9))
        elif part:
            made.add_paragraph(_plain(part))
    found = io.BytesIO()
    made.save(found)
    return found.getvalue()


def _table(made: Any, sheet: Sheet, size: Any) -> None:
    grid = made.add_table(rows=1, cols=len(sheet.head), style="Light List")
    every = [list(sheet.head), *(["" if x is None else str(x) for x in row] for row in sheet.rows)]
    for i, row in enumerate(every):
        cells = grid.rows[0].cells if not i else grid.add_row().cells
        for cell, value in zip(cells, row, strict=False):
            run = cell.paragraphs[0].add_run(_plain(value))
            run.font.size, run.bold = size, not i


def _plain(text: object) -> str:
    """Text that XML can hold."""
    return "".join(c for c in printable_lines(str(text)) if c in "\n\t" or (c >= " " and not "\ud800" <= c <= "\udfff"))
