"""Why raters differ on spans: the largest kind of difference, the label and the pair that carry most of it, and cases
in context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.spans.kinds import KINDS, WORDS, Kinds, kinds
from raters.spans.units import Spans, label_name

Array = NDArray[Any]
AROUND = 16
"""Characters of the text on both sides of an example."""


@dataclass(frozen=True)
class Case:
    """One difference in its place."""

    document: str
    kind: str
    raters: tuple[str, str]
    labels: tuple[str | None, str | None]
    """None for the rater who marked nothing here."""
    places: tuple[tuple[int, int] | None, tuple[int, int] | None]
    before: str
    words: str
    after: str

    def __str__(self) -> str:
        def said(rater: str, label: str | None, place: tuple[int, int] | None) -> str:
            return f"{rater}: {label} {place[0]}-{place[1]}" if place is not None else f"{rater}: nothing"

        both = "; ".join(map(said, self.raters, self.labels, self.places))
        shown = f' "{self.before}[{self.words}]{self.after}"' if self.words else ""
        return f"In {self.document}:{shown} {both}"


@dataclass(frozen=True)
class Why:
    """What the differences are."""

    counts: dict[str, int]
    largest: str | None
    label: str
    label_share: float
    pair: str
    pair_share: float
    cases: tuple[Case, ...]
    found: Kinds

    def sentences(self) -> list[str]:
        """The counts, and what carries most."""
        named = [f"{n:,} {WORDS[k]}" for k, n in self.counts.items() if n or k == "exact"]
        made = [f"Units of each pair of raters: {'; '.join(named)}."]
        if self.largest is not None:
            carried = f"{self.label} has {self.label_share:.0%} of these"
            pair = f", {self.pair} {self.pair_share:.0%}" if self.pair else ""
            made.append(f'Most differences are of the kind "{WORDS[self.largest]}": {carried}{pair}.')
        return made

    def to_dict(self) -> dict[str, Any]:
        return {
            "kinds": self.counts,
            "largest": self.largest,
            "label": self.label,
            "label_share": self.label_share,
            "pair": self.pair,
            "pair_share": self.pair_share,
            "cases": [{**vars(c), "text": str(c)} for c in self.cases],
        }


def why(found: Spans, examples: int = 3) -> Why:
    """The kinds of all pairs of raters, and what carries most of the largest."""
    made = kinds(found)
    counts = made.counts()
    largest = max(KINDS[1:], key=lambda k: counts[k])
    if not counts[largest]:
        return Why(counts, None, "", 0.0, "", 0.0, (), made)
    mine = np.flatnonzero(made.kind == KINDS.index(largest))
    label, share = _most(_labels_of(found, made, mine))
    pairs = made.pairing.raters[made.pairing.pair[made.row[mine]]]
    several = made.pairing.n_pairs > 1
    pair, pair_share = _most([f"{found.raters[a]} and {found.raters[b]}" for a, b in pairs.tolist()])
    return Why(
        counts,
        largest,
        label,
        share,
        pair if several else "",
        pair_share,
        examples_of(found, made, mine, examples),
        made,
    )


def _labels_of(found: Spans, made: Kinds, cases: Array) -> list[str]:
    """The label of each case, or the two that it confuses."""
    names = [label_name(x) for x in found.labels]
    one = found.label[made.one[cases]].tolist()
    other = np.where(made.other[cases] >= 0, found.label[made.other[cases]], found.label[made.one[cases]]).tolist()
    return [names[a] if a == b else " v. ".join(sorted((names[a], names[b]))) for a, b in zip(one, other, strict=True)]


def _most(values: list[str]) -> tuple[str, float]:
    """The most frequent value and its share; of equals the first by name."""
    known, counts = np.unique(values, return_counts=True)
    return str(known[counts.argmax()]), float(counts.max() / counts.sum())


def examples_of(found: Spans, made: Kinds, cases: Array, most: int) -> tuple[Case, ...]:
    """Cases of different documents, those with most cases first."""
    document = made.pairing.document[made.row[cases]]
    _, first, counts = np.unique(document, return_index=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:most]
    return tuple(case(found, made, int(cases[first[i]])) for i in order.tolist())


def case(found: Spans, made: Kinds, at: int) -> Case:
    """A case with the text around it."""
    row, one, other = int(made.row[at]), int(made.one[at]), int(made.other[at])
    views = int(made.pairing.one[row]), int(made.pairing.other[row])
    units = {int(found.view[u]): u for u in (one, other) if u >= 0}
    mine = [units.get(v) if v in units else _overlapping(found, v, one) for v in views]
    places = [None if u is None else (int(found.start[u]), int(found.end[u])) for u in mine]
    labels = [None if u is None else label_name(found.labels[int(found.label[u])]) for u in mine]
    document = int(made.pairing.document[row])
    text = found.texts[document] or ""
    low = min(p[0] for p in places if p)
    high = max(p[1] for p in places if p)
    raters = [found.raters[int(found.view_rater[v])] for v in views]
    return Case(
        found.documents[document],
        KINDS[int(made.kind[at])],
        (raters[0], raters[1]),
        (labels[0], labels[1]),
        (places[0], places[1]),
        _line(text[max(0, low - AROUND) : low]),
        _line(text[low : min(high, low + 3 * AROUND)]),
        _line(text[high : high + AROUND]),
    )


def _overlapping(found: Spans, view: int, unit: int) -> int | None:
    """A unit of this view that overlaps a unit of another, which it is not matched with."""
    here = np.flatnonzero((found.view == view) & (found.start < found.end[unit]) & (found.end > found.start[unit]))
    return int(here[0]) if len(here) else None


def _line(text: str) -> str:
    return " ".join(text.split()) if text.strip() else ""
