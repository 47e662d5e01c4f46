"""Labels that differ only in surrounding spaces or Unicode form are merged; labels that differ in case are kept
apart.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from raters.annotations import Engine
from raters.engines import Source
from raters.io.layouts.wide import Long
from raters.io.sources.rows import written
from raters.notes.note import Note

UNSEEN = " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000\u200b\u2060\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""Every space that Python strips, and zero-width spaces, which are invisible at the end of a label."""


def same_label(value: Any) -> Any:
    """A label as it is kept: text without surrounding spaces, in Unicode's composed form (NFC); the rest as it is.

    >>> same_label(" yes "), same_label("cafe" + chr(0x301)) == "caf" + chr(0xE9), same_label(2)
    ('yes', True, 2)
    """
    return unicodedata.normalize("NFC", bare(value)) if isinstance(value, str) else value


def bare(text: str) -> str:
    """Text without spaces around it, those of no width and byte order marks included.

    >>> bare(" yes" + chr(0x200B)), bare(chr(0xFEFF) + "no ")
    ('yes', 'no')
    """
    return text.strip(UNSEEN)


def odd(label: str) -> bool:
    """Whether a label has letters beyond ASCII, or a space at either end. All other labels need no change."""
    return not label.isascii() or label[:1] <= " " or label[-1:] <= " "


def written_alike(
    long: Long, seen: Mapping[str, int], declared: Sequence[Any] | None
) -> tuple[dict[str, str], list[Note], bool]:
    """The changes that :func:`same_label` makes to the labels (with their counts), the notes about them, and whether 0
    and 1 stand for booleans.
    """
    changed = {given: same_label(given) for given in sorted(filter(odd, seen)) if same_label(given) != given}
    spaced = [given for given, own in changed.items() if own and bare(given) != given]
    formed = [given for given, own in changed.items() if own and own != bare(given)]
    said: list[Note] = []
    if spaced:
        n = sum(seen[given] for given in spaced)
        said.append(Note("spaces_removed", {"n": n, "label": spaced[0]}))
    if formed:
        n = sum(seen[given] for given in formed)
        said.append(Note("forms_of_unicode", {"n": n, "label": formed[0]}))
    meant = declared_truth(long, declared)
    return changed | meant, said, bool(meant)


def relabelled(engine: Source, changed: Mapping[str, str], others: str) -> Source:
    """The same rows with these labels replaced; ``others``: more columns, as SQL."""
    if not changed:
        return engine
    same = {"given": np.array(list(changed), object), "own": np.array(list(changed.values()), object)}
    sql = (
        f"SELECT row, item, rater, coalesce(own, label) AS label{others} FROM annotations LEFT JOIN same ON label ="
        " given"
    )
    return engine.derive(sql, same=same)


def declared_truth(long: Long, declared: Sequence[Any] | None) -> dict[str, str]:
    """If a column contains both true and false and 1 and 0, the declared labels decide which is meant."""
    if long.mixed is None or not declared or {written(v) for v in declared} - {"0", "1", "True", "False"}:
        return {}
    truth = {"False": "0", "True": "1"}
    if all(isinstance(v, bool | np.bool_) for v in declared):
        return {number: name for name, number in truth.items()}
    return {} if any(isinstance(v, bool | np.bool_) for v in declared) else truth


def apart_by_case(labels: Iterable[Any]) -> list[Note]:
    """A note about labels that differ only in capital letters; they are kept apart."""
    groups: dict[str, list[str]] = {}
    for label in labels:
        groups.setdefault(str(label).casefold(), []).append(str(label))
    several = [group for group in groups.values() if len(group) > 1]
    return [Note("labels_by_case", {"labels": several})] if several else []


MOST_ROWS = 1_000_000
"""Largest number of annotations for which item names are checked: beyond that, the scan would cost more than the
warning is worth.
"""
SPACES = "chr(32) || chr(9) || chr(10) || chr(13) || chr(160)"
BARE = f"lower(trim(CAST(item AS STRING), {SPACES}))"
"""SQL for a name without surrounding spaces, in lower case: of two names that differ only by these, one is not written
so.
"""
UNUSUAL = (
    "item <> lower(item) OR item < '!' OR starts_with(item, chr(160)) OR right(item, 1) IN (' ', chr(9), chr(10),"
    " chr(13), chr(160))"
)
"""DuckDB's SQL for whether a name is written otherwise (or begins with another sign below '!'), in a third of the
time.
"""
NAMES = f"""
SELECT DISTINCT CAST(item AS STRING) AS name FROM (SELECT item, count(*) OVER (PARTITION BY {BARE}) AS n
FROM (SELECT DISTINCT item FROM annotations) AS names) AS counted WHERE n > 1 ORDER BY name LIMIT 1000
"""


def names_apart(engine: Engine, raters: Any, unusual: bool, n: int) -> tuple[Note, ...]:
    """Notes about raters, and about items of tables that are not huge, whose names differ only by spaces or letter
    case.

    ``unusual``: whether some item is written otherwise than :data:`BARE`, without which no two can differ so.
    """
    found = {"raters": [] if raters is None else alike_but(raters)}
    if unusual and n <= MOST_ROWS:
        found["items"] = alike_but(engine.query(NAMES)["name"])
    return tuple(Note(f"{what}_by_case", {what: groups}) for what, groups in found.items() if groups)


def alike_but(names: Iterable[Any]) -> list[list[str]]:
    """Names that differ only by spaces or letter case, by group.

    >>> alike_but(["Ann", "bob", "ann "])
    [['Ann', 'ann ']]
    """
    groups: dict[str, list[str]] = {}
    for name in names.tolist() if isinstance(names, np.ndarray) else names:
        if isinstance(name, str):
            groups.setdefault(bare(name).casefold(), []).append(name)
    return sorted(sorted(group) for group in groups.values() if len(group) > 1)
