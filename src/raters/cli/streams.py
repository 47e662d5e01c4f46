"""The files that a command reads, and writing to standard output."""

from __future__ import annotations

import io
import sys
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


def spoken(content: str) -> None:
    """Write everything to standard output. If unbuffered, Python silently drops what the system did not accept at once."""
    raw = getattr(sys.stdout, "buffer", None)
    if not isinstance(raw, io.RawIOBase):
        click.echo(content, nl=False)
        return
    left = memoryview(content.encode(sys.stdout.encoding, "backslashreplace"))
    while left:
        left = left[raw.write(left) or 0 :]
