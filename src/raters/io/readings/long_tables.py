"""Tables with one row per annotation whose names are uninformative, or in which raters answer several questions about
an item.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from raters.errors import UsageError
from raters.io.readings.profiles import Profile
from raters.io.readings.reading import Reading
from raters.io.readings.surveys import TIMES
from raters.io.table import Table, best, normal, one_of
from raters.notes.note import Note

if TYPE_CHECKING:
    from raters.io.readings.recognise import Case

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
LEAST = 9
"""In a table of this many rows, two columns do not identify each row by chance."""
NOTHING = UsageError("no column holds labels")


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
    """In a long table in which raters answer several questions about an item: the column of questions and the question
    to read.
    """
    for name in (n for n in table.names if normal(n) in QUESTIONS and n not in roles.values()):
        i, r, q = (table.column(n) for n in (roles["item"], roles["rater"], name))
        found = table.engine.query(
            f"SELECT CAST({q} AS STRING) AS q, count(*) AS n, count(DISTINCT ({i}, {r})) AS pairs FROM annotations"
            " GROUP BY q ORDER BY min(row)"
        )
        counts = dict(zip(found["q"].tolist(), map(int, found["n"]), strict=True))
        once = bool((found["n"] == found["pairs"]).all())
        n_pairs = int(table.engine.query(f"SELECT count(DISTINCT ({i}, {r})) AS n FROM annotations")["n"][0])
        if None not in counts and 1 < len(counts) <= 100 and once and sum(counts.values()) > n_pairs:
            return name, one_of(counts, question, table.source, f"in column {name!r}")
    return None


def named_twice(case: Case) -> Reading | None:
    """A row per annotation where a column is called as items are and one as raters are, both recur, and together they
    name each row.
    """
    item, rater = (best(case.table.names, role) for role in ("item", "rater"))
    names = [p for p in case.columns if [p.name] in (item, rater)]
    if len(names) != 2 or len(case.rows) < LEAST or any(p.filled < len(case.rows) for p in names):
        return None
    recur = all(p.distinct <= len(case.rows) / 2 for p in names)
    if not recur or not together(case, *names):
        return None
    try:
        return labels_of_rows(case, NOTHING)
    except UsageError as error:
        if error is NOTHING:
            return None
        raise


def by_pairs(case: Case, error: UsageError) -> Reading:
    """Columns with uninformative names: two of them together identify each row, no other two do, and one more
    varies.
    """
    plain = [p for p in case.columns if p.filled == len(case.rows) and not p.nested and not p.derived]
    plain = [p for i, p in enumerate(plain) if not any(one_to_one(case, p, q) for q in plain[:i])]
    if len(case.rows) >= LEAST:
        both = [(p, q) for p, q in combinations(plain, 2) if not p.unique and not q.unique and together(case, p, q)]
        varying = [p for p in case.columns if both and is_label(case, p, *both[0])]
        if len(both) == len(varying) == 1 and {p.name for p in both[0]} >= {*best_only(case)}:
            rater, item = sorted(both[0], key=lambda p: (p.name in best(case.table.names, "item"), p.distinct))
            label = varying[0]
            said = Note("row_per_annotation", {"item": item.name, "who": rater.name, "label": label.name})
            return Reading("long", item.name, rater.name, label.name, said=(said,))
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
        if p.name not in (*item, *rater) and is_label(case, p, *(q for q in case.columns if q.name in (*item, *rater)))
    ]
    if not able:
        raise error
    if len(able) == 1:
        said = Note("only_column_that_differs", {"column": able[0].name})
        return Reading("long", item[0], rater[0], able[0].name, said=(said,))
    asked = one_of({p.name: p.filled for p in able}, case.question, case.table.source, "each in a column")
    return Reading("long", item[0], rater[0], asked, question=asked, said=(Note("labels_from", {"column": asked}),))


def is_label(case: Case, p: Profile, *names: Profile) -> bool:
    """Whether a column may hold labels: no id, nothing computed, and no attribute of what names the rows."""
    if p in names or p.unique or p.derived or p.nested or p.distinct < 2 or normal(p.name) in TIMES:
        return False
    pairs = [{(row[q.column], row[p.column]) for row in case.rows if row[p.column] is not None} for q in names]
    return all(len(found) > len({name for name, _ in found}) for found in pairs)


def one_to_one(case: Case, p: Profile, q: Profile) -> bool:
    """Whether two columns distinguish the same rows, such as a name and that person's age."""
    return len({(row[p.column], row[q.column]) for row in case.rows}) == p.distinct == q.distinct


def best_only(case: Case) -> list[str]:
    """The columns with a typical name for items or raters, if there is exactly one for a role."""
    found = (best(case.table.names, role) for role in ("item", "rater"))
    return [names[0] for names in found if len(names) == 1]


def together(case: Case, p: Profile, q: Profile) -> bool:
    """Whether two columns together identify each row."""
    return len({(row[p.column], row[q.column]) for row in case.rows}) == len(case.rows)
