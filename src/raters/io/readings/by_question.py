"""Tables with a column for each rater and question, or for each rater and label."""

from __future__ import annotations

from typing import TYPE_CHECKING

from raters.errors import UsageError, listed
from raters.io.layouts.marks import marks_of
from raters.io.readings.grids import Grid, by_rater, grid_of, marked
from raters.io.readings.reading import Reading, alike, pasted
from raters.io.table import one_of
from raters.notes.note import Note

if TYPE_CHECKING:
    from raters.io.readings.recognise import Case


def by_question(case: Case) -> Reading | None:
    """A column for each rater and question, or for each rater and label, as the parts of the names show."""
    grid = grid_of([p for p in case.columns if case.able(p)])
    if grid is None or any(p.like_a_person for p in grid.cells.values()):
        return None
    if marked(grid):
        return marks_of(case.table.source, case.key(tuple(grid.cells.values())), grid, case.rows, case.question)
    told = by_rater(grid, alike)
    if told is None:
        return either(case, grid)
    counts = {q: sum(p.filled for p in told.column(q)) for q in told.second}
    asked = one_of(counts, case.question, case.table.source, "each in columns of its own for every rater")
    columns = told.column(asked)
    key = case.key(tuple(grid.cells.values()))
    names = [p.name for p in columns]
    said = Note("question_per_rater", {"names": names, "raters": list(told.first)})
    aside = tuple(p.name for p in grid.cells.values() if p not in columns)
    called = tuple(zip((p.name for p in columns), told.first, strict=True))
    return Reading("wide", key, names, called=called, said=(said,), question=asked, aside=aside)


def either(case: Case, grid: Grid) -> Reading | None:
    """An error for two-part names if neither names nor labels show which part is the rater: both readings as
    commands.
    """
    cells = list(grid.cells.values())
    if not all(alike(p, q) for p in cells for q in cells):
        return None
    ways = [f"--rater {pasted(p.name for p in way)}" for way in (grid.row(grid.first[0]), grid.column(grid.second[0]))]
    raise UsageError(
        f"{case.table.source}: columns such as {listed([p.name for p in cells], 3)} have names of two parts, of which"
        f" one may be the rater and one the question. Say which columns are to be compared: {ways[0]} or {ways[1]}."
    )
