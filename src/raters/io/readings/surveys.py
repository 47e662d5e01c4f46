"""Tables as survey tools write them: respondents in rows, questions in columns."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from raters.errors import UsageError
from raters.io.readings.reading import SHARED, Reading, argument, pasted
from raters.io.table import best, normal
from raters.notes.note import Note

if TYPE_CHECKING:
    from raters.io.readings.recognise import Case

TIMES = frozenset(
    [
        "timestamp",
        "zeitstempel",
        "horodateur",
        "marcatemporal",
        "submittedat",
        "submissiondate",
        "startdate",
        "recordeddate",
    ]
)
"""Names of columns in which survey tools record when somebody answered."""
NAMED = frozenset(
    [
        "name",
        "yourname",
        "fullname",
        "email",
        "emailaddress",
        "username",
        "initials",
        "yourinitials",
        "participantname",
        "prolificid",
        "nickname",
    ]
)
"""Names of columns in which respondents identify themselves."""


def transposed(case: Case) -> Reading | None:
    """Raters in rows, items in columns, as survey tools write them: the rows are identified only by people."""
    unique = [p.name for p in case.columns if p.filled == p.distinct == len(case.rows)]
    when = [p.name for p in case.columns if normal(p.name) in TIMES]
    people, items = best(unique, "rater"), best([n for n in unique if normal(n) != "name"], "item")
    if when and not people:
        people = [n for n in unique if normal(n) in NAMED][:1]
    names = answers(case, {*people, *when})
    if items or len(names) < 2 or len(people) > 1:
        return None
    if not people:
        survey_without_names(case, when, names)
        return None
    aside = [p.name for p in case.columns if p.name not in (*names, *people)]
    said = (
        Note("raters_in_rows", {"column": people[0], "n": len(names), "columns": names}),
        *([Note("not_items", {"columns": aside})] if aside else []),
        Note("to_read_as_raters", {"columns": argument(names, case.table.names)}),
    )
    return Reading("wide", names, people[0], raters="rows", said=said)


def answers(case: Case, apart: set[str]) -> list[str]:
    """The columns that share their values with others, and those numbered like them in which all are equal: the answers
    about each item.
    """
    cells = [p for p in case.columns if p.name not in apart and not p.derived and not p.nested and p.filled]
    others = [frozenset().union(*(q.values for q in cells if q is not p)) for p in cells]
    found = {p.name for p, seen in zip(cells, others, strict=True) if len(p.values & seen) >= SHARED * len(p.values)}
    # an item of which everybody says what nobody says of another is an item too
    stems = {_stem(name) for name in found}
    same = [p.name for p in cells if len(stems) == 1 and len(p.values) == 1 and p.filled > 1 and _stem(p.name) in stems]
    return [p.name for p in cells if p.name in {*found, *same}]


def _stem(name: str) -> str:
    """The name of a numbered column without its number; a name without a number as it is.

    >>> _stem("Q12"), _stem("age")
    ('Q', 'age')
    """
    return name.rstrip("0123456789")


def survey_without_names(case: Case, when: Sequence[str], names: Sequence[str]) -> None:
    """An error for rows with a time and no name, which may be respondents or items: both readings as commands."""
    if when and not any(p.like_a_person for p in case.columns) and when[0] == case.columns[0].name:
        raise UsageError(
            f"{case.table.source}: column {when[0]!r} records when a row was made, but no column records by whom. If"
            f" each row is a person: --layout wide --raters-as rows --rater {shlex.quote(when[0])} --item"
            f" {pasted(names, case.table.names)}. If each row is an item, and each column a rater: --rater"
            f" {pasted(names, case.table.names)}."
        )
