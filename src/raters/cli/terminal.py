"""Progress messages on the terminal."""

from __future__ import annotations

import io
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

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
    """Sentences in lines of the terminal's width, at most 100, so that no word is broken; rows of tables stay as they
    are.

    >>> print(in_lines("a sentence of several words\\nname      value", 14))
    a sentence of
    several words
    name      value
    """
    most = columns or min(shutil.get_terminal_size().columns, 100)
    lines = (
        (
            [line]
            if len(line) <= most or "  " in line.strip()
            else textwrap.wrap(
                line,
                most,
                subsequent_indent="  " if line.startswith("- ") else "",
                break_long_words=False,
                break_on_hyphens=False,
            )
        )
        for line in content.split("\n")
    )
    return "\n".join(part for each in lines for part in each)


def for_terminal(content: str, format_: str) -> str:
    """Text for a terminal, wrapped; everything else, including what a program reads, unchanged."""
    return in_lines(content) if format_ == "text" and sys.stdout.isatty() else content


def spoken(content: str) -> None:
    """Write everything to standard output. If output is unbuffered, Python silently drops what the system did not
    accept at once.
    """
    raw = getattr(sys.stdout, "buffer", None)
    if not isinstance(raw, io.RawIOBase):
        click.echo(content, nl=False)
        return
    left = memoryview(content.encode(sys.stdout.encoding, "backslashreplace"))
    while left:
        left = left[raw.write(left) or 0 :]


WAIT, EACH = 0.5, 0.2
"""Seconds before the first share is shown, and between two."""
UNITS = ("bytes", "kB", "MB", "GB", "TB")


SHOWN: list[Any] = []
"""What shows that a command is at work, as long as it is."""


@contextmanager
def quiet() -> Iterator[None]:
    """Nothing is drawn over a question while its answer is awaited."""
    for status in SHOWN:
        status.stop()
    yield
    for status in SHOWN:
        status.start()


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """Show what is being done and, while the database reads, which share of the rows; silent without a terminal.

    Yields a function that reports the current step.

    >>> with working("fitting") as say:
    ...     say("iteration 10")
    """
    if not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console
    from rich.markup import escape

    now = [what]
    with Console(stderr=True).status(escape(f"{what} ...")) as status, ExitStack() as shown:
        SHOWN.append(status)
        shown.callback(SHOWN.remove, status)

        def say(step: str) -> None:
            now[0] = f"{what}: {step}"
            status.update(escape(f"{now[0]} ..."))

        with shares(inputs(), lambda share: status.update(escape(f"{now[0]}{share} ..."))):
            yield say


@contextmanager
def shares(paths: Sequence[Path], show: Callable[[str], None]) -> Iterator[None]:
    """Ask the database again and again how far it is, in a thread of its own."""
    from raters.engines.guards import watching

    done = Event()
    thread = Thread(target=_ask, args=(done, paths, show), daemon=True)
    with watching():
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def _ask(done: Event, paths: Sequence[Path], show: Callable[[str], None]) -> None:
    from raters.engines.guards import share_done

    if done.wait(WAIT):
        return
    total, scan, last = "", 1, 0.0
    with suppress(Exception):  # a source that cannot be opened is reported by its reader
        total = amount(paths)
    while not done.wait(EACH):
        share = share_done()
        if share is None:
            continue
        scan, last = scan + (share < last - 0.01), share
        show(f": {f'scan {scan}, ' if scan > 1 else ''}{share:.0%}{total}")


def amount(paths: Sequence[Path]) -> str:
    """Of what the shares are: rows if the files say how many they have (Parquet), otherwise bytes; nothing if neither
    is known.

    >>> amount([])
    ''
    """
    files = [file for path in paths for file in _files(path)]
    if files and all(file.suffix.lower() in (".parquet", ".pq") for file in files):
        with suppress(Exception):  # a file that is damaged is reported by its reader
            return f" of {_rows(files):,} rows"
    size = float(sum(file.stat().st_size for file in files))
    unit = 0
    while size >= 1000 and unit < len(UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f" of {size:.3g} {UNITS[unit]}" if files else ""


def _files(path: Path) -> list[Path]:
    """The files of a path, a pattern or a folder; none for what is not a file, such as a pipe."""
    from raters.io.sources.local import matching_files

    if path.is_dir():
        return sorted(file for file in path.iterdir() if file.is_file())
    found = matching_files(str(path))
    return [file for file in map(Path, [found] if isinstance(found, str) else found) if file.is_file()]


def _rows(files: Sequence[Path]) -> int:
    import duckdb

    from raters.engines.duckdb import SETTINGS
    from raters.io.sources.local import literal

    with duckdb.connect(":memory:", config=SETTINGS) as connection:
        asked = [literal(file.absolute()) for file in files]
        return int(connection.execute("SELECT sum(num_rows) FROM parquet_file_metadata($1)", [asked]).fetchall()[0][0])
