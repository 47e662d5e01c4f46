"""Tables that fit a terminal: which columns a narrow one goes without, and where names and findings are cut."""

from __future__ import annotations

from collections.abc import Sequence

COLUMNS, LEAST_NAME = 80, 20
DROPPED = ("weights", "of", "se", "annotations", "compared", "gain_low", "gain_high", "expected", "observed")
"""Columns that a narrow terminal goes without, the first to go first."""
LAST = ("items", "coefficient", "accuracy", "flags")
"""Columns that go only where names are cut, too."""
LEFT = frozenset({"name", "compared", "slice", "coefficient", "of", "weights", "flags"})


def fitted(head: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]], list[str]]:
    """A table that fits a terminal of 80 columns: without some columns, in the order of ``DROPPED``, and with long names cut.

    >>> fitted(["name", "value", "weights"], [["a" * 70, "0.5", "identity"]])[::2]
    (['name', 'value'], ['weights (identity)'])
    >>> fitted(["name", "flags"], [["ana", "no information found, still counted, " * 3]])[1][0][1][-24:]
    'n found, still counted,…'
    """
    kept = list(range(len(head)))
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def over() -> int:
        return sum(widths[i] for i in kept) + 2 * (len(kept) - 1) - COLUMNS

    def drop(names: Sequence[str]) -> None:
        for name in names:
            if over() > 0 and name in head:
                kept.remove(head.index(name))

    drop(DROPPED)
    widths[0] = min(widths[0], max(widths[0] - over(), LEAST_NAME))  # a long name is cut before anything else goes
    drop(LAST[:-1])
    if LAST[-1] in head and over() > 0:  # long findings are cut at the end: they matter most where they are longest
        at = head.index(LAST[-1])
        widths[at] = max(widths[at] - over(), min(LEAST_NAME, widths[at]))
        rows = [_cut(row, at, widths[at]) for row in rows]
    drop(LAST[-1:])
    most = widths[0]
    shorter = [[x if i or len(x) <= most else shortened(x, most) for i, x in enumerate(row)] for row in rows]
    columns = list(zip(*rows, strict=True)) or [()] * len(head)
    values = [sorted({*column} - {"", "-"}) if name in LEFT else [] for name, column in zip(head, columns, strict=True)]
    left = [f"{name} ({values[i][0]})" if len(values[i]) == 1 else name for i, name in enumerate(head) if i not in kept]
    return [head[i] for i in kept], [[row[i] for i in kept] for row in shorter], left


def _cut(row: list[str], at: int, most: int) -> list[str]:
    """A row whose cell ``at`` ends with an ellipsis if it is too long."""
    cell = row[at] if len(row[at]) <= most else f"{row[at][: most - 1]}…"
    return [*row[:at], cell, *row[at + 1 :]]


def shortened(name: str, most: int) -> str:
    """A name without its middle: names often differ at the end.

    >>> shortened("annotator number 17", 9)
    'anno…r 17'
    """
    end = (most - 1) // 2
    return f"{name[: most - 1 - end]}…{name[len(name) - end :]}"
