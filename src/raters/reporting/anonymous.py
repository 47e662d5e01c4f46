"""Raters are people: codes for their names, by one rule for everything that is written, and no slice of a few of
them.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.items import python_values
from raters.notes.note import HIDDEN, Note

LEAST = 5
"""Raters in the smallest slice by an attribute of people that is shown."""


def anonymous(
    ann: Annotations,
    seed: int | None = None,
    known: Mapping[str, Any] | None = None,
    least: int = LEAST,
    models: Collection[str] = (),
    kind: str | None = None,
) -> tuple[Annotations, dict[str, Any]]:
    """The same table with raters called R001, R002, ... in an order that says nothing; and which code is whom.

    ``known``: codes that were given before, which stay. ``least``: values of a column that says something of raters
    (each has one value) are put together where fewer raters have them. Without ``seed`` nobody can find the order
    again. ``models``: raters that are no people and keep their names; ``kind``: the column that says so, which stays as
    it is.

    >>> from raters.io.read import read
    >>> hidden, key = anonymous(read([("q", "ann", "no"), ("q", "bob", "yes")], scale="nominal"))
    >>> sorted(key), sorted(key.values())
    (['R001', 'R002'], ['ann', 'bob'])
    """
    if not ann.n_raters:
        raise UsageError("raters have no names in this table, so there is nothing to anonymize.")
    found = ann.engine.query("SELECT DISTINCT rater FROM annotations ORDER BY rater")["rater"]
    names = python_values(found)
    key = coded([name for name in names if str(name) not in models], dict(known or {}), seed)
    code_of = {str(who): code for code, who in key.items()} | {name: name for name in models}
    codes = {"who": found, "code": np.array([code_of[str(who)] for who in names], dtype=object)}
    q = ann.engine.quote
    others = "".join(f", {q(c)}" for c in ann.extras)
    engine = ann.engine.derive(
        f"SELECT row, item, code AS rater, label{others} FROM annotations JOIN codes ON rater = who", codes=codes
    )
    first = ann.first_repeat
    if first is not None:
        first = (first[0], code_of[str(first[1])])
    column = ann.columns.get("rater")
    notes, read_as = (tuple(without_names(n, code_of, column) for n in found) for found in (ann.notes, ann.read_as))
    of_file = next((who for who in code_of if f"{ann.source}.".startswith(f"{who}.")), "")
    source = f"{code_of[of_file]}{ann.source.removeprefix(of_file)}" if of_file else ann.source
    hidden = replace(ann, engine=engine, source=source, first_repeat=first, notes=notes, read_as=read_as)
    for column in (c for c in ann.extras if c != kind):
        hidden = merged(hidden, column, least)
    return hidden, key


def coded(names: list[Any], key: dict[str, Any], seed: int | None) -> dict[str, Any]:
    """A code for every name that has none yet, the new ones in an order that says nothing."""
    have = {str(who) for who in key.values()}
    new = [name for name in names if str(name) not in have]
    (random.SystemRandom() if seed is None else random.Random(seed)).shuffle(new)
    width = max(3, len(str(len(key) + len(new))))
    free = (f"R{i:0{width}}" for i in range(1, len(key) + len(names) + 1))
    free = (code for code in free if code not in key)
    return key | dict(zip(free, new, strict=False))


NOT_VALUES = ("column", "columns", "n")
"""Facts of a note about the column of raters that are no values of it."""
LABELS = ("label", "labels")
"""Facts that are labels, which stay as they are."""


def without_names(note: Note, code_of: Mapping[str, str], column: str | None) -> Note:
    """A note with codes for the raters in its facts, and without the values of their column, whatever its words.

    >>> print(without_names(Note("same_rater_in_files", {"rater": "ann"}), {"ann": "R002"}, None))
    every file names the same rater, 'R002', so the file names identify the raters
    >>> print(without_names(Note("column_of_long_numbers", {"column": "who", "number": "123"}), {}, "who"))
    column 'who' holds numbers as long as ..., and was read as text
    """
    about = column is not None and note.facts.get("column") == column
    facts = {
        name: HIDDEN if about and name not in NOT_VALUES else without_name(name, fact, code_of)
        for name, fact in note.facts.items()
    }
    return Note(note.code, facts)


def without_name(name: str, fact: Any, code_of: Mapping[str, str]) -> Any:
    """A fact with codes for raters; what may hold other forms of their names is hidden."""
    if name == "names":
        return HIDDEN
    if isinstance(fact, list | tuple):
        return [without_name(name, one, code_of) for one in fact]
    if name in ("rater", "raters"):
        return code_of.get(str(fact), HIDDEN)
    return code_of.get(fact, fact) if isinstance(fact, str) and name not in LABELS else fact


def merged(ann: Annotations, column: str, least: int) -> Annotations:
    """A column that says something of raters, its values put together where fewer than ``least`` raters share one."""
    q = ann.engine.quote(column)
    several = (
        f"SELECT max(n) AS n FROM (SELECT rater, count(DISTINCT {q}) AS n FROM annotations GROUP BY rater) AS"
        " each_rater"
    )
    if least < 2 or int(ann.engine.query(several)["n"][0] or 0) > 1:
        return ann
    sizes = ann.engine.query(
        f"SELECT CAST({q} AS STRING) AS value, count(DISTINCT rater) AS n FROM annotations WHERE {q} IS NOT NULL GROUP"
        " BY 1 ORDER BY n, 1"
    )
    small = sum(int(n) < least for n in sizes["n"])
    while 0 < small < len(sizes["n"]) and int(sizes["n"][:small].sum()) < least:
        small += 1  # what is put together must not be a few people either
    if not small:
        return ann
    few = {"few": np.array(sizes["value"][:small], dtype=object)}
    name = f"(values of fewer than {least} raters)"
    kept = ", ".join(ann.engine.quote(c) for c in ann.extras if c != column)
    value = f"CASE WHEN few IS NULL THEN CAST({q} AS STRING) ELSE '{name}' END AS {q}"
    engine = ann.engine.derive(
        f"SELECT row, item, rater, label{', ' if kept else ''}{kept}, {value} FROM annotations "
        f"LEFT JOIN scarce ON CAST({q} AS STRING) = few",
        scarce=few,
    )
    note = Note("raters_merged", {"n": small, "column": column, "least": least})
    return replace(ann, engine=engine, notes=(*ann.notes, note))
