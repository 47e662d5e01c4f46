"""The answers of ``raters judge``: one judge, and several in one table."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from raters.estimate import Estimate
from raters.judges.judge import JudgeReport, JudgeReports
from raters.judges.shared_errors import Several
from raters.judges.verdict import Outcome
from raters.reporting.answer import COLUMNS, Answer, Grid
from raters.reporting.names import as_sentence, some
from raters.reporting.short_table import figure, limits, short_table, value_of
from raters.reporting.table_answer import table_answer

PEOPLE = ("kappa_people", "leave_one_out_people", "alpha_people")
JUDGE = ("kappa", "kappa_gap", "leave_one_out_gap", "kappa_x_ratio", "winning_rate", "advantage")
SHOWN = ("kappa", "kappa_gap", "winning_rate")
"""The figures of several judges, under the names that ``--fail-under`` takes."""


ANSWERS = {
    Outcome.yes: "{judge} may stand in for these people.",
    Outcome.gap: "{judge} may stand in for these people, with a gap.",
    Outcome.no: "{judge} should not stand in for these people yet.",
    Outcome.unclear: "It is not clear yet whether {judge} may stand in for these people.",
}


TALLY = {
    Outcome.yes: "{n} may stand in for people",
    Outcome.gap: "{n} may with a gap",
    Outcome.no: "{n} should not yet",
    Outcome.unclear: "for {n} it is not clear yet",
}


def judge_answer(result: JudgeReports, about: Any, lines: Sequence[str]) -> Answer:
    """``lines``: what else was found, in the words of the report."""
    return _one(result[0], result, about, lines) if len(result) == 1 else _several(result, about, lines)


def _one(r: JudgeReport, result: JudgeReports, about: Any, lines: Sequence[str]) -> Answer:
    rows = [e for e in r.figures if e.name in (*PEOPLE, *JUDGE)]
    read = table_answer(about, rows, r.verdict, more=("--all", "--details (methods)", "--format json"))
    said, drawn = _parted(lines)
    said_of = ANSWERS[r.outcome].format(judge=r.judge)
    return replace(
        read,
        answer=f"{result.note}. {said_of}" if result.note else said_of,
        grids=(_with_titles(rows), *((tuple(textwrap.wrap(drawn[0], COLUMNS) + drawn[1:]),) if drawn else ())),
        why=(r.verdict, *said),
        do=(r.advice,),
    )


def _parted(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """Sentences, and the matrix with its heading."""
    rows = [i for i, line in enumerate(lines) if "  " in line.strip()]
    at = rows[0] - 1 if rows else len(lines)
    return [as_sentence(line) for line in lines if line and line not in lines[at : at + len(rows) + 1]], list(
        lines[at : at + len(rows) + 1]
    )


def _with_titles(rows: Sequence[Estimate]) -> Grid:
    """The figures in words, each with the name that ``--fail-under`` takes."""
    grid = short_table([replace(e, name=e.title, coefficient="", by=None) for e in rows])
    full = tuple((*row, e.name) for row, e in zip(grid.rows, rows, strict=True))
    return replace(grid, head=(*grid.head, "--fail-under"), rows=full, left=frozenset({0, len(grid.head)}))


def _several(result: JudgeReports, about: Any, lines: Sequence[str]) -> Answer:
    every = [e for r in result for e in r.figures if e.name in JUDGE]
    read = table_answer(
        about, every, result.summary, more=("--judges NAME (one in full)", "--details", "--format json")
    )
    tally = ", ".join(TALLY[end].format(n=n) for end in Outcome if (n := sum(r.outcome == end for r in result)))
    may = any(r.outcome in (Outcome.yes, Outcome.gap) for r in result)
    best, *rest = _advice(result)
    several = [_alike(result.several)] if result.several is not None else []
    said, _ = _parted(lines)
    notes = [as_sentence(str(n)) for n in dict.fromkeys(n for r in result for n in r.notes if n.level != "detail")]
    return replace(
        read,
        answer=f"{f'{result.note}. ' if result.note else ''}Of {len(result)} judges, {tally}.{_of_people(result[0])}",
        grids=(_table(result),),
        why=tuple(several) if may else (),
        note=tuple(notes),
        do=(best,),
        details=(*read.details, *([] if may else several), *rest, *(r.verdict for r in result), *said),
    )


def _of_people(r: JudgeReport) -> str:
    """How far people agree with each other, if that is known."""
    e = next((e for e in r.figures if e.name == PEOPLE[0] and e.value == e.value), None)
    return f" People agree with each other at kappa {value_of(e, e.value)} ({limits(e)})." if e else ""


def _advice(result: JudgeReports) -> list[str]:
    """Each advice, after the judges that it is for."""
    judges: dict[str, list[str]] = {}
    for r in result:
        judges.setdefault(r.advice, []).append(r.judge)
    return [f"{some(names)}: {advice}" for advice, names in judges.items()]


def _alike(s: Several) -> str:
    """How far the judges make the same errors, in a sentence."""
    number = s.corrected_number if math.isfinite(s.corrected_number) else s.effective_number.value
    if not (math.isfinite(number) and math.isfinite(s.excess.value)):
        return s.sentence
    own, people = (figure(e.value) for e in (s.judges_correlation, s.people_correlation))
    return (
        f"The {len(s.judges)} count for about {figure(number, 1)} independent ones: their errors correlate {own}, those"
        f" of people {people}."
    )


def _table(result: JudgeReports) -> Grid:
    """A row for each judge: the verdict, agreement with people, and the gap to theirs."""
    rows = []
    for r in result:
        there = {e.name: e for e in r.figures}
        cells = [value_of(there[n], there[n].value) if n in there else "-" for n in SHOWN]
        gap = there.get("kappa_gap")
        rows.append((r.judge, r.outcome.short, cells[0], cells[1], limits(gap) if gap else "-", cells[2], _leans(r)))
    head = ("judge", "may stand in", "kappa", "kappa_gap", "95% interval", "winning_rate", "leans to")
    return Grid(head, tuple(rows), frozenset({0, 1, 6}), least=(6, 5))


def _leans(r: JudgeReport) -> str:
    """The label that the judge gives more or less often than people, in points of percent."""
    clear = sorted((e for e in r.bias if e.low > 0 or e.high < 0), key=lambda e: -abs(e.value))
    return f"{clear[0].name[:12]} {100 * clear[0].value:+.0f}" if clear and clear[0].name != "mean" else ""
