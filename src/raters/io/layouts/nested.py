"""Tables whose cells hold the labels of several raters: lists next to raters, labels by rater, or objects with both."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from raters.errors import DataError, brief
from raters.io.labels.numbers import as_numbers, whole_or_text
from raters.io.layouts.wide import Long, identity, long
from raters.io.readings.likeness import equal_within
from raters.io.readings.names import WHO, about, derived, vocabulary
from raters.io.readings.profiles import Profile
from raters.io.sources.rows import from_columns
from raters.io.table import Table, normal, one_of, rank

FIELDS = vocabulary(
    """
    start end begin offset length label labels value text type name id score span from to prompt response
    userprompt
    """
)
"""Keys of an object that describes a single thing, such as a span or an answer; raters do not have these names."""
EACH = re.compile(
    r"(individual|human|annotator|rater|worker|crowd)?(human)?(score|label|annotation|rating|answer|vote|judgment)s"
)
"""The key under which an object holds the labels of all raters."""
Said = tuple[str | None, Any, str | None]
"""Rater (None if unnamed), label, question (None if there is only one)."""


@dataclass(frozen=True)
class Cells:
    """The column that holds the labels of several raters, the column that names them, and whether raters have names."""

    label: str
    rater: str | None = None
    named: bool = True
    questions: tuple[str, ...] = ()
    counted: bool = False
    """Cells say how often each label was given: ``{"no": 3, "yes": 1}``."""
    who: tuple[str, ...] = ()
    """The names in the cells."""
    keys: tuple[str | None, ...] | None = None
    """The keys of the rater (None if no one is named) and of the labels in each object of a list."""
    columns: tuple[str, ...] = ()
    """The columns of labels, where several have a list beside the raters."""
    sep: str | None = None
    """What stands between the labels in a cell; commas, if they are not said."""


def listed_in(cell: str | None) -> list[Any] | None:
    """A cell as a list: JSON, or text with commas; None if it is neither, as an object is not.

    >>> listed_in('["no", "yes"]'), listed_in("Ann1,Ann2"), listed_in("no"), listed_in('{"Ann1": "no", "Ann2": "yes"}')
    (['no', 'yes'], ['Ann1', 'Ann2'], None, None)
    """
    if cell is None:
        return None
    if cell[:1] in "[{":
        found = parsed(cell)
        return found if isinstance(found, list) else None
    return [part.strip() for part in cell.split(",")] if "," in cell else None


def listed(cell: str, sep: str | None) -> list[Any]:
    """A cell as a list, by what stands between its parts; commas, if that is not said."""
    return listed_in(cell) or [cell] if sep is None else [part.strip() for part in cell.split(sep)]


def parsed(cell: str | None) -> Any:
    """A cell that is JSON or a list in Python syntax; None if it is neither."""
    if cell is None or cell[:1] not in "[{":
        return None
    for text in (cell, cell.replace("'", '"').replace("None", "null")):
        try:
            return json.loads(text, parse_int=whole_or_text)
        except (json.JSONDecodeError, RecursionError):
            continue
    return None


def said_in(cell: str | None) -> list[Said] | None:
    """Who gave which label in a cell: ``{"ann": "no"}``, ``{"ann": {"label": "no"}}``,
    ``[{"annotator": "ann", "label": "no"}]``, ``{"tone": {"individual_scores": [...]}}``; None if it holds none of
    these.

    >>> said_in('[{"annotator": "ann", "label": "no"}]'), said_in('{"ann": "no"}')
    ([('ann', 'no', None)], [('ann', 'no', None)])
    """
    found = parsed(cell)
    if isinstance(found, list):
        return _answers(found)
    if not isinstance(found, dict) or not found or any(normal(key) in FIELDS for key in found):
        return None
    if not any(isinstance(v, dict | list) for v in found.values()):
        return [(key, value, None) for key, value in found.items()]
    return _by_name(found) if all(isinstance(v, dict) for v in found.values()) else None


def _by_name(found: dict[str, dict[str, Any]]) -> list[Said] | None:
    """Objects keyed by question, with the labels of all raters, or keyed by rater, with one label."""
    lists = {
        key: [v for name, v in value.items() if EACH.fullmatch(normal(name)) and isinstance(v, list)]
        for key, value in found.items()
    }
    if all(len(v) == 1 for v in lists.values()):
        return [(None, label, key) for key, (each,) in lists.items() for label in each]
    answers = [_answer({"annotator": key, **value}) for key, value in found.items()]
    return [a for a in answers if a is not None] if None not in answers else None


def _answers(found: list[Any]) -> list[Said] | None:
    """A list of objects, each with a rater and a label."""
    answers = [_answer(x) if isinstance(x, dict) else None for x in found]
    return [a for a in answers if a is not None] if found and None not in answers else None


def _answer(found: dict[str, Any]) -> Said | None:
    """Rater and label of one object, by the names of its keys."""
    who = [k for k in found if rank(k, "rater") is not None and not isinstance(found[k], dict | list)]
    what = sorted(
        (k for k in found if rank(k, "label") is not None and k not in who), key=lambda k: rank(k, "label") or 0
    )
    if not who or not what or isinstance(found[what[0]], dict | list):
        return None
    return str(found[who[0]]), found[what[0]], None


def keyed(cell: str | None, keys: tuple[str | None, ...]) -> list[Said] | None:
    """Rater and labels of each object of a list, under these keys."""
    found, (who, *what) = parsed(cell), keys
    if not isinstance(found, list) or not all(isinstance(x, dict) and (who is None or who in x) for x in found):
        return None
    return [
        (None if who is None else str(x[who]), x.get(key), key if len(what) > 1 else None)
        for key in what
        for x in found
    ]


def by_keys(columns: Sequence[Profile], rows: Sequence[dict[str, Any]]) -> list[Cells]:
    """The columns with lists of objects, each with labels of a rater."""
    return [found for p in columns if p.nested and (found := keys_of(p, rows)) is not None]


def keys_of(p: Profile, rows: Sequence[dict[str, Any]]) -> Cells | None:
    """The keys of rater and labels in lists of objects, by what they hold: raters differ within a list and recur in
    others, labels recur within lists. Where no key is called as raters are, labels must agree beyond chance, and where
    none holds raters, lists must be equally long.
    """
    held = under_keys([found for row in rows if isinstance(found := parsed(row[p.column]), list) and found])
    able = list(held)
    people = [k for k in able if held_in(held[k]) == "raters"]
    people = [k for k in people if rank(k, "rater") is not None] or people
    if len(people) > 1:
        return None
    if not people and any(normal(k) in FIELDS or len({*map(len, held[k])}) > 1 for k in able):
        return None
    who = people[0] if people else None
    what = labels_under(held, who)
    return of_keys(p, held, who, what) if what else None


def under_keys(lists: Sequence[list[Any]]) -> dict[str, list[list[str]]]:
    """What lists of objects hold under each key that all objects have."""
    objects_ = [x for found in lists for x in found]
    if len(lists) < 3 or not all(isinstance(x, dict) for x in objects_):
        return {}
    able = [k for k in objects_[0] if all(k in x and not isinstance(x[k], dict | list) for x in objects_)]
    return {k: [[str(x[k]) for x in found] for found in lists] for k in able}


def labels_under(held: Mapping[str, Sequence[list[str]]], who: str | None) -> list[str]:
    """The keys of labels: they recur within lists and are no attributes of the rater; none if nothing shows who rates."""
    what = [k for k in held if k != who and held_in(held[k]) == "labels" and not (about(k) or derived(k))]
    what = [k for k in what if who is None or not follows(held[who], held[k])]
    told = who is not None and rank(who, "rater") is not None
    return what if told or any(agreed(held[k]) for k in what) else []


def of_keys(p: Profile, held: Mapping[str, Sequence[list[str]]], who: str | None, what: Sequence[str]) -> Cells:
    names = tuple(dict.fromkeys(name for cell in held[who] for name in cell)) if who is not None else ()
    questions = tuple(what) if len(what) > 1 else ()
    return Cells(p.name, None, who is not None, questions, who=names, keys=(who, *what))


def follows(first: Sequence[list[str]], second: Sequence[list[str]]) -> bool:
    """Whether what stands in one of two lists is always the same for what stands beside it in the other."""
    both = {pair for a, b in zip(first, second, strict=True) for pair in zip(a, b, strict=True)}
    return len(both) == len({a for a, _ in both})


def agreed(lists: Sequence[list[str]]) -> bool:
    """Whether the labels of a list are the same more often than by chance."""
    number = {v: i for i, v in enumerate(dict.fromkeys(v for found in lists for v in found))}
    items = np.repeat(np.arange(len(lists)), [len(found) for found in lists])
    return equal_within(items, np.array([number[v] for found in lists for v in found]), len(number))[1] > 2


def held_in(lists: Sequence[list[str]]) -> str | None:
    """What the values under a key are, by list: raters, labels, or neither."""
    often = Counter(v for found in lists for v in found)
    if all(len(set(found)) == len(found) for found in lists):
        return "raters" if len(often) > 1 and min(often.values()) > 1 else None
    return "labels" if 1 < len(often) <= 0.3 * often.total() else None


MARKS = (";", "|", ",", "/")


def repeated_in_cells(columns: Sequence[Profile], rows: Sequence[dict[str, Any]]) -> Cells | None:
    """A column of text with few labels between marks, in many cells the same one again, so that it is not a set."""
    found = []
    for p in (p for p in columns if p.number is None and not p.nested):
        full = [cell for row in rows if (cell := row[p.column]) is not None]
        for mark in MARKS if len(full) >= 5 else ():
            cells = [[part.strip() for part in cell.split(mark)] for cell in full]
            if few_and_again(cells):
                several = [c for c in cells if len(c) > 1]
                who = named_beside(p, several, columns, rows, mark) if len(several) == len(cells) else None
                found.append(Cells(p.name, who, named=who is not None, sep=mark))
                break
    return found[0] if len(found) == 1 else None


def few_and_again(cells: Sequence[list[str]]) -> bool:
    """Whether most cells have several labels, of few in all, and many have one of them twice."""
    several = [c for c in cells if len(c) > 1]
    again = [c for c in several if len(set(c)) < len(c)]
    labels = Counter(part for c in cells for part in c)
    few = 1 < len(labels) <= 12 and min(labels.values()) > 1 and "" not in labels
    return few and len(several) > 0.7 * len(cells) and len(again) > 0.3 * len(several)


def named_beside(
    p: Profile, labels: Sequence[list[str]], columns: Sequence[Profile], rows: Sequence[dict[str, Any]], mark: str
) -> str | None:
    """The column whose cells have as many names as the cells beside them have labels, each once in a cell, and again in
    others; None if there is no such column, or several.
    """
    found = []
    for q in columns:
        cells = [
            [part.strip() for part in (row[q.column] or "").split(mark)] for row in rows if row[p.column] is not None
        ]
        names = Counter(part for c in cells for part in c)
        once = all(len(a) == len(b) == len(set(b)) for a, b in zip(labels, cells, strict=True))
        if q is not p and once and min(names.values()) > 1:
            found.append(q.name)
    return found[0] if len(found) == 1 else None


def label_cells(columns: Sequence[Profile], rows: Sequence[dict[str, Any]]) -> Cells | None:
    """The column that holds the labels of several raters; None if there is none. Labels recur; a column of distinct
    values is text.
    """
    made, found = in_objects_or_lists(columns, rows), by_keys(columns, rows)
    if len(found) == 1 and (made is None or (found[0].questions and made.label == found[0].label)):
        return found[0]
    return made or repeated_in_cells(columns, rows)


def in_objects_or_lists(columns: Sequence[Profile], rows: Sequence[dict[str, Any]]) -> Cells | None:
    """The same where names of keys and columns show it."""
    lists = lists_of_labels(columns, rows)
    if lists is not None and lists.rater is not None:
        return lists
    known = [found for p in columns if p.nested and not p.derived and (found := objects(p, rows)) is not None]
    if known:
        return next((found for found in known if label_like(found.label)), known[0] if len(known) == 1 else None)
    return lists


def lists_of_labels(columns: Sequence[Profile], rows: Sequence[dict[str, Any]]) -> Cells | None:
    """Lists of labels next to lists of raters of the same length; or alone, if a list has a label twice and so is not a
    set.
    """
    able = list_columns(columns, rows)
    labels = [p for p in able if label_like(p.name) and rank(p.name, "rater") is None]
    found = beside_raters(able, labels)
    if found is not None:
        return found
    if any(rank(p.name, "rater") is not None for p in columns):
        return None
    several = [p for p in labels if p.nested and any(len(set(map(str, c))) < len(c) for c in able[p] if c)]
    return Cells(several[0].name, None, named=False) if len(several) == 1 else None


def beside_raters(able: Mapping[Profile, list[list[Any] | None]], labels: Sequence[Profile]) -> Cells | None:
    """Lists of labels next to lists of raters."""
    for who in (p for p in able if rank(p.name, "rater") is not None):
        first = next((p for p in labels if of_one_length(able[p], able[who])), None)
        if more := tuple(p.name for p in able if p is first or answered(p, who, able)):
            return Cells(more[0], who.name, questions=more if len(more) > 1 else (), columns=more)
    return None


def answered(p: Profile, who: Profile, able: Mapping[Profile, list[list[Any] | None]]) -> bool:
    """Whether lists hold labels of the raters in the lists beside them, and no attributes of these."""
    if p.derived or p.about or rank(p.name, "rater") is not None or not of_one_length(able[p], able[who]):
        return False
    both = [(a, b) for a, b in zip(able[who], able[p], strict=True) if a is not None and b is not None]
    people, labels = ([list(map(str, found)) for found in some] for some in zip(*both, strict=True))
    return p.nested and held_in(labels) == "labels" and not follows(people, labels)


def list_columns(columns: Sequence[Profile], rows: Sequence[dict[str, Any]]) -> dict[Profile, list[list[Any] | None]]:
    """The columns of which most cells are lists, and what is in them."""
    lists = {p: [listed_in(row[p.column]) for row in rows] for p in columns}
    return {p: cells for p, cells in lists.items() if sum(c is not None for c in cells) > 0.5 * len(rows)}


def label_like(name: str) -> bool:
    """Whether a name means labels, also after another word: human_scores, annotator_labels."""
    return rank(name, "label") is not None or bool(EACH.fullmatch(normal(name)))


def objects(p: Profile, rows: Sequence[dict[str, Any]]) -> Cells | None:
    """A column whose cells are objects that record who gave which label."""
    cells = [said_in(row[p.column]) for row in rows if row[p.column] is not None]
    if not cells or any(cell is None for cell in cells):
        return None
    every = [said for cell in cells for said in cell or ()]
    if not recurring([label for _, label, _ in every]):
        return None
    asked = tuple(dict.fromkeys(q for _, _, q in every if q is not None))
    names = tuple(dict.fromkeys(who for who, _, _ in every if who is not None))
    if not asked and how_often([cell for cell in cells if cell], names):
        return Cells(p.name, None, False, counted=True, who=names)
    return Cells(p.name, None, all(who is not None for who, _, _ in every), asked, who=names)


def recurring(labels: Sequence[Any]) -> bool:
    """Whether labels are single values that occur again and again, as labels do and texts do not."""
    if any(isinstance(label, dict | list) for label in labels):
        return False
    return not len(set(map(str, labels))) > 0.6 * len(labels) > 4


def how_often(cells: Sequence[list[Said]], names: Sequence[str]) -> bool:
    """Whether all numbers of a cell are whole and have the same sum in every cell, as counts of labels do; not if the
    names are people's.
    """
    if any(WHO.fullmatch(normal(name)) and len(name) > 1 for name in names):
        return False
    if len(cells) < 3 or any(type(n) is not int or n < 0 for cell in cells for _, n, _ in cell):
        return False
    sums = {sum(n for _, n, _ in cell) for cell in cells}
    return (
        len(sums) == 1
        and sums.pop() >= 2
        and len({len(cell) for cell in cells} | {n for c in cells for _, n, _ in c}) > 2
    )


def of_one_length(first: Sequence[list[Any] | None], second: Sequence[list[Any] | None]) -> bool:
    """Whether lists in the same row have the same number of entries."""
    both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    return bool(both) and all(len(a) == len(b) for a, b in both)


def spread_out(table: Table, item: str | None, cells: Cells, question: str | None) -> Long:
    """One row for each label in a cell."""
    found = long(rows_of_cells(table, item, cells, question), "item", "rater", "label")
    columns = {"item": item or "row", "rater": cells.rater or cells.label, "label": cells.label}
    return replace(found, columns=columns, raters=cells.named)


def rows_of_cells(table: Table, item: str | None, cells: Cells, question: str | None) -> Table:
    """The same as a table of item, rater, label and the other columns."""
    rater, labels = cells.rater, cells.columns or (cells.label,)
    who = table.column(rater) if rater is not None else "NULL"
    key = identity(table, table.column(item)) if item is not None else "row"
    others = [c for c, name in table.named().items() if name and name not in (*labels, rater, item)]
    casts = "".join(f", CAST({c} AS STRING) AS {c}" for c in (*map(table.column, labels), *others))
    got = table.engine.query(
        f"SELECT row, {key} AS item, CAST({who} AS STRING) AS who{casts} FROM annotations ORDER BY row"
    )
    all_said = said_in_rows(got, {name: table.column(name) for name in labels}, cells, table.source)
    rows = of_one_question(all_said, cells, question, table.source)
    values = [row[2] for row in rows]
    if all(isinstance(v, str) for v in values):  # numbers written as text
        values = as_numbers(values) or values
    items = got["item"].tolist()
    made: dict[str, list[Any]] = {
        "item": [items[row[0]] for row in rows],
        "rater": [row[1] for row in rows],
        "label": values,
    }
    for c in others:
        column, name = got[c].tolist(), table.name(c)
        made[name + "_" * (name in ("item", "rater", "label"))] = [column[row[0]] for row in rows]
    return from_columns(made, table.source)


def said_in_rows(got: Mapping[str, Any], labels: Mapping[str, str], cells: Cells, source: str) -> list[list[Said]]:
    """Who gave which label in each row; where several columns hold labels, each is a question."""
    columns = [(name if len(labels) > 1 else None, got[c].tolist()) for name, c in labels.items()]
    return [
        [
            (person, value, asked or q)
            for asked, found in columns
            for person, value, q in pairs(found[i], people, cells, f"{source}, row {row}")
        ]
        for i, (row, people) in enumerate(zip(got["row"].tolist(), got["who"].tolist(), strict=True))
    ]


def of_one_question(
    said: Sequence[list[Said]], cells: Cells, question: str | None, source: str
) -> list[tuple[int, str | None, Any]]:
    """For each label that answers one question: the number of the cell, the rater and the label."""
    asked = None
    if cells.questions:
        counts = Counter(q for found in said for _, _, q in found if q is not None)
        asked = one_of(counts, question, source, f"in column {cells.label!r}")
    return [(i, who, value) for i, found in enumerate(said) for who, value, q in found if q == asked]


def pairs(label: Any, who: Any, cells: Cells, where: str) -> list[Said]:
    """Rater and label of each label in a cell."""
    text = None if label is None or label != label else str(label)
    if cells.counted:
        return [(None, name, None) for name, n, _ in said_in(text) or () for _ in range(int(n))]
    if cells.keys is not None:
        return keyed(text, cells.keys) or []
    if cells.rater is None:
        return alone(text, cells)
    labels, people = ([] if x is None else listed(x, cells.sep) for x in (text, None if who is None else str(who)))
    if len(labels) != len(people):
        raise DataError(f"{where}: {len(labels)} labels for {len(people)} raters ({brief(text)}).")
    return [(str(a), b, None) for a, b in zip(people, labels, strict=True)]


def alone(text: str | None, cells: Cells) -> list[Said]:
    """The same where no column beside names the raters."""
    if cells.sep is not None:
        return [(None, part.strip(), None) for part in (text or "").split(cells.sep) if part.strip()]
    if cells.named or cells.questions:
        return said_in(text) or []
    return [(None, x, None) for x in listed_in(text) or ()]
