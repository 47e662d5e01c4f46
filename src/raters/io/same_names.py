"""Names of raters and items that differ only by surrounding spaces or letter case; they are kept apart and reported."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from raters.annotations import Engine
from raters.errors import listed
from raters.io.same_labels import bare

MOST_SHOWN = 3
MOST_ROWS = 1_000_000
"""Largest number of annotations for which item names are checked: beyond that, the scan would cost more than the warning is worth."""
SPACES = "chr(32) || chr(9) || chr(10) || chr(13) || chr(160)"
BARE = f"lower(trim(CAST(item AS STRING), {SPACES}))"
"""SQL for a name without surrounding spaces, in lower case: of two names that differ only by these, one is not written so."""
UNUSUAL = "item <> lower(item) OR item < '!' OR starts_with(item, chr(160)) OR right(item, 1) IN (' ', chr(9), chr(10), chr(13), chr(160))"
"""DuckDB's SQL for whether a name is written otherwise (or begins with another sign below '!'), in a third of the time."""
NAMES = f"""
SELECT DISTINCT CAST(item AS STRING) AS name FROM (SELECT item, count(*) OVER (PARTITION BY {BARE}) AS n
FROM (SELECT DISTINCT item FROM annotations) AS names) AS counted WHERE n > 1 ORDER BY name LIMIT 1000
"""


def names_apart(engine: Engine, raters: Any, unusual: bool, n: int) -> tuple[str, ...]:
    """Notes about raters, and about items of tables that are not huge, whose names differ only by spaces or letter case.

    ``unusual``: whether some item is written otherwise than :data:`BARE`, without which no two can differ so.
    """
    found = [said("rater", raters)] if raters is not None else []
    if unusual and n <= MOST_ROWS:
        found.append(said("item", engine.query(NAMES)["name"]))
    return tuple(note for note in found if note)


def said(what: str, names: Iterable[Any]) -> str:
    """The note, or nothing.

    >>> said("rater", ["Ann", "bob", "ann "])
    "raters 'Ann', 'ann ' differ only by spaces or letter case and are read as different raters; write them alike if they are the same"
    >>> said("rater", ["Ann", "bob"])
    ''
    """
    groups: dict[str, list[str]] = {}
    for name in names.tolist() if isinstance(names, np.ndarray) else names:
        if isinstance(name, str):
            groups.setdefault(bare(name).casefold(), []).append(name)
    several = sorted(sorted(group) for group in groups.values() if len(group) > 1)
    if not several:
        return ""
    shown = "; ".join(listed(group) for group in several[:MOST_SHOWN])
    more = f" and {len(several) - MOST_SHOWN:,} more" if len(several) > MOST_SHOWN else ""
    return f"{what}s {shown}{more} differ only by spaces or letter case and are read as different {what}s; write them alike if they are the same"
