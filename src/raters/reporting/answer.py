"""What a command prints on a terminal: the answer in a sentence, the table, why, how the file was read, and which options
show the rest. One value, one printer, 80 columns.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from raters.words import printable

COLUMNS = 80
LEAST_NAME = 12
"""A name is shortened to so many characters before a column is left out."""


@dataclass(frozen=True)
class Shown:
    """How much of an answer was asked for."""

    all: bool = False
    """Every figure, with four digits."""
    details: bool = False
    """How the figures were computed."""
    typed: Callable[[str], str] = str
    """Puts what whoever reads would type in place of arguments of Python."""


@dataclass(frozen=True)
class Grid:
    """A table: names to the left, figures to the right, and headings above some rows."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: frozenset[int] = frozenset({0})
    """Columns of words; the others are aligned to the right."""
    groups: Mapping[int, str] = field(default_factory=dict)
    """Headings, each by the row that it stands above."""
    least: tuple[int, ...] = ()
    """Columns that go where the table is too wide, the first to go first."""


@dataclass(frozen=True)
class Answer:
    """What a command says.

    >>> print(printed(Answer("Yes.", grids=(Grid(("name", "value"), (("alpha", "0.35"),)),), more=("--all",))), end="")
    Yes.
    <BLANKLINE>
    name   value
    alpha   0.35
    <BLANKLINE>
    More  --all
    """

    answer: str
    """A sentence or two; the first line."""
    change: str = ""
    """What could change the answer, in up to one line: rows lost, a guess that decides."""
    grids: tuple[Grid | tuple[str, ...], ...] = ()
    """Tables, or lines as they are."""
    why: tuple[str, ...] = ()
    do: tuple[str, ...] = ()
    """What to do about it."""
    note: tuple[str, ...] = ()
    """What has to be known about the figures."""
    read: tuple[str, ...] = ()
    """How the file was read, and what was assumed or left out."""
    details: tuple[str, ...] = ()
    """Methods and whatever else is shown on request."""
    more: tuple[str, ...] = ()
    """Options that show the rest."""
    figures: int = 0
    """Which of the tables has the figures of which ``--all`` shows every one."""


def printed(a: Answer, shown: Shown | None = None, columns: int = COLUMNS) -> str:
    """The whole answer as text; nothing in it is said twice."""
    shown = shown or Shown()
    a = _as_typed(a, shown.typed)
    said: set[str] = set()
    top = [*_paragraph(a.answer, columns, said), *_paragraph(a.change, columns, said)]
    blocks = [
        top,
        *(
            grid_lines(g, columns) if isinstance(g, Grid) else [shortened(printable(x), columns) for x in g]
            for g in a.grids
        ),
    ]
    labelled = [
        line
        for label, parts in (
            ("Why", _flow(a.why)),
            ("Do", _flow(a.do)),
            ("Note", _flow(a.note)),
            ("Read", _flow(a.read)),
        )
        for line in _labelled(label, parts, columns, said)
    ]
    here = (*(["--all"] if shown.all else []), *(["--details"] if shown.details or not a.details else []))
    more = _options([option for option in a.more if not option.startswith(here)], columns)
    details = [x for part in a.details for x in _paragraph(part, columns, said)] if shown.details else []
    blocks += [[*labelled, *([] if details else more)], [*details, *(more if details else [])]]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _as_typed(a: Answer, typed: Callable[[str], str]) -> Answer:
    """The sentences in the words of whoever reads; rows of tables, in which names of the data stand, are left alone."""

    def sentences(text: str) -> str:
        return "\n".join(line if "  " in line.strip() else typed(line) for line in text.split("\n"))

    def every(some: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(sentences, some))

    return replace(
        a,
        answer=sentences(a.answer),
        change=sentences(a.change),
        why=every(a.why),
        do=every(a.do),
        note=every(a.note),
        read=every(a.read),
        details=every(a.details),
    )


def _flow(parts: Sequence[str]) -> tuple[str, ...]:
    """Sentences that follow one another in a paragraph."""
    return (" ".join(part for part in parts if part),) if any(parts) else ()


