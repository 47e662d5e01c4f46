"""The distinct labels of a text column and how often each occurs, with and without an item and a rater, from one scan of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Columns
from raters.engines import DuckDBEngine, Source
from raters.io.layouts import Long


@dataclass(frozen=True, eq=False)
class Tally:
    """A small table that replaces the rows in every query about labels alone: row (the first), item, rater, label, n."""

    engine: Source
    labels: NDArray[Any]
    n: NDArray[Any]

    @cached_property
    def seen(self) -> dict[str, int]:
        """How often each label occurs."""
        found: dict[str, int] = {}
        for label, n in zip(self.labels.tolist(), self.n.tolist(), strict=True):
            if label is not None:
                found[label] = found.get(label, 0) + int(n)
        return found


def tallied(long: Long) -> Tally:
    """Scan the rows once. For text files, each label comes with its first row, for messages."""
    got = _by_label(long)
    columns = {
        "label": got["label"].astype(object),
        "no_item": got["no_item"],
        "no_rater": got["no_rater"],
        "n": got["n"],
        "first_row": got["first_row"],
    }
    small = DuckDBEngine.from_columns(columns).derive(
        "SELECT first_row AS row, CASE WHEN NOT no_item THEN 'x' END AS item, CASE WHEN NOT no_rater THEN 'x' END AS rater, "
        "CAST(label AS STRING) AS label, n FROM annotations"
    )
    return Tally(small, got["label"], got["n"])


def nothing_blank(long: Long) -> bool:
    """Whether it is certain, from the smallest values of blocks of rows in our own database, that every row has an item and a rater.

    Elsewhere, this would be one more scan, or rest on what a file states about itself.
    """
    if long.kind != "parse" or long.blank is None or long.plain is None:
        return False
    return not len(long.plain.query(f"SELECT 1 AS found FROM annotations WHERE {long.blank} LIMIT 1")["found"])


def _by_label(long: Long) -> Columns:
    """Rows by label, and by whether item and rater are missing, which takes twice as long and is asked only if some are."""
    first = "min(row)" if long.kind == "parse" else "0"
    if long.plain is not None and nothing_blank(long):
        got = long.plain.query(f"SELECT label, count(*) AS n, {first} AS first_row FROM annotations GROUP BY label")
        return got | dict.fromkeys(("no_item", "no_rater"), np.zeros(len(got["n"]), dtype=bool))
    got = long.engine.query(
        f"SELECT label, count(*) AS n, count(item) AS items, count(rater) AS raters, {first} AS first_row "
        "FROM annotations GROUP BY label"
    )
    none = {f"no_{what}": got[f"{what}s"] == 0 for what in ("item", "rater")}
    if all((absent | (got[f"{name[3:]}s"] == got["n"])).all() for name, absent in none.items()):
        return got | none
    return long.engine.query(
        f"SELECT label, no_item, no_rater, count(*) AS n, {first} AS first_row FROM "
        "(SELECT label, item IS NULL AS no_item, rater IS NULL AS no_rater, row FROM annotations) AS looked GROUP BY 1, 2, 3"
    )
