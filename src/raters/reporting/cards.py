"""Items that one can read: what was labelled, what was said of it and by whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from raters.annotations import Annotations
from raters.charts.bars import degree
from raters.engines.duckdb import DuckDBEngine
from raters.errors import UsageError
from raters.items import python_values
from raters.items.folding import Query
from raters.reporting.context import Context
from raters.reporting.document import Card, Cards, Votes
from raters.reporting.findings import model_note, split_note

USUAL = (
    ("text",), ("sentence",), ("tweet",), ("post",), ("comment",), ("prompt", "response"), ("prompt",), ("question", "answer"), ("premise", "hypothesis"),
    ("context", "statement"), ("statement",), ("word 1", "word 2"), ("word1", "word2"), ("original_sentence",), ("content",), ("body",),
    ("question_text",), ("utterance",), ("document",), ("headline",), ("title",), ("image",), ("file",), ("filename",), ("url",),
)  # fmt: skip
"""Names of columns that hold what was labelled, the best first; of a pair both columns are shown."""
PREFIXES = ("data.", "metadata.", "fields.", "meta.", "input.", "row_data.")
"""What labelling tools put before the name of a column that the user gave them."""
MOST_TEXT, MOST_IN_SHEETS = 400, 4000
MOST_WHO = 8
CARDS = 5
MOST_MEMBERS = 8
"""Labels of a card where labels are sets, the most frequent."""
NONE = "(no label)"
OFTEN = 10
"""Uses of a label from which its agreement tells something."""


def text_columns(c: Context) -> tuple[str, ...]:
    """The columns that hold what was labelled: those named, or found by their usual names; none if there are none."""
    return _columns(c.ann, c.text)


def _columns(ann: Annotations, text: tuple[str, ...] | None) -> tuple[str, ...]:
    extras = ann.extras
    if text is not None:
        for name in text:
            if name not in extras:
                there = ", ".join(map(repr, extras)) or "none beside items, raters and labels"
                raise UsageError(f"there is no column {name!r} for the text of items; the table has {there}.")
        return text
    known = {name.lower().strip().rsplit(".", 1)[-1]: name for name in extras if name.lower().startswith(PREFIXES)}
    known |= {name.lower().strip(): name for name in extras}
    return next((tuple(known[n] for n in names) for names in USUAL if all(n in known for n in names)), ())


def label_uses(c: Context) -> dict[str, int]:
    """How often each label was given, in whatever set."""
    got = c.ann.engine.query("SELECT label, count(*) AS n FROM annotations GROUP BY label")
    sets_of = dict(zip(c.ann.keys.tolist(), c.ann.labels, strict=True))
    uses: dict[str, int] = {}
    for key, n in zip(got["label"].tolist(), got["n"].tolist(), strict=True):
        for member in sets_of.get(key, ()):
            uses[str(member)] = uses.get(str(member), 0) + int(n)
    return uses


def hardest_cards(c: Context, items: Sequence[Any]) -> Cards | None:
    """The given items as cards."""
    if not len(items):
        return None
    wanted = _wanted(c.ann, items)
    votes, (columns, texts) = _votes(c, wanted), _texts(c.ann, text_columns(c), wanted)
    made = [Card(str(x), texts.get(str(x), ""), votes.get(str(x), ()), _note(c, x)) for x in items]
    of = f" (column{'s' if len(columns) > 1 else ''} {' and '.join(map(repr, columns))})" if columns else ""
    several = (
        ". A rater may give several labels; each counts once for every rater who gave it" if c.ann.scale.of_sets else ""
    )
    which = "The hardest item" if len(made) == 1 else f"The {len(made)} hardest items"
    if c.ann.n_raters == 2 and not (c.ann.scale.ranks or c.ann.scale.numbers):  # where two differ, all differ as much
        which = "An item on which they differ" if len(made) == 1 else f"{len(made)} items on which they differ"
    return Cards("hardest", f"{which}{of}{several}", tuple(made))


@dataclass(frozen=True)
class _Wanted:
    """Items to be looked up: their names, and how the rows of a table are compared with them."""

    names: dict[str, Any]
    join: str


def _wanted(ann: Annotations, items: Sequence[Any]) -> _Wanted:
    """Items by how they are written; whole numbers by value, which a file is searched for much faster."""
    whole = all(isinstance(x, (int, np.integer)) for x in items)
    if whole and isinstance(ann.engine, DuckDBEngine) and ann.engine.kinds().get("item") == "int":
        return _Wanted({"name": np.array([int(x) for x in items], dtype=np.int64)}, "JOIN hardest ON item = name")
    return _Wanted(
        {"name": np.array([str(x) for x in items], dtype=object)}, "JOIN hardest ON CAST(item AS STRING) = name"
    )


def _votes(c: Context, wanted: _Wanted) -> dict[str, tuple[Votes, ...]]:
    """For each item what was said of it, by how many, and by whom where raters have names."""
    named = c.ann.n_raters > 0
    base = Query(c.ann, group="rater").base if named else Query(c.ann).base
    got = c.ann.engine.query(
        f"SELECT CAST(item AS STRING) AS item, {'grp' if named else 'NULL AS grp'}, label FROM ({base}) AS b "
        f"{wanted.join} ORDER BY 1, 2",
        hardest=wanted.names,
    )
    sets = c.ann.scale.of_sets
    called = {
        key: tuple(map(str, label)) or (NONE,) if sets else (_label(label),)
        for key, label in zip(c.ann.keys.tolist(), c.ann.labels, strict=True)
    }
    ordered = c.ann.scale.ranks
    numbers = c.ann.scale.numbers  # one colour, by value: the picture above shows how far they lie apart
    places = {label: i for i, label in enumerate(map(str, c.ann.members) if sets else map(_label, c.ann.labels))}
    raters = python_values(got["grp"]) if named else [""] * len(got["item"])
    who: dict[str, dict[str, list[str]]] = {}
    for item, rater, label in zip(got["item"], raters, got["label"].tolist(), strict=True):
        for one in called.get(label, (str(label),)):
            who.setdefault(str(item), {}).setdefault(one, []).append(str(rater))
    return {
        item: tuple(
            Votes(
                label,
                len(names),
                _some(names, MOST_WHO // 2 if sets else MOST_WHO) if named else (),
                0 if numbers else places.get(label, 0),
                degree(places.get(label, 0), len(places)) if ordered else None,
            )
            for label, names in sorted(
                each.items(), key=lambda pair: places.get(pair[0], 0) if numbers or ordered else -len(pair[1])
            )[: MOST_MEMBERS if sets else None]
        )
        for item, each in who.items()
    }


def text_names(ann: Annotations) -> tuple[str, ...]:
    """The columns that hold what was labelled, by their usual names."""
    return _columns(ann, None)


def item_texts(ann: Annotations, items: Sequence[Any]) -> dict[str, str]:
    """What was labelled, for each of these items by how it is written; empty if no column has a usual name."""
    return _texts(ann, _columns(ann, None), _wanted(ann, items), MOST_IN_SHEETS)[1] if len(items) else {}


def _texts(
    ann: Annotations, columns: tuple[str, ...], wanted: _Wanted, most: int = MOST_TEXT
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The columns that hold what was labelled, and the text of each item."""
    if not columns:
        return (), {}
    q = ann.engine.quote
    picked = ", ".join(f"min(CAST({q(name)} AS STRING)) AS text{i}" for i, name in enumerate(columns))
    got = ann.engine.query(
        f"SELECT CAST(item AS STRING) AS item, {picked} FROM annotations {wanted.join} GROUP BY 1",
        hardest=wanted.names,
    )
    parts = zip(*(got[f"text{i}"] for i in range(len(columns))), strict=True)
    named = len({name.strip(" _0123456789").lower() for name in columns}) > 1  # two words of a pair need no names
    return columns, {
        str(item): " / ".join(
            _cut(f"{name}: {t}" if named else str(t), most // len(columns))
            for name, t in zip(columns, each, strict=True)
            if t is not None
        )
        for item, each in zip(got["item"], parts, strict=True)
    }


def _label(label: Any) -> str:
    if isinstance(label, float):
        return f"{label:g}"
    return ", ".join(map(str, label)) if isinstance(label, (tuple, frozenset, set)) else str(label)


def _cut(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def _some(names: Sequence[str], most: int) -> tuple[str, ...]:
    if len(names) <= most:
        return tuple(names)
    return (*names[:most], f"{len(names) - most:,} more")


def _note(c: Context, item: Any) -> str:
    return " ".join(x for x in (split_note(c, str(item)), model_note(c, item)) if x)
