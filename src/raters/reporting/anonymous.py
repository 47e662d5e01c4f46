"""Codes for raters' names, in a report that is to be mailed; the key goes into a file of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.items import python_values


def anonymous(ann: Annotations, seed: int = 0) -> tuple[Annotations, dict[str, Any]]:
    """The same table with raters called R001, R002, ... in an order that says nothing; and which code is whom.

    >>> from raters.io import read
    >>> hidden, key = anonymous(read([("q", "ann", "no"), ("q", "bob", "yes")], scale="nominal"))
    >>> sorted(key), sorted(key.values())
    (['R001', 'R002'], ['ann', 'bob'])
    """
    if not ann.n_raters:
        raise UsageError("raters have no names in this table, so there is nothing to hide.")
    q = ann.engine.quote
    width = max(3, len(str(ann.n_raters)))
    code = f"md5(concat(CAST(rater AS VARCHAR(1000)), '{int(seed)}'))"
    number = f"CAST(dense_rank() OVER (ORDER BY {code}, rater) AS VARCHAR(20))"
    name = f"concat('R', lpad({number}, {width}, '0'))"
    others = "".join(f", {q(c)}" for c in ann.extras)
    got = ann.engine.query(f"SELECT DISTINCT rater AS name, {name} AS code FROM annotations ORDER BY code")
    key = dict(zip(map(str, got["code"].tolist()), python_values(got["name"]), strict=True))
    engine = ann.engine.derive(f"SELECT row, item, {name} AS rater, label{others} FROM annotations")
    first = ann.first_repeat
    if first is not None:
        first = (first[0], next(c for c, who in key.items() if who == first[1]))
    return replace(ann, engine=engine, first_repeat=first), key
