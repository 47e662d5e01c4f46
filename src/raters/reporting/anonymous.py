"""Raters are people: codes for their names, by one rule for everything that is written, and no slice of a few of
them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.items import python_values

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
    notes = tuple(with_codes(note, code_of) for note in without_names(ann))
    hidden = replace(
        ann, engine=engine, first_repeat=first, notes=notes, recognised=with_codes(ann.recognised, code_of)
    )
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


def without_names(ann: Annotations) -> tuple[str, ...]:
    """What was noticed, without the examples that name a rater."""
    column = ann.columns.get("rater", "")
    about = (f"column {column!r} mixes", f"column {column!r} holds")
    return tuple(f"{note.split('(such as')[0].strip()} ..." if note.startswith(about) else note for note in ann.notes)


def with_codes(text: str, code_of: Mapping[str, str]) -> str:
    """What was said about reading, with codes for the names in it and without the command that lists them.

    >>> with_codes("one column per rater: 'ann', 'bob'; to change it: --rater ann,bob,...", {"ann": "R002", "bob": "R001"})
    "one column per rater: 'R002', 'R001'; to change it: --rater ..."
    """
    text = re.sub(r"--rater ('[^']*'|\S)+", "--rater ...", text)
    return re.sub("'((?:[^'\\\\]|\\\\.)*)'", lambda m: repr(code_of.get(m.group(1), m.group(1))), text)


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
    note = f"{small} values of column {column!r} that fewer than {least} raters share were merged"
    return replace(ann, engine=engine, notes=(*ann.notes, note))
