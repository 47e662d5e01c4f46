"""The answer of a command whose result is a table of estimates: a sentence about the first, the figures, what to know."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import special

from raters.estimate import Estimate
from raters.notes.sentence import Level
from raters.reporting.answer import Answer, Grid
from raters.reporting.how_read import how_read, together
from raters.reporting.names import PUBLISHED, RANGES, as_sentence, called, interval_note, some
from raters.reporting.short_table import short_table, value_of
from raters.words import printable

DEFAULT_MORE = ("--details (methods)", "--format json")


def sentence(e: Estimate | str) -> str:
    """The answer in a sentence."""
    if isinstance(e, str):
        return e
    weighted = e.parts == "agreement" and e.weights and not e.unweighted
    name = f"{e.title or e.name}{f' ({e.weights} weights)' if weighted else ''}"
    if not math.isfinite(e.value):
        return f"{name} is undefined: {e.undefined or 'it cannot be computed'}."
    return f"{name} is {value_of(e, e.value)}{between(e)}."


def between(e: Estimate) -> str:
    """The limits of a figure, in parentheses.

    >>> between(Estimate("alpha", 0.35, 0.31, 0.39, interval="bootstrap"))
    ' (95% interval 0.31 to 0.39)'
    """
    if e.interval is None or not math.isfinite(e.low):
        return ""
    low, high = value_of(e, e.low), value_of(e, e.high)
    if e.interval in RANGES:
        return f"; the data allow {low} to {high} (at {e.level:.0%}: an extrapolation)"
    if e.interval == PUBLISHED:
        return f", {low} to {high} by the limits of the published interval"
    over = "" if e.sampled == "items" else f" over {e.sampled}"
    return f" ({e.level:.0%} interval {low} to {high}{over})"


MOST_ENDS = 200
"""So many rows at either end are compared with one another."""
CHANCE = 0.01
"""Nominal error rate of a difference among all rows. Far out, intervals are lighter than the figures' own tails: of 200
tables each without differences, two differ "clearly" in .055 (3 rows), .025 (6) and .075 (12).
"""


def far_apart(rows: Sequence[Estimate]) -> tuple[Estimate, Estimate] | None:
    """The two rows that differ most clearly, the lower first; None if no two differ more than chance explains.

    A row of few items has a wide interval, and is an end only where the difference is large even so. The difference is
    measured by the halves of the two intervals that face each other, with Bonferroni's rule for all pairs.

    >>> wide, low, high = Estimate("a", -0.2, -0.8, 0.9), Estimate("b", 0.2, 0.1, 0.3), Estimate("c", 0.5, 0.4, 0.6)
    >>> [e.name for e in far_apart([wide, low, high])]
    ['b', 'c']
    >>> far_apart([wide, low])
    """
    known = [e for e in rows if math.isfinite(e.value) and math.isfinite(e.low) and math.isfinite(e.high)]
    if len(known) < 2:
        return None
    lows = sorted(known, key=lambda e: e.high)[:MOST_ENDS]
    highs = sorted(known, key=lambda e: -e.low)[:MOST_ENDS]
    up, down = (np.array([[e.value, e.high - e.value, e.value - e.low] for e in rows]).T for rows in (lows, highs))
    reach = np.hypot(up[1][:, None], down[2])
    far = (down[0] - up[0][:, None]) / np.maximum(reach, 1e-12)
    i, j = np.unravel_index(int(far.argmax()), far.shape)
    level, pairs = known[0].level, len(known) * (len(known) - 1) / 2
    wanted = special.ndtri(1 - CHANCE / 2 / pairs) / special.ndtri((1 + level) / 2)
    return (lows[i], highs[j]) if far[i, j] > wanted else None


def of_rows(table: Sequence[Estimate]) -> str:
    """A sentence about rows of equal standing: which differ for sure; without intervals, the least and the greatest."""
    table = [e for e in table if e.coefficient == table[0].coefficient]
    known = [e for e in table if math.isfinite(e.value)]
    title = table[0].title or table[0].coefficient or "The figure"
    if not known:
        return f"{title} is undefined in every row."
    low, high = (pick(known, key=lambda e: e.value) for pick in (min, max))
    if low is high and low.name == low.coefficient:
        return sentence(low)
    if low is high:
        return f"{title} of {low.name} is {value_of(low, low.value)}{between(low)}."
    if any(math.isfinite(e.low) for e in known):
        apart = far_apart(known)
        if apart is None:
            return f"{title}: no two of the {len(known):,} differ clearly."
        low, high = apart
        of = f"{called(low)} ({value_of(low, low.value)}) than for {called(high)} ({value_of(high, high.value)})"
        return f"{title} is clearly lower for {of}."
    return f"{title} goes from {value_of(low, low.value)} ({called(low)}) to {value_of(high, high.value)} ({called(high)})."


def notes_of(table: Sequence[Estimate], levels: Iterable[Level]) -> tuple[str, ...]:
    """Notes of these levels, each once, with the rows that it concerns unless it concerns all."""
    about = together((called(e), note) for e in table for note in dict.fromkeys(e.notes) if note.level in levels)
    every = list(dict.fromkeys(called(e) for e in table))
    by_rows: dict[tuple[str, ...], list[str]] = {}
    for said, names in about:
        by_rows.setdefault(tuple(names), []).append(said)
    return tuple(
        " ".join(map(as_sentence, said))
        if len(names) == len(every)
        else " ".join([f"{some(_of_all(names, every))}: {said[0]}.", *map(as_sentence, said[1:])])
        for names, said in by_rows.items()
    )


def _of_all(names: Sequence[str], every: Sequence[str]) -> Sequence[str]:
    """Rows; of those that each of several questions has, the row without the questions.

    >>> every = ["tone: labels", "tone: items", "topic: labels", "topic: items"]
    >>> _of_all(["tone: labels", "topic: labels"], every), _of_all(["tone: labels"], every)
    (['labels'], ['tone: labels'])
    """
    rows = {name.partition(": ")[2] for name in names}
    found = [row for row in rows if row]
    return found if len(found) == 1 and sum(x.endswith(f": {found[0]}") for x in every) == len(names) > 1 else names


def table_answer(
    ann: Any,
    table: Sequence[Estimate],
    lead: Estimate | str | None = None,
    lines: Sequence[str] = (),
    *,
    more: Sequence[str] = DEFAULT_MORE,
    grids: Sequence[Grid | tuple[str, ...]] = (),
    marks: Mapping[str, str] | None = None,
) -> Answer:
    """The answer about a table of estimates; ``lines``: what a command adds, ``more``: the options that it names."""
    read = how_read(ann, lead is not None or len(table) > 0)
    method = interval_note(table)
    top = sentence(lead) if lead is not None else of_rows(table) if len(table) else ""
    drawn = [line for line in lines if "  " in line.strip()]
    said = tuple(line.removeprefix("- ") for line in lines if line and line not in drawn)
    shown = tuple(grids) or ((short_table(table, dict(marks or read.marks)),) if len(table) else ())
    return Answer(
        answer=printable(top) if "\n" not in top else top,
        change=read.change,
        grids=(*shown, *((tuple(drawn),) if drawn else ())),
        why=said,
        note=notes_of(table, ("assumed", "undefined", "caution")),
        read=read.lines if read.marks and not grids and any(e.name in read.marks for e in table) else read.by_name,
        details=tuple(x for x in (method, *notes_of(table, ("detail",))) if x),
        more=tuple(more),
    )
