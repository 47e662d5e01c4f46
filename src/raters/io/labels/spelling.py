"""Labels that differ only in surrounding spaces or Unicode form are merged; labels that differ in case are kept
apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from raters.annotations import Engine
from raters.engines import Source
from raters.io.labels.numbers import parsed
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


def as_seen(text: str) -> str:
    """Text as a reader sees it: every space is one space, nothing of no width, composed letters.

    >>> as_seen("no" + chr(0xA0) + "one" + chr(0x200D)), as_seen("cafe" + chr(0x301)) == "caf" + chr(0xE9)
    ('no one', True)
    """
    if text.isascii():
        return text
    shown = "".join(" " if c.isspace() else c for c in text if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFC", shown)


def apart_by_spelling(labels: Iterable[Any]) -> list[Note]:
    """Notes about labels that differ only in capital letters, in what cannot be seen, as spellings of one number, or as
    a code with and without its words; they are kept apart.
    """
    texts = [str(label) for label in labels]
    numbers = [(text, number) for text in texts if (number := parsed(text)) is not None]
    found = {
        "case": grouped((text, text.casefold()) for text in texts),
        "unseen": grouped((text, as_seen(text)) for text in texts),
        "number": grouped(numbers),
        "code": with_their_code(texts),
    }
    return [Note(f"labels_by_{how}", {"labels": groups}) for how, groups in found.items() if groups]


CODED = re.compile(r"(\w{1,12})(?:\s*[=:)]|\.\s|\s+[-\u2013\u2014]\s|(?<=\d)\s)\s*[^\W\d_]")
"""A code before its words: ``1 = negative``, ``A) cats``, ``2 - maybe``, ``3 dogs``."""


def with_their_code(texts: Sequence[str]) -> list[list[str]]:
    """Codes that are labels themselves, each with the labels that begin with it and say it in words.

    >>> with_their_code(["1", "1 = negative", "2 = positive", "2.5", "no"])
    [['1', '1 = negative']]
    """
    coded = [(text, code[1]) for text in texts if (code := CODED.match(text))]
    there = {code for _, code in coded} & set(texts)
    return grouped([(code, code) for code in sorted(there)] + [(text, code) for text, code in coded if code in there])


def grouped(keyed: Iterable[tuple[str, Any]]) -> list[list[str]]:
    """Texts of the same key, where there are several."""
    groups: dict[Any, list[str]] = {}
    for text, key in keyed:
        groups.setdefault(key, []).append(text)
    return [group for group in groups.values() if len(group) > 1]


MOST_ROWS = 1_000_000
"""Largest number of annotations for which item names are checked: beyond that, the scan would cost more than the
warning is worth.
"""
SPACES = "chr(32) || chr(9) || chr(10) || chr(13) || chr(160)"
NO_WIDTH, WIDE = r"[\x{AD}\x{200B}-\x{200F}\x{2060}\x{FEFF}]", r"[\x{A0}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}]"
SEEN = f"regexp_replace(regexp_replace(nfc_normalize(CAST(item AS STRING)), '{NO_WIDTH}', '', 'g'), '{WIDE}', ' ', 'g')"
BARE = f"lower(trim({SEEN}, {SPACES}))"
"""SQL for a name without surrounding spaces, in lower case: of two names that differ only by these, one is not written
so.
"""
UNUSUAL = (
    "item <> lower(item) OR item < '!' OR starts_with(item, chr(160)) OR right(item, 1) IN (' ', chr(9), chr(10),"
    f" chr(13), chr(160)) OR (strlen(item) <> length(item) AND (item <> nfc_normalize(item) OR"
    f" regexp_matches(item, '{NO_WIDTH}') OR regexp_matches(item, '{WIDE}')))"
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
    found = {"raters": [] if raters is None else raters}
    if unusual and n <= MOST_ROWS:
        found["items"] = engine.query(NAMES)["name"]
    return tuple(
        Note(f"{what}_by_{how}", {what: groups})
        for what, names in found.items()
        for how, key in (("case", in_lower_case), ("unseen", unmarked))
        if (groups := alike_but(names, key))
        if how == "case" or (groups := [group for group in groups if len(set(map(in_lower_case, group))) > 1])
    )


def in_lower_case(name: str) -> str:
    """A name without what a note of spaces and letter case is about."""
    return name.strip().casefold()


def unmarked(name: str) -> str:
    """A name as it is seen."""
    return as_seen(bare(name))


def alike_but(names: Iterable[Any], key: Callable[[str], str] = in_lower_case) -> list[list[str]]:
    """Names that differ only by spaces or letter case, or by another key, by group.

    >>> alike_but(["Ann", "bob", "ann "])
    [['Ann', 'ann ']]
    """
    given = names.tolist() if isinstance(names, np.ndarray) else names
    return sorted(map(sorted, grouped((name, key(name)) for name in given if isinstance(name, str))))