def _paragraph(text: str, columns: int, said: set[str]) -> list[str]:
    """Sentences in lines; rows of tables, which have two spaces between words, stay as they are."""
    lines = [printable(line) for line in text.split("\n")] if text else []
    fresh = [line for line in lines if line not in said or not line]
    said.update(fresh)
    return [x for line in fresh for x in ([line] if _is_row(line, columns) else _wrapped(line, columns) or [""])]


def _is_row(line: str, columns: int) -> bool:
    return "  " in line.strip() and len(line) <= columns


def _labelled(label: str, parts: Sequence[str], columns: int, said: set[str]) -> list[str]:
    """Paragraphs behind a label; each paragraph begins a line."""
    indent = 6
    lines = [x for part in parts for x in _paragraph(part, columns - indent, said)]
    return [f"{label if not i else '':<{indent}}{line}".rstrip() for i, line in enumerate(lines)]


def _options(options: Sequence[str], columns: int) -> list[str]:
    """Options in lines; none is broken."""
    lines = [""]
    for option in options:
        longer = f"{lines[-1]}  {option}" if lines[-1] else option
        if len(longer) <= columns - 6 or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(option)
    return [f"{'More' if not i else '':<6}{line}" for i, line in enumerate(lines)] if options else []


def _wrapped(text: str, columns: int) -> list[str]:
    return textwrap.wrap(text, columns, break_on_hyphens=False)


def grid_lines(grid: Grid, columns: int = COLUMNS) -> list[str]:
    """A table in lines of at most so many columns: long names lose their middle, then columns go.

    >>> grid_lines(Grid(("name", "n"), (("a rather long name", "1"),)), 16)
    ['name           n', 'a rath…g name  1']
    """
    kept = list(range(len(grid.head)))
    rows = [[printable(cell) for cell in row] for row in grid.rows]
    widths = [max(map(len, column)) for column in zip(grid.head, *rows, strict=True)]

    def over() -> int:
        return sum(widths[i] for i in kept) + 2 * (len(kept) - 1) - columns

    def cut(least: int) -> None:
        widths[0] = max(widths[0] - max(over(), 0), min(least, widths[0]))

    for column in grid.least:
        if over() > max(widths[0] - 2 * LEAST_NAME, 0):
            kept.remove(column)
    cut(LEAST_NAME)
    cut(4)
    names = distinct([row[0] for row in rows], widths[0])
    rows = [[name, *row[1:]] for name, row in zip(names, rows, strict=True)]
    head = [grid.head[0][: widths[0]], *grid.head[1:]]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            cells[i].ljust(widths[i]) if i in grid.left else cells[i].rjust(widths[i]) for i in kept
        ).rstrip()

    def body() -> Iterator[str]:
        yield line(head)
        for i, row in enumerate(rows):
            if i in grid.groups:
                yield from textwrap.wrap(printable(grid.groups[i]), columns, initial_indent=" ", subsequent_indent=" ")
            yield line(row)

    return list(body())


def shortened(name: str, most: int, end: int | None = None) -> str:
    """A name without its middle: names often differ at the end.

    >>> shortened("annotator number 17", 9), shortened("annotator number 17", 9, 2)
    ('anno…r 17', 'annota…17')
    """
    if len(name) <= most:
        return name
    end = (most - 1) // 2 if end is None else end
    return f"{name[: most - 1 - end]}…{name[len(name) - end :]}"


def distinct(names: Sequence[str], most: int) -> list[str]:
    """Names of at most so many characters, shortened so that no two different ones look alike.

    >>> distinct(["variable_a_long_name", "variable_b_long_name"], 13)
    ['variable_a…me', 'variable_b…me']
    >>> distinct(["x" * 20 + str(i) + "y" * 20 for i in range(2)], 9)
    ['xxx…yyy~1', 'xxx…yyy~2']
    """
    different = list(dict.fromkeys(names))
    half = (most - 1) // 2
    for end in sorted(range(1, most - 1), key=lambda n: abs(n - half)):
        short = [shortened(name, most, end) for name in different]
        if len({*short}) == len(different):
            break
    else:
        short = [shortened(name, most) for name in different]
        twice = {name for name in short if short.count(name) > 1}
        tails = [f"~{i + 1}" if name in twice else "" for i, name in enumerate(short)]
        short = [shortened(name, most - len(tail)) + tail for name, tail in zip(different, tails, strict=True)]
    found = dict(zip(different, short, strict=True))
    return [found[name] for name in names]
