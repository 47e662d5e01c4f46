"""What is asked of spans, as of labels: one measure, several, slices, two tables."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial, wraps
from typing import Any, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from raters.errors import UsageError, listed
from raters.estimate import Estimate, EstimateTable
from raters.inference.intervals import IntervalSpec
from raters.inference.statistic import Linear
from raters.io.any_table import either
from raters.io.table import SeveralQuestions
from raters.options import asks, filled
from raters.options.declared import OfSpans
from raters.options.option import check_options
from raters.spans import unitizing
from raters.spans.measures import (
    DEFAULT,
    MEASURES,
    Asked,
    Figure,
    Measure,
    estimate,
    leads_pooled,
    measure_name,
    of_figure,
    of_matched,
)
from raters.spans.pairs import MATCHES, Pairing
from raters.spans.sweeps import overlapping
from raters.spans.units import Spans, label_name

Array = NDArray[Any]
F = TypeVar("F", bound=Callable[..., Any])
MOST_FOR_GAMMA = 4_000
"""Beyond so many units gamma is computed only if it is asked for."""
MOST_PAIRS = 20_000


def or_of_spans(answer: Callable[..., Any], *others: type) -> Callable[[F], F]:
    """For a function of a table of labels: what answers in its place if the source holds spans.

    ``others``: what else the function takes; such values, and files with several questions, are passed on unread.
    """

    def decorate(function: F) -> F:
        first = next(iter(inspect.signature(function).parameters))
        known = [*inspect.signature(function).parameters, *inspect.signature(answer).parameters]

        @wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            if not args and first not in options:
                return function(**options)
            check_options(function.__name__, options, known)  # before the source is read
            source, args = (args[0], args[1:]) if args else (options.pop(first), ())
            if isinstance(source, others):
                return function(source, *args, **options)
            try:
                found = either(source)
            except SeveralQuestions:
                found = source
            return answer(found, *args, **options) if isinstance(found, Spans) else function(found, *args, **options)

        return call  # type: ignore[return-value]

    return decorate


def asked(options: OfSpans) -> Asked:
    """The options of a call."""
    given = filled(OfSpans, options)
    method = given["interval"]
    spec = None if method is None else IntervalSpec(method, given["level"], given["resamples"], given["seed"])
    return Asked(given["pooled"], given["threshold"], spec, seed=given["seed"], sample=given["sample"])


@asks()
def agreement(
    found: Spans, coefficient: str = DEFAULT, *, by: str | None = None, **options: Unpack[OfSpans]
) -> Estimate | EstimateTable:
    """One measure of spans; with ``by=`` one for each value of a column of the documents."""
    how = asked(options)
    if by is None:
        return estimate(found, coefficient, how)
    rows = (estimate(part, coefficient, replace(how, chance=False), name) for name, part in slices(found, by))
    return EstimateTable(tuple(replace(e, by=by) for e in rows), of=by)


@asks()
def agreement_table(
    found: Spans, coefficients: Iterable[str] | None = None, *, by: str | None = None, **options: Unpack[OfSpans]
) -> EstimateTable:
    """The named measures, or every one that these units allow."""
    names = usual(found) if coefficients is None else list(dict.fromkeys(map(measure_name, coefficients)))
    tables = [agreement(found, name, by=by, **options) for name in names]
    rows = [e for t in tables for e in ((t,) if isinstance(t, Estimate) else t)]
    return EstimateTable(tuple(rows), of="coefficient" if by is None else by)


def usual(found: Spans) -> list[str]:
    """The measures of a summary: gamma only for a few raters, where it takes seconds."""
    names = ["exact", "overlap", "boundaries", "u", "u_boundary", "cu"]
    few = found.n_units <= MOST_FOR_GAMMA and found.views_each.max(initial=0) <= FEW_RATERS
    return [*names, *(["gamma"] if few else [])]


@asks()
def per_label(found: Spans, coefficient: str = DEFAULT, **options: Unpack[OfSpans]) -> EstimateTable:
    """Each label alone: its units, and every view."""
    how, row = replace(asked(options), chance=False), MEASURES[measure_name(coefficient)]
    if row.of_label == "" and row.one_label:
        return EstimateTable(tuple(_of_labels(found, row, how)), of="label")
    name = row.of_label or row.name
    rows = [estimate(found.with_label(i), name, how, label_name(x)) for i, x in enumerate(found.labels)]
    return EstimateTable(tuple(rows), of="label")


def _of_labels(found: Spans, row: Measure, how: Asked) -> Iterator[Estimate]:
    """(k)u of each label."""
    whole = row.figure(found, row, how)
    for i, label in enumerate(found.labels):
        figure = whole
        if whole.stat is not None:
            sums = unitizing.rows(found)[found.views_each >= 2]
            sums = sums[unitizing.both_marked(sums) > 0]
            figure = Figure(
                Linear(np.ones(len(sums)), sums, unitizing.ku(i)), whole.n, title=f"(k)u of {label_name(label)}"
            )
        yield of_figure(found, row, figure, how, label_name(label))


@asks()
def per_rater(found: Spans, coefficient: str = DEFAULT, **options: Unpack[OfSpans]) -> EstimateTable:
    """Each rater with the others: the pairs that have this rater."""
    how, row = replace(asked(options), chance=False), MEASURES[measure_name(coefficient)]
    made = []
    for r, name in enumerate(found.raters):
        figure = _of_pairs(found, row, how, partial(_has, r))
        mine = found.of_documents(found.view_document[found.view_rater == r])
        made.append(of_figure(mine, row, figure, how, name))
    return EstimateTable(tuple(made), of="rater")


@asks()
def per_pair(found: Spans, coefficient: str = DEFAULT, **options: Unpack[OfSpans]) -> EstimateTable:
    """Each pair of raters who share a document."""
    how, row = replace(asked(options), chance=False, pooled=True), MEASURES[measure_name(coefficient)]
    pairs = Pairing(found).raters
    if len(pairs) > MOST_PAIRS:
        raise UsageError(f"{len(pairs):,} pairs of raters share documents, more than {MOST_PAIRS:,}. Use per_rater.")
    made = []
    for p, (a, b) in enumerate(pairs.tolist()):
        names = found.raters[a], found.raters[b]
        two = found.of_raters([a, b])
        figure = _of_pairs(found, row, how, partial(_is, p)) if row.of_pairs else row.figure(two, row, how)
        made.append(of_figure(two, row, figure, how, f"{names[0]} v. {names[1]}", rater_a=names[0], rater_b=names[1]))
    return EstimateTable(tuple(made), of="pair")


def _has(rater: int, pairs: Array) -> Array:
    return np.asarray((pairs == rater).any(1))


def _is(pair: int, pairs: Array) -> Array:
    return np.asarray(np.arange(len(pairs)) == pair)


def _of_pairs(found: Spans, row: Measure, how: Asked, chosen: Callable[[Array], Array]) -> Figure:
    """A measure over some pairs of raters."""
    if not row.of_pairs:
        raise UsageError(
            f"{row.name} is computed from all raters of a document at once; for single raters use one of"
            f" {listed([m.name for m in MEASURES.values() if m.of_pairs])}, or per_pair."
        )
    matched = _matched(found, row, how)
    return replace(of_matched(matched, leads_pooled(found, how), chosen(matched.pairing.raters)), title=row.title)


def _matched(found: Spans, row: Measure, how: Asked) -> Any:
    """What matches, computed once for each measure and threshold."""
    kept = found.__dict__.setdefault("kept", {})
    if (row.name, how.threshold) not in kept:
        kept[row.name, how.threshold] = MATCHES[row.name](found, Pairing(found), how.threshold)
    return kept[row.name, how.threshold]


@asks()
def per_item(found: Spans, coefficient: str = DEFAULT, **options: Unpack[OfSpans]) -> EstimateTable:
    """Each document that two raters saw; a single document has no interval."""
    options["interval"] = None
    how, row = replace(asked(options), chance=False, pooled=True), MEASURES[measure_name(coefficient)]
    made = []
    for d in np.flatnonzero(found.views_each >= 2).tolist():
        made.append(estimate(found.of_documents([d]), row.name, how, found.documents[d]))
    return EstimateTable(tuple(made), of="document")


def slices(found: Spans, by: str) -> Iterator[tuple[str, Spans]]:
    """The documents of each value of a column, or each document."""
    if by == "document":
        values = {d: d for d in found.documents}
    elif by in found.about:
        values = dict(found.about[by])
    else:
        raise UsageError(
            f"by={by!r}: documents have no column of this name; there is {listed(['document', *found.about])}."
        )
    for value in sorted(set(values.values())):
        yield str(value), found.of_documents([i for i, d in enumerate(found.documents) if values.get(d) == value])


LONG, NESTED, FEW_RATERS = 50, 0.25, 5
"""Characters of a long passage (ten words or so); the share of units that make a project one of nested units."""


def suited(found: Spans) -> str:
    """The measure that leads: exact F1; u where units are long passages, whose bounds are a matter of taste; gamma where
    a few raters nest units.
    """
    if not found.n_units:
        return DEFAULT
    inner = overlapping(found, within=True)
    nested = len(np.unique(np.concatenate([inner.one, inner.other]))) / found.n_units
    if nested >= NESTED and found.views_each.max() <= FEW_RATERS and "gamma" in usual(found):
        return "gamma"
    passages = float(np.median(found.size)) >= LONG and found.lengths_known and not found.stacked
    return "u" if passages else DEFAULT
