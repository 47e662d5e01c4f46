"""Which candidate a table is read as: the best, if it is clearly ahead of all that would give other figures."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from raters.errors import NotInFile, UsageError, listed
from raters.io.layouts.marks import tick
from raters.io.readings.candidates import (
    SHEET,
    Candidate,
    Variable,
    candidates,
    in_rows,
    key_of,
    questions_in_rows,
    wide,
    with_labels,
)
from raters.io.readings.candidates import question_of as question_column
from raters.io.readings.evidence import Evidence, weigh
from raters.io.readings.grids import ONE, splits
from raters.io.readings.names import ASKED
from raters.io.readings.profiles import Facts, Profile, profile, profiles, text_of
from raters.io.readings.reading import InDoubt, Reading, Roles, argument, unused
from raters.io.table import ROLES, Table, find, known, normal

ENOUGH, AHEAD, TYPED = 6.0, 1.5, 4.0
"""Points that a reading needs, by how many it must lead, and what a role that the user names is worth."""
DOUBT = 3.6
"""With fewer points, the best reading is not offered as a way to read the table, but as the nearest."""
SAID = {
    "rater": ("rater_unnamed", "rater_else", "rated", "raters_recur"),
    "item": ("item_plain", "item_else", "item_beside", "two_items", "few_items"),
    "label": (),
}
"""Doubts about a role that are settled if the user names the column."""
SHOWN, NEAR = 4, 4.0
"""At most so many readings are offered, and only those so near to the best."""


@dataclass(frozen=True)
class Given:
    """The columns that the user named."""

    item: tuple[str, ...] | None = None
    rater: str | None = None
    label: str | None = None
    question: str | None = None
    repeats: bool = False
    """Whether the user said what to do with repeats: then rows that repeat are no answers to several questions."""

    @property
    def n(self) -> int:
        return sum(x is not None for x in (self.item, self.rater, self.label))


def recognise(
    table: Table, item: Any, rater: Any, label: Any, question: str | None = None, repeats: bool = False
) -> Reading:
    """How to read a table, from what was given and what the columns hold; an error with the readings if in doubt."""
    found = by_names(table) if item is rater is label is None else None
    if found is not None and nested(table, found):
        try:
            return decided(table, readings(table))
        except InDoubt:
            return found
    if found is not None:
        return found
    ranked = readings(table, item, rater, label, question, repeats)
    if len(ranked) == 1 and roles_given(item, rater, label) > 1:
        return replace(ranked[0], likely=True)
    best = decided(table, ranked, roles_given(item, rater, label))
    if not alike_on_all_rows(table, best):
        raise InDoubt(table, [replace(best, likely=False), *(r for r in ranked[1:SHOWN] if r.options)], True)
    return best


def by_names(table: Table) -> Reading | None:
    """A long table whose columns are named item, rater and label, which needs no looking; None for any other."""
    names = [normal(n) for n in table.names]
    if any(names.count(role) != 1 for role in ROLES) or ASKED & {*names} or any(" #" in n for n in table.names):
        return None
    found = {role: table.names[names.index(role)] for role in ROLES}
    columns = {r: Profile(n, table.column(n), np.zeros(0, dtype=np.int64), (), None, False) for r, n in found.items()}
    facts = Facts(tuple(columns.values()), 0, False)
    c = Candidate(facts, "long", (columns["item"],), columns["rater"], (Variable("", (columns["label"],)),))
    return Reading("long", (found["item"],), found["rater"], (), ("",), 0, 0, 0, (), found, likely=True, candidate=c)


def nested(table: Table, found: Reading) -> bool:
    """Whether the labels, or the raters, of a long table are lists or objects."""
    return any(table.kinds[table.column(str(found.options[role]))] == "nested" for role in ("rater", "label"))


def roles_given(*given: Any) -> int:
    return sum(x is not None for x in given)


def readings(
    table: Table,
    item: Any = None,
    rater: Any = None,
    label: Any = None,
    question: str | None = None,
    repeats: bool = False,
) -> list[Reading]:
    """Every plausible reading, the best first; those with the same figures count once."""
    given = given_by(table, item, rater, label, question, repeats)
    roles = [*(given.item or ()), *(x for x in (given.rater, given.label) if x in table.names)]
    if len(set(roles)) < len(roles):
        raise UsageError(f"{table.source}: one column is given for two roles: {listed(roles)}. Name different columns.")
    facts = replace(profiles(table), asked=frozenset(roles))
    made = [f for c in asked_for(facts, given) or candidates(facts) if (f := fitting(c, facts, given)) is not None]
    if given.n and not made:
        made = by_usual_names(table, facts, given)
    if not made and given.label is not None:
        known(given.label, table.names, "label", table.source)
    ranked = sorted(weighed(made, given), key=lambda r: -r.points)
    return [described(r, table) if i < 2 * SHOWN else r for i, r in enumerate(ranked)]


def given_by(table: Table, item: Any, rater: Any, label: Any, question: str | None, repeats: bool) -> Given:
    """The columns that the user named, all of which must be there."""
    if rater is not None and (rater != "none" or rater in table.names):
        rater = known(rater, table.names, "rater", table.source)
    label = label if label is None or isinstance(label, str) else str(label)
    return Given(names_of(item, table, "item"), rater, label, question, repeats)


def weighed(made: Sequence[Candidate], given: Given) -> list[Reading]:
    """The candidates with their evidence, the best of those with the same figures; texts and their ids name the same
    items, and the ids do.
    """
    settled = {e for role, names in SAID.items() if getattr(given, role) is not None for e in names}
    best: dict[Any, Reading] = {}
    short: dict[Any, Candidate] = {}
    for c in made:
        key = c.figures()
        r = bare(c, tuple(e for e in weigh(c) if e.name not in settled))
        if key not in best or r.points > best[key].points + 1e-9:
            best[key] = r
        if not has_text(c):
            short.setdefault(key, c)
    return [replace(r, candidate=short.get(k, r.candidate)) if has_text(r.candidate) else r for k, r in best.items()]


def bare(c: Candidate, evidence: tuple[Evidence, ...] = (), likely: bool = False) -> Reading:
    """A candidate as a reading that is not described yet."""
    return Reading(c.layout, (), None, (), (), 0, 0, 0, evidence, {}, likely=likely, candidate=c)


def on_all_rows(table: Table, r: Reading) -> Reading:
    """A reading with the questions that only other rows than those inspected have."""
    c = r.candidate
    if c is None or c.question is None or c.facts.whole:
        return r
    cells = f"CAST({table.column(c.question.name)} AS STRING)"
    found = table.engine.query(f"SELECT DISTINCT {cells} AS name FROM annotations")["name"].tolist()
    whole = profile(c.question.name, c.question.column, [text_of(x) for x in found], False)
    more = [w for w in whole.written if w not in c.question.written]
    others = (replace(c.variables[0], name=w, value=w) for w in more)
    question = replace(c.question, written=(*c.question.written, *more), number=None)
    return replace(r, candidate=replace(c, question=question, variables=(*c.variables, *others)))


def alike_on_all_rows(table: Table, r: Reading) -> bool:
    """Whether what the sample shows of counts and ticks holds for nearly all rows: their sum, and one tick a rater."""
    c = r.candidate
    if c is None or c.facts.whole:
        return True
    if c.marks is not None and c.layout == "marks":
        sums = (" + ".join(tick(p.column) for p in c.marks.row(who)) for who in c.marks.first)
        return share_of_rows(table, " OR ".join(f"{ticks} > 1" for ticks in sums)) <= 1 - ONE
    if c.layout != "counts" or all(e.name != "same_sum" for e in r.evidence):
        return True
    total = " + ".join(f"CAST(CAST({p.column} AS STRING) AS DOUBLE)" for p in c.labels)
    usual = np.unique(np.sum([p.number[p.codes] for p in c.labels if p.number is not None], axis=0), return_counts=True)
    return share_of_rows(table, f"{total} = {float(usual[0][usual[1].argmax()])}") >= ONE


def share_of_rows(table: Table, condition: str) -> float:
    sql = f"SELECT count(*) AS n, sum(CASE WHEN {condition} THEN 1 ELSE 0 END) AS some FROM annotations"
    got = table.engine.query(sql)
    return float(got["some"][0] or 0) / int(got["n"][0])


def has_text(c: Candidate | None) -> bool:
    """Whether texts name the items."""
    return c is not None and any(p.text for p in c.items)


def by_usual_names(table: Table, facts: Facts, given: Given) -> list[Candidate]:
    """A row per annotation, where the user named some columns and the others have usual names; none if they have not."""
    if given.rater == "none" or (given.item is not None and len(given.item) != 1):
        return []
    roles = {"item": given.item[0] if given.item else None, "rater": given.rater, "label": given.label}
    try:
        found = find(table.names, roles, table.source)
    except UsageError:
        return []
    item, rater, label = (facts[found[role]] for role in ROLES)
    return [Candidate(facts, "long", (item,), rater, (Variable(label.name, (label,)),))]


def names_of(item: Any, table: Table, role: str) -> tuple[str, ...] | None:
    """The columns that were named together: one that is called so, or several with commas between, as in CSV."""
    if item is None:
        return None
    if isinstance(item, str):
        if item in table.names:
            return (item,)
        if item == "none":
            return ()
        names = [n.strip() for n in next(csv.reader([item], skipinitialspace=True), [])] if "," in item else [item]
    else:
        names = [str(n) for n in item]
    return tuple(known(n, table.names, role, table.source) for n in names)


def asked_for(facts: Facts, given: Given) -> list[Candidate]:
    """The one reading where items and raters were named: a row per annotation; none if they were not."""
    if not given.item or given.rater is None:
        return []
    items = tuple(facts[n] for n in given.item)
    who = None if given.rater == "none" else facts[given.rater]
    if given.label is not None and given.label in {p.name for p in facts.columns}:
        label = facts[given.label]
        q = None if given.repeats and not given.question else question_column(facts, items, who, label)
        variables = tuple(Variable(v, (label,), value=v) for v in q.written) if q else (Variable(label.name, (label,)),)
        return [Candidate(facts, "long", items, who, variables, q)]
    q = question_column(facts, items, who, None)
    return [*(with_labels(facts, items, who, q) if q else ()), *with_labels(facts, items, who)][:1]


def fitting(c: Candidate, facts: Facts, given: Given) -> Candidate | None:
    """The candidate with the columns that the user named; None if these have other roles in it."""
    if given.item is not None:
        named_ = tuple(facts[n] for n in given.item)
        own, labels = ({p.column for p in some} for some in (c.items, c.labels))
        if c.layout == "long" or c.rows:
            if own != {p.column for p in named_}:
                return None
        elif labels & {p.column for p in named_}:
            return None
        else:
            c = replace(c, items=named_)
    if given.rater == "none" and (c.rater is not None or c.layout != "long"):
        return None
    if given.rater not in (None, "none") and (c.rater is None or c.rater.name != given.rater):
        return None
    return c if given.label is None else with_label(c, facts, given.label)


def with_label(c: Candidate, facts: Facts, label: str) -> Candidate | None:
    """The candidate with the variable, or the column of labels, of this name; None if it has none."""
    if c.cells is not None:
        if label in c.cells.columns:
            return replace(c, cells=replace(c.cells, label=label, questions=(), columns=()))
        return c if c.cells.label == label else None
    if label not in {p.name for p in facts.columns}:
        own = [v for v in c.variables if v.name == label and c.layout == "wide" and len(c.variables) > 1]
    elif c.layout == "long":
        own = [v for v in c.variables if v.columns[0].name == label]
        if not own and label not in c.used and c.question is None:
            own = [Variable(label, (facts[label],))]
    else:
        own = []
    return replace(c, variables=tuple(own)) if own else None


def decided(table: Table, ranked: Sequence[Reading], typed: int = 0) -> Reading:
    """The best reading if it has enough points and leads; an error with the readings otherwise."""
    if not ranked:
        raise InDoubt(table, (), False)
    best, rest = ranked[0], ranked[1:]
    points = best.points + TYPED * typed
    others = [r for r in rest if best.points - r.points < AHEAD]
    if points >= ENOUGH and not others:
        return replace(best, likely=True)
    if points < DOUBT:
        raise InDoubt(table, [r for r in ranked[:3] if r.points > -2], False)
    near = [r for r in ranked[:SHOWN] if best.points - r.points < NEAR and r.points + TYPED * typed > 0 and r.options]
    near = near or [best]
    lead = len(ranked) < 2 or best.points - ranked[1].points >= 0.5
    shown = [replace(near[0], likely=lead), *near[1:]]
    raise InDoubt(table, shown, True)


def described(r: Reading, table: Table) -> Reading:
    """A reading with its columns by name, its counts, and the options that choose it."""
    c = r.candidate
    assert c is not None
    n_items, n_raters, n_labels = sizes(c)
    return replace(
        r,
        item=tuple(p.name for p in c.items),
        rater=c.rater.name if c.rater else None,
        raters=tuple(c.raters) if c.layout != "long" else (),
        questions=tuple(v.name for v in c.variables),
        n_items=n_items, n_raters=n_raters, n_labels=n_labels,
        options=options_of(c, table), unused=tuple(unused(c)),
    )  # fmt: skip


def sizes(c: Candidate) -> tuple[int, int, int]:
    """How many items, raters and labels the first variable has, in the rows that were inspected."""
    first = c.variables[0]
    asked = np.ones(c.facts.n, dtype=bool)
    if first.value is not None and c.question is not None:
        asked = c.question.codes == c.question.written.index(first.value)
    cells = np.array([(p.codes >= 0) & asked for p in first.columns])
    there, n_labels = cells.any(0), int(cells.sum())
    if c.rows:
        return len(c.items), c.facts.n, n_labels
    if c.layout in ("wide", "patterns", "marks"):
        return int(there.sum()), len(first.called if c.layout == "marks" else first.columns), n_labels
    codes, n_items = c.facts.together(*c.items) if c.items else (None, c.facts.n)
    if c.layout == "long" and codes is not None:
        n_items = len(np.unique(codes[there]))
    if c.layout == "counts":
        n_labels = int(sum(p.number[p.codes].sum() for p in first.columns if p.number is not None))
    return n_items, c.rater.distinct if c.rater else 0, n_labels


def options_of(c: Candidate, table: Table) -> dict[str, Any]:
    """What ``read`` has to be told to read a table so; nothing if it cannot be told."""
    items: Any = [p.name for p in c.items]
    item = {"item": items[0] if len(items) == 1 else items} if items else {}
    labels = [p.name for p in c.labels]
    if c.rows and c.rater is not None:
        return {"layout": "wide", "raters": "rows", "rater": c.rater.name, "item": argument(items, table.names)}
    if c.layout == "long":
        alone = {"label": labels[0]} if len({*labels}) == 1 else {}
        return {} if c.in_turn else item | {"rater": c.rater.name if c.rater else "none"} | alone
    if c.layout == "counts":
        return {"layout": "counts"} | item | {"label": labels}
    if c.layout == "cells" and c.cells is not None:
        return item | {"label": c.cells.label}
    return options_of_columns(c, item, table) if c.layout == "wide" else LAYOUT_ALONE.get(c.layout, {})


LAYOUT_ALONE = {"contingency": {"layout": "contingency"}}


def options_of_columns(c: Candidate, item: dict[str, Any], table: Table) -> dict[str, Any]:
    """The same where raters have columns: their names, a sheet, or the pattern of the names."""
    names = [p.name for p in c.variables[0].columns]
    if c.question is not None:  # a sheet for each question: one of them
        sheet = {"sheet": c.variables[0].name} if c.question.name == SHEET else {}
        return item | sheet | {"rater": argument(names, table.names)}
    if len(c.variables) == 1:
        return item | {"rater": argument(names, table.names)}
    found = pattern_of(c)
    return item | {"columns": found} if found else {}


PATTERN = re.compile(r"[{](variable|rater)[}]")


def pattern_of(c: Candidate) -> str | None:
    """The pattern of names such as ``{variable}_{rater}`` that gives these raters and variables; None if none does."""
    want = {p.name: (v.name, who) for v in c.variables for who, p in zip(v.called, v.columns, strict=False)}
    for name, (v, who) in want.items():
        for first, second, made in ((v, who, "{variable}%s{rater}%s"), (who, v, "{rater}%s{variable}%s")):
            if name.startswith(first) and second in name[len(first) :]:
                between, _, after = name[len(first) :].partition(second)
                found = made % (between, after)
                if all(n == found.format(variable=a, rater=b) for n, (a, b) in want.items()):
                    return found
    return None


def by_pattern(table: Table, pattern: str, item: Any) -> Reading:
    """A column for each rater and variable, by the pattern of their names that the user gave."""
    if sorted(PATTERN.findall(pattern)) != ["rater", "variable"]:
        raise UsageError(
            f"columns={pattern!r}: give a pattern with {{variable}} and {{rater}}, such as '{{variable}}_{{rater}}'."
        )
    facts = profiles(table)
    best = [c for way in ways_of(pattern, facts) if (c := of_parts(way, table, facts, item)) is not None]
    if not best:
        raise NotInFile(
            "columns",
            f"{table.source}: no two columns are called as columns={pattern!r} says; columns found: {listed(table.names, 30)}.",
        )
    most = max(best, key=lambda c: (len(c.labels), -len({w for v in c.variables for w in v.called})))
    return described(bare(most, likely=True), table)


Parts = dict[Profile, tuple[str, str]]
"""The variable and the rater of each column."""


def ways_of(pattern: str, facts: Facts) -> list[Parts]:
    """How the names of columns can be parted by a pattern."""
    parts = PATTERN.split(pattern)
    marks, roles = [re.escape(x) for x in parts[::2]], parts[1::2]
    sure = [re.compile(f"{marks[0]}(?P<{roles[0]}>{a}){marks[1]}(?P<{roles[1]}>.+?){marks[2]}") for a in (".+", ".+?")]
    ways = [{p: (m["variable"], m["rater"]) for p in facts.columns if (m := s.fullmatch(p.name))} for s in sure]
    parted: list[Parts] = []
    for grid in splits(facts.columns):  # where nothing stands between the two, numbers and capitals part them
        way = grid if roles == ["rater", "variable"] else grid.turned()
        if all(p.name == pattern.format(variable=v, rater=w) for (w, v), p in way.cells.items()):
            parted.append({p: (v, w) for (w, v), p in way.cells.items()})
    return parted if parted and not marks[1] else [*ways, *parted]


def of_parts(way: Parts, table: Table, facts: Facts, item: Any) -> Candidate | None:
    """The variables with several raters; None if there are none."""
    by: dict[str, list[tuple[str, Profile]]] = {}
    for p, (v, who) in way.items():
        if p.filled:
            by.setdefault(v, []).append((who, p))
    kept = tuple(
        Variable(v, tuple(p for _, p in some), tuple(w for w, _ in some)) for v, some in by.items() if len(some) > 1
    )
    if not kept:
        return None
    key = names_of(item, table, "item")
    items = tuple(facts[n] for n in key) if key is not None else key_of(facts, [p for v in kept for p in v.columns])
    return Candidate(facts, "wide", items, None, kept)


def as_given(table: Table, item: Any, columns: Sequence[str]) -> Reading:
    """A wide table whose raters the user named; only what names the rows is looked for."""
    names = [known(n, table.names, "rater", table.source) for n in columns]
    facts = profiles(table)
    chosen = tuple(facts[n] for n in names)
    key = names_of(item, table, "item")
    items = tuple(facts[n] for n in key) if key is not None else key_of(facts, chosen)
    asked = [q for q, of in questions_in_rows(facts) if of == items and key and q not in chosen]
    c = (
        in_rows(facts, asked[0], items, chosen)
        if asked
        else Candidate(facts, "wide", items, None, (Variable("", chosen),))
    )
    return described(bare(c, likely=True), table)


def rater_columns(table: Table, item: Any) -> Roles:
    """A table declared to be wide: which of its columns are raters."""
    facts = profiles(table)
    given = Given(names_of(item, table, "item"))
    made = [f for c in wide(facts) if (f := fitting(c, facts, given)) is not None]
    ranked = sorted((bare(c, tuple(weigh(c))) for c in made), key=lambda r: -r.points)
    if not ranked:
        return Roles("wide", item)
    ranked = [described(r, table) for r in ranked[:SHOWN]]
    lead = ranked[0]
    apart = [r for r in ranked[1:] if lead.points - r.points < AHEAD and set(r.raters) != set(lead.raters)]
    if apart:
        raise InDoubt(table, [lead, *apart], True)
    return lead.chosen(None, table.source)
