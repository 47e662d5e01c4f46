"""The table of a paper with a paragraph for its text, in the words of the field."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from raters import __version__
from raters.annotations import Annotations, counted
from raters.coefficients import DEFAULT, REGISTRY
from raters.estimate import Estimate, shown
from raters.reporting.paper_table import LABELLING, Field, Paper


def with_methods(paper: Paper, anns: Mapping[str, Annotations], words: Field = LABELLING) -> Paper:
    """The table with one paragraph about all its rows: who labelled what, and how agreement was measured."""
    some = list(anns.values())
    items = spread([a.n_items for a in some])
    each = spread([n for a in some for n in (a.used.per_item[0], a.used.per_item[2])])
    who = spread([a.n_raters for a in some])
    on = f" on {counted(len(some), 'question')}" if len(some) > 1 else ""
    kinds = [f"{REGISTRY[name].title} ({REGISTRY[name].paper})" for name in paper.coefficients]
    said = (
        f"{who if who != '0' else 'Unnamed'} raters labelled {items} items{on}; each item has {each}"
        f" label{'' if each == '1' else 's'}{' a question' if on else ''}. Agreement was measured by"
        f" {_and(kinds) or 'the share of pairs of labels that are the same'}."
    )
    labelled = words.said(said).replace("labelled", "coded" if words != LABELLING else "labelled")
    return replace(paper, methods=f"{labelled}{_main(paper, len(some) > 1)} Computed with raters {__version__}.")


def spread(numbers: Sequence[int]) -> str:
    """A number, or the least and the greatest.

    >>> spread([3, 3]), spread([1200, 3])
    ('3', '3 to 1,200')
    """
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _and(parts: Sequence[str]) -> str:
    """
    >>> _and(["a", "b", "c"]), _and(["a"]), _and([])
    ('a, b and c', 'a', '')
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def main_figures(paper: Paper) -> list[tuple[str, Estimate]]:
    """Alpha of each row, or the first coefficient where alpha was not asked for."""
    name = DEFAULT if DEFAULT in paper.coefficients else next(iter(paper.coefficients), "")
    return [(r.name, e) for r in paper.rows for e in r.figures if e.coefficient == name]


def _main(paper: Paper, several: bool) -> str:
    """The main figure, or the least and the greatest of several questions."""
    found = main_figures(paper)
    known = [(name, e) for name, e in (found if several else found[:1]) if math.isfinite(e.value)]
    if not known:
        return ""
    (first, low), (last, high) = (pick(known, key=lambda x: x[1].value) for pick in (min, max))
    if low is high:
        limits = (
            f" ({low.level:.0%} interval {shown(low.low, 2)} to {shown(low.high, 2)})" if math.isfinite(low.low) else ""
        )
        return f" {low.title} was {shown(low.value, 2)}{limits}."
    return f" {low.title} was between {shown(low.value, 2)} ({first}) and {shown(high.value, 2)} ({last})."
