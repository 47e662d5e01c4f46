"""The tables that k-rater reliability is computed for: the whole table, its slices, or a few ratings of each item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.estimate import Estimate
from raters.items.subsets import parts_by, thinned

Others = tuple[Annotations, ...] | None


def slices(ann: Annotations, against: Others, by: str | None) -> Iterator[tuple[Any, Annotations, Others]]:
    """Each slice with its replications; a replication without the column is compared on the shared items."""
    if by is None:
        yield None, ann, against
        return
    if by in ("rater", "label") or by in ann.columns:
        raise UsageError(f"by={by!r} would leave one {by} in each slice; pass a column about items, such as a topic.")
    own = parts_by(ann, by)
    others = [parts_by(other, by) if by in other.extras else None for other in against or ()]
    for value, part in own.items():
        there = [o if p is None else p.get(value) for o, p in zip(against or (), others, strict=True)]
        yield value, part, tuple(o for o in there if o is not None) or None


def few_ratings(ann: Annotations, ratings: Any, method: str | None, seed: int) -> tuple[Annotations, str]:
    """A table with ``ratings`` random ratings of each item, and the note about it."""
    if method not in (None, "spearman_brown"):
        raise UsageError(
            f"ratings= applies to method='spearman_brown', which predicts any k from a few ratings; {method!r} uses all ratings."
        )
    if isinstance(ratings, bool) or not (isinstance(ratings, int) and ratings >= 2):
        raise UsageError(f"ratings={ratings!r}: at least two ratings per item are needed to measure agreement.")
    part, fewer = thinned(ann, ratings, seed)
    short = f", {fewer:,} of which have fewer" if fewer else ""
    return part, f"from {ratings} ratings of each item{short}, drawn at random: another seed= gives others"


def told(e: Estimate, ratings: Any, said: str) -> Estimate:
    """An estimate from a few ratings, with a note that says so."""
    if not said:
        return e
    title = e.title.replace("(Spearman-Brown)", f"(Spearman-Brown from {ratings} random ratings of each item)")
    return replace(e, title=title, warnings=(said, *e.warnings), details={**e.details, "ratings": ratings})
