"""From a table of labels to the table of a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

from raters.agree.request import Options
from raters.agree.slices import agreement, per_label
from raters.agree.which_apply import weighted
from raters.annotations import Annotations
from raters.coefficients import DEFAULT, REGISTRY
from raters.errors import RatersError
from raters.estimate import Estimate
from raters.reporting.interval_words import interval_note
from raters.reporting.paper import Paper, PaperRow

MOST_ROWS = 40


def usual(ann: Annotations, more: Sequence[str] = ()) -> list[str]:
    """Kappa (Cohen's for two raters, Fleiss' for more) and alpha, and whatever else was named."""
    kappa = "cohen" if ann.n_raters == 2 else "fleiss"
    return list(dict.fromkeys([kappa, DEFAULT, *(name for name in more if name != "percent")]))


def paper_table(
    ann: Annotations, coefficients: Sequence[str] = (), *, of_labels: Options | None = None, **options: Unpack[Options]
) -> Paper:
    """All labels in one row, and one row for each label against the rest, where labels are categories.

    ``of_labels``: other options for the latter, which may be many.
    """
    names = usual(ann, coefficients)
    rows = [_whole("All labels" if ann.scale in ("nominal", "ordinal") else "All", ann, names, options)]
    if ann.scale == "nominal" and 3 <= len(ann.labels) <= MOST_ROWS:
        rows += _labels(ann, names, of_labels or options)
    return _paper("Label", rows, names, ann)


def paper_of_questions(
    anns: Mapping[str, Annotations], coefficients: Sequence[str] = (), **options: Unpack[Options]
) -> Paper:
    """One row for each question."""
    first = next(iter(anns.values()))
    names = usual(first, coefficients)
    return _paper("Question", [_whole(q, ann, names, options) for q, ann in anns.items()], names, first)


def _whole(name: str, ann: Annotations, names: Sequence[str], options: Options) -> PaperRow:
    figures = tuple(agreement(ann, n, **weighted(n, ann, options)) for n in names)
    point: Options = {**options, "interval": None}
    same = agreement(ann, "percent", **point)
    return PaperRow(name, max(same.n_items, 0), float(same.value), figures)


def _labels(ann: Annotations, names: Sequence[str], options: Options) -> list[PaperRow]:
    try:
        tables = [per_label(ann, n, **options) for n in names]
    except RatersError:  # a coefficient that has no figure for one label against the rest
        return []
    lead = tables[names.index(DEFAULT)]
    return [PaperRow(e.name, e.n_items, float(e.observed), tuple(t[i] for t in tables)) for i, e in enumerate(lead)]


def _paper(what: str, rows: Sequence[PaperRow], names: Sequence[str], ann: Annotations) -> Paper:
    titles = [REGISTRY[n].title for n in names]
    level = next((e.level for r in rows for e in r.figures), 0.95)
    head = (what, "n", "Agree", *(f"{t} [{level:.0%} CI]" for t in titles))
    figures: list[Estimate] = [e for r in rows for e in r.figures]
    how = interval_note(figures)
    note = f"n: items with two or more labels. Agree: how often two labels of an item are the same. Alpha: {ann.scale} metric. {how}".strip()
    who = f"{ann.n_raters:,} raters" if ann.n_raters else "unnamed raters"
    return Paper(f"Agreement of {who} on {ann.source}.", head, tuple(rows), note)
