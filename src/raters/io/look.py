"""``look``: every plausible reading of a source, the best first, with what speaks for it and against it."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

from raters.io.exports.opened import opened
from raters.io.readings.decide import decided, readings, roles_given
from raters.io.readings.reading import InDoubt, Reading
from raters.io.sources.files import file_options
from raters.options import asks


@asks()
def look(
    source: Any,
    *,
    item: Any = None,
    rater: Any = None,
    label: Any = None,
    encoding: str = "auto",
    format: str | None = None,
    sheet: str | None = None,
    delimiter: str | None = None,
    header: int | None = None,
    skip: int = 0,
) -> tuple[Reading, ...]:
    """How a table can be read: each plausible reading with the roles of its columns, its counts, the evidence, and the
    options that choose it; the best first. ``likely`` marks the one that ``read`` takes or suggests. Columns that are
    named restrict the readings.

    >>> rows = [{"doc": f"d{i}", "coder": c, "tone": "ab"[(i + (c == "Bob" and i > 6)) % 2]} for i in range(9) for c in ("Ann", "Bob")]
    >>> print(look(rows)[0])
    one row per annotation: items in 'doc', raters in 'coder', labels in 'tone': 9 items, 2 raters, 18 labels
    """
    file = file_options(encoding, delimiter=delimiter, sheet=sheet, header=header, skip=skip, format=format)
    table = opened(fspath(source) if isinstance(source, PathLike) else source, "auto", "columns", file)
    ranked = readings(table, item, rater, label)
    try:
        best = decided(table, ranked, roles_given(item, rater, label))
    except InDoubt as doubt:
        marked = {id(r.candidate): r for r in doubt.readings if doubt.asked}
        return tuple(marked.get(id(r.candidate), r) for r in ranked if r.questions)
    return best, *(r for r in ranked[1:] if r.questions)
