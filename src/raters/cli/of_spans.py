"""What the commands say of spans: raters chose what to mark, then labelled it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

from raters.options import given_to
from raters.options.declared import OfSpans

if TYPE_CHECKING:
    from raters.estimate import Estimate
    from raters.spans.units import Spans

View = tuple[Any, "list[Estimate]", "Estimate | str | None", list[str], dict[str, Any]]
LABELS_ONLY = ("group", "within", "weights", "distance", "cluster", "se")
"""Options of labels of given items."""
PER = {"item": "per_item", "document": "per_item", "label": "per_label", "rater": "per_rater", "pair": "per_pair"}


def refuse_labels_only(options: dict[str, Any]) -> None:
    """Options that say how labels of items are compared do not apply."""
    from raters.errors import UsageError

    for name in LABELS_ONLY:
        if options.get(name) is not None:
            raise UsageError(f"--{name} is for labels of given items, and this project holds spans; omit it.")


def view(found: Spans, wanted: Sequence[str], options: dict[str, Any]) -> View:
    """The measures of one project, and why they are high or low."""
    from raters.agree import agreement as api
    from raters.spans.asking import suited, usual
    from raters.spans.why import why

    refuse_labels_only(options)
    given = given_to(OfSpans, options)
    per, by = options.get("per"), options.get("by")
    names = [*dict.fromkeys([*(options.get("coefficient") or ()), *wanted])]
    if per is not None:
        function: Any = getattr(api, PER[per])
        tables = [function(found, name, **given) for name in names or [suited_for(found, per)]]
        return found, [e for t in tables for e in t], None, [], {}
    lead = (names or [suited(found)])[0]
    chosen = names if options.get("coefficient") else [lead, *(n for n in [*usual(found), *names] if n != lead)]
    if by is not None:
        rows = [e for n in (names or [lead]) for e in api.agreement(found, n, by=by, **given)]
        return found, rows, None, [], {}
    table = [api.agreement(found, n, **given) for n in dict.fromkeys(chosen)]
    reasons = why(found) if options.get("explain", True) else None
    lines = [] if reasons is None else [*reasons.sentences(), *(str(c) for c in reasons.cases[:2])]
    return found, table, table[0], lines, {} if reasons is None else {"why": reasons.to_dict()}


def suited_for(found: Spans, per: str) -> str:
    """The measure of slices: the one that leads, unless it needs all raters at once."""
    from raters.spans.asking import suited
    from raters.spans.measures import DEFAULT, MEASURES

    name = suited(found)
    return name if MEASURES[name].of_pairs or per == "item" else DEFAULT


def shown_as_text(found: Spans, table: Sequence[Estimate], lead: Any, lines: Sequence[str]) -> str:
    """The answer, the measures, why, and what was read: at most 24 lines for a project."""
    from raters.cli.options import how_much
    from raters.reporting.answer import Answer, Grid, printed
    from raters.reporting.names import as_sentence
    from raters.reporting.short_table import figure, limits
    from raters.reporting.table_answer import of_rows, sentence
    from raters.spans.units import lines as read

    named = len({e.coefficient for e in table}) == len(table) and lead is not None
    chance = any(isfinite(e.details.get("chance", nan)) for e in table)
    intervals = any(isfinite(e.low) for e in table)
    digits = 4 if how_much().all else 2
    head = ["measure" if named else "", "value", *([f"{table[0].level:.0%} interval"] if intervals else [])]
    head += ["by chance"] if chance else []
    rows = []
    for e in table:
        row = [(e.title if named else e.name), figure(e.value, digits)]
        row += [limits(e)] if intervals else []
        row += [figure(e.details.get("chance", nan))] if chance else []
        rows.append((*row, _beside(e)))
    said = {as_sentence(str(n)): None for e in table for n in e.notes if n.level not in ("undefined", "detail")}
    answer = Answer(
        answer=sentence(lead) if lead is not None else of_rows(table),
        grids=(Grid((*head, ""), tuple(rows), frozenset({0, len(head)})),) if rows else (),
        why=tuple(as_sentence(line) for line in lines if line),
        note=tuple(said),
        read=tuple(as_sentence(line.removeprefix("note: ")) for line in read(found)),
        more=("--all (four digits)", "--format json"),
    )
    return printed(answer, how_much())


def _beside(e: Estimate) -> str:
    """What stands beside a figure: why it has none, its cover, or its Monte Carlo error."""
    if not isfinite(e.value):
        return SHORT.get(e.undefined.code, str(e.undefined)) if e.undefined is not None else ""
    if "cover" in e.details:
        return f"on {e.details['cover']:.0%} of the text"
    if "monte_carlo_se" in e.details:
        return f"Monte Carlo error {e.details['monte_carlo_se']:.4f}"
    return ""


SHORT = {
    "stacked_units": "units of one rater overlap",
    "no_lengths": "needs the lengths of documents",
    "one_label_marked": "no two labels meet",
    "nobody_marked": "nobody marked anything",
    "no_shared_document": "no document of two raters",
    "all_marked_alike": "all characters are alike",
}
"""Reasons in a few words, for a table."""


def without_parts(table: Sequence[Estimate]) -> list[Estimate]:
    """Figures without observed and expected disagreement, whose columns mean little here."""
    return [replace(e, observed=nan, expected=nan, weights="") for e in table]
