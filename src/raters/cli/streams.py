"""The files that a command reads, and writing to standard output."""

from __future__ import annotations

import io
import shutil
import sys
import textwrap
from pathlib import Path

import click

READ = ("gold_file", "against")
"""Options that name an input file; so do all arguments."""


def inputs() -> list[Path]:
    """The files that this command reads."""
    context = click.get_current_context(silent=True)
    if context is None:
        return []
    names = [p.name for p in context.command.params if isinstance(p, click.Argument) or p.name in READ]
    given = [context.params.get(name) for name in names if name]
    return [
        path for value in given for path in (value if isinstance(value, tuple | list) else (value,)) if path is not None
    ]


def in_lines(content: str, columns: int | None = None) -> str:
    """Sentences in lines of the terminal's width, at most 100, so that no word is broken; rows of tables stay as they are.

    >>> print(in_lines("a sentence of several words\\nname      value", 14))
    a sentence of
    several words
    name      value
    """
    most = columns or min(shutil.get_terminal_size().columns, 100)
    lines = (
        [line]
        if len(line) <= most or "  " in line.strip()
        else textwrap.wrap(
            line,
            most,
            subsequent_indent="  " if line.startswith("- ") else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in content.split("\n")
    )
    return "\n".join(part for each in lines for part in each)


def for_terminal(content: str, format_: str) -> str:
    """Text for a terminal, wrapped; everything else, including what a program reads, unchanged."""
    return in_lines(content) if format_ == "text" and sys.stdout.isatty() else content


def spoken(content: str) -> None:
    """Write everything to standard output. If output is unbuffered, Python silently drops what the system did not accept at once."""
    raw = getattr(sys.stdout, "buffer", None)
    if not isinstance(raw, io.RawIOBase):
        click.echo(content, nl=False)
        return
    left = memoryview(content.encode(sys.stdout.encoding, "backslashreplace"))
    while left:
        left = left[raw.write(left) or 0 :]
