"""A table that can be read in several ways: the question at a terminal, the lines in a pipe, the readings as JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from raters.cli.terminal import quiet
from raters.words import printable

if TYPE_CHECKING:
    from raters.io.readings.reading import InDoubt, Reading
    from raters.io.table import Table

ROWS, WIDTH, CELL = 2, 78, 28


def settled(doubt: InDoubt, yes: bool, format_: str | None) -> Table:
    """The table with the reading that is meant; the error if nobody can be asked."""
    likely = [r for r in doubt.readings if r.likely and doubt.asked]
    if yes and likely:
        return doubt.chosen(likely[0])
    doubt.as_json = format_ == "json"
    if doubt.as_json:
        raise doubt
    if not doubt.asked or not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        raise doubt
    with quiet():
        return doubt.chosen(answered(doubt))


def as_json(doubt: InDoubt) -> dict[str, Any]:
    """The readings, ready for JSON."""
    return {
        "schema": 1,
        "in_doubt": doubt.asked,
        "source": doubt.table.source,
        "readings": [r.to_dict() for r in doubt.readings],
    }


def answered(doubt: InDoubt) -> Reading:
    """The reading whose number was typed; Enter takes the likely one. Anything else that ends the input stops."""
    from raters.io.readings.reading import typed_options

    shown = doubt.readings
    said("\n".join(question(doubt)))
    first = next((i for i, r in enumerate(shown, 1) if r.likely), None)
    numbers = ", ".join(str(i) for i in range(1, len(shown) + 1))
    while True:
        said(f"Which? {numbers} or q{f' [{first}]' if first else ''}: ", end="")
        line = sys.stdin.readline()
        typed = line.strip() or (str(first) if first and line else "q")
        if typed.lower() in ("q", "quit"):
            said("")
            raise click.Abort
        if typed.isdigit() and 1 <= int(typed) <= len(shown):
            chosen = shown[int(typed) - 1]
            if chosen.options:
                said(f"Next time: {typed_options(chosen.options)}")
            return chosen


def question(doubt: InDoubt) -> list[str]:
    """The readings with their reasons, and two rows of the table."""
    n = len(doubt.readings)
    head = f"can be read in {('one way', 'two ways', 'three ways', 'four ways')[n - 1]}{', which is not certain' if n == 1 else ''}"
    lines = [f"{printable(doubt.table.source)} {head}. Nothing was computed.", ""]
    for i, r in enumerate(doubt.readings, 1):
        lines += [
            f"  {i}  {printable(r.what())}",
            f"     {r.counts()}",
            f"     {'likely: ' if r.likely else ''}{printable(r.reasons())}",
        ]
    return [*lines, "", *rows(doubt.table), ""]


def rows(table: Table) -> list[str]:
    """The first rows of a table, as many columns as fit a line."""
    got = table.engine.query(f"SELECT * FROM annotations ORDER BY row LIMIT {ROWS}")
    columns: list[list[str]] = []
    for c, name in table.named().items():
        cells = [cut(name), *(cut("" if v is None or v != v else str(v)) for v in got[c].tolist())]
        wide = max(map(len, cells))
        if sum(len(col[0]) + 2 for col in columns) + wide > WIDTH:
            columns.append(["...", *("" for _ in cells[1:])])
            break
        columns.append([cell.ljust(wide) for cell in cells])
    return ["  " + "  ".join(line).rstrip() for line in zip(*columns, strict=True)]


def cut(text: str) -> str:
    text = printable(" ".join(text.split()))
    return text if len(text) <= CELL else f"{text[: CELL - 3]}..."


def said(text: str, end: str = "\n") -> None:
    with suppress(OSError):
        click.echo(text + end, err=True, nl=False)


def in_lines(doubt: InDoubt) -> Sequence[str]:
    """The error as the lines of a pipe."""
    return [printable(line) for line in doubt.typed().split("\n")]
