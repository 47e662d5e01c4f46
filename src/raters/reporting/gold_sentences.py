"""How often labels are right by the gold labels in a column of the table, in sentences."""

from __future__ import annotations

from raters.estimate import Estimate
from raters.reporting.context import SETTLED, Context


def settled_and_right(c: Context) -> str:
    """How many of the settled labels are right, and how many of all, where a gold column says so."""
    if c.gold is None:
        return "only gold labels can show that."
    check = c.gold[1]
    settled, all_ = check.settled, f"of all {check.n_items:,} labels that have a gold label, {_right(check[0])}."
    if settled is None:
        return all_
    return f"of the {settled.n_items:,} settled labels that have a gold label, {_right(settled)}; {all_}"


def _right(e: Estimate) -> str:
    return f"{e.value:.0%} are right ({e.low:.0%} to {e.high:.0%})"


def gold_sentence(c: Context) -> str:
    """How many labels are right, where a column of the table knows."""
    if c.gold is None:
        return ""
    column, check = c.gold
    all_, top = check[0], check.settled
    said = (
        f"Against the {check.n_items:,} gold labels in column {column.name!r}, which were not used to fit the model, {all_.value:.1%} of the labels are right "
        f"({all_.low:.1%} to {all_.high:.1%})"
    )
    if top is None:
        return f"{said}."
    return f"{said}, and of the {top.n_items:,} that are settled at {SETTLED:.0%}, {top.value:.1%} ({top.low:.1%} to {top.high:.1%})."
