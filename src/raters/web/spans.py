"""The view of spans: the text with every rater's marks, and the places where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from raters.annotations import counted
from raters.reporting.of_spans import HOW_MARKED, SpanReport, color, marked_text
from raters.reporting.table_answer import sentence
from raters.spans.asking import per_pair, per_rater
from raters.spans.kinds import KINDS, WORDS
from raters.spans.units import Spans, label_name
from raters.web.state import State

Array = NDArray[Any]
WHOLE = 16_000
"""Characters of a document that are shown; of a longer one, the places where raters differ with what is around them."""
PLACES, WORDS_LONG = 40, 160
"""Places of a document that are listed, and the characters of a span."""
SAME = {"exact": "exact", "overlap": "overlap", "u": "by letter"}
"""When two spans count as the same: the measures that one may choose."""
MOST_PAIRS = 45


@dataclass(frozen=True)
class Place:
    """A stretch of a document on which raters differ: who marked what."""

    kinds: tuple[str, ...]
    said: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """The raters who agree here, and their spans with labels; none where they marked nothing."""


def part(found: Spans, state: State) -> Spans:
    """Without the raters and labels that were switched off."""
    if state.without:
        kept = [i for i, name in enumerate(found.raters) if name not in state.without]
        found = found.of_raters(kept)
    if state.hidden:
        off = [i for i, x in enumerate(found.labels) if label_name(x) in state.hidden]
        found = found.keeping(~np.isin(found.label, off))
    return found


def spans_view(whole: Spans, made: SpanReport, state: State) -> dict[str, Any]:
    """What the template shows."""
    found, kinds = made.found, made.why.found
    by_name = {e.name: e for e in made.table}
    lead = by_name.get(state.same, made.table[0])
    differs = kinds.kind != 0 if state.kind not in KINDS[1:] else kinds.kind == KINDS.index(state.kind)
    each = np.bincount(kinds.pairing.document[kinds.row[differs]], minlength=found.n_documents)
    d = found.documents.index(state.doc) if state.doc in found.documents else int(each.argmax())
    here = np.flatnonzero(differs & (kinds.pairing.document[kinds.row] == d))
    units = np.concatenate([kinds.one[here], kinds.other[here]])
    named = [(int(u), WORDS[KINDS[int(kinds.kind[c])]]) for c in here for u in (kinds.one[c], kinds.other[c]) if u >= 0]
    listed = places(found, d, units[units >= 0], named)
    common = len(folder(found.documents))
    with_text = found.texts[d] is not None
    several = found.n_raters * (found.n_raters - 1) // 2
    return {
        "answer": sentence(lead),
        "lead": lead,
        "same": [(name, SAME[name], e) for name, e in by_name.items() if name in SAME],
        "table": made.table,
        "raters": whole.raters,
        "labels": [(label_name(x), color(i)) for i, x in enumerate(whole.labels)],
        "about": " · ".join(
            (
                found.source,
                counted(found.n_documents, "document"),
                counted(len(np.unique(found.view_rater)), "rater"),
                counted(found.n_units, "span"),
            )
        ),
        "kinds": [(k, WORDS[k], made.why.counts[k]) for k in KINDS[1:]],
        "most": max(1, *(made.why.counts[k] for k in KINDS[1:])),
        "documents": [(name, name[common:], int(n)) for name, n in zip(found.documents, each, strict=True)],
        "d": d,
        "marked": Markup(marked_text(found, d, WHOLE)) if with_text else "",
        "how": HOW_MARKED,
        "places": listed[:PLACES],
        "n_places": len(listed),
        "pairs": per_pair(found, "exact") if 1 < several <= MOST_PAIRS else (),
        "each": per_rater(found, "exact") if 2 < found.n_raters <= MOST_PAIRS else (),
    }


def folder(names: Sequence[str]) -> str:
    """The folder that all names are in, which need not be shown.

    >>> folder(["a/b/one.txt", "a/b/only.txt"]), folder(["one", "two"])
    ('a/b/', '')
    """
    low, high = min(names), max(names)
    same = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    return low[: low.rfind("/", 0, same) + 1]


def places(found: Spans, d: int, units: Sequence[Any] | Array, named: Sequence[tuple[int, str]]) -> list[Place]:
    """The stretches that units in which raters differ cover, with what each rater marked there."""
    kinds_of: dict[int, set[str]] = {}
    for u, kind in named:
        kinds_of.setdefault(u, set()).add(kind)
    all_ = np.flatnonzero(found.document == d)
    views = np.flatnonzero(found.view_document == d)
    made = []
    for low, high in stretches(sorted((int(found.start[u]), int(found.end[u])) for u in set(map(int, units)))):
        inside = all_[(found.start[all_] < high) & (found.end[all_] > low)]
        said: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for v in views.tolist():
            own = tuple(words(found, d, int(u)) for u in inside if found.view[u] == v)
            said.setdefault(own, []).append(found.raters[int(found.view_rater[v])])
        kinds = sorted({k for u in inside.tolist() for k in kinds_of.get(u, ())})
        made.append(Place(tuple(kinds), tuple((", ".join(who), own) for own, who in said.items())))
    return made


def stretches(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Places in order, those that overlap as one.

    >>> stretches([(0, 4), (2, 6), (6, 8)])
    [(0, 6), (6, 8)]
    """
    made: list[tuple[int, int]] = []
    for low, high in places:
        if made and low < made[-1][1]:
            made[-1] = made[-1][0], max(high, made[-1][1])
        else:
            made.append((low, high))
    return made


def words(found: Spans, d: int, u: int) -> tuple[str, str]:
    """The text of a unit and its label; its place where the text is unknown."""
    low, high = int(found.start[u]), int(found.end[u])
    text = found.texts[d]
    said = " ".join(text[low:high].split()) if text is not None else f"{low} to {high}"
    return said if len(said) <= WORDS_LONG else f"{said[:WORDS_LONG]}…", label_name(found.labels[int(found.label[u])])
