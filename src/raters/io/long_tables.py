"""Tables with one row per annotation whose names are uninformative, or in which raters answer several questions about an item."""

from __future__ import annotations

import shlex
from itertools import combinations
from typing import TYPE_CHECKING

from raters.errors import UsageError
from raters.io.columns import best, normal
from raters.io.profiles import Profile
from raters.io.questions import one_of
from raters.io.readings import Reading
from raters.io.table import Table

if TYPE_CHECKING:
    from raters.io.recognise import Case

QUESTIONS = frozenset(
    [
        "question",
        "questionid",
        "questionname",
        "aspect",
        "attribute",
        "dimension",
        "criterion",
        "criteria",
        "variable",
        "measure",
        "metric",
        "property",
        "category",
        "emotion",
        "task",
        "taskname",
        "subtask",
        "facet",
        "construct",
        "scale",
        "prompt",
    ]
)
"""Names of columns that state which question a row answers."""


def may_hold_several(table: Table, roles: dict[str, str]) -> bool:
    """Whether the cells of a table with the names of a long one may hold several labels each: lists, or a plural."""
    kinds = {table.kinds[c] for c in table.named()}
    if "nested" in kinds or roles["label"].lower().endswith("s"):
        return True
    column = table.column(roles["rater"])
    if table.kinds[column] != "text":
        return False
    first = table.engine.query(f"SELECT CAST({column} AS STRING) AS who FROM annotations LIMIT 20")["who"].tolist()
    return any(str(who)[:1] == "[" for who in first)


def asked_in_rows(table: Table, roles: dict[str, str], question: str | None) -> tuple[str, str] | None:
    """In a long table in which raters answer several questions about an item: the column of questions and the question to read."""
    for name in (n for n in table.names if normal(n) in QUESTIONS and n not in roles.values()):
        i, r, q = (table.column(n) for n in (roles["item"], roles["rater"], name))
        found = table.engine.query(
            f"SELECT CAST({q} AS STRING) AS q, count(*) AS n, count(DISTINCT ({i}, {r})) AS pairs FROM annotations GROUP BY q ORDER BY min(row)"
        )
        counts = dict(zip(found["q"].tolist(), map(int, found["n"]), strict=True))
        once = bool((found["n"] == found["pairs"]).all())
        n_pairs = int(table.engine.query(f"SELECT count(DISTINCT ({i}, {r})) AS n FROM annotations")["n"][0])
        if None not in counts and 1 < len(counts) <= 100 and once and sum(counts.values()) > n_pairs:
            return name, one_of(counts, question, table.source, f"in column {name!r}")
    return None


def by_pairs(case: Case, error: UsageError) -> Reading:
    """Columns with uninformative names: two of them together identify each row, and no other two do."""
    plain = [p for p in case.columns if p.filled == len(case.rows) and not p.nested]
    if len(case.columns) == len(plain) == 3 and len(case.rows) > 8:
        both = [(p, q) for p, q in combinations(plain, 2) if not p.unique and not q.unique and together(case, p, q)]
        if len(both) == 1:
            rater, item = sorted(both[0], key=lambda p: p.distinct)
            label = next(p for p in plain if p not in both[0])
            said = (
                f"read as one row per annotation, because columns {item.name!r} and {rater.name!r} together identify each row; to change it: "
                f"--item {shlex.quote(item.name)} --rater {shlex.quote(rater.name)} --label {shlex.quote(label.name)}"
            )
            return Reading("long", item.name, rater.name, label.name, said=said)
    return labels_of_rows(case, error)


def labels_of_rows(case: Case, error: UsageError) -> Reading:
    """A long table with several columns of labels, each of which is a question."""
    names = case.table.names
    item, rater = best(names, "item"), best(names, "rater")
    if len(item) != 1 or len(rater) != 1 or best(names, "label"):
        raise error
    able = [
        p
        for p in case.columns
        if p.name not in (*item, *rater) and not (p.unique or p.derived or p.nested) and p.distinct > 1
    ]
    if len(able) < 2:
        raise error
    asked = one_of({p.name: p.filled for p in able}, case.question, case.table.source, "each in a column")
    return Reading("long", item[0], rater[0], asked, question=asked, said=f"labels from column {asked!r}")


def together(case: Case, p: Profile, q: Profile) -> bool:
    """Whether two columns together identify each row."""
    return len({(row[p.column], row[q.column]) for row in case.rows}) == len(case.rows)
